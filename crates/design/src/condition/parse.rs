//! Parses conditions.

use std::ops::Range;

use super::lex::{Placed, Token, words};
use super::side::SideValue;
use super::{Condition, ConditionError, Operand, Tree, habits};
use crate::json::Json;

/// The maximum nesting of parentheses and `not`.
pub(super) const DEPTH_MAX: usize = 32;
/// DynamoDB's limit on the operators of an expression.
const OPERATORS_MAX: usize = singlet_values::limits::EXPRESSION_OPERATORS_MAX;
/// DynamoDB's limit on the list of an `in`.
const LIST_MAX: usize = singlet_values::limits::EXPRESSION_IN_MAX;
/// DynamoDB's limit on the text of an expression.
const BYTES_MAX: usize = singlet_values::limits::EXPRESSION_BYTES_MAX;
/// The functions that return true or false.
const TESTS: [&str; 4] = ["exists", "missing", "begins_with", "contains"];

/// A condition with the positions of its operands, in the order in which the tree is visited.
pub(super) struct Parsed {
    pub(super) tree: Tree,
    pub(super) places: Vec<Range<usize>>,
    pub(super) optional: Vec<String>,
}

impl Condition {
    /// Parses a condition.
    pub fn parse(text: &str) -> Result<Condition, ConditionError> {
        let Parsed { tree, optional, .. } = parse(text)?;
        Ok(Condition { source: text.to_owned(), tree, optional })
    }
}

pub(super) fn parse(text: &str) -> Result<Parsed, ConditionError> {
    if text.len() > BYTES_MAX {
        let message = format!("a condition can have at most {BYTES_MAX} bytes");
        return Err(ConditionError { range: 0..text.len(), message, help: None });
    }
    read(text).map_err(|error| habits::explain(text, error))
}

fn read(text: &str) -> Result<Parsed, ConditionError> {
    let words = words(text)?;
    let mut parser = Parser { words: &words, at: 0, end: text.len(), places: Vec::new(), operators: 0 };
    let tree = parser.any_of(0)?;
    match parser.words.get(parser.at) {
        None => Ok(Parsed { tree, places: parser.places, optional: optional(&words) }),
        Some(more) => {
            let help = "join conditions with `and` or `or`";
            Err(ConditionError::new(more.range.clone(), "unexpected text after the condition", help))
        }
    }
}

pub(super) struct Parser<'a> {
    pub(super) words: &'a [Placed],
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) places: Vec<Range<usize>>,
    operators: usize,
}

