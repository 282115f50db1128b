//! Mistakes that the simulation makes on purpose, to see whether it finds them. The ordinary engine has none of this: the
//! module is there under `cfg(simulated)` only, and so is every place that asks it.

/// A mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bug {
    /// The log is written and not synced.
    SkipsLogSync,
    /// Writes are acknowledged before they are durable.
    AcknowledgesBeforeSync,
    /// Writes are shown before they are durable.
    PublishesBeforeSync,
    /// A new segment of the log has a name that is not durable.
    SkipsFolderSync,
    /// An entry of an index is forgotten now and then.
    DropsIndexEntry,
    /// A commit gets the number of the one before it now and then.
    ReusesSequenceNumber,
    /// A token is forgotten.
    ForgetsToken,
    /// The tree says that it reaches a commit further than it does.
    FoldsTooFar,
    /// Segments of the log are given up before they are folded.
    TrimsTooEarly,
    /// Segments of the log are given up before their changes were kept.
    KeepsNoPast,
    /// The writer is not told that a fold is done.
    ForgetsToWake,
    /// Opening builds on what a killed program left without making it durable.
    TrustsUnsyncedFiles,
}

impl Bug {
    /// All mistakes.
    pub const ALL: [Bug; 12] = [
        Bug::SkipsLogSync,
        Bug::AcknowledgesBeforeSync,
        Bug::PublishesBeforeSync,
        Bug::SkipsFolderSync,
        Bug::DropsIndexEntry,
        Bug::ReusesSequenceNumber,
        Bug::ForgetsToken,
        Bug::FoldsTooFar,
        Bug::TrimsTooEarly,
        Bug::KeepsNoPast,
        Bug::ForgetsToWake,
        Bug::TrustsUnsyncedFiles,
    ];

    /// The number by which an execution is told to make it.
    pub fn number(self) -> u32 {
        self as u32
    }

    /// Whether this execution makes it.
    pub(crate) fn is_planted(self) -> bool {
        singlet_scheduler::planted() == Some(self.number())
    }
}
