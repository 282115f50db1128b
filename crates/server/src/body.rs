//! Request bodies: received up to a limit, decompressed, and given room for the requests in them.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use singlet_wire::{ProtocolError, parsed_bytes_max};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::encoding::Encoding;
use crate::options::Limits;

/// Bodies up to this size don't need a reservation, because a connection needs that much memory anyway.
const SMALL_BYTES_MAX: usize = 16 << 10;
/// The fraction of the memory for bodies that senders with an unverified signature share.
const UNVERIFIED_SHARE: usize = 4;
/// The granularity of the room for large bodies.
const ROOM_BYTES: usize = 1 << 10;
/// The largest room that one request can ask for.
const PERMITS_MAX: usize = u32::MAX as usize;

/// Receives bodies. All large bodies together stay within a limit, however many clients send at once.
///
/// Room is taken as bytes arrive, not as they are announced, so a slow sender holds little. A part of the room is
/// reserved as slots for one whole body each. A sender that finds no other room waits for a slot, so that many
/// unfinished bodies can't block each other.
pub(crate) struct Bodies {
    bytes_max: usize,
    known: Pool,
    /// A smaller share for bodies whose senders haven't proved yet that they know the secret of their key. `None` if
    /// the server has no credentials.
    unverified: Option<Pool>,
    /// Room for what is read from bodies.
    parsed: Semaphore,
    parsed_permits: usize,
    room_timeout: Duration,
}

/// The proof about its sender that the head of a request gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sender {
    /// The signature matches the body hash in the head, or no signature is required, or the body is small.
    Known,
    /// The signature can't be verified without the body.
    Unverified,
}

/// Room for bodies.
struct Pool {
    room: Semaphore,
    room_permits: usize,
    places: Semaphore,
    places_max: usize,
}

impl Pool {
    fn new(bytes: usize, body_bytes_max: usize) -> Self {
        // One body must always fit into a slot. Otherwise it would wait forever.
        let places_max = (bytes / body_bytes_max.max(1) / 2).max(1);
        let rest_bytes = bytes.saturating_sub(places_max * body_bytes_max);
        let room_permits = (rest_bytes / ROOM_BYTES).min(Semaphore::MAX_PERMITS);
        Self {
            room: Semaphore::new(room_permits),
            room_permits,
            places: Semaphore::new(places_max),
            places_max,
        }
    }

    fn held_bytes(&self, body_bytes_max: usize) -> usize {
        let parts = self.room_permits.saturating_sub(self.room.available_permits());
        let places = self.places_max.saturating_sub(self.places.available_permits());
        parts * ROOM_BYTES + places * body_bytes_max
    }
}

/// A received body. Dropping it releases its room.
pub(crate) struct ReceivedBody<'a> {
    pub(crate) bytes: Bytes,
    _room: Room<'a>,
}

/// The room that a body holds.
enum Room<'a> {
    /// No more than every connection has.
    Small,
    Part(SemaphorePermit<'a>),
    /// A slot for a whole body.
    Whole {
        _place: SemaphorePermit<'a>,
    },
}

impl<'a> Room<'a> {
    fn permits(&self) -> usize {
        if let Room::Part(held) = self { held.num_permits() } else { 0 }
    }

    /// The number of bytes that may be received without asking for more room.
    fn bytes(&self) -> usize {
        match self {
            Room::Small => SMALL_BYTES_MAX,
            Room::Part(held) => held.num_permits() * ROOM_BYTES,
            Room::Whole { .. } => usize::MAX,
        }
    }

    fn add(&mut self, permit: SemaphorePermit<'a>) {
        match self {
            Room::Part(held) => held.merge(permit),
            Room::Small | Room::Whole { .. } => *self = Room::Part(permit),
        }
    }
}

/// The received part of a body.
#[derive(Default)]
struct Pieces {
    first: Bytes,
    /// All pieces, if there is more than the first.
    whole: Vec<u8>,
}

impl Pieces {
    fn bytes(&self) -> usize {
        self.first.len().max(self.whole.len())
    }

    /// Appends a piece. A vector that would grow takes all of the room that the body holds, and no more.
    fn push(&mut self, data: Bytes, room_bytes: usize) {
        if self.first.is_empty() {
            self.first = data;
            return;
        }
        let bytes = self.bytes() + data.len();
        if bytes > self.whole.capacity() {
            self.whole.reserve_exact(room_bytes.max(bytes) - self.whole.len());
        }
        if self.whole.is_empty() {
            self.whole.extend_from_slice(&self.first);
        }
        self.whole.extend_from_slice(&data);
    }

    fn join(self) -> Bytes {
        if self.whole.is_empty() { self.first } else { self.whole.into() }
    }
}

/// There wasn't room for a body in time.
struct NoRoom;

impl From<NoRoom> for BodyError {
    fn from(NoRoom: NoRoom) -> Self {
        Self::Refused(ProtocolError::ServiceUnavailable)
    }
}

/// Why a body wasn't received.
pub(crate) enum BodyError {
    /// The request is rejected with this error. The rest of the body wasn't received.
    Refused(ProtocolError),
    /// The client disconnected or broke the protocol, so there is no answer.
    Gone,
}

