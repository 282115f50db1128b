//! `Singlet-As: mai; role=admin`: a developer says who to be.

use axum::http::{HeaderMap, HeaderName};
use singlet_run::Caller;

/// The header.
pub(crate) const SINGLET_AS: HeaderName = HeaderName::from_static("singlet-as");

/// The caller whom the header names; `None` without it, and an error if it can't be read.
pub(super) fn named(headers: &HeaderMap) -> Result<Option<Caller>, &'static str> {
    let mut given = headers.get_all(SINGLET_AS).iter();
    let Some(first) = given.next() else { return Ok(None) };
    if given.next().is_some() {
        return Err("is given twice");
    }
    let text = std::str::from_utf8(first.as_bytes()).map_err(|_| "isn't UTF-8")?;
    let mut parts = text.split(';').map(str::trim);
    let id = parts.next().filter(|id| !id.is_empty()).ok_or("names nobody")?;
    let role = |part: &str| part.strip_prefix("role=").map(|role| role.trim().to_owned());
    let roles: Option<Vec<String>> = parts.map(role).collect();
    let roles = roles.ok_or("must be an id, and roles such as `; role=admin`")?;
    Ok(Some(Caller::new(id).with_roles(roles)))
}
