//! Memory for answers: those that are being written, and those that clients haven't read yet.
//!
//! A page is written in a moment, but a client may read it slowly. The memory of all answers together is bounded:
//!
//! - An operation with a possibly large answer reserves room for it first. If there isn't any, it waits for some time
//!   and is then rejected.
//! - Other reads are rejected at the limit.
//! - Above half of the limit, clients that read slowly are closed early.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use singlet_wire::AnswerRoom;
use tokio::sync::Notify;

use crate::connections::{Answering, Registration};
use crate::options::Limits;

/// Answers up to this size aren't counted. They fit in the system's buffers, or a connection holds one for a while.
const SMALL_BYTES_MAX: usize = 16 << 10;

/// The memory of all answers together.
pub(crate) struct Answers {
    bytes_max: usize,
    /// Reserved and held.
    bytes: AtomicUsize,
    /// Notifies one waiting request that there may be room.
    freed: Notify,
    room_timeout: Duration,
}

impl Answers {
    pub(crate) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            bytes_max: limits.answers_bytes_max,
            bytes: AtomicUsize::new(0),
            freed: Notify::new(),
            room_timeout: limits.room_timeout,
        })
    }

    /// An empty reservation, which an operation can extend.
    pub(crate) fn reservation(&self) -> Reservation<'_> {
        Reservation { answers: self, bytes: AtomicUsize::new(0), is_refused: AtomicBool::new(false) }
    }

    /// Counts an answer until the system has taken all of it. Until then the registration records that the client has
    /// to read an answer. The answer's own size replaces its reservation.
    pub(crate) fn hold(
        self: &Arc<Self>,
        mut body: Vec<u8>,
        reservation: Reservation<'_>,
        registration: &Registration,
    ) -> Bytes {
        if body.len() <= SMALL_BYTES_MAX {
            return body.into();
        }
        let reserved_bytes = reservation.bytes.swap(0, Ordering::Relaxed);
        if body.capacity() > reserved_bytes && reserved_bytes > 0 {
            // The vector's spare capacity isn't reserved.
            body.shrink_to_fit();
        }
        let counted_bytes = body.capacity();
        match counted_bytes.checked_sub(reserved_bytes) {
            Some(more) => _ = self.bytes.fetch_add(more, Ordering::Relaxed),
            None => self.give_back(reserved_bytes - counted_bytes),
        }
        let answering = registration.answering();
        Bytes::from_owner(HeldBody { body, counted_bytes, answers: Arc::clone(self), _answering: answering })
    }

    /// Counts a piece of an answer until the system has taken all of it.
    pub(crate) fn hold_piece(self: &Arc<Self>, piece: Bytes) -> Bytes {
        if piece.len() <= SMALL_BYTES_MAX {
            return piece;
        }
        self.bytes.fetch_add(piece.len(), Ordering::Relaxed);
        Bytes::from_owner(HeldPiece { piece, answers: Arc::clone(self) })
    }

    /// The bytes that answers hold now, including reservations.
    pub(crate) fn held_bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether there isn't room for another large answer.
    pub(crate) fn is_full(&self) -> bool {
        self.held_bytes() >= self.bytes_max
    }

    /// Whether there is room for an answer without a reservation.
    pub(crate) fn take_unreserved(&self, body: &[u8], reservation: &Reservation<'_>) -> bool {
        body.len() <= SMALL_BYTES_MAX || !reservation.is_empty() || !self.is_full()
    }

    /// Whether slow readers should be closed.
    pub(crate) fn is_pressed(&self) -> bool {
        self.held_bytes() >= self.bytes_max / 2
    }

    /// Takes room for `bytes`, if there is enough. A single answer always has room, whatever its size.
    fn take(&self, bytes: usize) -> bool {
        let raised = |held: usize| {
            let sum = held.saturating_add(bytes);
            (held == 0 || sum <= self.bytes_max).then_some(sum)
        };
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, raised).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        if bytes > 0 {
            self.bytes.fetch_sub(bytes, Ordering::Relaxed);
            self.freed.notify_one();
        }
    }

    /// Waits until there is room for `bytes`.
    async fn taken(&self, bytes: usize) {
        loop {
            // Registering before the check makes sure that no release in between is missed.
            let freed = self.freed.notified();
            if self.take(bytes) {
                // There may be enough room for another waiting request.
                self.freed.notify_one();
                return;
            }
            freed.await;
        }
    }
}

/// Room for the answer of one request. Dropping it releases the room.
pub(crate) struct Reservation<'a> {
    answers: &'a Answers,
    bytes: AtomicUsize,
    is_refused: AtomicBool,
}

impl Reservation<'_> {
    /// Whether the request asked for room and didn't get it.
    pub(crate) fn is_refused(&self) -> bool {
        self.is_refused.load(Ordering::Relaxed)
    }

    fn is_empty(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) == 0
    }
}

