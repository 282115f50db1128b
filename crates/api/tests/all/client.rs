//! A client of the API of one design, on a database in memory.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use axum::response::Response;
use singlet_api::{Authority, Metered, Served, router_for};
use singlet_derive::Background;
use singlet_design::Json;
use singlet_engine::Database;
use singlet_run::{Runner, apply};
use singlet_store::Embedded;
use tower_service::Service;

pub(crate) const LOOPBACK: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

/// A design with a type of every kind.
pub(crate) const BOOKS: &str = r##"
design = "books"

[table]
key = ["PK", "SK"]

[entity.Author]
key    = ["AUTHOR#{author_id}", "PROFILE"]
fields = { author_id = "key", name = { type = "string", min = 1, max = 20 } }

[entity.Book]
key    = ["AUTHOR#{author_id}", "BOOK#{book_id}"]
unique = ["isbn"]

[entity.Book.fields]
book_id   = "id"
author_id = { ref = "Author", must_exist = true }
title     = { type = "string", min = 1, max = 40 }
isbn      = { type = "string", max = 20 }
price     = { type = "number", min = 0, optional = true }
pages     = { type = "int", optional = true }
tags      = { type = "set", of = "string", optional = true }
images    = { type = "list", of = { type = "object", fields = { url = "string", width = "int" } }, default = [] }

[pattern.create_author]
create = "Author"

[pattern.save_author]
put = "Author"

[pattern.get_author]
get = "Author"

[pattern.add_book]
create = "Book"

[pattern.get_book]
get = "Book"

[pattern.has_book]
exists = "Book"

[pattern.reprice]
update = "Book"
set    = ["price", "title"]
if     = "price < {most?}"

[pattern.remove_book]
delete = "Book"

[pattern.books]
query = "Book"
limit = 2

[pattern.tagged_books]
query  = "Book"
filter = "contains(tags, {tag}) and pages >= {pages}"

[pattern.some_authors]
batch_get = "Author"

[pattern.some_books]
batch_get = "Book"

[pattern.author_page]
parts = { author = "get_author", books = "books" }
"##;

/// A client that calls the router in this process.
pub(crate) struct Client {
    router: Router,
    /// Keeps derived data up to date.
    worker: Option<Background>,
}

/// An answer as received.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Client {
    /// The API of a design's text.
    pub(crate) async fn of(source: &str) -> Self {
        Self::with_authority(source, &Authority::of_this_machine()).await
    }

    /// The API of a design's text, whose callers an authority identifies.
    pub(crate) async fn with_authority(source: &str, authority: &Authority) -> Self {
        let design =
            Arc::new(singlet_design::load("design.toml", source).unwrap_or_else(|report| panic!("{report}")));
        let store = Embedded::new(Database::in_memory().unwrap(), "memory");
        let environment = apply::choose_environment(&design, None).unwrap();
        let plan = apply::plan(&design, &environment, &store).await.unwrap();
        plan.run(&store, &mut |_| {}).await.unwrap();
        let worker = Background::start(store.clone(), Arc::clone(&design), &environment.name).await.unwrap();
        let settled = worker.as_ref().map(|worker| Arc::clone(worker.settled()));
        let runner = Runner::new(design, Metered::new(store.clone()), environment.name);
        let served = Served::new(runner).with_feeds(store, settled);
        Self { router: router_for(vec![served], authority), worker }
    }

    /// Stops the work on derived data.
    pub(crate) fn stop_worker(&mut self) {
        self.worker.take().unwrap().stop();
    }

    /// The API of [`BOOKS`] with an author.
    pub(crate) async fn with_books() -> Self {
        let client = Self::of(BOOKS).await;
        let answer = client.send("POST", "/books/authors", r#"{"author_id": "a1", "name": "Mai"}"#).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        client
    }

    /// The API of a design that is shipped.
    pub(crate) async fn shipped(name: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../designs");
        Self::of(&std::fs::read_to_string(root.join(format!("{name}.toml"))).unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "").await
    }

    /// Sends a request with a JSON body, or without a body if it is empty.
    pub(crate) async fn send(&self, method: &str, path: &str, body: &str) -> Answer {
        self.send_with(method, path, body, &[]).await
    }

    /// Sends a request with further headers.
    pub(crate) async fn send_with(
        &self,
        method: &str,
        path: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if !body.is_empty() && headers.iter().all(|(name, _)| *name != "content-type") {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Body::from(body.to_owned())).unwrap();
        request.extensions_mut().insert(LOOPBACK);
        self.pass(request).await
    }

    /// Sends a request as it is, and leaves the answer's body to the caller.
    pub(crate) async fn open(&self, request: Request<Body>) -> Response {
        self.router.clone().call(request).await.unwrap()
    }

    /// Sends a request as it is.
    pub(crate) async fn pass(&self, request: Request<Body>) -> Answer {
        let response = self.open(request).await;
        let (head, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        Answer { status: head.status, headers: head.headers, body }
    }
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Json {
        self.text().parse().unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The text of a member.
    pub(crate) fn member(&self, name: &str) -> String {
        match self.json().get(name) {
            Some(Json::Text(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => panic!("no {name} in {}", self.text()),
        }
    }

    /// Checks that this is a problem of a kind.
    #[track_caller]
    pub(crate) fn assert_problem(&self, status: u16, kind: &str) {
        assert_eq!(
            (self.status.as_u16(), self.header("content-type")),
            (status, "application/problem+json"),
            "{}",
            self.text()
        );
        assert_eq!(self.member("type"), format!("urn:singlet:problem:{kind}"), "{}", self.text());
        assert_eq!(self.member("status"), status.to_string());
    }

    /// The wrong parts that a problem names: pointers into the body, or names of parameters.
    pub(crate) fn wrong(&self) -> Vec<String> {
        let json = self.json();
        let errors = json.get("errors").and_then(Json::as_list).unwrap_or_default();
        let place = |error: &Json| {
            error.get("pointer").or(error.get("parameter")).and_then(Json::as_text).map(str::to_owned)
        };
        errors.iter().filter_map(place).collect()
    }
}
