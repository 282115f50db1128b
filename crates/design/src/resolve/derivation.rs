//! Resolves derivations that stand on their own: `[derive.NAME]`.

use std::sync::Arc;

use super::Context;
use super::entity::{Entities, ResolvedEntity};
use super::key_values::KeyUses;
use super::name;
use super::own_condition::{self, Known};
use super::template::{self, find};
use crate::expression::{Composed, Expression, ExpressionError, Name, Origin};
use crate::model::{ConditionalSet, Derivation, DerivationKind, Field, ValueSource};
use crate::report::Span;
use crate::syntax::{Entry, Node};
use crate::value;

/// The most derivations of a design. A change of one item can cause an effect of each.
const DERIVATIONS_MAX: usize = 16;

/// Resolves the derivations of a design.
pub(super) fn derivations(context: &Context<'_>, root: &Node, entities: &Entities) -> Vec<Derivation> {
    let mut all: Vec<Derivation> = Vec::new();
    for entry in root.entries("derive") {
        name::check_word(context, "a derivation", &entry.name, entry.span);
        if all.len() == DERIVATIONS_MAX {
            let message = format!("a design can have at most {DERIVATIONS_MAX} derivations");
            context.mistakes.add(entry.span, message);
            break;
        }
        let kind = match entry.node.entry("set") {
            Some(set) => Setter { context, entities, entry }.all(set, &all).map(DerivationKind::Set),
            None => None,
        };
        all.extend(kind.map(|kind| Derivation {
            name: entry.name.clone(),
            about: entry.node.text_of("about").map(str::to_owned),
            kind,
            span: entry.span,
        }));
    }
    all
}

/// Returns the entity that a key of a derivation names; `None` after a mistake.
fn entity<'e>(context: &Context<'_>, entities: &'e Entities, place: &Node) -> Option<&'e ResolvedEntity> {
    let name = place.text()?;
    let found = entities.find(name);
    if found.is_none() {
        let message = format!("there is no entity `{name}`");
        context.mistakes.add_with(place.span, message, name::help(name, "entity", entities.names()));
    }
    found.filter(|known| known.sound)
}

/// Resolves fields that are set while a condition holds.
struct Setter<'r> {
    context: &'r Context<'r>,
    entities: &'r Entities,
    entry: &'r Entry,
}

