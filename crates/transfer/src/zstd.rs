//! Zstandard: a file may hold several frames, one after the other.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// Reads the content of all frames.
pub(crate) struct ZstdFrames<R: BufRead> {
    state: State<R>,
}

enum State<R: BufRead> {
    Between(R),
    Frame(Box<StreamingDecoder<R, FrameDecoder>>),
    /// Also after an error.
    End,
}

impl<R: BufRead> ZstdFrames<R> {
    pub(crate) fn new(source: R) -> Self {
        ZstdFrames { state: State::Between(source) }
    }
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.state, State::End) {
                State::End => return Ok(0),
                State::Between(mut source) => {
                    if source.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    let frame = StreamingDecoder::new(source)
                        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
                    self.state = State::Frame(Box::new(frame));
                }
                State::Frame(mut frame) => match frame.read(buffer)? {
                    0 => self.state = State::Between(frame.into_inner()),
                    bytes => {
                        self.state = State::Frame(frame);
                        return Ok(bytes);
                    }
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn decompressed(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        ZstdFrames::new(bytes).read_to_end(&mut content)?;
        Ok(content)
    }

    #[test]
    fn frames_are_read_one_after_the_other() {
        let frames: Vec<u8> = [&b"one"[..], b"", b"two"]
            .iter()
            .flat_map(|part| compress_to_vec(*part, CompressionLevel::Fastest))
            .collect();
        assert_eq!(decompressed(&frames).unwrap(), b"onetwo");
        assert_eq!(decompressed(b"").unwrap(), b"");
        assert!(decompressed(b"no frame at all").is_err());
        assert!(decompressed(&frames[..frames.len() - 3]).is_err());
    }
}
