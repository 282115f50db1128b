//! Threads, locks, channels and time whose interleaving a seed decides.
//!
//! It knows when threads may change and which one runs next. It must not know a database.
//!
//! Threads are real ones, but only the one that holds the *baton* runs. Every operation of the primitives here is a
//! point at which the baton may be passed on, to whom the seed says. Time is virtual: it passes a little with every
//! step, and jumps to the end of somebody's wait when nobody else can run, or whenever the seed wants it. So one seed
//! gives one execution, and the same one again. A state in which nobody can run any more is a finding.
//!
//! ```
//! use singlet_scheduler::{Settings, run, sync::Mutex, thread};
//! use std::sync::Arc;
//!
//! let outcome = run(Settings::new(7), || {
//!     let sum = Arc::new(Mutex::new(0));
//!     let other = sum.clone();
//!     let adder = thread::spawn("adder", move || *other.lock().unwrap() += 2);
//!     *sum.lock().unwrap() += 1;
//!     adder.join().map_err(|_| "the adder panicked".to_owned())?;
//!     let sum = *sum.lock().unwrap();
//!     Ok(sum)
//! });
//! assert_eq!(outcome.result, Ok(3));
//! ```

pub mod atomic;
mod baton;
pub mod mpsc;
pub mod oneshot;
mod random;
mod shared;
pub mod sync;
pub mod thread;
pub mod time;

pub use baton::{Execution, Settings, fill, note, now_ns, planted, point, random, run};
pub use random::Random;
pub use shared::ArcSwap;
