//! The rules about callers: whether somebody may run a pattern, and which items they reach.
//!
//! The operator, who runs patterns with [`Runner::run`], isn't restricted. A caller of the API is: [`Runner::run_as`]
//! decides by the rules of the design. A rule is decided before the call as far as
//! possible. The rest is a condition on items: of the write, so that nothing can happen in between, or on what was read, before anything is returned.

mod caller;
mod decide;
mod items;
mod relation;
mod run_as;

pub use caller::Caller;

#[cfg(doc)]
use crate::Runner;
