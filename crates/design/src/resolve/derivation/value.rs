//! Resolves the values that derivations give to fields.

use std::collections::BTreeSet;

use super::first;
use crate::expression::{Composed, Expression, ExpressionError, Name, Origin};
use crate::model::{Entity, Field, FieldType, Reference, ValueSource, of_match};
use crate::resolve::Context;
use crate::resolve::entity::ResolvedEntity;
use crate::resolve::key_values::KeyUses;
use crate::resolve::template::{self, find};
use crate::syntax::Node;
use crate::value;

/// The fields that a value can follow from.
pub(super) struct Sources<'r> {
    /// The entity of the item that is at hand.
    pub(super) entity: &'r Entity,
    /// Its fields with mistakes.
    pub(super) vague: &'r BTreeSet<String>,
    /// The references of that item whose items can be read.
    pub(super) references: &'r [Reference],
    /// The entity of the match, if there is one. Its name stands in front of its fields.
    pub(super) found: Option<&'r Entity>,
}

impl Sources<'_> {
    /// Returns the type at a path such as `title`, `address.city`, or `author_id.name` along a reference.
    pub(super) fn kind(&self, path: &str) -> Option<FieldType> {
        if let Some(found) = find(&self.entity.fields, path) {
            return Some(found.kind.clone());
        }
        if let Some((found, rest)) = self.in_match(path) {
            return find(&found.fields, rest).map(|found| found.kind.clone());
        }
        let (reference, rest) = self.along(path)?;
        find(&reference.entity.fields, rest).map(|found| found.kind.clone())
    }

    /// Returns the entity of the match and the path into it, if a path leads there.
    fn in_match<'p>(&self, path: &'p str) -> Option<(&Entity, &'p str)> {
        let found = self.found?;
        Some((found, of_match(&found.name, path)?))
    }

    /// Returns the reference that a path leads along, and the rest of the path.
    pub(super) fn along<'p>(&self, path: &'p str) -> Option<(&Reference, &'p str)> {
        let (field, rest) = path.split_once('.')?;
        Some((self.references.iter().find(|reference| reference.field == field)?, rest))
    }
}

/// Resolves the value of a field: a constant, `{now}`, or text with fields of the item at hand.
pub(super) fn value(
    context: &Context<'_>,
    (known, field): (&ResolvedEntity, &Field),
    node: &Node,
    sources: &Sources<'_>,
) -> Option<ValueSource> {
    let json = match node.text().map(Composed::parse).transpose() {
        Err(error) => {
            wrong(context, node, error);
            return None;
        }
        Ok(None) => node.json(),
        Ok(Some(composed)) => match composed.literal().map(str::to_owned) {
            Some(text) => text.into(),
            None => return self::composed(context, field, node, composed, sources),
        },
    };
    if let Err(error) = value::to_attribute(&field.kind, &json) {
        context.mistakes.add(node.span, format!("this value doesn't fit the field: {error}"));
        return None;
    }
    KeyUses::of_entity(&known.entity).check(context, &field.name, (&field.kind, &json), node.span);
    Some(ValueSource::Constant(json))
}

fn composed(
    context: &Context<'_>,
    field: &Field,
    node: &Node,
    mut composed: Composed,
    sources: &Sources<'_>,
) -> Option<ValueSource> {
    if composed.whole() == Some(&Expression::Now) {
        if !value::holds_instant(&field.kind) {
            context.mistakes.add_with_help(
                node.span,
                "`{now}` is a time, which doesn't fit this field",
                "use it for the types `time`, `date` and `epoch`",
            );
        }
        return Some(ValueSource::Now);
    }
    for path in composed.names().into_iter().map(Name::to_string) {
        if sources.vague.contains(first(&path)) {
            return None;
        }
        if sources.kind(&path).is_none() {
            let (entity, rest) = match (sources.in_match(&path), sources.along(&path)) {
                (Some((found, rest)), _) => (found, rest),
                (None, Some((reference, rest))) => (&*reference.entity, rest),
                (None, None) => (sources.entity, path.as_str()),
            };
            let message = format!("`{}` has no field `{rest}`", entity.name);
            context.mistakes.add_with(node.span, message, template::help(&entity.fields, rest));
            return None;
        }
    }
    let meaning = |origin: &Origin| {
        let Origin::Parameter(path) = origin else { return None };
        Some(Name { origin: Origin::Field(path.clone()), kind: Some(sources.kind(path)?) })
    };
    match composed.check(&field.kind, &meaning) {
        Ok(()) => Some(ValueSource::Composed(composed)),
        Err(error) => {
            wrong(context, node, error);
            None
        }
    }
}

fn wrong(context: &Context<'_>, node: &Node, error: ExpressionError) {
    let span = context.inside(node, error.range);
    context.mistakes.add_with(span, error.message, error.help);
}
