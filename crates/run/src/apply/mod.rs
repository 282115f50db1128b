//! Tables that are made to match a design: what must be done is found first, can be shown, and is then done.
//!
//! A [`Plan`] holds steps, notes and obstacles. Nothing is done while there is an obstacle: a change that no backend
//! can make to a table with data in it, such as another key. Nor is anything done while items are [`Outdated`], unless
//! that is accepted: the database remembers the design that was applied last, and a plan is also the difference between
//! the two.

mod blueprint;
mod capacity;
mod derived;
mod difference;
mod environment;
mod outdated;
mod plan;
mod print;
mod record;
mod release;
mod removal;
mod run;
mod shape;
#[cfg(test)]
mod tests;
mod warning;

pub use derived::DERIVED_TABLE;
pub use environment::{EnvironmentError, choose_environment};
pub use outdated::Outdated;
pub use plan::{Plan, Step, plan, plan_watched};
pub use record::DESIGNS_TABLE;
pub use release::Release;
pub use removal::plan_removal;
pub use run::{ApplyError, Progress};
pub use shape::shape_in;
pub use warning::warnings;
