//! The headers of AWS that the server reads.

use hyper::header::{HeaderMap, HeaderName};

pub(crate) const TARGET: HeaderName = HeaderName::from_static("x-amz-target");
pub(crate) const AMZ_DATE: HeaderName = HeaderName::from_static("x-amz-date");
pub(crate) const CONTENT_SHA256: HeaderName = HeaderName::from_static("x-amz-content-sha256");
pub(crate) const SECURITY_TOKEN: HeaderName = HeaderName::from_static("x-amz-security-token");

/// A header's text; `None` if it is missing or isn't UTF-8.
pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    std::str::from_utf8(headers.get(name)?.as_bytes()).ok()
}
