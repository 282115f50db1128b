//! Parts that several pages share.

use maud::{Markup, html};
use singlet_design::{Design, Entity, Grid, Template};
use singlet_review::Severity;

use crate::figures::units;
use crate::icon::Icon;
use crate::text::Unhidden;

/// The colours by which entities are told apart; the style sheet has as many.
const HUES: usize = 8;

/// The class of an entity's colour.
pub(crate) fn hue(design: &Design, entity: &str) -> String {
    let position = design.entities.iter().position(|known| known.name == entity).unwrap_or_default();
    format!("hue-{}", position % HUES)
}

/// The name of an entity with its colour.
pub(crate) fn entity_tag(design: &Design, entity: &str) -> Markup {
    html! { span class={ "entity " (hue(design, entity)) } { (entity) } }
}

/// The heading of a page, with a sentence below it.
pub(crate) fn heading(title: &Markup, about: Option<&str>) -> Markup {
    html! {
        header.heading {
            h1 { (title) }
            @if let Some(about) = about { p.about { (about) } }
        }
    }
}

/// A wide part that scrolls sideways by itself, also by keyboard.
pub(crate) fn scrolling(label: &str, content: &Markup) -> Markup {
    html! { div.scrolling role="group" aria-label=(label) tabindex="0" { (content) } }
}

/// A part of a page that has nothing to show, and what to do about it.
pub(crate) fn empty(title: &str, advice: &Markup) -> Markup {
    html! { div.empty { p.title { (title) } p { (advice) } } }
}

/// The text of a key template, or of several, with literals and placeholders told apart.
pub(crate) fn template(text: &str) -> Markup {
    html! {
        code.template {
            @for (literal, hole) in holes(text) {
                @if !literal.is_empty() { span.literal { (literal) } }
                @if !hole.is_empty() { span.field { (hole) } }
            }
        }
    }
}

/// Each placeholder with the text before it; at last the text after all of them.
fn holes(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let Some((literal, hole, tail)) = first_hole(text) else { return Some((text, "")) };
        rest = Some(tail);
        Some((literal, hole))
    })
}

/// The text before the first placeholder, the placeholder, and the text after it.
fn first_hole(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find('{')?;
    let (literal, rest) = text.split_at(start);
    let (hole, tail) = rest.split_at(rest.find('}')? + 1);
    Some((literal, hole, tail))
}

/// A table of text with a heading. Columns that hold keys show their placeholders.
pub(crate) fn grid(grid: &Grid, id: &str) -> Markup {
    html! {
        section.block aria-labelledby=(id) {
            h2 id=(id) { (grid.title) }
            (scrolling(&grid.title, &html! {
                table {
                    (head(&grid.columns))
                    tbody {
                        @for row in &grid.rows {
                            tr {
                                @for cell in row {
                                    td.text[cell.len() > 40] {
                                        @if cell.contains('{') { (template(cell)) } @else { (cell) }
                                    }
                                }
                            }
                        }
                    }
                }
            }))
        }
    }
}

/// The head of a table with these columns.
pub(crate) fn head(columns: &[impl AsRef<str>]) -> Markup {
    html! { thead { tr { @for column in columns { th scope="col" { (column.as_ref()) } } } } }
}

/// Capacity units of a request; of nothing, no read units.
pub(crate) fn capacity(read_units: f64, write_units: f64) -> Markup {
    html! {
        @if read_units > 0.0 || write_units <= 0.0 {
            span.units { (units(read_units)) " " abbr title="read units" { "RU" } }
        }
        @if write_units > 0.0 { " " span.units { (units(write_units)) " " abbr title="write units" { "WU" } } }
    }
}

/// The icon and the word of a severity.
pub(crate) fn severity(severity: Severity) -> Markup {
    let (icon, class, word) = match severity {
        Severity::Error => (Icon::Error, "severity error", "error"),
        Severity::Warning => (Icon::Warning, "severity warning", "warning"),
        Severity::Info => (Icon::Note, "severity note", "note"),
    };
    html! { span class=(class) { (icon) (word) } }
}

/// The fields of an entity's key, in order.
pub(crate) fn key_fields(entity: &Entity) -> Vec<&str> {
    let templates = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    let mut fields: Vec<&str> = Vec::new();
    for field in templates.flat_map(Template::fields) {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    fields
}

/// A sentence whose names stand in backticks.
pub(crate) fn prose(text: &str) -> Markup {
    html! {
        @for (position, part) in text.split('`').enumerate() {
            @if position % 2 == 1 { code { (Unhidden(part)) } } @else { (Unhidden(part)) }
        }
    }
}
