//! Which environment a design is applied to or run in.

use singlet_design::{Design, Environment};

/// Why there is no environment to work in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvironmentError {
    /// The design has no such environment.
    #[error("{design} has no environment {name}; it has {known}")]
    Unknown {
        /// The design.
        design: String,
        /// The requested environment.
        name: String,
        /// Those it has.
        known: String,
    },
    /// The design has several and none is the default.
    #[error("{design} has several environments and none is the default: say which of {known}")]
    NotSaid {
        /// The design.
        design: String,
        /// Those it has.
        known: String,
    },
    /// A name that can't stand in a table's name.
    #[error("{0:?} can't be an environment: use letters, digits, hyphens, dots and underscores")]
    Name(String),
}

/// The environment that was asked for; else the default one, or the only one. A design that names no environments
/// takes any name, and keeps its tables except in `dev`.
pub fn choose_environment(design: &Design, asked: Option<&str>) -> Result<Environment, EnvironmentError> {
    let known = || design.environments.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", ");
    if design.environments.is_empty() {
        return unnamed(asked.unwrap_or(Environment::DEFAULT_NAME));
    }
    let found = match asked {
        Some(name) => design.environments.iter().find(|one| one.name == name).ok_or_else(|| {
            EnvironmentError::Unknown { design: design.name.clone(), name: name.to_owned(), known: known() }
        }),
        None => match design.environments.as_slice() {
            [only] => Ok(only),
            several => several
                .iter()
                .find(|one| one.default)
                .ok_or_else(|| EnvironmentError::NotSaid { design: design.name.clone(), known: known() }),
        },
    };
    found.cloned()
}

fn unnamed(name: &str) -> Result<Environment, EnvironmentError> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    if name.is_empty() || !name.bytes().all(fits) {
        return Err(EnvironmentError::Name(name.to_owned()));
    }
    Ok(Environment { default: true, ..Environment::new(name) })
}