impl Bodies {
    /// With credentials, senders whose signature can't be verified ahead have a separate share.
    pub(crate) fn new(limits: &Limits, has_credentials: bool) -> Self {
        let pool = |bytes| Pool::new(bytes, limits.body_bytes_max);
        // Each share has at least a slot.
        let share_bytes = (limits.bodies_bytes_max / UNVERIFIED_SHARE).max(limits.body_bytes_max);
        let unverified_bytes = if has_credentials { share_bytes } else { 0 };
        let parsed_permits = (limits.parsed_bytes_max / ROOM_BYTES).min(PERMITS_MAX);
        Self {
            bytes_max: limits.body_bytes_max,
            known: pool(limits.bodies_bytes_max.saturating_sub(unverified_bytes)),
            unverified: has_credentials.then(|| pool(unverified_bytes)),
            parsed: Semaphore::new(parsed_permits),
            parsed_permits,
            room_timeout: limits.room_timeout,
        }
    }

    /// The bytes that bodies and the requests in them hold now, including their reservations.
    pub(crate) fn held_bytes(&self) -> usize {
        let pools = std::iter::once(&self.known).chain(&self.unverified);
        let parsed = self.parsed_permits.saturating_sub(self.parsed.available_permits());
        parsed * ROOM_BYTES + pools.map(|pool| pool.held_bytes(self.bytes_max)).sum::<usize>()
    }

    /// Whether the body is large enough to check the head before receiving it.
    pub(crate) fn is_large(body: &Incoming) -> bool {
        body.size_hint().upper().is_none_or(|bytes| bytes > SMALL_BYTES_MAX as u64)
    }

    /// Receives a whole body. A body in one piece isn't copied.
    pub(crate) async fn receive(
        &self,
        mut body: Incoming,
        encoding: Encoding,
        sender: Sender,
    ) -> Result<ReceivedBody<'_>, BodyError> {
        let pool = match (sender, &self.unverified) {
            (Sender::Unverified, Some(pool)) => pool,
            _ => &self.known,
        };
        if body.size_hint().lower() > self.bytes_max as u64 {
            return Err(BodyError::Refused(ProtocolError::RequestTooLarge));
        }
        let mut room = Room::Small;
        let mut pieces = Pieces::default();
        while let Some(data) = next_data(&mut body).await? {
            let bytes = pieces.bytes() + data.len();
            if bytes > self.bytes_max {
                return Err(BodyError::Refused(ProtocolError::RequestTooLarge));
            }
            self.grow(pool, &mut room, bytes).await?;
            pieces.push(data, room.bytes().min(self.bytes_max));
        }
        // The decoded body can become this long, whatever length it declares.
        if matches!(encoding, Encoding::Compressed(_)) {
            let bytes = encoding.decoded_bytes_max(pieces.bytes()).min(self.bytes_max);
            self.grow(pool, &mut room, bytes).await?;
        }
        Ok(ReceivedBody { bytes: pieces.join(), _room: room })
    }

    /// Decodes the body.
    pub(crate) fn decode(&self, body: &Bytes, encoding: Encoding) -> Result<Bytes, ProtocolError> {
        encoding.decode(body, self.bytes_max)
    }

    /// Takes room for the request in a decoded body, or waits for it. Small bodies don't need any.
    pub(crate) async fn room_to_parse(
        &self,
        body: &[u8],
    ) -> Result<Option<SemaphorePermit<'_>>, ProtocolError> {
        if body.len() <= SMALL_BYTES_MAX {
            return Ok(None);
        }
        let permits = u32::try_from(parsed_bytes_max(body).div_ceil(ROOM_BYTES)).unwrap_or(u32::MAX);
        if permits as usize > self.parsed_permits {
            return Err(ProtocolError::RequestTooLarge);
        }
        let room = tokio::time::timeout(self.room_timeout, self.parsed.acquire_many(permits)).await;
        // Acquiring can fail otherwise only if the semaphore is closed, and it never is.
        room.ok().and_then(Result::ok).map(Some).ok_or(ProtocolError::ServiceUnavailable)
    }

    /// Takes room for `bytes` in all, or waits for a slot. Each extension doubles the room, so that a large body asks
    /// only a few times.
    async fn grow<'a>(&self, pool: &'a Pool, room: &mut Room<'a>, bytes: usize) -> Result<(), NoRoom> {
        if bytes <= room.bytes() {
            return Ok(());
        }
        let wanted = bytes.max(2 * room.bytes()).min(self.bytes_max);
        let permits = u32::try_from(wanted / ROOM_BYTES + 1 - room.permits()).unwrap_or(u32::MAX);
        if let Ok(permit) = pool.room.try_acquire_many(permits) {
            room.add(permit);
            return Ok(());
        }
        let place = tokio::time::timeout(self.room_timeout, pool.places.acquire()).await;
        // Acquiring can fail otherwise only if the semaphore is closed, and it never is.
        *room = Room::Whole { _place: place.map_err(|_| NoRoom)?.map_err(|_| NoRoom)? };
        Ok(())
    }
}

/// The next piece of data. Trailers are skipped.
async fn next_data(body: &mut Incoming) -> Result<Option<Bytes>, BodyError> {
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.map_err(|_| BodyError::Gone)?.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}
