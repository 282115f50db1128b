//! A shared pointer that can be exchanged, as in the crate `arc-swap`.

use std::sync::Arc;

use crate::baton::point;

/// A shared pointer that can be exchanged.
#[derive(Debug)]
pub struct ArcSwap<T>(arc_swap::ArcSwap<T>);

impl<T> ArcSwap<T> {
    /// A pointer to a value.
    pub fn from_pointee(value: T) -> Self {
        ArcSwap(arc_swap::ArcSwap::from_pointee(value))
    }

    /// The value that it points to, for a moment.
    pub fn load(&self) -> arc_swap::Guard<Arc<T>> {
        point();
        self.0.load()
    }

    /// The value that it points to.
    pub fn load_full(&self) -> Arc<T> {
        point();
        self.0.load_full()
    }

    /// Points to something else from now on.
    pub fn store(&self, value: Arc<T>) {
        point();
        self.0.store(value);
    }
}
