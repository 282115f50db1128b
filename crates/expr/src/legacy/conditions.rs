//! `Expected`, `QueryFilter`, `ScanFilter` and `KeyConditions`.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use singlet_values::{AttributeValue, Kind};

use crate::condition::{Condition, Operand, Test};
use crate::error::{ExprError, KeyConditionError, LegacyError};
use crate::key_condition::{KeyCondition, KeyTerm, KeyTest};
use crate::path::Path;
use crate::syntax::Comparator;

/// How an attribute is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComparisonOperator {
    /// Equal.
    Eq,
    /// Not equal, or missing.
    Ne,
    /// One of the values.
    In,
    /// Less than or equal.
    Le,
    /// Less than.
    Lt,
    /// Greater than or equal.
    Ge,
    /// Greater than.
    Gt,
    /// From the first value to the second.
    Between,
    /// Present.
    NotNull,
    /// Missing.
    Null,
    /// Contains the value as a part or an element.
    Contains,
    /// Present, and doesn't contain the value as a part or an element.
    NotContains,
    /// Begins with the value.
    BeginsWith,
}

impl ComparisonOperator {
    /// Every operator, in the order that DynamoDB lists them in errors.
    pub const ALL: [ComparisonOperator; 13] = [
        ComparisonOperator::Eq,
        ComparisonOperator::Ne,
        ComparisonOperator::In,
        ComparisonOperator::Le,
        ComparisonOperator::Lt,
        ComparisonOperator::Ge,
        ComparisonOperator::Gt,
        ComparisonOperator::Between,
        ComparisonOperator::NotNull,
        ComparisonOperator::Null,
        ComparisonOperator::Contains,
        ComparisonOperator::NotContains,
        ComparisonOperator::BeginsWith,
    ];

    /// The operator's name in a request.
    pub fn name(self) -> &'static str {
        match self {
            ComparisonOperator::Eq => "EQ",
            ComparisonOperator::Ne => "NE",
            ComparisonOperator::In => "IN",
            ComparisonOperator::Le => "LE",
            ComparisonOperator::Lt => "LT",
            ComparisonOperator::Ge => "GE",
            ComparisonOperator::Gt => "GT",
            ComparisonOperator::Between => "BETWEEN",
            ComparisonOperator::NotNull => "NOT_NULL",
            ComparisonOperator::Null => "NULL",
            ComparisonOperator::Contains => "CONTAINS",
            ComparisonOperator::NotContains => "NOT_CONTAINS",
            ComparisonOperator::BeginsWith => "BEGINS_WITH",
        }
    }

    /// The operator with this name.
    pub fn named(name: &str) -> Option<ComparisonOperator> {
        ComparisonOperator::ALL.into_iter().find(|operator| operator.name() == name)
    }

    fn takes_count(self, count: usize) -> bool {
        match self {
            ComparisonOperator::NotNull | ComparisonOperator::Null => count == 0,
            ComparisonOperator::In => count > 0,
            ComparisonOperator::Between => count == 2,
            _ => count == 1,
        }
    }

    fn takes_kind(self, kind: Kind) -> bool {
        match self {
            ComparisonOperator::Eq
            | ComparisonOperator::Ne
            | ComparisonOperator::NotNull
            | ComparisonOperator::Null => true,
            ComparisonOperator::Contains | ComparisonOperator::NotContains => {
                matches!(kind, Kind::S | Kind::N | Kind::B | Kind::Bool | Kind::Null)
            }
            ComparisonOperator::BeginsWith => matches!(kind, Kind::S | Kind::B),
            _ => kind.is_key(),
        }
    }
}

/// How several conditions are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ConditionalOperator {
    /// All must be true.
    #[default]
    And,
    /// At least one must be true.
    Or,
}

/// The entry of `Expected` for one attribute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpectedAttribute {
    /// `Value`.
    pub value: Option<AttributeValue>,
    /// `Exists`.
    pub exists: Option<bool>,
    /// `ComparisonOperator`.
    pub operator: Option<ComparisonOperator>,
    /// `AttributeValueList`.
    pub values: Option<Vec<AttributeValue>>,
}

