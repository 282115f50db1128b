//! The first page: every design with its review and the items in its tables.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Html;
use maud::{Markup, html};
use singlet_review::Severity;
use singlet_store::Store;

use crate::console::{Console, Permission, Served};
use crate::cost::Cost;
use crate::figures::{counted, grouped, units};
use crate::icon::Icon;
use crate::layout::Section;
use crate::link::Link;
use crate::parts::{empty, heading};

/// A table as the store describes it.
struct Described {
    label: String,
    name: String,
    /// About how many items it has; `None` if the table isn't there.
    items: Option<u64>,
}

/// Shows the overview.
pub(crate) async fn page<S: Store>(State(console): State<Arc<Console<S>>>) -> Html<String> {
    let mut cards = Vec::new();
    let mut items = 0;
    for served in &console.designs {
        let tables = described(served).await;
        items += tables.iter().filter_map(|table| table.items).sum::<u64>();
        cards.push(card(served, &tables));
    }
    let frame = console.frame(None, Section::Overview, "Overview");
    frame.page(html! {
        (heading(&html! { "Overview" }, match console.permission {
            Permission::Write => None,
            Permission::ReadOnly => Some("This console only reads."),
        }))
        @if console.designs.is_empty() {
            (empty("No designs are served", &html! {
                "Start the server with a file: " code { "singlet serve design.toml" }
            }))
        } @else {
            (totals(&console, items))
            ul.cards { @for card in &cards { li { (card) } } }
        }
    })
}

/// The tables of a design in the store. A table that can't be described counts as missing.
async fn described<S: Store>(served: &Served<S>) -> Vec<Described> {
    let mut found = Vec::new();
    for table in &served.design().tables {
        let name = served.table_name(table);
        let state = served.runner().store().describe_table(&name).await.ok().flatten();
        found.push(Described { label: table.label.clone(), name, items: state.map(|state| state.items) });
    }
    found
}

/// The figures of everything that is served, as tiles.
fn totals<S: Store>(console: &Console<S>, items: u64) -> Markup {
    let sum = |count: fn(&Served<S>) -> usize| console.designs.iter().map(count).sum::<usize>() as u64;
    let findings = sum(|served| {
        let review = served.review();
        review.findings.iter().filter(|finding| finding.severity > Severity::Info).count()
    });
    let tiles = [
        (console.designs.len() as u64, "designs"),
        (sum(|served| served.design().tables.len()), "tables"),
        (sum(|served| served.design().entities.len()), "entities"),
        (sum(|served| served.design().callable().count()), "patterns"),
        (items, "items"),
        (findings, "errors and warnings"),
    ];
    html! {
        dl.tiles {
            @for (count, name) in tiles { div { dt { (name) } dd { (grouped(count)) } } }
        }
    }
}

fn card<S: Store>(served: &Served<S>, tables: &[Described]) -> Markup {
    let design = served.design();
    let name = served.name();
    html! {
        article.card {
            header {
                h2 { a href=(Link::design(name)) { (name) } }
                (verdict(served))
            }
            @if let Some(about) = &design.about { p.about { (about) } }
            dl.facts {
                div { dt { "Entities" } dd { (design.entities.len()) } }
                div { dt { "Patterns" } dd { (design.callable().count()) } }
                div { dt { "Indexes" } dd { (design.tables.iter().map(|table| table.indexes.len()).sum::<usize>()) } }
                div.wide { dt { "Declared load" } dd { (load(served)) } }
                div.wide { dt { "Items in " (place(served, tables)) } dd { (stored(tables)) } }
            }
            ul.actions {
                li { a href=(Link::patterns(name)) { (Icon::Pattern) "Patterns" } }
                li { a href=(Link::data(name)) { (Icon::Data) "Data" } }
                li { a href=(Link::diagram(name)) { (Icon::Diagram) "Diagram" } }
            }
        }
    }
}

/// The capacity units a second that the declared rates need.
fn load<S: Store>(served: &Served<S>) -> Markup {
    let Cost { read_units, write_units } = served.costs().per_second(served.design());
    html! {
        @if read_units + write_units > 0.0 {
            span.units { (units(read_units)) " " abbr title="read units a second" { "RU/s" } } " "
            span.units { (units(write_units)) " " abbr title="write units a second" { "WU/s" } }
        } @else {
            span.none { "none declared" }
        }
    }
}

/// The table of a design, or how many it has.
fn place<S: Store>(served: &Served<S>, tables: &[Described]) -> Markup {
    match tables {
        [only] => {
            let table = served.table(&only.label);
            let link =
                table.map_or_else(|_| Link::data(served.name()), |table| Link::table(served.name(), table));
            html! { a href=(link) { (only.name) } }
        }
        several => html! { a href=(Link::data(served.name())) { (counted(several.len(), "table")) } },
    }
}

/// About how many items there are.
fn stored(tables: &[Described]) -> Markup {
    let items: Option<u64> = tables.iter().map(|table| table.items).sum();
    html! {
        @match items {
            Some(items) => (grouped(items)),
            None => span.none { "not created" },
        }
    }
}

/// The result of the review in a few words.
fn verdict<S: Store>(served: &Served<S>) -> Markup {
    let findings = &served.review().findings;
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let kinds = [
        (Severity::Error, "severity error", Icon::Error, "error"),
        (Severity::Warning, "severity warning", Icon::Warning, "warning"),
        (Severity::Info, "severity note", Icon::Note, "note"),
    ];
    html! {
        a.verdict href=(Link::file(served.name())) {
            @for (severity, class, icon, word) in kinds {
                @if count(severity) > 0 { span class=(class) { (icon) (counted(count(severity), word)) } }
            }
            @if findings.is_empty() { span.severity.fine { (Icon::Fine) "no findings" } }
        }
    }
}
