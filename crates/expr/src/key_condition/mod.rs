//! Key conditions: which range of a partition a Query reads.

use singlet_values::{AttributeValue, Kind};

use crate::condition::{Operand, Test};
use crate::error::{ExprError, ExpressionKind, KeyConditionError, Within};
use crate::path::Path;
use crate::placeholders::Placeholders;
use crate::syntax::Comparator;

/// A `KeyConditionExpression`, or `KeyConditions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyCondition {
    terms: Result<Vec<KeyTerm>, KeyConditionError>,
}

/// The test of one key attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyTerm {
    /// The attribute.
    pub attribute: String,
    /// The test.
    pub test: KeyTest,
}

/// A test that the values of a key attribute must pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyTest {
    /// This value.
    Equal(AttributeValue),
    /// Below this value.
    Less(AttributeValue),
    /// This value or below.
    LessOrEqual(AttributeValue),
    /// Above this value.
    Greater(AttributeValue),
    /// This value or above.
    GreaterOrEqual(AttributeValue),
    /// From the first value to the second, inclusive.
    Between(AttributeValue, AttributeValue),
    /// A string or binary that begins with this one.
    BeginsWith(AttributeValue),
}

impl KeyTest {
    /// The values that the attribute is compared with.
    pub fn values(&self) -> impl Iterator<Item = &AttributeValue> {
        let (first, second) = match self {
            KeyTest::Equal(value)
            | KeyTest::Less(value)
            | KeyTest::LessOrEqual(value)
            | KeyTest::Greater(value)
            | KeyTest::GreaterOrEqual(value)
            | KeyTest::BeginsWith(value) => (value, None),
            KeyTest::Between(low, high) => (low, Some(high)),
        };
        std::iter::once(first).chain(second)
    }
}

/// The key attributes of a table or an index.
#[derive(Clone, Copy, Debug)]
pub struct KeyNames<'a> {
    /// The attributes of the partition key: one, or up to four in a global index.
    pub partition: &'a [KeyAttribute<'a>],
    /// The attributes of the sort key, in order: none, one, or up to four in a global index.
    pub sort: &'a [KeyAttribute<'a>],
}

/// A key attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyAttribute<'a> {
    /// Its name.
    pub name: &'a str,
    /// The kind of its values: S, N or B.
    pub kind: Kind,
}

/// A key condition in the order of a key's attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundKey {
    /// The values of all attributes of the partition key.
    pub partition: Vec<AttributeValue>,
    /// The values of the first attributes of the sort key.
    pub sort: Vec<AttributeValue>,
    /// The test of the next attribute of the sort key. Never [`KeyTest::Equal`].
    pub range: Option<KeyTest>,
}

impl KeyCondition {
    /// Parses an expression.
    ///
    /// An error that rules out every key is kept and returned by [`KeyCondition::terms`]. DynamoDB checks the request's
    /// other expressions and unused placeholders first.
    pub fn parse(text: &str, placeholders: &mut Placeholders) -> Result<KeyCondition, ExprError> {
        let test = Test::parse(text, placeholders).within(ExpressionKind::KeyCondition)?;
        let mut terms = Vec::new();
        let terms = collect_terms(test, &mut terms).map(|()| terms);
        Ok(KeyCondition { terms })
    }

    /// A condition made of terms, without text. [`KeyCondition::terms`] rejects two terms for one attribute.
    pub fn from_terms(terms: Vec<KeyTerm>) -> KeyCondition {
        let mut names = terms.iter().enumerate();
        let twice = names.any(|(position, term)| {
            terms.iter().take(position).any(|earlier| earlier.attribute == term.attribute)
        });
        KeyCondition { terms: if twice { Err(KeyConditionError::TwoConditions) } else { Ok(terms) } }
    }

    /// A condition from terms, or from the error in them.
    pub(crate) fn of(terms: Result<Vec<KeyTerm>, KeyConditionError>) -> KeyCondition {
        KeyCondition { terms }
    }

    /// The conditions on single attributes, all of which must be true.
    pub fn terms(&self) -> Result<&[KeyTerm], ExprError> {
        match &self.terms {
            Ok(terms) => Ok(terms),
            Err(error) => Err(error.clone().into()),
        }
    }

