//! The checksums that S3 and DynamoDB write beside files.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest, Md5};

/// An MD5 in base64.
pub(crate) fn md5_base64(bytes: &[u8]) -> String {
    STANDARD.encode(Md5::digest(bytes))
}

/// A name derived from a string: 26 letters and digits, the length of DynamoDB's random names.
pub(crate) fn name_from(text: &str) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let digest = Md5::digest(text.as_bytes());
    let mut bits = digest.iter().fold(0u128, |bits, byte| bits << 8 | u128::from(*byte));
    let mut name = String::with_capacity(26);
    for _ in 0..26 {
        let letter = LETTERS.get((bits & 31) as usize).copied().unwrap_or(b'a');
        name.push(char::from(letter));
        bits >>= 5;
    }
    name
}

/// The checksums of a file.
#[derive(Debug)]
pub(crate) struct FileChecksum {
    /// The MD5 in base64.
    pub(crate) md5: String,
    /// The entity tag that S3 gives the file when it is uploaded in one part of a multipart upload, as DynamoDB does.
    pub(crate) etag: String,
}

/// A writer that computes the checksum of the bytes written through it.
pub(crate) struct ChecksumWriter<W> {
    inner: W,
    digest: Md5,
}

impl<W: Write> ChecksumWriter<W> {
    pub(crate) fn new(inner: W) -> Self {
        ChecksumWriter { inner, digest: Md5::new() }
    }

    /// The inner writer, and the checksum.
    pub(crate) fn finish(self) -> (W, FileChecksum) {
        let digest = self.digest.finalize();
        let parts = Md5::digest(digest);
        let etag: String = parts.iter().map(|byte| format!("{byte:02x}")).chain(["-1".to_owned()]).collect();
        (self.inner, FileChecksum { md5: STANDARD.encode(digest), etag })
    }
}

impl<W: Write> Write for ChecksumWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.digest.update(bytes.get(..written).unwrap_or(bytes));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_bytes_written() {
        let mut writer = ChecksumWriter::new(Vec::new());
        writer.write_all(b"ab").unwrap();
        writer.write_all(b"c").unwrap();
        let (bytes, checksum) = writer.finish();
        assert_eq!(bytes, b"abc");
        assert_eq!(checksum.md5, "kAFQmDzST7DWlj99KOF/cg==");
        assert_eq!(checksum.md5, md5_base64(b"abc"));
        assert!(checksum.etag.len() == 34 && checksum.etag.ends_with("-1"), "{}", checksum.etag);
    }

    #[test]
    fn names_are_long_and_differ() {
        assert_eq!(name_from("a/1").len(), 26);
        assert_ne!(name_from("a/1"), name_from("a/2"));
    }
}
