//! PartiQL for DynamoDB: the text of statements.
//!
//! This crate knows the grammar of statements, DynamoDB's errors for them, and which keys a `WHERE` clause names. It
//! turns a statement into the trees of `singlet-expr`, which are evaluated like all other expressions. It must not know
//! tables, storage or JSON. The caller passes in the key attributes.
//!
//! A text becomes tokens (`lexer`) and then a [`Statement`] (`parse`). [`Select::access`] says how its items are read:
//! by key ranges or by a scan. [`split_key`] finds the key of the single item that a write names.
//!
//! ```
//! use singlet_partiql::{Access, Statement};
//! use singlet_expr::{KeyAttribute, KeyNames};
//! use singlet_values::Kind;
//!
//! let text = r#"SELECT title FROM "recipes" WHERE id = ? AND likes > 10"#;
//! let Statement::Select(select) = Statement::parse(text, vec!["17".into()])? else { unreachable!() };
//! assert_eq!(select.source.table, "recipes");
//!
//! let key = KeyNames { partition: &[KeyAttribute { name: "id", kind: Kind::S }], sort: &[] };
//! assert!(matches!(select.access(&key)?, Access::Ranges(ranges) if ranges.len() == 1));
//! # Ok::<(), singlet_partiql::StatementError>(())
//! ```

mod access;
mod error;
mod key;
mod lexer;
mod parse;
mod statement;

pub use access::{Access, PARTITIONS_MAX};
pub use error::{Position, StatementError};
pub use key::{Keyed, split_key};
pub use statement::{Delete, Insert, OrderTerm, Returning, Select, Source, Statement, Update};
