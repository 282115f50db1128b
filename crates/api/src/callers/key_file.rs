//! The keys that verify tokens, from a file: a JSON Web Key Set, one such key, or public keys as PEM.
//!
//! Each key verifies one algorithm, which follows from the key and never from a token. So a token can't have a public
//! key used as a secret, and it can't be unsigned.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey};
use singlet_design::Json;

/// The keys of a file at most.
const KEYS_MAX: usize = 100;
/// The bytes of a secret at least, as RFC 7518 demands for HS256.
const SECRET_BYTES_MIN: usize = 32;
const PEM_BEGIN: &str = "-----BEGIN ";
const PEM_END: &str = "-----END ";

/// The keys that verify tokens.
#[derive(Clone)]
pub struct CallerKeys {
    keys: Vec<CallerKey>,
}

/// A key with the only algorithm that it verifies.
#[derive(Clone)]
pub(super) struct CallerKey {
    pub(super) id: Option<String>,
    pub(super) algorithm: Algorithm,
    pub(super) key: DecodingKey,
}

/// Shows ids and algorithms, and no secret.
impl fmt::Debug for CallerKeys {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys = self.keys.iter().map(|key| (&key.id, key.algorithm));
        out.debug_list().entries(keys).finish()
    }
}

/// Why a file doesn't have keys that verify tokens.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct KeyFileError(String);

fn refuse<T>(reason: impl Into<String>) -> Result<T, KeyFileError> {
    Err(KeyFileError(reason.into()))
}

impl CallerKeys {
    /// Reads the text of a file. Keys of other purposes or algorithms are left out; a file without a key that can be
    /// used is refused.
    pub fn read(text: &str) -> Result<Self, KeyFileError> {
        let keys = if text.contains(PEM_BEGIN) { pem_keys(text)? } else { json_keys(text)? };
        if keys.is_empty() {
            return refuse("there is no key for RS256, ES256, EdDSA or HS256 signatures");
        }
        if keys.len() > KEYS_MAX {
            return refuse(format!("there are more than {KEYS_MAX} keys"));
        }
        for (at, key) in keys.iter().enumerate() {
            let is_same = |other: &CallerKey| other.id.is_some() && other.id == key.id;
            if keys.iter().skip(at + 1).any(is_same) {
                return refuse(format!(
                    "two keys have the `kid` {:?}",
                    key.id.as_deref().unwrap_or_default()
                ));
            }
        }
        Ok(Self { keys })
    }

    /// The key for a token's header: the one with its id, or the only one of its algorithm.
    pub(super) fn find(&self, id: Option<&str>, algorithm: &str) -> Option<&CallerKey> {
        let fits = |key: &&CallerKey| name(key.algorithm) == algorithm;
        if let Some(id) = id.filter(|_| self.keys.iter().any(|key| key.id.is_some())) {
            return self.keys.iter().find(|key| key.id.as_deref() == Some(id)).filter(fits);
        }
        let mut fitting = self.keys.iter().filter(fits);
        fitting.next().filter(|_| fitting.next().is_none())
    }
}

/// The name of an algorithm in the header of a token.
fn name(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::HS256 => "HS256",
        Algorithm::RS256 => "RS256",
        Algorithm::ES256 => "ES256",
        Algorithm::EdDSA => "EdDSA",
        _ => "",
    }
}

fn json_keys(text: &str) -> Result<Vec<CallerKey>, KeyFileError> {
    let json: Json = match text.parse() {
        Ok(json) => json,
        Err(error) => return refuse(format!("it is neither PEM nor a JSON Web Key Set: {error}")),
    };
    let several = match json.get("keys") {
        Some(keys) => keys.as_list().map(<[Json]>::to_vec),
        None => json.as_object().map(|_| vec![json.clone()]),
    };
    let Some(several) = several else { return refuse("`keys` must be a list of JSON Web Keys") };
    let mut keys = Vec::new();
    for (at, key) in several.iter().enumerate() {
        let place = |error: KeyFileError| KeyFileError(format!("key {}: {error}", at + 1));
        keys.extend(json_key(key).map_err(place)?);
    }
    Ok(keys)
}

