//! Arguments of `singlet token`, and those of a server that takes tokens.

use std::path::PathBuf;

use clap::Args;

pub(super) const TOKEN_NOTES: &str = "\
  singlet token keys.json --as mai --role admin
      prints a token; keys.json is made if it isn't there
  singlet serve designs/social.toml --caller-keys keys.json
  curl -H \"Authorization: Bearer $(singlet token keys.json --as mai)\" http://127.0.0.1:8000/social/users/me/home-feed

The tokens are for development and tests. In production, an identity provider makes them, and the server has its public
keys: docs/callers.md.";

#[derive(Debug, Args)]
pub(crate) struct TokenArguments {
    /// The file with the secret key, as a JSON Web Key Set; it is made if it isn't there
    #[arg(value_name = "FILE")]
    pub(crate) keys: PathBuf,

    /// The caller: the subject of the token
    #[arg(long = "as", value_name = "USER")]
    pub(crate) caller: String,

    /// A role of the caller; may be given several times
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Vec<String>,

    /// How long the token is valid, such as 30s, 15m, 1h or 30d
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = seconds)]
    pub(crate) expires: u32,

    /// The issuer that the token names
    #[arg(long, value_name = "TEXT")]
    pub(crate) issuer: Option<String>,

    /// The audience that the token is for
    #[arg(long, value_name = "TEXT")]
    pub(crate) audience: Option<String>,
}

/// How a server knows its callers.
#[derive(Debug, Args)]
pub(crate) struct CallerArguments {
    /// The keys that verify the tokens of callers: a JSON Web Key Set, or public keys as PEM. With them, the API answers
    /// other machines too; without them, callers on this machine say who they are in the header Singlet-As
    #[arg(long = "caller-keys", value_name = "FILE", requires = "designs")]
    pub(crate) keys: Option<PathBuf>,

    /// The issuer that tokens must name
    #[arg(long = "caller-issuer", value_name = "TEXT", requires = "keys")]
    pub(crate) issuer: Option<String>,

    /// The audience that tokens must be for
    #[arg(long = "caller-audience", value_name = "TEXT", requires = "keys")]
    pub(crate) audience: Option<String>,
}

/// Reads a period such as `15m`.
fn seconds(text: &str) -> Result<u32, String> {
    let refused = || "write a number and s, m, h or d, such as 15m".to_owned();
    let unit = text.chars().last().ok_or_else(refused)?;
    let number = text.strip_suffix(unit).unwrap_or_default();
    let number: u32 = number.parse().map_err(|_| refused())?;
    let factor = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return Err(refused()),
    };
    number.checked_mul(factor).filter(|seconds| *seconds > 0).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_has_a_unit_and_an_end() {
        assert_eq!(seconds("15m"), Ok(900));
        assert_eq!(seconds("30d"), Ok(2_592_000));
        for wrong in ["", "15", "h", "0s", "-1h", "1.5h", "99999999d", "1ä"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
