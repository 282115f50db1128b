//! One partition as a tree: its items in the order of their sort keys, with a branch for each run of one entity.

use maud::{Markup, html};
use singlet_design::{Design, Entity};
use singlet_values::{EncodedItem, Item};

use super::list::{effort, item_link, pages, summary, tag};
use super::read::{Found, Place};
use crate::figures::counted;
use crate::keys::{entity_of, split};
use crate::link::Link;
use crate::parts::empty;

/// Neighbours of one entity.
struct Branch<'a> {
    entity: Option<&'a Entity>,
    items: Vec<(&'a EncodedItem, Item)>,
}

/// The page of a partition.
pub(super) fn content(design: &Design, place: &Place<'_>, found: &Found) -> Markup {
    let branches = branches(design, place, found);
    let owner = branches.first().and_then(|branch| branch.entity);
    let whole = Link::collection(&design.name, place.table, place.index, &place.key_texts());
    let narrowed =
        place.entity.map_or(whole.clone(), |entity| whole.clone().with("entity", entity.name.as_str()));
    let base =
        if place.is_descending { narrowed.clone().with("order", "descending") } else { narrowed.clone() };
    html! {
        header.heading {
            h1 {
                @for (attribute, value) in &place.partition { (split(owner, &attribute.name, value)) " " }
            }
            p.about {
                "One partition of "
                @match place.index { Some(index) => { "the index " code { (index) } } None => "the table" }
                @if let Some(entity) = place.entity { ", items of " (entity.name) }
            }
        }
        nav.views aria-label="Order" {
            a href=(narrowed) aria-current=[(!place.is_descending).then_some("true")] { "ascending" }
            a href=(narrowed.clone().with("order", "descending")) aria-current=[place.is_descending.then_some("true")] {
                "descending"
            }
        }
        @if place.entity.is_some() { p { a href=(whole) { "The whole partition" } } }
        (effort(found))
        @if branches.is_empty() {
            (empty("No items", &html! { "Nothing is stored under this partition key." }))
        } @else {
            ol.tree { @for branch in &branches { (limb(design, place, branch)) } }
        }
        (pages(found, &base))
    }
}

fn branches<'a>(design: &'a Design, place: &Place<'_>, found: &'a Found) -> Vec<Branch<'a>> {
    let mut branches: Vec<Branch<'_>> = Vec::new();
    for encoded in &found.items {
        let Ok(item) = encoded.decode() else { continue };
        let entity = entity_of(design, place.table, encoded.view()).map(AsRef::as_ref);
        let name = |entity: Option<&Entity>| entity.map(|entity| entity.name.clone());
        match branches.last_mut() {
            Some(last) if name(last.entity) == name(entity) => last.items.push((encoded, item)),
            _ => branches.push(Branch { entity, items: vec![(encoded, item)] }),
        }
    }
    branches
}

fn limb(design: &Design, place: &Place<'_>, branch: &Branch<'_>) -> Markup {
    html! {
        li {
            p.limb {
                @if let Some((first, _)) = branch.items.first() { (tag(design, place.table, first.view())) }
                span.count { (counted(branch.items.len(), "item")) }
            }
            ol {
                @for (encoded, item) in &branch.items {
                    li {
                        (item_link(design, place.table, encoded, &sort_key(place, branch.entity, item)))
                        span.summary { (summary(design, place.table, branch.entity, item)) }
                    }
                }
            }
        }
    }
}

/// The sort key of an item; without one, the item is alone in its partition.
fn sort_key(place: &Place<'_>, entity: Option<&Entity>, item: &Item) -> Markup {
    html! {
        @for attribute in &place.sort {
            @if let Some(value) = item.get(&attribute.name) { (split(entity, &attribute.name, value)) " " }
        }
        @if place.sort.is_empty() { "open" }
    }
}
