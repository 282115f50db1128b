//! Resolves derivations that stand on their own: `[derive.NAME]`.

mod cascade;
mod fan;
mod maker;
mod outlet;
mod setter;
mod value;

use super::Context;
use super::entity::{Entities, ResolvedEntity};
use super::name;
use std::sync::Arc;

use crate::model::{Derivation, DerivationKind, Pattern};
use crate::syntax::Node;
use cascade::CascadeDraft;
use fan::FanDraft;
use maker::MakerDraft;
use outlet::OutletDraft;
use setter::Setter;

/// The most derivations of a design. A change of one item can cause an effect of each.
const DERIVATIONS_MAX: usize = 16;

/// Resolves the derivations of a design.
pub(super) fn derivations(
    context: &Context<'_>,
    root: &Node,
    entities: &Entities,
    patterns: &[Arc<Pattern>],
) -> Vec<Derivation> {
    let mut all: Vec<Derivation> = Vec::new();
    for entry in root.entries("derive") {
        name::check_word(context, "a derivation", &entry.name, entry.span);
        let effects = |derivation: &Derivation| match &derivation.kind {
            DerivationKind::Delete(cascade) => cascade.children.len(),
            DerivationKind::Set(_) | DerivationKind::Make(_) | DerivationKind::Fan(_) => 1,
            DerivationKind::Archive(_) => 1,
        };
        if all.iter().map(effects).sum::<usize>() >= DERIVATIONS_MAX {
            let message = format!("the derivations of a design can have at most {DERIVATIONS_MAX} effects");
            context.mistakes.add(entry.span, message);
            break;
        }
        let kind = if let Some(set) = entry.node.entry("set") {
            Setter { context, entities, entry }.all(set, &all).map(DerivationKind::Set)
        } else if entry.node.get("for").is_some() {
            let maker = MakerDraft { context, entities, entry };
            let fan = FanDraft { maker, patterns }.fan();
            fan.inspect(|fan| fan::read_whole(context, fan, patterns))
                .map(|fan| DerivationKind::Fan(Box::new(fan)))
        } else if entry.node.get("make").is_some() {
            only_with_matches(context, &entry.node);
            MakerDraft { context, entities, entry }.maker().map(DerivationKind::Make)
        } else if let Some(file) = entry.node.get("archive") {
            OutletDraft { context, entities, entry }.archive(file).map(DerivationKind::Archive)
        } else {
            CascadeDraft { context, entities, entry }.cascade().map(DerivationKind::Delete)
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

/// Checks that the keys which belong to `for` don't stand alone.
fn only_with_matches(context: &Context<'_>, node: &Node) {
    for key in ["max", "backfill"] {
        if let Some(place) = node.get(key) {
            let help =
                format!("add `for` with the query that finds the matches of an item, or remove `{key}`");
            context.mistakes.add_with_help(place.span, format!("`{key}` needs `for`"), help);
        }
    }
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

/// Returns the field that a path begins with.
fn first(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}
