//! One file for each command.

pub(crate) mod apply;
pub(crate) mod backup;
pub(crate) mod backups;
mod bulk;
pub(crate) mod check;
pub(crate) mod compact;
pub(crate) mod demo;
pub(crate) mod describe;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod fmt;
pub(crate) mod import;
pub(crate) mod manual;
pub(crate) mod new;
pub(crate) mod new_key;
pub(crate) mod patterns;
pub(crate) mod recovery;
pub(crate) mod restore;
pub(crate) mod review;
pub(crate) mod rotate_key;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod seed;
pub(crate) mod serve;
pub(crate) mod verify;
