//! How a server knows its callers.

use std::fs;

use singlet_api::{Authority, CallerKeys};

use crate::arguments::CallerArguments;
use crate::failure::Failure;

/// The authority that the arguments describe.
pub(crate) fn authority(arguments: &CallerArguments) -> Result<Authority, Failure> {
    let Some(file) = &arguments.keys else { return Ok(Authority::of_this_machine()) };
    let place = |reason: &dyn std::fmt::Display| Failure::Refused(format!("{}: {reason}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| place(&error))?;
    let mut authority = Authority::of_keys(CallerKeys::read(&text).map_err(|error| place(&error))?);
    if let Some(issuer) = &arguments.issuer {
        authority = authority.with_issuer(issuer);
    }
    if let Some(audience) = &arguments.audience {
        authority = authority.with_audience(audience);
    }
    Ok(authority)
}
