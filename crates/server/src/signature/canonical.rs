//! The canonical form of a request: the bytes that both sides of a signature hash.

use hyper::header::{HeaderMap, HeaderValue};
use hyper::http::request::Parts;

use super::presented::Presented;
use super::query;

/// The parts of a request that a signature covers.
pub(super) struct SignedRequest<'a> {
    pub(super) method: &'a str,
    /// The path as it stood in the request line.
    pub(super) path: &'a str,
    /// What stood after the `?`, if anything did.
    pub(super) query: Option<&'a str>,
    pub(super) headers: &'a HeaderMap<HeaderValue>,
    /// The names that the signature claims to cover, separated by `;`.
    pub(super) signed_headers: &'a str,
    /// The SHA-256 of the body.
    pub(super) body_hash: [u8; 32],
}

impl<'a> SignedRequest<'a> {
    /// A request that presents a signature, with the hash of its body.
    pub(super) fn of(parts: &'a Parts, presented: &'a Presented<'_>, body_hash: [u8; 32]) -> Self {
        Self {
            method: parts.method.as_str(),
            path: parts.uri.path(),
            query: parts.uri.query(),
            headers: &parts.headers,
            signed_headers: &presented.signed_headers,
            body_hash,
        }
    }

    /// Writes the canonical request. `None` if the list of signed headers is not in strictly rising order:
    /// no signer writes such a list, and without the check a repeated name would let a small request
    /// grow into a large one here.
    pub(super) fn canonical(&self) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(512);
        out.extend_from_slice(self.method.as_bytes());
        out.push(b'\n');
        write_path(&mut out, self.path);
        out.push(b'\n');
        if let Some(query) = self.query {
            query::write_canonical(&mut out, query);
        }
        out.push(b'\n');
        let mut previous = "";
        for name in self.signed_headers.split(';') {
            if name <= previous {
                return None;
            }
            write_header(&mut out, name, self.headers);
            previous = name;
        }
        out.push(b'\n');
        out.extend_from_slice(self.signed_headers.as_bytes());
        out.push(b'\n');
        write_hex(&mut out, &self.body_hash);
        Some(out)
    }
}

/// Writes the path without empty, `.` and `..` segments, everything but unreserved characters escaped
/// (what was escaped in the request line is escaped once more, as every service but S3 has it).
fn write_path(out: &mut Vec<u8>, path: &str) {
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            segment => segments.push(segment),
        }
    }
    for segment in &segments {
        out.push(b'/');
        write_escaped(out, segment.as_bytes());
    }
    if segments.is_empty() || path.ends_with('/') {
        out.push(b'/');
    }
}

/// Writes `name:value\n`; several values of one name are joined by commas, runs of spaces become one.
fn write_header(out: &mut Vec<u8>, name: &str, headers: &HeaderMap<HeaderValue>) {
    out.extend_from_slice(name.as_bytes());
    out.push(b':');
    for (position, value) in headers.get_all(name).iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        let mut after_space = false;
        for &byte in value.as_bytes().trim_ascii() {
            if byte != b' ' || !after_space {
                out.push(byte);
            }
            after_space = byte == b' ';
        }
    }
    out.push(b'\n');
}

/// Writes the bytes with everything but RFC 3986's unreserved characters as `%XX`.
pub(super) fn write_escaped(out: &mut Vec<u8>, bytes: &[u8]) {
    for &byte in bytes {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(byte),
            _ => out.extend_from_slice(&[b'%', hex_digit(byte >> 4, b'A'), hex_digit(byte & 15, b'A')]),
        }
    }
}

/// Writes the bytes as lower-case hexadecimal digits.
pub(super) fn write_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        out.extend_from_slice(&[hex_digit(byte >> 4, b'a'), hex_digit(byte & 15, b'a')]);
    }
}

/// The digit for a value below 16; `ten` is the letter for 10.
fn hex_digit(value: u8, ten: u8) -> u8 {
    if value < 10 { b'0' + value } else { ten + value - 10 }
}
