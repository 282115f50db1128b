//! The bytes that a client still sends after it got its answer.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};

/// The size of a read.
const PIECE_BYTES: usize = 64 << 10;

thread_local! {
    /// The content is never used, so one buffer is enough for all connections of a thread.
    static SCRAP: RefCell<Vec<u8>> = RefCell::new(vec![0; PIECE_BYTES]);
}

/// Shuts down the server's side of a connection. Then discards up to `bytes_max` bytes until the client shuts down its
/// side.
///
/// Closing a connection with unread bytes resets it, and a reset can overtake the answer. Many clients read the answer
/// only after they have sent everything.
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
