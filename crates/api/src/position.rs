//! Reading one's own effects: the positions of writes, and calls that wait for derived data.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use singlet_derive::Positions;

use crate::feed::Following;
use crate::problem::{Problem, ProblemKind};

/// The header with the position after a write, and with the one that a call waits for.
const POSITION: HeaderName = HeaderName::from_static("singlet-position");
const PREFER: HeaderName = HeaderName::from_static("prefer");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// How long a call waits unless it says so.
const WAIT_DEFAULT: Duration = Duration::from_secs(5);
/// The longest wait. A call that asks for more gets this.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// The effects that a call waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wish {
    /// The position that must be settled before it runs.
    position: Option<String>,
    /// `Prefer: wait`, with the time.
    wait: Option<Duration>,
}

impl Wish {
    /// Reads the headers of a call.
    pub(crate) fn read(headers: &HeaderMap) -> Result<Self, Problem> {
        let mut given = headers.get_all(POSITION).iter();
        let position = match (given.next(), given.next()) {
            (None, _) => None,
            (Some(position), None) => Some(position.to_str().map_err(|_| twisted())?.to_owned()),
            (Some(_), Some(_)) => return Err(twisted()),
        };
        Ok(Self { position, wait: preferred_wait(headers) })
    }

    /// Waits before the call runs.
    pub(crate) async fn before(
        &self,
        following: Option<&Following>,
        is_read: bool,
    ) -> Result<Option<HeaderValue>, Problem> {
        let time = self.wait.unwrap_or(WAIT_DEFAULT);
        let Some(following) = following else {
            return match self.position {
                Some(_) => {
                    let detail = "the tables of this design have no change feed, so there are no positions";
                    Err(Problem::new(ProblemKind::UnsupportedHeader, detail))
                }
                None => Ok(None),
            };
        };
        let positions: Positions = match &self.position {
            Some(position) => following.positions(position).await?,
            None if is_read && self.wait.is_some() => following.latest().await?,
            None => return Ok(None),
        };
        if !following.settled(&positions, time).await {
            let detail = format!(
                "derived data has not reached the position within {} seconds: try again, or without it",
                time.as_secs()
            );
            return Err(Problem::new(ProblemKind::Behind, detail));
        }
        Ok(self.applied().filter(|_| is_read))
    }

    /// Adds the position to the answer of a write, which waits for the effects of the write if the caller prefers it. The
    /// write is done: if the effects take longer, the answer says so by lacking `Preference-Applied`.
    pub(crate) async fn after(&self, following: Option<&Following>, response: &mut Response) {
        let Some(following) = following else { return };
        // The write is done, so a failure here is not one of the call.
        let Ok(positions) = following.latest().await else { return };
        let Some(text) = following.text(&positions) else { return };
        let headers = response.headers_mut();
        headers.extend(HeaderValue::from_str(&text).ok().map(|text| (POSITION, text)));
        if let Some(time) = self.wait
            && following.settled(&positions, time).await
        {
            note(response, self.applied());
        }
    }

    fn applied(&self) -> Option<HeaderValue> {
        let seconds = self.wait?.as_secs();
        HeaderValue::from_str(&format!("wait={seconds}")).ok()
    }
}

/// Tells that a preference was followed.
pub(crate) fn note(response: &mut Response, applied: Option<HeaderValue>) {
    response.headers_mut().extend(applied.map(|applied| (PREFERENCE_APPLIED, applied)));
}

fn twisted() -> Problem {
    Problem::new(ProblemKind::InvalidPosition, "`Singlet-Position` must be given once, as an answer had it")
}

/// The time of `Prefer: wait` or `Prefer: wait=10`. Preferences that make no sense don't count, as RFC 7240 says.
fn preferred_wait(headers: &HeaderMap) -> Option<Duration> {
    let given = headers.get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
    let preferences =
        given.flat_map(|value| value.split(',')).map(|one| one.split(';').next().unwrap_or(one));
    preferences.map(str::trim).find_map(|preference| {
        let (name, value) = match preference.split_once('=') {
            Some((name, value)) => (name, Some(value.trim().trim_matches('"'))),
            None => (preference, None),
        };
        if !name.trim().eq_ignore_ascii_case("wait") {
            return None;
        }
        match value {
            None | Some("") => Some(WAIT_DEFAULT),
            Some(seconds) if seconds.bytes().all(|byte| byte.is_ascii_digit()) => {
                // Too many digits are more than the longest wait.
                let seconds = seconds.parse().unwrap_or(u64::MAX);
                Some(Duration::from_secs(seconds).min(WAIT_MAX))
            }
            Some(_) => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_has_a_default_and_a_bound_and_nonsense_is_ignored() {
        let seconds = |text: &'static str| {
            let headers = HeaderMap::from_iter([(PREFER, HeaderValue::from_static(text))]);
            preferred_wait(&headers).map(|time| time.as_secs())
        };
        assert_eq!(seconds("wait"), Some(5));
        assert_eq!(seconds("respond-async, Wait = 10; x=y"), Some(10));
        assert_eq!(seconds("wait=\"2\""), Some(2));
        assert_eq!(seconds("wait=99999999999999999999999"), Some(30));
        for ignored in ["wait=-1", "wait=soon", "waits", "return=minimal"] {
            assert_eq!(seconds(ignored), None, "{ignored}");
        }
    }
}
