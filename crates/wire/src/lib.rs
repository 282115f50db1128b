//! The DynamoDB JSON protocol: requests in, answers out.
//!
//! This crate knows JSON, the shapes of DynamoDB's requests and answers, the order of DynamoDB's checks, and the texts
//! of its errors. It must not know HTTP, signatures or storage: `singlet-server` receives the bytes and
//! `singlet-engine` does the work.
//!
//! A request passes through these modules:
//! - `read` reads it in one pass into typed members,
//! - `constraint` checks the members against the service model,
//! - `operations` turns them into a request of the engine, with `statements` for the text of PartiQL,
//! - `write` writes the answer from stored bytes.
//!
//! Every error has one entry in `error`, and every text is in `text`.
//!
//! ```
//! use singlet_engine::Database;
//! use singlet_wire::Service;
//!
//! # pollster::block_on(async {
//! let service = Service::new(Database::in_memory()?);
//! let table = br#"{
//!     "TableName": "recipes", "BillingMode": "PAY_PER_REQUEST",
//!     "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
//!     "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]
//! }"#;
//! assert_eq!(service.call("DynamoDB_20120810.CreateTable", table).await.status, 200);
//!
//! let item = br#"{"TableName": "recipes", "Item": {"id": {"S": "17"}, "minutes": {"N": "45.0"}}}"#;
//! assert_eq!(service.call("DynamoDB_20120810.PutItem", item).await.status, 200);
//!
//! let key = br#"{"TableName": "recipes", "Key": {"id": {"S": "17"}}}"#;
//! let found = service.call("DynamoDB_20120810.GetItem", key).await;
//! assert_eq!(found.body, br#"{"Item":{"id":{"S":"17"},"minutes":{"N":"45"}}}"#);
//! # Ok::<(), singlet_engine::Error>(())
//! # }).unwrap();
//! ```

mod choice;
mod constraint;
mod dispatch;
mod error;
mod expressions;
pub mod items;
mod operation;
mod operations;
mod read;
mod reply;
mod room;
mod service;
mod statements;
mod table_name;
mod text;
mod write;

pub use error::ProtocolError;
pub use operation::Operation;
pub use read::parsed_bytes_max;
pub use reply::{Consumption, Reply};
pub use room::{AnswerRoom, Unlimited};
pub use service::Service;