    /// Puts the condition in the order of a key:
    ///
    /// - equality for every attribute of the partition key,
    /// - equality for the first attributes of the sort key,
    /// - at most one other test.
    pub fn bind(&self, key: &KeyNames<'_>) -> Result<BoundKey, ExprError> {
        Ok(bind_terms(self.terms()?, key)?)
    }
}

fn bind_terms(terms: &[KeyTerm], key: &KeyNames<'_>) -> Result<BoundKey, KeyConditionError> {
    let attributes = key.partition.len() + key.sort.len();
    if terms.len() > attributes {
        return Err(KeyConditionError::TooManyConditions { conditions: terms.len(), attributes });
    }
    if key.partition.len() > 1 || key.sort.len() > 1 {
        check_equalities(terms, key)?;
    }
    let mut bound = BoundKey { partition: Vec::new(), sort: Vec::new(), range: None };
    for attribute in key.partition {
        let Some(test) = find_test(terms, attribute)? else { return Err(missing(attribute)) };
        match test {
            KeyTest::Equal(value) => bound.partition.push(value.clone()),
            _ => return Err(KeyConditionError::NotSupported),
        }
    }
    for attribute in key.sort {
        let found = bound.partition.len() + bound.sort.len() + usize::from(bound.range.is_some());
        if found == terms.len() {
            break;
        }
        // Another attribute has a condition, so this one needs a condition as well.
        let Some(test) = find_test(terms, attribute)? else { return Err(missing(attribute)) };
        match test {
            _ if bound.range.is_some() => return Err(KeyConditionError::NotSupported),
            KeyTest::Equal(value) => bound.sort.push(value.clone()),
            range => bound.range = Some(range.clone()),
        }
    }
    Ok(bound)
}

/// Checks that equality comes before other tests, in a key with several partition or sort attributes.
fn check_equalities(terms: &[KeyTerm], key: &KeyNames<'_>) -> Result<(), KeyConditionError> {
    let test = |attribute: &KeyAttribute<'_>| {
        terms.iter().find(|term| term.attribute == attribute.name).map(|term| &term.test)
    };
    let unequal = |attributes: &[KeyAttribute<'_>]| {
        let others = attributes.iter().filter(|it| !matches!(test(it), Some(KeyTest::Equal(_))));
        others.map(|it| it.name).collect::<Vec<_>>().join(", ")
    };
    let attributes = unequal(key.partition);
    if !attributes.is_empty() {
        return Err(KeyConditionError::PartitionEquality { attributes });
    }
    let Some((last, before)) = key
        .sort
        .iter()
        .rposition(|it| test(it).is_some())
        .and_then(|position| Some((key.sort.get(position)?, key.sort.get(..position)?)))
    else {
        return Ok(());
    };
    match unequal(before) {
        none if none.is_empty() => Ok(()),
        attributes => Err(KeyConditionError::SortEquality { attributes, because: last.name.to_owned() }),
    }
}

fn missing(attribute: &KeyAttribute<'_>) -> KeyConditionError {
    KeyConditionError::Missing { attribute: attribute.name.to_owned() }
}

/// The test of an attribute, with values that suit the attribute.
fn find_test<'t>(
    terms: &'t [KeyTerm],
    attribute: &KeyAttribute<'_>,
) -> Result<Option<&'t KeyTest>, KeyConditionError> {
    let Some(term) = terms.iter().find(|term| term.attribute == attribute.name) else { return Ok(None) };
    for value in term.test.values() {
        if value.kind() != attribute.kind {
            return Err(KeyConditionError::KindMismatch);
        }
        let empty = match value {
            AttributeValue::S(text) if text.is_empty() => "string",
            AttributeValue::B(bytes) if bytes.is_empty() => "binary",
            _ => continue,
        };
        return Err(KeyConditionError::EmptyValue { kind: empty, attribute: attribute.name.to_owned() });
    }
    Ok(Some(&term.test))
}

