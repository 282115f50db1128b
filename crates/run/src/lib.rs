//! Designs on stores: running patterns, explaining their requests and cost, sample data, and tables that match a design.
//!
//! This crate joins designs and stores. It checks parameters, builds keys, keeps derived attributes correct, merges
//! pages and encrypts cursors. It must not know which database is behind a store, and neither HTTP, terminals nor files.
//!
//! [`apply`] changes tables to match a design, [`seed`] makes sample data, and [`explain`] shows the requests of a
//! pattern.
//!
//! Everything that reaches a store is asynchronous. The futures can be sent to other threads and need a Tokio runtime
//! with time, because a write that meets another one pauses before it tries again. A command that has no runtime calls
//! [`Wait::wait`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use singlet_design::Json;
//! use singlet_engine::Database;
//! use singlet_run::{Arguments, Paging, Runner, Wait, apply};
//! use singlet_store::Embedded;
//!
//! let source = r#"
//! design = "notes"
//! [table]
//! key = ["PK", "SK"]
//! [entity.Note]
//! key = ["USER#{user_id}", "NOTE#{note_id}"]
//! fields = { user_id = "key", note_id = "id", text = "string" }
//! [pattern.save_note]
//! put = "Note"
//! [pattern.notes]
//! query = "Note"
//! "#;
//! let design = Arc::new(singlet_design::load("notes.toml", source)?);
//! let store = Embedded::new(Database::in_memory()?, "memory");
//! let environment = apply::choose_environment(&design, None)?;
//! apply::plan(&design, &environment, &store).wait()?.run(&store, &mut |_| {}).wait()?;
//!
//! let runner = Runner::new(design, store, environment.name);
//! let note = [("user_id", "u1"), ("note_id", "n1"), ("text", "Buy milk")];
//! let note: Arguments = note.map(|(name, value)| (name.to_owned(), Json::from(value))).into();
//! runner.run("save_note", &note, &Paging::default()).wait()?;
//! let notes = runner.run("notes", &[("user_id", Json::from("u1"))], &Paging::default()).wait()?;
//! assert!(notes.to_json().to_string().contains("Buy milk"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
pub mod apply;
mod arguments;
mod blocking;
mod call;
mod conditions;
mod cursor;
pub mod derive;
mod entropy;
mod error;
mod expiry;
pub mod explain;
mod expression;
pub mod fan;
mod given;
mod item_path;
mod key_values;
mod keys;
mod needs;
mod outcome;
mod read;
mod rights;
mod runner;
pub mod seed;
mod usage;
mod write;

pub use access::Caller;
pub use arguments::{ArgumentList, Arguments};
pub use blocking::Wait;
pub use call::Paging;
pub use conditions::{holds_by, holds_for};
pub use cursor::Cursor;
pub use entropy::{Entropy, SeededEntropy, SystemEntropy};
pub use error::{RunError, WrongParameter};
pub use needs::{Need, needs, unmet_needs};
pub use outcome::{BulkFailure, BulkReport, Outcome, Record, Shown};
pub use runner::{Runner, check_arguments};
pub use usage::{ParameterUsage, Usage};
pub use write::{
    ItemAction, ItemDifference, ItemError, ItemVersion, ItemWrite, followed_fields, reservation,
};
