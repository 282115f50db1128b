//! The body of a live answer.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame};
use tokio::sync::mpsc;

use super::seats::Seat;

/// The events of one subscriber. It has no end of its own: the server ends it, or the subscriber was too slow.
pub(super) struct Events {
    events: mpsc::Receiver<Bytes>,
    _seat: Seat,
}

impl Events {
    pub(super) fn new(events: mpsc::Receiver<Bytes>, seat: Seat) -> Self {
        Self { events, _seat: seat }
    }
}

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.events.poll_recv(context).map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}
