//! Why a pattern did not run.

use std::fmt;

use singlet_design::Pattern;
use singlet_store::{Feature, StoreError};

/// Why a pattern did not run; the variant says what to do next.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RunError {
    /// The design has no such pattern.
    #[error("there is no pattern `{name}`{}", nearest.as_ref().map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
    NoPattern {
        /// The requested name.
        name: String,
        /// The nearest name.
        nearest: Option<String>,
    },
    /// The pattern is a step of others.
    #[error("`{name}` is internal and can't be run by itself{}", if users.is_empty() { String::new() } else { format!(": it is a step of {}", users.join(", ")) })]
    Internal {
        /// The pattern.
        name: String,
        /// The patterns that run it.
        users: Vec<String>,
    },
    /// The call needs a caller, and there is none.
    #[error("this call needs a caller who says who they are")]
    NoCaller,
    /// The caller may not run the pattern.
    #[error("the caller may not run `{pattern}`")]
    Forbidden {
        /// The pattern.
        pattern: String,
    },
    /// A parameter is missing, unknown or doesn't fit.
    #[error("`{parameter}` {reason}")]
    Parameter {
        /// Which.
        parameter: String,
        /// The fault, to be read after its name.
        reason: String,
    },
    /// Several parameters are missing, unknown or don't fit.
    #[error("{} parameters of {pattern} are wrong:{}", wrong.len(), lines(wrong))]
    Parameters {
        /// The pattern.
        pattern: String,
        /// All of them.
        wrong: Vec<WrongParameter>,
    },
    /// What `create` would write is there already.
    #[error("{entity} is there already")]
    Exists {
        /// What.
        entity: String,
    },
    /// The item or part to change isn't there.
    #[error("{entity} isn't there")]
    Missing {
        /// What.
        entity: String,
    },
    /// Another item holds the value of a unique field.
    #[error("another {entity} has this {field}")]
    NotUnique {
        /// What.
        entity: String,
        /// The field, or fields joined with commas.
        field: String,
    },
    /// The item that a field refers to isn't there.
    #[error("`{field}`: there is no {entity} `{value}`")]
    NoReference {
        /// The field.
        field: String,
        /// The entity that it refers to.
        entity: String,
        /// Its value.
        value: String,
    },
    /// The pattern's condition did not hold.
    #[error("the condition of {pattern} did not hold: {condition}")]
    Condition {
        /// Which pattern or step.
        pattern: String,
        /// As it was written.
        condition: String,
    },
    /// The cursor is damaged, made up, or belongs to another pattern, other parameters or another key.
    #[error("the cursor {0}")]
    Cursor(&'static str),
    /// Others kept changing the same item.
    #[error("others kept changing {entity}: {attempts} attempts failed; try again later")]
    Contention {
        /// What.
        entity: String,
        /// How often it was tried.
        attempts: u32,
    },
    /// The store can't do what the pattern needs.
    #[error("{pattern} needs {feature:?}, which {store} doesn't have")]
    Unsupported {
        /// The pattern.
        pattern: String,
        /// The missing feature.
        feature: Feature,
        /// The store.
        store: String,
    },
    /// The request passes a limit: too many items, an item too large.
    #[error("{0}")]
    Limit(String),
    /// A fault of Singlet itself.
    #[error("this is a fault of Singlet, please report it: {0}")]
    Fault(&'static str),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RunError {
    /// The error of a call with wrong parameters, of which there is at least one.
    pub fn of(pattern: &Pattern, mut wrong: Vec<WrongParameter>) -> RunError {
        match (wrong.len(), wrong.pop()) {
            (1, Some(WrongParameter { parameter, reason })) => RunError::Parameter { parameter, reason },
            (_, last) => {
                wrong.extend(last);
                RunError::Parameters { pattern: pattern.name.clone(), wrong }
            }
        }
    }
}

/// A parameter that is missing, unknown or doesn't fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongParameter {
    /// Which.
    pub parameter: String,
    /// The fault, to be read after its name.
    pub reason: String,
}

impl fmt::Display for WrongParameter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` {}", self.parameter, self.reason)
    }
}

fn lines(wrong: &[WrongParameter]) -> String {
    wrong.iter().map(|wrong| format!("\n  {wrong}")).collect()
}
