//! Deliberate mistakes, to see whether the simulation finds them. The ordinary engine has none of this: the module
//! and every use of it exist only under `cfg(simulated)`.

/// Makes the list of mistakes: each has a line about it and a name on the command line.
macro_rules! bugs {
    ($(#[doc = $about:literal] $bug:ident = $name:literal,)+) => {
        /// A mistake.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Bug {
            $(#[doc = $about] $bug,)+
        }

        impl Bug {
            /// All mistakes.
            pub const ALL: &[Bug] = &[$(Bug::$bug,)+];

            /// The name on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Bug::$bug => $name,)+ }
            }

            /// A description in one line, without a full stop.
            pub fn about(self) -> &'static str {
                match self { $(Bug::$bug => $about.trim_start().trim_end_matches('.'),)+ }
            }
        }
    };
}

bugs! {
    /// The log is written and not synced.
    SkipsLogSync = "skips-log-sync",
    /// Writes are acknowledged before they are durable.
    AcknowledgesBeforeSync = "acknowledges-before-sync",
    /// Writes are shown before they are durable.
    PublishesBeforeSync = "publishes-before-sync",
    /// A new segment of the log has a name that is not durable.
    SkipsFolderSync = "skips-folder-sync",
    /// An entry of an index is forgotten now and then.
    DropsIndexEntry = "drops-index-entry",
    /// A commit gets the number of the one before it now and then.
    ReusesSequenceNumber = "reuses-sequence-number",
    /// A token is forgotten.
    ForgetsToken = "forgets-token",
    /// The tree says that it reaches a commit further than it does.
    FoldsTooFar = "folds-too-far",
    /// Segments of the log are given up before they are folded.
    TrimsTooEarly = "trims-too-early",
    /// Segments of the log are given up before their changes were kept.
    KeepsNoPast = "keeps-no-past",
    /// The writer is not told that a fold is done.
    ForgetsToWake = "forgets-to-wake",
    /// Opening builds on what a killed program left without making it durable.
    TrustsUnsyncedFiles = "trusts-unsynced-files",
    /// Damage in the last segment of the log is taken for its end, though the mark tells better.
    TakesDamageForEnd = "takes-damage-for-end",
    /// Pages of the tree are not compared with their checksums.
    SkipsPageCheck = "skips-page-check",
    /// How far the log reaches is never written down.
    ForgetsReach = "forgets-reach",
    /// Opening doesn't look how far the log reached.
    IgnoresReach = "ignores-reach",
    /// The times of commits never go back, though the clock was ahead.
    NeverGoesBack = "never-goes-back",
    /// A jump of the wall clock is believed at once.
    BelievesEveryJump = "believes-every-jump",
}

impl Bug {
    /// The number by which an execution is told to make it.
    pub fn number(self) -> u32 {
        self as u32
    }

    /// Whether this execution makes it.
    pub(crate) fn is_planted(self) -> bool {
        singlet_scheduler::planted() == Some(self.number())
    }
}
