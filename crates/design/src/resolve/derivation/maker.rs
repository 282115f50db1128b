//! Resolves items that are made from new items of another entity.

use std::sync::Arc;

use super::entity;
use super::value::{Sources, value};
use crate::condition::Condition;
use crate::expression::{Composed, Name, Origin};
use crate::model::{Field, Made, Maker, Reference, ValueSource};
use crate::report::Span;
use crate::resolve::Context;
use crate::resolve::entity::{Entities, ResolvedEntity};
use crate::resolve::own_condition::{self, Known};
use crate::resolve::parameters::stored_alike;
use crate::resolve::reference;
use crate::resolve::template;
use crate::syntax::{Entry, Node};

/// Resolves one derivation.
pub(super) struct MakerDraft<'r> {
    pub(super) context: &'r Context<'r>,
    pub(super) entities: &'r Entities,
    pub(super) entry: &'r Entry,
}

impl MakerDraft<'_> {
    pub(super) fn maker(&self) -> Option<Maker> {
        let node = &self.entry.node;
        let place = node.get("make")?;
        let source = entity(self.context, self.entities, node.get("each")?)?;
        let made = entity(self.context, self.entities, place)?;
        if !made.entity.unique.is_empty() {
            self.context.mistakes.add_with_help(
                place.span,
                format!("items of `{}` can't be made, because they have unique values", made.entity.name),
                "unique values are reserved by patterns; make items of an entity without `unique`",
            );
            return None;
        }
        let references = self.references(source);
        let sources =
            Sources { entity: &source.entity, vague: &source.vague, references: &references, found: None };
        let condition = match node.get("when") {
            Some(when) => Some(self.condition(when, &sources)?),
            None => None,
        };
        let set = self.values(place.span, made, &sources)?;
        let mut maker = Maker {
            each: Arc::clone(&source.entity),
            entity: Arc::clone(&made.entity),
            condition,
            set,
            references: Vec::new(),
        };
        let used: Vec<Reference> = {
            let paths = maker.sources();
            let is_used = |reference: &&Reference| {
                paths
                    .iter()
                    .any(|path| sources.along(path).is_some_and(|(used, _)| used.field == reference.field))
            };
            references.iter().filter(is_used).cloned().collect()
        };
        maker.references = used;
        Some(maker)
    }

    /// Returns the references whose items can be read.
    fn references(&self, source: &ResolvedEntity) -> Vec<Reference> {
        let fields = source.entity.fields.iter().filter(|field| field.refers_to.is_some());
        let targets = fields.filter_map(|field| reference::targets(self.entities, source, field)?.ok());
        targets.flatten().collect()
    }

    pub(super) fn condition(&self, node: &Node, sources: &Sources<'_>) -> Option<Condition> {
        let known = Known {
            fields: &sources.entity.fields,
            vague: sources.vague,
            beyond: &|path| sources.kind(path),
        };
        let condition = own_condition::condition(self.context, node, known)?;
        let paths = condition.tree.paths();
        let both = paths.iter().filter_map(|path| Some(sources.along(path)?.0.field.as_str()));
        if let Some(field) = both.into_iter().find(|field| paths.contains(field)) {
            self.context.mistakes.add_with_help(
                node.span,
                format!("a condition can't use both `{field}` and fields of the item that it refers to"),
                "compare a field of the key of that item instead",
            );
            return None;
        }
        Some(condition)
    }

    /// Resolves the values of the new item.
    pub(super) fn values(
        &self,
        place: Span,
        made: &ResolvedEntity,
        sources: &Sources<'_>,
    ) -> Option<Vec<(String, ValueSource)>> {
        let node = &self.entry.node;
        let before = self.context.mistakes.count();
        let mut set = Vec::new();
        for Entry { name, span, node } in node.entries("with") {
            let Some(field) = made.entity.field(name) else {
                let message = format!("`{}` has no field `{name}`", made.entity.name);
                self.context.mistakes.add_with(*span, message, template::help(&made.entity.fields, name));
                continue;
            };
            if made.vague.contains(name) {
                continue;
            }
            if field.computed || field.derived {
                let message = format!("`{name}` can't be given, because it follows from other data");
                self.context.mistakes.add_with_help(*span, message, format!("remove `{name}`"));
                continue;
            }
            let value = value(self.context, (made, field), node, sources);
            set.extend(value.map(|value| (name.clone(), value)));
        }
        for field in &made.entity.fields {
            let is_given = node.entries("with").iter().any(|entry| entry.name == field.name);
            if is_given || made.vague.contains(&field.name) {
                continue;
            }
            if let Some(value) = self.implied(place, made, field, sources) {
                set.push((field.name.clone(), value));
            }
        }
        (self.context.mistakes.count() == before).then_some(set)
    }

    /// Returns the value of a field that `with` doesn't give: the field of the same name, if the item needs one.
    fn implied(
        &self,
        place: Span,
        made: &ResolvedEntity,
        field: &Field,
        sources: &Sources<'_>,
    ) -> Option<ValueSource> {
        let is_given = field.made.is_some_and(|made| made != Made::Secret);
        if field.optional || field.default.is_some() || field.computed || field.derived || is_given {
            return None;
        }
        let own = template::find(&sources.entity.fields, &field.name).map(|same| (field.name.clone(), same));
        let of_match = || {
            let found = sources.found?;
            let same = template::find(&found.fields, &field.name)?;
            Some((format!("{}.{}", found.name, field.name), same))
        };
        if let Some((path, same)) =
            own.or_else(of_match).filter(|(_, same)| stored_alike(&field.kind, same.kind))
        {
            let mut composed = Composed::parse(&format!("{{{path}}}")).ok()?;
            let kind = same.kind.clone();
            composed.visit_names(&mut |name| {
                *name = Name { origin: Origin::Field(path.clone()), kind: Some(kind.clone()) };
            });
            return Some(ValueSource::Composed(composed));
        }
        self.context.mistakes.add_with_help(
            place,
            format!("`{}` of the new `{}` has no value", field.name, made.entity.name),
            format!("add it to `with`, for example `with = {{ {} = \"{{…}}\" }}`", field.name),
        );
        None
    }
}
