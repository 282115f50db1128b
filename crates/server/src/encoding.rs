//! Compressed bodies: how a request's body is encoded, and the encoding that a client accepts for its answer.

use std::io::{self, Read, Write};

use bytes::Bytes;
use flate2::Compression;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use hyper::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, HeaderValue};
use singlet_wire::{AnswerRoom, ProtocolError};

use crate::answers::Reservation;

/// The maximum compression ratio of gzip and deflate.
pub(crate) const COMPRESSION_MAX: usize = 1032;
/// DynamoDB doesn't compress smaller answers.
const WORTHWHILE_BYTES_MIN: usize = 4 << 10;
/// The memory of a compressor, besides its output.
const COMPRESSOR_BYTES: usize = 512 << 10;
/// A thread serves its other connections after each piece of this size.
const PIECE_BYTES: usize = 64 << 10;

/// How a request's body is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Not encoded.
    Plain,
    /// Compressed.
    Compressed(Coding),
    /// An encoding that the server doesn't know.
    Unknown,
}

/// A compressed format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    /// The format of zlib, as RFC 9110 defines "deflate".
    Deflate,
}

impl Encoding {
    /// The encoding that the head of a request declares.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut values = headers.get_all(CONTENT_ENCODING).iter();
        match (values.next(), values.next()) {
            (None, _) => Self::Plain,
            (Some(only), None) => Self::named(only.as_bytes().trim_ascii()),
            _ => Self::Unknown,
        }
    }

    fn named(name: &[u8]) -> Self {
        if name.is_empty() || name.eq_ignore_ascii_case(b"identity") {
            return Self::Plain;
        }
        Coding::named(name).map_or(Self::Unknown, Self::Compressed)
    }

    /// The largest size that a body of this size can have after decoding.
    pub(crate) fn decoded_bytes_max(self, bytes: usize) -> usize {
        match self {
            Self::Compressed(_) => bytes.saturating_mul(COMPRESSION_MAX),
            Self::Plain | Self::Unknown => bytes,
        }
    }

    /// Decodes a body, up to a size. A body that isn't encoded as it says is an internal error, as in DynamoDB.
    pub(crate) fn decode(self, body: &Bytes, bytes_max: usize) -> Result<Bytes, ProtocolError> {
        match self {
            Self::Plain => Ok(body.clone()),
            Self::Compressed(Coding::Gzip) => {
                check_claim(body, bytes_max)?;
                read(MultiGzDecoder::new(body.as_ref()), body.len(), bytes_max)
            }
            Self::Compressed(Coding::Deflate) => {
                let mut decoder = ZlibDecoder::new_with_buf(body.as_ref(), vec![0; 4 << 10]);
                let plain = read(&mut decoder, body.len(), bytes_max)?;
                // Bytes after the end of the stream belong to nothing.
                let is_whole = decoder.total_in() == body.len() as u64;
                is_whole.then_some(plain).ok_or(ProtocolError::Internal)
            }
            Self::Unknown => Err(ProtocolError::Internal),
        }
    }
}

/// Refuses a gzip body whose end declares a larger size, without unpacking it.
fn check_claim(compressed: &[u8], bytes_max: usize) -> Result<(), ProtocolError> {
    let claimed = compressed.last_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)) as usize;
    // An impossible size is the end of a truncated body.
    let is_possible = claimed <= compressed.len().saturating_mul(COMPRESSION_MAX);
    if claimed > bytes_max && is_possible { Err(ProtocolError::RequestTooLarge) } else { Ok(()) }
}

/// Reads what a decoder gives. A small body that unpacks beyond the limit is stopped there.
fn read(decoder: impl Read, compressed_bytes: usize, bytes_max: usize) -> Result<Bytes, ProtocolError> {
    let mut plain = Vec::with_capacity((compressed_bytes * 4).min(bytes_max));
    decoder.take(bytes_max as u64 + 1).read_to_end(&mut plain).map_err(|_| ProtocolError::Internal)?;
    if plain.len() > bytes_max {
        return Err(ProtocolError::RequestTooLarge);
    }
    Ok(plain.into())
}

