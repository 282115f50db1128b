//! Refuses derived data that follows from itself.

use std::collections::{BTreeMap, BTreeSet};

use super::Context;
use super::entity::Entities;
use crate::model::{Aggregate, Derivation, DerivationKind, Entity, Extreme};
use crate::report::Span;

/// A field of an entity, or, without a field, the items of the entity themselves.
type Place<'a> = (&'a str, &'a str);

/// A rule that gives fields their values.
struct Rule<'a> {
    /// The fields.
    gives: Vec<Place<'a>>,
    /// The fields that it depends on.
    uses: Vec<Place<'a>>,
    /// The rule in the file; `None` for a computed field, which can't be part of a circle alone.
    span: Option<Span>,
}

/// Checks that no derived field follows from itself.
pub(super) fn none(context: &Context<'_>, entities: &Entities, derivations: &[Derivation]) {
    let mut rules: Vec<Rule<'_>> = Vec::new();
    for known in &entities.list {
        rules.extend(of_entity(&known.entity));
    }
    rules.extend(derivations.iter().filter_map(of_derivation));
    let mut givers: BTreeMap<Place<'_>, Vec<&Rule<'_>>> = BTreeMap::new();
    for rule in &rules {
        for place in &rule.gives {
            givers.entry(*place).or_default().push(rule);
        }
    }
    for rule in &rules {
        let Some(span) = rule.span else { continue };
        let mut seen: BTreeSet<Place<'_>> = BTreeSet::new();
        let mut open = rule.uses.clone();
        while let Some(place) = open.pop() {
            if rule.gives.contains(&place) {
                let (message, help) = match place {
                    (entity, "") => (
                        format!("items of `{entity}` would be made from each other without end"),
                        "make items from an entity that callers write",
                    ),
                    (_, field) => (
                        format!("`{field}` would be derived from itself"),
                        "derive it from fields that callers give",
                    ),
                };
                context.mistakes.add_with_help(span, message, help);
                break;
            }
            if seen.insert(place) {
                open.extend(givers.get(&place).into_iter().flatten().flat_map(|rule| &rule.uses));
            }
        }
    }
}

fn of_entity(entity: &Entity) -> impl Iterator<Item = Rule<'_>> {
    let name = entity.name.as_str();
    let computed = entity.computed.iter().map(move |(field, value)| Rule {
        gives: vec![(name, field.as_str())],
        uses: value.names().into_iter().filter_map(|used| Some((name, first(used.field()?)))).collect(),
        span: None,
    });
    let aggregates = entity.aggregates.iter().map(move |aggregate| Rule {
        gives: vec![(name, aggregate.field.as_str())],
        uses: of_aggregate(aggregate),
        span: Some(aggregate.span),
    });
    let copies = entity.copies.iter().map(move |copy| {
        let link = copy.referral.link.iter().map(|(_, field)| (name, first(field)));
        Rule {
            gives: vec![(name, copy.field.as_str())],
            uses: link.chain([(copy.source.as_str(), first(&copy.value))]).collect(),
            span: Some(copy.span),
        }
    });
    let extremes = entity.extremes.iter().map(move |extreme| Rule {
        gives: vec![(name, extreme.field.as_str())],
        uses: of_extreme(extreme),
        span: Some(extreme.span),
    });
    computed.chain(aggregates).chain(copies).chain(extremes)
}

fn of_extreme(extreme: &Extreme) -> Vec<Place<'_>> {
    let uses = extreme.sources.iter().flat_map(|source| {
        let filter = source.filter.iter().flat_map(|filter| filter.tree.paths());
        let link = source.referral.link.iter().map(|(_, field)| field.as_str());
        let paths = [source.value.as_str(), source.order.as_str()].into_iter().chain(filter).chain(link);
        let paths = paths.map(|path| (source.entity.as_str(), first(path)));
        paths.chain([(source.entity.as_str(), "")])
    });
    uses.collect()
}

fn of_aggregate(aggregate: &Aggregate) -> Vec<Place<'_>> {
    let uses = aggregate.sources.iter().flat_map(|source| {
        let filter = source.filter.iter().flat_map(|filter| filter.tree.paths());
        let link = source.link.iter().map(|(_, field)| field.as_str());
        let paths = source.value.as_deref().into_iter().chain(filter).chain(link);
        let paths = paths.map(|path| (source.entity.as_str(), first(path)));
        paths.chain([(source.entity.as_str(), "")])
    });
    uses.collect()
}

fn of_derivation(derivation: &Derivation) -> Option<Rule<'_>> {
    Some(match &derivation.kind {
        DerivationKind::Set(set) => {
            let name = set.entity.name.as_str();
            // A rule that never takes its values back may ask whether they are set.
            let may_use = |path: &&str| set.unset || !set.sets(path);
            let uses = set.sources().into_iter().map(first).filter(may_use);
            Rule {
                gives: set.set.iter().map(|(field, _)| (name, field.as_str())).collect(),
                uses: uses.map(|path| (name, path)).collect(),
                span: Some(derivation.span),
            }
        }
        DerivationKind::Make(maker) => {
            let (each, made) = (maker.each.name.as_str(), maker.entity.name.as_str());
            let uses = maker.sources().into_iter().map(|path| match maker.along(path) {
                Some((reference, rest)) => (reference.entity.name.as_str(), first(rest)),
                None => (each, first(path)),
            });
            Rule {
                gives: vec![(made, "")],
                uses: uses.chain([(each, "")]).collect(),
                span: Some(derivation.span),
            }
        }
        DerivationKind::Fan(fan) => {
            let (each, found) = (fan.each.name.as_str(), fan.found.name.as_str());
            let items = fan.item_paths().into_iter().map(|path| (each, first(path)));
            let matches = fan.match_paths().into_iter().map(|path| (found, first(path)));
            Rule {
                gives: vec![(fan.entity.name.as_str(), "")],
                uses: items.chain(matches).chain([(each, ""), (found, "")]).collect(),
                span: Some(derivation.span),
            }
        }
        // Deletions come to an end, because there is less after each. Archives change no items.
        DerivationKind::Delete(_) | DerivationKind::Archive(_) => return None,
    })
}

/// Returns the field that a path begins with.
fn first(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}
