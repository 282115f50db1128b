//! Memory for large answers, asked for before the answers are made.

use std::future::Future;
use std::pin::Pin;

use singlet_engine::{ITEM_BYTES_MAX, PAGE_BYTES_MAX, RETURNED_BYTES_MAX};

use crate::error::Failure;

/// An item that a write returns is written as JSON into a buffer of twice its size.
const WRITE_COPIES: usize = 2;
/// While a page or the reasons of a cancelled transaction are written, the stored bytes are there as well.
const LIST_COPIES: usize = 3;

/// Where an operation asks for the memory that its answer may need. A server that serves many clients at once decides here
/// which of them may make a large answer now.
pub trait AnswerRoom: Sync {
    /// Takes room for an answer of up to so many bytes, if there is room now.
    fn try_reserve(&self, bytes: usize) -> bool;

    /// Waits for that room. `false` after the time that a request may wait.
    fn reserve(&self, bytes: usize) -> Pin<Box<dyn Future<Output = bool> + Send + '_>>;
}

/// Room for every answer.
#[derive(Debug, Clone, Copy)]
pub struct Unlimited;

impl AnswerRoom for Unlimited {
    fn try_reserve(&self, _bytes: usize) -> bool {
        true
    }

    fn reserve(&self, _bytes: usize) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(std::future::ready(true))
    }
}

/// Reserves room for the answer to a write that may return the item it meets or makes.
pub(crate) async fn for_written_item(room: &dyn AnswerRoom, returns_item: bool) -> Result<(), Failure> {
    if returns_item { take(room, WRITE_COPIES * ITEM_BYTES_MAX).await } else { Ok(()) }
}

/// Reserves room for the reasons of a transaction of which so many actions return the item that they meet.
pub(crate) async fn for_reasons(room: &dyn AnswerRoom, returning_actions: usize) -> Result<(), Failure> {
    match returning_actions {
        0 => Ok(()),
        count => take(room, LIST_COPIES * RETURNED_BYTES_MAX.min(count * ITEM_BYTES_MAX)).await,
    }
}

/// Reserves room for a page of a query or scan. Such reads take turns with others, so that many can be half done.
pub(crate) async fn for_page(room: &dyn AnswerRoom) -> Result<(), Failure> {
    take(room, LIST_COPIES * PAGE_BYTES_MAX).await
}

async fn take(room: &dyn AnswerRoom, bytes: usize) -> Result<(), Failure> {
    if room.try_reserve(bytes) || room.reserve(bytes).await { Ok(()) } else { Err(Failure::NoRoom) }
}
