//! The page of PartiQL: a statement that reads, how its items are found, and its answer.
//!
//! The plan is shown before anything is read. A statement that names no partition is a scan, which needs a second click.

use std::sync::Arc;

use axum::extract::{Path, Query as Given, State};
use axum::response::Html;
use maud::{Markup, html};
use singlet_design::{KeyAttribute, KeyKind, Table};
use singlet_expr::{self as expr, KeyCondition, KeyNames};
use singlet_partiql::{Access, Select, Statement};
use singlet_run::explain::{Recorded, Recording};
use singlet_store::{History, Query, Scan, Store, StoreError};
use singlet_values::{EncodedItem, Item, Kind};

use crate::console::{Console, Served};
use crate::data::item_link;
use crate::failure::Failure;
use crate::figures::{counted, grouped};
use crate::icon::Icon;
use crate::keys::entity_of;
use crate::layout::Section;
use crate::link::{Link, Pairs};
use crate::parts::{empty, entity_tag, heading, prose, scrolling};
use crate::pattern::request_list;
use crate::text::Visible;
use crate::value::{Room, attribute};

/// The bytes of a statement, as DynamoDB allows them.
const STATEMENT_BYTES_MAX: usize = 8_192;
/// Items that one request reads, the requests of one page, and the items that it shows.
const READ_ITEMS: u32 = 200;
const REQUESTS_MAX: usize = 10;
const SHOWN_MAX: usize = 100;
/// The attributes that have a column.
const COLUMNS_MAX: usize = 24;

/// A statement that can be run.
struct Reading<'d> {
    select: Select,
    table: &'d Arc<Table>,
    access: Access,
    is_backward: bool,
}

impl<'d> Reading<'d> {
    /// The plan of a text, or why it has none.
    fn of<S: Store>(served: &'d Served<S>, text: &str) -> Result<Reading<'d>, String> {
        if text.len() > STATEMENT_BYTES_MAX {
            return Err(format!("a statement has at most {STATEMENT_BYTES_MAX} bytes"));
        }
        let statement = Statement::parse(text, Vec::new()).map_err(|error| error.to_string())?;
        let Statement::Select(select) = statement else {
            return Err(
                "only `SELECT` runs here: items are changed on their own pages and by patterns".to_owned()
            );
        };
        let name = &select.source.table;
        let is_it = |table: &&Arc<Table>| served.table_name(table) == *name || table.label == *name;
        let table = served.design().tables.iter().find(is_it).ok_or_else(|| {
            let known: Vec<String> = served
                .design()
                .tables
                .iter()
                .map(|table| format!("`{}`", served.table_name(table)))
                .collect();
            format!("the design has no table `{name}`; it has {}", known.join(", "))
        })?;
        let (partition, sort) = match &select.source.index {
            None => (names([&table.partition]), names(&table.sort)),
            Some(index) => {
                let known = table.index(index).ok_or_else(|| format!("`{name}` has no index `{index}`"))?;
                (names(&known.partition), names(&known.sort))
            }
        };
        let key = KeyNames { partition: &partition, sort: &sort };
        let access = select.access(&key).map_err(|error| error.to_string())?;
        let is_backward = select.is_backward(&key);
        Ok(Reading { access, is_backward, select, table })
    }
}

fn names<'k>(attributes: impl IntoIterator<Item = &'k KeyAttribute>) -> Vec<expr::KeyAttribute<'k>> {
    let kind = |kind| match kind {
        KeyKind::Text => Kind::S,
        KeyKind::Number => Kind::N,
        KeyKind::Binary => Kind::B,
    };
    let attributes = attributes.into_iter();
    attributes.map(|key| expr::KeyAttribute { name: &key.name, kind: kind(key.kind) }).collect()
}

/// The answer of a statement.
#[derive(Default)]
struct Selected {
    items: Vec<EncodedItem>,
    read: u64,
    /// Whether there may be more.
    is_cut: bool,
}

