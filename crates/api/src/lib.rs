//! Access patterns over HTTP.
//!
//! Each callable pattern of a design is an operation below `/<design>`. This crate knows routes, requests, answers,
//! problem details and OpenAPI. It must not know which database is behind a store, nor sockets: the server that mounts
//! its router has the limits for connections and memory.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! use std::net::IpAddr;
//! use std::sync::Arc;
//!
//! use axum::body::Body;
//! use axum::http::Request;
//! use singlet_api::{Metered, Served, router};
//! use singlet_engine::Database;
//! use singlet_run::{Runner, apply};
//! use singlet_store::Embedded;
//! use tower_service::Service;
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
//! let environment = apply::choose_environment(&design, None)?;
//! apply::plan(&design, &environment, &store).await?.run(&store, &mut |_| {}).await?;
//!
//! let runner = Runner::new(design, Metered::new(store), environment.name);
//! let mut api = router(vec![Served::new(runner)]);
//! let mut request = Request::get("/notes/users/u1/notes").body(Body::empty())?;
//! request.extensions_mut().insert(IpAddr::from([127, 0, 0, 1]));
//! assert_eq!(api.call(request).await?.status(), 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod callers;
mod conditional;
mod cost;
mod endpoint;
mod feed;
mod figures;
mod input;
mod live;
mod metered;
mod negotiate;
mod openapi;
mod page;
mod position;
mod problem;
mod refusal;
mod router;
mod served;
mod service;
mod trace;
mod write;

pub use callers::{Authority, CallerKeys, DevelopmentKey, KeyFileError};
pub use figures::{Figures, PatternFigures};
pub use metered::Metered;
pub use router::{router, router_for};
pub use served::Served;
