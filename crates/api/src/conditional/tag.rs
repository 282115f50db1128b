//! Tags of items.

use sha2::{Digest, Sha256};
use singlet_run::{Entropy, SystemEntropy};
use singlet_values::EncodedItem;

/// Makes the tags of items: strong ones, which change with anything in the stored item.
///
/// A tag also depends on fields that a caller doesn't see. So it is made with a secret, which nobody can use to find them
/// out. The secret is that of the process: tags of another one don't match.
#[derive(Debug)]
pub(crate) struct Tagger {
    secret: [u8; 32],
}

impl Tagger {
    pub(crate) fn new() -> Self {
        let mut secret = [0; 32];
        SystemEntropy::default().fill(&mut secret);
        Self { secret }
    }

    /// The tag of an item, in quotes.
    pub(crate) fn tag(&self, item: &EncodedItem) -> String {
        let digest = Sha256::new().chain_update(self.secret).chain_update(item.as_bytes()).finalize();
        let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        format!("\"{hex}\"")
    }
}
