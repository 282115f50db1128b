//! The [`Store`] trait: a database in DynamoDB's own terms.
//!
//! This crate knows requests, their answers, the shapes of tables, and the engine in this process as a store. It must
//! not know designs, nor any service over a network: `singlet-dynamodb` reaches those.
//!
//! Conditions, projections and updates are trees of `singlet-expr`. Calls are asynchronous and need no particular
//! runtime. Independent queries are passed as one call, so that a store behind a network can overlap the waiting. All
//! stores must pass the tests in `tests/conformance`.
//!
//! ```
//! use singlet_engine::Database;
//! use singlet_store::{AttributeDefinition, Embedded, ScalarType, Store, TableChange, TableShape};
//!
//! # pollster::block_on(async {
//! let store = Embedded::new(Database::in_memory()?, "memory");
//! let shape = TableShape {
//!     name: "notes".to_owned(),
//!     partition: AttributeDefinition { name: "PK".to_owned(), scalar: ScalarType::S },
//!     sort: None,
//!     indexes: Vec::new(),
//!     protected: false,
//!     ttl: None,
//!     stream: false,
//!     recovery_days: None,
//!     backup: None,
//!     throughput: None,
//! };
//! store.change_table(&TableChange::Create(shape)).await?;
//! let state = store.describe_table("notes").await?.expect("it was created");
//! assert_eq!(state.shape.key_in_words(), "key PK");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).expect("the example runs");
//! ```

mod either;
mod embedded;
mod error;
mod feed;
mod history;
mod request;
mod store;
mod table;

pub use either::Either;
pub use embedded::{Embedded, EmbeddedChanges};
pub use error::{Cancellation, StoreError};
pub use feed::{ChangeFeed, ChangeReader, FeedStart, ItemChange};
pub use history::History;
pub use request::{
    BatchFound, BatchGet, Consumed, DeleteItem, Found, GetItem, Page, PutItem, Query, ReturnItem, Scan,
    TransactAction, TransactFound, TransactGet, TransactWrite, UpdateItem, Written,
};
pub use singlet_engine::{
    AttributeDefinition, BackupDescription, BackupStatus, ChangePosition, ChangesFrom, Clock, Past,
    PastItems, PastRange, ProjectedAttributes, ProvisionedThroughput, ReadChanges, ReadPast, RecordedChange,
    RecoveryWindow, ScalarType, Schedule, SystemClock,
};
pub use store::{Feature, Store};
pub use table::{CapacityChange, IndexShape, IndexState, TableChange, TableShape, TableState};