/// Splits a condition at its ANDs.
fn collect_terms(test: Test, terms: &mut Vec<KeyTerm>) -> Result<(), KeyConditionError> {
    let operator = |operator| Err(KeyConditionError::Operator { operator });
    let term = match test {
        Test::And(parts) => {
            return parts.into_iter().try_for_each(|part| collect_terms(part, terms));
        }
        Test::Or(_) => return operator("OR"),
        Test::Not(_) => return operator("NOT"),
        Test::In { .. } => return operator("IN"),
        Test::Exists(_) => return operator("attribute_exists"),
        Test::NotExists(_) => return operator("attribute_not_exists"),
        Test::HasKind { .. } => return operator("attribute_type"),
        Test::Contains { .. } => return operator("contains"),
        Test::Compare { comparator: Comparator::NotEqual, .. } => return operator("<>"),
        Test::Compare { left, comparator, right } => comparison(left, comparator, right)?,
        Test::Between { operand, low, high } => {
            let [attribute, low, high] = key_first("BETWEEN", [operand, low, high])?;
            term(attribute, KeyTest::Between(literal(low)?, literal(high)?))?
        }
        Test::BeginsWith { operand, prefix } => {
            let [attribute, prefix] = key_first("begins_with", [operand, prefix])?;
            term(attribute, KeyTest::BeginsWith(literal(prefix)?))?
        }
    };
    if terms.iter().any(|have| have.attribute == term.attribute) {
        return Err(KeyConditionError::TwoConditions);
    }
    terms.push(term);
    Ok(())
}

/// The attribute may be on either side.
fn comparison(left: Operand, comparator: Comparator, right: Operand) -> Result<KeyTerm, KeyConditionError> {
    let [left, right] = one_attribute([left, right])?;
    let (attribute, comparator, value) = match (left, right) {
        (Operand::Literal(value), attribute) => (attribute, comparator.mirrored(), value.into_value()),
        (attribute, value) => (attribute, comparator, literal(value)?),
    };
    let test = match comparator {
        Comparator::Equal => KeyTest::Equal(value),
        Comparator::Less => KeyTest::Less(value),
        Comparator::LessOrEqual => KeyTest::LessOrEqual(value),
        Comparator::Greater => KeyTest::Greater(value),
        Comparator::GreaterOrEqual => KeyTest::GreaterOrEqual(value),
        Comparator::NotEqual => return Err(KeyConditionError::Operator { operator: comparator.symbol() }),
    };
    term(attribute, test)
}

fn key_first<const COUNT: usize>(
    operator: &'static str,
    operands: [Operand; COUNT],
) -> Result<[Operand; COUNT], KeyConditionError> {
    match operands.first() {
        Some(Operand::Path(_)) => one_attribute(operands),
        _ => Err(KeyConditionError::KeyNotFirst { operator }),
    }
}

/// Rejects operands, from left to right, unless exactly one is an attribute.
fn one_attribute<const COUNT: usize>(
    operands: [Operand; COUNT],
) -> Result<[Operand; COUNT], KeyConditionError> {
    let mut found: Option<&Path> = None;
    for operand in &operands {
        match operand {
            Operand::Path(_) if found.is_some() => return Err(KeyConditionError::TwoAttributes),
            Operand::Path(path) if !path.steps.is_empty() => return Err(KeyConditionError::NestedAttribute),
            Operand::Path(path) => found = Some(path),
            Operand::Size(_) => return Err(KeyConditionError::NestedOperation),
            Operand::Literal(_) => {}
        }
    }
    if found.is_none() {
        return Err(KeyConditionError::NoAttribute);
    }
    Ok(operands)
}

fn term(attribute: Operand, test: KeyTest) -> Result<KeyTerm, KeyConditionError> {
    match attribute {
        Operand::Path(path) => Ok(KeyTerm { attribute: path.head, test }),
        _ => Err(KeyConditionError::NoAttribute),
    }
}

fn literal(operand: Operand) -> Result<AttributeValue, KeyConditionError> {
    match operand {
        Operand::Literal(literal) => Ok(literal.into_value()),
        _ => Err(KeyConditionError::TwoAttributes),
    }
}

#[cfg(test)]
mod tests;
