//! Resolves what an `upsert` needs to create an item.

use super::insert::is_required;
use super::read::key_members;
use super::{PatternDraft, ResolvedEntity};
use crate::model::{Field, ValueSource};
use crate::report::Span;
use crate::syntax::Entry;

impl PatternDraft<'_> {
    /// Resolves `first`, and checks that a new item gets every field that it needs. Adds the fields to those that the
    /// pattern changes.
    pub(super) fn first(
        &mut self,
        known: &ResolvedEntity,
        changed: &mut Vec<(String, Span)>,
        span: Span,
    ) -> Vec<(String, ValueSource)> {
        let first = self.values_of_new_item(known, "first");
        changed
            .extend(self.node.entries("first").iter().map(|Entry { name, span, .. }| (name.clone(), *span)));
        if known.sound {
            let key = key_members(&known.entity);
            let lacks = |field: &&Field| {
                let in_key = key.iter().any(|(part, _)| part.split('.').next() == Some(field.name.as_str()));
                is_required(field) && !in_key && !self.gives(&field.name)
            };
            for field in known.entity.fields.iter().filter(lacks) {
                self.not_covered(known, &field.name, span);
            }
        }
        first
    }

    /// Returns whether `set`, `add` or `first` gives a new item this field.
    fn gives(&self, field: &str) -> bool {
        let listed = self.node.get("set").and_then(|node| node.list()).unwrap_or_default();
        let valued = ["set", "add", "first"].into_iter().flat_map(|word| self.node.entries(word));
        listed.iter().filter_map(|node| node.text()).any(|path| path == field)
            || valued.into_iter().any(|entry| entry.name == field)
    }

    fn not_covered(&self, known: &ResolvedEntity, field: &str, span: Span) {
        self.context.mistakes.add_with_help(
            span,
            format!("a new `{}` would have no `{field}`, which is required", known.entity.name),
            format!("add `first = {{ {field} = … }}`, or give the field a default"),
        );
    }
}