impl AnswerRoom for Reservation<'_> {
    fn try_reserve(&self, bytes: usize) -> bool {
        let is_taken = self.answers.take(bytes);
        if is_taken {
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        is_taken
    }

    fn reserve(&self, bytes: usize) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(async move {
            let taken = tokio::time::timeout(self.answers.room_timeout, self.answers.taken(bytes)).await;
            match taken {
                Ok(()) => _ = self.bytes.fetch_add(bytes, Ordering::Relaxed),
                Err(_) => self.is_refused.store(true, Ordering::Relaxed),
            }
            taken.is_ok()
        })
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.answers.give_back(*self.bytes.get_mut());
    }
}

struct HeldBody {
    body: Vec<u8>,
    counted_bytes: usize,
    answers: Arc<Answers>,
    _answering: Answering,
}

impl Drop for HeldBody {
    fn drop(&mut self) {
        self.answers.give_back(self.counted_bytes);
    }
}

impl AsRef<[u8]> for HeldBody {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

struct HeldPiece {
    piece: Bytes,
    answers: Arc<Answers>,
}

impl Drop for HeldPiece {
    fn drop(&mut self) {
        self.answers.give_back(self.piece.len());
    }
}

impl AsRef<[u8]> for HeldPiece {
    fn as_ref(&self) -> &[u8] {
        &self.piece
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connections::Connections;

    fn answers(bytes_max: usize, room_timeout: Duration) -> (Arc<Answers>, Registration) {
        let limits = Limits { answers_bytes_max: bytes_max, room_timeout, ..Limits::default() };
        let registration = Arc::new(Connections::new(&limits)).register([127, 0, 0, 1].into()).unwrap();
        (Answers::new(&limits), registration)
    }

    #[test]
    fn a_large_answer_counts_until_its_last_piece_is_gone() {
        let (answers, registration) = answers(100_000, Duration::ZERO);
        let hold = |bytes| answers.hold(vec![1; bytes], answers.reservation(), &registration);
        let small = hold(1_000);
        assert_eq!((small.len(), answers.held_bytes()), (1_000, 0));
        let mut large = hold(60_000);
        assert!(answers.held_bytes() >= 60_000 && answers.is_pressed() && !answers.is_full());
        let rest = large.split_off(50_000);
        drop(large);
        let another = hold(60_000);
        assert!(answers.is_full());
        drop((rest, another));
        assert_eq!(answers.held_bytes(), 0);
    }

    #[test]
    fn an_answer_takes_the_place_of_its_reservation_whether_it_is_larger_or_smaller() {
        let (answers, registration) = answers(1_000_000, Duration::ZERO);
        for answer_bytes in [100, 50_000, 300_000] {
            let reservation = answers.reservation();
            assert!(reservation.try_reserve(100_000));
            assert_eq!(answers.held_bytes(), 100_000);
            let mut body = Vec::with_capacity(answer_bytes);
            body.resize(answer_bytes, 1);
            let counted = if answer_bytes > SMALL_BYTES_MAX { body.capacity() } else { 0 };
            let answer = answers.hold(body, reservation, &registration);
            assert_eq!(answers.held_bytes(), counted);
            drop(answer);
            assert_eq!(answers.held_bytes(), 0);
        }
    }

    #[test]
    fn reservations_stay_within_the_bound_and_one_alone_always_fits() {
        let (answers, _) = answers(100_000, Duration::ZERO);
        let huge = answers.reservation();
        assert!(huge.try_reserve(1_000_000));
        assert!(!answers.reservation().try_reserve(1));
        drop(huge);
        let (first, second) = (answers.reservation(), answers.reservation());
        assert!(first.try_reserve(60_000) && !second.try_reserve(60_000) && second.try_reserve(40_000));
    }

    #[tokio::test]
    async fn those_that_wait_get_the_room_that_others_give_back_or_are_refused_in_time() {
        let (answers, _) = answers(100_000, Duration::from_secs(20));
        let held = answers.reservation();
        assert!(held.try_reserve(90_000));
        let waiting: Vec<_> = (0..5)
            .map(|_| {
                let answers = Arc::clone(&answers);
                tokio::spawn(async move {
                    let reservation = answers.reservation();
                    let is_taken = reservation.reserve(20_000).await && !reservation.is_refused();
                    // It stays reserved.
                    std::mem::forget(reservation);
                    is_taken
                })
            })
            .collect();
        tokio::task::yield_now().await;
        drop(held);
        for task in waiting {
            assert!(task.await.unwrap());
        }
        assert_eq!(answers.held_bytes(), 100_000);

        let (answers, _) = self::answers(10, Duration::from_millis(1));
        let held = answers.reservation();
        assert!(held.try_reserve(10));
        let refused = answers.reservation();
        assert!(!refused.reserve(10).await && refused.is_refused());
        drop(refused);
        assert_eq!(answers.held_bytes(), 10);
    }
}
