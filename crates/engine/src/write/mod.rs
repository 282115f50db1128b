//! Writes: prepared on the caller's thread, decided and applied on the single writer.

mod action;
mod change;
mod collection;
mod in_flight;
mod job;
mod maintenance;
mod schema;
mod single;
mod streams;
mod token;
mod transact;

pub(crate) use action::{Action, encode_key};
pub(crate) use in_flight::{Claim, Clash, InFlight};
pub(crate) use job::{Job, Writer};
pub(crate) use maintenance::Progress;
pub(crate) use single::Reply;
pub(crate) use token::Token;
pub(crate) use transact::{Transaction, reason};

use crate::catalogue::Catalogue;

/// The mark of commits that remove items because their time to live was over.
pub(crate) const MARK_EXPIRY: u32 = 1;

/// The part of a commit that one job makes.
pub(crate) type Batch<'a> = crate::store::Batch<'a, Catalogue>;
