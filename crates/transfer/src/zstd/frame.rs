//! One frame. Its header is checked, and its blocks are read whole, one after the other.

use std::io::{self, BufRead, Read};

use super::sequences::Sequences;

/// The largest window that is accepted. The format asks decoders to support this size and encoders not to exceed it.
/// All levels of `zstd` up to 19 comply.
const WINDOW_BYTES_MAX: u64 = 8 << 20;
/// The maximum size of a block, before and after compression.
const BLOCK_BYTES_MAX: usize = 128 << 10;
const MAGIC: u32 = 0xFD2F_B528;
/// The magic numbers of frames to skip.
const SKIPPED: std::ops::RangeInclusive<u32> = 0x184D_2A50..=0x184D_2A5F;
const CHECKSUM_BYTES: usize = 4;
const BLOCK_HEADER_BYTES: usize = 3;
/// The kind of a compressed block.
const COMPRESSED: u32 = 2;

/// A reader of the bytes of exactly one frame, for a decoder.
pub(super) struct Frame<R> {
    source: R,
    /// The header, then one block at a time.
    buffer: Vec<u8>,
    /// The number of bytes in the buffer that the decoder has read.
    given: usize,
    sequences: Sequences,
    has_checksum: bool,
    is_last: bool,
    trouble: Option<io::Error>,
}

impl<R: BufRead> Frame<R> {
    /// Reads the header of the next frame with content; `None` at the end.
    pub(super) fn begin(mut source: R) -> io::Result<Option<Self>> {
        loop {
            if source.fill_buf()?.is_empty() {
                return Ok(None);
            }
            let magic = u32::from_le_bytes(array(&mut source)?);
            if SKIPPED.contains(&magic) {
                skip(&mut source)?;
                continue;
            }
            if magic != MAGIC {
                return Err(wrong("it isn't compressed with Zstandard"));
            }
            let mut buffer = magic.to_le_bytes().to_vec();
            let has_checksum = read_header(&mut source, &mut buffer)?;
            let sequences = Sequences::default();
            return Ok(Some(Frame {
                source,
                buffer,
                given: 0,
                sequences,
                has_checksum,
                is_last: false,
                trouble: None,
            }));
        }
    }

    /// Returns the source, positioned after the frame.
    pub(super) fn end(self) -> R {
        self.source
    }

    /// The error in the frame, if this reader found one.
    pub(super) fn trouble(&mut self) -> Option<io::Error> {
        self.trouble.take()
    }

    /// Reads the next block; `false` after the last.
    fn next_block(&mut self) -> io::Result<bool> {
        if self.is_last {
            return Ok(false);
        }
        let [first, second, third] = array(&mut self.source)?;
        let header = u32::from_le_bytes([first, second, third, 0]);
        let bytes = (header >> 3) as usize;
        if bytes > BLOCK_BYTES_MAX {
            return Err(wrong("a block is larger than 128 KB"));
        }
        self.is_last = header & 1 == 1;
        let kind = header >> 1 & 3;
        let stored_bytes = match kind {
            0 | COMPRESSED => bytes,
            // One byte, repeated.
            1 => 1,
            _ => return Err(wrong("a block is of a kind that doesn't exist")),
        };
        let checksum_bytes = if self.is_last && self.has_checksum { CHECKSUM_BYTES } else { 0 };
        self.given = 0;
        self.buffer.clear();
        self.buffer.extend_from_slice(&[first, second, third]);
        let rest_bytes = stored_bytes + checksum_bytes;
        let read = self.source.by_ref().take(rest_bytes as u64).read_to_end(&mut self.buffer)?;
        if read < rest_bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if kind == COMPRESSED {
            self.check_unpacked(stored_bytes)?;
        }
        Ok(true)
    }

    /// Rejects a compressed block that unpacks to more than the maximum.
    fn check_unpacked(&mut self, stored_bytes: usize) -> io::Result<()> {
        let block =
            self.buffer.get(BLOCK_HEADER_BYTES..BLOCK_HEADER_BYTES + stored_bytes).unwrap_or_default();
        match self.sequences.unpacked_bytes(block, BLOCK_BYTES_MAX) {
            Some(..=BLOCK_BYTES_MAX) => Ok(()),
            Some(_) => Err(wrong("a block unpacks to more than 128 KB")),
            None => Err(wrong("a block is damaged")),
        }
    }
}

impl<R: BufRead> Read for Frame<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.given == self.buffer.len() {
            match self.next_block() {
                Ok(true) => {}
                Ok(false) => return Ok(0),
                Err(error) => {
                    let kind = error.kind();
                    self.trouble = Some(error);
                    return Err(kind.into());
                }
            }
        }
        let bytes = self.buffer.get(self.given..).unwrap_or_default().read(out)?;
        self.given += bytes;
        Ok(bytes)
    }
}

/// Appends the rest of a frame's header to the buffer. Returns whether the frame ends in a checksum.
fn read_header(source: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<bool> {
    let [descriptor] = array(source)?;
    buffer.push(descriptor);
    let is_single_segment = descriptor >> 5 & 1 == 1;
    let mut window_bytes = 0;
    if !is_single_segment {
        let [window] = array(source)?;
        buffer.push(window);
        let base = 1_u64 << (10 + (window >> 3));
        window_bytes = base + base / 8 * u64::from(window & 7);
    }
    let dictionary_bytes = match descriptor & 3 {
        3 => 4,
        flag => usize::from(flag),
    };
    copy(source, buffer, dictionary_bytes)?;
    let size_bytes = match (descriptor >> 6, is_single_segment) {
        (0, false) => 0,
        (0, true) => 1,
        (flag, _) => 1 << flag,
    };
    let size = copy(source, buffer, size_bytes)?;
    if is_single_segment {
        // A size in two bytes starts at 256.
        window_bytes = if size_bytes == 2 { size + 256 } else { size };
    }
    if window_bytes > WINDOW_BYTES_MAX {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            format!(
                "reading it needs a window of {} MB, and at most {} MB are allowed: compress it again with `zstd -19` or a \
                 lower level, without --ultra and --long",
                window_bytes.div_ceil(1 << 20),
                WINDOW_BYTES_MAX >> 20
            ),
        ));
    }
    Ok(descriptor >> 2 & 1 == 1)
}

/// Appends `bytes` bytes, at most eight, to the buffer. Returns them as a number.
fn copy(source: &mut impl Read, buffer: &mut Vec<u8>, bytes: usize) -> io::Result<u64> {
    let mut number = 0;
    for place in 0..bytes {
        let [byte] = array(source)?;
        buffer.push(byte);
        number |= u64::from(byte) << (8 * place);
    }
    Ok(number)
}

/// Skips a frame without content, after its magic number.
fn skip(source: &mut impl Read) -> io::Result<()> {
    let bytes = u64::from(u32::from_le_bytes(array(source)?));
    let skipped = io::copy(&mut source.take(bytes), &mut io::sink())?;
    if skipped < bytes { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

fn array<const N: usize>(source: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    source.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn wrong(text: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}
