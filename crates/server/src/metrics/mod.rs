//! What the server counts, and the page that shows it.

mod capacity;
mod errors;
mod histogram;
mod page;
mod registry;

pub(crate) use page::{Held, page};
pub(crate) use registry::Metrics;