/// A JSON Web Key; `None` if it is for something else than verifying tokens in one of the algorithms.
fn json_key(json: &Json) -> Result<Option<CallerKey>, KeyFileError> {
    let text = |name: &str| json.get(name).and_then(Json::as_text);
    let member = |name: &str| match text(name) {
        Some(text) => Ok(text),
        None => refuse(format!("`{name}` must be a string")),
    };
    let operations = json.get("key_ops").and_then(Json::as_list);
    let verifies = operations
        .is_none_or(|names| names.iter().any(|name| matches!(name.as_text(), Some("verify" | "sign"))));
    if text("use").is_some_and(|purpose| purpose != "sig") || !verifies {
        return Ok(None);
    }
    let unusable =
        |error: jsonwebtoken::errors::Error| KeyFileError(format!("it isn't a usable key: {error}"));
    let (algorithm, key) = match (member("kty")?, text("crv")) {
        ("oct", _) => match URL_SAFE_NO_PAD.decode(member("k")?) {
            Ok(secret) if secret.len() >= SECRET_BYTES_MIN => {
                (Algorithm::HS256, DecodingKey::from_secret(&secret))
            }
            Ok(_) => return refuse(format!("a secret must have at least {SECRET_BYTES_MIN} bytes")),
            Err(_) => return refuse("`k` must be base64url"),
        },
        ("RSA", _) => {
            let key = DecodingKey::from_rsa_components(member("n")?, member("e")?).map_err(unusable)?;
            (Algorithm::RS256, key)
        }
        ("EC", Some("P-256")) => {
            let key = DecodingKey::from_ec_components(member("x")?, member("y")?).map_err(unusable)?;
            (Algorithm::ES256, key)
        }
        ("OKP", Some("Ed25519")) => {
            (Algorithm::EdDSA, DecodingKey::from_ed_components(member("x")?).map_err(unusable)?)
        }
        _ => return Ok(None),
    };
    if text("alg").is_some_and(|given| given != name(algorithm)) {
        return Ok(None);
    }
    Ok(Some(CallerKey { id: text("kid").map(str::to_owned), algorithm, key }))
}

fn pem_keys(text: &str) -> Result<Vec<CallerKey>, KeyFileError> {
    let mut keys = Vec::new();
    let mut block: Option<String> = None;
    for line in text.lines() {
        if line.starts_with(PEM_BEGIN) {
            block = Some(String::new());
        }
        if let Some(block) = &mut block {
            block.push_str(line.trim_end());
            block.push('\n');
        }
        if line.starts_with(PEM_END)
            && let Some(whole) = block.take()
        {
            keys.push(pem_key(&whole)?);
        }
    }
    match block {
        Some(_) => refuse("a block of PEM has no end"),
        None => Ok(keys),
    }
}

fn pem_key(block: &str) -> Result<CallerKey, KeyFileError> {
    if block.contains("PRIVATE KEY") {
        return refuse("there is a private key: a server needs the public key only");
    }
    let pem = block.as_bytes();
    let found = DecodingKey::from_rsa_pem(pem).map(|key| (Algorithm::RS256, key));
    let found = found.or_else(|_| DecodingKey::from_ed_pem(pem).map(|key| (Algorithm::EdDSA, key)));
    let found = found.or_else(|_| DecodingKey::from_ec_pem(pem).map(|key| (Algorithm::ES256, key)));
    match found {
        Ok((algorithm, key)) => Ok(CallerKey { id: None, algorithm, key }),
        Err(_) => refuse("a block of PEM isn't a public key for RS256, ES256 or EdDSA"),
    }
}

impl KeyFileError {
    /// The error of a file that has no key to sign with.
    pub(super) fn no_secret() -> Self {
        Self("there is no secret key (`\"kty\": \"oct\"`) that could sign tokens".to_owned())
    }
}
