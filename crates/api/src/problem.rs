//! Problem details, as RFC 9457 defines them.

use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use singlet_design::Json;

use crate::endpoint::Place;

/// The media type of problem details.
pub(crate) const PROBLEM_JSON: &str = "application/problem+json";

/// The prefix of the types of problems.
const TYPE_PREFIX: &str = "urn:singlet:problem:";

/// The seconds after which a caller may try again.
const RETRY_SECONDS: u64 = 1;

/// The kinds of problems. Their words never change, so that programs can rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProblemKind {
    InvalidRequest,
    InvalidCursor,
    InvalidPosition,
    UnsupportedHeader,
    Unauthenticated,
    InvalidToken,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    NotAcceptable,
    AlreadyExists,
    NotUnique,
    MissingReference,
    ConditionFailed,
    PreconditionFailed,
    KeyReused,
    LimitReached,
    TooLarge,
    UnsupportedMediaType,
    Throttled,
    Internal,
    Unsupported,
    Busy,
    Behind,
}

impl ProblemKind {
    /// All kinds, for the documentation.
    pub(crate) const ALL: [ProblemKind; 24] = [
        Self::InvalidRequest,
        Self::InvalidCursor,
        Self::InvalidPosition,
        Self::UnsupportedHeader,
        Self::Unauthenticated,
        Self::InvalidToken,
        Self::Forbidden,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::NotAcceptable,
        Self::AlreadyExists,
        Self::NotUnique,
        Self::MissingReference,
        Self::ConditionFailed,
        Self::PreconditionFailed,
        Self::KeyReused,
        Self::LimitReached,
        Self::TooLarge,
        Self::UnsupportedMediaType,
        Self::Throttled,
        Self::Internal,
        Self::Unsupported,
        Self::Busy,
        Self::Behind,
    ];

    /// The status, the word of its type and its title.
    fn described(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::InvalidRequest => (StatusCode::BAD_REQUEST, "invalid-request", "Invalid request"),
            Self::InvalidCursor => (StatusCode::NOT_FOUND, "invalid-cursor", "Invalid cursor"),
            Self::InvalidPosition => (StatusCode::BAD_REQUEST, "invalid-position", "Invalid position"),
            Self::UnsupportedHeader => (StatusCode::BAD_REQUEST, "unsupported-header", "Unsupported header"),
            Self::Unauthenticated => (StatusCode::UNAUTHORIZED, "unauthenticated", "Unauthenticated"),
            Self::InvalidToken => (StatusCode::UNAUTHORIZED, "invalid-token", "Invalid token"),
            Self::Forbidden => (StatusCode::FORBIDDEN, "forbidden", "Forbidden"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not-found", "Not found"),
            Self::MethodNotAllowed => {
                (StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", "Method not allowed")
            }
            Self::NotAcceptable => (StatusCode::NOT_ACCEPTABLE, "not-acceptable", "Not acceptable"),
            Self::AlreadyExists => (StatusCode::CONFLICT, "already-exists", "Already exists"),
            Self::NotUnique => (StatusCode::CONFLICT, "not-unique", "Not unique"),
            Self::MissingReference => (StatusCode::CONFLICT, "missing-reference", "Missing reference"),
            Self::ConditionFailed => (StatusCode::CONFLICT, "condition-failed", "Condition failed"),
            Self::PreconditionFailed => {
                (StatusCode::PRECONDITION_FAILED, "precondition-failed", "Precondition failed")
            }
            Self::KeyReused => {
                (StatusCode::UNPROCESSABLE_ENTITY, "idempotency-key-reused", "Idempotency key reused")
            }
            Self::LimitReached => (StatusCode::CONFLICT, "limit-reached", "Limit reached"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Too large"),
            Self::UnsupportedMediaType => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", "Unsupported media type")
            }
            Self::Throttled => (StatusCode::TOO_MANY_REQUESTS, "throttled", "Too many requests"),
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal", "Internal error"),
            Self::Unsupported => {
                (StatusCode::NOT_IMPLEMENTED, "unsupported", "Not supported by the database")
            }
            Self::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy", "Temporarily unavailable"),
            Self::Behind => (StatusCode::GATEWAY_TIMEOUT, "behind", "Derived data is behind"),
        }
    }

    pub(crate) fn status(self) -> StatusCode {
        self.described().0
    }

    /// The URI of its type.
    pub(crate) fn uri(self) -> String {
        format!("{TYPE_PREFIX}{}", self.described().1)
    }

    /// The same words for every occurrence.
    pub(crate) fn title(self) -> &'static str {
        self.described().2
    }

    /// How a caller can say who they are, if that was missing.
    fn challenge(self) -> Option<&'static str> {
        match self {
            Self::Unauthenticated => Some("Bearer"),
            Self::InvalidToken => Some("Bearer error=\"invalid_token\""),
            _ => None,
        }
    }

    fn is_temporary(self) -> bool {
        matches!(self, Self::Throttled | Self::Busy | Self::Behind)
    }
}

