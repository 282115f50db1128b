//! The nodes of the persistent tree. Changing a node that a snapshot shares copies it and the way to it; nodes are
//! small, because copying a branch counts up a reference per child. Their keys are shared between the copies: they
//! change only when a key is added, not when the value of one is replaced. Values are only named by their number, so
//! that copying a leaf touches none of them.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::ValueId;
use super::keys::{Keys, Probe};

/// Most keys of a leaf, and most children of a branch.
pub(super) const WIDTH: usize = 16;

/// A subtree.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Leaf(Arc<Leaf>),
    Branch(Arc<Branch>),
}

#[derive(Clone, Default, Debug)]
pub(super) struct Leaf {
    pub(super) keys: Arc<Keys>,
    /// One for each key; only an empty overlay has an empty leaf.
    pub(super) values: ArrayVec<ValueId, WIDTH>,
}

#[derive(Clone, Default, Debug)]
pub(super) struct Branch {
    /// Where the keys of each child begin. The first child of the whole tree begins at the empty key, so that no key
    /// lies below all of them.
    keys: Arc<Keys>,
    pub(super) children: ArrayVec<Node, WIDTH>,
}

/// What an insertion did to a node.
pub(super) struct Inserted {
    /// Whether the key is new.
    is_new: bool,
    /// The right half of a node that was full.
    split: Option<Node>,
}

impl Default for Node {
    fn default() -> Self {
        Node::Leaf(Arc::default())
    }
}

impl Node {
    /// Inserts at the root, which may grow by a level. Says whether the key is new.
    pub(super) fn insert_at_root(&mut self, probe: &Probe<'_>, value: ValueId) -> bool {
        let Inserted { is_new, split } = self.insert(probe, value);
        if let Some(right) = split {
            let mut root = Branch::above(std::mem::take(self));
            root.add(1, right);
            *self = Node::Branch(Arc::new(root));
        }
        is_new
    }

    fn insert(&mut self, probe: &Probe<'_>, value: ValueId) -> Inserted {
        match self {
            Node::Leaf(leaf) => Arc::make_mut(leaf).insert(probe, value),
            Node::Branch(branch) => Arc::make_mut(branch).insert(probe, value),
        }
    }

    pub(super) fn get(&self, probe: &Probe<'_>) -> Option<ValueId> {
        let mut node = self;
        loop {
            match node {
                Node::Leaf(leaf) => return leaf.values.get(leaf.keys.search(probe).ok()?).copied(),
                Node::Branch(branch) => node = branch.children.get(branch.child_for(probe))?,
            }
        }
    }

    fn keys(&self) -> &Keys {
        match self {
            Node::Leaf(leaf) => &leaf.keys,
            Node::Branch(branch) => &branch.keys,
        }
    }
}

impl Leaf {
    fn insert(&mut self, probe: &Probe<'_>, value: ValueId) -> Inserted {
        match self.keys.search(probe) {
            Ok(place) => {
                if let Some(found) = self.values.get_mut(place) {
                    *found = value;
                }
                Inserted { is_new: false, split: None }
            }
            Err(place) if self.values.is_full() => {
                let mut right = self.split();
                match place.checked_sub(WIDTH / 2) {
                    Some(place) if place > 0 => right.add(place, probe, value),
                    _ => self.add(place, probe, value),
                }
                Inserted { is_new: true, split: Some(Node::Leaf(Arc::new(right))) }
            }
            Err(place) => {
                self.add(place, probe, value);
                Inserted { is_new: true, split: None }
            }
        }
    }

    fn add(&mut self, place: usize, probe: &Probe<'_>, value: ValueId) {
        Arc::make_mut(&mut self.keys).insert(place, probe);
        self.values.insert(place, value);
    }

    /// Gives its right half away.
    fn split(&mut self) -> Leaf {
        let keys = Arc::make_mut(&mut self.keys).split_off(WIDTH / 2);
        Leaf { keys: Arc::new(keys), values: self.values.drain(WIDTH / 2..).collect() }
    }
}

impl Branch {
    /// A root above what was the whole tree.
    fn above(tree: Node) -> Self {
        let mut root = Branch::default();
        Arc::make_mut(&mut root.keys).insert(0, &Probe::new(&[]));
        root.children.push(tree);
        root
    }

    /// The child below which the key belongs: the last that begins at or below it.
    pub(super) fn child_for(&self, probe: &Probe<'_>) -> usize {
        self.keys.count_up_to(probe).saturating_sub(1)
    }

    fn insert(&mut self, probe: &Probe<'_>, value: ValueId) -> Inserted {
        let place = self.child_for(probe);
        let Some(child) = self.children.get_mut(place) else {
            return Inserted { is_new: false, split: None };
        };
        let Inserted { is_new, split } = child.insert(probe, value);
        Inserted { is_new, split: split.and_then(|right| self.insert_child(place + 1, right)) }
    }

    /// Adds a child; a full branch gives its right half back.
    fn insert_child(&mut self, place: usize, child: Node) -> Option<Node> {
        if !self.children.is_full() {
            self.add(place, child);
            return None;
        }
        let mut right = self.split();
        match place.checked_sub(WIDTH / 2) {
            Some(place) if place > 0 => right.add(place, child),
            _ => self.add(place, child),
        }
        Some(Node::Branch(Arc::new(right)))
    }

    fn add(&mut self, place: usize, child: Node) {
        Arc::make_mut(&mut self.keys).insert(place, &Probe::new(child.keys().key(0)));
        self.children.insert(place, child);
    }

    /// Gives its right half away.
    fn split(&mut self) -> Branch {
        let keys = Arc::make_mut(&mut self.keys).split_off(WIDTH / 2);
        Branch { keys: Arc::new(keys), children: self.children.drain(WIDTH / 2..).collect() }
    }
}
