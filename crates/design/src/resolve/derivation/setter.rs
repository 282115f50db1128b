//! Resolves fields that are set while a condition holds.

use std::sync::Arc;

use super::value::{Sources, value};
use super::{entity, first};
use crate::model::{ConditionalSet, Derivation, DerivationKind, Field};
use crate::report::Span;
use crate::resolve::Context;
use crate::resolve::entity::{Entities, ResolvedEntity};
use crate::resolve::own_condition::{self, Known};
use crate::resolve::template;
use crate::syntax::{Entry, Node};

/// Resolves fields that are set while a condition holds.
pub(super) struct Setter<'r> {
    pub(super) context: &'r Context<'r>,
    pub(super) entities: &'r Entities,
    pub(super) entry: &'r Entry,
}

impl Setter<'_> {
    pub(super) fn all(&self, set: &Entry, others: &[Derivation]) -> Option<ConditionalSet> {
        let node = &self.entry.node;
        let known = entity(self.context, self.entities, node.get("of")?)?;
        let fields = Known { fields: &known.entity.fields, vague: &known.vague, beyond: &|_| None };
        let condition = own_condition::condition(self.context, node.get("when")?, fields);
        let unset = node.get("unset").and_then(Node::truth).unwrap_or(false);
        if set.node.table().is_some_and(<[Entry]>::is_empty) {
            self.context.mistakes.add_with_help(set.span, "this derivation sets nothing", "name a field");
            return None;
        }
        let mut set_values = Vec::new();
        for Entry { name, span, node } in node.entries("set") {
            let Some(field) = self.field(known, name, *span, unset) else { continue };
            self.not_set_twice(known, name, *span, others);
            let sources =
                Sources { entity: &known.entity, vague: &known.vague, references: &[], found: None };
            let value = value(self.context, (known, field), node, &sources);
            set_values.extend(value.map(|value| (name.clone(), value)));
        }
        Some(ConditionalSet {
            entity: Arc::clone(&known.entity),
            condition: condition?,
            set: set_values,
            unset,
        })
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
            let DerivationKind::Set(set) = &other.kind else { continue };
            if set.entity.name == known.entity.name && set.sets(name) {
                self.context.mistakes.add_with_help(
                    span,
                    format!("`{name}` is set by `derive.{}` as well", other.name),
                    "each field can be set by one derivation: join their conditions, or set another field",
                );
            }
        }
    }
}
