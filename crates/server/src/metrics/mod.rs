//! The server's metrics, and the page that shows them.

mod capacity;
mod errors;
mod histogram;
mod page;
mod registry;

pub(crate) use page::{Usage, page};
pub(crate) use registry::Metrics;
