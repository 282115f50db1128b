//! The entity chart, and each entity with its fields.

use maud::{Markup, html};
use singlet_design::{
    Aggregate, Design, Entity, Field, Grid, Made, Table, entity_chart, in_words, index_table, settings_table,
};

use crate::figures::counted;
use crate::link::Link;
use crate::parts::{entity_tag, grid, head, key_fields, scrolling, template};

/// The chart of each table, its indexes and settings, and the entities.
pub(super) fn content(design: &Design) -> Markup {
    html! {
        @for (position, table) in design.tables.iter().enumerate() {
            (chart(design, table, position))
            @let more = [index_table(table), settings_table(design, table)];
            @for (number, more) in more.iter().enumerate().filter(|(_, more)| !more.rows.is_empty()) {
                (grid(more, &format!("table-{position}-{number}")))
            }
        }
        section.block aria-labelledby="fields" {
            h2 #fields { "Fields" }
            @for entity in &design.entities { (details(design, entity)) }
        }
    }
}

/// The chart of a table, whose entities lead to their items.
fn chart(design: &Design, table: &Table, position: usize) -> Markup {
    let Grid { title, columns, rows } = entity_chart(design, table);
    let id = format!("chart-{position}");
    html! {
        section.block aria-labelledby=(id) {
            h2 id=(id) { (title) }
            (scrolling(&title, &html! {
                table.chart {
                    (head(&columns))
                    tbody {
                        @for row in &rows {
                            tr {
                                @for (column, cell) in row.iter().enumerate() {
                                    @if column == 0 {
                                        th scope="row" {
                                            a href=(Link::entity(&design.name, cell)) { (entity_tag(design, cell)) }
                                        }
                                    } @else {
                                        td { @if !cell.is_empty() { (template(cell)) } }
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

fn details(design: &Design, entity: &Entity) -> Markup {
    html! {
        details.entity-details id={ "entity-" (entity.name) } {
            summary {
                (entity_tag(design, &entity.name))
                span.about { @if let Some(about) = &entity.about { (about) } }
                span.count { (counted(entity.fields.len(), "field")) }
            }
            @let label = format!("Fields of {}", entity.name);
            (scrolling(&label, &html! {
                table {
                    (head(&["Field", "Values", "Notes"]))
                    tbody {
                        @for field in &entity.fields {
                            tr {
                                th scope="row" { code { (field.name) } }
                                td { (in_words(&field.kind)) @if field.optional { span.none { ", optional" } } }
                                td { (notes(design, entity, field)) }
                            }
                        }
                    }
                }
            }))
            p.actions { a href=(Link::entity(&design.name, &entity.name)) { "Items of " (entity.name) } }
        }
    }
}

/// The facts about a field beside its type.
fn notes(design: &Design, entity: &Entity, field: &Field) -> Markup {
    let is_unique = entity.unique.iter().any(|unique| unique.fields.contains(&field.name));
    let made = field.made.map(|made| match made {
        Made::Uuid7 | Made::Uuid4 | Made::Ulid | Made::Secret => "generated",
        Made::Created => "time of creation",
        Made::Updated => "time of the last write",
    });
    let marks = [
        (key_fields(entity).contains(&field.name.as_str()), "key"),
        (is_unique, "unique"),
        (field.internal, "internal"),
        (field.computed, "computed"),
        (field.derived, "derived"),
    ];
    html! {
        @for (_, word) in marks.iter().filter(|(holds, _)| *holds) { span.mark { (word) } " " }
        @if let Some(made) = made { span.mark { (made) } " " }
        @for target in field.refers_to.iter().chain(&field.refers_to_one_of) { "→ " (entity_tag(design, target)) " " }
        @if let Some(default) = &field.default { span.none { "default " } code { (default.to_string()) } " " }
        @for rule in entity.aggregates.iter().filter(|rule| rule.field == field.name) { (sources(design, rule)) }
        @if let Some(about) = &field.about { span.about { (about) } }
    }
}

/// The entities whose items a derived field follows from.
fn sources(design: &Design, rule: &Aggregate) -> Markup {
    html! { @for source in &rule.sources { "← " (entity_tag(design, &source.entity)) " " } }
}
