//! Patterns that run: parameters checked, keys built, derived keys kept right, pages merged.

mod arguments;
pub mod derive;
mod error;
mod keys;
mod outcome;
mod read;
mod write;

pub use error::RunError;
pub use outcome::{Outcome, Record};
pub use write::reservation;

use std::collections::BTreeMap;
use std::sync::Arc;

use singlet_engine::{Clock, SystemClock};

use crate::entropy::{Entropy, SystemEntropy};
use crate::json::Json;
use crate::model::{Design, Operation, Pattern, Table};
use crate::store::{Feature, Store};
use arguments::Bound;

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
    /// Table names in the environment, in the order of the design's tables.
    table_names: Vec<String>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    cursor_key: [u8; 32],
}

/// One call of a pattern, checked and typed.
pub(crate) struct Call<'a> {
    /// The pattern.
    pub(crate) pattern: &'a Pattern,
    /// The values of its parameters.
    pub(crate) bound: Bound<'a>,
    /// Which page.
    pub(crate) paging: &'a Paging,
    /// The time of the call, in milliseconds since 1970: one for everything that it does.
    pub(crate) now_ms: u64,
}

impl<S: Store> Runner<S> {
    /// A runner with the system's clock and randomness. Cursors are authenticated with a random key: set
    /// another one to have them accepted by other runners.
    pub fn new(design: Arc<Design>, store: S, environment: impl Into<String>) -> Self {
        let entropy = SystemEntropy;
        let mut cursor_key = [0; 32];
        entropy.fill(&mut cursor_key);
        let environment = environment.into();
        Runner {
            table_names: design.tables.iter().map(|table| table.name_in(&environment)).collect(),
            design,
            store,
            environment,
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
        let pattern = self.pattern(pattern)?;
        let now_ms = self.clock.now_ms();
        let arguments = write::filled(self, pattern, arguments, now_ms);
        let bound = Bound::check(pattern, &arguments)?;
        self.run_call(&Call { pattern, bound, paging, now_ms })
    }

    fn run_call(&self, call: &Call<'_>) -> Result<Outcome, RunError> {
        match &call.pattern.operation {
            Operation::Get(_)
            | Operation::Exists(_)
            | Operation::BatchGet(_)
            | Operation::Query(_)
            | Operation::Parts(_)
            | Operation::Merge(_) => read::run_read(self, call),
            Operation::Create(_)
            | Operation::Put(_)
            | Operation::Update(_)
            | Operation::Delete(_)
            | Operation::Check(_) => write::run_write(self, call),
            Operation::Transaction(_) => write::run_transaction(self, call),
        }
    }

    fn pattern(&self, name: &str) -> Result<&Pattern, RunError> {
        self.design.pattern(name).map(|pattern| &**pattern).ok_or_else(|| {
            let known = self.design.patterns.iter().map(|pattern| pattern.name.as_str());
            let nearest = arguments::nearest(name, known).map(str::to_owned);
            RunError::NoPattern { name: name.to_owned(), nearest }
        })
    }

    /// The name of a table of the design in this environment.
    pub(crate) fn table_name<'a>(&'a self, table: &'a Table) -> &'a str {
        let position = self.design.tables.iter().position(|known| known.label == table.label);
        position.and_then(|position| self.table_names.get(position)).map_or(&table.name, String::as_str)
    }

    /// Refuses a pattern that needs what the store doesn't have.
    pub(crate) fn require(&self, pattern: &Pattern, feature: Feature) -> Result<(), RunError> {
        if self.store.supports(feature) {
            return Ok(());
        }
        Err(RunError::Unsupported { pattern: pattern.name.clone(), feature, store: self.store.label() })
    }
}
