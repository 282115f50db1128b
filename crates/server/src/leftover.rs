//! What a client still sends when it has its answer already.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};

/// Read at once.
const PIECE_BYTES: usize = 64 << 10;

thread_local! {
    /// Nobody looks at what is in it: one is enough for all connections of a thread.
    static SCRAP: RefCell<Vec<u8>> = RefCell::new(vec![0; PIECE_BYTES]);
}

/// Ends our side of a connection, and throws away what the client still sends until it ends its side; so many bytes at most.
///
/// A connection that is closed with unread bytes is reset, and a reset can overtake the answer. Many clients look for an
/// answer only when they have sent everything.
pub(crate) async fn throw_away(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    bytes_max: usize,
) -> io::Result<()> {
    stream.shutdown().await?;
    let mut taken = 0;
    while taken < bytes_max {
        match poll_fn(|context| poll_piece(stream, context)).await? {
            0 => break,
            bytes => taken += bytes,
        }
    }
    Ok(())
}

fn poll_piece(stream: &mut (impl AsyncRead + Unpin), context: &mut Context<'_>) -> Poll<io::Result<usize>> {
    SCRAP.with_borrow_mut(|scrap| {
        let mut piece = ReadBuf::new(scrap);
        ready!(Pin::new(stream).poll_read(context, &mut piece))?;
        Poll::Ready(Ok(piece.filled().len()))
    })
}