impl Coding {
    fn named(name: &[u8]) -> Option<Self> {
        if name.eq_ignore_ascii_case(b"gzip") {
            Some(Self::Gzip)
        } else if name.eq_ignore_ascii_case(b"deflate") {
            Some(Self::Deflate)
        } else {
            None
        }
    }

    /// The encoding that a client wants for an answer. `None` if the answer is too small, or if the client doesn't
    /// accept a known encoding. Most clients don't.
    pub(crate) fn for_answer(headers: &HeaderMap, answer_bytes: usize) -> Option<Self> {
        if answer_bytes < WORTHWHILE_BYTES_MIN {
            return None;
        }
        accepted(headers.get(ACCEPT_ENCODING)?.to_str().ok()?)
    }

    /// The value of the header `Content-Encoding`.
    pub(crate) fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
        })
    }

    /// Compresses an answer. `None` if there is no memory for it now, or if the answer doesn't become smaller.
    pub(crate) async fn compress(self, plain: &[u8], room: &Reservation<'_>) -> Option<Vec<u8>> {
        // A quick level: a local network is faster than the better ones.
        let (level, bytes_max) = (Compression::fast(), plain.len() - plain.len() / 8);
        if !room.try_reserve(bytes_max + COMPRESSOR_BYTES) {
            return None;
        }
        let sink = Sink { bytes: Vec::new(), bytes_max };
        let finished = match self {
            Self::Gzip => {
                let mut encoder = GzEncoder::new(sink, level);
                write_pieces(&mut encoder, plain).await.and_then(|()| encoder.finish())
            }
            Self::Deflate => {
                let mut encoder = ZlibEncoder::new(sink, level);
                write_pieces(&mut encoder, plain).await.and_then(|()| encoder.finish())
            }
        };
        finished.ok().map(|sink| sink.bytes)
    }
}

async fn write_pieces(encoder: &mut impl Write, plain: &[u8]) -> io::Result<()> {
    for (number, piece) in plain.chunks(PIECE_BYTES).enumerate() {
        if number > 0 {
            tokio::task::yield_now().await;
        }
        encoder.write_all(piece)?;
    }
    Ok(())
}

/// Takes bytes up to a limit.
struct Sink {
    bytes: Vec<u8>,
    bytes_max: usize,
}

impl Write for Sink {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let bytes = self.bytes.len() + piece.len();
        if bytes > self.bytes_max {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if bytes > self.bytes.capacity() {
            // Doubles, but never beyond the reserved memory.
            let capacity = (2 * bytes).min(self.bytes_max);
            self.bytes.reserve_exact(capacity - self.bytes.len());
        }
        self.bytes.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The compressed format with the highest weight in a list such as `deflate, gzip;q=0.5`. The first one wins a tie, and
/// `identity` is ignored, as in DynamoDB.
fn accepted(list: &str) -> Option<Coding> {
    let (mut named, mut other_weight): (Vec<(Coding, f32)>, f32) = (Vec::new(), 0.0);
    for entry in list.split(',') {
        let (name, parameters) = entry.split_once(';').unwrap_or((entry, ""));
        let name = name.trim();
        match Coding::named(name.as_bytes()) {
            Some(coding) => named.push((coding, weight(parameters))),
            None if name == "*" => other_weight = weight(parameters),
            None => {}
        }
    }
    let heavier = |best: Option<(Coding, f32)>, (coding, weight)| match best {
        Some((_, best_weight)) if weight <= best_weight => best,
        _ => (weight > 0.0).then_some((coding, weight)).or(best),
    };
    // The star stands for the formats that aren't named.
    let is_named = |coding: &Coding| named.iter().any(|(known, _)| known == coding);
    let other = [Coding::Gzip, Coding::Deflate].into_iter().find(|coding| !is_named(coding));
    let all = named.iter().copied().chain(other.map(|coding| (coding, other_weight)));
    all.fold(None, heavier).map(|(coding, _)| coding)
}

/// The weight among the parameters of an encoding. It is 1 if there is none or if it isn't a number.
fn weight(parameters: &str) -> f32 {
    let text = parameters.split_once("q=").map(|(_, rest)| rest.split(';').next().unwrap_or_default());
    text.and_then(|text| text.trim().parse().ok()).map_or(1.0, |weight: f32| weight.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::Answers;
    use crate::options::Limits;

    fn wanted(accept: &str) -> Option<Coding> {
        let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_str(accept).unwrap())]);
        Coding::for_answer(&headers, 5_000)
    }