/// The entry of a filter or of `KeyConditions` for one attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeCondition {
    /// `ComparisonOperator`.
    pub operator: ComparisonOperator,
    /// `AttributeValueList`.
    pub values: Vec<AttributeValue>,
}

/// `Expected` as a condition; `None` if it is empty.
pub fn expected(
    attributes: BTreeMap<String, ExpectedAttribute>,
    operator: Option<ConditionalOperator>,
) -> Result<Option<Condition>, ExprError> {
    let mut tests = Vec::with_capacity(attributes.len());
    for (name, attribute) in attributes {
        tests.push(expected_test(name, attribute)?);
    }
    Ok(joined(tests, operator)?)
}

/// `QueryFilter` or `ScanFilter` as a condition; `None` if it is empty.
pub fn filter(
    attributes: BTreeMap<String, AttributeCondition>,
    operator: Option<ConditionalOperator>,
) -> Result<Option<Condition>, ExprError> {
    let mut tests = Vec::with_capacity(attributes.len());
    for (name, condition) in attributes {
        check(&condition)?;
        tests.push(test(name, condition)?);
    }
    Ok(joined(tests, operator)?)
}

/// `KeyConditions` as a key condition.
pub fn key_conditions(attributes: BTreeMap<String, AttributeCondition>) -> Result<KeyCondition, ExprError> {
    attributes.values().try_for_each(check)?;
    if attributes.is_empty() {
        return Err(KeyConditionError::ConditionCount.into());
    }
    let term = |(attribute, condition)| Ok(KeyTerm { attribute, test: key_test(condition)? });
    Ok(KeyCondition::of(attributes.into_iter().map(term).collect()))
}

fn joined(
    mut tests: Vec<Test>,
    operator: Option<ConditionalOperator>,
) -> Result<Option<Condition>, LegacyError> {
    match (tests.len(), operator) {
        (0, Some(_)) => return Err(LegacyError::OperatorWithoutConditions),
        (1, Some(_)) => return Err(LegacyError::OperatorWithOneCondition),
        (0 | 1, None) => return Ok(tests.pop().map(Condition::from)),
        _ => {}
    }
    Ok(Some(Condition::from(match operator.unwrap_or_default() {
        ConditionalOperator::And => Test::And(tests),
        ConditionalOperator::Or => Test::Or(tests),
    })))
}

/// An entry gives a value, or whether there is one, or an operator with its values.
fn expected_test(attribute: String, expected: ExpectedAttribute) -> Result<Test, LegacyError> {
    match expected {
        ExpectedAttribute { value: Some(_), values: Some(_), .. } => {
            Err(LegacyError::ValueAndList { attribute })
        }
        ExpectedAttribute { operator: Some(_), exists: Some(_), .. } => {
            Err(LegacyError::ExistsAndOperator { attribute })
        }
        ExpectedAttribute { operator: Some(operator), value: None, values: None, .. }
            if !operator.takes_count(0) =>
        {
            Err(LegacyError::OperatorWithoutValue { operator: operator.name(), attribute })
        }
        ExpectedAttribute { operator: Some(operator), value, values, .. } => {
            let values = values.unwrap_or_else(|| value.into_iter().collect());
            let condition = AttributeCondition { operator, values };
            check(&condition)?;
            test(attribute, condition)
        }
        ExpectedAttribute { values: Some(_), .. } => Err(LegacyError::ListWithoutOperator { attribute }),
        ExpectedAttribute { exists: Some(false), value: Some(_), .. } => {
            Err(LegacyError::ValueWithoutExists { attribute })
        }
        ExpectedAttribute { exists: Some(false), .. } => Ok(Test::NotExists(Path::attribute(attribute))),
        ExpectedAttribute { value: Some(value), .. } => {
            test(attribute, AttributeCondition { operator: ComparisonOperator::Eq, values: vec![value] })
        }
        ExpectedAttribute { exists, .. } => {
            let exists = if exists.is_some() { "true" } else { "null" };
            Err(LegacyError::ExistsWithoutValue { exists, attribute })
        }
    }
}

