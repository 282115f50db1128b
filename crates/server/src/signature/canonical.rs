//! The canonical form of a request: the bytes that both sides of a signature hash.

use hyper::header::{HeaderMap, HeaderValue};
use hyper::http::request::Parts;

use super::escape::{write_escaped, write_hex};
use super::presented::Presented;
use super::query;

/// The parts of a request that a signature covers.
pub(super) struct SignedRequest<'a> {
    pub(super) method: &'a str,
    /// The path in the request line.
    pub(super) path: &'a str,
    /// The part after the `?`, if there is one.
    pub(super) query: Option<&'a str>,
    pub(super) headers: &'a HeaderMap<HeaderValue>,
    /// The names of the headers that the signature covers, separated by `;`.
    pub(super) signed_headers: &'a str,
    /// The SHA-256 of the body.
    pub(super) body_hash: [u8; 32],
}

impl<'a> SignedRequest<'a> {
    /// A request with a signature, and the hash of its body.
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

    /// Writes the canonical request. Returns `None` if the signed headers aren't in strictly ascending order. No signer
    /// writes such a list, and a repeated name would let a small request grow into a large one here.
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

/// Writes the path without empty, `.` and `..` segments. All characters except unreserved ones are escaped. Escapes in
/// the request line are escaped again, as in every service but S3.
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

/// Writes `name:value\n`. Several values of one name are joined by commas, and runs of spaces become one space.
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