    #[test]
    fn the_client_chooses_the_encoding_of_its_answer() {
        use Coding::{Deflate, Gzip};
        for (accept, coding) in [
            ("gzip", Some(Gzip)),
            ("gzip, deflate", Some(Gzip)),
            ("br, identity, deflate, gzip", Some(Deflate)),
            ("GZIP, identity", Some(Gzip)),
            ("dog, gzip ,, cat", Some(Gzip)),
            ("gzip;q=0.8, deflate;q=0.5", Some(Gzip)),
            ("br, gzip;q=0, deflate; q = 0.5 , identity;q=0", Some(Deflate)),
            ("*", Some(Gzip)),
            ("*, deflate;q=0.5", Some(Gzip)),
            ("*, deflate", Some(Deflate)),
            ("*, gzip;q=0.5", Some(Deflate)),
            ("*;q=0.5,identity", Some(Gzip)),
            ("gzip;q=0.5,identity;q=0.8", Some(Gzip)),
            ("deflate;q=0.5, gzip;q=31", Some(Gzip)),
            ("gzip;q=31,deflate;q=51", Some(Gzip)),
            ("deflate;q=0.5, gzip;q=0.2", Some(Deflate)),
            ("deflate;q=0.5, gzip;q=1;q=0.2", Some(Gzip)),
            ("deflate;q=0.5,gzip;q=0.", Some(Deflate)),
            ("deflate;q=0.5,gzip;q=0.x", Some(Gzip)),
            ("deflate;q=-0.5,gzip;q=0.2", Some(Gzip)),
            ("gzip;q =0;q=1", Some(Gzip)),
            ("gzip;q=0, gzip;q=1, gzip;q=0", Some(Gzip)),
            ("br,identity;q=0.5,gzip;q=0.0001", Some(Gzip)),
            ("", None),
            ("identity", None),
            ("identity;q=0", None),
            ("br", None),
            ("x-gzip", None),
            ("\"gzip\"", None),
            ("gzip br", None),
            ("gzip:q=1", None),
            ("gzip ;q=0", None),
            ("gzip; q=0;q=1", None),
            ("gzip;nq=0;q=1", None),
            ("*;q=0", None),
            ("br;q=0.8,identity;q=0.5,*;q=0", None),
        ] {
            assert_eq!(wanted(accept), coding, "{accept}");
        }
        assert_eq!(Coding::for_answer(&HeaderMap::new(), 5_000), None);
    }

    #[tokio::test]
    async fn an_answer_is_compressed_only_if_it_gains_and_memory_allows() {
        let limits = Limits { answers_bytes_max: 2 << 20, ..Limits::default() };
        let answers = Answers::new(&limits);
        let repetitive = b"{\"S\":\"abc\"}".repeat(30_000);
        // A generator of numbers without pattern.
        let mut state = 1_u64;
        let random: Vec<u8> = (0..200_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            })
            .collect();
        for coding in [Coding::Gzip, Coding::Deflate] {
            let room = answers.reservation();
            let compressed = coding.compress(&repetitive, &room).await.unwrap();
            assert!(compressed.len() < repetitive.len() / 20);
            let decoded = Encoding::Compressed(coding).decode(&compressed.into(), 1 << 20);
            assert!(decoded.is_ok_and(|plain| plain == repetitive));
            assert_eq!(coding.compress(&random, &answers.reservation()).await, None);

            let held = answers.reservation();
            assert!(held.try_reserve(1 << 20));
            assert_eq!(coding.compress(&repetitive.repeat(3), &answers.reservation()).await, None);
        }
        assert_eq!(answers.held_bytes(), 0);
    }
}
