//! The ways to items: entities, tables and partitions.

use maud::{Markup, html};
use singlet_design::{Design, KeyKind, Table};
use singlet_store::Store;

use crate::console::Served;
use crate::figures::grouped;
use crate::icon::Icon;
use crate::link::Link;
use crate::parts::{entity_tag, head, scrolling, template};

/// About how many items each table has, in the order of the design; `None` for tables that aren't there.
pub(super) async fn counted<S: Store>(served: &Served<S>) -> Vec<Option<u64>> {
    let mut counts = Vec::new();
    for table in &served.design().tables {
        let state = served.runner().store().describe_table(&served.table_name(table)).await;
        counts.push(state.ok().flatten().map(|state| state.items));
    }
    counts
}

/// The page: entities, tables and the form for a partition.
pub(super) fn content<S: Store>(served: &Served<S>, design: &Design, counts: &[Option<u64>]) -> Markup {
    html! {
        section.block aria-labelledby="entities" {
            h2 #entities { "Entities" }
            (scrolling("Entities", &html! {
                table {
                    (head(&["Entity", "Key", "About"]))
                    tbody {
                        @for entity in &design.entities {
                            tr {
                                th scope="row" {
                                    a href=(Link::entity(&design.name, &entity.name)) { (entity_tag(design, &entity.name)) }
                                }
                                td {
                                    (template(&entity.key.partition.source))
                                    @if let Some(sort) = &entity.key.sort { " " (template(&sort.source)) }
                                }
                                td.text { @if let Some(about) = &entity.about { (about) } }
                            }
                        }
                    }
                }
            }))
        }
        section.block aria-labelledby="tables" {
            h2 #tables { "Tables" }
            ul.rows {
                @for (table, items) in design.tables.iter().zip(counts) {
                    li {
                        a href=(Link::table(&design.name, table)) { code { (served.table_name(table)) } }
                        span.about { @match items {
                            Some(items) => { "about " (grouped(*items)) " items" }
                            None => "not created: run singlet apply",
                        } }
                    }
                }
            }
        }
        p.statement { a.button href=(Link::statement(served.name())) { (Icon::Pattern) "PartiQL" } span.about { "Ask with a statement, and see how it is read." } }
        section.block aria-labelledby="partition" {
            h2 #partition { "Open a partition" }
            (partition_form(design))
        }
    }
}

/// The form that opens a partition by the text of its key.
pub(super) fn partition_form(design: &Design) -> Markup {
    html! {
        form.inline method="get" action=(Link::collections(&design.name)) {
            div.field {
                label for="place" { "Table or index" }
                select #place name="place" {
                    @for table in &design.tables {
                        @for (value, name) in places(table) { option value=(value) { (name) } }
                    }
                }
            }
            div.field.grows {
                label for="text" { "Partition key" }
                input #text type="text" name="text" required autocomplete="off" spellcheck="false"
                    placeholder=[design.entities.first().map(|entity| entity.key.partition.source.as_str())];
            }
            p.submit { button.primary type="submit" { "Open" } }
        }
    }
}

/// The table and its indexes whose partition key is one text.
fn places(table: &Table) -> Vec<(String, String)> {
    let mut places = Vec::new();
    if table.partition.kind == KeyKind::Text {
        places.push((table.label.clone(), format!("{} ({})", table.label, table.partition.name)));
    }
    for index in &table.indexes {
        if let [only] = index.partition.as_slice()
            && only.kind == KeyKind::Text
        {
            places
                .push((format!("{}/{}", table.label, index.name), format!("{} ({})", index.name, only.name)));
        }
    }
    places
}
