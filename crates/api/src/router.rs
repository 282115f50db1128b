//! The paths of all designs as one router.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{RawPathParams, Request};
use axum::http::header::{
    ALLOW, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{Extensions, HeaderMap, Method, StatusCode, Version};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use bytes::Bytes;
use singlet_store::Store;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};

use crate::answer::UNITS;
use crate::callers::Authority;
use crate::endpoint::Endpoint;
use crate::negotiate::JSON;
use crate::problem::{Problem, ProblemKind};
use crate::served::Served;
use crate::service::{Incoming, Service};
use crate::trace::Trace;

/// The bytes of a body at most. The server in front may allow fewer.
const BODY_BYTES_MAX: usize = 32 << 20;
/// Smaller answers aren't worth compressing.
const COMPRESSED_BYTES_MIN: u64 = 1 << 10;

/// The patterns of designs below `/<design>`. Their names differ.
///
/// A request must carry the client's address as an extension of type [`IpAddr`], as a mounted request of the server
/// does: without it, or from another machine, it is refused.
pub fn router<S: Store + 'static>(designs: Vec<Served<S>>) -> Router {
    router_for(designs, &Authority::of_this_machine())
}

/// The patterns of designs below `/<design>`, for callers whom the authority identifies. Designs without `[caller]` are
/// answered on this machine only.
///
/// A request must carry the client's address, as for [`router`].
pub fn router_for<S: Store + 'static>(designs: Vec<Served<S>>, authority: &Authority) -> Router {
    let services = designs.into_iter().map(|design| Arc::new(Service::new(design)));
    let router = services.fold(Router::new(), |router, service| router.merge(paths(&service, authority)));
    // An event must not wait in a compressor until there are more of them.
    // And a strong tag names one form of an answer.
    let compressed =
        SizeAbove::new(COMPRESSED_BYTES_MIN).and(NotForContentType::SSE).and(has_no_strong_tag as HeadTest);
    router
        .fallback(async || Problem::new(ProblemKind::NotFound, "there is nothing at this path"))
        .layer(axum::middleware::map_response(with_safe_type))
        .layer(CompressionLayer::new().compress_when(compressed))
}

/// Decides about an answer from its head.
type HeadTest = fn(StatusCode, Version, &HeaderMap, &Extensions) -> bool;

fn has_no_strong_tag(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    !headers.get(ETAG).is_some_and(|tag| tag.as_bytes().starts_with(b"\""))
}

/// The media type of pages.
const HTML: &str = "text/html; charset=utf-8";
/// A page loads nothing and runs nothing.
const PAGE_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/// The methods of one path.
struct Methods<S> {
    service: Arc<Service<S>>,
    endpoints: Vec<Endpoint>,
    authority: Authority,
}

/// The paths of one design.
fn paths<S: Store + 'static>(service: &Arc<Service<S>>, authority: &Authority) -> Router {
    let base = format!("/{}", service.name());
    let mut places: BTreeMap<String, Vec<Endpoint>> = BTreeMap::new();
    for endpoint in &service.endpoints {
        places.entry(format!("{base}{}", endpoint.router_path())).or_default().push(endpoint.clone());
    }
    let mut router = Router::new();
    for (path, endpoints) in places {
        let methods = Methods { service: Arc::clone(service), endpoints, authority: authority.clone() };
        let methods = Arc::new(methods);
        let handler = any(async move |params: Result<RawPathParams, _>, request: Request| {
            let params = params.map(|params| params.iter().map(|(_, value)| value.to_owned()).collect());
            methods.answer(params.ok(), request).await
        });
        router = router.route(&path, handler);
    }
    let documents = [
        ("", JSON, &service.listing),
        ("/openapi.json", JSON, &service.openapi),
        ("/docs", HTML, &service.page),
    ];
    for (path, media_type, text) in documents {
        let text = Bytes::from(text.clone());
        let (authority, has_callers) = (authority.clone(), service.has_callers());
        let handler =
            async move |request: Request| shown((&authority, has_callers), &request, media_type, text);
        router = router.route(&format!("{base}{path}"), get(handler).fallback(only_get));
    }
    router
}

