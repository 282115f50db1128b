//! Verifies signatures with the known keys.

use std::collections::HashMap;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use hmac::{Hmac, KeyInit, Mac};
use hyper::header::{HeaderMap, HeaderName};
use hyper::http::request::Parts;
use sha2::{Digest, Sha256};
use singlet_engine::Clock;

use super::canonical::SignedRequest;
use super::credentials::{AccessKey, Credentials};
use super::error::SignatureError;
use super::escape::{hex_digit, write_hex};
use super::presented::{ALGORITHM, Credential, Presented};
use super::timestamp::Timestamp;
use crate::header::{self, CONTENT_SHA256};

/// The maximum difference between a signature's time and the server's.
const SKEW_SECONDS: u64 = 5 * 60;
const TERMINATOR: &str = "aws4_request";

type HmacSha256 = Hmac<Sha256>;

/// The rights of the holder of a verified signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everything.
    Full,
    /// Only operations that don't change anything.
    ReadOnly,
}

/// Verifies signatures with the known keys.
pub(crate) struct Verifier {
    keys: HashMap<String, KnownKey>,
    region: String,
    service: &'static str,
    clock: Arc<dyn Clock>,
}

/// An access key and the signing key that was last derived from it. Region and service are the server's, so only the
/// day can change, and one signing key is enough.
struct KnownKey {
    key: AccessKey,
    derived: ArcSwapOption<SigningKey>,
}

struct SigningKey {
    date: String,
    /// The HMAC state after the key. A clone of it signs.
    mac: HmacSha256,
}

impl Verifier {
    pub(crate) fn new(credentials: Credentials, region: impl Into<String>, clock: Arc<dyn Clock>) -> Self {
        let known = |(id, key)| (id, KnownKey { key, derived: ArcSwapOption::empty() });
        Self {
            keys: credentials.keys.into_iter().map(known).collect(),
            region: region.into(),
            service: "dynamodb",
            clock,
        }
    }

    /// Checks everything about a signature that doesn't need the body, which may be long. Returns `true` if the
    /// signature matches the body hash in the head: only the holder of the secret can create such a head. Without a
    /// hash there is nothing to compare.
    pub(crate) fn check_head(&self, parts: &Parts) -> Result<bool, SignatureError> {
        let (presented, known) = self.present(parts)?;
        let Some(hash) = header::text(&parts.headers, &CONTENT_SHA256).and_then(hash_bytes) else {
            return Ok(false);
        };
        self.check_signature(&SignedRequest::of(parts, &presented, hash), &presented, known)?;
        Ok(true)
    }

