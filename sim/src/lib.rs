//! Simulation of the whole database: threads, disk and clock by a seed.
//!
//! It knows what clients of the database may see, and a disk that lies, tears, reorders and fails. It must not know how the
//! database works inside.
//!
//! ```
//! use singlet_sim::{Request, run_seed};
//!
//! let outcome = run_seed(Request { seed: 1, ..Request::default() });
//! assert!(outcome.result.is_ok(), "{:?}", outcome.result);
//! ```

mod audit;
mod client;
mod clock;
pub mod disk;
mod life;
pub mod linear;
pub mod model;
mod plan;
mod rot;
mod run;
mod simulated;
mod world;

pub use life::Lived;
pub use plan::{Plan, Scenario};
pub use run::{Outcome, Request, command, run_seed};
pub use singlet_engine_simulated::planted::Bug;
