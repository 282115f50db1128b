//! Statements of PartiQL as requests of the engine: the common part of `ExecuteStatement`, `BatchExecuteStatement` and
//! `ExecuteTransaction`.

mod member;
mod next_token;
mod pages;
mod permission;
mod prepared;
mod statement_write;

pub(crate) use member::{StatementMember, check_member, parameters};
pub(crate) use next_token::{NextToken, fingerprint};
pub(crate) use pages::{PageOptions, SelectedPage, read_page};
pub(crate) use prepared::Prepared;
pub(crate) use statement_write::{StatementWrite, Submitted};
