//! One request: from its head to its answer.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use bytes::Bytes;
use hyper::body::{Body, Incoming};
use hyper::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use hyper::http::request::Parts;
use hyper::{Method, Request};
use singlet_wire::{Operation, ProtocolError, Reply};

use crate::answers::{Answers, Reservation};
use crate::api::Api;
use crate::body::{Bodies, BodyError, Sender};
use crate::caller::{Caller, ClientGone, leave};
use crate::caught::caught;
use crate::connections::Phase;
use crate::cors::{self, Cors};
use crate::encoding::{Coding, Encoding};
use crate::header::{self, TARGET};
use crate::health;
use crate::host::Hosts;
use crate::metrics::{self, Metrics};
use crate::mount::{Mounting, OWN_PATHS};
use crate::options::Options;
use crate::pace::Pace;
use crate::request_id::RequestIds;
use crate::response::{self, Answer, ContentType};
use crate::signature::{self, Access, Verifier};

/// The state that all requests share.
pub(crate) struct Front<A> {
    api: A,
    region: String,
    verifier: Option<Verifier>,
    /// Answers to all paths but the server's own.
    router: Option<Router>,
    /// The path that browsers are sent to from `/`.
    home: Option<&'static str>,
    cors: Option<Cors>,
    hosts: Hosts,
    metrics_public: bool,
    bodies: Bodies,
    pub(crate) answers: Arc<Answers>,
    /// Limits failed requests in the log.
    failures: Pace,
    request_ids: RequestIds,
    pub(crate) metrics: Metrics,
}

impl<A: Api> Front<A> {
    pub(crate) fn new(
        api: A,
        (router, home): (Option<Router>, Option<&'static str>),
        options: &Options,
        cors: Option<Cors>,
        hosts: Hosts,
    ) -> Self {
        let verifier = options
            .credentials
            .clone()
            .map(|credentials| Verifier::new(credentials, options.region.clone(), options.clock.clone()));
        Self {
            api,
            region: options.region.clone(),
            verifier,
            router,
            home,
            cors,
            hosts,
            metrics_public: options.metrics_public,
            bodies: Bodies::new(&options.limits, options.credentials.is_some()),
            answers: Answers::new(&options.limits),
            failures: Pace::new(),
            request_ids: RequestIds::random(),
            metrics: Metrics::new(),
        }
    }

    /// Answers one request of any kind.
    pub(crate) async fn answer(
        &self,
        caller: &Caller<'_>,
        request: Request<Incoming>,
    ) -> Result<Answer, ClientGone> {
        let request_id = self.request_ids.next();
        let (parts, body) = request.into_parts();
        let mut answer = if let Some(mounting) = self.mounting(&parts) {
            // Boxed, so that the future of a call stays small.
            Box::pin(mounting.answer(caller, parts, body, request_id)).await?
        } else if parts.method == Method::POST {
            // DynamoDB ignores the path of a call.
            self.answer_call(caller, parts, body, request_id).await?
        } else {
            let mut answer = self.answer_visit(caller, &parts, request_id);
            if !body.is_end_stream() {
                leave(caller, &mut answer);
            }
            answer
        };
        if let Some(cors) = &self.cors {
            cors.mark(&mut answer);
        }
        Ok(answer)
    }

    /// The mounted router, if the request is for it. A request that names an operation of DynamoDB isn't, whatever its
    /// path.
    fn mounting(&self, parts: &Parts) -> Option<Mounting<'_>> {
        let router = self.router.as_ref()?;
        let is_preflight = || parts.method == Method::OPTIONS && self.cors.is_some();
        if OWN_PATHS.contains(&parts.uri.path()) || parts.headers.contains_key(&TARGET) || is_preflight() {
            return None;
        }
        Some(Mounting {
            router,
            cors: self.cors.as_ref(),
            hosts: &self.hosts,
            bodies: &self.bodies,
            answers: &self.answers,
            metrics: &self.metrics,
        })
    }

    /// Answers a request that isn't a call of the database.
    fn answer_visit(&self, caller: &Caller<'_>, parts: &Parts, request_id: HeaderValue) -> Answer {
        // The metrics page doesn't need a signature, even with credentials.
        let is_open = self.verifier.is_none() || (parts.uri.path() == "/metrics" && !self.metrics_public);
        if is_open && let Some(host) = self.hosts.foreign(parts) {
            let text = format!("{}\n", foreign_host(&host));
            return response::answer(403, ContentType::Text, text.into(), request_id);
        }
        match (&parts.method, parts.uri.path()) {
            (&Method::GET, "/")
                if is_browser(&parts.headers)
                    && let Some(home) = self.home =>
            {
                let mut answer = response::answer(303, ContentType::Text, Vec::new().into(), request_id);
                answer.headers_mut().insert(LOCATION, HeaderValue::from_static(home));
                answer
            }
            (&Method::GET, "/" | "/health") => {
                response::answer(200, ContentType::Text, health::page(&self.region).into(), request_id)
            }
            (&Method::GET, "/metrics") if self.shows_metrics_to(caller.address) => {
                let page = self.answers.hold(
                    self.metrics_page(caller),
                    self.answers.reservation(),
                    caller.registration,
                );
                response::answer(200, ContentType::Prometheus, page, request_id)
            }
            (method, _) => match &self.cors {
                Some(cors) if method == Method::OPTIONS => {
                    let is_mounted = self.router.is_some() && !OWN_PATHS.contains(&parts.uri.path());
                    cors.preflight(&parts.headers, is_mounted, request_id)
                }
                _ => response::unknown(request_id),
            },
        }
    }

