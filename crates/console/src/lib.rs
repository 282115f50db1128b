//! The console: web pages about designs, their patterns and the items in their tables.
//!
//! This crate knows HTTP, HTML and designs. It reaches items only through runners and the [`Store`](singlet_store::Store)
//! behind them, and must not know which database that is; nor terminals, sockets and files.
//!
//! Pages are rendered here and are readable without JavaScript. Style sheet, scripts and icons are part of the program,
//! so a page needs nothing from the network. Every text of a design or an item is escaped, and the policy of
//! the pages forbids scripts and styles that aren't files of this crate.
//!
//! A server mounts the router beside its own routes:
//!
//! ```
//! use std::sync::Arc;
//!
//! use singlet_console::{Permission, Served, router};
//! use singlet_engine::Database;
//! use singlet_run::Runner;
//! use singlet_store::Embedded;
//!
//! let source = r#"
//! design = "notes"
//! [table]
//! key = ["PK", "SK"]
//! [entity.Note]
//! key = ["USER#{user_id}", "NOTE#{note_id}"]
//! fields = { user_id = "key", note_id = "id", text = "string" }
//! [pattern.notes]
//! query = "Note"
//! "#;
//! let design = Arc::new(singlet_design::load("notes.toml", source)?);
//! let store = Embedded::new(Database::in_memory()?, "memory");
//! let notes = Served::new(Runner::new(design, store, "dev"), "notes.toml");
//! // Answers everything below `/console/`.
//! let pages: axum::Router = router(vec![notes], Permission::Write);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assets;
mod audits;
mod changes;
mod console;
mod cost;
mod data;
mod derived;
mod design;
mod difference;
mod edit;
mod failure;
mod figures;
mod guard;
mod headers;
mod icon;
mod input;
mod key_text;
mod keys;
mod layout;
mod link;
mod notice;
mod overview;
mod parts;
mod pattern;
mod reference;
mod router;
mod search;
mod statement;
mod text;
mod time;
mod typed;
mod value;
mod visit;

pub use console::{Permission, Served};
pub use link::BASE;
pub use router::router;
