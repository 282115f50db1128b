//! Request bodies: collected up to a limit, and decompressed.

use std::io::Read;

use bytes::{Bytes, BytesMut};
use flate2::read::MultiGzDecoder;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_ENCODING, HeaderMap, HeaderValue};
use singlet_wire::ProtocolError;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::options::Limits;

/// Bodies up to this size are received without asking for room.
const SMALL_BYTES_MAX: usize = 64 << 10;
/// The granularity of the room for large bodies.
const ROOM_BYTES: usize = 1 << 10;

/// Receives bodies. However many clients send at once, the large bodies together stay within a bound.
pub(crate) struct Bodies {
    bytes_max: usize,
    room: Semaphore,
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
        let room_bytes = limits.large_bodies_bytes_max.max(limits.body_bytes_max);
        Self {
            bytes_max: limits.body_bytes_max,
            room: Semaphore::new((room_bytes / ROOM_BYTES + 1).min(Semaphore::MAX_PERMITS)),
        }
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
            return self.refuse(body).await;
        }
        // What is compressed may become as long as any, too.
        let expected = if encoding == Encoding::Gzip { self.bytes_max } else { announced };
        let room = self.room_for(expected).await;
        let Some(first) = next_data(&mut body).await? else {
            return Ok(ReceivedBody { bytes: Bytes::new(), _room: room });
        };
        if first.len() > self.bytes_max {
            return self.refuse(body).await;
        }
        if body.is_end_stream() {
            return Ok(ReceivedBody { bytes: first, _room: room });
        }
        let mut whole = BytesMut::with_capacity(announced.min(1 << 20));
        whole.extend_from_slice(&first);
        while let Some(data) = next_data(&mut body).await? {
            if whole.len() + data.len() > self.bytes_max {
                return self.refuse(body).await;
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

    /// A small body that unpacks beyond the limit is stopped there.
    fn decompress(&self, compressed: &[u8]) -> Result<Bytes, ProtocolError> {
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

    async fn room_for(&self, bytes: usize) -> Option<SemaphorePermit<'_>> {
        if bytes <= SMALL_BYTES_MAX {
            return None;
        }
        let permits = u32::try_from(bytes / ROOM_BYTES + 1).unwrap_or(u32::MAX);
        // Fails only when the semaphore was closed, and nobody closes it.
        self.room.acquire_many(permits).await.ok()
    }

    /// Refuses a body that is too large. Many clients read no answer before they have sent everything, so
    /// as much again is taken and thrown away first.
    async fn refuse(&self, mut body: Incoming) -> Result<ReceivedBody<'_>, BodyError> {
        let mut discarded = 0;
        while discarded <= self.bytes_max
            && let Some(data) = next_data(&mut body).await?
        {
            discarded += data.len();
        }
        Err(BodyError::Refused(ProtocolError::RequestTooLarge))
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