    async fn answer_call(
        &self,
        caller: &Caller<'_>,
        parts: Parts,
        body: Incoming,
        request_id: HeaderValue,
    ) -> Result<Answer, ClientGone> {
        let started = Instant::now();
        let encoding = Encoding::of(&parts.headers);
        let operation = header::text(&parts.headers, &TARGET).and_then(Operation::from_target);
        caller.registration.enter(Phase::Receiving);
        let received = match self.look_ahead(&parts, operation, &body) {
            Ok(sender) => self.bodies.receive(body, encoding, sender).await,
            Err(error) => Err(BodyError::Refused(error)),
        };
        let received = match received {
            Ok(received) => Ok(received),
            Err(BodyError::Refused(error)) => Err(error),
            Err(BodyError::Gone) => return Err(ClientGone),
        };
        caller.registration.enter(Phase::Working);
        let content_type = content_type(&parts.headers);
        let room = self.answers.reservation();
        let (reply, body_is_left) = match &received {
            Ok(body) if content_type.is_none() && !body.bytes.is_empty() => {
                caller.registration.enter(Phase::Waiting);
                return Ok(response::unknown(request_id));
            }
            Ok(body) => (self.call(caller, &parts, operation, &body.bytes, encoding, &room).await, false),
            Err(error) => {
                if *error == ProtocolError::ServiceUnavailable {
                    self.metrics.requests_refused.increment();
                }
                (error.reply(), true)
            }
        };
        drop(received);
        let mut reply = self.within_room(reply, &room);
        caller.registration.enter(Phase::Waiting);
        self.record(operation, &reply, started, &request_id);
        let coding = match Coding::for_answer(&parts.headers, reply.body.len()) {
            // Boxed, so that the future of a call stays small.
            Some(coding) => Box::pin(compress(coding, &mut reply, &room)).await,
            None => None,
        };
        let content_type = content_type.unwrap_or(ContentType::AmazonJson);
        let recycled = parts.headers;
        let body = self.answers.hold(reply.body, room, caller.registration);
        let mut answer = response::answer_with(recycled, reply.status, content_type, body, request_id);
        if let Some(coding) = coding {
            answer.headers_mut().insert(CONTENT_ENCODING, coding.header());
        }
        if body_is_left {
            leave(caller, &mut answer);
        }
        Ok(answer)
    }

    /// Rejects a request with a large body by its head alone, if the body wouldn't change the result. Returns what the
    /// head proves about the sender.
    fn look_ahead(
        &self,
        parts: &Parts,
        operation: Option<Operation>,
        body: &Incoming,
    ) -> Result<Sender, ProtocolError> {
        if !Bodies::is_large(body) {
            return Ok(Sender::Known);
        }
        if operation.is_none() {
            return Err(unknown_operation(parts));
        }
        match &self.verifier {
            Some(verifier) if verifier.check_head(parts)? => Ok(Sender::Known),
            Some(_) => Ok(Sender::Unverified),
            None => match self.hosts.foreign(parts) {
                Some(host) => Err(ProtocolError::AccessDenied(foreign_host(&host).into())),
                None => Ok(Sender::Known),
            },
        }
    }

    async fn call(
        &self,
        caller: &Caller<'_>,
        parts: &Parts,
        operation: Option<Operation>,
        body: &Bytes,
        encoding: Encoding,
        room: &Reservation<'_>,
    ) -> Reply {
        let Some(operation) = operation else {
            return unknown_operation(parts).reply();
        };
        if !operation.is_write() && self.answers.is_full() {
            self.metrics.requests_refused.increment();
            return ProtocolError::ServiceUnavailable.reply();
        }
        let admitted = self.admit(parts, operation, body);
        if admitted.is_ok() {
            caller.registration.prove();
        }
        let decoded = admitted.and_then(|access| Ok((access, self.bodies.decode(body, encoding)?)));
        let body = match decoded {
            Ok((Access::ReadOnly, body)) if operation.changes(&body) => return read_only(operation).reply(),
            Ok((_, body)) => body,
            Err(error) => return error.reply(),
        };
        let _parsed = match self.bodies.room_to_parse(&body).await {
            Ok(parsed) => parsed,
            Err(error) => {
                self.metrics.requests_refused.increment();
                if self.failures.admits() {
                    tracing::warn!(
                        operation = operation.name(),
                        body_bytes = body.len(),
                        "no memory to read a request"
                    );
                }
                return error.reply();
            }
        };
        match caught(self.api.call(operation, &body, room)).await {
            Some(reply) => {
                if room.is_refused() {
                    self.metrics.requests_refused.increment();
                }
                reply
            }
            None => {
                self.metrics.panics.increment();
                ProtocolError::Internal.reply()
            }
        }
    }

