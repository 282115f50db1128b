//! AWS Signature Version 4: who sent a request, and that nobody changed it on the way.

mod canonical;
mod credentials;
mod error;
mod presented;
mod query;
mod timestamp;
mod verify;

pub use credentials::{ACCESS_KEY_VARIABLE, AccessKey, Credentials, CredentialsError, SECRET_KEY_VARIABLE};
pub(crate) use verify::{Access, Verifier, check_form};
