//! Conditions: the `WHERE` clause as a tree.

use singlet_expr::{Comparator, Operand, Path, Problem, Test};
use singlet_values::{AttributeValue, Kind};

use super::Parser;
use crate::error::{Position, StatementError};
use crate::lexer::TokenKind;

/// The start of a predicate: a value, or a function that is a condition itself.
enum Term {
    Operand(Operand),
    Test(Test),
}

impl Term {
    fn operand(self) -> Result<Operand, StatementError> {
        match self {
            Term::Operand(operand) => Ok(operand),
            Term::Test(_) => Err(StatementError::malformed("Expected a value")),
        }
    }
}

impl Parser<'_> {
    /// A condition.
    pub(super) fn condition(&mut self) -> Result<Test, StatementError> {
        self.nested(|parser| {
            let mut parts = vec![parser.conjunction()?];
            while parser.take_word("OR")? {
                parser.refuse_end()?;
                parts.push(parser.conjunction()?);
            }
            Ok(joined(parts, Test::Or))
        })
    }

    fn conjunction(&mut self) -> Result<Test, StatementError> {
        let mut parts = vec![self.negation()?];
        while self.take_word("AND")? {
            self.refuse_end()?;
            parts.push(self.negation()?);
        }
        Ok(joined(parts, Test::And))
    }

    /// `AND` and `OR` need a second condition.
    fn refuse_end(&self) -> Result<(), StatementError> {
        match self.token.kind == TokenKind::End || self.token.is_symbol(";") {
            true => Err(StatementError::malformed("Missing right-hand side expression of infix operator")),
            false => Ok(()),
        }
    }

    fn negation(&mut self) -> Result<Test, StatementError> {
        if self.take_word("NOT")? {
            return self.nested(|parser| Ok(negated(parser.negation()?)));
        }
        if self.take_symbol("(")? {
            let inner = self.condition()?;
            self.expect_symbol(")")?;
            return Ok(inner);
        }
        let left = self.term()?;
        self.predicate(left)
    }

    /// The operator after a first term, and its other operands.
    fn predicate(&mut self, left: Term) -> Result<Test, StatementError> {
        if let Term::Test(test) = left {
            return self.truth(test);
        }
        let left = left.operand()?;
        if let Some(comparator) = self.comparator()? {
            let right = self.term()?.operand()?;
            self.refuse_arithmetic()?;
            return Ok(Test::Compare { left, comparator, right });
        }
        if self.take_word("IS")? {
            return self.is_test(left);
        }
        let not = self.take_word("NOT")?;
        let test = if self.take_word("IN")? {
            self.in_test(left)?
        } else if self.take_word("BETWEEN")? {
            let low = self.term()?.operand()?;
            self.expect_word("AND")?;
            Test::Between { operand: left, low, high: self.term()?.operand()? }
        } else {
            self.refuse_arithmetic()?;
            return Err(StatementError::NotBoolean);
        };
        Ok(if not { negated(test) } else { test })
    }

    /// A function that is a condition may be compared with `true` or `false`.
    fn truth(&mut self, test: Test) -> Result<Test, StatementError> {
        if !self.take_symbol("=")? {
            return Ok(test);
        }
        match self.take_word("TRUE")? {
            true => Ok(test),
            false => {
                self.expect_word("FALSE")?;
                Ok(negated(test))
            }
        }
    }

    fn comparator(&mut self) -> Result<Option<Comparator>, StatementError> {
        let comparator = match (self.token.kind, self.token.text) {
            (TokenKind::Symbol, "=") => Comparator::Equal,
            (TokenKind::Symbol, "<>" | "!=") => Comparator::NotEqual,
            (TokenKind::Symbol, "<") => Comparator::Less,
            (TokenKind::Symbol, "<=") => Comparator::LessOrEqual,
            (TokenKind::Symbol, ">") => Comparator::Greater,
            (TokenKind::Symbol, ">=") => Comparator::GreaterOrEqual,
            _ => return Ok(None),
        };
        self.advance()?;
        Ok(Some(comparator))
    }

    /// Conditions have neither arithmetic nor `LIKE`.
    fn refuse_arithmetic(&self) -> Result<(), StatementError> {
        let arithmetic = ["+", "-", "*", "/", "%", "||"].iter().any(|symbol| self.token.is_symbol(symbol));
        if arithmetic || self.token.is_word("LIKE") {
            return Err(StatementError::ConditionOperator { operator: self.token.text.to_lowercase() });
        }
        Ok(())
    }

    /// `IS [NOT] MISSING`, `IS [NOT] NULL`, or `IS [NOT]` a type.
    fn is_test(&mut self, left: Operand) -> Result<Test, StatementError> {
        let not = self.take_word("NOT")?;
        let word = self.advance()?;
        if word.is_word("MISSING") {
            let Operand::Path(path) = left else { return Err(StatementError::IsOperand) };
            return Ok(if not { Test::Exists(path) } else { Test::NotExists(path) });
        }
        if matches!(left, Operand::Size(_)) {
            return Err(StatementError::IsOperand);
        }
        let types = [
            ("NULL", Kind::Null),
            ("BOOL", Kind::Bool),
            ("BOOLEAN", Kind::Bool),
            ("BLOB", Kind::B),
            ("STRING", Kind::S),
            ("NUMERIC", Kind::N),
            ("STRUCT", Kind::M),
            ("TUPLE", Kind::M),
            ("LIST", Kind::L),
        ];
        match types.into_iter().find(|(name, _)| word.is_word(name)) {
            Some((_, kind)) => {
                let test = Test::HasKind { operand: left, kind };
                Ok(if not { negated(test) } else { test })
            }
            None => Err(StatementError::malformed("Expected type name")),
        }
    }

    fn in_test(&mut self, operand: Operand) -> Result<Test, StatementError> {
        let close = match (self.token.kind, self.token.text) {
            (TokenKind::Symbol, "[") => "]",
            (TokenKind::Symbol, "(") => ")",
            (TokenKind::Symbol, "<<") => ">>",
            _ => return Err(StatementError::InOperand),
        };
        self.advance()?;
        if self.token.is_symbol(close) || !matches!(operand, Operand::Path(_)) {
            return Err(StatementError::InOperand);
        }
        let candidates = self.list(|parser| parser.term()?.operand())?;
        self.expect_symbol(close)?;
        Ok(Test::In { operand, candidates })
    }

    /// A path, a literal or a function.
    fn term(&mut self) -> Result<Term, StatementError> {
        if !self.at_identifier() && !self.token.is_word("EXISTS") {
            return Ok(Term::Operand(self.literal()?.into()));
        }
        let position = self.position();
        let name = self.advance()?;
        if self.token.is_symbol("(") {
            return self.function(&name.text.to_lowercase(), position);
        }
        Ok(Term::Operand(self.path_after(name.content())?.into()))
    }

    fn function(&mut self, name: &str, position: Position) -> Result<Term, StatementError> {
        let Some(function) = Function::named(name) else {
            return Err(StatementError::UnknownFunction { function: name.to_owned(), position });
        };
        let arguments = self.nested(Parser::arguments)?;
        Ok(match function {
            Function::Size => {
                let [operand] = function.take(arguments)?;
                Term::Operand(Operand::Size(Box::new(operand)))
            }
            Function::AttributeExists => Term::Test(Test::Exists(function.take_path(arguments)?)),
            Function::AttributeNotExists => Term::Test(Test::NotExists(function.take_path(arguments)?)),
            Function::AttributeType => {
                let [operand, kind] = function.take(arguments)?;
                Term::Test(Test::HasKind { operand, kind: named_kind(&kind)? })
            }
            Function::BeginsWith => {
                let [operand, prefix] = function.take(arguments)?;
                Term::Test(Test::BeginsWith { operand, prefix })
            }
            Function::Contains => {
                let [operand, part] = function.take(arguments)?;
                Term::Test(Test::Contains { operand, part })
            }
        })
    }

    /// The arguments of a function, with their parentheses.
    fn arguments(&mut self) -> Result<Vec<Operand>, StatementError> {
        self.expect_symbol("(")?;
        if self.take_symbol(")")? {
            return Ok(Vec::new());
        }
        let arguments = self.list(|parser| parser.term()?.operand())?;
        self.expect_symbol(")")?;
        Ok(arguments)
    }
}

