//! New changes as server-sent events. Each event is a piece of the page.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use http_body::Frame;
use singlet_store::{ChangePosition, ChangesFrom, History};
use tokio::time::{Sleep, sleep};

use super::{Changes, Choice, list};
use crate::console::Console;
use crate::failure::Failure;
use crate::link::Pairs;

/// The pause between two looks at the log.
const PAUSE: Duration = Duration::from_millis(700);
/// The looks after which the browser connects again, so that no connection stays for ever.
const LOOKS_MAX: u32 = 400;
/// The most tails at once.
const TAILS_MAX: usize = 32;

static TAILS: AtomicUsize = AtomicUsize::new(0);

/// A tail that counts among those that are open.
struct OpenTail;

impl OpenTail {
    fn take() -> Result<OpenTail, Failure> {
        let place = OpenTail;
        match TAILS.fetch_add(1, Ordering::Relaxed) < TAILS_MAX {
            true => Ok(place),
            false => Err(Failure::wrong("Too many pages follow the changes already. Close some of them.")),
        }
    }
}

impl Drop for OpenTail {
    fn drop(&mut self) {
        TAILS.fetch_sub(1, Ordering::Relaxed);
    }
}

type Look = Pin<Box<dyn Future<Output = (Option<ChangePosition>, VecDeque<Bytes>)> + Send>>;

/// The body of a tail.
struct Tail<S> {
    console: Arc<Console<S>>,
    design: String,
    pairs: Pairs,
    after: ChangePosition,
    looks: u32,
    pause: Pin<Box<Sleep>>,
    look: Option<Look>,
    ready: VecDeque<Bytes>,
    _place: OpenTail,
}

/// Answers with the changes after a position, as they come in.
pub(crate) async fn tail<S: History + 'static>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    Query(pairs): Query<Pairs>,
) -> Result<Response, Failure> {
    let after = match Choice::of(console.served(&design)?, &pairs)?.from {
        ChangesFrom::After(after) => after,
        ChangesFrom::Before(_) | ChangesFrom::Latest => ChangePosition { commit: 0, place: 0 },
    };
    let pause = Box::pin(sleep(Duration::ZERO));
    let tail = Tail {
        _place: OpenTail::take()?,
        console,
        design,
        pairs,
        after,
        looks: 0,
        pause,
        look: None,
        ready: VecDeque::from([Bytes::from_static(b"retry: 2000\n\n")]),
    };
    Ok(([(CONTENT_TYPE, "text/event-stream")], Body::new(tail)).into_response())
}

/// Reads the changes after a position, and makes an event of each.
async fn look<S: History>(
    console: Arc<Console<S>>,
    design: String,
    pairs: Pairs,
    after: ChangePosition,
) -> (Option<ChangePosition>, VecDeque<Bytes>) {
    let found = async {
        let served = console.served(&design)?;
        let choice = Choice { from: ChangesFrom::After(after), ..Choice::of(served, &pairs)? };
        let changes = Changes::of(served, &choice).await?;
        let events = changes.shown.iter().rev().map(|change| {
            let page = list::change(served.design(), choice.table, change).into_string();
            // A line end would end the event.
            let page = page.replace('\r', "&#13;").replace('\n', "&#10;");
            Bytes::from(format!("id: {}\ndata: {page}\n\n", change.position))
        });
        Ok::<_, Failure>((changes.newest, events.collect()))
    };
    // A failure ends nothing: the next look may succeed.
    found.await.unwrap_or_default()
}

impl<S: History + 'static> http_body::Body for Tail<S> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let tail = &mut *self;
        loop {
            if let Some(event) = tail.ready.pop_front() {
                return Poll::Ready(Some(Ok(Frame::data(event))));
            }
            if let Some(look) = &mut tail.look {
                let Poll::Ready((newest, events)) = look.as_mut().poll(context) else { return Poll::Pending };
                tail.look = None;
                tail.after = newest.unwrap_or(tail.after);
                tail.ready = events;
                tail.pause = Box::pin(sleep(PAUSE));
                continue;
            }
            if tail.looks >= LOOKS_MAX {
                return Poll::Ready(None);
            }
            if tail.pause.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            tail.looks += 1;
            if tail.looks.is_multiple_of(20) {
                // A comment shows that the connection is alive.
                tail.ready.push_back(Bytes::from_static(b":\n\n"));
            }
            let (console, design, pairs) =
                (Arc::clone(&tail.console), tail.design.clone(), tail.pairs.clone());
            tail.look = Some(Box::pin(look(console, design, pairs, tail.after)));
        }
    }
}
