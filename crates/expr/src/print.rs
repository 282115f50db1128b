//! Trees as expression text with placeholders.

use std::collections::BTreeMap;

use singlet_values::AttributeValue;

use crate::condition::{Condition, Operand, Test};
use crate::error::ExprError;
use crate::function::Function;
use crate::key_condition::{KeyCondition, KeyTest};
use crate::path::{Path, Step};
use crate::projection::Projection;
use crate::syntax::Comparator;
use crate::update::{Change, SetValue, Update};

/// Prints the expressions of one request. Parsing a printed text with the printer's placeholders gives the same tree.
///
/// Every name and every value gets a placeholder, so reserved words and unusual names need no care. A placeholder
/// contains the first letter of its expression's kind, so expressions of one request never share one.
///
/// ```
/// use singlet_expr::{Condition, Path, Printer};
/// use singlet_values::AttributeValue;
///
/// let mut printer = Printer::default();
/// let condition = Condition::equal(Path::dotted("address.city"), AttributeValue::from("Huế"));
/// assert_eq!(printer.condition(&condition), "#c0.#c1 = :c0");
/// assert_eq!(printer.names().get("#c1").map(String::as_str), Some("city"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Printer {
    names: BTreeMap<String, String>,
    values: BTreeMap<String, AttributeValue>,
}

impl Printer {
    /// A `ConditionExpression`.
    pub fn condition(&mut self, condition: &Condition) -> String {
        self.print('c', |out| out.test(condition.test()))
    }

    /// A `FilterExpression`.
    pub fn filter(&mut self, condition: &Condition) -> String {
        self.print('f', |out| out.test(condition.test()))
    }

    /// A `KeyConditionExpression`. A condition that is wrong for every key has no text.
    pub fn key_condition(&mut self, condition: &KeyCondition) -> Result<String, ExprError> {
        let terms = condition.terms()?;
        Ok(self.print('k', |out| {
            out.list(terms, " AND ", |out, term| out.key_test(&term.attribute, &term.test));
        }))
    }

    /// A `ProjectionExpression`.
    pub fn projection(&mut self, projection: &Projection) -> String {
        self.print('p', |out| out.list(projection.paths(), ", ", Text::path))
    }

    /// An `UpdateExpression`.
    pub fn update(&mut self, update: &Update) -> String {
        self.print('u', |out| out.update(update))
    }

    /// `ExpressionAttributeNames` of everything that was printed. DynamoDB rejects an empty map.
    pub fn names(&self) -> &BTreeMap<String, String> {
        &self.names
    }

    /// `ExpressionAttributeValues` of everything that was printed. DynamoDB rejects an empty map.
    pub fn values(&self) -> &BTreeMap<String, AttributeValue> {
        &self.values
    }

    fn print(&mut self, prefix: char, print: impl FnOnce(&mut Text<'_>)) -> String {
        let mut text = Text { printer: self, prefix, text: String::with_capacity(64) };
        print(&mut text);
        text.text
    }
}

/// The text of one expression.
struct Text<'p> {
    printer: &'p mut Printer,
    prefix: char,
    text: String,
}

