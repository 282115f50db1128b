//! Resolves `create`, `put`, `delete` and `check`.

use std::sync::Arc;

use super::super::reference;
use super::{PatternDraft, ResolvedEntity};
use crate::condition::Condition;
use crate::model::{Check, Delete, Field, Insert, Made, ValueSource};
use crate::report::Span;
use crate::syntax::{Entry, Node};

impl PatternDraft<'_> {
    /// Resolves `create` and `put`.
    pub(super) fn insert(&mut self, place: &Node, word: &str) -> Option<Insert> {
        let known = self.entity(place)?;
        let set = self.given_values(known);
        let named: Vec<&str> = self.node.entries("set").iter().map(|entry| entry.name.as_str()).collect();
        for field in known.entity.fields.iter().filter(|field| !named.contains(&field.name.as_str())) {
            self.new_field(&field.name, field, place.span);
            if field.internal && !field.computed && !known.vague.contains(&field.name) {
                self.internal_unset(known, field, word, place.span);
            }
        }
        let condition = self.holds(known)?;
        let must_exist = reference::checked(self.entities, known, |_| true);
        known.sound.then(|| Insert { entity: Arc::clone(&known.entity), set, condition, must_exist })
    }

    /// Resolves `set` of a new item.
    fn given_values(&mut self, known: &ResolvedEntity) -> Vec<(String, ValueSource)> {
        self.values_of_new_item(known, "set")
    }

    /// Resolves a table of values that a new item gets.
    pub(super) fn values_of_new_item(
        &mut self,
        known: &ResolvedEntity,
        word: &str,
    ) -> Vec<(String, ValueSource)> {
        let mut set = Vec::new();
        for Entry { name, span, node } in self.node.entries(word) {
            let Some(field) = known.entity.field(name) else {
                self.unknown_field(known, name, *span);
                continue;
            };
            self.may_be_given(field, *span);
            if known.vague.contains(name) {
                continue;
            }
            if let Some(source) = self.set_value(known, name, (node, &field.kind), is_required(field)) {
                set.push((name.clone(), source));
            }
        }
        set
    }

    /// Adds the mistake that an entity has no such field.
    pub(super) fn unknown_field(&self, known: &ResolvedEntity, name: &str, span: Span) {
        let message = format!("`{}` has no field `{name}`", known.entity.name);
        let help = super::super::template::help(&known.entity.fields, name);
        self.context.mistakes.add_with(span, message, help);
    }

    /// Checks that a pattern can set the field.
    pub(super) fn may_be_given(&self, field: &Field, span: Span) {
        if field.computed {
            let message = format!("`{}` can't be set, because it is computed", field.name);
            self.context.mistakes.add_with_help(span, message, "set the fields that it is computed from");
        } else if field.derived {
            let message = format!("`{}` can't be set, because it is derived from other items", field.name);
            self.context.mistakes.add_with_help(span, message, "write the items that it is derived from");
        } else if matches!(field.made, Some(Made::Created | Made::Updated)) {
            let message = format!("`{}` can't be set, because Singlet generates its value", field.name);
            self.context.mistakes.add_with_help(span, message, "use a field of type `time`");
        }
    }

    /// Checks that a new item doesn't lack an internal field, and that a replaced one doesn't lose its value.
    fn internal_unset(&self, known: &ResolvedEntity, field: &Field, word: &str, span: Span) {
        let (name, entity) = (&field.name, &known.entity.name);
        if word == "put" && field.made.is_none() {
            self.context.mistakes.add_with_help(
                span,
                format!("this `put` would reset `{name}`, which is {}", owner(field)),
                match field.derived {
                    true => format!("write `{entity}` with `create` and `update`"),
                    false => format!("set it with `set`, or write `{entity}` with `create` and `update`"),
                },
            );
        } else if is_required(field) {
            self.context.mistakes.add_with_help(
                span,
                format!("`{name}` is internal, and this pattern doesn't set it"),
                format!("add `set = {{ {name} = … }}`, or give the field a default"),
            );
        }
    }

    /// Adds a field of a new item or element to the parameters, unless it is generated or internal.
    pub(super) fn new_field(&mut self, parameter: &str, field: &Field, span: Span) {
        if field.internal || matches!(field.made, Some(Made::Created | Made::Updated | Made::Secret)) {
            return;
        }
        self.parameters.add_field(self.context, parameter, &field.kind, is_required(field), span);
    }

    /// Resolves `if`; the outer `None` after a mistake.
    pub(super) fn holds(&mut self, known: &ResolvedEntity) -> Option<Option<Condition>> {
        match self.node.get("if") {
            Some(node) => self.condition(node, &[known], None).map(Some),
            None => Some(None),
        }
    }

    /// Resolves `delete`.
    pub(super) fn delete(&mut self, place: &Node) -> Option<Delete> {
        let known = self.entity(place)?;
        self.key_parameters(known, place.span);
        let condition = self.holds(known)?;
        known.sound.then(|| Delete { entity: Arc::clone(&known.entity), condition })
    }

    /// Resolves `check`.
    pub(super) fn check(&mut self, place: &Node) -> Option<Check> {
        let known = self.entity(place)?;
        self.key_parameters(known, place.span);
        let condition = self.holds(known)?;
        known.sound.then(|| Check { entity: Arc::clone(&known.entity), condition })
    }
}

/// Says why callers can't give the field.
fn owner(field: &Field) -> &'static str {
    if field.derived { "derived from other items" } else { "internal" }
}

/// Returns whether a new item needs a given value for the field.
pub(super) fn is_required(field: &Field) -> bool {
    !field.optional && field.default.is_none() && field.made.is_none() && !field.computed
}
