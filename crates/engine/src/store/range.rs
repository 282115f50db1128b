//! Merging the layers of a snapshot into one ordered sequence. The newest layer that has a key decides.

use std::cmp::Ordering;
use std::collections::btree_map;
use std::ops::Bound;

use bytes::Bytes;

use super::StoreError;
use super::batch::RowChange;
use super::overlay::{OverlayEntry, OverlayRange};
use super::tree::{TreeEntry, TreeRange};

/// The order in which a range is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the lower bound up.
    Forward,
    /// From the upper bound down.
    Backward,
}

/// Whether no key can lie between the bounds. Ordered maps panic on such bounds.
pub(super) fn is_empty_range(lower: Bound<&[u8]>, upper: Bound<&[u8]>) -> bool {
    match (lower, upper) {
        (Bound::Included(lower), Bound::Included(upper)) => lower > upper,
        (
            Bound::Included(lower) | Bound::Excluded(lower),
            Bound::Included(upper) | Bound::Excluded(upper),
        ) => lower >= upper,
        _ => false,
    }
}

/// The changes of the running job, the newest layer.
pub(super) type ChangesRange<'a> = btree_map::Range<'a, Bytes, RowChange>;

enum LayerRange<'a> {
    Changes(ChangesRange<'a>),
    Overlay(OverlayRange<'a>),
    // Boxed, because it is much larger than the others.
    Tree(Box<TreeRange>),
}

enum Head<'a> {
    Change(&'a Bytes, &'a RowChange),
    Overlay(OverlayEntry<'a>),
    Tree(TreeEntry),
}

impl Head<'_> {
    fn key(&self) -> &[u8] {
        match self {
            Head::Change(key, _) => key,
            Head::Overlay(entry) => entry.key,
            Head::Tree(entry) => entry.key(),
        }
    }

    /// Returns the value, or `None` for a deletion.
    fn value(&self) -> Option<&[u8]> {
        match self {
            Head::Change(_, change) => change.value.as_deref(),
            Head::Overlay(entry) => entry.value.map(AsRef::as_ref),
            Head::Tree(entry) => Some(entry.value()),
        }
    }

    /// Returns an owned key and value, or `None` for a deletion.
    fn take(self) -> Option<(Bytes, Bytes)> {
        match self {
            Head::Change(key, change) => Some((key.clone(), change.value.clone()?)),
            Head::Overlay(entry) => Some((Bytes::copy_from_slice(entry.key), entry.value?.clone())),
            Head::Tree(entry) => Some(entry.to_bytes()),
        }
    }
}

struct Layer<'a> {
    range: LayerRange<'a>,
    head: Option<Head<'a>>,
}

impl<'a> Layer<'a> {
    fn new(range: LayerRange<'a>) -> Self {
        Self { range, head: None }
    }

    fn advance(&mut self, direction: Direction) -> Result<(), StoreError> {
        let forward = direction == Direction::Forward;
        self.head = match &mut self.range {
            LayerRange::Changes(range) => {
                let next = if forward { range.next() } else { range.next_back() };
                next.map(|(key, change)| Head::Change(key, change))
            }
            LayerRange::Overlay(range) => range.next().map(Head::Overlay),
            LayerRange::Tree(range) => range.step(direction)?.map(Head::Tree),
        };
        Ok(())
    }
}

/// The entries between two bounds, in order, read on demand. After an error it ends.
pub struct Range<'a> {
    /// Newest first. Empty once the range has ended.
    layers: Vec<Layer<'a>>,
    direction: Direction,
    started: bool,
    /// An error at opening, reported by the first step.
    failure: Option<StoreError>,
}

impl<'a> Range<'a> {
    pub(super) fn empty(direction: Direction) -> Self {
        Self { layers: Vec::new(), direction, started: true, failure: None }
    }

    pub(super) fn new(
        changes: Option<ChangesRange<'a>>,
        overlays: impl Iterator<Item = OverlayRange<'a>>,
        tree: Result<TreeRange, StoreError>,
        direction: Direction,
    ) -> Self {
        let tree = match tree {
            Ok(tree) => tree,
            Err(error) => return Self { failure: Some(error), ..Self::empty(direction) },
        };
        let mut layers = Vec::with_capacity(4);
        layers.extend(changes.map(LayerRange::Changes).map(Layer::new));
        layers.extend(overlays.map(LayerRange::Overlay).map(Layer::new));
        layers.push(Layer::new(LayerRange::Tree(Box::new(tree))));
        Self { layers, direction, started: false, failure: None }
    }

    /// Returns the position of the layer with the next key. Among equal keys the newest layer wins, and the others
    /// skip theirs.
    fn winner(&mut self) -> Result<Option<usize>, StoreError> {
        let mut best: Option<usize> = None;
        for place in 0..self.layers.len() {
            let (newer, rest) = self.layers.split_at_mut(place);
            let Some(layer) = rest.first_mut() else { break };
            let Some(key) = layer.head.as_ref().map(Head::key) else { continue };
            let rival = best.and_then(|best| newer.get(best)).and_then(|layer| layer.head.as_ref());
            let order = rival.map(|rival| match self.direction {
                Direction::Forward => key.cmp(rival.key()),
                Direction::Backward => rival.key().cmp(key),
            });
            match order {
                Some(Ordering::Equal) => layer.advance(self.direction)?,
                Some(Ordering::Greater) => {}
                Some(Ordering::Less) | None => best = Some(place),
            }
        }
        Ok(best)
    }

    /// Moves to the next entry and reads it in place, without copying it. After an error the range ends.
    pub fn read_next<T>(&mut self, read: impl FnOnce(&[u8], &[u8]) -> T) -> Result<Option<T>, StoreError> {
        let head = self.step().inspect_err(|_| self.layers.clear())?;
        Ok(head.and_then(|head| head.value().map(|value| read(head.key(), value))))
    }

    /// Returns the next entry that isn't a deletion.
    fn step(&mut self) -> Result<Option<Head<'a>>, StoreError> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if !self.started {
            self.started = true;
            for layer in &mut self.layers {
                layer.advance(self.direction)?;
            }
        }
        while let Some(place) = self.winner()? {
            let Some(layer) = self.layers.get_mut(place) else { break };
            let Some(head) = layer.head.take() else { break };
            layer.advance(self.direction)?;
            if head.value().is_some() {
                return Ok(Some(head));
            }
        }
        Ok(None)
    }
}

impl Iterator for Range<'_> {
    type Item = Result<(Bytes, Bytes), StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step().map(|head| head.and_then(Head::take)).transpose();
        if !matches!(step, Some(Ok(_))) {
            self.layers.clear();
        }
        step
    }
}

impl std::iter::FusedIterator for Range<'_> {}
