//! AWS Signature Version 4, which proves the sender of a request and that it wasn't changed.

mod canonical;
mod credentials;
mod error;
mod escape;
mod presented;
mod query;
mod timestamp;
mod verify;

pub use credentials::{ACCESS_KEY_VARIABLE, AccessKey, Credentials, CredentialsError, SECRET_KEY_VARIABLE};
pub(crate) use verify::{Access, Verifier, check_form};
