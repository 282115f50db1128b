//! The HTTP server in front of a DynamoDB-compatible database.
//!
//! This crate knows HTTP/1.1, TLS, AWS's signatures, limits and timeouts, and the format of a metrics page. It must not
//! know JSON, items or storage. The [`Api`] behind it carries out the calls; for the `singlet` command that is the wire
//! crate's service.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! use singlet_engine::Database;
//! use singlet_server::{Options, Server};
//! use singlet_wire::Service;
//!
//! let options = Options { address: "127.0.0.1:0".to_owned(), ..Options::default() };
//! let server = Server::bind(options).await?;
//! println!("listening on {}", server.address());
//!
//! let database = Database::in_memory()?;
//! // Serves until the future ends: here, at once.
//! server.run(Service::new(database.clone()), std::future::ready(())).await;
//! database.close()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer_body;
mod answers;
mod api;
mod body;
mod caller;
mod caught;
mod connection;
mod connections;
mod cors;
mod database;
mod encoding;
mod error;
mod header;
mod health;
mod host;
mod leftover;
mod listener;
mod mailbox;
mod metrics;
mod mount;
mod options;
mod pace;
mod refusal;
mod repoll;
mod request;
mod request_id;
mod response;
mod signature;
mod tls;
mod workers;

pub use api::{
    Api, DerivedStatistics, IndexStatistics, OutletStatistics, PatternStatistics, Statistics, StorageFigure,
    TableStatistics,
};
pub use error::StartError;
pub use listener::{Server, Stopped};
pub use mount::OWN_PATHS;
pub use options::{Limits, Options, TlsFiles};
pub use signature::{ACCESS_KEY_VARIABLE, AccessKey, Credentials, CredentialsError, SECRET_KEY_VARIABLE};
