//! The table of a design's patterns.

use maud::{Markup, html};
use singlet_design::{Access, Design, Grid, Pattern, access, pattern_table};

use crate::cost::{Cost, Costs};
use crate::figures::counted;
use crate::icon::Icon;
use crate::link::Link;
use crate::parts::{capacity, empty, scrolling, template};

/// The patterns that callers can run, and those that only other patterns run.
pub(super) fn content(design: &Design, costs: &Costs) -> Markup {
    let described = pattern_table(design);
    let (internal, open): (Vec<usize>, Vec<usize>) = (0..design.patterns.len())
        .partition(|position| design.patterns.get(*position).is_some_and(|pattern| pattern.internal));
    html! {
        @if design.patterns.is_empty() {
            (empty("The design has no patterns", &html! {
                "Add a table such as " code { "[pattern.name]" } " to its file."
            }))
        }
        @if !open.is_empty() { (table(design, costs, &described, &open, &counted(open.len(), "pattern"), "open")) }
        @if !internal.is_empty() {
            (table(design, costs, &described, &internal, "Parts of other patterns", "internal"))
        }
    }
}

fn table(design: &Design, costs: &Costs, described: &Grid, rows: &[usize], title: &str, id: &str) -> Markup {
    html! {
        section.block aria-labelledby=(id) {
            h2 id=(id) { (title) }
            (scrolling(title, &html! {
                table.patterns {
                    thead { tr {
                        th scope="col" { "Pattern" }
                        th scope="col" { "Request and key" }
                        th.figure scope="col" { "Rate" }
                        th.figure scope="col" { "Within" }
                        th.figure scope="col" { "Cost" }
                    } }
                    tbody {
                        @for position in rows {
                            @if let Some(pattern) = design.patterns.get(*position) {
                                @let cell = |column: &str| cell(described, *position, column);
                                (row(design, pattern, costs.get(&pattern.name), &cell))
                            }
                        }
                    }
                }
            }))
        }
    }
}

/// The text of a column; empty if no pattern has anything in it.
fn cell<'g>(grid: &'g Grid, row: usize, column: &str) -> &'g str {
    let position = grid.columns.iter().position(|known| known == column);
    let cell = position.and_then(|position| grid.rows.get(row)?.get(position));
    cell.map(String::as_str).unwrap_or_default()
}

fn row<'g>(design: &Design, pattern: &Pattern, cost: Cost, cell: &dyn Fn(&str) -> &'g str) -> Markup {
    let Access { does, request, keys, condition } = access(pattern);
    html! {
        tr {
            th scope="row" {
                a.name href=(Link::pattern(&design.name, &pattern.name)) { (pattern.name) }
                @if !pattern.reads() { span.mark.writes { (Icon::Write) "writes" } }
                p.about { @match &pattern.about { Some(about) => (about), None => (does) } }
            }
            td {
                span.request { (request) }
                @if !keys.is_empty() { div { (template(&keys)) } }
                @if !condition.is_empty() { p.about { "if " (condition) } }
            }
            td.figure { (cell("Rate")) }
            td.figure { (cell("Within")) }
            td.figure {
                @if cost.read_units + cost.write_units > 0.0 { (capacity(cost.read_units, cost.write_units)) }
            }
        }
    }
}
