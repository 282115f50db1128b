//! Any DynamoDB endpoint as a store: Amazon DynamoDB, ScyllaDB Alternator, DynamoDB Local, or a Singlet server.
//!
//! This crate knows the official SDK: its requests, its errors, its configuration. It must not know designs, nor the
//! engine. Calls block the calling thread; the network is driven by a runtime of the store's own, so
//! they must not be made from asynchronous code.
//!
//! ```no_run
//! use singlet_dynamodb::{Connection, DynamoDb};
//! use singlet_store::Store;
//!
//! let connection = Connection { endpoint_url: Some("http://127.0.0.1:8000".to_owned()), ..Connection::default() };
//! let store = DynamoDb::connect(&connection)?;
//! println!("{:?}", store.describe_table("recipes")?);
//! # Ok::<(), singlet_store::StoreError>(())
//! ```

mod connection;
mod consumed;
mod endpoint;
mod error;
mod expressions;
mod features;
mod reads;
mod tables;
mod values;
mod writes;

pub use connection::Connection;
pub use endpoint::DynamoDb;