impl Setter<'_> {
    fn all(&self, set: &Entry, others: &[Derivation]) -> Option<ConditionalSet> {
        let node = &self.entry.node;
        let known = entity(self.context, self.entities, node.get("of")?)?;
        let fields = Known { fields: &known.entity.fields, vague: &known.vague };
        let condition = own_condition::condition(self.context, node.get("when")?, fields);
        let unset = node.get("unset").and_then(Node::truth).unwrap_or(false);
        if set.node.table().is_some_and(<[Entry]>::is_empty) {
            self.context.mistakes.add_with_help(set.span, "this derivation sets nothing", "name a field");
            return None;
        }
        let mut values = Vec::new();
        for Entry { name, span, node } in node.entries("set") {
            let Some(field) = self.field(known, name, *span, unset) else { continue };
            self.not_set_twice(known, name, *span, others);
            values.extend(self.value(known, field, node).map(|value| (name.clone(), value)));
        }
        Some(ConditionalSet { entity: Arc::clone(&known.entity), condition: condition?, set: values, unset })
    }

    /// Returns the field, if a derivation can set it.
    fn field<'k>(&self, known: &'k ResolvedEntity, name: &str, span: Span, unset: bool) -> Option<&'k Field> {
        let entity = &known.entity;
        if known.vague.contains(name) {
            return None;
        }
        let Some(field) = entity.field(name) else {
            let message = format!("`{}` has no field `{name}`", entity.name);
            self.context.mistakes.add_with(span, message, template::help(&entity.fields, name));
            return None;
        };
        let in_key = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
        let is_in_key = in_key.flat_map(|template| template.fields()).any(|path| first(path) == name);
        let is_unique =
            entity.unique.iter().flat_map(|unique| &unique.fields).any(|path| first(path) == name);
        let copied =
            entity.copies.iter().find(|copy| copy.referral.link.iter().any(|(_, path)| first(path) == name));
        if let Some(copy) = copied {
            let reason = format!("it names the item that `{}` is copied from", copy.field);
            self.refused(name, span, &reason, "set another field");
            return None;
        }
        let (reason, help) = if field.computed {
            ("it is computed", "set the fields that it is computed from")
        } else if field.derived {
            ("it is derived from other items", "set another field")
        } else if field.made.is_some() {
            ("Singlet generates its value", "use a field of type `time`")
        } else if is_in_key {
            ("it is in the table's key", "the key of an item never changes; set another field")
        } else if is_unique {
            ("its value is unique", "unique values are reserved when an item is written; set another field")
        } else {
            if unset && !field.optional && field.default.is_none() {
                self.context.mistakes.add_with_help(
                    span,
                    format!("`{name}` has no value to go back to"),
                    "give it a default or `optional = true`, or remove `unset`",
                );
            }
            return Some(field);
        };
        self.refused(name, span, reason, help);
        None
    }

    fn refused(&self, name: &str, span: Span, reason: &str, help: &str) {
        self.context.mistakes.add_with_help(span, format!("`{name}` can't be set, because {reason}"), help);
    }

    /// Checks that no other derivation sets the field: they would undo each other.
    fn not_set_twice(&self, known: &ResolvedEntity, name: &str, span: Span, others: &[Derivation]) {
        for other in others {
            let DerivationKind::Set(set) = &other.kind;
            if set.entity.name == known.entity.name && set.sets(name) {
                self.context.mistakes.add_with_help(
                    span,
                    format!("`{name}` is set by `derive.{}` as well", other.name),
                    "each field can be set by one derivation: join their conditions, or set another field",
                );
            }
        }
    }

    fn value(&self, known: &ResolvedEntity, field: &Field, node: &Node) -> Option<ValueSource> {
        let json = match node.text().map(Composed::parse).transpose() {
            Err(error) => {
                self.wrong(node, error);
                return None;
            }
            Ok(None) => node.json(),
            Ok(Some(composed)) => match composed.literal().map(str::to_owned) {
                Some(text) => text.into(),
                None => return self.composed(known, field, node, composed),
            },
        };
        if let Err(error) = value::to_attribute(&field.kind, &json) {
            self.context.mistakes.add(node.span, format!("this value doesn't fit the field: {error}"));
            return None;
        }
        KeyUses::of_entity(&known.entity).check(self.context, &field.name, (&field.kind, &json), node.span);
        Some(ValueSource::Constant(json))
    }

    fn composed(
        &self,
        known: &ResolvedEntity,
        field: &Field,
        node: &Node,
        mut composed: Composed,
    ) -> Option<ValueSource> {
        if composed.whole() == Some(&Expression::Now) {
            if !value::holds_instant(&field.kind) {
                self.context.mistakes.add_with_help(
                    node.span,
                    "`{now}` is a time, which doesn't fit this field",
                    "use it for the types `time`, `date` and `epoch`",
                );
            }
            return Some(ValueSource::Now);
        }
        let fields = &known.entity.fields;
        for path in composed.names().into_iter().map(Name::to_string) {
            if known.vague.contains(first(&path)) {
                return None;
            }
            if find(fields, &path).is_none() {
                let message = format!("`{}` has no field `{path}`", known.entity.name);
                self.context.mistakes.add_with(node.span, message, template::help(fields, &path));
                return None;
            }
        }
        let meaning = |origin: &Origin| {
            let Origin::Parameter(path) = origin else { return None };
            let kind = find(fields, path)?.kind.clone();
            Some(Name { origin: Origin::Field(path.clone()), kind: Some(kind) })
        };
        match composed.check(&field.kind, &meaning) {
            Ok(()) => Some(ValueSource::Composed(composed)),
            Err(error) => {
                self.wrong(node, error);
                None
            }
        }
    }

    fn wrong(&self, node: &Node, error: ExpressionError) {
        let span = self.context.inside(node, error.range);
        self.context.mistakes.add_with(span, error.message, error.help);
    }
}

/// Returns the field that a path begins with.
fn first(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}
