//! In which order entities are made, and how many of each.

use singlet_design::{Cardinality, Design, Entity};

/// Children of one parent that a sample has when a relation allows any number.
const CHILDREN_USUAL: u64 = 5;
/// Children of one parent that a sample has at most on average: it shows every entity, not one of them a thousand times.
const CHILDREN_MAX: u64 = 10;
/// Children of one parent that a sample has when a relation has a maximum and no usual number.
const CHILDREN_FEW: u64 = 3;

/// Positions of entities, parents first, each with the number of items that are to be made.
pub(super) fn shares(design: &Design, items: u64) -> Vec<(usize, u64)> {
    // Items that exist because others count for them are made by a worker.
    let is_counted = |position: &usize| design.entities.get(*position).is_some_and(|entity| entity.counted);
    let order: Vec<usize> =
        parents_first(design).into_iter().filter(|position| !is_counted(position)).collect();
    let mut weights = vec![1_u64; design.entities.len()];
    for position in &order {
        let weight = design.entities.get(*position).map_or(1, |entity| weight(design, entity, &weights));
        if let Some(slot) = weights.get_mut(*position) {
            *slot = weight.clamp(1, 1_000_000);
        }
    }
    // By the root of the weights: a network of two users with a hundred likes would tell no story.
    let weight_of =
        |position: usize| u128::from((weights.get(position).copied().unwrap_or(1) * 10_000).isqrt());
    let total: u128 = order.iter().map(|position| weight_of(*position)).sum();
    // Each has one; what is over is shared by weight, and what rounding leaves goes to those who come first.
    let over = items.saturating_sub(order.len() as u64);
    let share = |position: usize| {
        u64::try_from(u128::from(over) * weight_of(position) / total.max(1)).unwrap_or_default()
    };
    let mut left = over.saturating_sub(order.iter().map(|position| share(*position)).sum());
    let mut shares = Vec::with_capacity(order.len());
    for position in order.into_iter().take(usize::try_from(items).unwrap_or(usize::MAX)) {
        let extra = u64::from(left > 0);
        left -= extra;
        shares.push((position, 1 + share(position) + extra));
    }
    shares
}

/// An entity comes after those that it refers to; where references run in a circle, after those it can't be without;
/// where even these do, in the order of the file.
fn parents_first(design: &Design) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(design.entities.len());
    while order.len() < design.entities.len() {
        let waits = |position: usize, only_required: bool| {
            let Some(entity) = design.entities.get(position) else { return false };
            let named = entity.fields.iter().filter(|field| !only_required || !field.optional);
            named
                .filter_map(|field| position_of(design, field.refers_to.as_deref()?))
                .any(|parent| parent != position && !order.contains(&parent))
        };
        let open = || (0..design.entities.len()).filter(|position| !order.contains(position));
        let next = open()
            .find(|position| !waits(*position, false))
            .or_else(|| open().find(|position| !waits(*position, true)))
            .or_else(|| open().next());
        match next {
            Some(position) => order.push(position),
            None => break,
        }
    }
    order
}

fn position_of(design: &Design, name: &str) -> Option<usize> {
    design.entities.iter().position(|entity| entity.name == name)
}

/// How many items of an entity there are for one of a root.
fn weight(design: &Design, entity: &Entity, weights: &[u64]) -> u64 {
    let weight_of = |position: usize| weights.get(position).copied().unwrap_or(1);
    let by_relation = design.entities.iter().enumerate().flat_map(|(position, parent)| {
        let relations = parent.relations.iter().filter(|relation| relation.entity == entity.name);
        relations.map(move |relation| weight_of(position).saturating_mul(children(relation.cardinality)))
    });
    let by_reference = entity.fields.iter().filter_map(|field| {
        let parent = position_of(design, field.refers_to.as_deref()?)?;
        Some(weight_of(parent).saturating_mul(2))
    });
    by_relation.max().or_else(|| by_reference.max()).unwrap_or(1)
}

fn children(cardinality: Cardinality) -> u64 {
    match cardinality {
        Cardinality::One => 1,
        Cardinality::Many { usual, max } => {
            let few = max.map_or(CHILDREN_USUAL, |max| max.min(CHILDREN_FEW));
            usual.unwrap_or(few).min(max.unwrap_or(u64::MAX)).min(CHILDREN_MAX)
        }
    }
}
