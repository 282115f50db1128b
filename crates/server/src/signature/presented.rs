//! What a request says about its signature, read from the `Authorization` header or from the query of a
//! pre-signed request. Nothing is believed here: only the form is checked.

use std::borrow::Cow;

use hyper::header::{AUTHORIZATION, DATE, HeaderMap, HeaderValue};
use hyper::http::request::Parts;

use super::error::SignatureError;
use super::query;
use super::timestamp::Timestamp;

/// The only algorithm that DynamoDB takes.
pub(super) const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// The signature that a request presents.
pub(super) struct Presented<'a> {
    pub(super) access_key: Cow<'a, str>,
    pub(super) scope: Scope<'a>,
    pub(super) signed_headers: Cow<'a, str>,
    pub(super) signature: Cow<'a, str>,
    pub(super) time: Timestamp,
    pub(super) session_token: Option<Cow<'a, str>>,
    /// How long a pre-signed request says that it is good for.
    pub(super) lifetime_seconds: Option<u64>,
}

/// What the signing key was derived for.
pub(super) struct Scope<'a> {
    pub(super) date: Cow<'a, str>,
    pub(super) region: Cow<'a, str>,
    pub(super) service: Cow<'a, str>,
    pub(super) terminator: Cow<'a, str>,
}

impl<'a> Presented<'a> {
    /// Finds the request's signature, wherever it stands.
    pub(super) fn read(parts: &'a Parts) -> Result<Self, SignatureError> {
        let header = parts.headers.get(AUTHORIZATION).map(|value| value.to_str().unwrap_or_default());
        let query = parts.uri.query().filter(|query| query::parameter(query, "X-Amz-Algorithm").is_some());
        match (header, query) {
            (Some(_), Some(_)) => Err(SignatureError::Invalid(
                "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
                    .to_owned(),
            )),
            (Some(header), None) if header.trim_start().starts_with("AWS4-") => {
                Self::from_header(header.trim(), &parts.headers)
            }
            (None, Some(query)) => Self::from_query(query),
            _ => Err(SignatureError::Missing),
        }
    }

    fn from_header(header: &'a str, headers: &'a HeaderMap<HeaderValue>) -> Result<Self, SignatureError> {
        let (algorithm, rest) = header.split_once(' ').unwrap_or((header, ""));
        let (mut credential, mut signed_headers, mut signature) = (None, None, None);
        for pair in rest.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let Some((name, value)) = pair.split_once('=') else {
                return Err(SignatureError::Incomplete(format!(
                    "'{pair}' not a valid key=value pair (missing equal-sign) in Authorization header: \
                     '{header}'."
                )));
            };
            match name {
                "Credential" => credential = Some(value),
                "SignedHeaders" => signed_headers = Some(value),
                "Signature" => signature = Some(value),
                _ => {}
            }
        }
        let date = header_text(headers, "x-amz-date").or_else(|| headers.get(DATE)?.to_str().ok());
        let (Some(credential), Some(signature), Some(signed_headers), Some(date)) =
            (credential, signature, signed_headers, date)
        else {
            return Err(missing_in_header(header, credential, signature, signed_headers, date));
        };
        let time = Timestamp::parse_basic(date)
            .or_else(|| Timestamp::parse_http(date))
            .ok_or_else(|| wrong_date(date))?;
        check_algorithm(algorithm)?;
        let (access_key, scope) = split_credential(Cow::Borrowed(credential))?;
        Ok(Self {
            access_key,
            scope,
            signed_headers: Cow::Borrowed(signed_headers),
            signature: Cow::Borrowed(signature),
            time,
            session_token: header_text(headers, "x-amz-security-token").map(Cow::Borrowed),
            lifetime_seconds: None,
        })
    }

    fn from_query(query: &'a str) -> Result<Self, SignatureError> {
        let parameter = |name| query::parameter(query, name).filter(|value| !value.is_empty());
        let (Some(algorithm), Some(credential), Some(signature), Some(signed_headers), Some(date)) = (
            parameter("X-Amz-Algorithm"),
            parameter("X-Amz-Credential"),
            parameter("X-Amz-Signature"),
            parameter("X-Amz-SignedHeaders"),
            parameter("X-Amz-Date"),
        ) else {
            return Err(missing_in_query(query));
        };
        let time = Timestamp::parse_basic(&date).ok_or_else(|| wrong_date(&date))?;
        check_algorithm(&algorithm)?;
        let (access_key, scope) = split_credential(credential)?;
        Ok(Self {
            access_key,
            scope,
            signed_headers,
            signature,
            time,
            session_token: parameter("X-Amz-Security-Token"),
            lifetime_seconds: parameter("X-Amz-Expires").and_then(|seconds| seconds.parse().ok()),
        })
    }
}

fn header_text<'a>(headers: &'a HeaderMap<HeaderValue>, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn check_algorithm(algorithm: &str) -> Result<(), SignatureError> {
    if algorithm == ALGORITHM {
        return Ok(());
    }
    Err(SignatureError::Incomplete(format!(
        "Unsupported AWS 'algorithm': '{algorithm}' (only {ALGORITHM} for now). "
    )))
}

fn split_credential(credential: Cow<'_, str>) -> Result<(Cow<'_, str>, Scope<'_>), SignatureError> {
    fn five<T>(parts: &mut impl Iterator<Item = T>) -> Option<[T; 5]> {
        let five = [parts.next()?, parts.next()?, parts.next()?, parts.next()?, parts.next()?];
        parts.next().is_none().then_some(five)
    }
    let parts = match &credential {
        Cow::Borrowed(text) => five(&mut text.trim_end_matches('/').split('/').map(Cow::Borrowed)),
        Cow::Owned(text) => {
            five(&mut text.trim_end_matches('/').split('/').map(|part| Cow::Owned(part.to_owned())))
        }
    };
    let Some([access_key, date, region, service, terminator]) = parts else {
        return Err(SignatureError::Incomplete(format!(
            "Credential must have exactly 5 slash-delimited elements, e.g. \
             keyid/date/region/service/term, got '{credential}'"
        )));
    };
    Ok((access_key, Scope { date, region, service, terminator }))
}

fn wrong_date(date: &str) -> SignatureError {
    SignatureError::Incomplete(format!(
        "Date must be in ISO-8601 'basic format'. Got '{date}'. See http://en.wikipedia.org/wiki/ISO_8601"
    ))
}

fn missing_in_header(
    header: &str,
    credential: Option<&str>,
    signature: Option<&str>,
    signed_headers: Option<&str>,
    date: Option<&str>,
) -> SignatureError {
    let mut text = String::new();
    for (name, value) in
        [("Credential", credential), ("Signature", signature), ("SignedHeaders", signed_headers)]
    {
        if value.is_none() {
            text.push_str(&format!("Authorization header requires '{name}' parameter. "));
        }
    }
    if date.is_none() {
        text.push_str(
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ",
        );
    }
    SignatureError::Incomplete(format!("{text}Authorization={header}"))
}

fn missing_in_query(query: &str) -> SignatureError {
    let names =
        ["X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date"];
    let mut text = String::new();
    for name in names {
        if query::parameter(query, name).is_none_or(|value| value.is_empty()) {
            text.push_str(&format!("AWS query-string parameters must include '{name}'. "));
        }
    }
    SignatureError::Incomplete(format!("{text}Re-examine the query-string parameters."))
}
