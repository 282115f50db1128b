//! The callers: tokens, their keys, and the header with which a developer says who to be.

mod authority;
mod development;
mod key_file;
mod named;
mod token;

pub use authority::Authority;
pub use development::DevelopmentKey;
pub use key_file::{CallerKeys, KeyFileError};
