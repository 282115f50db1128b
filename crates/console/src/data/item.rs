//! The page of one item.

use maud::{Markup, html};
use singlet_design::{Design, Entity, Field, KeyAttribute, to_json};
use singlet_values::{AttributeValue, EncodedItem, EncodedValue, Item, ReadKind, write_units};

use super::list::tag;
use super::read::ItemKey;
use crate::console::Permission;
use crate::figures::bytes;
use crate::icon::Icon;
use crate::key_text;
use crate::keys::{entity_of, split};
use crate::link::Link;
use crate::parts::{capacity, empty, entity_tag, head, scrolling};
use crate::reference::{Referrers, referrers};
use crate::text::{Unhidden, Visible};
use crate::value::{Owner, Room, attribute};

/// The page of an item, or that there is none.
pub(super) fn content(
    design: &Design,
    key: &ItemKey<'_>,
    found: Option<&EncodedItem>,
    permission: Permission,
) -> Markup {
    let view = found.map(EncodedItem::view);
    let entity = view.and_then(|view| entity_of(design, key.table, view)).map(AsRef::as_ref);
    let heading = html! {
        header.heading {
            h1 { @match view { Some(view) => (tag(design, key.table, view)), None => "Item" } }
            (actions(design, key, entity.is_some(), found.is_some() && permission == Permission::Write))
            p.item-key { @for attribute in key.table.key() {
                @if let Some(value) = key.key.get(&attribute.name) { (split(entity, &attribute.name, value)) " " }
            } }
        }
    };
    let Some((encoded, item)) = found.and_then(|encoded| Some((encoded, encoded.decode().ok()?))) else {
        return html! {
            (heading)
            (empty("No such item", &html! {
                "Nothing is stored under this key. It may have been deleted, or have expired."
            }))
        };
    };
    html! {
        (heading)
        (figures(encoded))
        div.columns {
            div { (attributes(design, entity, &item)) }
            div {
                (keys(design, key, entity, &item))
                @if let Some(entity) = entity { (referring(design, &referrers(design, entity, &item))) }
                (json(&item))
            }
        }
    }
}

/// The forms that change it.
fn actions(design: &Design, key: &ItemKey<'_>, has_entity: bool, can_write: bool) -> Markup {
    let link = Link::item_with_key(&design.name, key.table, &key.key).filter(|_| can_write);
    html! {
        @if let Some(link) = link {
            p.actions {
                @if has_entity {
                    a.button href=(link.of_item("change")) { (Icon::Write) "Change" }
                    a.button href=(link.of_item("delete")) { (Icon::Delete) "Delete" }
                }
                a.button href=(link.of_item("json")) { "Edit JSON" }
            }
        }
    }
}

/// Its size, and what it costs to read and to write.
fn figures(item: &EncodedItem) -> Markup {
    let size = item.size_bytes();
    html! {
        dl.tiles.small {
            div { dt { "size" } dd { (bytes(size)) } }
            div { dt { "a read" } dd { (capacity(ReadKind::from_consistent(false).units(size), 0.0)) } }
            div { dt { "a write" } dd { (capacity(0.0, write_units(size))) } }
        }
    }
}

/// Its fields in the order of the design, and then everything else.
fn attributes(design: &Design, entity: Option<&Entity>, item: &Item) -> Markup {
    let fields: Vec<&Field> = entity.into_iter().flat_map(|entity| &entity.fields).collect();
    let known = fields.iter().filter_map(|field| Some((field.name.as_str(), item.get(&field.name)?)));
    let others = item.iter().filter(|(name, _)| !fields.iter().any(|field| field.name == *name));
    html! {
        section.block aria-labelledby="fields" {
            h2 #fields { "Fields" }
            @if entity.is_some() { (table(design, entity, item, known.collect())) }
            @else { p.about { "The item belongs to no entity of the design." } }
        }
        section.block aria-labelledby="others" {
            h2 #others { "Other attributes" }
            p.about { "Keys, the type, and attributes that the design doesn’t name." }
            (table(design, None, item, others.collect()))
        }
    }
}

fn table(
    design: &Design,
    entity: Option<&Entity>,
    item: &Item,
    rows: Vec<(&str, &AttributeValue)>,
) -> Markup {
    let shown = |name: &str, value: &AttributeValue| match entity {
        Some(entity) => Owner { design, entity, item }.attribute(name, value, Room::Page),
        None => attribute(None, value, Room::Page),
    };
    scrolling(
        "Attributes",
        &html! {
            table.attributes {
                (head(&["Name", "Type", "Value"]))
                tbody {
                    @for (name, value) in rows {
                        tr {
                            th scope="row" { (Visible(name)) }
                            td { code.kind { (value.kind().code()) } }
                            td.value { (shown(name, value)) }
                        }
                    }
                }
            }
        },
    )
}

/// The partitions in which the item lies.
fn keys(design: &Design, key: &ItemKey<'_>, entity: Option<&Entity>, item: &Item) -> Markup {
    let table = key.table;
    let own = (None, std::slice::from_ref(&table.partition), table.sort.as_slice());
    let indexes = table
        .indexes
        .iter()
        .map(|index| (Some(index.name.as_str()), index.partition.as_slice(), index.sort.as_slice()));
    html! {
        section.block aria-labelledby="keys" {
            h2 #keys { "Keys" }
            dl.keys-of-item {
                @for (index, partition, sort) in std::iter::once(own).chain(indexes) {
                    div {
                        dt { (index.unwrap_or("table")) }
                        dd {
                            @match (values(item, partition), values(item, sort)) {
                                (Some(partition_key), Some(sort_key)) => {
                                    @let parts: Vec<String> = texts(&partition_key);
                                    a href=(Link::collection(&design.name, table, index, &parts)) {
                                        @for (name, value) in partition_key { (split(entity, name, value)) " " }
                                    }
                                    @for (name, value) in sort_key { (split(entity, name, value)) " " }
                                }
                                _ => span.none { "not in this index" },
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The values of key attributes; `None` if one is missing.
fn values<'a>(item: &'a Item, attributes: &'a [KeyAttribute]) -> Option<Vec<(&'a str, &'a AttributeValue)>> {
    attributes.iter().map(|attribute| Some((attribute.name.as_str(), item.get(&attribute.name)?))).collect()
}

fn texts(values: &[(&str, &AttributeValue)]) -> Vec<String> {
    values.iter().filter_map(|(_, value)| key_text::write(value.as_scalar()?)).collect()
}

/// The lists of items that refer to this one.
fn referring(design: &Design, lists: &[Referrers]) -> Markup {
    html! {
        @if !lists.is_empty() {
            section.block aria-labelledby="referring" {
                h2 #referring { "Referred to by" }
                ul.rows {
                    @for list in lists {
                        li {
                            (entity_tag(design, &list.entity))
                            @let name = list.relation.clone().unwrap_or_else(|| format!("by {}", list.field));
                            @match &list.link {
                                Some(link) => a href=(link) { (name) },
                                None => span { (name) },
                            }
                            span.about {
                                (list.count)
                                @if list.link.is_none() { " no index lists them" }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn json(item: &Item) -> Markup {
    let value = EncodedValue::encode(&AttributeValue::M(
        item.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect(),
    ));
    let json = to_json(value.view());
    html! {
        section.block aria-labelledby="json" {
            h2 #json { "JSON" }
            details.snippet {
                summary { "The whole item" }
                div.copyable {
                    button.quiet.scripted type="button" data-copy { "Copy" }
                    (scrolling("JSON", &html! { pre.json { code { (Unhidden(&format!("{json:#}"))) } } }))
                }
            }
        }
    }
}
