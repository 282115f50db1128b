//! Going to other moments, and bringing items, collections and tables back.

mod collection;
mod item;
mod recovery;

use axum::extract::{Path, Query, State};
use axum::response::Redirect;
use singlet_store::History;
use std::sync::Arc;

use crate::console::Console;
use crate::failure::Failure;
use crate::link::{Link, Pairs};
use crate::visit::{moment, named};

pub(crate) use collection::{compare, restore as restore_collection};
pub(crate) use item::{restore as restore_item, show as restore_item_form};
pub(crate) use recovery::{act, show as recovery};

/// Leads to a page at another moment.
pub(crate) async fn at<S: History>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    Query(pairs): Query<Pairs>,
) -> Result<Redirect, Failure> {
    let served = console.served(&design)?;
    let value =
        |name: &str| pairs.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text.as_str());
    let page = value("page");
    let is_page = page.starts_with("data/") && page.bytes().all(|byte| byte.is_ascii_graphic());
    let page = if is_page { page } else { "data/" };
    let wrong = || Failure::wrong("A moment is a time in UTC, such as 2026-11-17T10:00:00.");
    let at_ms = moment(value("to")).ok_or_else(wrong)?;
    Ok(Redirect::to(&Link::below(&named(served.name(), Some(at_ms)), page)))
}
