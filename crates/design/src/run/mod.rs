//! Patterns that run: parameters checked, keys built, derived keys kept right, pages merged.

pub mod derive;
mod error;
mod outcome;

pub use error::RunError;
pub use outcome::{Outcome, Record};

use std::collections::BTreeMap;
use std::sync::Arc;

use singlet_engine::{Clock, SystemClock};

use crate::entropy::{Entropy, SystemEntropy};
use crate::json::Json;
use crate::model::Design;
use crate::store::Store;

/// The values a caller gives, by parameter name.
pub type Arguments = BTreeMap<String, Json>;

/// Which page of a list, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Paging {
    /// Items on the page (1 to 1000) instead of what the pattern says.
    pub limit: Option<u32>,
    /// The cursor of the page before.
    pub cursor: Option<String>,
}

/// Runs the patterns of one design on one store.
pub struct Runner<S> {
    design: Arc<Design>,
    store: S,
    environment: String,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    cursor_key: [u8; 32],
}

impl<S: Store> Runner<S> {
    /// A runner with the system's clock and randomness. Cursors are authenticated with a random key: set
    /// another one to have them accepted by other runners.
    pub fn new(design: Arc<Design>, store: S, environment: impl Into<String>) -> Self {
        let entropy = SystemEntropy;
        let mut cursor_key = [0; 32];
        entropy.fill(&mut cursor_key);
        Runner {
            design,
            store,
            environment: environment.into(),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(entropy),
            cursor_key,
        }
    }

    /// Takes the time from this clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Takes random bytes from here.
    #[must_use]
    pub fn with_entropy(mut self, entropy: Arc<dyn Entropy>) -> Self {
        self.entropy = entropy;
        self
    }

    /// Authenticates cursors with this key.
    #[must_use]
    pub fn with_cursor_key(mut self, key: [u8; 32]) -> Self {
        self.cursor_key = key;
        self
    }

    /// The design.
    pub fn design(&self) -> &Arc<Design> {
        &self.design
    }

    /// The store.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// Runs a pattern.
    pub fn run(&self, pattern: &str, arguments: &Arguments, paging: &Paging) -> Result<Outcome, RunError> {
        let _ = (pattern, arguments, paging, &self.environment, &self.clock, &self.entropy, &self.cursor_key);
        todo!()
    }
}