impl Reading<'_> {
    /// Runs the statement, up to the bounds of a page.
    async fn run<S: Store>(&self, store: &S, table: String) -> Result<Selected, StoreError> {
        let mut selected = Selected::default();
        let mut requests = 0;
        match &self.access {
            Access::Scan => {
                let index = self.select.source.index.clone();
                let limit = Some(READ_ITEMS);
                let mut next =
                    Some(Scan { table, index, filter: None, projection: None, limit, start_key: None });
                while let Some(scan) = next {
                    if requests >= REQUESTS_MAX || selected.items.len() >= SHOWN_MAX {
                        selected.is_cut = true;
                        break;
                    }
                    requests += 1;
                    let page = store.scan(scan).await?;
                    selected.take(&self.select, page.items);
                    next = page.next;
                }
            }
            Access::Ranges(ranges) => {
                for range in ranges {
                    let mut next = Some(self.query(table.clone(), range));
                    while let Some(query) = next {
                        if requests >= REQUESTS_MAX || selected.items.len() >= SHOWN_MAX {
                            selected.is_cut = true;
                            return Ok(selected);
                        }
                        requests += 1;
                        let page = store.query(query).await?;
                        selected.take(&self.select, page.items);
                        next = page.next;
                    }
                }
            }
        }
        Ok(selected)
    }

    fn query(&self, table: String, key: &KeyCondition) -> Query {
        Query {
            table,
            index: self.select.source.index.clone(),
            key: key.clone(),
            filter: None,
            projection: None,
            limit: Some(READ_ITEMS),
            forward: !self.is_backward,
            consistent: false,
            start_key: None,
        }
    }
}

impl Selected {
    fn take(&mut self, select: &Select, items: Vec<EncodedItem>) {
        self.read += items.len() as u64;
        let fits = |item: &EncodedItem| {
            select.condition.as_ref().is_none_or(|condition| condition.matches(item.view()))
        };
        self.items.extend(items.into_iter().filter(fits));
        self.is_cut |= self.items.len() > SHOWN_MAX;
        self.items.truncate(SHOWN_MAX);
    }
}

/// Shows the form; with a statement, how it is read; and its answer.
pub(crate) async fn page<S: History>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    Given(pairs): Given<Pairs>,
) -> Result<Html<String>, Failure> {
    let served = console.served(&design)?;
    let value =
        |name: &str| pairs.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text.trim());
    let text = value("text").replace("\r\n", "\n");
    let plan = (!text.is_empty()).then(|| Reading::of(served, &text));
    let answer = match &plan {
        Some(Ok(plan)) => {
            let name = served.table_name(plan.table);
            let state = served.runner().store().describe_table(&name).await?;
            let items = state.map_or(0, |state| state.items);
            let runs = plan.access != Access::Scan || !value("scan").is_empty();
            let recording = Recording::new(served.runner().store());
            let selected = if runs { Some(plan.run(&recording, name).await) } else { None };
            let recorded = recording.recorded();
            html! {
                (shown_plan(plan, items, selected.is_some(), served.name(), &text))
                @if let Some(selected) = &selected { (shown(served, plan, selected, &recorded)) }
            }
        }
        Some(Err(reason)) => html! { div.problem role="alert" { (Icon::Error) p { (prose(reason)) } } },
        None => html! {},
    };
    let example = served.design().tables.first().map(|table| {
        format!("SELECT * FROM \"{}\" WHERE {} = '…'", served.table_name(table), table.partition.name)
    });
    let frame = console.frame(Some(served), Section::Data, "PartiQL");
    Ok(frame.page(html! {
        nav.trail aria-label="Path" { a href=(Link::data(served.name())) { "Data" } }
        (heading(&html! { "PartiQL" }, Some("A statement, how its items are found, and its answer. Only reads run here.")))
        form.raw method="get" action=(Link::statement(served.name())) {
            label for="text" { "Statement" }
            textarea #text name="text" rows="4" required spellcheck="false" autocomplete="off"
                placeholder=[example.as_deref()] { "\n" (text) }
            p.submit { button.primary type="submit" { "Run" } }
        }
        (answer)
    }))
}

