//! Values of items in pages.

use maud::{Markup, html};
use singlet_design::{Design, Entity, Field, FieldType, Json, time_of_ms, to_json};
use singlet_values::{AttributeValue, EncodedValue, Item};

use crate::reference;
use crate::text::{CELL_CHARACTERS_MAX, brief};

/// How much room a value has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// A cell of a table.
    Cell,
    /// A line of the page of one item.
    Page,
}

impl Room {
    fn characters_max(self) -> usize {
        match self {
            Room::Cell => CELL_CHARACTERS_MAX,
            Room::Page => 4_000,
        }
    }
}

/// An item of an entity, whose fields say how its values are shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner<'a> {
    pub(crate) design: &'a Design,
    pub(crate) entity: &'a Entity,
    pub(crate) item: &'a Item,
}

impl Owner<'_> {
    /// A value of the item. References are links.
    pub(crate) fn attribute(&self, name: &str, value: &AttributeValue, room: Room) -> Markup {
        let field = self.entity.field(name);
        let Some(field) =
            field.filter(|field| field.refers_to.is_some() || !field.refers_to_one_of.is_empty())
        else {
            return attribute(field.map(|field| &field.kind), value, room);
        };
        match value {
            AttributeValue::L(elements) => self.references(field, elements.iter().cloned(), room),
            AttributeValue::Ss(set) => {
                self.references(field, set.iter().map(|text| AttributeValue::from(text.as_str())), room)
            }
            one => self.reference(field, one, room),
        }
    }

    fn references(&self, field: &Field, all: impl Iterator<Item = AttributeValue>, room: Room) -> Markup {
        let shown = if room == Room::Cell { 3 } else { 100 };
        let mut all = all.peekable();
        let first: Vec<AttributeValue> = all.by_ref().take(shown).collect();
        html! {
            @for (position, one) in first.iter().enumerate() {
                @if position > 0 { ", " }
                (self.reference(field, one, room))
            }
            @if all.peek().is_some() { span.cut { " …" } }
        }
    }

    fn reference(&self, field: &Field, value: &AttributeValue, room: Room) -> Markup {
        let text = attribute(None, value, room);
        match reference::target(self.design, self.entity, field, self.item, value) {
            Some(link) => html! { a.reference href=(link) { (text) } },
            None => text,
        }
    }
}

/// A value of an item, shown by the type of its field.
pub(crate) fn attribute(kind: Option<&FieldType>, value: &AttributeValue, room: Room) -> Markup {
    json(kind, &to_json(EncodedValue::encode(value).view()), room)
}

/// A value as JSON, shown by the type of its field.
pub(crate) fn json(kind: Option<&FieldType>, value: &Json, room: Room) -> Markup {
    match (kind, value) {
        (Some(FieldType::Time), Json::Text(time)) => instant(time),
        (Some(FieldType::Epoch), Json::Number(second)) => match second.to_i64().map(|second| second * 1000) {
            Some(ms) if ms >= 0 => html! { (instant(&time_of_ms(ms.unsigned_abs()))) },
            _ => html! { span.number { (second.to_string()) } },
        },
        (_, Json::Text(text)) if text.is_empty() => html! { span.none { "empty string" } },
        (_, Json::Text(text)) => brief(text, room.characters_max()),
        (_, Json::Number(number)) => html! { span.number { (number.to_string()) } },
        (_, Json::Bool(truth)) => html! { span.word { (truth.to_string()) } },
        (_, Json::Null) => html! { span.none { "null" } },
        (_, Json::List(_) | Json::Object(_)) if room == Room::Page => {
            html! { pre.json { code { (brief(&format!("{value:#}"), room.characters_max())) } } }
        }
        (_, Json::List(_) | Json::Object(_)) => {
            html! { code { (brief(&value.to_string(), room.characters_max())) } }
        }
    }
}

/// A stored time, such as `2026-11-17T10:00:00.000Z`. A script turns it into the viewer's zone.
fn instant(time: &str) -> Markup {
    let plain = time.replacen('T', " ", 1);
    let plain = plain.strip_suffix(".000Z").or_else(|| plain.strip_suffix('Z')).unwrap_or(&plain);
    let is_time = time.len() == 24 && time.ends_with('Z') && time.is_ascii();
    html! {
        @if is_time {
            time datetime=(time) title={ (plain) " UTC" } { (plain) }
        } @else {
            (brief(time, CELL_CHARACTERS_MAX))
        }
    }
}
