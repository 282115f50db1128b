//! Live updates: the answer of a read, then its changes, as server-sent events.
//!
//! One thread per design (`hub`) reads the change feeds of its tables. Subscribers with the same view share a `group`, so
//! that each change is worked out and written once for all of them. A group knows the parts of the tables that its answer
//! came from (`dependency`), because a store that notes requests (`lens`) stood between the pattern and the tables. A
//! change that touches none of them costs a look into a map.
//!
//! - Lists of a query, and items: the pattern itself runs on the item before and after the change, as if it were alone in
//!   its table. So an event went through the same filters and projections as an answer. It only depends on the change.
//!   So a subscriber that comes back reads the feed again from its last event, and gets the events that it missed.
//! - Everything else runs again, and is sent again if it differs.

mod body;
mod dependency;
mod event;
mod group;
mod hub;
mod lens;
mod resume;
mod seats;

use std::net::IpAddr;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use singlet_design::Pattern;
use singlet_run::{Arguments, Caller, Paging, RunError, Runner};
use singlet_store::Store;
use singlet_values::Item;
use tokio::sync::{mpsc, oneshot};

use crate::feed::Following;
use crate::metered::Metered;
use crate::negotiate::EVENTS;
use crate::problem::{Problem, ProblemKind};
use body::Events;
use dependency::{Dependency, Tables};
use hub::{Command, Hub};
use lens::{Lens, Sight};
use seats::{Seat, Seats};

/// The subscriptions that wait to be taken in at most; beyond that the caller is refused.
const COMMANDS_MAX: usize = 1024;

/// The read that a subscriber follows.
#[derive(Debug, Clone)]
pub(crate) struct LiveRead {
    pub(crate) pattern: Arc<Pattern>,
    pub(crate) arguments: Arguments,
    pub(crate) paging: Paging,
    /// For whom it runs, each time.
    pub(crate) caller: Caller,
}

/// Why a subscription isn't possible.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The read fails.
    Run(RunError),
    /// Another reason.
    Problem(Problem),
}

/// The table and the key of the item that a get would read.
pub(crate) async fn key_of<S: Store>(
    runner: &Runner<Metered<S>>,
    pattern: &str,
    arguments: &Arguments,
) -> Option<(String, Item)> {
    let tables = Tables::new(runner.design(), runner.environment());
    let lens = Lens::new(runner.store(), &tables, Sight::Nothing);
    runner.on(&lens).run(pattern, arguments, &Paging::default()).await.ok()?;
    lens.dependencies().into_iter().find_map(|dependency| match dependency {
        Dependency::Item { table, key } => Some((table, key)),
        Dependency::Range { .. } | Dependency::All { .. } => None,
    })
}

/// The live updates of one design.
pub(crate) struct Live<S> {
    runner: Arc<Runner<Metered<S>>>,
    following: Arc<Following>,
    seats: Arc<Seats>,
    /// The thread that follows the feeds, once somebody has subscribed.
    hub: Mutex<Option<SyncSender<Command>>>,
}

impl<S: Store + 'static> Live<S> {
    pub(crate) fn new(runner: Arc<Runner<Metered<S>>>, following: Arc<Following>) -> Self {
        Self { runner, following, seats: Arc::default(), hub: Mutex::default() }
    }

    /// Answers with the events of a view. `last` is the id of the last event that the subscriber has.
    pub(crate) async fn subscribe(
        &self,
        view: LiveRead,
        last: Option<String>,
        address: Option<IpAddr>,
    ) -> Result<Response, Refused> {
        let seat = self.seats.take(address).map_err(Refused::Problem)?;
        let (reply, answer) = oneshot::channel();
        self.send(Command { view, last, reply }).map_err(Refused::Problem)?;
        match answer.await {
            Ok(events) => Ok(stream(events?, seat)),
            Err(_) => Err(Refused::Problem(busy())),
        }
    }

    /// Hands a subscription to the thread, which is started first if there is none.
    fn send(&self, command: Command) -> Result<(), Problem> {
        let mut hub = self.hub.lock().unwrap_or_else(PoisonError::into_inner);
        let commands = match hub.take() {
            Some(commands) => commands,
            None => self.start()?,
        };
        let (commands, sent) = match commands.try_send(command) {
            Ok(()) => (commands, Ok(())),
            Err(TrySendError::Full(_)) => (commands, Err(busy())),
            // The thread ended, which only a fault of its own explains.
            Err(TrySendError::Disconnected(command)) => {
                let commands = self.start()?;
                let sent = commands.try_send(command).map_err(|_| busy());
                (commands, sent)
            }
        };
        *hub = Some(commands);
        sent
    }

    fn start(&self) -> Result<SyncSender<Command>, Problem> {
        let (commands, received) = sync_channel(COMMANDS_MAX);
        let hub = Hub::new(Arc::clone(&self.runner), Arc::clone(&self.following), received);
        let thread = thread::Builder::new().name("singlet-live".to_owned()).spawn(move || hub.run());
        thread.map(|_| commands).map_err(|error| {
            tracing::warn!(%error, "the thread for live updates can't be started");
            busy()
        })
    }
}

fn stream(events: mpsc::Receiver<Bytes>, seat: Seat) -> Response {
    let mut response = Body::new(Events::new(events, seat)).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(EVENTS));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Some proxies collect an answer before they pass it on.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

fn busy() -> Problem {
    Problem::new(ProblemKind::Busy, "live updates can't be taken in at the moment")
}
