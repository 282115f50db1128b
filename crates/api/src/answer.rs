//! The outcome of a pattern as an HTTP answer.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, LINK, LOCATION};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use singlet_design::{Json, Operation, PathSegment, Route};
use singlet_run::Outcome;
use xxhash_rust::xxh3::xxh3_128;

use crate::conditional::Tagger;
use crate::endpoint::{CURSOR, Endpoint};
use crate::metered::Units;
use crate::negotiate::{self, JSON};
use crate::problem::{Problem, ProblemKind};

/// The header with the units that a call consumed.
pub(crate) const UNITS: HeaderName = HeaderName::from_static("singlet-units");

/// The header of an answer that a call with the same `Idempotency-Key` had before.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Bytes that a segment of a path needs no escape for.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The request that is answered.
pub(crate) struct Asked<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) uri: &'a Uri,
    pub(crate) headers: &'a HeaderMap,
    /// The place of an item that the pattern creates.
    pub(crate) created_at: Option<&'a str>,
    /// Makes the tags of items.
    pub(crate) tagger: &'a Tagger,
    /// Whether this is the answer of an earlier call with the same key.
    pub(crate) is_repeated: bool,
}

/// Answers with the outcome of a pattern.
pub(crate) fn answer(asked: &Asked<'_>, outcome: &Outcome, units: Units) -> Response {
    let mut response = match outcome {
        Outcome::Item(None) | Outcome::Deleted(None) => {
            Problem::new(ProblemKind::NotFound, "there is no such item").into_response()
        }
        _ => found(asked, outcome),
    };
    response.headers_mut().extend(units_header(units).map(|value| (UNITS, value)));
    response
}

fn found(asked: &Asked<'_>, outcome: &Outcome) -> Response {
    let json = outcome.to_json();
    let body = json.to_string();
    let is_new = matches!(asked.endpoint.pattern.operation, Operation::Create(_));
    if asked.endpoint.method != Method::GET {
        let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
        let mut response = with_json(status, body);
        let location = asked.created_at.and_then(|location| HeaderValue::from_str(location).ok());
        response.headers_mut().extend(location.map(|location| (LOCATION, location)));
        if asked.is_repeated {
            response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
        }
        return response;
    }
    let tag = match outcome {
        Outcome::Item(Some(record)) if asked.endpoint.tagged().is_some() => asked.tagger.tag(&record.item),
        // Weak, because the same answer can be compressed or not.
        _ => format!("W/\"{:032x}\"", xxh3_128(body.as_bytes())),
    };
    let mut response = if negotiate::has(asked.headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        with_json(StatusCode::OK, body)
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.extend(HeaderValue::from_str(&tag).ok().map(|tag| (ETAG, tag)));
    for (member, relation) in [(CURSOR, "next"), ("previous", "prev")] {
        let cursor = json.get(member).and_then(Json::as_text).filter(|_| asked.endpoint.takes_cursor());
        let link = cursor.and_then(|cursor| link(asked.uri, cursor, relation));
        link.into_iter().for_each(|link| _ = headers.append(LINK, link));
    }
    response
}

/// A JSON answer.
pub(crate) fn with_json(status: StatusCode, body: String) -> Response {
    let mut response = (status, body).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}

/// A link to another page of the same list.
fn link(uri: &Uri, cursor: &str, relation: &str) -> Option<HeaderValue> {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let given = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    for (name, value) in given.filter(|(name, _)| name != CURSOR) {
        query.append_pair(&name, &value);
    }
    query.append_pair(CURSOR, cursor);
    HeaderValue::from_str(&format!("<{}?{}>; rel=\"{relation}\"", uri.path(), query.finish())).ok()
}

/// The units as a structured field: `read=0.5, write=2`.
fn units_header(units: Units) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!("read={}, write={}", units.read, units.write)).ok()
}

/// The path of an item, with the values of its own fields.
pub(crate) fn path_of(design: &str, route: &Route, item: &Json) -> Option<String> {
    let mut path = format!("/{design}");
    for segment in &route.path {
        path.push('/');
        match segment {
            PathSegment::Literal(text) => path.push_str(text),
            PathSegment::Parameter(name) => {
                let text = match item.get(name)? {
                    Json::Text(text) => text.clone(),
                    other => other.to_string(),
                };
                path.extend(utf8_percent_encode(&text, SEGMENT));
            }
        }
    }
    Some(path)
}
