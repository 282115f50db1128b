//! Bringing one item back to a moment.

use std::sync::Arc;

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use maud::html;
use singlet_design::{Entity, time_of_ms};
use singlet_run::{ItemAction, ItemError, ItemVersion};
use singlet_store::History;
use singlet_values::{EncodedItem, Item};

use crate::console::Console;
use crate::data::{ItemKey, item_at, item_key, read_item, trail};
use crate::difference::changes;
use crate::edit::{Step, VERSION, Written, problem, save, seen};
use crate::failure::Failure;
use crate::guard::TOKEN;
use crate::icon::Icon;
use crate::keys::{entity_of, split};
use crate::layout::Section;
use crate::link::{Link, Pairs};
use crate::notice::DONE;
use crate::parts::{entity_tag, prose};
use crate::pattern::request_list;
use crate::visit::Visit;

/// An item at a moment and now.
struct Both<'v> {
    key: ItemKey<'v>,
    entity: &'v Arc<Entity>,
    then: Item,
    now: Option<Item>,
}

impl<'v> Both<'v> {
    async fn of<S: History>(visit: &'v Visit<'_, S>, pairs: &Pairs) -> Result<Both<'v>, Failure> {
        let key = item_key(visit.served, pairs)?;
        let then = item_at(visit, &key).await?;
        let then = then.ok_or_else(|| {
            Failure::wrong("The item wasn’t there at that moment. To undo its creation, delete it.")
        })?;
        let now = read_item(visit.served, &key).await?;
        let entity = entity_of(visit.served.design(), key.table, then.view());
        let entity = entity.ok_or_else(|| {
            Failure::wrong("The item belongs to no entity of the design, so it can’t be restored.")
        })?;
        let decoded = |item: &EncodedItem| {
            item.decode().map_err(|_| Failure::wrong("The bytes of the item are damaged."))
        };
        let now = now.as_ref().map(decoded).transpose()?;
        Ok(Both { then: decoded(&then)?, now, key, entity })
    }

    fn action(&self, seen: ItemVersion) -> ItemAction {
        ItemAction::Restore { item: self.then.clone(), seen }
    }
}

/// Shows what bringing an item back would write.
pub(crate) async fn show<S: History>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    headers: HeaderMap,
    Query(pairs): Query<Pairs>,
) -> Result<Response, Failure> {
    console.check_writable()?;
    let visit = Visit::of(&console, &design)?;
    let both = Both::of(&visit, &pairs).await?;
    page(&console, &visit, &both, &headers, None).await
}

/// Brings an item back.
pub(crate) async fn restore<S: History>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    headers: HeaderMap,
    Query(pairs): Query<Pairs>,
    Form(form): Form<Pairs>,
) -> Result<Response, Failure> {
    console.check_writable()?;
    console.guard.check(&headers, &form)?;
    let visit = Visit::of(&console, &design)?;
    let both = Both::of(&visit, &pairs).await?;
    let written = save(visit.served, both.entity, both.action(seen(&form)?), Step::Save).await;
    match written.outcome {
        Ok(_) => {
            let link = Link::item_with_key(visit.served.name(), both.key.table, &both.key.key);
            let link = link.unwrap_or_else(|| Link::data(visit.served.name())).with(DONE, "restored");
            Ok(Redirect::to(&link.to_string()).into_response())
        }
        Err(error) => page(&console, &visit, &both, &headers, Some(&error)).await,
    }
}

async fn page<S: History>(
    console: &Console<S>,
    visit: &Visit<'_, S>,
    both: &Both<'_>,
    headers: &HeaderMap,
    failed: Option<&ItemError>,
) -> Result<Response, Failure> {
    let served = visit.served;
    let version = ItemVersion::of(served.design(), both.entity, both.now.as_ref());
    let Written { outcome, recorded } = save(served, both.entity, both.action(version), Step::Preview).await;
    let session = console.guard.session(headers);
    let here = Link::item_with_key(&visit.design.name, both.key.table, &both.key.key)
        .unwrap_or_else(|| Link::data(&visit.design.name));
    let frame = console.frame(Some(served), Section::Data, "Restore an item");
    Ok(session.with_page(frame.page(html! {
        (trail(&visit.design.name, &[(here.clone(), "Item")]))
        header.heading {
            h1 { "Restore " (entity_tag(served.design(), &both.entity.name)) }
            p.item-key { @for key in both.entity.table.key() {
                @if let Some(value) = both.then.get(&key.name) { (split(Some(both.entity), &key.name, value)) " " }
            } }
            p.about { "The item becomes what it was at " time datetime=(time_of_ms(visit.at_ms.unwrap_or_default())) { (time_of_ms(visit.at_ms.unwrap_or_default())) } ". Counts and other fields that follow from other items stay as they are." }
        }
        @if let Some(error) = failed { (problem(&html! { (prose(&error.to_string())) ". This is the difference now." })) }
        @match &outcome {
            Err(error) => (problem(&html! { (prose(&error.to_string())) })),
            Ok(difference) if difference.before == difference.after => {
                p.about { "The item is as it was then." }
                p.pages { a.button href=(here) { "Back" } }
            }
            Ok(difference) => {
                section.block aria-labelledby="difference" {
                    h2 #difference { "What would be written" }
                    (changes(served.design(), Some(both.entity), difference.before.as_ref(), difference.after.as_ref()))
                }
                form.confirm method="post" action=(here.of_item("restore")) {
                    input type="hidden" name=(VERSION) value=(version);
                    input type="hidden" name=(TOKEN) value=(console.guard.token(&session));
                    button.primary type="submit" { (Icon::Time) "Restore the item" }
                    a.button href=(here) { "Cancel" }
                }
                section.block.after aria-labelledby="requests" {
                    h2 #requests { "Requests" }
                    (request_list(&recorded))
                }
            }
        }
    })))
}
