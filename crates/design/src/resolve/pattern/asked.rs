//! Resolves `key`, the key that a pattern gives itself, and `knows`, the fields that its caller knows.

use super::super::key::templates_of;
use super::super::key_kind::kind_of;
use super::super::name;
use super::super::template::{self, KeyRole, find};
use super::read::ReadPath;
use super::{PatternDraft, ResolvedEntity};
use crate::model::{AskedKey, KeyAttribute, KeyKind};
use crate::report::Span;
use crate::syntax::Node;
use crate::template::{Part, Template};

/// The key of a read.
pub(super) enum Asked {
    /// The pattern has no `key`, so it reads the entity's own key.
    Nothing,
    /// `key` is the entity's own key, up to some part of the sort key.
    Own(AskedKey),
    /// `key` differs from the entity's own key.
    Other(AskedKey),
}

impl PatternDraft<'_> {
    /// Resolves `key`; `None` after a mistake.
    pub(super) fn asked(&self, known: &ResolvedEntity, through: &ReadPath<'_>) -> Option<Asked> {
        let Some(node) = self.node.get("key") else { return Some(Asked::Nothing) };
        let entity = &known.entity;
        let (partition, sort, own_partition, own_sort): (Vec<_>, Vec<_>, Vec<_>, Vec<_>) = match through {
            ReadPath::Table => (
                vec![&entity.table.partition],
                entity.table.sort.iter().collect(),
                vec![&entity.key.partition],
                entity.key.sort.iter().collect(),
            ),
            ReadPath::Index(index, entry) => (
                index.partition.iter().collect(),
                index.sort.iter().collect(),
                entry.partition.iter().collect(),
                entry.sort.iter().collect(),
            ),
        };
        let parts = node.list().unwrap_or(std::slice::from_ref(node));
        if parts.len() > 2 {
            let help = "write a partition key and, if needed, a sort key";
            self.context.mistakes.add_with_help(node.span, "a key has at most two parts", help);
            return None;
        }
        let asked = AskedKey {
            partition: self.asked_part(known, parts.first()?, &partition, true)?,
            sort: match parts.get(1) {
                Some(part) => self.asked_part(known, part, &sort, false)?,
                None => Vec::new(),
            },
        };
        let same_partition = asked.partition.iter().eq(own_partition);
        let own = same_partition && asked.sort.len() <= own_sort.len() && leads(&asked.sort, &own_sort);
        Some(if own { Asked::Own(asked) } else { Asked::Other(asked) })
    }

    /// Resolves the templates of a part of the key, which has these attributes.
    fn asked_part(
        &self,
        known: &ResolvedEntity,
        node: &Node,
        attributes: &[&KeyAttribute],
        partition: bool,
    ) -> Option<Vec<Template>> {
        let nodes = node.list().unwrap_or(std::slice::from_ref(node));
        if nodes.len() > attributes.len() || (partition && nodes.len() < attributes.len()) {
            let part = if partition { "partition" } else { "sort" };
            let message = format!(
                "the {part} key must have {} here, not {}",
                templates_of(attributes.len()),
                nodes.len()
            );
            self.context.mistakes.add(node.span, message);
            return None;
        }
        let entity = &known.entity;
        let place = KeyRole { own: false, partition, separator: entity.table.separator };
        let mut templates = Vec::new();
        for (node, attribute) in nodes.iter().zip(attributes) {
            let template =
                template::template(self.context, node, &entity.name, &entity.fields, &known.vague, place)?;
            let kind = match template.plain_field() {
                Some(path) => find(&entity.fields, path).and_then(|found| kind_of(found.kind)),
                None => Some(KeyKind::Text),
            };
            if kind != Some(attribute.kind) {
                let message = format!(
                    "`{}` and the key attribute `{}` have different types",
                    template.source, attribute.name
                );
                let help = "use a template that has the type of the key attribute";
                self.context.mistakes.add_with_help(node.span, message, help);
                return None;
            }
            templates.push(template);
        }
        Some(templates)
    }

    /// Adds the fields of these templates to the parameters.
    pub(super) fn template_parameters(&mut self, known: &ResolvedEntity, templates: &[Template], span: Span) {
        for path in templates.iter().flat_map(|template| template.fields()) {
            if let Some(found) = find(&known.entity.fields, path) {
                self.parameters.add_field(self.context, path, found.kind, true, span);
            }
        }
    }

    /// Resolves `knows`, the fields that the caller knows.
    pub(super) fn by(&self, entities: &[&ResolvedEntity]) -> Option<Vec<String>> {
        let places = self.node.get("knows")?.list()?;
        let mut fields: Vec<String> = Vec::new();
        for place in places {
            let Some(name) = place.text() else { continue };
            if !self.field_of_any(entities, name, place) {
                continue;
            }
            if fields.iter().any(|other| other == name) {
                self.context
                    .mistakes
                    .add(place.span, format!("{} appears twice in `knows`", name::list(&[name])));
            }
            fields.push(name.to_owned());
        }
        Some(fields)
    }
}

/// Returns whether sort templates are the beginning of the entity's own. A literal part must be complete.
fn leads(asked: &[Template], own: &[&Template]) -> bool {
    let Some((last, whole)) = asked.split_last() else { return true };
    let Some(own_last) = own.get(whole.len()) else { return false };
    let next = own_last.parts.get(last.parts.len());
    whole.iter().eq(own.iter().copied().take(whole.len()))
        && last.parts.iter().eq(own_last.parts.iter().take(last.parts.len()))
        && !matches!(next, Some(Part::Literal(_)))
}
