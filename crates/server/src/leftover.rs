//! What a client still sends when it has its answer already.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Read at once.
const PIECE_BYTES: usize = 16 << 10;

/// Ends our side of a connection, and throws away what the client still sends until it ends its side; so many bytes at most.
///
/// A connection that is closed with unread bytes is reset, and a reset can overtake the answer. Many clients look for an
/// answer only when they have sent everything.
pub(crate) async fn throw_away(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    bytes_max: usize,
) -> io::Result<()> {
    stream.shutdown().await?;
    let mut scrap = vec![0; PIECE_BYTES];
    let mut taken = 0;
    while taken < bytes_max {
        match stream.read(&mut scrap).await? {
            0 => break,
            bytes => taken += bytes,
        }
    }
    Ok(())
}
