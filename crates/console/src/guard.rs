//! The guard of writes: a form of another site can't change anything.
//!
//! A browser gets a random session in a cookie that it sends to this site only. Forms that write carry a token that is
//! made from the session with a secret of this process. Another site can neither read the token nor make one. Programs
//! on other ports of this machine share cookies, so the origin of a write is compared as well.

use axum::http::HeaderMap;
use axum::http::HeaderValue;
use axum::http::header::SET_COOKIE;
use axum::http::header::{COOKIE, HOST, ORIGIN};
use axum::response::{Html, IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use singlet_run::{Entropy, SystemEntropy};

use crate::failure::Failure;
use crate::link::BASE;

/// The field of a form with its token. Parameters of patterns have no dot in their names.
pub(crate) const TOKEN: &str = ".token";
const COOKIE_NAME: &str = "singlet-console";
const SESSION_CHARACTERS: usize = 43;

/// Makes and checks the tokens of forms.
pub(crate) struct Guard {
    secret: [u8; 32],
}

/// The session of a browser.
pub(crate) struct Session {
    id: String,
    is_new: bool,
}

impl Guard {
    /// A guard with a secret of its own.
    pub(crate) fn new() -> Self {
        Guard { secret: random() }
    }

    /// The session that a request belongs to, or a new one.
    pub(crate) fn session(&self, headers: &HeaderMap) -> Session {
        match given(headers) {
            Some(id) => Session { id: id.to_owned(), is_new: false },
            None => Session { id: URL_SAFE_NO_PAD.encode(random()), is_new: true },
        }
    }

    /// The token of the forms of a session.
    pub(crate) fn token(&self, session: &Session) -> String {
        let tag = self.mac(&session.id).map(|mac| mac.finalize().into_bytes());
        tag.map(|tag| URL_SAFE_NO_PAD.encode(tag)).unwrap_or_default()
    }

    /// Whether a request that writes comes from a form of this console.
    pub(crate) fn admits(&self, headers: &HeaderMap, token: &str) -> bool {
        let (Some(session), Ok(tag)) = (given(headers), URL_SAFE_NO_PAD.decode(token)) else { return false };
        is_own_origin(headers) && self.mac(session).is_some_and(|mac| mac.verify_slice(&tag).is_ok())
    }

    /// Refuses a form that writes without the token of its session.
    pub(crate) fn check(&self, headers: &HeaderMap, form: &[(String, String)]) -> Result<(), Failure> {
        let token = form.iter().find(|(name, _)| name == TOKEN).map_or("", |(_, token)| token);
        if self.admits(headers, token) {
            return Ok(());
        }
        let reason = "The form is too old or comes from elsewhere. Open the page again and repeat.";
        Err(Failure::forbidden(reason))
    }

    fn mac(&self, session: &str) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secret).ok()?;
        mac.update(session.as_bytes());
        Some(mac)
    }
}

impl Session {
    /// A page with the cookie of the session, if it is new.
    pub(crate) fn with_page(&self, page: Html<String>) -> Response {
        let mut response = page.into_response();
        if let Some(cookie) = self.cookie().and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
            response.headers_mut().insert(SET_COOKIE, cookie);
        }
        response
    }

    /// The header that gives a new session to a browser.
    pub(crate) fn cookie(&self) -> Option<String> {
        let id = &self.id;
        self.is_new.then(|| format!("{COOKIE_NAME}={id}; Path={BASE}; HttpOnly; SameSite=Strict"))
    }
}

fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    SystemEntropy::default().fill(&mut bytes);
    bytes
}

fn given(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(COOKIE).into_iter().filter_map(|header| header.to_str().ok());
    let mut pairs =
        cookies.flat_map(|header| header.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let (_, id) = pairs.find(|(name, _)| *name == COOKIE_NAME)?;
    (id.len() == SESSION_CHARACTERS).then_some(id)
}

/// Whether the page that sent a form has the address that the form was sent to. Old browsers don't say.
fn is_own_origin(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(ORIGIN) else { return true };
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    origin.is_some_and(|(_, origin)| Some(origin) == host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(axum::http::HeaderName, &str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| (name.clone(), value.parse().expect("a header")));
        pairs.collect()
    }

    #[test]
    fn only_the_token_of_its_own_session_and_origin_is_admitted() {
        let guard = Guard::new();
        let session = guard.session(&HeaderMap::new());
        let cookie = session.cookie().expect("a new session has a cookie");
        let cookie = cookie.split(';').next().unwrap_or_default();
        let token = guard.token(&session);

        let own = headers(&[(COOKIE, cookie), (HOST, "localhost:8000"), (ORIGIN, "http://localhost:8000")]);
        assert!(guard.admits(&own, &token));
        assert!(guard.session(&own).cookie().is_none(), "a known session gets no other cookie");
        let neighbour =
            headers(&[(COOKIE, cookie), (HOST, "localhost:8000"), (ORIGIN, "http://localhost:9000")]);
        assert!(!guard.admits(&neighbour, &token), "a program on another port");
        assert!(!guard.admits(&headers(&[(HOST, "localhost:8000")]), &token), "without the cookie");
        assert!(!guard.admits(&own, ""), "without the token");
        assert!(!guard.admits(&own, &Guard::new().token(&session)), "a token of another process");
        let other = guard.session(&HeaderMap::new());
        assert!(!guard.admits(&own, &guard.token(&other)), "a token of another session");
    }
}
