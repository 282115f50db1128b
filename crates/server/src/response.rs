//! Answers as HTTP.

use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, SERVER};
use hyper::{Response, StatusCode};

use crate::answer_body::AnswerBody;

/// An answer. Head and body are sent in one write, unless a mounted router answers in pieces.
pub(crate) type Answer = Response<AnswerBody>;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");
const SERVER_NAME: HeaderValue = HeaderValue::from_static("Singlet");

/// The content type of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentType {
    /// DynamoDB's JSON.
    AmazonJson,
    /// JSON by its plain name, for clients that sent it.
    Json,
    /// Plain text.
    Text,
    /// The details of a problem, as RFC 9457 defines them.
    Problem,
    /// The format of a Prometheus page.
    Prometheus,
    /// No content type.
    Unsaid,
}

impl ContentType {
    fn header(self) -> Option<HeaderValue> {
        let name = match self {
            Self::AmazonJson => "application/x-amz-json-1.0",
            Self::Json => "application/json",
            Self::Text => "text/plain; charset=utf-8",
            Self::Problem => "application/problem+json",
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
            Self::Unsaid => return None,
        };
        Some(HeaderValue::from_static(name))
    }
}

/// An answer with DynamoDB's headers.
pub(crate) fn answer(status: u16, content_type: ContentType, body: Bytes, request_id: HeaderValue) -> Answer {
    answer_with(HeaderMap::with_capacity(8), status, content_type, body, request_id)
}

/// The same, reusing the allocation of a used header map. Hyper gives the answer's map to the next request, so one map
/// serves all requests of a connection once it is large enough.
pub(crate) fn answer_with(
    mut headers: HeaderMap,
    status: u16,
    content_type: ContentType,
    body: Bytes,
    request_id: HeaderValue,
) -> Answer {
    headers.clear();
    let crc32 = crc32fast::hash(&body);
    headers.insert(SERVER, SERVER_NAME);
    if let Some(content_type) = content_type.header() {
        headers.insert(CONTENT_TYPE, content_type);
    }
    headers.insert(REQUEST_ID, request_id);
    headers.insert(CRC32, HeaderValue::from(crc32));
    let mut answer = Response::new(AnswerBody::whole(body));
    *answer.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *answer.headers_mut() = headers;
    answer
}

/// DynamoDB's answer to a method, path or content type that it doesn't know.
pub(crate) fn unknown(request_id: HeaderValue) -> Answer {
    let body = Bytes::from_static(b"<UnknownOperationException/>\n");
    answer(404, ContentType::Unsaid, body, request_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_of_the_unknown_operation_is_dynamodbs() {
        let answer = unknown(HeaderValue::from_static("ID"));
        assert_eq!(answer.headers().get("x-amz-crc32").unwrap(), "3552371480");
    }
}
