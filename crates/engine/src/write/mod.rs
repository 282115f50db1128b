//! Writes: prepared on the caller's thread, decided and applied on the single writer.

mod action;
mod change;
mod collection;
mod in_flight;
mod job;
mod maintenance;
mod schema;
mod single;
mod token;
mod transact;

pub(crate) use action::{Action, encode_key};
pub(crate) use in_flight::{Claim, Clash, InFlight};
pub(crate) use job::{Job, Writer};
pub(crate) use maintenance::Progress;
pub(crate) use single::Reply;
pub(crate) use token::{Token, decode as decode_token};
pub(crate) use transact::{Transaction, reason};

use crate::catalogue::Catalogue;

/// The part of a commit that one job makes.
pub(crate) type Batch<'a> = crate::store::Batch<'a, Catalogue>;
