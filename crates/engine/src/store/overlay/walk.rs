//! Walking the entries of the overlay in order.

use std::ops::Bound;

use super::Entry;
use super::nodes::{Branch, Leaf, Node};
use super::slot::{Probe, Slot};
use crate::store::Direction;

/// The entries of a range, in one direction.
pub(in crate::store) struct OverlayRange<'a> {
    /// The way down to the leaf: each branch with the place of the child that is walked.
    way: Vec<(&'a Branch, usize)>,
    leaf: Option<&'a Leaf>,
    /// How many entries of the leaf lie before the next one, in ascending order.
    before: usize,
    direction: Direction,
    /// Where the walk ends.
    end: Bound<Probe<'a>>,
}

impl<'a> OverlayRange<'a> {
    pub(super) fn new(
        root: &'a Node,
        lower: Bound<Probe<'a>>,
        upper: Bound<Probe<'a>>,
        direction: Direction,
    ) -> Self {
        let (start, end) = match direction {
            Direction::Forward => (lower, upper),
            Direction::Backward => (upper, lower),
        };
        let mut range = Self { way: Vec::with_capacity(8), leaf: None, before: 0, direction, end };
        range.descend_to(root, start);
        range
    }

    /// Goes down to where the walk starts.
    fn descend_to(&mut self, root: &'a Node, start: Bound<Probe<'a>>) {
        let (Bound::Included(probe) | Bound::Excluded(probe)) = start else { return self.descend(root) };
        let mut node = root;
        loop {
            match node {
                Node::Leaf(leaf) => {
                    // A bound that is excluded from above, or included from below, leaves its own entry behind.
                    let forward = self.direction == Direction::Forward;
                    let below = matches!(start, Bound::Included(_)) == forward;
                    self.before = if below { leaf.count_below(&probe) } else { leaf.count_up_to(&probe) };
                    self.leaf = Some(leaf);
                    return;
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

    /// Goes down to the first leaf of a subtree, in the direction of the walk.
    fn descend(&mut self, from: &'a Node) {
        let mut node = from;
        loop {
            match node {
                Node::Leaf(leaf) => {
                    self.before = if self.direction == Direction::Forward { 0 } else { leaf.slots.len() };
                    self.leaf = Some(leaf);
                    return;
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

    /// The next slot of the leaf.
    fn step(&mut self) -> Option<&'a Slot> {
        let leaf = self.leaf?;
        match self.direction {
            Direction::Forward => {
                let slot = leaf.slots.get(self.before)?;
                self.before += 1;
                Some(slot)
            }
            Direction::Backward => {
                self.before = self.before.checked_sub(1)?;
                leaf.slots.get(self.before)
            }
        }
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

    fn is_within(&self, slot: &Slot) -> bool {
        let (order, includes) = match &self.end {
            Bound::Unbounded => return true,
            Bound::Included(end) => (end.order_of(slot), true),
            Bound::Excluded(end) => (end.order_of(slot), false),
        };
        let order = if self.direction == Direction::Forward { order } else { order.reverse() };
        if includes { order.is_le() } else { order.is_lt() }
    }
}

impl<'a> Iterator for OverlayRange<'a> {
    type Item = &'a Entry;

    fn next(&mut self) -> Option<&'a Entry> {
        let slot = loop {
            match self.step() {
                Some(slot) => break slot,
                None => {
                    self.leaf = None;
                    self.next_leaf()?;
                }
            }
        };
        if self.is_within(slot) {
            return Some(slot.entry.as_ref());
        }
        self.leaf = None;
        self.way.clear();
        None
    }
}
