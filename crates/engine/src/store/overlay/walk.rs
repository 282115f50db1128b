//! Walking the entries of the overlay in order.

use std::ops::Bound;

use bytes::Bytes;

use super::keys::Probe;
use super::nodes::{Branch, Leaf, Node};
use super::{OverlayEntry, value};
use crate::store::Direction;

/// The entries of a range, in one direction.
pub(in crate::store) struct OverlayRange<'a> {
    /// The path to the leaf: each branch with the position of the current child.
    way: Vec<(&'a Branch, usize)>,
    leaf: Option<&'a Leaf>,
    values: &'a boxcar::Vec<Option<Bytes>>,
    /// The number of keys in the leaf before the next one, in ascending order.
    before: usize,
    /// The keys of the leaf before the end of the walk.
    within: std::ops::Range<usize>,
    direction: Direction,
    /// The end of the walk.
    end: Bound<Probe<'a>>,
}

impl<'a> OverlayRange<'a> {
    pub(super) fn new(
        root: &'a Node,
        values: &'a boxcar::Vec<Option<Bytes>>,
        lower: Bound<Probe<'a>>,
        upper: Bound<Probe<'a>>,
        direction: Direction,
    ) -> Self {
        let (start, end) = match direction {
            Direction::Forward => (lower, upper),
            Direction::Backward => (upper, lower),
        };
        let mut range =
            Self { way: Vec::with_capacity(8), leaf: None, values, before: 0, within: 0..0, direction, end };
        range.descend_to(root, start);
        range
    }

    /// Descends to the start of the walk.
    fn descend_to(&mut self, root: &'a Node, start: Bound<Probe<'a>>) {
        let (Bound::Included(probe) | Bound::Excluded(probe)) = start else { return self.descend(root) };
        let mut node = root;
        loop {
            match node {
                Node::Leaf(leaf) => {
                    // A bound that is excluded from above, or included from below, has its own entry before it.
                    let forward = self.direction == Direction::Forward;
                    let below = matches!(start, Bound::Included(_)) == forward;
                    let keys = &leaf.keys;
                    self.before = if below { keys.count_below(&probe) } else { keys.count_up_to(&probe) };
                    return self.enter(leaf);
                }
                Node::Branch(branch) => {
                    let place = branch.child_for(&probe);
                    self.way.push((branch, place));
                    match branch.children.get(place) {
                        Some(child) => node = child,
                        None => return,
                    }
                }
            }
        }
    }

    /// Descends to the first leaf of a subtree, in the direction of the walk.
    fn descend(&mut self, from: &'a Node) {
        let mut node = from;
        loop {
            match node {
                Node::Leaf(leaf) => {
                    self.before = if self.direction == Direction::Forward { 0 } else { leaf.values.len() };
                    return self.enter(leaf);
                }
                Node::Branch(branch) => {
                    let last = branch.children.len().saturating_sub(1);
                    let place = if self.direction == Direction::Forward { 0 } else { last };
                    self.way.push((branch, place));
                    match branch.children.get(place) {
                        Some(child) => node = child,
                        None => return,
                    }
                }
            }
        }
    }

    /// Takes a leaf and finds the end of the walk in it, so that its entries need no more comparisons.
    fn enter(&mut self, leaf: &'a Leaf) {
        let keys = &leaf.keys;
        let (count, forward) = (keys.len(), self.direction == Direction::Forward);
        self.within = match &self.end {
            Bound::Unbounded => 0..count,
            Bound::Included(end) if forward => 0..keys.count_up_to(end),
            Bound::Included(end) => keys.count_below(end)..count,
            Bound::Excluded(end) if forward => 0..keys.count_below(end),
            Bound::Excluded(end) => keys.count_up_to(end)..count,
        };
        self.leaf = Some(leaf);
    }

    /// Returns the next entry of the leaf and whether the walk ends before it; `None` at the end of the leaf.
    fn step(&mut self) -> Option<(OverlayEntry<'a>, bool)> {
        let leaf = self.leaf?;
        let place = match self.direction {
            Direction::Forward => self.before,
            Direction::Backward => self.before.checked_sub(1)?,
        };
        let id = *leaf.values.get(place)?;
        let entry = OverlayEntry { key: leaf.keys.key(place), value: value(self.values, id) };
        self.before = if self.direction == Direction::Forward { place + 1 } else { place };
        Some((entry, self.within.contains(&place)))
    }

    /// Goes to the next leaf.
    fn next_leaf(&mut self) -> Option<()> {
        loop {
            let (branch, place) = self.way.last_mut()?;
            let next = match self.direction {
                Direction::Forward => place.checked_add(1),
                Direction::Backward => place.checked_sub(1),
            };
            let child = next.and_then(|next| Some((next, branch.children.get(next)?)));
            match child {
                Some((next, child)) => {
                    *place = next;
                    self.descend(child);
                    return Some(());
                }
                None => {
                    self.way.pop();
                }
            }
        }
    }
}

impl<'a> Iterator for OverlayRange<'a> {
    type Item = OverlayEntry<'a>;

    fn next(&mut self) -> Option<OverlayEntry<'a>> {
        let (entry, within) = loop {
            match self.step() {
                Some(step) => break step,
                None => {
                    self.leaf = None;
                    self.next_leaf()?;
                }
            }
        };
        if within {
            return Some(entry);
        }
        self.leaf = None;
        self.way.clear();
        None
    }
}
