//! Sample data: whole items that keep the bounds of their fields, the relations between entities, unique values and
//! derived keys.
//!
//! The data is a function of the design and the [`SeedOptions`]: the same options make the same items, byte for byte.
//! Items are made parents first. A child refers to parents that are there already, never more children than a relation
//! allows, and is never older than they are. Where references run in a circle, the item that the first one refers to is
//! made next. References agree: the assignee of a ticket belongs to the ticket's organisation.
//!
//! Counters and sums add up where a transaction declares them: it creates an item and adds to a field of another one.
//! Counters and averages that are named after what they count (`likeCount`, `average_rating`) add up, too. Others stay
//! at their defaults.
//!
//! The data tells a story: each item has one (`story`), which its children continue. So comments fit their posts, a
//! recipe its ingredients, and a status the age of its order.

mod dice;
mod example;
mod fields;
mod figures;
mod intervals;
mod names;
mod order;
mod parents;
mod plant;
mod references;
mod rules;
mod stages;
mod story;
mod suggest;
mod targets;
mod text;
mod totals;
mod words;

#[cfg(test)]
mod tests;

pub use example::example;
pub use plant::plant;
pub use suggest::{Suggestion, Suggestions};

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use singlet_design::{Design, Entity};
use singlet_values::{AttributeValue, Item, write_key_part};
use xxhash_rust::xxh3::xxh3_128;

use crate::derive;
use crate::error::RunError;
use crate::write::reservation;
use dice::Dice;
use parents::Parents;
use rules::Rules;
use totals::Totals;

/// How often an item is made anew because its key or a unique value was there already.
const TRIES_MAX: u64 = 40;

/// The options of sample data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeedOptions {
    /// How many items are wanted, reservations of unique values not counted.
    pub items: u64,
    /// Another seed makes other data.
    pub seed: u64,
    /// The present. Times lie in the months before the beginning of its day (UTC), so that the data is the same all
    /// day. Only items that expire within two days are made shortly before the present, because they would be gone
    /// otherwise.
    pub now_ms: u64,
}

/// One item of sample data.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The entity of the item.
    pub entity: Arc<Entity>,
    /// The whole item: fields, keys, type, time to live.
    pub item: Item,
    /// The reservations of its unique values, in the same table.
    pub reservations: Vec<Item>,
}

/// Makes sample data, item by item. It ends early if the design allows no more items: every root has all of its
/// children, every key is taken.
pub struct Seeder<'a> {
    design: Cow<'a, Design>,
    options: SeedOptions,
    dice: Dice,
    rules: Vec<Rules>,
    parents: Parents,
    totals: Totals,
    /// Whether this is the first time, which counts.
    counts: bool,
    /// Entities that are still to be made, the next one last, with how many.
    queue: Vec<(usize, u64)>,
    /// Entities that could take more than their share, in the order of making.
    open: Vec<usize>,
    /// The number of wanted items that could not be made.
    left: u64,
    taken: HashSet<u128>,
    made: u64,
    failed: bool,
}

impl<'a> Seeder<'a> {
    /// Sample data for a design.
    pub fn new(design: &'a Design, options: SeedOptions) -> Self {
        let design = targets::chosen(design);
        let totals = Totals::of(&design);
        if totals.is_empty() {
            return Seeder::with_totals(design, options, totals, false);
        }
        // Parents come first and hold what their children add up to: all is made once to count.
        let mut counting = Seeder::with_totals(design.clone(), options, totals, true);
        counting.by_ref().for_each(drop);
        Seeder::with_totals(design, options, counting.totals, false)
    }

    fn with_totals(design: Cow<'a, Design>, options: SeedOptions, totals: Totals, counts: bool) -> Self {
        let shares = order::shares(&design, options.items);
        Seeder {
            options,
            dice: Dice::new(options.seed),
            rules: design.entities.iter().map(|entity| Rules::new(&design, entity)).collect(),
            parents: Parents::new(&design, options.seed),
            counts,
            totals,
            open: shares.iter().map(|(entity, _)| *entity).collect(),
            left: options.items.saturating_sub(shares.iter().map(|(_, count)| count).sum()),
            queue: shares.into_iter().rev().collect(),
            taken: HashSet::new(),
            made: 0,
            failed: false,
            design,
        }
    }

    /// The entity whose turn it is.
    fn turn(&mut self) -> Option<usize> {
        while let Some((entity, count)) = self.queue.last_mut() {
            if *count > 0 {
                *count -= 1;
                return Some(*entity);
            }
            self.queue.pop();
        }
        if self.left == 0 || self.open.is_empty() {
            return None;
        }
        self.left -= 1;
        let turn = usize::try_from(self.left).unwrap_or_default() % self.open.len();
        self.open.get(turn).copied()
    }

    /// An entity has no room for another item: what it was to make is made of others.
    fn close(&mut self, entity: usize) {
        self.open.retain(|open| *open != entity);
        self.left += 1;
        if let Some((_, count)) = self.queue.last_mut().filter(|(next, _)| *next == entity) {
            self.left += std::mem::take(count);
        }
    }

    /// One new item; `None` if there is no room for one.
    fn make(&mut self, position: usize) -> Result<Option<Sample>, RunError> {
        let (Some(entity), Some(rules)) = (self.design.entities.get(position), self.rules.get(position))
        else {
            return Ok(None);
        };
        for attempt in 0..TRIES_MAX {
            // A first choice may leave nothing that agrees with it.
            let Some(family) = self.parents.choose(&mut self.dice, position, entity) else { continue };
            let story = self.parents.story(position, &family);
            let mut maker = fields::Maker {
                design: &self.design,
                entity,
                story,
                flags: Vec::new(),
                instants: Vec::new(),
                rules,
                dice: &mut self.dice,
                parents: &self.parents,
                family: &family,
                now_ms: self.options.now_ms,
                number: (attempt > 0).then_some(self.made),
            };
            let (mut item, made_ms) = maker.item()?;
            self.totals.apply(entity, &mut item);
            derive::complete(entity, &mut item)?;
            let reservations: Vec<Item> =
                entity.unique.iter().filter_map(|unique| reservation(entity, unique, &item)).collect();
            let keys: Vec<u128> =
                std::iter::once(&item).chain(&reservations).map(|item| identity(entity, item)).collect();
            if keys.iter().any(|key| self.taken.contains(key)) {
                continue;
            }
            self.taken.extend(keys);
            self.parents.add(position, &family, &item, made_ms, story);
            if self.counts {
                self.totals.count(entity, &item);
            }
            return Ok(Some(Sample { entity: Arc::clone(entity), item, reservations }));
        }
        Ok(None)
    }
}

impl Iterator for Seeder<'_> {
    type Item = Result<Sample, RunError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            let entity = self.turn()?;
            match self.make(entity) {
                Ok(Some(sample)) => {
                    self.made += 1;
                    return Some(Ok(sample));
                }
                Ok(None) => self.close(entity),
                Err(error) => {
                    self.failed = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

/// Tells items of one table apart by their key.
fn identity(entity: &Entity, item: &Item) -> u128 {
    let mut bytes = entity.table.label.clone().into_bytes();
    bytes.push(0);
    for attribute in entity.table.key() {
        if let Some(value) = item.get(&attribute.name).and_then(AttributeValue::as_scalar) {
            // A key holds nothing but texts, numbers and bytes.
            let _ = write_key_part(&mut bytes, value);
        }
    }
    xxh3_128(&bytes)
}
