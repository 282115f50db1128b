//! The access keys that the server knows.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use serde::Deserialize;

/// The environment variable with the access key's id.
pub const ACCESS_KEY_VARIABLE: &str = "SINGLET_ACCESS_KEY_ID";
/// The environment variable with the access key's secret.
pub const SECRET_KEY_VARIABLE: &str = "SINGLET_SECRET_ACCESS_KEY";

/// One access key.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccessKey {
    pub(super) secret: String,
    #[serde(default)]
    pub(super) session_token: Option<String>,
    #[serde(default)]
    pub(super) read_only: bool,
}

impl AccessKey {
    /// A key that may read and write.
    pub fn new(secret: impl Into<String>) -> Self {
        Self { secret: secret.into(), session_token: None, read_only: false }
    }

    /// The same key with read access only.
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// The same key, valid only with this session token.
    pub fn with_session_token(mut self, token: impl Into<String>) -> Self {
        self.session_token = Some(token.into());
        self
    }
}

impl fmt::Debug for AccessKey {
    /// Omits the secrets, so that no log can show them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessKey").field("read_only", &self.read_only).finish_non_exhaustive()
    }
}

/// All access keys, by id. There is at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    pub(super) keys: HashMap<String, AccessKey>,
}

/// The credentials file: a table for each key.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    key: HashMap<String, AccessKey>,
}

impl Credentials {
    /// One key.
    pub fn of(id: impl Into<String>, key: AccessKey) -> Self {
        Self { keys: HashMap::from([(id.into(), key)]) }
    }

    /// The same keys and one more.
    pub fn and(mut self, id: impl Into<String>, key: AccessKey) -> Self {
        self.keys.insert(id.into(), key);
        self
    }

    /// Reads a credentials file.
    pub fn from_file(path: &Path) -> Result<Self, CredentialsError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| CredentialsError::Unreadable { path: path.display().to_string(), error })?;
        warn_if_others_can_read(path);
        Self::from_toml(&text)
            .map_err(|reason| CredentialsError::Malformed { path: path.display().to_string(), reason })
    }

    /// The key in the environment variables, if they are set. `variable` looks a variable up.
    pub fn from_environment(
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, CredentialsError> {
        let value = |name| variable(name).filter(|value| !value.is_empty());
        match (value(ACCESS_KEY_VARIABLE), value(SECRET_KEY_VARIABLE)) {
            (Some(id), Some(secret)) => Ok(Some(Self::of(id, AccessKey::new(secret)))),
            (None, None) => Ok(None),
            (Some(_), None) => Err(CredentialsError::HalfSet(ACCESS_KEY_VARIABLE, SECRET_KEY_VARIABLE)),
            (None, Some(_)) => Err(CredentialsError::HalfSet(SECRET_KEY_VARIABLE, ACCESS_KEY_VARIABLE)),
        }
    }

    fn from_toml(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| match error.span() {
            // Only the message: toml's full report quotes the line, which may contain a secret.
            Some(span) => format!("line {}: {}", line_of(text, span.start), error.message()),
            None => error.message().to_owned(),
        })?;
        if file.key.is_empty() {
            return Err("it names no key".to_owned());
        }
        if let Some((id, _)) = file.key.iter().find(|(id, key)| id.is_empty() || key.secret.is_empty()) {
            return Err(format!("the key '{id}' has an empty id or secret"));
        }
        Ok(Self { keys: file.key })
    }
}

/// An easy mistake that is seldom noticed.
fn warn_if_others_can_read(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map_or(0, |metadata| metadata.permissions().mode());
        if mode & 0o077 != 0 {
            tracing::warn!(path = %path.display(), "others can read the credentials file: chmod 600 it");
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|&byte| byte == b'\n').count() + 1
}

/// Why there are no usable credentials.
#[derive(Debug, thiserror::Error)]
pub enum CredentialsError {
    /// The file can't be read.
    #[error("can't read the credentials file {path}: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// The system's error.
        error: std::io::Error,
    },
    /// The file isn't a credentials file.
    #[error(
        "the credentials file {path} is not well formed: {reason}. It needs a table for each key:\n\n  \
         [key.AKIDEXAMPLE]\n  secret = \"…\"\n  read_only = true   # may be left out"
    )]
    Malformed {
        /// The file.
        path: String,
        /// The problem, without quoting the file.
        reason: String,
    },
    /// One of the two environment variables is set without the other.
    #[error("{0} is set but {1} is not: set both, or neither")]
    HalfSet(&'static str, &'static str),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_several_keys_with_their_rights() {
        let text = "[key.AKIDWRITER]\nsecret = \"w\"\n\n[key.AKIDREADER]\nsecret = \"r\"\nread_only = true\n\
                    [key.ASIASESSION]\nsecret = \"s\"\nsession_token = \"t\"\n";
        let expected = Credentials::of("AKIDWRITER", AccessKey::new("w"))
            .and("AKIDREADER", AccessKey::new("r").read_only())
            .and("ASIASESSION", AccessKey::new("s").with_session_token("t"));
        assert_eq!(Credentials::from_toml(text), Ok(expected));
    }

    #[test]
    fn a_misspelt_right_is_refused_rather_than_ignored() {
        let error = Credentials::from_toml("[key.A]\nsecret = \"s\"\nreadonly = true\n").unwrap_err();
        assert!(error.contains("readonly"), "{error}");
    }

    #[test]
    fn an_error_never_shows_a_secret() {
        let error = Credentials::from_toml("[key.A]\nsecret = \"hunter2\nread_only = true").unwrap_err();
        assert!(error.starts_with("line 2"), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
        assert!(!format!("{:?}", AccessKey::new("hunter2")).contains("hunter2"));
    }

    #[test]
    fn a_file_without_keys_is_refused() {
        assert!(Credentials::from_toml("").is_err());
        assert!(Credentials::from_toml("[key.A]\nsecret = \"\"").is_err());
    }

    #[test]
    fn the_environment_gives_both_halves_or_none() {
        let environment = |set: &[(&'static str, &'static str)]| {
            let set = set.to_vec();
            Credentials::from_environment(move |name| {
                set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(environment(&[]).unwrap(), None);
        let both = environment(&[(ACCESS_KEY_VARIABLE, "A"), (SECRET_KEY_VARIABLE, "s")]).unwrap();
        assert_eq!(both, Some(Credentials::of("A", AccessKey::new("s"))));
        assert!(environment(&[(ACCESS_KEY_VARIABLE, "A")]).is_err());
        assert!(environment(&[(SECRET_KEY_VARIABLE, "s"), (ACCESS_KEY_VARIABLE, "")]).is_err());
    }
}
