//! Expressions from text to the engine's trees, which can be evaluated.

use std::collections::BTreeMap;

use singlet_expr::{
    Condition, ExprError, ExpressionKind, KeyCondition, KeyTerm, KeyTest as EngineTest, Placeholders,
    Projection, Update,
};

use crate::error::StoreError;
use crate::expression::Expression;
use crate::request::{KeyTest, Query, Update as UpdateRequest};

impl Expression {
    /// Parses it as a condition, which can be evaluated on items.
    pub fn to_condition(&self) -> Result<Condition, StoreError> {
        parse_condition(ExpressionKind::Condition, self)
    }
}

impl UpdateRequest {
    /// Parses its changes and its condition: they share their placeholders.
    pub fn to_trees(&self) -> Result<(Update, Option<Condition>), StoreError> {
        let both: Vec<&Expression> = std::iter::once(&self.update).chain(&self.condition).collect();
        parsed(&both, |placeholders| {
            let changes = Update::parse(&self.update.text, placeholders)?;
            let condition = self
                .condition
                .as_ref()
                .map(|condition| Condition::parse(ExpressionKind::Condition, &condition.text, placeholders))
                .transpose()?;
            Ok((changes, condition))
        })
    }
}

/// A key condition, made without going through text: every query has one.
pub(crate) fn key_condition(query: &Query) -> KeyCondition {
    let mut terms = Vec::with_capacity(query.partition.len() + query.sort.len());
    for (name, value) in &query.partition {
        terms.push(KeyTerm { attribute: name.clone(), test: EngineTest::Equal(value.clone()) });
    }
    for (name, test) in &query.sort {
        terms.push(KeyTerm { attribute: name.clone(), test: engine_test(test) });
    }
    KeyCondition::from_terms(terms)
}

fn engine_test(test: &KeyTest) -> EngineTest {
    match test.clone() {
        KeyTest::Equal(value) => EngineTest::Equal(value),
        KeyTest::BeginsWith(value) => EngineTest::BeginsWith(value),
        KeyTest::Between(low, high) => EngineTest::Between(low, high),
        KeyTest::AtLeast(value) => EngineTest::GreaterOrEqual(value),
        KeyTest::AtMost(value) => EngineTest::LessOrEqual(value),
        KeyTest::Less(value) => EngineTest::Less(value),
        KeyTest::Greater(value) => EngineTest::Greater(value),
    }
}

/// A condition of a write.
pub(crate) fn condition(expression: Option<&Expression>) -> Result<Option<Condition>, StoreError> {
    expression.map(Expression::to_condition).transpose()
}

/// The filter of a query.
pub(crate) fn filter(expression: Option<&Expression>) -> Result<Option<Condition>, StoreError> {
    expression.map(|expression| parse_condition(ExpressionKind::Filter, expression)).transpose()
}

/// The projection of a read.
pub(crate) fn projection(expression: Option<&Expression>) -> Result<Option<Projection>, StoreError> {
    let parse = |expression: &Expression| {
        parsed(&[expression], |placeholders| Projection::parse(&expression.text, placeholders))
    };
    expression.map(parse).transpose()
}

fn parse_condition(kind: ExpressionKind, expression: &Expression) -> Result<Condition, StoreError> {
    parsed(&[expression], |placeholders| Condition::parse(kind, &expression.text, placeholders))
}

/// Parses with the placeholders of all the expressions, and refuses those that were not used.
fn parsed<T>(
    expressions: &[&Expression],
    parse: impl FnOnce(&mut Placeholders) -> Result<T, ExprError>,
) -> Result<T, StoreError> {
    let names = joined(expressions.iter().map(|expression| &expression.names));
    let values = joined(expressions.iter().map(|expression| &expression.values));
    let tree = Placeholders::new(names, values).and_then(|mut placeholders| {
        let tree = parse(&mut placeholders)?;
        placeholders.finish()?;
        Ok(tree)
    });
    tree.map_err(|error| StoreError::Refused(error.to_string()))
}

/// The maps as one; `None` if all are empty, because a parameter that is there must not be.
fn joined<'m, V: Clone + 'm>(
    maps: impl Iterator<Item = &'m BTreeMap<String, V>>,
) -> Option<BTreeMap<String, V>> {
    let joined: BTreeMap<String, V> =
        maps.flatten().map(|(placeholder, meaning)| (placeholder.clone(), meaning.clone())).collect();
    (!joined.is_empty()).then_some(joined)
}
