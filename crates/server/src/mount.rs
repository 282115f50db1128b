//! Paths other than the server's own, which a mounted router answers.
//!
//! The server's limits hold for them, too: memory for bodies and answers, timeouts, a clean shutdown. Requests from
//! this machine must name one of the server's hosts and come from one of its own pages, whether or not the server has
//! credentials. The router decides about everything else, such as callers.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use bytes::Bytes;
use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH, HOST, HeaderMap, HeaderValue, ORIGIN, RETRY_AFTER};
use hyper::http::request::Parts;
use hyper::{Method, Request};
use singlet_wire::ProtocolError;
use tower_service::Service;

use crate::answer_body::AnswerBody;
use crate::answers::Answers;
use crate::body::{Bodies, BodyError, Sender};
use crate::caller::{Caller, ClientGone, leave};
use crate::caught::caught;
use crate::connections::Phase;
use crate::cors::{self, Cors};
use crate::encoding::Encoding;
use crate::host::Hosts;
use crate::metrics::Metrics;
use crate::response::{self, Answer, ContentType};

/// The paths that the server answers itself.
pub const OWN_PATHS: [&str; 3] = ["/", "/health", "/metrics"];

/// The parts of the server that a mounted router needs for one request.
pub(crate) struct Mounting<'a> {
    pub(crate) router: &'a Router,
    pub(crate) cors: Option<&'a Cors>,
    pub(crate) hosts: &'a Hosts,
    pub(crate) bodies: &'a Bodies,
    pub(crate) answers: &'a Arc<Answers>,
    pub(crate) metrics: &'a Metrics,
}

impl Mounting<'_> {
    /// Answers a request through the router. The client's address is an extension of the request, of type [`IpAddr`].
    pub(crate) async fn answer(
        &self,
        caller: &Caller<'_>,
        parts: Parts,
        body: Incoming,
        request_id: HeaderValue,
    ) -> Result<Answer, ClientGone> {
        let started = Instant::now();
        caller.registration.enter(Phase::Receiving);
        let has_body = !body.is_end_stream();
        let answer = match self.run(caller, parts, body).await {
            Ok(answer) => answer,
            Err(Stop::Gone) => return Err(ClientGone),
            Err(Stop::Refused(refusal)) => {
                caller.registration.enter(Phase::Waiting);
                let mut answer = refusal.answer(request_id);
                if has_body {
                    leave(caller, &mut answer);
                }
                answer
            }
        };
        self.metrics.count_mounted(answer.status().as_u16(), started.elapsed());
        Ok(answer)
    }

    async fn run(&self, caller: &Caller<'_>, mut parts: Parts, body: Incoming) -> Result<Answer, Stop> {
        self.admit(&parts, caller.address)?;
        let reads = parts.method == Method::GET || parts.method == Method::HEAD;
        if reads && self.answers.is_full() {
            return Err(Refusal::Busy.into());
        }
        let encoding = Encoding::of(&parts.headers);
        let received = self.bodies.receive(body, encoding, Sender::Known).await.map_err(Stop::of)?;
        let bytes = self.bodies.decode(&received.bytes, encoding).map_err(|error| match error {
            ProtocolError::RequestTooLarge => Refusal::TooLarge,
            _ => Refusal::Encoding,
        })?;
        let parsed = self.bodies.room_to_parse(&bytes).await;
        let _parsed = parsed.map_err(|error| Stop::of(BodyError::Refused(error)))?;
        if encoding != Encoding::Plain {
            parts.headers.remove(CONTENT_ENCODING);
            parts.headers.insert(CONTENT_LENGTH, bytes.len().into());
        }
        parts.extensions.insert::<IpAddr>(caller.address);
        caller.registration.enter(Phase::Working);
        let mut router = self.router.clone();
        let request = Request::from_parts(parts, axum::body::Body::from(bytes));
        let Some(answered) = caught(router.call(request)).await else {
            self.metrics.panics.increment();
            return Err(Refusal::Failed.into());
        };
        caller.registration.prove();
        let (head, body) = answered.unwrap_or_else(|never| match never {}).into_parts();
        let streaming = caller.registration.streaming();
        Ok(Answer::from_parts(head, AnswerBody::mounted(body, self.answers, streaming)))
    }

    /// Refuses requests that a web page could send in the name of a user of this machine.
    fn admit(&self, parts: &Parts, address: IpAddr) -> Result<(), Refusal> {
        if !address.to_canonical().is_loopback() {
            return Ok(());
        }
        if self.hosts.foreign(parts).is_some() {
            return Err(Refusal::ForeignHost);
        }
        match cors::foreign_origin(self.cors, &parts.headers) {
            Some(_) if !is_own_page(&parts.headers) => Err(Refusal::ForeignOrigin),
            _ => Ok(()),
        }
    }
}

/// Whether the page that sent the request came from the host that it names.
fn is_own_page(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let origin = text(ORIGIN).and_then(|origin| origin.split_once("://"));
    origin.is_some_and(|(_, authority)| Some(authority) == text(HOST))
}

/// Why a request doesn't reach the router.
enum Stop {
    Refused(Refusal),
    /// The client disconnected.
    Gone,
}

impl Stop {
    fn of(error: BodyError) -> Self {
        match error {
            BodyError::Gone => Self::Gone,
            BodyError::Refused(ProtocolError::RequestTooLarge) => Refusal::TooLarge.into(),
            BodyError::Refused(_) => Refusal::Busy.into(),
        }
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// A refusal of the server.
#[derive(Clone, Copy)]
enum Refusal {
    ForeignHost,
    ForeignOrigin,
    TooLarge,
    Encoding,
    Busy,
    Failed,
}

impl Refusal {
    /// The status, the title and what to do.
    fn text(self) -> (u16, &'static str, &'static str) {
        match self {
            Self::ForeignHost => (
                403,
                "Unknown host",
                "From this machine the server answers to localhost, its own address and the names given by --host",
            ),
            Self::ForeignOrigin => (
                403,
                "Foreign origin",
                "Web pages of another origin may not call this server: --cors allows one",
            ),
            Self::TooLarge => (413, "Request too large", "Send a smaller body"),
            Self::Encoding => {
                (415, "Unknown encoding", "Send the body as it is, or compressed with gzip or deflate")
            }
            Self::Busy => (503, "Server busy", "The server has no memory for this request now: try again"),
            Self::Failed => (500, "Internal error", "The server failed to answer the request"),
        }
    }

    /// The answer, as RFC 9457 defines it.
    fn answer(self, request_id: HeaderValue) -> Answer {
        let (status, title, detail) = self.text();
        let body =
            format!(r#"{{"type":"about:blank","title":"{title}","status":{status},"detail":"{detail}"}}"#);
        let mut answer = response::answer(status, ContentType::Problem, Bytes::from(body), request_id);
        if matches!(self, Self::Busy) {
            answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        answer
    }
}
