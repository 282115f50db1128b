//! The nodes of the persistent tree. Changing a node that a snapshot shares copies the node and the path to it. Nodes
//! are small, because copying a branch updates a reference count per child. The copies share their keys, which change
//! only when a key is added, not when a value is replaced. Values are numbers, so copying a leaf doesn't touch them.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::ValueId;
use super::keys::{Keys, Probe};

/// The most keys of a leaf, and the most children of a branch.
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
    /// One for each key. Only an empty overlay has an empty leaf.
    pub(super) values: ArrayVec<ValueId, WIDTH>,
}

#[derive(Clone, Default, Debug)]
pub(super) struct Branch {
    /// The first key of each child. The first child of the whole tree begins at the empty key, so that no key is
    /// below all of them.
    keys: Arc<Keys>,
    pub(super) children: ArrayVec<Node, WIDTH>,
}

/// The result of an insertion into a node.
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
    /// Inserts at the root, which may grow by a level. Returns whether the key is new.
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

    /// Splits off its right half.
    fn split(&mut self) -> Leaf {
        let keys = Arc::make_mut(&mut self.keys).split_off(WIDTH / 2);
        Leaf { keys: Arc::new(keys), values: self.values.drain(WIDTH / 2..).collect() }
    }
}

impl Branch {
    /// Creates a root above the whole tree.
    fn above(tree: Node) -> Self {
        let mut root = Branch::default();
        Arc::make_mut(&mut root.keys).insert(0, &Probe::new(&[]));
        root.children.push(tree);
        root
    }

    /// Returns the child for the key: the last one that begins at or below it.
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

    /// Adds a child. A full branch returns its right half.
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

    /// Splits off its right half.
    fn split(&mut self) -> Branch {
        let keys = Arc::make_mut(&mut self.keys).split_off(WIDTH / 2);
        Branch { keys: Arc::new(keys), children: self.children.drain(WIDTH / 2..).collect() }
    }
}
