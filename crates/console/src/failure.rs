//! Why a page can't be shown, in words.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::html;
use singlet_store::StoreError;

use crate::layout::{Frame, Section};
use crate::link::Link;
use crate::text::Visible;

/// Why a page can't be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    status: StatusCode,
    title: &'static str,
    reason: String,
}

impl Failure {
    /// There is nothing of this name.
    pub(crate) fn not_found(kind: &str, name: &str) -> Failure {
        Failure {
            status: StatusCode::NOT_FOUND,
            title: "Not found",
            reason: format!("There is no {kind} “{name}”."),
        }
    }

    /// The address or the form asks for something impossible.
    pub(crate) fn wrong(reason: impl Into<String>) -> Failure {
        Failure { status: StatusCode::BAD_REQUEST, title: "This can't be shown", reason: reason.into() }
    }

    /// The caller may not do this.
    pub(crate) fn forbidden(reason: impl Into<String>) -> Failure {
        Failure { status: StatusCode::FORBIDDEN, title: "Refused", reason: reason.into() }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        let status = match error {
            StoreError::NotFound(_) => StatusCode::NOT_FOUND,
            StoreError::TryAgain(_) | StoreError::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            StoreError::Refused(_) | StoreError::ConditionFailed { .. } | StoreError::Cancelled { .. } => {
                StatusCode::BAD_REQUEST
            }
        };
        Failure { status, title: "The database refused", reason: error.to_string() }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let frame = Frame {
            designs: Vec::new(),
            design: None,
            section: Section::Elsewhere,
            title: self.title.to_owned(),
        };
        let body = html! {
            div.empty {
                h1 { (self.title) }
                p { (Visible(&self.reason)) }
                p { a.button href=(Link::overview()) { "Back to the overview" } }
            }
        };
        (self.status, frame.page(body)).into_response()
    }
}
