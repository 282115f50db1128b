//! Errors of patterns as problems. They tell nothing about tables, keys and conditions.

use axum::http::Method;
use singlet_run::{RunError, WrongParameter};
use singlet_store::StoreError;

use crate::endpoint::{CURSOR, Endpoint, LIMIT, Place};
use crate::problem::{Fault, Problem, ProblemKind};

/// Between the names of parameters of which one is needed.
const SEVERAL: &str = "`, `";

/// The problem that an error of a pattern is for its caller.
pub(crate) fn problem(endpoint: &Endpoint, error: RunError) -> Problem {
    use ProblemKind as Kind;
    match error {
        RunError::Parameter { parameter, reason } => {
            of_parameter(endpoint, WrongParameter { parameter, reason })
        }
        RunError::Parameters { wrong, .. } => Problem::of(faults(endpoint, wrong)),
        RunError::Exists { entity } => {
            Problem::new(Kind::AlreadyExists, format!("this {entity} exists already"))
        }
        RunError::Missing { entity } => {
            // A new item can't be missing, nor one that isn't the path's: something beside it is.
            let is_own = endpoint.pattern.entities().iter().any(|known| known.name == entity);
            let is_found = endpoint.method != Method::POST && is_own;
            let kind = if is_found { Kind::NotFound } else { Kind::ConditionFailed };
            let subject = if is_own { format!("this {entity}") } else { entity };
            Problem::new(kind, format!("{subject} doesn't exist"))
        }
        RunError::NotUnique { entity, field } => {
            let detail = format!("another {entity} has this {field}");
            let fault = |name: &str| Fault::new(endpoint.place(name), name, "is taken");
            let names =
                field.split(',').map(str::trim).filter(|name| endpoint.pattern.parameter(name).is_some());
            Problem { faults: names.map(fault).collect(), ..Problem::new(Kind::NotUnique, detail) }
        }
        RunError::NoReference { field, entity, value } => {
            let reason = format!("names the {entity} `{value}`, which doesn't exist");
            let fault = Fault::new(endpoint.place(&field), field, reason);
            let detail = format!("the {entity} `{value}` doesn't exist");
            Problem { faults: vec![fault], ..Problem::new(Kind::MissingReference, detail) }
        }
        RunError::Condition { .. } => {
            Problem::new(Kind::ConditionFailed, "the item isn't in the state that this call requires")
        }
        RunError::Cursor(reason) => {
            let fault = Fault::new(Place::Query, CURSOR, reason);
            Problem {
                faults: vec![fault],
                ..Problem::new(Kind::InvalidCursor, format!("the cursor {reason}"))
            }
        }
        RunError::Contention { .. } => {
            Problem::new(Kind::Busy, "others kept changing the same item: try again")
        }
        RunError::Limit(_) => Problem::new(
            Kind::LimitReached,
            "the call would pass a limit: too many changes, the same item twice, or a list that is full",
        ),
        RunError::Unsupported { .. } => {
            Problem::new(Kind::Unsupported, "the database can't do what this call needs")
        }
        RunError::NoCaller => {
            Problem::new(Kind::Unauthenticated, "this call needs a caller who says who they are")
        }
        RunError::Forbidden { .. } => Problem::new(Kind::Forbidden, "the caller may not make this call"),
        RunError::NoPattern { .. } | RunError::Internal { .. } => {
            Problem::new(Kind::NotFound, "there is nothing at this path")
        }
        RunError::Store(error) => of_store(endpoint, error),
        RunError::Fault(reason) => {
            tracing::error!(pattern = endpoint.pattern.name, reason, "a pattern failed");
            Problem::new(Kind::Internal, "the server failed to answer the request")
        }
    }
}

/// The problem that ends a live answer.
pub(crate) fn of_live(error: RunError) -> Problem {
    match error {
        RunError::Store(_) | RunError::Contention { .. } => {
            Problem::new(ProblemKind::Busy, "the database can't be used at the moment")
        }
        _ => Problem::new(ProblemKind::NotFound, "the answer can't be read any more"),
    }
}

/// The problem of one wrong parameter. Under a name that callers can't give, it is a value that the data would get.
fn of_parameter(endpoint: &Endpoint, wrong: WrongParameter) -> Problem {
    if wrong.parameter.contains(SEVERAL) {
        let fault = |name: &str| Fault::new(endpoint.place(name), name, wrong.reason.as_str());
        let faults = wrong.parameter.split(SEVERAL).map(fault).collect();
        return Problem { faults, ..Problem::new(ProblemKind::InvalidRequest, wrong.to_string()) };
    }
    let name = wrong.parameter.split(['.', '[']).next().unwrap_or_default();
    let is_known = endpoint.pattern.parameter(name).is_some() || endpoint.takes_limit() && name == LIMIT;
    match is_known {
        true => Problem::of(faults(endpoint, vec![wrong])),
        false => Problem::new(ProblemKind::LimitReached, wrong.to_string()),
    }
}

fn of_store(endpoint: &Endpoint, error: StoreError) -> Problem {
    use ProblemKind as Kind;
    let pattern = endpoint.pattern.name.as_str();
    match error {
        StoreError::ConditionFailed { .. } | StoreError::Cancelled { .. } => {
            Problem::new(Kind::ConditionFailed, "the item isn't in the state that this call requires")
        }
        StoreError::TryAgain(_) => Problem::new(Kind::Throttled, "the database is busy: try again"),
        StoreError::Refused(reason) => {
            tracing::debug!(pattern, reason, "the database refused a request");
            Problem::new(Kind::TooLarge, "the database refuses values of this size or form")
        }
        StoreError::NotFound(reason) | StoreError::Unavailable(reason) => {
            tracing::warn!(pattern, reason, "the database can't be used");
            Problem::new(Kind::Busy, "the database can't be used at the moment")
        }
    }
}

/// The wrong parameters with the places where the caller gave them.
pub(crate) fn faults(endpoint: &Endpoint, wrong: Vec<WrongParameter>) -> Vec<Fault> {
    let fault = |wrong: WrongParameter| {
        let name = wrong.parameter.split(['.', '[']).next().unwrap_or_default();
        let place = if name == LIMIT && endpoint.takes_limit() { Place::Query } else { endpoint.place(name) };
        // A name that nobody knows may have dots of its own.
        let is_path = endpoint.pattern.parameter(name).is_some();
        let place = if is_path || name == LIMIT { place } else { endpoint.place(&wrong.parameter) };
        Fault { place, parameter: wrong.parameter, reason: wrong.reason, is_path }
    };
    wrong.into_iter().map(fault).collect()
}
