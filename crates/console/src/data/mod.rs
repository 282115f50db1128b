//! The pages of items: of an entity, of a table, of one partition, and single ones.
//!
//! Each page makes a bounded number of requests, whatever the size of the table.

mod collection;
mod contents;
mod item;
mod list;
mod past;
mod read;

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Html;
use maud::{Markup, html};
use singlet_store::History;

use crate::console::{Console, Permission};
use crate::failure::Failure;
use crate::icon::Icon;
use crate::layout::Section;
use crate::link::{Link, Pairs};
use crate::notice::notice;
use crate::parts::{entity_tag, heading};
use crate::visit::Visit;
pub(crate) use list::item_link;
use past::{bar, since};
pub(crate) use read::{ItemKey, Place, item as read_item, item_at, item_key};

/// Shows where items are: the entities, the tables, and a form that opens a partition.
pub(crate) async fn contents<S: History>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
) -> Result<Html<String>, Failure> {
    let visit = Visit::of(&console, &design)?;
    let served = visit.served;
    let tables = contents::counted(served).await;
    let frame = console.frame(Some(served), Section::Data, "Data");
    let bar = bar(&visit, &served.design().tables, &Link::data(&visit.design.name)).await?;
    Ok(frame.page(html! {
        (bar)
        (heading(&html! { "Data" }, Some("The items, by entity, by table, and by partition.")))
        (contents::content(served, &visit.design, &tables))
    }))
}

/// Shows items of one entity.
pub(crate) async fn entity<S: History>(
    State(console): State<Arc<Console<S>>>,
    Path((design, entity)): Path<(String, String)>,
    Query(pairs): Query<Pairs>,
) -> Result<Html<String>, Failure> {
    let visit = Visit::of(&console, &design)?;
    let served = visit.served;
    let entity = served.entity(&entity)?;
    let found = read::of_entity(&visit, entity, read::start(&pairs)?).await?;
    let frame = console.frame(Some(served), Section::Data, &entity.name);
    let base = Link::entity(&visit.design.name, &entity.name);
    let bar = bar(&visit, std::slice::from_ref(&entity.table), &base).await?;
    Ok(frame.page(html! {
        (bar)
        (trail(&visit.design.name, &[]))
        (notice(&pairs))
        header.heading {
            h1 { (entity_tag(served.design(), &entity.name)) }
            @if console.permission == Permission::Write && visit.at_ms.is_none() {
                p.actions { a.button href=(Link::create(served.name(), &entity.name)) { (Icon::Add) "New item" } }
            }
            @if let Some(about) = &entity.about { p.about { (about) } }
        }
        (list::of_entity(&visit.design, entity, &found, &base))
    }))
}

/// Shows items of a table as they are.
pub(crate) async fn table<S: History>(
    State(console): State<Arc<Console<S>>>,
    Path((design, table)): Path<(String, String)>,
    Query(pairs): Query<Pairs>,
) -> Result<Html<String>, Failure> {
    let visit = Visit::of(&console, &design)?;
    let served = visit.served;
    let table = served.table(&table)?;
    let found = read::of_table(&visit, table, read::start(&pairs)?).await?;
    let frame = console.frame(Some(served), Section::Data, &table.label);
    let base = Link::table(&visit.design.name, table);
    let bar = bar(&visit, std::slice::from_ref(table), &base).await?;
    Ok(frame.page(html! {
        (bar)
        (trail(&visit.design.name, &[]))
        (heading(
            &html! { "Table " code { (served.table_name(table)) } },
            Some("All items, in the order of their partitions."),
        ))
        (list::raw(&visit.design, table, &found, &base))
    }))
}

/// Shows the items of one partition in the order of their sort keys; without a key, the form that asks for it.
pub(crate) async fn collection<S: History>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    Query(pairs): Query<Pairs>,
) -> Result<Html<String>, Failure> {
    let visit = Visit::of(&console, &design)?;
    let served = visit.served;
    let frame = console.frame(Some(served), Section::Data, "Partition");
    let Some(place) = Place::of(served, &pairs)? else {
        return Ok(frame.page(html! {
            (trail(&visit.design.name, &[]))
            (heading(&html! { "Open a partition" }, None))
            (contents::partition_form(&visit.design))
        }));
    };
    let found = read::of_partition(&visit, &place, read::start(&pairs)?).await?;
    let here = Link::collection(&visit.design.name, place.table, place.index, &place.key_texts());
    let bar = match place.index {
        None => bar(&visit, std::slice::from_ref(place.table), &here).await?,
        Some(_) => html! {},
    };
    let compare = visit.at_ms.map(|_| here.of_item("compare"));
    Ok(frame.page(html! {
        (bar)
        (trail(&visit.design.name, &[(Link::table(&visit.design.name, place.table), &served.table_name(place.table))]))
        (collection::content(&visit.design, &place, &found))
        @if let Some(compare) = compare { p.pages { a.button href=(compare) { (Icon::Time) "Compare with now" } } }
    }))
}

/// Shows one item.
pub(crate) async fn item<S: History>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    Query(pairs): Query<Pairs>,
) -> Result<Html<String>, Failure> {
    let visit = Visit::of(&console, &design)?;
    let served = visit.served;
    let key = read::item_key(served, &pairs)?;
    let found = read::item_at(&visit, &key).await?;
    let frame = console.frame(Some(served), Section::Data, "Item");
    let permission = if visit.at_ms.is_some() { Permission::ReadOnly } else { console.permission };
    let here = Link::item_with_key(&visit.design.name, key.table, &key.key)
        .unwrap_or_else(|| Link::data(&visit.design.name));
    let bar = bar(&visit, std::slice::from_ref(key.table), &here).await?;
    let then = match visit.at_ms {
        Some(_) => Some(since(&visit, &key, found.as_ref()).await?),
        None => None,
    };
    Ok(frame.page(html! {
        (bar)
        (trail(&visit.design.name, &[(Link::table(&visit.design.name, key.table), &served.table_name(key.table))]))
        (notice(&pairs))
        (item::content(&visit.design, &key, found.as_ref(), permission))
        @if let Some(then) = then { (then.content(&here, console.permission)) }
    }))
}

/// The path to a page of items.
pub(crate) fn trail(design: &str, more: &[(Link, &str)]) -> Markup {
    html! {
        nav.trail aria-label="Path" {
            a href=(Link::data(design)) { "Data" }
            @for (link, name) in more { a href=(link) { (name) } }
        }
    }
}
