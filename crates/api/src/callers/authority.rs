//! Finds out who calls.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use singlet_run::Caller;
use singlet_store::{Clock, SystemClock};

use super::key_file::CallerKeys;
use super::named::{SINGLET_AS, named};
use super::token::{Expected, verify};
use crate::problem::{Problem, ProblemKind};

/// Decides who a caller is: by a token if there are keys, or by the header `Singlet-As` on this machine.
#[derive(Clone)]
pub struct Authority {
    keys: Option<Arc<CallerKeys>>,
    expected: Expected,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for Authority {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Authority")
            .field("keys", &self.keys)
            .field("expected", &self.expected)
            .finish_non_exhaustive()
    }
}

impl Authority {
    /// Believes every caller on this machine, and answers no other.
    pub fn of_this_machine() -> Self {
        Self { keys: None, expected: Expected::default(), clock: Arc::new(SystemClock) }
    }

    /// Believes tokens that these keys verify, from everywhere.
    pub fn of_keys(keys: CallerKeys) -> Self {
        Self { keys: Some(Arc::new(keys)), ..Self::of_this_machine() }
    }

    /// Demands that tokens come from this issuer.
    #[must_use]
    pub fn with_issuer(mut self, issuer: impl Into<String>) -> Self {
        self.expected.issuer = Some(issuer.into());
        self
    }

    /// Demands that tokens are for this audience.
    #[must_use]
    pub fn with_audience(mut self, audience: impl Into<String>) -> Self {
        self.expected.audience = Some(audience.into());
        self
    }

    /// Takes the time from this clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Returns who calls. A design that has no callers is for this machine only.
    pub(crate) fn identify(
        &self,
        has_callers: bool,
        address: Option<&IpAddr>,
        headers: &HeaderMap,
    ) -> Result<Caller, Problem> {
        match &self.keys {
            Some(keys) if has_callers => self.by_token(keys, headers),
            _ => {
                admit(address)?;
                by_name(has_callers, headers)
            }
        }
    }

    fn by_token(&self, keys: &CallerKeys, headers: &HeaderMap) -> Result<Caller, Problem> {
        if headers.contains_key(SINGLET_AS) {
            let detail = "the header `singlet-as` isn't taken by a server with keys for tokens";
            return Err(Problem::new(ProblemKind::UnsupportedHeader, detail));
        }
        let mut given = headers.get_all(AUTHORIZATION).iter();
        let Some(first) = given.next() else { return Ok(Caller::nobody()) };
        let refuse = |detail: &str| Problem::new(ProblemKind::InvalidToken, detail);
        let text = first.to_str().ok().filter(|_| given.next().is_none());
        let token = text
            .and_then(|text| text.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let Some((_, token)) = token else {
            return Err(refuse("the header `authorization` must be `Bearer` and one token"));
        };
        verify(token.trim(), keys, &self.expected, self.clock.now_ms())
            .map_err(|error| refuse(&error.to_string()))
    }
}

fn by_name(has_callers: bool, headers: &HeaderMap) -> Result<Caller, Problem> {
    if !has_callers {
        return Ok(Caller::nobody());
    }
    if headers.contains_key(AUTHORIZATION) && !headers.contains_key(SINGLET_AS) {
        let detail = "this server has no keys for tokens; the header `singlet-as` says who calls";
        return Err(Problem::new(ProblemKind::InvalidToken, detail));
    }
    match named(headers) {
        Ok(caller) => Ok(caller.unwrap_or_default()),
        Err(reason) => {
            Err(Problem::new(ProblemKind::UnsupportedHeader, format!("the header `singlet-as` {reason}")))
        }
    }
}

/// Refuses callers on other machines as long as nobody can prove who they are.
fn admit(address: Option<&IpAddr>) -> Result<(), Problem> {
    match address {
        Some(address) if address.to_canonical().is_loopback() => Ok(()),
        _ => Err(Problem::new(
            ProblemKind::Forbidden,
            "callers can't be told apart here, so the API answers on this machine only",
        )),
    }
}
