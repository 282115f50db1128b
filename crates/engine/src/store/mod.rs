//! Storage: a commit log, an ordered overlay in memory, and a tree on disk into which the overlay is folded.
//!
//! It knows bytes: keys, values, and totals per space. It must not know items, tables or indexes.
//!
//! ```text
//! submit → queue → writer ──frames, view, completions──► log ──► publish, complete
//!                    ▲   applies jobs in one order        one sync per group
//!                    └── folded ◄── fold: frozen overlay → tree, then trims the log
//! ```
//!
//! One writer thread applies jobs to the working state. The log thread makes them durable and only then publishes the
//! snapshot that shows them. So a reader never sees a write that a crash could still undo, and evaluating one batch
//! overlaps with the sync of the batch before.

mod batch;
mod clock;
mod committer;
mod disk;
mod error;
mod fold;
mod history;
mod log;
mod maintenance;
mod offline;
mod open;
mod options;
mod overlay;
mod published;
mod queue;
mod range;
mod reach;
mod room;
mod seal;
mod shared;
mod stats;
#[expect(clippy::module_inception, reason = "the module is named after the type that it is about")]
mod store;
mod tally;
#[cfg(test)]
pub(crate) mod tests;
mod timekeeper;
mod tree;
mod view;
mod watch;
mod writer;

pub use batch::{Batch, Completion, Handler};
pub use clock::{Clock, ManualClock, SystemClock};
pub use disk::{Disk, DiskFile, FileDisk, FileId, FrozenDisk, MemoryDisk};
pub(crate) use disk::{create_private_folder, open_file};
pub use error::{CommitError, StoreError, TrySubmitError};
pub use history::{Changes, ChangesBack, Latest, Logged, Position};
pub use offline::{StoreChecked, StorePart, check_store, compact_store};
pub use options::{StoreOptions, SyncPolicy};
pub use range::{Direction, Range};
pub use reach::Loss;
pub use seal::{Key, KeyError, KeyId, SealedDisk, key_of, rotate_key};
pub(crate) use seal::{is_database_file, open_outside, seal_outside};
pub use stats::StoreStats;
pub use store::{Opened, Store};
pub use tally::{Space, Tally};
pub use timekeeper::{ClockEvent, Opening, Timekeeper};
pub(crate) use timekeeper::{STEP_MS_MAX, time_after};
pub use tree::Compacted;
pub use view::View;

/// The versions of the data files that this program writes.
pub const FORMAT_VERSIONS: [(&str, u32); 2] =
    [("log", log::LOG_FORMAT_VERSION), ("tree", tree::PAGES_FORMAT_VERSION)];
