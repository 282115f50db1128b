//! The pages of items: of an entity, of a table, of one partition, and single ones.
//!
//! Each page makes a bounded number of requests, whatever the size of the table.

mod collection;
mod contents;
mod item;
mod list;
mod read;

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Html;
use maud::{Markup, html};
use singlet_store::Store;

use crate::console::{Console, Permission, Served};
use crate::failure::Failure;
use crate::icon::Icon;
use crate::layout::Section;
use crate::link::{Link, Pairs};
use crate::notice::notice;
use crate::parts::{entity_tag, heading};
use read::Place;
pub(crate) use read::{ItemKey, item as read_item, item_key};

/// Shows where items are: the entities, the tables, and a form that opens a partition.
pub(crate) async fn contents<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
) -> Result<Html<String>, Failure> {
    let served = console.served(&design)?;
    let tables = contents::counted(served).await;
    let frame = console.frame(Some(served), Section::Data, "Data");
    Ok(frame.page(html! {
        (heading(&html! { "Data" }, Some("The items, by entity, by table, and by partition.")))
        (contents::content(served, &tables))
    }))
}

/// Shows items of one entity.
pub(crate) async fn entity<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path((design, entity)): Path<(String, String)>,
    Query(pairs): Query<Pairs>,
) -> Result<Html<String>, Failure> {
    let served = console.served(&design)?;
    let entity = served.entity(&entity)?;
    let found = read::of_entity(served, entity, read::start(&pairs)?).await?;
    let frame = console.frame(Some(served), Section::Data, &entity.name);
    let base = Link::entity(served.name(), &entity.name);
    Ok(frame.page(html! {
        (trail(served, &[]))
        (notice(&pairs))
        header.heading {
            h1 { (entity_tag(served.design(), &entity.name)) }
            @if console.permission == Permission::Write {
                p.actions { a.button href=(Link::create(served.name(), &entity.name)) { (Icon::Add) "New item" } }
            }
            @if let Some(about) = &entity.about { p.about { (about) } }
        }
        (list::of_entity(served.design(), entity, &found, &base))
    }))
}

/// Shows items of a table as they are.
pub(crate) async fn table<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path((design, table)): Path<(String, String)>,
    Query(pairs): Query<Pairs>,
) -> Result<Html<String>, Failure> {
    let served = console.served(&design)?;
    let table = served.table(&table)?;
    let found = read::of_table(served, table, read::start(&pairs)?).await?;
    let frame = console.frame(Some(served), Section::Data, &table.label);
    let base = Link::table(served.name(), table);
    Ok(frame.page(html! {
        (trail(served, &[]))
        (heading(
            &html! { "Table " code { (served.table_name(table)) } },
            Some("All items, in the order of their partitions."),
        ))
        (list::raw(served.design(), table, &found, &base))
    }))
}

/// Shows the items of one partition in the order of their sort keys; without a key, the form that asks for it.
pub(crate) async fn collection<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    Query(pairs): Query<Pairs>,
) -> Result<Html<String>, Failure> {
    let served = console.served(&design)?;
    let frame = console.frame(Some(served), Section::Data, "Partition");
    let Some(place) = Place::of(served, &pairs)? else {
        return Ok(frame.page(html! {
            (trail(served, &[]))
            (heading(&html! { "Open a partition" }, None))
            (contents::partition_form(served.design()))
        }));
    };
    let found = read::of_partition(served, &place, read::start(&pairs)?).await?;
    Ok(frame.page(html! {
        (trail(served, &[(Link::table(served.name(), place.table), &served.table_name(place.table))]))
        (collection::content(served.design(), &place, &found))
    }))
}

/// Shows one item.
pub(crate) async fn item<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    Query(pairs): Query<Pairs>,
) -> Result<Html<String>, Failure> {
    let served = console.served(&design)?;
    let key = read::item_key(served, &pairs)?;
    let found = read::item(served, &key).await?;
    let frame = console.frame(Some(served), Section::Data, "Item");
    Ok(frame.page(html! {
        (trail(served, &[(Link::table(served.name(), key.table), &served.table_name(key.table))]))
        (notice(&pairs))
        (item::content(served.design(), &key, found.as_ref(), console.permission))
    }))
}

/// The path to a page of items.
pub(crate) fn trail<S: Store>(served: &Served<S>, more: &[(Link, &str)]) -> Markup {
    html! {
        nav.trail aria-label="Path" {
            a href=(Link::data(served.name())) { "Data" }
            @for (link, name) in more { a href=(link) { (name) } }
        }
    }
}
