//! Connections beyond the limit. They get an answer that tells them to try again, and are closed.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::leftover;

/// The maximum number of concurrent refusals. Further connections are closed without an answer.
const AT_ONCE_MAX: usize = 64;
/// The time that a refused client gets to read the answer.
const LINGER: Duration = Duration::from_secs(1);
/// The number of bytes that it may still send meanwhile.
const LEFTOVER_BYTES_MAX: usize = 1 << 20;
const ANSWER: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    content-type: application/x-amz-json-1.0\r\n\
    content-length: 100\r\n\
    connection: close\r\n\r\n\
    {\"__type\":\"com.amazon.coral.service#ServiceUnavailableException\",\"message\":\"Too many connections\"}\r\n";

pub(crate) struct Refusals {
    places: Arc<Semaphore>,
}

impl Default for Refusals {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(AT_ONCE_MAX)) }
    }
}

impl Refusals {
    pub(crate) fn refuse(&self, mut stream: TcpStream) {
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else { return };
        tokio::spawn(async move {
            let refusal = async {
                stream.write_all(ANSWER).await?;
                leftover::throw_away(&mut stream, LEFTOVER_BYTES_MAX).await
            };
            let _ = tokio::time::timeout(LINGER, refusal).await;
            drop(place);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_announced_length_is_that_of_the_body() {
        let text = std::str::from_utf8(ANSWER).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{}", body.len());
    }
}