impl Text<'_> {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn list<T>(&mut self, parts: &[T], separator: &str, print: impl Fn(&mut Self, &T)) {
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                self.push(separator);
            }
            print(self, part);
        }
    }

    /// The placeholder of a name: one name has one placeholder in an expression.
    fn name(&mut self, name: &str) {
        let first = format!("#{}", self.prefix);
        let mut mine = self.printer.names.iter().filter(|(placeholder, _)| placeholder.starts_with(&first));
        if let Some((known, _)) = mine.clone().find(|(_, known)| *known == name) {
            self.text.push_str(known);
            return;
        }
        let placeholder = format!("{first}{}", mine.by_ref().count());
        self.text.push_str(&placeholder);
        self.printer.names.insert(placeholder, name.to_owned());
    }

    /// The placeholder of a value: every value has its own.
    fn value(&mut self, value: &AttributeValue) {
        let first = format!(":{}", self.prefix);
        let count = self.printer.values.keys().filter(|placeholder| placeholder.starts_with(&first)).count();
        let placeholder = format!("{first}{count}");
        self.text.push_str(&placeholder);
        self.printer.values.insert(placeholder, value.clone());
    }

    fn path(&mut self, path: &Path) {
        self.name(&path.head);
        for step in &path.steps {
            match step {
                Step::Field(name) => {
                    self.push(".");
                    self.name(name);
                }
                Step::Index(index) => self.push(&format!("[{index}]")),
            }
        }
    }

    fn test(&mut self, test: &Test) {
        match test {
            Test::Or(parts) => {
                self.list(parts, " OR ", |out, part| out.part(part, matches!(part, Test::Or(_))));
            }
            Test::And(parts) => self.list(parts, " AND ", |out, part| {
                out.part(part, matches!(part, Test::Or(_) | Test::And(_)));
            }),
            Test::Not(part) => {
                self.push("NOT ");
                self.part(part, matches!(**part, Test::Or(_) | Test::And(_)));
            }
            Test::Compare { left, comparator, right } => self.compare(left, *comparator, right),
            Test::Between { operand, low, high } => {
                self.operand(operand);
                self.push(" BETWEEN ");
                self.operand(low);
                self.push(" AND ");
                self.operand(high);
            }
            Test::In { operand, candidates } => {
                self.operand(operand);
                self.push(" IN (");
                self.list(candidates, ", ", Text::operand);
                self.push(")");
            }
            Test::Exists(path) => self.call(Function::AttributeExists, |out| out.path(path)),
            Test::NotExists(path) => self.call(Function::AttributeNotExists, |out| out.path(path)),
            Test::HasKind { operand, kind } => self.call(Function::AttributeType, |out| {
                out.operand(operand);
                out.push(", ");
                out.value(&AttributeValue::from(kind.code()));
            }),
            Test::BeginsWith { operand, prefix } => self.call_of_two(Function::BeginsWith, operand, prefix),
            Test::Contains { operand, part } => self.call_of_two(Function::Contains, operand, part),
        }
    }

    /// DynamoDB refuses parentheses that aren't needed, so they are written only where they are.
    fn part(&mut self, test: &Test, parentheses: bool) {
        if parentheses {
            self.push("(");
        }
        self.test(test);
        if parentheses {
            self.push(")");
        }
    }

    fn compare(&mut self, left: &Operand, comparator: Comparator, right: &Operand) {
        self.operand(left);
        self.push(" ");
        self.push(comparator.symbol());
        self.push(" ");
        self.operand(right);
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Path(path) => self.path(path),
            Operand::Literal(literal) => self.value(literal.value()),
            Operand::Size(inner) => self.call(Function::Size, |out| out.operand(inner)),
        }
    }

    fn call(&mut self, function: Function, operands: impl FnOnce(&mut Self)) {
        self.push(function.name());
        self.push("(");
        operands(self);
        self.push(")");
    }

    fn call_of_two(&mut self, function: Function, first: &Operand, second: &Operand) {
        self.call(function, |out| {
            out.operand(first);
            out.push(", ");
            out.operand(second);
        });
    }

    fn key_test(&mut self, attribute: &str, test: &KeyTest) {
        if let KeyTest::BeginsWith(prefix) = test {
            return self.call(Function::BeginsWith, |out| {
                out.name(attribute);
                out.push(", ");
                out.value(prefix);
            });
        }
        self.name(attribute);
        let (comparator, value) = match test {
            KeyTest::Equal(value) => (Comparator::Equal, value),
            KeyTest::Less(value) => (Comparator::Less, value),
            KeyTest::LessOrEqual(value) => (Comparator::LessOrEqual, value),
            KeyTest::Greater(value) => (Comparator::Greater, value),
            KeyTest::GreaterOrEqual(value) => (Comparator::GreaterOrEqual, value),
            KeyTest::BeginsWith(_) => return,
            KeyTest::Between(low, high) => {
                self.push(" BETWEEN ");
                self.value(low);
                self.push(" AND ");
                return self.value(high);
            }
        };
        self.push(" ");
        self.push(comparator.symbol());
        self.push(" ");
        self.value(value);
    }

    fn update(&mut self, update: &Update) {
        let mut section = "";
        for action in update.actions() {
            let keyword = keyword(&action.change);
            if keyword == section {
                self.push(", ");
            } else {
                self.push(if section.is_empty() { "" } else { " " });
                self.push(keyword);
                self.push(" ");
                section = keyword;
            }
            self.path(&action.path);
            match &action.change {
                Change::Set(value) => {
                    self.push(" = ");
                    self.set_value(value);
                }
                Change::Remove => {}
                Change::Add(value) | Change::Delete(value) => {
                    self.push(" ");
                    self.value(value);
                }
            }
        }
    }

    fn set_value(&mut self, value: &SetValue) {
        match value {
            SetValue::Path(path) => self.path(path),
            SetValue::Literal(value) => self.value(value),
            SetValue::IfNotExists(path, otherwise) => self.call(Function::IfNotExists, |out| {
                out.path(path);
                out.push(", ");
                out.set_value(otherwise);
            }),
            SetValue::ListAppend(first, second) => self.call(Function::ListAppend, |out| {
                out.set_value(first);
                out.push(", ");
                out.set_value(second);
            }),
            SetValue::Sum(left, right) => {
                self.set_value(left);
                self.push(" + ");
                self.set_value(right);
            }
            SetValue::Difference(left, right) => {
                self.set_value(left);
                self.push(" - ");
                self.set_value(right);
            }
        }
    }
}

fn keyword(change: &Change) -> &'static str {
    match change {
        Change::Set(_) => "SET",
        Change::Remove => "REMOVE",
        Change::Add(_) => "ADD",
        Change::Delete(_) => "DELETE",
    }
}
