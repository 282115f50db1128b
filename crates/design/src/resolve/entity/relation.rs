//! Resolves relations and references between entities.

use std::collections::BTreeMap;

use super::{Context, EntityDraft};
use crate::model::{Cardinality, Relation};
use crate::resolve::field;
use crate::resolve::name;
use crate::syntax::{Entry, Node};

/// The entities of a design by name.
pub(super) type DraftsByName<'d, 'a> = BTreeMap<&'a str, &'d EntityDraft<'a>>;

/// Resolves the relations of an entity.
pub(super) fn relations(
    context: &Context<'_>,
    draft: &EntityDraft<'_>,
    all: &DraftsByName<'_, '_>,
) -> Vec<Relation> {
    let relations = draft.node.entries("relations").iter();
    relations.filter_map(|entry| relation(context, entry, all)).collect()
}

fn relation(context: &Context<'_>, entry: &Entry, all: &DraftsByName<'_, '_>) -> Option<Relation> {
    let Entry { name, span, node } = entry;
    let word = ["one", "many"].into_iter().find_map(|word| Some((word, node.get(word)?)));
    let (word, place) = word?;
    let other = find(context, place, all)?;
    let by = node.get("via").and_then(|by| Some((by, by.text()?)));
    if let Some((place, field)) = by {
        let names = || other.fields.list.iter().map(|field| field.name.as_str());
        if !names().any(|known| known == field) {
            let message = format!("`{}` has no field `{field}`", other.name);
            context.mistakes.add_with(place.span, message, name::help(field, "field", names()));
        }
    }
    let number = |key: &str| node.get(key).and_then(Node::whole);
    let cardinality = match word {
        "one" => Cardinality::One,
        _ => Cardinality::Many { usual: number("usual"), max: number("max") },
    };
    Some(Relation {
        name: name.clone(),
        entity: other.name.to_owned(),
        by: by.map(|(_, field)| field.to_owned()),
        cardinality,
        span: *span,
    })
}

/// Returns the entity of this name, or adds a mistake.
fn find<'d, 'a>(
    context: &Context<'_>,
    place: &Node,
    all: &DraftsByName<'d, 'a>,
) -> Option<&'d EntityDraft<'a>> {
    let name = place.text()?;
    let found = all.get(name).copied();
    if found.is_none() {
        let mut known: Vec<&EntityDraft<'_>> = all.values().copied().collect();
        known.sort_by_key(|draft| draft.span.start);
        let message = format!("there is no entity `{name}`");
        context.mistakes.add_with(
            place.span,
            message,
            name::help(name, "entity", known.iter().map(|draft| draft.name)),
        );
    }
    found
}

/// Checks that every `ref` names an entity, including those in nested fields.
pub(super) fn check_references(
    context: &Context<'_>,
    drafts: &[EntityDraft<'_>],
    by_name: &DraftsByName<'_, '_>,
) {
    for draft in drafts {
        check_fields(context, draft.node.entries("fields"), by_name);
    }
}

fn check_fields(context: &Context<'_>, fields: &[Entry], drafts: &DraftsByName<'_, '_>) {
    for Entry { node, .. } in fields {
        if context.mistakes.is_full() {
            return;
        }
        if let Some(place) = field::refers_to(node) {
            for place in place.list().unwrap_or(std::slice::from_ref(place)) {
                find(context, place, drafts);
            }
        }
        check_fields(context, node.entries("fields"), drafts);
        if let Some(of) = node.get("of") {
            check_fields(context, of.entries("fields"), drafts);
        }
    }
}
