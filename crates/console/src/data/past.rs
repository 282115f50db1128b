//! Pages as of a moment: the bar that chooses it, and how an item has changed since.

use std::sync::Arc;

use maud::{Markup, html};
use singlet_design::{Design, Entity, Table, time_of_ms};
use singlet_store::{History, RecoveryWindow};
use singlet_values::{EncodedItem, Item};

use super::read::{ItemKey, item};
use crate::console::Permission;
use crate::difference::changes;
use crate::failure::Failure;
use crate::icon::Icon;
use crate::keys::entity_of;
use crate::link::Link;
use crate::visit::{Visit, named};

/// The moments that links lead to, in seconds before now.
const AGO: [(u64, &str); 3] = [(300, "5 min ago"), (3_600, "1 hour ago"), (86_400, "1 day ago")];

/// The bar that chooses a moment for a page about these tables.
pub(super) async fn bar<S: History>(
    visit: &Visit<'_, S>,
    tables: &[Arc<Table>],
    here: &Link,
) -> Result<Markup, Failure> {
    let mut window: Option<RecoveryWindow> = None;
    for table in tables {
        let name = visit.served.table_name(table);
        let Some(found) = visit.served.runner().store().recovery_window(&name).await.ok().flatten() else {
            continue;
        };
        let earliest_ms = window.map_or(0, |window| window.earliest_ms).max(found.earliest_ms);
        window = Some(RecoveryWindow { earliest_ms, ..found });
    }
    let design = visit.served.name();
    let Some(window) = window else {
        return Ok(html! {
            @if visit.at_ms.is_some() {
                p.moment { "Recovery is off, so the past isn’t kept. " a href=(Link::below(design, &here.below_design())) { "Back to now" } }
            }
        });
    };
    let page = here.below_design();
    Ok(html! {
        form.moment.past[visit.at_ms.is_some()] method="get" action=(Link::at(design)) {
            input type="hidden" name="page" value=(page);
            label for="moment" { (Icon::Time) @if visit.at_ms.is_some() { "As of" } @else { "Look back to" } }
            input #moment type="datetime-local" step="1" name="to" value=(form_time(visit.at_ms.unwrap_or(window.latest_ms)))
                min=(form_time(window.earliest_ms)) max=(form_time(window.latest_ms)) required;
            span.zone { "UTC" }
            input.scripted type="range" aria-label="Moment" data-moment="moment"
                min=(window.earliest_ms / 1000) max=(window.latest_ms / 1000)
                value=(visit.at_ms.unwrap_or(window.latest_ms) / 1000);
            button type="submit" { "Go" }
            span.ago {
                @for (seconds, word) in AGO {
                    @let at_ms = window.latest_ms.saturating_sub(seconds * 1000);
                    @if at_ms >= window.earliest_ms {
                        a href=(Link::below(&named(design, Some(at_ms)), &page)) { (word) }
                    }
                }
                @if visit.at_ms.is_some() { a.now href=(Link::below(design, &page)) { "Back to now" } }
            }
        }
    })
}

/// A time as an input of a form has it.
fn form_time(time_ms: u64) -> String {
    time_of_ms(time_ms).get(..19).unwrap_or_default().to_owned()
}

/// An item at a moment, and now.
pub(super) struct Since<'d> {
    design: &'d Design,
    entity: Option<&'d Arc<Entity>>,
    then: Option<Item>,
    now: Option<Item>,
}

/// How an item has changed since the moment of a visit.
pub(super) async fn since<'v, S: History>(
    visit: &'v Visit<'_, S>,
    key: &ItemKey<'_>,
    then: Option<&EncodedItem>,
) -> Result<Since<'v>, Failure> {
    let now = item(visit.served, key).await?;
    let entity = then.or(now.as_ref()).and_then(|item| entity_of(&visit.design, key.table, item.view()));
    let decoded = |item: Option<&EncodedItem>| item.and_then(|item| item.decode().ok());
    Ok(Since { design: &visit.design, entity, then: decoded(then), now: decoded(now.as_ref()) })
}

impl Since<'_> {
    pub(super) fn content(&self, here: &Link, permission: Permission) -> Markup {
        let is_same = self.then == self.now;
        html! {
            section.block aria-labelledby="since" {
                h2 #since { "Since then" }
                @match (&self.then, &self.now) {
                    (None, None) => p.about { "The item wasn’t there then, and isn’t there now." },
                    (Some(_), None) => p.about { "The item has been deleted since." },
                    (None, Some(_)) => p.about { "The item has been created since." },
                    (Some(_), Some(_)) if is_same => p.about { "The item is the same now." },
                    (Some(then), Some(now)) => {
                        (changes(self.design, self.entity.map(AsRef::as_ref), Some(then), Some(now)))
                    }
                }
                @if !is_same && self.then.is_some() && self.entity.is_some() && permission == Permission::Write {
                    p.pages { a.button href=(here.of_item("restore")) { (Icon::Time) "Restore this item" } }
                }
            }
        }
    }
}
