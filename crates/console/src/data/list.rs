//! Lists of items.

use maud::{Markup, html};
use singlet_design::{Design, Entity, Table};
use singlet_values::{AttributeValue, EncodedItem, Item, ItemRef, ValueRef};

use super::read::{AFTER, Found};
use crate::figures::{bytes, counted, grouped};
use crate::icon::Icon;
use crate::keys::{entity_of, split};
use crate::link::Link;
use crate::parts::{capacity, empty, entity_tag, key_fields, scrolling};
use crate::text::{CELL_CHARACTERS_MAX, Visible, brief};
use crate::value::{Owner, Room, attribute};

/// Attributes that a line about an item shows.
const SUMMARY_ATTRIBUTES: usize = 4;

/// Items of one entity, with a column for each field.
pub(super) fn of_entity(design: &Design, entity: &Entity, found: &Found, base: &Link) -> Markup {
    let items: Vec<(&EncodedItem, Item)> =
        found.items.iter().filter_map(|item| Some((item, item.decode().ok()?))).collect();
    let used = |name: &str| items.iter().any(|(_, item)| item.contains(name));
    let fields: Vec<&str> =
        entity.fields.iter().map(|field| field.name.as_str()).filter(|name| used(name)).collect();
    html! {
        (effort(found))
        @if items.is_empty() {
            (empty("No items here", &html! {
                @if found.next.is_some() { "None of the items that were read is of this entity." }
                @else { "There are none. Run " code { "singlet seed" } " for sample data." }
            }))
        } @else {
            (scrolling(&format!("Items of {}", entity.name), &html! {
                table.items {
                    thead { tr {
                        th scope="col" { "Item" }
                        @for field in &fields { th scope="col" { (field) } }
                    } }
                    tbody {
                        @for (encoded, item) in &items {
                            @let owner = Owner { design, entity, item };
                            tr {
                                th scope="row" { (item_link(design, &entity.table, encoded, &html! { "open" })) }
                                @for field in &fields {
                                    td { @if let Some(value) = item.get(field) { (owner.attribute(field, value, Room::Cell)) } }
                                }
                            }
                        }
                    }
                }
            }))
        }
        (pages(found, base))
    }
}

/// Items of a table, with their keys.
pub(super) fn raw(design: &Design, table: &Table, found: &Found, base: &Link) -> Markup {
    html! {
        (effort(found))
        @if found.items.is_empty() {
            (empty("No items", &html! { "The table is empty. Run " code { "singlet seed" } " for sample data." }))
        } @else {
            (scrolling("Items", &html! {
                table.items {
                    thead { tr {
                        th scope="col" { "Item" }
                        @for key in table.key() { th scope="col" { (key.name) } }
                        th scope="col" { "Attributes" }
                        th.figure scope="col" { "Size" }
                    } }
                    tbody { @for item in &found.items { (raw_row(design, table, item)) } }
                }
            }))
        }
        (pages(found, base))
    }
}

fn raw_row(design: &Design, table: &Table, encoded: &EncodedItem) -> Markup {
    let entity = entity_of(design, table, encoded.view()).map(AsRef::as_ref);
    let item = encoded.decode().unwrap_or_default();
    html! {
        tr {
            th scope="row" { (item_link(design, table, encoded, &tag(design, table, encoded.view()))) }
            @for key in table.key() {
                td.key { @if let Some(value) = item.get(&key.name) { (split(entity, &key.name, value)) } }
            }
            td.summary { (summary(design, table, entity, &item)) }
            td.figure { (bytes(encoded.size_bytes())) }
        }
    }
}

/// The name of an item's entity. An item of no entity has its type instead: reservations of unique values do.
pub(super) fn tag(design: &Design, table: &Table, item: ItemRef<'_>) -> Markup {
    match (entity_of(design, table, item), item.get(&table.type_attribute)) {
        (Some(entity), _) => entity_tag(design, &entity.name),
        (None, Some(ValueRef::S(name))) => html! { span.entity.none { (brief(name, CELL_CHARACTERS_MAX)) } },
        (None, _) => html! { span.entity.none { "other" } },
    }
}

/// The page of an item.
pub(crate) fn item_link(design: &Design, table: &Table, item: &EncodedItem, content: &Markup) -> Markup {
    match Link::item(&design.name, table, item.view()) {
        Some(link) => html! { a href=(link) { (content) } },
        None => content.clone(),
    }
}

/// The first attributes of an item that aren't in its keys.
pub(super) fn summary(design: &Design, table: &Table, entity: Option<&Entity>, item: &Item) -> Markup {
    let is_key = |name: &str| {
        let mut keys = table.key().chain(table.indexes.iter().flat_map(|index| index.key()));
        name == table.type_attribute || keys.any(|key| key.name == name)
    };
    let in_key = |name: &str| entity.is_some_and(|entity| key_fields(entity).contains(&name));
    let shown = |name: &str, value: &AttributeValue| match entity {
        Some(entity) => Owner { design, entity, item }.attribute(name, value, Room::Cell),
        None => attribute(None, value, Room::Cell),
    };
    let order = |name: &str| {
        let position = entity.and_then(|entity| entity.fields.iter().position(|field| field.name == name));
        position.unwrap_or(usize::MAX)
    };
    let mut rest: Vec<(&str, &AttributeValue)> =
        item.iter().filter(|(name, _)| !is_key(name) && !in_key(name)).collect();
    rest.sort_by_key(|(name, _)| order(name));
    let all = rest.len();
    html! {
        @for (name, value) in rest.into_iter().take(SUMMARY_ATTRIBUTES) {
            span.pair { span.name { (Visible(name)) } " " (shown(name, value)) } " "
        }
        @if all > SUMMARY_ATTRIBUTES { span.cut { "+ " (all - SUMMARY_ATTRIBUTES) " more" } }
    }
}

/// How many items were read for a page, and for how many units.
pub(super) fn effort(found: &Found) -> Markup {
    html! {
        p.effort {
            (counted(found.items.len(), "item"))
            @if found.scanned != found.items.len() as u64 { ", " (grouped(found.scanned)) " read" }
            ", " (capacity(found.consumed.read, 0.0))
        }
    }
}

/// Links to the first and the next page. The browser's history leads back.
pub(super) fn pages(found: &Found, base: &Link) -> Markup {
    html! {
        @if found.next.is_some() || !found.is_first {
            nav.pages aria-label="Pages" {
                @if !found.is_first { a.button href=(base) { "First page" } }
                @if let Some(next) = &found.next {
                    a.button rel="next" href=(base.clone().with(AFTER, next.as_str())) { "Next page" (Icon::Forward) }
                }
            }
        }
    }
}
