//! Request bodies: collected up to a limit, and decompressed.

use std::io::Read;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use flate2::read::MultiGzDecoder;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_ENCODING, HeaderMap, HeaderValue};
use singlet_wire::ProtocolError;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::options::Limits;

/// Bodies up to this size are received without asking for room: so much a connection takes all the same.
const SMALL_BYTES_MAX: usize = 16 << 10;
/// What is compressed takes at least so much of its length before.
const COMPRESSION_MAX: usize = 1032;
/// One part of so many of the memory for bodies is for senders whose signature can't be checked ahead.
const UNVERIFIED_SHARE: usize = 4;
/// The granularity of the room for large bodies.
const ROOM_BYTES: usize = 1 << 10;

/// Receives bodies. However many clients send at once, the large bodies together stay within a bound.
///
/// Room is taken as the bytes come, not as they are announced: who sends slowly holds little. So that many that have begun can't
/// keep each other from ending, a part of the room is places for a whole body each: who finds no room otherwise waits for one.
pub(crate) struct Bodies {
    bytes_max: usize,
    known: Pool,
    /// A smaller share for bodies whose senders have not proved yet that they hold the secret of their key. None where no key is
    /// asked for.
    unverified: Option<Pool>,
    room_timeout: Duration,
}

/// What the head of a request tells of its sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sender {
    /// The signature holds for the hash that the head gives of the body, or none is asked for, or the body is small.
    Known,
    /// Whether the signature holds can't be said without the body.
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
        // One body must always fit into either, or it would wait for ever.
        let places_max = (bytes / body_bytes_max.max(1) / 2).max(1);
        let rest_bytes = bytes.saturating_sub(places_max * body_bytes_max).max(body_bytes_max);
        let room_permits = (rest_bytes / ROOM_BYTES + 1).min(Semaphore::MAX_PERMITS);
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

/// A received body; it gives its room back when it is dropped.
pub(crate) struct ReceivedBody<'a> {
    pub(crate) bytes: Bytes,
    _room: Room<'a>,
}

/// The room that a body holds.
enum Room<'a> {
    /// No more than every connection has.
    Small,
    Part(SemaphorePermit<'a>),
    /// A place for a whole body.
    Whole {
        _place: SemaphorePermit<'a>,
    },
}

impl<'a> Room<'a> {
    fn permits(&self) -> usize {
        if let Room::Part(held) = self { held.num_permits() } else { 0 }
    }

    /// As many bytes as may be received without asking again.
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

/// What has come of a body.
#[derive(Default)]
struct Pieces {
    first: Bytes,
    /// All of it, once there is more than the first piece.
    whole: BytesMut,
}

impl Pieces {
    fn bytes(&self) -> usize {
        self.first.len().max(self.whole.len())
    }

    fn push(&mut self, data: Bytes) {
        if self.first.is_empty() {
            self.first = data;
            return;
        }
        if self.whole.is_empty() {
            self.whole.extend_from_slice(&self.first);
        }
        self.whole.extend_from_slice(&data);
    }

    fn join(self) -> Bytes {
        if self.whole.is_empty() { self.first } else { self.whole.freeze() }
    }
}

/// How a body is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// As it is.
    Plain,
    /// Compressed.
    Gzip,
    /// In a way that the server doesn't know.
    Unknown,
}

impl Encoding {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        match headers.get(CONTENT_ENCODING).map(HeaderValue::as_bytes) {
            None | Some(b"" | b"identity") => Self::Plain,
            Some(b"gzip") => Self::Gzip,
            Some(_) => Self::Unknown,
        }
    }
}

/// There was no room for a body in time.
struct NoRoom;

impl From<NoRoom> for BodyError {
    fn from(NoRoom: NoRoom) -> Self {
        Self::Refused(ProtocolError::ServiceUnavailable)
    }
}

/// Why a body is not there.
pub(crate) enum BodyError {
    /// The client is told why. What is left of the body was not received.
    Refused(ProtocolError),
    /// The client went away or broke the protocol: there is nobody to tell.
    Gone,
}

impl Bodies {
    /// With credentials, senders whose signature can't be checked ahead have a share of their own.
    pub(crate) fn new(limits: &Limits, has_credentials: bool) -> Self {
        let pool = |bytes| Pool::new(bytes, limits.body_bytes_max);
        let unverified_bytes = if has_credentials { limits.bodies_bytes_max / UNVERIFIED_SHARE } else { 0 };
        Self {
            bytes_max: limits.body_bytes_max,
            known: pool(limits.bodies_bytes_max - unverified_bytes),
            unverified: has_credentials.then(|| pool(unverified_bytes)),
            room_timeout: limits.room_timeout,
        }
    }

    /// The bytes that bodies hold now, and those that they have room for.
    pub(crate) fn held_bytes(&self) -> usize {
        let pools = std::iter::once(&self.known).chain(&self.unverified);
        pools.map(|pool| pool.held_bytes(self.bytes_max)).sum()
    }

    /// Whether the body is so large that it is worth looking first whether it is wanted.
    pub(crate) fn is_large(body: &Incoming) -> bool {
        body.size_hint().upper().is_none_or(|bytes| bytes > SMALL_BYTES_MAX as u64)
    }

    /// Receives a whole body. One that came in one piece is not copied.
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
            pieces.push(data);
        }
        // It may become this long when it is decoded, whatever it says itself.
        if encoding == Encoding::Gzip {
            let bytes = pieces.bytes().saturating_mul(COMPRESSION_MAX).min(self.bytes_max);
            self.grow(pool, &mut room, bytes).await?;
        }
        Ok(ReceivedBody { bytes: pieces.join(), _room: room })
    }

    /// Undoes the encoding.
    pub(crate) fn decode(&self, body: &Bytes, encoding: Encoding) -> Result<Bytes, ProtocolError> {
        match encoding {
            Encoding::Plain => Ok(body.clone()),
            Encoding::Gzip => self.decompress(body),
            Encoding::Unknown => Err(ProtocolError::Serialization),
        }
    }

    /// A small body that unpacks beyond the limit is stopped there, and one that says so itself is not begun.
    fn decompress(&self, compressed: &[u8]) -> Result<Bytes, ProtocolError> {
        let claimed = compressed.last_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)) as usize;
        // What can't be true is the end of something that was cut off.
        let is_possible = claimed <= compressed.len().saturating_mul(COMPRESSION_MAX);
        if claimed > self.bytes_max && is_possible {
            return Err(ProtocolError::RequestTooLarge);
        }
        let mut plain = Vec::with_capacity((compressed.len() * 4).min(self.bytes_max));
        MultiGzDecoder::new(compressed)
            .take(self.bytes_max as u64 + 1)
            .read_to_end(&mut plain)
            .map_err(|_| ProtocolError::Serialization)?;
        if plain.len() > self.bytes_max {
            return Err(ProtocolError::RequestTooLarge);
        }
        Ok(plain.into())
    }

    /// Takes room for so many bytes in all, or waits a while for a place. A part doubles, so that a large body asks a few
    /// times only.
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
        // Else it fails only when the semaphore was closed, and nobody closes it.
        *room = Room::Whole { _place: place.map_err(|_| NoRoom)?.map_err(|_| NoRoom)? };
        Ok(())
    }
}

/// The next piece of data; trailers are passed over.
async fn next_data(body: &mut Incoming) -> Result<Option<Bytes>, BodyError> {
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.map_err(|_| BodyError::Gone)?.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}
