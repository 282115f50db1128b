//! Tables that are made to match a design: what must be done is found first, can be shown, and is then done.
//!
//! A [`Plan`] holds steps, notes and obstacles. Nothing is done while there is an obstacle: a change that no backend
//! can make to a table with data in it, such as another key.

mod environment;
mod needs;
mod plan;
mod print;
mod removal;
mod run;
mod shape;
#[cfg(test)]
mod tests;

pub use environment::{EnvironmentError, choose_environment};
pub use needs::{Need, needs, unmet_needs};
pub use plan::{Plan, Step, plan};
pub use removal::plan_removal;
pub use run::{ApplyError, Progress};
pub use shape::shape_in;