/// Answers with a document about a design.
fn shown(
    (authority, has_callers): (&Authority, bool),
    request: &Request,
    media_type: &'static str,
    text: Bytes,
) -> Response {
    let address = request.extensions().get::<IpAddr>();
    if let Err(problem) = authority.identify(has_callers, address, request.headers()) {
        return problem.into_response();
    }
    let mut response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    if media_type == HTML {
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
    }
    response
}

async fn only_get() -> Problem {
    not_allowed("GET, HEAD".to_owned())
}

fn not_allowed(allow: String) -> Problem {
    let detail = format!("this path has {allow}");
    Problem { allow: Some(allow), ..Problem::new(ProblemKind::MethodNotAllowed, detail) }
}

impl<S: Store + 'static> Methods<S> {
    async fn answer(&self, path: Option<Vec<String>>, request: Request) -> Response {
        match self.try_answer(path, request).await {
            Ok(response) => response,
            Err(problem) => problem.into_response(),
        }
    }

    async fn try_answer(&self, path: Option<Vec<String>>, request: Request) -> Result<Response, Problem> {
        let (parts, body) = request.into_parts();
        let address = parts.extensions.get::<IpAddr>();
        let caller = self.authority.identify(self.service.has_callers(), address, &parts.headers)?;
        let wanted = if parts.method == Method::HEAD { &Method::GET } else { &parts.method };
        let Some(endpoint) = self.endpoints.iter().find(|endpoint| endpoint.method == *wanted) else {
            return self.without_endpoint(&parts.method);
        };
        let path = path.ok_or_else(|| Problem::new(ProblemKind::InvalidRequest, "the path isn't UTF-8"))?;
        let body = to_bytes(body, BODY_BYTES_MAX)
            .await
            .map_err(|_| Problem::new(ProblemKind::TooLarge, "the body is too large"))?;
        let address = parts.extensions.get::<IpAddr>().copied();
        let (method, uri, headers) = (parts.method, parts.uri, parts.headers);
        let request = Incoming { method, uri, headers, path, body, address, caller };
        let began = Instant::now();
        let answered = self.service.call(endpoint, &request).await;
        self.note(endpoint, &request, &answered, began.elapsed());
        answered
    }

    /// Counts a call, and writes it into the log.
    fn note(
        &self,
        endpoint: &Endpoint,
        request: &Incoming,
        answered: &Result<Response, Problem>,
        took: Duration,
    ) {
        let status = match answered {
            Ok(response) => response.status(),
            Err(problem) => problem.kind.status(),
        };
        self.service.figures.count(&endpoint.pattern.name, status, took);
        let units = answered.as_ref().ok().and_then(|response| response.headers().get(UNITS));
        let Trace { trace_id, parent_id } = Trace::of(&request.headers);
        tracing::debug!(
            design = self.service.name(),
            pattern = endpoint.pattern.name,
            method = %request.method,
            status = status.as_u16(),
            caller = request.caller.id().unwrap_or_default(),
            units = units.and_then(|units| units.to_str().ok()).unwrap_or_default(),
            duration_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            trace_id,
            parent_id,
            "call"
        );
    }

    fn without_endpoint(&self, method: &Method) -> Result<Response, Problem> {
        let allow = self.allow();
        if *method == Method::OPTIONS {
            let allow = HeaderValue::from_str(&allow).ok().map(|allow| (ALLOW, allow));
            let mut response = StatusCode::NO_CONTENT.into_response();
            response.headers_mut().extend(allow);
            return Ok(response);
        }
        Err(not_allowed(allow))
    }

    /// The methods of this path.
    fn allow(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for endpoint in &self.endpoints {
            names.push(endpoint.method.as_str());
            if endpoint.method == Method::GET {
                names.push("HEAD");
            }
        }
        names.push("OPTIONS");
        names.sort_unstable();
        names.join(", ")
    }
}

/// Keeps browsers from guessing another type than the answer has.
async fn with_safe_type(mut response: Response) -> Response {
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
