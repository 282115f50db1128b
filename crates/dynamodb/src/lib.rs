//! Any DynamoDB endpoint as a store: Amazon DynamoDB, ScyllaDB Alternator, DynamoDB Local, or a Singlet server.
//!
//! This crate knows the official SDK: its requests, its errors, its configuration. It must not know designs, nor the
//! engine. Calls are the SDK's own futures and need a Tokio runtime with I/O and time.
//!
//! ```no_run
//! use singlet_dynamodb::{Connection, DynamoDb};
//! use singlet_store::Store;
//!
//! # async fn example() -> Result<(), singlet_store::StoreError> {
//! let connection = Connection { endpoint_url: Some("http://127.0.0.1:8000".to_owned()), ..Connection::default() };
//! let store = DynamoDb::connect(&connection).await;
//! println!("{:?}", store.describe_table("recipes").await?);
//! # Ok(())
//! # }
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