/// Checks the number of the values, their kinds and their order.
fn check(condition: &AttributeCondition) -> Result<(), LegacyError> {
    let AttributeCondition { operator, values } = condition;
    if !operator.takes_count(values.len()) {
        return Err(LegacyError::ArgumentCount { operator: operator.name() });
    }
    let mut kinds = values.iter().map(AttributeValue::kind);
    let Some(kind) = kinds.next() else { return Ok(()) };
    if kinds.any(|other| other != kind) {
        return Err(LegacyError::MixedKinds);
    }
    if !operator.takes_kind(kind) {
        return Err(LegacyError::ArgumentKind { operator: operator.name(), kind: kind.code() });
    }
    if let (ComparisonOperator::Between, [low, high]) = (operator, values.as_slice())
        && let (Some(low), Some(high)) = (low.as_scalar(), high.as_scalar())
        && low.partial_cmp(&high) == Some(Ordering::Greater)
    {
        return Err(LegacyError::BetweenOrder);
    }
    Ok(())
}

/// The test for a condition whose values have been checked.
fn test(attribute: String, condition: AttributeCondition) -> Result<Test, LegacyError> {
    let AttributeCondition { operator, values } = condition;
    let path = Path::attribute(attribute);
    let mut literals = values.into_iter().map(|value| Operand::Literal(value.into()));
    let mut literal = || literals.next().ok_or(LegacyError::ArgumentCount { operator: operator.name() });
    let comparator = match operator {
        ComparisonOperator::Null => return Ok(Test::NotExists(path)),
        ComparisonOperator::NotNull => return Ok(Test::Exists(path)),
        ComparisonOperator::BeginsWith => {
            return Ok(Test::BeginsWith { operand: Operand::Path(path), prefix: literal()? });
        }
        ComparisonOperator::Contains => {
            return Ok(Test::Contains { operand: Operand::Path(path), part: literal()? });
        }
        ComparisonOperator::NotContains => {
            let exists = Test::Exists(path.clone());
            let contains = Test::Contains { operand: Operand::Path(path), part: literal()? };
            return Ok(Test::And(vec![exists, Test::Not(Box::new(contains))]));
        }
        ComparisonOperator::Between => {
            return Ok(Test::Between { operand: Operand::Path(path), low: literal()?, high: literal()? });
        }
        ComparisonOperator::In => {
            return Ok(Test::In { operand: Operand::Path(path), candidates: literals.collect() });
        }
        ComparisonOperator::Eq => Comparator::Equal,
        ComparisonOperator::Ne => Comparator::NotEqual,
        ComparisonOperator::Le => Comparator::LessOrEqual,
        ComparisonOperator::Lt => Comparator::Less,
        ComparisonOperator::Ge => Comparator::GreaterOrEqual,
        ComparisonOperator::Gt => Comparator::Greater,
    };
    Ok(Test::Compare { left: Operand::Path(path), comparator, right: literal()? })
}

/// The key test for a condition whose values have been checked.
fn key_test(condition: AttributeCondition) -> Result<KeyTest, KeyConditionError> {
    let mut values = condition.values.into_iter();
    let (Some(first), second) = (values.next(), values.next()) else {
        return Err(KeyConditionError::NotIndexable);
    };
    match (condition.operator, second) {
        (ComparisonOperator::Eq, None) => Ok(KeyTest::Equal(first)),
        (ComparisonOperator::Le, None) => Ok(KeyTest::LessOrEqual(first)),
        (ComparisonOperator::Lt, None) => Ok(KeyTest::Less(first)),
        (ComparisonOperator::Ge, None) => Ok(KeyTest::GreaterOrEqual(first)),
        (ComparisonOperator::Gt, None) => Ok(KeyTest::Greater(first)),
        (ComparisonOperator::BeginsWith, None) => Ok(KeyTest::BeginsWith(first)),
        (ComparisonOperator::Between, Some(second)) => Ok(KeyTest::Between(first, second)),
        _ => Err(KeyConditionError::NotIndexable),
    }
}
