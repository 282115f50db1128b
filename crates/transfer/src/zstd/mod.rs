//! Zstandard: a file may contain several frames, one after the other.
//!
//! A frame declares how much memory its decoder needs. Its header is therefore checked before the decoder sees it. The
//! decoder gets the frame block by block, and the unpacked size of each block is checked first.

mod frame;
mod fse;
mod sequences;

use std::io::{self, BufRead, Read};

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use frame::Frame;

/// Reads the content of all frames.
pub(crate) struct ZstdFrames<R: BufRead> {
    position: Position<R>,
}

enum Position<R: BufRead> {
    Between(R),
    Frame(Box<StreamingDecoder<Frame<R>, FrameDecoder>>),
    /// At the end, or after an error.
    End,
}

impl<R: BufRead> ZstdFrames<R> {
    pub(crate) fn new(source: R) -> Self {
        ZstdFrames { position: Position::Between(source) }
    }
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.position, Position::End) {
                Position::End => return Ok(0),
                Position::Between(source) => {
                    let Some(frame) = Frame::begin(source)? else { return Ok(0) };
                    let decoder = StreamingDecoder::new(frame)
                        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
                    self.position = Position::Frame(Box::new(decoder));
                }
                Position::Frame(mut decoder) => match decoder.read(buffer) {
                    // The decoder's own error doesn't explain what is wrong with the block.
                    Err(error) => return Err(decoder.get_mut().trouble().unwrap_or(error)),
                    Ok(0) => {
                        check_sum(&decoder.decoder)?;
                        self.position = Position::Between(decoder.into_inner().end());
                    }
                    Ok(bytes) => {
                        self.position = Position::Frame(decoder);
                        return Ok(bytes);
                    }
                },
            }
        }
    }
}

/// Compares the content with the frame's checksum, if it has one.
fn check_sum(decoder: &FrameDecoder) -> io::Result<()> {
    match decoder.get_checksum_from_data() {
        Some(stored) if decoder.get_calculated_checksum() != Some(stored) => {
            Err(io::Error::new(io::ErrorKind::InvalidData, "a frame's content doesn't match its checksum"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
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

    #[test]
    fn frames_that_carry_no_content_are_skipped() {
        let mut bytes = b"\x5A\x2A\x4D\x18\x03\0\0\0abc".to_vec();
        bytes.extend(compress_to_vec(&b"one"[..], CompressionLevel::Fastest));
        bytes.extend(b"\x50\x2A\x4D\x18\0\0\0\0");
        assert_eq!(decompressed(&bytes).unwrap(), b"one");
        assert!(decompressed(b"\x5A\x2A\x4D\x18\x04\0\0\0abc").is_err());
    }

    /// A frame of blocks that repeat one byte, `blocks` times 128 KB.
    fn repeats(window_descriptor: u8, blocks: usize) -> Vec<u8> {
        let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0, window_descriptor];
        for number in 1..=blocks {
            let header = u32::from(number == blocks) | 1 << 1 | (128 << 10) << 3;
            frame.extend_from_slice(&header.to_le_bytes()[..3]);
            frame.push(b'\n');
        }
        frame
    }

    #[test]
    fn a_frame_that_needs_more_memory_than_allowed_is_refused_before_it_takes_any() {
        // 8 MB; the next larger window; 3.75 TB.
        assert_eq!(decompressed(&repeats(13 << 3, 100)).unwrap().len(), 100 * (128 << 10));
        for window_descriptor in [13 << 3 | 1, 31 << 3 | 7] {
            let mut content = Vec::new();
            let error = ZstdFrames::new(&repeats(window_descriptor, 100)[..]).read_to_end(&mut content);
            let error = error.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::Unsupported);
            assert!(error.to_string().contains("zstd -19"), "{error}");
            assert!(content.is_empty());
        }
        // The same for a single-segment frame with a declared content of 4 GB.
        let single = [0x28, 0xB5, 0x2F, 0xFD, 0b1010_0000, 0, 0, 0, 0xFF, 1, 0, 0];
        assert_eq!(decompressed(&single).unwrap_err().kind(), io::ErrorKind::Unsupported);
    }

    #[test]
    fn a_block_that_unpacks_to_more_than_a_block_may_have_is_refused_before_it_takes_memory() {
        // Together 20 MB. With 32,000 of them, as in a bomb, an unbounded decoder fills gigabytes for minutes.
        let count: u16 = 320;
        // No literals, then sequences whose three codes are always the same: no literal, the previous offset, and a
        // match of 65,539 bytes or more.
        let mut block = vec![0, (count >> 8) as u8 + 128, count as u8, 0b0101_0100, 0, 0, 52];
        block.extend(vec![0xFF; usize::from(count) * 2]);
        block.push(1);
        let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 13 << 3, 8 << 3, 0, 0];
        frame.extend(b"1234567\n");
        let header = 1 | 2 << 1 | (block.len() as u32) << 3;
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.extend(block);
        let error = decompressed(&frame).unwrap_err();
        assert!(error.to_string().contains("more than 128 KB"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_was_compressed_comes_back(
            words in proptest::collection::vec("[a-f]{1,40}", 1..20),
            picks in proptest::collection::vec((any::<prop::sample::Index>(), 1..200_usize), 0..40),
        ) {
            let content: Vec<u8> =
                picks.iter().flat_map(|(pick, times)| pick.get(&words).repeat(*times).into_bytes()).collect();
            let compressed = compress_to_vec(&content[..], CompressionLevel::Fastest);
            prop_assert_eq!(decompressed(&compressed).unwrap(), content);
        }
    }

    #[test]
    fn content_that_does_not_match_its_checksum_is_refused() {
        // "one" as an uncompressed block, with a wrong checksum of the content.
        let wrong = b"\x28\xB5\x2F\xFD\x24\x03\x19\0\0one\x01\x02\x03\x04";
        assert!(decompressed(wrong).unwrap_err().to_string().contains("checksum"));
    }
}
