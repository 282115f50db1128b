//! The signature in a request, read from the `Authorization` header or from the query of a pre-signed request. This
//! module checks only its form.

use std::borrow::Cow;

use hyper::header::{AUTHORIZATION, DATE, HeaderMap};
use hyper::http::request::Parts;
use memchr::{memchr, memchr_iter};

use super::error::SignatureError;
use super::query;
use super::timestamp::Timestamp;
use crate::header::{self, AMZ_DATE, SECURITY_TOKEN};

/// The only algorithm that DynamoDB accepts.
pub(super) const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// The longest lifetime of a pre-signed request.
const LIFETIME_SECONDS_MAX: i64 = 7 * 24 * 3600;

/// The signature that a request presents.
pub(super) struct Presented<'a> {
    /// Five elements separated by slashes; see [`Presented::credential`].
    credential: Cow<'a, str>,
    pub(super) signed_headers: Cow<'a, str>,
    pub(super) signature: Cow<'a, str>,
    pub(super) time: Timestamp,
    pub(super) session_token: Option<Cow<'a, str>>,
    /// The lifetime that a pre-signed request declares.
    pub(super) lifetime_seconds: Option<u64>,
}

/// The access key, and the scope of the signing key.
pub(super) struct Credential<'a> {
    pub(super) access_key: &'a str,
    pub(super) date: &'a str,
    pub(super) region: &'a str,
    pub(super) service: &'a str,
    pub(super) terminator: &'a str,
}

impl<'a> Presented<'a> {
    /// Finds the request's signature, in the header or in the query.
    pub(super) fn read(parts: &'a Parts) -> Result<Self, SignatureError> {
        let header = header::text(&parts.headers, &AUTHORIZATION);
        let query = parts.uri.query().filter(|query| query::parameter(query, "X-Amz-Algorithm").is_some());
        match (header, query) {
            (Some(_), Some(_)) => Err(SignatureError::Invalid(
                "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
                    .to_owned(),
            )),
            (Some(header), None) if header.trim_ascii_start().starts_with("AWS4-") => {
                Self::from_header(header.trim_ascii(), &parts.headers)
            }
            (None, Some(query)) => Self::from_query(query),
            _ => Err(SignatureError::Missing),
        }
    }

    /// Whether the signature covers the header of this name.
    pub(super) fn signs(&self, header: &str) -> bool {
        self.signed_headers.split(';').any(|name| name.eq_ignore_ascii_case(header))
    }

    /// The elements of the credential.
    pub(super) fn credential(&self) -> Credential<'_> {
        let mut elements = self.credential.split('/');
        let mut next = || elements.next().unwrap_or_default();
        Credential { access_key: next(), date: next(), region: next(), service: next(), terminator: next() }
    }

    fn from_header(header: &'a str, headers: &'a HeaderMap) -> Result<Self, SignatureError> {
        let (algorithm, rest) = cut(header, b' ').unwrap_or((header, ""));
        let (mut credential, mut signed_headers, mut signature) = (None, None, None);
        let mut rest = Some(rest);
        while let Some(text) = rest {
            let pair;
            (pair, rest) = cut(text, b',').map_or((text, None), |(pair, rest)| (pair, Some(rest)));
            let pair = pair.trim_ascii();
            if pair.is_empty() {
                continue;
            }
            let Some((name, value)) = cut(pair, b'=') else {
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
        let date = header::text(headers, &AMZ_DATE).or_else(|| header::text(headers, &DATE));
        let (Some(credential), Some(signature), Some(signed_headers), Some(date)) =
            (credential, signature, signed_headers, date)
        else {
            return Err(missing_in_header(header, credential, signature, signed_headers, date));
        };
        let time = Timestamp::parse_basic(date)
            .or_else(|| Timestamp::parse_http(date))
            .ok_or_else(|| wrong_date(date))?;
        check_algorithm(algorithm)?;
        check_credential(credential)?;
        Ok(Self {
            credential: Cow::Borrowed(credential),
            signed_headers: Cow::Borrowed(signed_headers),
            signature: Cow::Borrowed(signature),
            time,
            session_token: header::text(headers, &SECURITY_TOKEN).map(Cow::Borrowed),
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
        check_credential(&credential)?;
        Ok(Self {
            credential,
            signed_headers,
            signature,
            time,
            session_token: parameter("X-Amz-Security-Token"),
            lifetime_seconds: query::parameter(query, "X-Amz-Expires")
                .map(|text| lifetime(&text))
                .transpose()?,
        })
    }
}

/// Splits at the first such byte, which must be ASCII. Every request passes through here, and for short strings
/// `memchr` is several times as fast as a pattern search.
fn cut(text: &str, at: u8) -> Option<(&str, &str)> {
    let position = memchr(at, text.as_bytes())?;
    Some((text.get(..position)?, text.get(position + 1..)?))
}

fn check_algorithm(algorithm: &str) -> Result<(), SignatureError> {
    if algorithm == ALGORITHM {
        return Ok(());
    }
    Err(SignatureError::Incomplete(format!(
        "Unsupported AWS 'algorithm': '{algorithm}' (only {ALGORITHM} for now). "
    )))
}

fn check_credential(credential: &str) -> Result<(), SignatureError> {
    if memchr_iter(b'/', credential.trim_end_matches('/').as_bytes()).count() == 4 {
        return Ok(());
    }
    Err(SignatureError::Incomplete(format!(
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, \
         got '{credential}'"
    )))
}

/// The lifetime of a pre-signed request.
fn lifetime(text: &str) -> Result<u64, SignatureError> {
    let refused = |text: &str| Err(SignatureError::Invalid(text.to_owned()));
    match text.parse::<i64>() {
        Ok(seconds @ 1..=LIFETIME_SECONDS_MAX) => Ok(seconds.unsigned_abs()),
        Ok(0) => refused("X-Amz-Expires must be at least one second"),
        Ok(..0) => refused("X-Amz-Expires must be non-negative"),
        Ok(_) => refused(
            "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 \
             seconds",
        ),
        Err(_) => refused("X-Amz-Expires should be a number"),
    }
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
