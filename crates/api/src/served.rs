//! A design as the API serves it.

use std::sync::Arc;

use singlet_derive::Reached;
use singlet_run::Runner;
use singlet_store::{ChangeFeed, Store};

use crate::feed::Following;
use crate::figures::Figures;
use crate::metered::Metered;

/// A design that the API serves: the runner of its patterns, and the change feeds of its tables.
pub struct Served<S> {
    pub(crate) runner: Runner<Metered<S>>,
    pub(crate) following: Option<Following>,
    pub(crate) figures: Arc<Figures>,
}

impl<S: Store> Served<S> {
    /// Serves the patterns of a runner, without change feeds.
    pub fn new(runner: Runner<Metered<S>>) -> Self {
        let figures = Arc::new(Figures::new(runner.design()));
        Self { runner, following: None, figures }
    }

    /// Returns the figures about calls, which go on while the design is served.
    pub fn figures(&self) -> &Arc<Figures> {
        &self.figures
    }

    /// Takes the positions of writes and live updates from the change feeds of this store. `derived` says how far the design's derived data
    /// has followed them; `None` if it derives nothing.
    #[must_use]
    pub fn with_feeds<F>(mut self, store: F, derived: Option<Arc<Reached>>) -> Self
    where
        F: ChangeFeed + 'static,
        F::Reader: 'static,
    {
        let (design, environment) = (self.runner.design(), self.runner.environment());
        self.following = Some(Following::new(Arc::new(store), design, environment, derived));
        self
    }
}

impl<S: Store> std::fmt::Debug for Served<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Served").field("design", &self.runner.design().name).finish_non_exhaustive()
    }
}
