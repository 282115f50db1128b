//! The worker's own writes, as they come back in the change feed.

/// The last batch of which a feed has shown a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Seen {
    pub(crate) batch: u64,
    /// The commit that this batch was.
    pub(crate) commit: u64,
}

impl Seen {
    /// Notes a write that names a batch. Returns whether the batch can have made it: batches come in their order, and each
    /// is one commit. A program that puts an old copy of an item back repeats an older write, in another commit.
    pub(crate) fn note(&mut self, batch: u64, commit: u64) -> bool {
        if batch > self.batch {
            *self = Seen { batch, commit };
        }
        *self == Seen { batch, commit }
    }
}
