//! The one way to a database: a small trait in DynamoDB's own terms.
//!
//! This crate knows requests, their answers, the shapes of tables, and the engine in this process as a store. It must
//! not know designs, nor any service over a network: `singlet-dynamodb` reaches those.
//!
//! Calls are synchronous. What can go on at once is handed over as one call, so that a store with a network behind it
//! can overlap the waiting. Every store is held to the checks in `tests/conformance`.
//!
//! ```
//! use singlet_engine::Database;
//! use singlet_store::{AttributeDefinition, Embedded, ScalarType, Store, TableChange, TableShape};
//!
//! let store = Embedded::new(Database::in_memory()?, "memory");
//! store.change_table(&TableChange::Create(TableShape {
//!     name: "notes".to_owned(),
//!     partition: AttributeDefinition { name: "PK".to_owned(), scalar: ScalarType::S },
//!     sort: None,
//!     indexes: Vec::new(),
//!     protected: false,
//!     ttl: None,
//!     stream: false,
//!     recovery_days: None,
//!     backup: None,
//! }))?;
//! let state = store.describe_table("notes")?.expect("it was created");
//! assert_eq!(state.shape.key_in_words(), "key PK");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod embedded;
mod error;
mod request;
mod store;
mod table;

pub use embedded::Embedded;
pub use error::{Cancellation, StoreError};
pub use request::{
    BatchFound, BatchGet, Consumed, DeleteItem, Found, GetItem, Page, PutItem, Query, ReturnItem, Scan,
    TransactAction, TransactFound, TransactGet, TransactWrite, UpdateItem, Written,
};
pub use singlet_engine::{
    AttributeDefinition, Clock, ProjectedAttributes, ScalarType, Schedule, SystemClock,
};
pub use store::{Feature, Store};
pub use table::{IndexShape, IndexState, TableChange, TableShape, TableState};
