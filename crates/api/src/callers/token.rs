//! Verifies tokens: JSON Web Tokens (RFC 7519), as RFC 8725 advises.
//!
//! The signature is verified before anything in the claims is believed. The JSON of header and claims is read by the
//! parser of designs, which refuses a name that appears twice.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use singlet_design::Json;
use singlet_run::Caller;

use super::key_file::CallerKeys;

/// The bytes of a token at most.
const TOKEN_BYTES_MAX: usize = 8 << 10;
/// The bytes of a caller's id at most: DynamoDB's keys have no longer ones.
const SUBJECT_BYTES_MAX: usize = 1024;
/// The roles of a token at most.
const ROLES_MAX: usize = 100;
/// The seconds by which the clocks of issuer and server may differ.
const SKEW_SECONDS: f64 = 60.0;
/// The claims in which roles can be.
const ROLE_CLAIMS: [&str; 2] = ["roles", "role"];

/// The claims that a token must have, besides its subject.
#[derive(Debug, Clone, Default)]
pub(super) struct Expected {
    pub(super) issuer: Option<String>,
    pub(super) audience: Option<String>,
}

/// Why a token isn't believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum TokenError {
    #[error("the token isn't a signed JSON Web Token")]
    Malformed,
    #[error("the token has no key or algorithm that is accepted here")]
    Key,
    #[error("the signature of the token is wrong")]
    Signature,
    #[error("the token has expired")]
    Expired,
    #[error("the token isn't valid yet")]
    Early,
    #[error("the token comes from another issuer")]
    Issuer,
    #[error("the token is for another audience")]
    Audience,
    #[error("a claim of the token is missing or has another type")]
    Claims,
}

/// Verifies a token, and returns the caller.
pub(super) fn verify(
    token: &str,
    keys: &CallerKeys,
    expected: &Expected,
    now_ms: u64,
) -> Result<Caller, TokenError> {
    if token.len() > TOKEN_BYTES_MAX {
        return Err(TokenError::Malformed);
    }
    let (message, signature) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
    let (header, claims) = message.split_once('.').ok_or(TokenError::Malformed)?;
    let header = object(header)?;
    let text = |name: &str| match header.get(name) {
        None => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(TokenError::Malformed),
    };
    let kind = text("typ")?;
    let is_token = |kind: &str| kind.eq_ignore_ascii_case("JWT") || kind.eq_ignore_ascii_case("at+jwt");
    // An extension that must be understood isn't.
    if header.get("crit").is_some() || kind.is_some_and(|kind| !is_token(kind)) {
        return Err(TokenError::Malformed);
    }
    let algorithm = text("alg")?.ok_or(TokenError::Malformed)?;
    let key = keys.find(text("kid")?, algorithm).ok_or(TokenError::Key)?;
    match jsonwebtoken::crypto::verify(signature, message.as_bytes(), &key.key, key.algorithm) {
        Ok(true) => caller(&object(claims)?, expected, now_ms),
        Ok(false) | Err(_) => Err(TokenError::Signature),
    }
}

/// A part of a token: an object as base64url.
fn object(part: &str) -> Result<Json, TokenError> {
    let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| TokenError::Malformed)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| TokenError::Malformed)?;
    let json: Json = text.parse().map_err(|_| TokenError::Malformed)?;
    if json.as_object().is_some() { Ok(json) } else { Err(TokenError::Malformed) }
}

/// The caller whom claims name, if they hold now and here.
fn caller(claims: &Json, expected: &Expected, now_ms: u64) -> Result<Caller, TokenError> {
    #[expect(clippy::cast_precision_loss, reason = "an instant has far fewer than 53 bits of milliseconds")]
    let now = now_ms as f64 / 1000.0;
    let expires = instant(claims, "exp")?.ok_or(TokenError::Claims)?;
    if now - SKEW_SECONDS >= expires {
        return Err(TokenError::Expired);
    }
    for name in ["nbf", "iat"] {
        if instant(claims, name)?.is_some_and(|begin| now + SKEW_SECONDS < begin) {
            return Err(TokenError::Early);
        }
    }
    if let Some(issuer) = &expected.issuer {
        match claims.get("iss") {
            Some(Json::Text(given)) if given == issuer => {}
            _ => return Err(TokenError::Issuer),
        }
    }
    check_audience(claims.get("aud"), expected.audience.as_deref())?;
    let subject = claims.get("sub").and_then(Json::as_text).ok_or(TokenError::Claims)?;
    if subject.is_empty() || subject.len() > SUBJECT_BYTES_MAX {
        return Err(TokenError::Claims);
    }
    Ok(Caller::new(subject).with_roles(roles(claims)?))
}

fn instant(claims: &Json, name: &str) -> Result<Option<f64>, TokenError> {
    match claims.get(name) {
        None => Ok(None),
        Some(Json::Number(number)) => {
            let seconds: f64 = number.to_string().parse().map_err(|_| TokenError::Claims)?;
            Ok(Some(seconds).filter(|seconds| seconds.is_finite()))
        }
        Some(_) => Err(TokenError::Claims),
    }
}

/// A token for an audience is for nobody else, even where none is expected (RFC 7519, section 4.1.3).
fn check_audience(given: Option<&Json>, expected: Option<&str>) -> Result<(), TokenError> {
    let names = |audience: &str| match given {
        Some(Json::Text(text)) => text == audience,
        Some(Json::List(several)) => several.iter().any(|one| one.as_text() == Some(audience)),
        _ => false,
    };
    match expected {
        Some(audience) if names(audience) => Ok(()),
        None if given.is_none() => Ok(()),
        _ => Err(TokenError::Audience),
    }
}

fn roles(claims: &Json) -> Result<Vec<String>, TokenError> {
    let mut found = ROLE_CLAIMS.iter().filter_map(|name| claims.get(name));
    let roles = match (found.next(), found.next()) {
        (_, Some(_)) => return Err(TokenError::Claims),
        (None, None) => Vec::new(),
        (Some(Json::Text(role)), None) => vec![role.clone()],
        (Some(Json::List(several)), None) if several.len() <= ROLES_MAX => {
            let texts = several.iter().map(|role| role.as_text().map(str::to_owned));
            texts.collect::<Option<_>>().ok_or(TokenError::Claims)?
        }
        _ => return Err(TokenError::Claims),
    };
    Ok(roles)
}
