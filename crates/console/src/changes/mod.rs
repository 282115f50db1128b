//! The changes of a table's items, the latest first, and those that follow as they come in.

mod list;
mod tail;

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Html;
use maud::{Markup, html};
use singlet_design::{Design, Entity, Table};
use singlet_store::{ChangePosition, ChangesFrom, History, ReadChanges, RecordedChange};
use singlet_values::EncodedItem;

use crate::console::{Console, Served};
use crate::derived::tabs;
use crate::failure::Failure;
use crate::icon::Icon;
use crate::keys::entity_of;
use crate::layout::Section;
use crate::link::{Link, Pairs};
use crate::parts::{empty, heading};

pub(crate) use tail::tail;

/// The changes on a page.
const SHOWN_MAX: usize = 40;
/// The changes that are read for a page at most: the others don't fit its filter.
const READ_MAX: usize = 4_000;

/// The changes that a page is about.
#[derive(Debug, Clone)]
struct Choice<'d> {
    table: &'d Arc<Table>,
    entity: Option<&'d Arc<Entity>>,
    /// A part of the text of a key attribute.
    key: String,
    from: ChangesFrom,
}

impl<'d> Choice<'d> {
    fn of<S: History>(served: &'d Served<S>, pairs: &Pairs) -> Result<Choice<'d>, Failure> {
        let value = |name: &str| {
            let found = pairs.iter().find(|(known, text)| known == name && !text.is_empty());
            found.map(|(_, text)| text.as_str())
        };
        let entity = value("entity").map(|name| served.entity(name)).transpose()?;
        let first = || served.design().tables.first().ok_or_else(|| Failure::not_found("table", ""));
        let table = match (value("table"), entity) {
            (_, Some(entity)) => served.table(&entity.table.label)?,
            (Some(label), None) => served.table(label)?,
            (None, None) => first()?,
        };
        let position = |text: &str| {
            let damaged =
                |_| Failure::wrong("The address of the page is damaged: begin with the latest changes.");
            text.parse::<ChangePosition>().map_err(damaged)
        };
        let from = match (value("before"), value("after")) {
            (Some(before), _) => ChangesFrom::Before(position(before)?),
            (None, Some(after)) => ChangesFrom::After(position(after)?),
            (None, None) => ChangesFrom::Latest,
        };
        Ok(Choice { table, entity, key: value("key").unwrap_or_default().to_owned(), from })
    }

    /// The page with this filter, at its beginning.
    fn link(&self, design: &str) -> Link {
        let link = Link::changes(design).with("table", self.table.label.as_str());
        let link = self.entity.map_or(link.clone(), |entity| link.with("entity", entity.name.as_str()));
        if self.key.is_empty() { link } else { link.with("key", self.key.as_str()) }
    }

    /// Whether a change fits the filter.
    fn fits(&self, design: &Design, change: &RecordedChange) -> bool {
        let Some(item) = change.after.as_ref().or(change.before.as_ref()) else { return false };
        let of_entity = |wanted: &Arc<Entity>| {
            entity_of(design, self.table, item.view()).is_some_and(|entity| entity.name == wanted.name)
        };
        self.entity.is_none_or(of_entity) && (self.key.is_empty() || self.has_key(item))
    }

    fn has_key(&self, item: &EncodedItem) -> bool {
        let texts = self.table.key().filter_map(|key| item.view().get(&key.name));
        texts.filter_map(crate::key_text::write).any(|text| text.contains(&self.key))
    }
}

/// A page of changes, the latest first.
struct Changes {
    shown: Vec<RecordedChange>,
    read: usize,
    /// The position of the first and of the last change that was read.
    newest: Option<ChangePosition>,
    oldest: Option<ChangePosition>,
}

impl Changes {
    async fn of<S: History>(served: &Served<S>, choice: &Choice<'_>) -> Result<Changes, Failure> {
        let request =
            ReadChanges { table: served.table_name(choice.table), from: choice.from, changes_max: READ_MAX };
        let found = served.runner().store().read_changes(request).await?;
        let is_forward = matches!(choice.from, ChangesFrom::After(_));
        let (mut shown, mut read, mut last) = (Vec::new(), 0, None);
        let first = found.first().map(|change| change.position);
        for change in found {
            read += 1;
            last = Some(change.position);
            if choice.fits(served.design(), &change) {
                shown.push(change);
            }
            if shown.len() >= SHOWN_MAX {
                break;
            }
        }
        if is_forward {
            shown.reverse();
            return Ok(Changes { shown, read, newest: last, oldest: first });
        }
        Ok(Changes { shown, read, newest: first, oldest: last })
    }
}

/// Shows the changes of a table, the latest first.
pub(crate) async fn show<S: History>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    Query(pairs): Query<Pairs>,
) -> Result<Html<String>, Failure> {
    let served = console.served(&design)?;
    let choice = Choice::of(served, &pairs)?;
    let changes = Changes::of(served, &choice).await?;
    let base = choice.link(served.name());
    let frame = console.frame(Some(served), Section::Changes, "Changes");
    let is_live = matches!(choice.from, ChangesFrom::Latest);
    let newest = changes.newest.or(match choice.from {
        ChangesFrom::After(position) => Some(position),
        _ => None,
    });
    Ok(frame.page(html! {
        (tabs(served.name(), false))
        (heading(&html! { "Changes" }, Some("Every recorded change of an item, the latest first.")))
        (form(served, &choice))
        @if is_live {
            p.live.scripted role="status" data-tail=(base.of_item("tail").with("after", newest.map_or_else(|| "0.0".to_owned(), |at| at.to_string()))) {
                span.dot {} span { "Live: new changes appear here" }
            }
        }
        @if changes.shown.is_empty() {
            (nothing(&choice, &changes))
        }
        ol.changes #changes { @for change in &changes.shown { (list::change(served.design(), choice.table, change)) } }
        nav.pages aria-label="Pages" {
            @if let Some(newest) = newest {
                a.button href=(base.clone().with("after", newest.to_string())) { (Icon::Back) "Newer" }
            }
            @if !is_live { a.button href=(base) { "Latest" } }
            @if let Some(oldest) = changes.oldest.filter(|_| changes.read > 0) {
                a.button rel="next" href=(base.clone().with("before", oldest.to_string())) { "Older" (Icon::Forward) }
            }
        }
    }))
}

