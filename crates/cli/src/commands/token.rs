//! `singlet token`.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use singlet_api::DevelopmentKey;
use singlet_run::{Caller, SystemEntropy};
use singlet_store::{Clock, SystemClock};

use crate::arguments::TokenArguments;
use crate::failure::Failure;

/// Prints a token for development.
pub(crate) fn token(arguments: &TokenArguments) -> Result<(), Failure> {
    let key = key(&arguments.keys)?;
    let now = i64::try_from(SystemClock.now_ms() / 1000).unwrap_or(i64::MAX);
    let caller = Caller::new(&arguments.caller).with_roles(&arguments.role);
    let named = [("iss", &arguments.issuer), ("aud", &arguments.audience)];
    let more: Vec<(&str, &str)> =
        named.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?))).collect();
    let until = now.saturating_add(arguments.expires.into());
    let token = key.token(&caller, now, until, &more);
    let token = token.ok_or_else(|| Failure::Refused("the key can't sign".to_owned()))?;
    writeln!(io::stdout(), "{token}")?;
    Ok(())
}

/// The key of a file, which is made if it isn't there, readable by its owner only.
fn key(file: &Path) -> Result<DevelopmentKey, Failure> {
    let failed = |reason: io::Error| Failure::Refused(format!("{}: {reason}", file.display()));
    match fs::read_to_string(file) {
        Ok(text) => DevelopmentKey::read(&text)
            .map_err(|error| Failure::Refused(format!("{}: {error}", file.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let key = DevelopmentKey::random(&SystemEntropy::default());
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut made = options.open(file).map_err(failed)?;
            made.write_all(key.to_file().as_bytes()).and_then(|()| made.sync_all()).map_err(failed)?;
            Ok(key)
        }
        Err(error) => Err(failed(error)),
    }
}
