//! Memory for large answers, reserved before the answers are written.

use std::future::Future;
use std::pin::Pin;

use singlet_engine::{ITEM_BYTES_MAX, PAGE_BYTES_MAX, RETURNED_BYTES_MAX};

use crate::error::Failure;

/// The factor for an item that a write returns: its JSON gets a buffer of twice its size.
const WRITE_COPIES: usize = 2;
/// The factor for a page or the reasons of a cancelled transaction: the stored bytes stay in memory meanwhile.
const LIST_COPIES: usize = 3;

/// The memory for an answer. A server with many clients decides here which of them may produce a large answer now.
pub trait AnswerRoom: Sync {
    /// Reserves room for an answer of up to `bytes`, if there is room now.
    fn try_reserve(&self, bytes: usize) -> bool;

    /// Waits for the room. Returns `false` after a request's maximum waiting time.
    fn reserve(&self, bytes: usize) -> Pin<Box<dyn Future<Output = bool> + Send + '_>>;
}

/// Unlimited room.
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

/// Reserves room for the answer to a write that may return the old or the new item.
pub(crate) async fn for_written_item(room: &dyn AnswerRoom, returns_item: bool) -> Result<(), Failure> {
    if returns_item { take(room, WRITE_COPIES * ITEM_BYTES_MAX).await } else { Ok(()) }
}

/// Reserves room for the reasons of a transaction in which `returning_actions` actions return the current item.
pub(crate) async fn for_reasons(room: &dyn AnswerRoom, returning_actions: usize) -> Result<(), Failure> {
    match returning_actions {
        0 => Ok(()),
        count => take(room, LIST_COPIES * RETURNED_BYTES_MAX.min(count * ITEM_BYTES_MAX)).await,
    }
}

/// Reserves room for a page of a query or scan. These reads take turns with others, so many can be unfinished at once.
pub(crate) async fn for_page(room: &dyn AnswerRoom) -> Result<(), Failure> {
    for_pages(room, 1).await
}

/// Reserves room for an answer with the items of several pages.
pub(crate) async fn for_pages(room: &dyn AnswerRoom, pages: usize) -> Result<(), Failure> {
    take(room, LIST_COPIES * PAGE_BYTES_MAX * pages).await
}

/// Reserves room for an answer with several items.
pub(crate) async fn for_items(room: &dyn AnswerRoom, items: usize) -> Result<(), Failure> {
    if items > 0 { take(room, LIST_COPIES * ITEM_BYTES_MAX * items).await } else { Ok(()) }
}

async fn take(room: &dyn AnswerRoom, bytes: usize) -> Result<(), Failure> {
    if room.try_reserve(bytes) || room.reserve(bytes).await { Ok(()) } else { Err(Failure::NoRoom) }
}
