//! Conditions as DynamoDB expressions.

use singlet_design::{
    Comparison, Condition, FieldType, Operand, Tree, beginning_type, compared_type, contained_type, instant,
    to_attribute,
};
use singlet_store::ExpressionBuilder;
use singlet_values::AttributeValue;

const ANY: FieldType = FieldType::Any { max_bytes: None };
const NUMBER: FieldType = FieldType::Number { min: None, max: None };

/// Writes a condition as the text of a DynamoDB expression. `argument` gives the value of a parameter, already of the
/// field's type, and a parameter without one is compared as the null value, which no field holds; `now_ms` is the time
/// for `{now}`.
pub(super) fn write(
    condition: &Condition,
    builder: &mut ExpressionBuilder,
    field: &dyn Fn(&str) -> Option<FieldType>,
    argument: &dyn Fn(&str) -> Option<AttributeValue>,
    now_ms: u64,
) -> String {
    let mut writer = Writer { builder, field, argument, now_ms, out: String::with_capacity(64) };
    writer.tree(&condition.tree);
    writer.out
}

/// What a function can look for in a field of a type.
type Wanted = fn(&FieldType) -> Option<FieldType>;

struct Writer<'a> {
    builder: &'a mut ExpressionBuilder,
    field: &'a dyn Fn(&str) -> Option<FieldType>,
    argument: &'a dyn Fn(&str) -> Option<AttributeValue>,
    now_ms: u64,
    out: String,
}

impl Writer<'_> {
    fn tree(&mut self, tree: &Tree) {
        match tree {
            Tree::And(branches) => self.joined(branches, " AND ", |branch| matches!(branch, Tree::Or(_))),
            Tree::Or(branches) => self.joined(branches, " OR ", |_| false),
            Tree::Not(inner) => {
                self.out.push_str("NOT ");
                self.branch(inner, matches!(**inner, Tree::And(_) | Tree::Or(_) | Tree::Not(_)));
            }
            Tree::Compare(left, comparison, right) => {
                let kind = self.kind(&[left, right], *comparison);
                self.operand(left, &kind);
                self.out.push_str(symbol(*comparison));
                self.operand(right, &kind);
            }
            Tree::Between(value, low, high) => {
                let kind = self.kind(&[value, low, high], Comparison::AtLeast);
                self.operand(value, &kind);
                self.out.push_str(" BETWEEN ");
                self.operand(low, &kind);
                self.out.push_str(" AND ");
                self.operand(high, &kind);
            }
            Tree::In(value, list) => {
                let operands: Vec<&Operand> = std::iter::once(value).chain(list).collect();
                let kind = self.kind(&operands, Comparison::Equal);
                self.operand(value, &kind);
                self.out.push_str(" IN (");
                self.listed(list, &kind);
            }
            Tree::Exists(path) => self.call("attribute_exists", path, None),
            Tree::Missing(path) => self.call("attribute_not_exists", path, None),
            Tree::BeginsWith(path, value) => self.call("begins_with", path, Some((value, beginning_type))),
            Tree::Contains(path, value) => self.call("contains", path, Some((value, contained_type))),
        }
    }

    fn joined(&mut self, branches: &[Tree], word: &str, parentheses: fn(&Tree) -> bool) {
        for (position, branch) in branches.iter().enumerate() {
            if position > 0 {
                self.out.push_str(word);
            }
            self.branch(branch, parentheses(branch));
        }
    }

    /// DynamoDB refuses parentheses that aren't needed twice over, so they stand only where they are.
    fn branch(&mut self, tree: &Tree, parentheses: bool) {
        if parentheses {
            self.out.push('(');
        }
        self.tree(tree);
        if parentheses {
            self.out.push(')');
        }
    }

    fn call(&mut self, name: &str, path: &str, value: Option<(&Operand, Wanted)>) {
        self.out.push_str(name);
        self.out.push('(');
        let placeholder = self.builder.path(path);
        self.out.push_str(&placeholder);
        if let Some((value, wanted)) = value {
            self.out.push_str(", ");
            let kind = (self.field)(path).and_then(|kind| wanted(&kind)).unwrap_or(ANY);
            self.operand(value, &kind);
        }
        self.out.push(')');
    }

    fn listed(&mut self, list: &[Operand], kind: &FieldType) {
        for (position, operand) in list.iter().enumerate() {
            if position > 0 {
                self.out.push_str(", ");
            }
            self.operand(operand, kind);
        }
        self.out.push(')');
    }

    /// The type that the constants of a comparison have: the first field's.
    fn kind(&self, operands: &[&Operand], comparison: Comparison) -> FieldType {
        let kind = operands.iter().find_map(|operand| match operand {
            Operand::Path(path) => (self.field)(path),
            Operand::Size(_) => Some(NUMBER),
            _ => None,
        });
        kind.map_or(ANY, |kind| compared_type(&kind, comparison))
    }

    fn operand(&mut self, operand: &Operand, kind: &FieldType) {
        let value = match operand {
            Operand::Path(path) => {
                let placeholder = self.builder.path(path);
                return self.out.push_str(&placeholder);
            }
            Operand::Size(path) => return self.call("size", path, None),
            // A checked constant fits its field; an unchecked one is written as it is.
            Operand::Constant(json) => {
                to_attribute(kind, json).or_else(|_| to_attribute(&ANY, json)).unwrap_or(AttributeValue::Null)
            }
            Operand::Parameter(name) => (self.argument)(name).unwrap_or(AttributeValue::Null),
            Operand::Now => instant(kind, self.now_ms),
        };
        let placeholder = self.builder.value(value);
        self.out.push_str(&placeholder);
    }
}

fn symbol(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => " = ",
        Comparison::NotEqual => " <> ",
        Comparison::Less => " < ",
        Comparison::AtMost => " <= ",
        Comparison::Greater => " > ",
        Comparison::AtLeast => " >= ",
    }
}
