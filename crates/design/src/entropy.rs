//! Injected randomness, and the ids that are made from it.

/// Gives random bytes; injected so that tests and samples can be repeated.
pub trait Entropy: Send + Sync {
    /// Fills the buffer.
    fn fill(&self, buffer: &mut [u8]);
}

/// The operating system's randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, buffer: &mut [u8]) {
        let _ = buffer;
        todo!()
    }
}
