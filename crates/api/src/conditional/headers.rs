//! The headers that ask for conditions.

use axum::http::HeaderMap;
use axum::http::header::{HeaderName, IF_MATCH, IF_NONE_MATCH, IF_UNMODIFIED_SINCE};
use singlet_design::Operation;

use crate::endpoint::Endpoint;
use crate::problem::{Problem, ProblemKind};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The bytes of a key at most.
const KEY_BYTES_MAX: usize = 255;
/// The tags of a call at most.
const TAGS_MAX: usize = 100;

/// The state of the item that a write requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Matching {
    /// It has one of these tags.
    Tags(Vec<String>),
    /// It is there.
    There,
    /// It isn't there.
    Absent,
}

/// The conditions of a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Conditions {
    pub(crate) matching: Option<Matching>,
    /// The key under which the call happens once.
    pub(crate) key: Option<String>,
}

impl Conditions {
    /// Whether the caller asks for none.
    pub(crate) fn is_empty(&self) -> bool {
        self.matching.is_none() && self.key.is_none()
    }

    /// Reads the headers of a call. Conditions that this call can't keep are refused, because ignoring them would be
    /// unsafe.
    pub(crate) fn read(headers: &HeaderMap, endpoint: &Endpoint) -> Result<Self, Problem> {
        use Operation::{Create, Delete, Put, Update};
        if headers.contains_key(IF_UNMODIFIED_SINCE) {
            return Err(unsupported("if-unmodified-since"));
        }
        let operation = &endpoint.pattern.operation;
        let given = |name: &HeaderName| texts(headers, name);
        let mut matching = None;
        if let Some(texts) = given(&IF_MATCH)? {
            if !matches!(operation, Update(_) | Put(_) | Delete(_)) {
                return Err(unsupported("if-match"));
            }
            matching = Some(tags(&texts)?);
        }
        if let Some(texts) = given(&IF_NONE_MATCH)?
            && !endpoint.pattern.reads()
        {
            let is_new = texts.iter().all(|text| text.trim() == "*") && matches!(operation, Put(_));
            if !is_new || matching.is_some() {
                return Err(unsupported("if-none-match"));
            }
            matching = Some(Matching::Absent);
        }
        let key = match given(&IDEMPOTENCY_KEY)?.as_deref() {
            None => None,
            Some(_) if !matches!(operation, Create(_)) => return Err(unsupported("idempotency-key")),
            Some([text]) => Some(key(text)?),
            Some(_) => return Err(wrong_key()),
        };
        Ok(Self { matching, key })
    }
}

/// The values of a header. `None` if it isn't there.
fn texts<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<Vec<&'h str>>, Problem> {
    let texts: Result<Vec<&str>, _> = headers.get_all(name).iter().map(|value| value.to_str()).collect();
    let texts = texts.map_err(|_| {
        Problem::new(ProblemKind::InvalidRequest, format!("the header `{name}` must be visible ASCII"))
    })?;
    Ok((!texts.is_empty()).then_some(texts))
}

/// Tags never contain a comma, since Singlet made them.
fn tags(texts: &[&str]) -> Result<Matching, Problem> {
    let tags: Vec<String> =
        texts.iter().flat_map(|text| text.split(',')).map(|tag| tag.trim().to_owned()).collect();
    if tags.len() > TAGS_MAX {
        let detail = format!("`if-match` can have {TAGS_MAX} tags");
        return Err(Problem::new(ProblemKind::InvalidRequest, detail));
    }
    if tags.iter().any(|tag| tag == "*") {
        return Ok(Matching::There);
    }
    Ok(Matching::Tags(tags))
}

/// The key as a structured string, `"8e03978e"`, or as it is.
fn key(text: &str) -> Result<String, Problem> {
    let text = text.trim();
    let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let is_fine = !bare.is_empty() && bare.len() <= KEY_BYTES_MAX && !bare.contains('"');
    if is_fine { Ok(bare.to_owned()) } else { Err(wrong_key()) }
}

fn wrong_key() -> Problem {
    let detail = format!("`Idempotency-Key` must be given once, with 1 to {KEY_BYTES_MAX} characters");
    Problem::new(ProblemKind::InvalidRequest, detail)
}

fn unsupported(name: &str) -> Problem {
    let detail = format!("the header `{name}` isn't supported by this call, and ignoring it would be unsafe");
    Problem::new(ProblemKind::UnsupportedHeader, detail)
}
