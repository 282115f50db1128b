//! One call of a pattern, and where it runs.

use std::sync::Arc;

use singlet_design::{Design, Pattern, Table};
use singlet_store::{Feature, Store};

use crate::arguments::Bound;
use crate::cursor::{Bond, Cursor, Payload, Seal};
use crate::entropy::Entropy;
use crate::error::RunError;
use crate::rights::Rights;

/// Which page of a list, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Paging {
    /// Items on the page (1 to 1000) instead of what the pattern says.
    pub limit: Option<u32>,
    /// The cursor of the page before.
    pub cursor: Option<String>,
}

/// One call of a pattern, checked and typed.
pub(crate) struct Call<'a> {
    /// The pattern.
    pub(crate) pattern: &'a Arc<Pattern>,
    /// The values of its parameters.
    pub(crate) bound: Bound<'a>,
    /// Which page.
    pub(crate) paging: &'a Paging,
    /// The time of the call, in milliseconds since 1970: one for everything that it does.
    pub(crate) now_ms: u64,
    /// The rights of the one who calls.
    pub(crate) rights: &'a Rights,
}

impl Call<'_> {
    /// The context that the cursors of this call are bound to.
    pub(crate) fn bond(&self) -> Bond {
        let held = self.bound.held().clone();
        let caller = self.rights.bond.clone();
        Bond { pattern: self.pattern.clone(), given: self.bound.all().to_vec(), held, caller }
    }
}

/// Where patterns run: a store, the names of its tables, and what is injected.
pub(crate) struct Site<S> {
    /// The design.
    pub(crate) design: Arc<Design>,
    /// The store.
    pub(crate) store: S,
    /// The environment's name.
    pub(crate) environment: String,
    /// Table names in the environment, in the order of the design's tables.
    pub(crate) table_names: Vec<String>,
    /// Where random bytes come from.
    pub(crate) entropy: Arc<dyn Entropy>,
    /// Encrypts cursors.
    pub(crate) seal: Arc<Seal>,
}

impl<S: Store> Site<S> {
    /// The same on another view of the store.
    pub(crate) fn on<T>(&self, store: T) -> Site<T> {
        Site {
            design: Arc::clone(&self.design),
            store,
            environment: self.environment.clone(),
            table_names: self.table_names.clone(),
            entropy: Arc::clone(&self.entropy),
            seal: Arc::clone(&self.seal),
        }
    }

    /// Refuses a pattern, or another write of this name, that needs what the store doesn't have.
    pub(crate) async fn require(&self, name: &str, feature: Feature) -> Result<(), RunError> {
        if self.store.supports(feature).await {
            return Ok(());
        }
        Err(RunError::Unsupported { pattern: name.to_owned(), feature, store: self.store.label() })
    }

    /// The cursor of a call's next page.
    pub(crate) fn cursor(&self, call: &Call<'_>, payload: Payload) -> Cursor {
        Cursor::new(self.seal.clone(), call.bond(), payload)
    }

    /// The name of a table of the design in this environment.
    pub(crate) fn table_name<'a>(&'a self, table: &'a Table) -> &'a str {
        let position = self.design.tables.iter().position(|known| known.label == table.label);
        position.and_then(|position| self.table_names.get(position)).map_or(&table.name, String::as_str)
    }
}

/// The parts that plans are made from.
pub(crate) struct PlanContext<'a> {
    /// The design.
    pub(crate) design: &'a Design,
    /// Where it runs.
    pub(crate) environment: &'a str,
}

impl PlanContext<'_> {
    /// The name of a table in the environment.
    pub(crate) fn table_name(&self, table: &Table) -> String {
        table.name_in(self.environment)
    }
}