/// How the items are found, with a warning before everything is read.
fn shown_plan(plan: &Reading<'_>, items: u64, is_run: bool, design: &str, text: &str) -> Markup {
    let source = match &plan.select.source.index {
        Some(index) => html! { "the index " code { (index) } },
        None => html! { "the table" },
    };
    html! {
        section.block aria-labelledby="plan" {
            h2 #plan { "Plan" }
            @match &plan.access {
                Access::Ranges(ranges) => p.plan {
                    span.severity.fine { (Icon::Fine) "query" }
                    span { (counted(ranges.len(), "key condition")) " of " (source) ", " @if plan.is_backward { "descending" } @else { "ascending" } }
                },
                Access::Scan => {
                    p.plan {
                        span.severity.warning { (Icon::Warning) "scan" }
                        span { "No partition key is given, so DynamoDB would read all of " (source) ": about " (grouped(items)) " items." }
                    }
                    @if !is_run {
                        form.confirm method="get" action=(Link::statement(design)) {
                            input type="hidden" name="text" value=(text);
                            button type="submit" name="scan" value="1" { "Scan anyway" }
                            span.about { "This page reads at most " (grouped(u64::from(READ_ITEMS) * REQUESTS_MAX as u64)) " items." }
                        }
                    }
                }
            }
        }
    }
}

fn shown<S: Store>(
    served: &Served<S>,
    plan: &Reading<'_>,
    selected: &Result<Selected, StoreError>,
    recorded: &[Recorded],
) -> Markup {
    html! {
        section.block aria-labelledby="answer" {
            h2 #answer { "Answer" }
            @match selected {
                Err(error) => div.problem role="alert" { (Icon::Error) p { (prose(&error.to_string())) } },
                Ok(selected) => {
                    p.effort {
                        (counted(selected.items.len(), "item"))
                        @if selected.read != selected.items.len() as u64 { ", " (grouped(selected.read)) " read" }
                        @if selected.is_cut { "; there may be more" }
                    }
                    @if selected.items.is_empty() { (empty("No items", &html! { "Nothing that was read fits the statement." })) }
                    @else { (rows(served, plan, &selected.items)) }
                }
            }
        }
        section.block aria-labelledby="requests" {
            h2 #requests { "The same as requests" }
            (request_list(recorded))
        }
    }
}

fn rows<S: Store>(served: &Served<S>, plan: &Reading<'_>, items: &[EncodedItem]) -> Markup {
    let design = served.design();
    let projection = plan.select.projection();
    let row = |item: &EncodedItem| -> Item {
        let shown = projection.as_ref().map_or_else(|| item.clone(), |columns| columns.project(item.view()));
        shown.decode().unwrap_or_default()
    };
    let rows: Vec<Item> = items.iter().map(row).collect();
    let mut columns: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flat_map(|item| item.iter()) {
        if !columns.contains(&name) && columns.len() < COLUMNS_MAX {
            columns.push(name);
        }
    }
    scrolling(
        "Answer",
        &html! {
            table.items {
                thead { tr {
                    th scope="col" { "Item" }
                    @for column in &columns { th scope="col" { (Visible(column)) } }
                } }
                tbody {
                    @for (item, row) in items.iter().zip(&rows) {
                        tr {
                            th scope="row" {
                                (item_link(design, plan.table, item, &match entity_of(design, plan.table, item.view()) {
                                    Some(entity) => entity_tag(design, &entity.name),
                                    None => html! { "open" },
                                }))
                            }
                            @for column in &columns { td { @if let Some(value) = row.get(column) { (attribute(None, value, Room::Cell)) } } }
                        }
                    }
                }
            }
        },
    )
}
