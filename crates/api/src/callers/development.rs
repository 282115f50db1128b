//! Tokens for development.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey};
use singlet_design::Json;
use singlet_run::{Caller, Entropy};

use super::key_file::KeyFileError;

/// The id of the key in its file.
const KEY_ID: &str = "development";

/// A secret key that signs tokens, for development and tests.
pub struct DevelopmentKey {
    secret: Vec<u8>,
    id: Option<String>,
}

/// Shows no secret.
impl fmt::Debug for DevelopmentKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("DevelopmentKey").field("id", &self.id).finish_non_exhaustive()
    }
}

impl DevelopmentKey {
    /// A new random key.
    pub fn random(entropy: &dyn Entropy) -> Self {
        let mut secret = vec![0; 32];
        entropy.fill(&mut secret);
        Self { secret, id: Some(KEY_ID.to_owned()) }
    }

    /// The first secret key of a file with JSON Web Keys.
    pub fn read(text: &str) -> Result<Self, KeyFileError> {
        // The file must be one that a server takes.
        super::key_file::CallerKeys::read(text)?;
        let json: Option<Json> = text.parse().ok();
        let keys = json.iter().flat_map(|json| match json.get("keys").and_then(Json::as_list) {
            Some(keys) => keys.to_vec(),
            None => vec![json.clone()],
        });
        let text = |json: &Json, name: &str| json.get(name).and_then(Json::as_text).map(str::to_owned);
        let secrets = keys.filter(|json| text(json, "kty").as_deref() == Some("oct"));
        let found = secrets.filter_map(|json| {
            let secret = URL_SAFE_NO_PAD.decode(text(&json, "k")?).ok()?;
            Some(Self { secret, id: text(&json, "kid") })
        });
        { found }.next().ok_or_else(KeyFileError::no_secret)
    }

    /// The file with this key, which `singlet serve --caller-keys` takes.
    pub fn to_file(&self) -> String {
        let mut key = vec![
            ("kty".to_owned(), Json::from("oct")),
            ("alg".to_owned(), "HS256".into()),
            ("use".to_owned(), "sig".into()),
        ];
        key.extend(self.id.iter().map(|id| ("kid".to_owned(), Json::from(id.as_str()))));
        key.push(("k".to_owned(), URL_SAFE_NO_PAD.encode(&self.secret).into()));
        format!("{}\n", Json::from([("keys", Json::List(vec![Json::Object(key)]))]))
    }

    /// A token for a caller, from one second since 1970 to another. `more` are further claims.
    pub fn token(&self, caller: &Caller, from: i64, until: i64, more: &[(&str, &str)]) -> Option<String> {
        let mut header = vec![("alg".to_owned(), Json::from("HS256")), ("typ".to_owned(), "JWT".into())];
        header.extend(self.id.iter().map(|id| ("kid".to_owned(), Json::from(id.as_str()))));
        let mut claims = vec![
            ("sub".to_owned(), Json::from(caller.id().unwrap_or_default())),
            ("iat".to_owned(), from.into()),
            ("exp".to_owned(), until.into()),
        ];
        claims.extend(more.iter().map(|(name, value)| ((*name).to_owned(), Json::from(*value))));
        if !caller.roles().is_empty() {
            let roles = caller.roles().iter().map(|role| Json::from(role.as_str())).collect();
            claims.push(("roles".to_owned(), Json::List(roles)));
        }
        let part = |members| URL_SAFE_NO_PAD.encode(Json::Object(members).to_string());
        let message = format!("{}.{}", part(header), part(claims));
        let key = EncodingKey::from_secret(&self.secret);
        let signature = jsonwebtoken::crypto::sign(message.as_bytes(), &key, Algorithm::HS256).ok()?;
        Some(format!("{message}.{signature}"))
    }
}