fn nothing(choice: &Choice<'_>, changes: &Changes) -> Markup {
    match (choice.from, changes.read) {
        (ChangesFrom::After(_), 0) => {
            empty("Nothing newer", &html! { "No item has changed since. Load the page again later." })
        }
        (_, 0) => empty(
            "No changes are recorded",
            &html! {
                "Changes are recorded for tables with a stream or recovery: " code { "stream = true" } " or "
                code { "recovery = \"7 days\"" } " below the table’s settings in the design."
            },
        ),
        (_, read) => empty(
            "No change fits",
            &html! {
                "None of the " (read) " changes that were read fits the filter. Look at older ones."
            },
        ),
    }
}

/// The filter.
fn form<S: History>(served: &Served<S>, choice: &Choice<'_>) -> Markup {
    let design = served.design();
    html! {
        form.inline method="get" action=(Link::changes(served.name())) {
            @if design.tables.len() > 1 {
                div.field {
                    label for="table" { "Table" }
                    select #table name="table" {
                        @for table in &design.tables {
                            option value=(table.label) selected[table.label == choice.table.label] { (table.label) }
                        }
                    }
                }
            }
            div.field {
                label for="entity" { "Entity" }
                select #entity name="entity" {
                    option value="" { "all" }
                    @for entity in &design.entities {
                        option value=(entity.name) selected[choice.entity.is_some_and(|chosen| chosen.name == entity.name)] { (entity.name) }
                    }
                }
            }
            div.field.grows {
                label for="key" { "Part of the key" }
                input #key type="text" name="key" value=(choice.key) placeholder="USER#" autocomplete="off" spellcheck="false";
            }
            p.submit { button.primary type="submit" { "Show" } }
        }
    }
}