/// A wrong part of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) place: Place,
    /// The parameter, or a path into it: `images[2].url`.
    pub(crate) parameter: String,
    /// The mistake, to be read after the name.
    pub(crate) reason: String,
    /// Whether `parameter` is a path, and not a name that may have dots.
    pub(crate) is_path: bool,
}

impl Fault {
    pub(crate) fn new(place: Place, parameter: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { place, parameter: parameter.into(), reason: reason.into(), is_path: false }
    }

    fn to_json(&self) -> Json {
        let detail = ("detail", Json::from(format!("`{}` {}", self.parameter, self.reason)));
        match self.place {
            Place::Body => {
                Json::from([detail, ("pointer", Json::from(pointer(&self.parameter, self.is_path)))])
            }
            Place::Path => Json::from([detail, ("in", "path".into()), ("parameter", self.name().into())]),
            Place::Query => Json::from([detail, ("in", "query".into()), ("parameter", self.name().into())]),
        }
    }

    /// The name of the parameter without the path into it.
    fn name(&self) -> &str {
        match self.is_path {
            true => self.parameter.split(['.', '[']).next().unwrap_or_default(),
            false => &self.parameter,
        }
    }
}

/// The most wrong parts that an answer lists.
const FAULTS_MAX: usize = 100;
/// The most characters of a name that an answer repeats.
const NAME_CHARACTERS_MAX: usize = 200;

fn shortened(name: &str) -> String {
    match name.char_indices().nth(NAME_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}

/// A JSON pointer as a fragment: `#/images/2/url`.
fn pointer(parameter: &str, is_path: bool) -> String {
    let mut text = String::from("#/");
    for letter in parameter.chars() {
        match letter {
            '.' | '[' if is_path => text.push('/'),
            ']' if is_path => {}
            '~' => text.push_str("~0"),
            '/' => text.push_str("~1"),
            _ => text.push(letter),
        }
    }
    text
}

/// Why a request wasn't carried out.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) kind: ProblemKind,
    /// About this occurrence.
    pub(crate) detail: String,
    /// Every wrong part.
    pub(crate) faults: Vec<Fault>,
    /// The methods that the path has.
    pub(crate) allow: Option<String>,
}

impl Problem {
    pub(crate) fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), faults: Vec::new(), allow: None }
    }

    /// The problem of a request with wrong parts, of which there is at least one. The first of many are listed, so that an
    /// answer isn't much larger than its request.
    pub(crate) fn of(mut faults: Vec<Fault>) -> Self {
        let detail = match faults.as_slice() {
            [one] => format!("`{}` {}", shortened(&one.parameter), one.reason),
            many if many.len() > FAULTS_MAX => {
                format!("{} parts of the request are wrong; the first {FAULTS_MAX} are listed", many.len())
            }
            many => format!("{} parts of the request are wrong", many.len()),
        };
        faults.truncate(FAULTS_MAX);
        for fault in &mut faults {
            fault.parameter = shortened(&fault.parameter);
        }
        Self { faults, ..Self::new(ProblemKind::InvalidRequest, detail) }
    }

    pub(crate) fn to_json(&self) -> Json {
        let status = i64::from(self.kind.status().as_u16());
        let mut members = vec![
            ("type".to_owned(), Json::from(self.kind.uri())),
            ("title".to_owned(), self.kind.title().into()),
            ("status".to_owned(), status.into()),
            ("detail".to_owned(), self.detail.as_str().into()),
        ];
        if !self.faults.is_empty() {
            let errors = self.faults.iter().map(Fault::to_json).collect();
            members.push(("errors".to_owned(), Json::List(errors)));
        }
        Json::Object(members)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = self.to_json().to_string();
        let mut response = (self.kind.status(), body).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        if self.kind.is_temporary() {
            headers.insert(RETRY_AFTER, RETRY_SECONDS.into());
        }
        if let Some(challenge) = self.kind.challenge() {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        if let Some(allow) = self.allow.and_then(|allow| HeaderValue::from_str(&allow).ok()) {
            headers.insert(ALLOW, allow);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_leads_into_the_body() {
        assert_eq!(pointer("images[2].url", true), "#/images/2/url");
        assert_eq!(pointer("a~b", true), "#/a~0b");
        assert_eq!(pointer("a.b[c]/d", false), "#/a.b[c]~1d");
    }

    #[test]
    fn every_kind_is_listed_once_with_a_word_of_its_own() {
        let mut words: Vec<String> = ProblemKind::ALL.iter().map(|kind| kind.uri()).collect();
        words.sort();
        words.dedup();
        assert_eq!(words.len(), ProblemKind::ALL.len());
    }
}