/// A single part needs nothing around it.
fn joined(mut parts: Vec<Test>, join: fn(Vec<Test>) -> Test) -> Test {
    match (parts.len(), parts.pop()) {
        (1, Some(part)) => part,
        (_, last) => {
            parts.extend(last);
            join(parts)
        }
    }
}

fn negated(test: Test) -> Test {
    Test::Not(Box::new(test))
}

/// The functions of conditions.
#[derive(Clone, Copy)]
enum Function {
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Contains,
    Size,
}

impl Function {
    const ALL: [Function; 6] = [
        Function::AttributeExists,
        Function::AttributeNotExists,
        Function::AttributeType,
        Function::BeginsWith,
        Function::Contains,
        Function::Size,
    ];

    /// The function with this name in lower case.
    fn named(name: &str) -> Option<Function> {
        Function::ALL.into_iter().find(|function| function.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Function::AttributeExists => "attribute_exists",
            Function::AttributeNotExists => "attribute_not_exists",
            Function::AttributeType => "attribute_type",
            Function::BeginsWith => "begins_with",
            Function::Contains => "contains",
            Function::Size => "size",
        }
    }

    /// The arguments, if there are exactly `COUNT`.
    fn take<const COUNT: usize>(self, arguments: Vec<Operand>) -> Result<[Operand; COUNT], StatementError> {
        let count = arguments.len();
        arguments.try_into().map_err(|_| Problem::OperandCount { function: self.name(), count }.into())
    }

    /// The only argument, if it is a path.
    fn take_path(self, arguments: Vec<Operand>) -> Result<Path, StatementError> {
        match self.take(arguments)? {
            [Operand::Path(path)] => Ok(path),
            _ => Err(Problem::NeedsPath { function: self.name() }.into()),
        }
    }
}

/// The kind that the second argument of `attribute_type` names.
fn named_kind(operand: &Operand) -> Result<Kind, StatementError> {
    let Operand::Literal(literal) = operand else {
        return Err(StatementError::malformed("Expected a type name in quotes"));
    };
    match literal.value() {
        AttributeValue::S(name) => {
            Kind::from_code(name).ok_or_else(|| Problem::UnknownKind { name: name.clone() }.into())
        }
        other => Err(Problem::OperandKind { operator: "attribute_type", kind: other.kind().code() }.into()),
    }
}
