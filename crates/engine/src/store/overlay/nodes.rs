//! The nodes of the persistent tree. Changing a node that a snapshot shares copies it and the way to it; nodes are
//! small, because each copy counts up a reference per child or entry.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::Entry;
use super::slot::{Prefix, Probe, Slot};

/// Most entries of a leaf, and most children of a branch.
const WIDTH: usize = 16;

/// A subtree.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Leaf(Arc<Leaf>),
    Branch(Arc<Branch>),
}

#[derive(Clone, Default, Debug)]
pub(super) struct Leaf {
    /// In ascending order; only an empty overlay has an empty leaf.
    pub(super) slots: ArrayVec<Slot, WIDTH>,
}

#[derive(Clone, Default, Debug)]
pub(super) struct Branch {
    /// The prefix of the first key below each child.
    firsts: ArrayVec<Prefix, WIDTH>,
    pub(super) children: ArrayVec<Node, WIDTH>,
}

/// What an insertion did to a node.
pub(super) struct Inserted {
    replaced: Option<Arc<Entry>>,
    /// The right half of a node that was full.
    split: Option<Node>,
}

impl Default for Node {
    fn default() -> Self {
        Node::Leaf(Arc::default())
    }
}

impl Node {
    /// Inserts at the root, which may grow by a level. Gives the entry that was replaced.
    pub(super) fn insert_at_root(&mut self, slot: Slot) -> Option<Arc<Entry>> {
        let Inserted { replaced, split } = self.insert(slot);
        if let Some(right) = split {
            let mut root = Branch::default();
            root.push(std::mem::take(self));
            root.push(right);
            *self = Node::Branch(Arc::new(root));
        }
        replaced
    }

    fn insert(&mut self, slot: Slot) -> Inserted {
        match self {
            Node::Leaf(leaf) => Arc::make_mut(leaf).insert(slot),
            Node::Branch(branch) => Arc::make_mut(branch).insert(slot),
        }
    }

    pub(super) fn get(&self, probe: &Probe<'_>) -> Option<&Entry> {
        let mut node = self;
        loop {
            match node {
                Node::Leaf(leaf) => {
                    let place = leaf.slots.binary_search_by(|slot| probe.order_of(slot)).ok()?;
                    return leaf.slots.get(place).map(|slot| slot.entry.as_ref());
                }
                Node::Branch(branch) => node = branch.children.get(branch.child_for(probe))?,
            }
        }
    }

    fn first(&self) -> Option<&Slot> {
        let mut node = self;
        loop {
            match node {
                Node::Leaf(leaf) => return leaf.slots.first(),
                Node::Branch(branch) => node = branch.children.first()?,
            }
        }
    }
}

impl Leaf {
    /// How many entries lie below the key.
    pub(super) fn count_below(&self, probe: &Probe<'_>) -> usize {
        self.slots.partition_point(|slot| probe.order_of(slot).is_lt())
    }

    /// How many entries lie below the key or have it.
    pub(super) fn count_up_to(&self, probe: &Probe<'_>) -> usize {
        self.slots.partition_point(|slot| probe.order_of(slot).is_le())
    }

    fn insert(&mut self, slot: Slot) -> Inserted {
        let probe = slot.probe();
        match self.slots.binary_search_by(|other| probe.order_of(other)) {
            Ok(place) => {
                let replaced =
                    self.slots.get_mut(place).map(|found| std::mem::replace(&mut found.entry, slot.entry));
                Inserted { replaced, split: None }
            }
            Err(place) if self.slots.is_full() => {
                let mut right = Leaf { slots: self.slots.drain(WIDTH / 2..).collect() };
                match place.checked_sub(WIDTH / 2) {
                    Some(place) if place > 0 => right.slots.insert(place, slot),
                    _ => self.slots.insert(place, slot),
                }
                Inserted { replaced: None, split: Some(Node::Leaf(Arc::new(right))) }
            }
            Err(place) => {
                self.slots.insert(place, slot);
                Inserted { replaced: None, split: None }
            }
        }
    }
}

impl Branch {
    /// Appends a child whose keys are above those of the others.
    fn push(&mut self, child: Node) {
        self.firsts.push(child.first().map_or_else(Prefix::default, |slot| slot.prefix));
        self.children.push(child);
    }

    /// The child below which the key belongs: the last that begins at or below it.
    pub(super) fn child_for(&self, probe: &Probe<'_>) -> usize {
        let below = self.firsts.partition_point(|first| *first < probe.prefix);
        let tied = self.firsts.get(below..).unwrap_or_default();
        let tied = tied.partition_point(|first| *first == probe.prefix);
        let candidates = self.children.get(below..below + tied).unwrap_or_default();
        // Children that begin with the probe's own prefix can be told apart only by their first keys.
        let begins_at_or_below =
            |child: &Node| child.first().is_some_and(|slot| slot.entry.key.as_ref() <= probe.key);
        (below + candidates.partition_point(begins_at_or_below)).saturating_sub(1)
    }

    fn insert(&mut self, slot: Slot) -> Inserted {
        let place = self.child_for(&slot.probe());
        // A key below all others becomes the first of its child.
        if let Some(first) = self.firsts.get_mut(place) {
            *first = (*first).min(slot.prefix);
        }
        let Some(child) = self.children.get_mut(place) else {
            return Inserted { replaced: None, split: None };
        };
        let Inserted { replaced, split } = child.insert(slot);
        Inserted { replaced, split: split.and_then(|right| self.insert_child(place + 1, right)) }
    }

    /// Adds a child; a full branch gives its right half back.
    fn insert_child(&mut self, place: usize, child: Node) -> Option<Node> {
        let first = child.first()?.prefix;
        if !self.children.is_full() {
            self.firsts.insert(place, first);
            self.children.insert(place, child);
            return None;
        }
        let mut right = Branch {
            firsts: self.firsts.drain(WIDTH / 2..).collect(),
            children: self.children.drain(WIDTH / 2..).collect(),
        };
        let (half, place) = match place.checked_sub(WIDTH / 2) {
            Some(place) if place > 0 => (&mut right, place),
            _ => (self, place),
        };
        half.firsts.insert(place, first);
        half.children.insert(place, child);
        Some(Node::Branch(Arc::new(right)))
    }
}
