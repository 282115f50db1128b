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
/// The granularity of the room for large bodies.
const ROOM_BYTES: usize = 1 << 10;

/// Receives bodies. However many clients send at once, the large bodies together stay within a bound.
pub(crate) struct Bodies {
    bytes_max: usize,
    room: Semaphore,
    room_permits: usize,
    room_timeout: Duration,
}

/// A received body; it gives its room back when it is dropped.
pub(crate) struct ReceivedBody<'a> {
    pub(crate) bytes: Bytes,
    _room: Option<SemaphorePermit<'a>>,
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

/// Why a body is not there.
pub(crate) enum BodyError {
    /// The client is told why.
    Refused(ProtocolError),
    /// The client went away or broke the protocol: there is nobody to tell.
    Gone,
}

impl Bodies {
    pub(crate) fn new(limits: &Limits) -> Self {
        // One body must always fit, or it would wait for ever.
        let room_bytes = limits.bodies_bytes_max.max(limits.body_bytes_max);
        let room_permits = (room_bytes / ROOM_BYTES + 1).min(Semaphore::MAX_PERMITS);
        Self {
            bytes_max: limits.body_bytes_max,
            room: Semaphore::new(room_permits),
            room_permits,
            room_timeout: limits.room_timeout,
        }
    }

    /// The bytes that bodies hold now, those included that have room and have not come yet.
    pub(crate) fn held_bytes(&self) -> usize {
        self.room_permits.saturating_sub(self.room.available_permits()) * ROOM_BYTES
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
    ) -> Result<ReceivedBody<'_>, BodyError> {
        // A body in chunks doesn't say how long it is: it may become as long as any.
        let announced = body
            .size_hint()
            .exact()
            .map_or(self.bytes_max, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        if announced > self.bytes_max {
            return self.discard(body, ProtocolError::RequestTooLarge).await;
        }
        let expected = match encoding {
            Encoding::Gzip => announced.saturating_mul(COMPRESSION_MAX).min(self.bytes_max),
            Encoding::Plain | Encoding::Unknown => announced,
        };
        let Ok(room) = self.room_for(expected).await else {
            return self.discard(body, ProtocolError::ServiceUnavailable).await;
        };
        let Some(first) = next_data(&mut body).await? else {
            return Ok(ReceivedBody { bytes: Bytes::new(), _room: room });
        };
        if first.len() > self.bytes_max {
            return self.discard(body, ProtocolError::RequestTooLarge).await;
        }
        if body.is_end_stream() {
            return Ok(ReceivedBody { bytes: first, _room: room });
        }
        let mut whole = BytesMut::with_capacity(announced.min(1 << 20));
        whole.extend_from_slice(&first);
        while let Some(data) = next_data(&mut body).await? {
            if whole.len() + data.len() > self.bytes_max {
                return self.discard(body, ProtocolError::RequestTooLarge).await;
            }
            whole.extend_from_slice(&data);
        }
        Ok(ReceivedBody { bytes: whole.freeze(), _room: room })
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

    /// Waits for room for a while.
    async fn room_for(&self, bytes: usize) -> Result<Option<SemaphorePermit<'_>>, NoRoom> {
        if bytes <= SMALL_BYTES_MAX {
            return Ok(None);
        }
        let permits = u32::try_from(bytes / ROOM_BYTES + 1).unwrap_or(u32::MAX);
        if let Ok(room) = self.room.try_acquire_many(permits) {
            return Ok(Some(room));
        }
        let waited = tokio::time::timeout(self.room_timeout, self.room.acquire_many(permits)).await;
        // Else it fails only when the semaphore was closed, and nobody closes it.
        waited.map_err(|_| NoRoom)?.map(Some).map_err(|_| NoRoom)
    }

    /// Refuses a body. Many clients read no answer before they have sent everything, so as much as the largest body has is
    /// taken and thrown away first.
    pub(crate) async fn discard(
        &self,
        mut body: Incoming,
        error: ProtocolError,
    ) -> Result<ReceivedBody<'_>, BodyError> {
        let mut discarded = 0;
        while discarded <= self.bytes_max
            && let Some(data) = next_data(&mut body).await?
        {
            discarded += data.len();
        }
        Err(BodyError::Refused(error))
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
