//! Hostile input: every place where bytes of others come in, as a target with an oracle.
//!
//! It knows all rooms through their public faces, and nothing depends on it. A [`Target`] is a function of bytes that
//! panics if what it was given broke a promise; the promises stand at the top of each target's file. The same
//! targets are run in three ways: over the corpus and seeded mutations of it (`cargo test -p singlet-fuzz`), for
//! long ([`Session`], `cargo run -p singlet-fuzz`), and guided by coverage (`fuzz/run`). See `fuzz/README.md`.
//!
//! ```
//! singlet_fuzz::Target::Number.run(b"1e5\n-0.25");
//! ```

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "an oracle that fails panics: that is how a finding is reported"
)]

mod corpus;
mod dictionary;
mod fixture;
mod memory;
mod minimise;
mod mutate;
mod panics;
mod random;
mod session;
mod target;
mod targets;

pub use corpus::{Corpus, Entry, found_folder};
pub use dictionary::Dictionary;
pub use minimise::minimise;
pub use mutate::Mutator;
pub use random::Random;
pub use session::{Session, Summary, failure_of};
pub use target::Target;