    /// Rejects a long error answer if there isn't room for it. An error can repeat most of the request. The request
    /// hasn't changed anything then.
    fn within_room(&self, reply: Reply, room: &Reservation<'_>) -> Reply {
        if reply.status < 400 || self.answers.take_unreserved(&reply.body, room) {
            return reply;
        }
        self.metrics.requests_refused.increment();
        ProtocolError::ServiceUnavailable.reply()
    }

    /// Checks that the request may reach the database, and returns what its sender may do. Whether a request with
    /// statements only reads is known after its body is decoded.
    fn admit(&self, parts: &Parts, operation: Operation, body: &[u8]) -> Result<Access, ProtocolError> {
        match &self.verifier {
            Some(verifier) => {
                let access = verifier.verify(parts, body)?;
                if access == Access::ReadOnly && operation.is_write() {
                    return Err(read_only(operation));
                }
                Ok(access)
            }
            None => {
                if let Some(host) = self.hosts.foreign(parts) {
                    return Err(ProtocolError::AccessDenied(foreign_host(&host).into()));
                }
                signature::check_form(parts)?;
                // Without credentials, any web page that the user visits could act like a local program. Browsers send
                // its requests, and only hide the answers.
                if let Some(origin) = cors::foreign_origin(self.cors.as_ref(), &parts.headers) {
                    return Err(foreign(origin));
                }
                Ok(Access::Full)
            }
        }
    }

    fn record(
        &self,
        operation: Option<Operation>,
        reply: &Reply,
        started: Instant,
        request_id: &HeaderValue,
    ) {
        let duration = started.elapsed();
        self.metrics.count(operation, reply, duration);
        let name = operation.map_or("none", Operation::name);
        let microseconds = duration.as_micros() as u64;
        let (status, error) = (reply.status, reply.error.unwrap_or_default());
        if status >= 500 && self.failures.admits() {
            tracing::warn!(operation = name, status, error, microseconds, ?request_id, "request failed");
        } else {
            tracing::debug!(operation = name, status, error, microseconds, ?request_id, "request");
        }
    }

    /// Table names and load are private. If other machines can reach the server, only callers on this machine see them,
    /// unless the owner configures it otherwise.
    fn shows_metrics_to(&self, address: IpAddr) -> bool {
        self.metrics_public || address.to_canonical().is_loopback()
    }

    fn metrics_page(&self, caller: &Caller<'_>) -> Vec<u8> {
        let held = metrics::Usage {
            connections: caller.connections.count(),
            body_bytes: self.bodies.held_bytes(),
            answer_bytes: self.answers.held_bytes(),
        };
        metrics::page(&self.metrics, &self.api.statistics(), &held).into_bytes()
    }
}

/// Compresses an answer if it gains. Returns its encoding.
async fn compress(coding: Coding, reply: &mut Reply, room: &Reservation<'_>) -> Option<Coding> {
    reply.body = coding.compress(&reply.body, room).await?;
    Some(coding)
}

/// Whether a client asks for a page that people read.
fn is_browser(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// The content type of a call and its answer; `None` if DynamoDB doesn't accept it.
fn content_type(headers: &HeaderMap) -> Option<ContentType> {
    const AMAZON_JSON: &[u8] = b"application/x-amz-json-1.0";
    let value = headers.get(CONTENT_TYPE)?.as_bytes();
    // Nearly all requests have exactly this value. Others may add parameters.
    if value == AMAZON_JSON {
        return Some(ContentType::AmazonJson);
    }
    match value.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii() {
        AMAZON_JSON => Some(ContentType::AmazonJson),
        b"application/json" => Some(ContentType::Json),
        _ => None,
    }
}

fn unknown_operation(parts: &Parts) -> ProtocolError {
    ProtocolError::unknown_operation(header::text(&parts.headers, &TARGET))
}

fn read_only(operation: Operation) -> ProtocolError {
    let name = operation.name();
    let text = format!("User is not authorized to perform: dynamodb:{name}: the access key is read-only");
    ProtocolError::AccessDenied(text.into())
}

/// The error for a request to a host that isn't this server.
fn foreign_host(host: &str) -> String {
    format!(
        "This server doesn't answer to the host '{host}': without credentials only to localhost, its own address and the \
         names given by --host. A client that reaches it by another name, such as that of a container, needs \
         `--host NAME`."
    )
}

fn foreign(origin: &HeaderValue) -> ProtocolError {
    let origin = String::from_utf8_lossy(origin.as_bytes());
    let text = format!("Web pages of '{origin}' may not call this server: --cors allows an origin");
    ProtocolError::AccessDenied(text.into())
}