    /// The signature and its key. The checks and their order are DynamoDB's.
    fn present<'p>(&self, parts: &'p Parts) -> Result<(Presented<'p>, &KnownKey), SignatureError> {
        let presented = Presented::read(parts)?;
        self.check_time(&presented)?;
        check_host_is_signed(&presented)?;
        let credential = presented.credential();
        self.check_scope(&credential, presented.time)?;
        let known = self.keys.get(credential.access_key).ok_or(SignatureError::UnknownKey)?;
        check_headers_are_signed(&presented, &parts.headers)?;
        Ok((presented, known))
    }

    /// Returns the rights of the request's sender, or why its signature is rejected.
    pub(crate) fn verify(&self, parts: &Parts, body: &[u8]) -> Result<Access, SignatureError> {
        let (presented, known) = self.present(parts)?;
        let hash = Sha256::digest(body).into();
        self.check_signature(&SignedRequest::of(parts, &presented, hash), &presented, known)?;
        // The token is compared last, when the sender has proved that it holds the secret key.
        if presented.session_token.as_deref() != known.key.session_token.as_deref() {
            return Err(SignatureError::UnknownKey);
        }
        Ok(if known.key.read_only { Access::ReadOnly } else { Access::Full })
    }

    fn check_time(&self, presented: &Presented<'_>) -> Result<(), SignatureError> {
        let now = Timestamp::from_seconds(self.clock.now_ms() / 1000);
        let lifetime_seconds = presented.lifetime_seconds.unwrap_or(SKEW_SECONDS);
        if presented.time.plus_seconds(lifetime_seconds) < now {
            return Err(SignatureError::expired(presented.time, now, lifetime_seconds));
        }
        if presented.time > now.plus_seconds(SKEW_SECONDS) {
            return Err(SignatureError::not_yet_current(presented.time, now, SKEW_SECONDS));
        }
        Ok(())
    }

    fn check_scope(&self, scope: &Credential<'_>, time: Timestamp) -> Result<(), SignatureError> {
        let signed_on = time.date();
        let mut faults = Vec::new();
        if scope.region != self.region {
            faults.push(format!("Credential should be scoped to a valid region, not '{}'.", scope.region));
        }
        if scope.service != self.service {
            faults.push(format!("Credential should be scoped to correct service: '{}'.", self.service));
        }
        if scope.terminator != TERMINATOR {
            faults.push(format!(
                "Credential should be scoped with a valid terminator: '{TERMINATOR}', not '{}'.",
                scope.terminator
            ));
        }
        if scope.date != signed_on {
            faults.push(format!(
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: \
                 '{}' != '{signed_on}', from '{}'.",
                scope.date, time
            ));
        }
        if faults.is_empty() { Ok(()) } else { Err(SignatureError::Invalid(faults.join(" "))) }
    }

    fn check_signature(
        &self,
        request: &SignedRequest<'_>,
        presented: &Presented<'_>,
        known: &KnownKey,
    ) -> Result<(), SignatureError> {
        let canonical = request.canonical().ok_or_else(SignatureError::mismatch)?;
        let signature = hex_bytes(&presented.signature).ok_or_else(SignatureError::mismatch)?;
        let date = presented.credential().date;
        let mut mac = self.signing_mac(known, date);
        let (time, region, service) = (presented.time, &self.region, self.service);
        let scope = format!("{date}/{region}/{service}/{TERMINATOR}");
        mac.update(format!("{ALGORITHM}\n{time}\n{scope}\n").as_bytes());
        let mut digest = Vec::with_capacity(64);
        write_hex(&mut digest, &Sha256::digest(canonical));
        mac.update(&digest);
        // Compares in constant time.
        mac.verify_slice(&signature).map_err(|_| SignatureError::mismatch())
    }

    fn signing_mac(&self, known: &KnownKey, date: &str) -> HmacSha256 {
        if let Some(derived) = known.derived.load().as_ref()
            && derived.date == date
        {
            return derived.mac.clone();
        }
        let mut key = format!("AWS4{}", known.key.secret).into_bytes();
        for part in [date, &self.region, self.service, TERMINATOR] {
            let mut mac = keyed(&key);
            mac.update(part.as_bytes());
            key = mac.finalize().into_bytes().to_vec();
        }
        let mac = keyed(&key);
        known.derived.store(Some(Arc::new(SigningKey { date: date.to_owned(), mac: mac.clone() })));
        mac
    }
}

/// Checks only that the request has a complete signature, without a secret to verify it.
pub(crate) fn check_form(parts: &Parts) -> Result<(), SignatureError> {
    Presented::read(parts).map(|_| ())
}

fn check_host_is_signed(presented: &Presented<'_>) -> Result<(), SignatureError> {
    if presented.signs("host") { Ok(()) } else { Err(SignatureError::unsigned("'Host' or ':authority'")) }
}

/// Every header with a meaning for the service must be signed. Otherwise a captured request could be sent again with
/// another meaning: the target names the operation.
fn check_headers_are_signed(presented: &Presented<'_>, headers: &HeaderMap) -> Result<(), SignatureError> {
    let speaks_to_service = |name: &&HeaderName| name.as_str().starts_with("x-amz-");
    match headers.keys().filter(speaks_to_service).find(|name| !presented.signs(name.as_str())) {
        Some(name) => Err(SignatureError::unsigned(&format!("'{}'", title_case(name.as_str())))),
        None => Ok(()),
    }
}

/// The usual spelling of a header name: `X-Amz-Target` for `x-amz-target`.
fn title_case(name: &str) -> String {
    let word = |word: &str| {
        word.get(..1).unwrap_or_default().to_ascii_uppercase() + word.get(1..).unwrap_or_default()
    };
    name.split('-').map(word).collect::<Vec<_>>().join("-")
}

fn hash_bytes(text: &str) -> Option<[u8; 32]> {
    hex_bytes(text)?.try_into().ok()
}

fn keyed(key: &[u8]) -> HmacSha256 {
    HmacSha256::new_from_slice(key).expect("HMAC takes a key of any length")
}

fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(hex_digit(*high)? << 4 | hex_digit(*low)?)).collect()
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
