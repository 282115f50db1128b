//! The headers of a request: what a caller sends, takes and asks for.

use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_TYPE, IF_NONE_MATCH};

use crate::problem::{Problem, ProblemKind};

/// The media type of answers.
pub(crate) const JSON: &str = "application/json";
/// The media type of live answers.
pub(crate) const EVENTS: &str = "text/event-stream";

/// Checks that the caller takes the answer.
pub(crate) fn check_head(headers: &HeaderMap, is_read: bool) -> Result<(), Problem> {
    if accepts(headers, JSON) || is_read && accepts_events(headers) {
        return Ok(());
    }
    Err(Problem::new(ProblemKind::NotAcceptable, format!("answers are {JSON}")))
}

/// Checks that a body is JSON.
pub(crate) fn check_body(headers: &HeaderMap) -> Result<(), Problem> {
    let given = headers.get(CONTENT_TYPE).map(|value| value.as_bytes());
    let essence = given.and_then(|value| value.split(|byte| *byte == b';').next()).map(<[u8]>::trim_ascii);
    let is_json = |essence: &[u8]| {
        essence.eq_ignore_ascii_case(JSON.as_bytes())
            || essence.eq_ignore_ascii_case(b"application/merge-patch+json")
    };
    if essence.is_some_and(is_json) {
        return Ok(());
    }
    Err(Problem::new(ProblemKind::UnsupportedMediaType, format!("the body must be {JSON}")))
}

/// Whether the caller asks for a live answer: by name, because a range such as `*/*` asks for the usual one.
pub(crate) fn accepts_events(headers: &HeaderMap) -> bool {
    let given = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    given.flat_map(|value| value.split(',')).any(|range| {
        let mut parts = range.split(';').map(str::trim);
        parts.next().is_some_and(|essence| essence.eq_ignore_ascii_case(EVENTS)) && !parts.any(is_refusal)
    })
}

/// Whether a parameter of a media range is a quality of zero.
fn is_refusal(parameter: &str) -> bool {
    let quality = parameter.split_once('=').filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
    quality.is_some_and(|(_, value)| value.trim().parse() == Ok(0.0))
}

/// Whether the caller takes a media type.
pub(crate) fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    let general = media_type.split('/').next().unwrap_or_default();
    let mut ranges = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).peekable();
    if ranges.peek().is_none() {
        return true;
    }
    ranges.flat_map(|value| value.split(',')).any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let essence = parts.next().unwrap_or_default();
        let is_refused = parts.any(is_refusal);
        let fits = essence == "*/*"
            || essence.eq_ignore_ascii_case(media_type)
            || essence.strip_suffix("/*").is_some_and(|range| range.eq_ignore_ascii_case(general));
        fits && !is_refused
    })
}

/// Whether the caller has this answer already.
pub(crate) fn has(headers: &HeaderMap, tag: &str) -> bool {
    // A weak comparison: the mark of a weak tag doesn't count.
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let given = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = given.flat_map(|value| value.split(','));
    tags.any(|given| given.trim() == "*" || opaque(given) == opaque(tag))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn headers(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn an_answer_is_json_for_whoever_takes_json() {
        for accept in ["*/*", "application/json", "text/html, application/*;q=0.5", "Application/JSON"] {
            assert!(accepts(&headers(ACCEPT, accept), JSON), "{accept}");
        }
        for accept in ["text/html", "application/json;q=0", "application/json; Q=0.000", "image/*"] {
            assert!(!accepts(&headers(ACCEPT, accept), JSON), "{accept}");
        }
        assert!(accepts(&HeaderMap::new(), JSON));
    }

    #[test]
    fn only_a_caller_that_names_events_gets_them() {
        for accept in ["text/event-stream", "application/json, Text/Event-Stream;q=0.1"] {
            assert!(accepts_events(&headers(ACCEPT, accept)), "{accept}");
        }
        for accept in ["*/*", "text/*", "text/event-stream;q=0"] {
            assert!(!accepts_events(&headers(ACCEPT, accept)), "{accept}");
        }
    }

    #[test]
    fn tags_are_compared_without_their_strength() {
        for given in ["\"a\"", "W/\"a\"", "\"b\", W/\"a\"", "*"] {
            assert!(has(&headers(IF_NONE_MATCH, given), "W/\"a\""), "{given}");
        }
        assert!(!has(&headers(IF_NONE_MATCH, "\"b\""), "W/\"a\""));
    }
}
