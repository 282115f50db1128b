//! The nodes of the persistent tree. Changing a node that a snapshot shares copies it and the way to it; nodes are
//! small, because each copy counts up a reference per child or entry. Their keys are shared between the copies:
//! they change only when a key is added, not when the value of one is replaced.

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::Entry;
use super::keys::{Keys, Probe};

/// Most entries of a leaf, and most children of a branch.
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
    pub(super) entries: ArrayVec<Arc<Entry>, WIDTH>,
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
    pub(super) fn insert_at_root(&mut self, entry: Arc<Entry>) -> Option<Arc<Entry>> {
        let key = entry.key.clone();
        let Inserted { replaced, split } = self.insert(&Probe::new(&key), entry);
        if let Some(right) = split {
            let mut root = Branch::above(std::mem::take(self));
            root.add(1, right);
            *self = Node::Branch(Arc::new(root));
        }
        replaced
    }

    fn insert(&mut self, probe: &Probe<'_>, entry: Arc<Entry>) -> Inserted {
        match self {
            Node::Leaf(leaf) => Arc::make_mut(leaf).insert(probe, entry),
            Node::Branch(branch) => Arc::make_mut(branch).insert(probe, entry),
        }
    }

    pub(super) fn get(&self, probe: &Probe<'_>) -> Option<&Entry> {
        let mut node = self;
        loop {
            match node {
                Node::Leaf(leaf) => {
                    return leaf.entries.get(leaf.keys.search(probe).ok()?).map(Arc::as_ref);
                }
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
    fn insert(&mut self, probe: &Probe<'_>, entry: Arc<Entry>) -> Inserted {
        match self.keys.search(probe) {
            Ok(place) => {
                let replaced = self.entries.get_mut(place).map(|found| std::mem::replace(found, entry));
                Inserted { replaced, split: None }
            }
            Err(place) if self.entries.is_full() => {
                let mut right = self.split();
                match place.checked_sub(WIDTH / 2) {
                    Some(place) if place > 0 => right.add(place, probe, entry),
                    _ => self.add(place, probe, entry),
                }
                Inserted { replaced: None, split: Some(Node::Leaf(Arc::new(right))) }
            }
            Err(place) => {
                self.add(place, probe, entry);
                Inserted { replaced: None, split: None }
            }
        }
    }

    fn add(&mut self, place: usize, probe: &Probe<'_>, entry: Arc<Entry>) {
        Arc::make_mut(&mut self.keys).insert(place, probe);
        self.entries.insert(place, entry);
    }

    /// Gives its right half away.
    fn split(&mut self) -> Leaf {
        let keys = Arc::make_mut(&mut self.keys).split_off(WIDTH / 2);
        Leaf { keys: Arc::new(keys), entries: self.entries.drain(WIDTH / 2..).collect() }
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

    fn insert(&mut self, probe: &Probe<'_>, entry: Arc<Entry>) -> Inserted {
        let place = self.child_for(probe);
        let Some(child) = self.children.get_mut(place) else {
            return Inserted { replaced: None, split: None };
        };
        let Inserted { replaced, split } = child.insert(probe, entry);
        Inserted { replaced, split: split.and_then(|right| self.insert_child(place + 1, right)) }
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
