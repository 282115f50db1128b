//! Answers that clients have not taken yet.
//!
//! A page is made in a moment, and a client may take its time to read it. However many do, what they leave with the server
//! is bounded: above half of the bound those that read slowly are closed early, and at the bound reads are refused until
//! there is room.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

use crate::connections::{Answering, Registration};
use crate::options::Limits;

/// Answers up to this size are not counted: the system's buffers take them, or a connection has such a one for a while.
const SMALL_BYTES_MAX: usize = 16 << 10;

/// What all answers together hold.
pub(crate) struct Answers {
    bytes_max: usize,
    bytes: AtomicUsize,
}

impl Answers {
    pub(crate) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self { bytes_max: limits.answers_bytes_max, bytes: AtomicUsize::new(0) })
    }

    /// Counts an answer until the system has taken all of it, and notes meanwhile that its client is to read it.
    pub(crate) fn hold(self: &Arc<Self>, body: Vec<u8>, registration: &Registration) -> Bytes {
        if body.len() <= SMALL_BYTES_MAX {
            return body.into();
        }
        self.bytes.fetch_add(body.capacity(), Ordering::Relaxed);
        let answering = registration.answering();
        Bytes::from_owner(Held { body, answers: Arc::clone(self), _answering: answering })
    }

    /// The bytes that answers hold now.
    pub(crate) fn held_bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether there is no room for another large answer.
    pub(crate) fn is_full(&self) -> bool {
        self.held_bytes() >= self.bytes_max
    }

    /// Whether slow readers should go.
    pub(crate) fn is_pressed(&self) -> bool {
        self.held_bytes() >= self.bytes_max / 2
    }
}

struct Held {
    body: Vec<u8>,
    answers: Arc<Answers>,
    _answering: Answering,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.answers.bytes.fetch_sub(self.body.capacity(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connections::Connections;

    #[test]
    fn a_large_answer_counts_until_its_last_piece_is_gone() {
        let limits = Limits { answers_bytes_max: 100_000, ..Limits::default() };
        let answers = Answers::new(&limits);
        let registration = Arc::new(Connections::new(&limits)).register().unwrap();
        let small = answers.hold(vec![1; 1_000], &registration);
        assert_eq!((small.len(), answers.held_bytes()), (1_000, 0));
        let mut large = answers.hold(vec![1; 60_000], &registration);
        assert!(answers.held_bytes() >= 60_000 && answers.is_pressed() && !answers.is_full());
        let rest = large.split_off(50_000);
        drop(large);
        let another = answers.hold(vec![1; 60_000], &registration);
        assert!(answers.is_full());
        drop((rest, another));
        assert_eq!(answers.held_bytes(), 0);
    }
}
