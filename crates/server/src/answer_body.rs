//! The bodies of answers: in one piece from the server itself, or in pieces from a mounted router.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body, Frame, SizeHint};

use crate::answers::Answers;
use crate::connections::Streaming;

/// The body of an answer.
pub(crate) enum AnswerBody {
    /// In one piece.
    Whole(Full<Bytes>),
    /// From a mounted router.
    Mounted(Box<MountedBody>),
}

/// The body of an answer of a mounted router. The memory of its pieces counts, and a client that doesn't read them is
/// disconnected.
pub(crate) struct MountedBody {
    body: axum::body::Body,
    answers: Arc<Answers>,
    streaming: Streaming,
}

impl AnswerBody {
    /// A body in one piece.
    pub(crate) fn whole(body: Bytes) -> Self {
        Self::Whole(Full::new(body))
    }

    /// The body of a mounted router's answer.
    pub(crate) fn mounted(body: axum::body::Body, answers: &Arc<Answers>, streaming: Streaming) -> Self {
        Self::Mounted(Box::new(MountedBody { body, answers: Arc::clone(answers), streaming }))
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match self.get_mut() {
            Self::Whole(body) => Pin::new(body).poll_frame(context).map_err(|never| match never {}),
            Self::Mounted(body) => body.poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(body) => body.is_end_stream(),
            Self::Mounted(mounted) => mounted.body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(body) => body.size_hint(),
            Self::Mounted(mounted) => mounted.body.size_hint(),
        }
    }
}

impl MountedBody {
    fn poll_frame(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(frame) => {
                self.streaming.sends();
                let held = |frame: Frame<Bytes>| frame.map_data(|piece| self.answers.hold_piece(piece));
                Poll::Ready(frame.map(|frame| frame.map(held)))
            }
            // A stream of events has no end of its own. It ends between two pieces when the server stops.
            Poll::Pending if self.streaming.is_ending() && self.body.size_hint().exact().is_none() => {
                Poll::Ready(None)
            }
            Poll::Pending => {
                self.streaming.waits();
                Poll::Pending
            }
        }
    }
}
