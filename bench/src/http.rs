//! The little of HTTP/1.1 that a load generator needs: write a signed request, find where an answer ends.

use anyhow::{Context, Result, bail, ensure};

use crate::clock::unix_seconds;
use crate::sign::{CONTENT_TYPE, Signer, TARGET_PREFIX};

/// Writes signed requests for one host.
pub(crate) struct RequestWriter {
    host: String,
    signer: Signer,
    body: Vec<u8>,
}

impl RequestWriter {
    /// A writer of requests to `host`, which is also the signed `Host` header.
    pub(crate) fn new(host: &str) -> Self {
        Self { host: host.to_owned(), signer: Signer::new(), body: Vec::with_capacity(32 * 1024) }
    }

    /// Replaces `out` by a request for `operation` whose body `write_body` writes.
    pub(crate) fn write(
        &mut self,
        out: &mut Vec<u8>,
        operation: &str,
        write_body: impl FnOnce(&mut Vec<u8>),
    ) {
        self.body.clear();
        write_body(&mut self.body);
        out.clear();
        for part in [
            "POST / HTTP/1.1\r\nHost: ",
            &self.host,
            "\r\nContent-Type: ",
            CONTENT_TYPE,
            "\r\nX-Amz-Target: ",
            TARGET_PREFIX,
            operation,
            "\r\nContent-Length: ",
            &self.body.len().to_string(),
            "\r\n",
        ] {
            out.extend_from_slice(part.as_bytes());
        }
        self.signer.sign(unix_seconds(), &self.host, operation, &self.body, out);
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(&self.body);
    }
}

/// The head of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AnswerHead {
    /// The HTTP status.
    pub(crate) status: u16,
    /// Where the body begins.
    pub(crate) head_bytes: usize,
    /// How long the body is.
    pub(crate) body_bytes: usize,
    /// The server will close the connection after this answer.
    pub(crate) closes: bool,
}

impl AnswerHead {
    /// The answer's length with its head.
    pub(crate) fn total_bytes(&self) -> usize {
        self.head_bytes + self.body_bytes
    }

    /// Reads the head of an answer, or gives `None` while it isn't complete.
    pub(crate) fn read(bytes: &[u8]) -> Result<Option<Self>> {
        let mut headers = [httparse::EMPTY_HEADER; 32];
        let mut answer = httparse::Response::new(&mut headers);
        let httparse::Status::Complete(head_bytes) = answer.parse(bytes).context("answer is not HTTP/1.1")?
        else {
            return Ok(None);
        };
        let mut body_bytes = None;
        let mut closes = answer.version == Some(0);
        for header in answer.headers.iter() {
            if header.name.eq_ignore_ascii_case("content-length") {
                body_bytes = std::str::from_utf8(header.value)?.parse().ok();
            } else if header.name.eq_ignore_ascii_case("connection") {
                closes = header.value.eq_ignore_ascii_case(b"close");
            }
        }
        let Some(body_bytes) = body_bytes else { bail!("answer without content-length") };
        ensure!(body_bytes < 64 << 20, "answer of {body_bytes} bytes");
        Ok(Some(Self { status: answer.code.unwrap_or(0), head_bytes, body_bytes, closes }))
    }
}

#[cfg(test)]
mod tests {
    use super::{AnswerHead, RequestWriter};

    #[test]
    fn head_is_read_only_when_complete() {
        let answer = b"HTTP/1.1 200 OK\r\ncontent-type: x\r\nContent-Length: 12\r\n\r\n{";
        for cut in 0..answer.len() - 1 {
            assert_eq!(AnswerHead::read(&answer[..cut]).unwrap(), None, "{cut}");
        }
        let head = AnswerHead::read(answer).unwrap().unwrap();
        assert_eq!((head.status, head.body_bytes, head.closes), (200, 12, false));
        assert_eq!(head.total_bytes(), answer.len() - 1 + 12);
    }

    #[test]
    fn answer_without_a_length_is_an_error_not_a_wait() {
        assert!(AnswerHead::read(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
        assert!(AnswerHead::read(b"nonsense\r\n\r\n").is_err());
    }

    #[test]
    fn request_carries_length_target_and_body() {
        let mut out = Vec::new();
        RequestWriter::new("localhost:1").write(&mut out, "GetItem", |body| body.extend_from_slice(b"{}"));
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("\r\nContent-Length: 2\r\n"));
        assert!(text.contains("\r\nX-Amz-Target: DynamoDB_20120810.GetItem\r\n"));
        assert!(text.ends_with("\r\n\r\n{}"));
    }
}