impl Parser<'_> {
    fn any_of(&mut self, depth: usize) -> Result<Tree, ConditionError> {
        let mut branches = vec![self.all_of(depth)?];
        while self.keyword("or") {
            self.count_operator()?;
            branches.push(self.all_of(depth)?);
        }
        Ok(joined(branches, Tree::Or, |tree| match tree {
            Tree::Or(branches) => branches,
            other => vec![other],
        }))
    }

    fn all_of(&mut self, depth: usize) -> Result<Tree, ConditionError> {
        let mut branches = vec![self.one(depth)?];
        while self.keyword("and") {
            self.count_operator()?;
            branches.push(self.one(depth)?);
        }
        Ok(joined(branches, Tree::And, |tree| match tree {
            Tree::And(branches) => branches,
            other => vec![other],
        }))
    }

    fn one(&mut self, depth: usize) -> Result<Tree, ConditionError> {
        if depth > DEPTH_MAX {
            return Err(self.error("the condition is nested too deeply", "remove parentheses and `not`"));
        }
        if self.keyword("not") {
            self.count_operator()?;
            return Ok(Tree::Not(Box::new(self.one(depth + 1)?)));
        }
        if self.token(&Token::Open) {
            let tree = self.any_of(depth + 1)?;
            self.expect(&Token::Close, "expected a closing parenthesis")?;
            return Ok(tree);
        }
        self.count_operator()?;
        match self.function(&TESTS) {
            Some("exists") => Ok(Tree::Exists(self.only_path()?)),
            Some("missing") => Ok(Tree::Missing(self.only_path()?)),
            Some("begins_with") => self.path_and_value().map(|(path, value)| Tree::BeginsWith(path, value)),
            Some("contains") => self.path_and_value().map(|(path, value)| Tree::Contains(path, value)),
            _ => self.comparison(),
        }
    }

    fn comparison(&mut self) -> Result<Tree, ConditionError> {
        let start = (self.at, self.places.len());
        let left = self.side()?;
        if self.keyword("between") {
            return self.between(left);
        }
        if self.keyword("in") {
            return self.one_of(left);
        }
        let Some(Placed { token: Token::Comparison(comparison), .. }) = self.words.get(self.at) else {
            let help = "use `=`, `<>`, `<`, `<=`, `>`, `>=`, `between` or `in`";
            return Err(self.error("expected a comparison", help));
        };
        let comparison = *comparison;
        self.at += 1;
        let right = self.side()?;
        self.compared((left, comparison, right), start)
    }

    fn between(&mut self, value: SideValue) -> Result<Tree, ConditionError> {
        let SideValue::Plain(value) = value else {
            let help = "write two comparisons, joined with `and`";
            return Err(self.error("a calculated value can't be used with `between`", help));
        };
        let low = self.value()?;
        if !self.keyword("and") {
            return Err(self.error("expected `and`", "write `total between {least} and {most}`"));
        }
        Ok(Tree::Between(value, low, self.value()?))
    }

    fn one_of(&mut self, value: SideValue) -> Result<Tree, ConditionError> {
        let SideValue::Plain(value) = value else {
            let help = "write comparisons, joined with `or`";
            return Err(self.error("a calculated value can't be used with `in`", help));
        };
        Ok(Tree::In(value, self.operands()?))
    }

    fn operands(&mut self) -> Result<Vec<Operand>, ConditionError> {
        self.expect(&Token::Open, "expected a list in parentheses")?;
        let mut operands = vec![self.value()?];
        while self.token(&Token::Comma) {
            if operands.len() == LIST_MAX {
                let message = format!("a list can have at most {LIST_MAX} values");
                return Err(self.error(&message, "split it into two lists, joined with `or`"));
            }
            operands.push(self.value()?);
        }
        self.expect(&Token::Close, "expected a comma or a closing parenthesis")?;
        Ok(operands)
    }

    pub(super) fn operand(&mut self) -> Result<Operand, ConditionError> {
        if self.function(&["size"]).is_some() {
            return Ok(Operand::Size(self.only_path()?));
        }
        let help = "write a field, `'text'`, `12.5`, `true`, `{parameter}` or `{now}`";
        let Some(Placed { token, range }) = self.words.get(self.at) else {
            return Err(self.error("expected a value", help));
        };
        let operand = match token {
            Token::Text(text) => Operand::Constant(Json::Text(text.clone())),
            Token::Number(number) => Operand::Constant(Json::Number(*number)),
            Token::Hole(expression) => Operand::of(expression.clone()),
            Token::OptionalParameter(name) => Operand::Parameter(name.clone()),
            Token::Word(word) if word.eq_ignore_ascii_case("true") => Operand::Constant(Json::Bool(true)),
            Token::Word(word) if word.eq_ignore_ascii_case("false") => Operand::Constant(Json::Bool(false)),
            Token::Word(word) if !is_keyword(word) => Operand::Path(path(word, range)?),
            _ => return Err(self.error("expected a value", help)),
        };
        self.places.push(range.clone());
        self.at += 1;
        Ok(operand)
    }

    /// Consumes the name of one of these functions and its opening parenthesis.
    fn function(&mut self, functions: &[&'static str]) -> Option<&'static str> {
        let Token::Word(word) = &self.words.get(self.at)?.token else { return None };
        let name = functions.iter().find(|name| word.eq_ignore_ascii_case(name))?;
        if self.words.get(self.at + 1)?.token != Token::Open {
            return None;
        }
        self.at += 2;
        Some(*name)
    }

    fn only_path(&mut self) -> Result<String, ConditionError> {
        let path = self.path()?;
        self.expect(&Token::Close, "expected a closing parenthesis")?;
        Ok(path)
    }

    fn path_and_value(&mut self) -> Result<(String, Operand), ConditionError> {
        let path = self.path()?;
        self.expect(&Token::Comma, "expected a comma and a value")?;
        let value = self.value()?;
        self.expect(&Token::Close, "expected a closing parenthesis")?;
        Ok((path, value))
    }

    fn path(&mut self) -> Result<String, ConditionError> {
        let Some(Placed { token: Token::Word(word), range }) = self.words.get(self.at) else {
            return Err(self.error("expected a field name", "write a field, such as `address.city`"));
        };
        let path = path(word, range)?;
        self.places.push(range.clone());
        self.at += 1;
        Ok(path)
    }

    pub(super) fn keyword(&mut self, keyword: &str) -> bool {
        let word = self.words.get(self.at).map(|word| &word.token);
        let there = matches!(word, Some(Token::Word(word)) if word.eq_ignore_ascii_case(keyword));
        self.at += usize::from(there);
        there
    }

    pub(super) fn token(&mut self, token: &Token) -> bool {
        let there = self.words.get(self.at).is_some_and(|word| word.token == *token);
        self.at += usize::from(there);
        there
    }

    pub(super) fn expect(&mut self, token: &Token, message: &str) -> Result<(), ConditionError> {
        if self.token(token) { Ok(()) } else { Err(self.error(message, "")) }
    }

    pub(super) fn count_operator(&mut self) -> Result<(), ConditionError> {
        self.operators += 1;
        if self.operators > OPERATORS_MAX {
            return Err(self.error("a condition can have at most 300 operators", "use several patterns"));
        }
        Ok(())
    }

    /// Makes an error at the current token, or at the end.
    pub(super) fn error(&self, message: &str, help: &str) -> ConditionError {
        let range = self.words.get(self.at).map_or(self.end..self.end, |word| word.range.clone());
        let help = (!help.is_empty()).then(|| help.to_owned());
        ConditionError { range, message: message.to_owned(), help }
    }
}

/// Joins the branches into one tree. Branches with the same operator, which were in parentheses, are flattened.
fn joined(mut branches: Vec<Tree>, join: fn(Vec<Tree>) -> Tree, split: fn(Tree) -> Vec<Tree>) -> Tree {
    if branches.len() == 1
        && let Some(only) = branches.pop()
    {
        return only;
    }
    join(branches.into_iter().flat_map(split).collect())
}

/// Returns the parameters that are only used with `?`.
fn optional(words: &[Placed]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for word in words {
        if let Token::OptionalParameter(name) = &word.token
            && !names.contains(name)
            && !words.iter().any(|word| word.token.requires(name))
        {
            names.push(name.clone());
        }
    }
    names
}

fn is_keyword(word: &str) -> bool {
    ["and", "or", "not", "between", "in"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}

fn path(word: &str, range: &Range<usize>) -> Result<String, ConditionError> {
    if word.split('.').any(str::is_empty) {
        let help = "write names with one dot between them, such as `address.city`";
        return Err(ConditionError::new(range.clone(), "a path can't have an empty step", help));
    }
    Ok(word.to_owned())
}
