//! The example applications of the demo: files that a browser runs, which use nothing but the pattern API.

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;

/// The path of the examples, with its last slash.
pub(crate) const BASE: &str = "/examples/";

/// An example application.
pub(crate) struct Example {
    /// The folder below `examples`.
    pub(crate) name: &'static str,
    /// Its purpose, for people.
    pub(crate) about: &'static str,
}

/// The examples, in the order in which the demo names them.
pub(crate) const EXAMPLES: [Example; 2] = [
    Example { name: "social", about: "a social network" },
    Example { name: "cooking", about: "a cooking companion" },
];

/// Pictures may come from anywhere, because posts name their addresses. Everything else is of this server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' https: http:; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const PAGE: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! files {
    ($($path:literal $kind:ident),* $(,)?) => {
        /// The files, with their paths below `examples`.
        static FILES: &[(&str, &str, &str)] =
            &[$(($path, $kind, include_str!(concat!("../../../examples/", $path)))),*];
    };
}

files! {
    "shared/api.js" SCRIPT,
    "shared/base.css" CSS,
    "shared/dom.js" SCRIPT,
    "social/index.html" PAGE,
    "social/app.js" SCRIPT,
    "social/calls.js" SCRIPT,
    "social/icon.svg" SVG,
    "social/style.css" CSS,
    "cooking/index.html" PAGE,
    "cooking/app.js" SCRIPT,
    "cooking/calls.js" SCRIPT,
    "cooking/icon.svg" SVG,
    "cooking/style.css" CSS,
}

/// Returns the router of the examples, for all paths that begin with [`BASE`].
pub(crate) fn router() -> Router {
    Router::new()
        .route("/examples/{name}", get(folder))
        .route("/examples/{name}/", get(page))
        .route("/examples/{name}/{file}", get(file))
}

/// The page of an example refers to its files by names, so its address must end in a slash.
async fn folder(Path(name): Path<String>) -> Result<Redirect, StatusCode> {
    match EXAMPLES.iter().find(|example| example.name == name) {
        Some(example) => Ok(Redirect::permanent(&format!("{BASE}{}/", example.name))),
        None => Err(StatusCode::NOT_FOUND),
    }
}

async fn page(Path(name): Path<String>) -> Response {
    answer(&format!("{name}/index.html"))
}

async fn file(Path((name, file)): Path<(String, String)>) -> Response {
    answer(&format!("{name}/{file}"))
}

fn answer(path: &str) -> Response {
    let Some((_, kind, text)) = FILES.iter().find(|(known, ..)| *known == path) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers = [
        (CONTENT_TYPE, *kind),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CACHE_CONTROL, "no-cache"),
    ];
    (headers, *text).into_response()
}
