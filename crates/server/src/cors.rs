//! Web pages of other origins, which are rejected unless the server is configured to allow one.

use bytes::Bytes;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, HeaderMap,
    HeaderValue, ORIGIN, VARY,
};

use crate::response::{Answer, ContentType, answer};

/// The origin whose pages may call the server.
pub(crate) struct Cors {
    allowed: HeaderValue,
}

impl Cors {
    /// `None` if the string can't be an origin.
    pub(crate) fn new(origin: &str) -> Option<Self> {
        HeaderValue::from_str(origin).ok().map(|allowed| Self { allowed })
    }

    fn allows(&self, origin: &HeaderValue) -> bool {
        self.allowed == "*" || self.allowed == origin
    }

    /// Adds the header that lets the page read the answer.
    pub(crate) fn mark(&self, answer: &mut Answer) {
        let headers = answer.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, self.allowed.clone());
        headers.insert(
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(
                "x-amzn-RequestId,x-amz-crc32,Date,ETag,Link,Location,Preference-Applied,Retry-After,\
                 Singlet-Position,Singlet-Units",
            ),
        );
        headers.append(VARY, HeaderValue::from_static("Origin"));
    }

    /// Answers the preflight request of a browser. The protocol itself has a single method.
    pub(crate) fn preflight(&self, asked: &HeaderMap, is_mounted: bool, request_id: HeaderValue) -> Answer {
        let methods = if is_mounted { "GET,POST,PUT,PATCH,DELETE" } else { "POST" };
        let mut answer = answer(200, ContentType::Unsaid, Bytes::new(), request_id);
        let headers = answer.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(methods));
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("172800"));
        if let Some(names) = asked.get(ACCESS_CONTROL_REQUEST_HEADERS) {
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
        }
        self.mark(&mut answer);
        answer
    }
}

/// The origin of the page that sent the request, if there is one and it isn't allowed.
pub(crate) fn foreign_origin<'a>(cors: Option<&Cors>, headers: &'a HeaderMap) -> Option<&'a HeaderValue> {
    let origin = headers.get(ORIGIN)?;
    (!cors.is_some_and(|cors| cors.allows(origin))).then_some(origin)
}
