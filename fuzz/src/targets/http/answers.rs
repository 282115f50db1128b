//! The answers of a server, parsed strictly.

/// Headers that the server sends.
pub(super) const KNOWN: [&str; 11] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "server",
    "x-amz-crc32",
    "x-amzn-requestid",
    "vary",
    "allow",
    "retry-after",
];

/// One answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// All answers in what was received; anything else in it is a broken promise. The last one may be cut off where the
    /// connection was reset.
    pub(super) fn all(mut received: &[u8], sent: &[u8]) -> Vec<Answer> {
        // The answer to HEAD announces a body that doesn't come.
        let asks_for_heads = sent.windows(5).any(|window| window == b"HEAD ");
        let mut answers = Vec::new();
        while !received.is_empty() {
            let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") else {
                assert!(received.starts_with(b"HTTP/1.") || b"HTTP/1.".starts_with(received));
                break;
            };
            let head = std::str::from_utf8(&received[..end]).expect("heads are text");
            let mut lines = head.split("\r\n");
            let status = status(lines.next().unwrap_or_default());
            let headers: Vec<(String, String)> = lines.map(header).collect();
            received = &received[end + 4..];
            let mut answer = Answer { status, headers, body: Vec::new() };
            let is_bare = asks_for_heads && (received.is_empty() || received.starts_with(b"HTTP/1."));
            let length = if is_bare { 0 } else { answer.body_bytes().min(received.len()) };
            answer.body = received[..length].to_vec();
            received = &received[length..];
            answers.push(answer);
        }
        answers
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether this answers a call of the protocol.
    pub(super) fn is_call(&self) -> bool {
        self.header("content-type").is_some_and(|kind| kind.contains("json"))
    }

    fn body_bytes(&self) -> usize {
        let lengths = self.headers.iter().filter(|(name, _)| name == "content-length").count();
        assert!(lengths <= 1, "{self:?}");
        match self.header("content-length") {
            Some(length) => length.parse().expect("a length is a number"),
            None => 0,
        }
    }
}

fn status(line: &str) -> u16 {
    let rest = line.strip_prefix("HTTP/1.1 ").or_else(|| line.strip_prefix("HTTP/1.0 "));
    let rest = rest.unwrap_or_else(|| panic!("not a status line: {line}"));
    rest.get(..3).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("no status: {line}"))
}

fn header(line: &str) -> (String, String) {
    let (name, value) = line.split_once(':').unwrap_or_else(|| panic!("not a header: {line}"));
    (name.to_ascii_lowercase(), value.trim().to_owned())
}
