//! Comparing a partition with what it was at a moment, and bringing it back.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use singlet_design::{Entity, Table, time_of_ms};
use singlet_run::{ItemAction, ItemVersion};
use singlet_store::{History, PastRange};
use singlet_values::{EncodedItem, Item};

use crate::console::Console;
use crate::data::{Place, trail};
use crate::difference::changes;
use crate::edit::{Step, VERSION, problem, save};
use crate::failure::Failure;
use crate::figures::counted;
use crate::guard::{Session, TOKEN};
use crate::icon::Icon;
use crate::keys::{entity_of, split};
use crate::layout::Section;
use crate::link::{Link, Pairs};
use crate::parts::{empty, entity_tag, prose};
use crate::visit::Visit;

/// The most items of a partition that are compared and brought back at once.
const ITEMS_MAX: usize = 500;
/// The name of the box that also deletes what was made since.
const DELETE_NEW: &str = "delete_new";

/// An item that isn't as it was.
struct Changed {
    key: Item,
    entity: Option<Arc<Entity>>,
    then: Option<Item>,
    now: Option<Item>,
}

impl Changed {
    fn word(&self) -> &'static str {
        match (&self.then, &self.now) {
            (None, _) => "created since",
            (_, None) => "deleted since",
            _ => "changed since",
        }
    }
}

/// A partition at a moment and now.
struct Comparison {
    changed: Vec<Changed>,
    same: usize,
    /// Whether there are more items than are compared.
    is_cut: bool,
}

impl Comparison {
    async fn of<S: History>(visit: &Visit<'_, S>, place: &Place<'_>) -> Result<Comparison, Failure> {
        let at_ms = visit.at_ms.ok_or_else(|| Failure::wrong("Choose a moment to compare with."))?;
        if place.index.is_some() {
            return Err(Failure::wrong(
                "The past of an index isn’t kept. Compare the partition of the table.",
            ));
        }
        let range = || PastRange::Partition(place.key());
        let then = visit.past(place.table, range(), None, ITEMS_MAX, at_ms).await?;
        let latest_ms = visit.latest_ms(place.table).await?;
        let now = visit.past(place.table, range(), None, ITEMS_MAX, latest_ms).await?;
        let mut pairs: BTreeMap<Vec<u8>, (Option<EncodedItem>, Option<EncodedItem>)> = BTreeMap::new();
        let place_of = |item: &EncodedItem| key_bytes(place.table, item);
        for item in then.items {
            let place = place_of(&item);
            pairs.entry(place).or_default().0 = Some(item);
        }
        for item in now.items {
            let place = place_of(&item);
            pairs.entry(place).or_default().1 = Some(item);
        }
        let all = pairs.len();
        let differ = pairs.into_values().filter(|(then, now)| then != now);
        let changed: Vec<Changed> =
            differ.map(|(then, now)| changed(visit, place.table, then, now)).collect();
        let is_cut = then.next.is_some() || now.next.is_some();
        Ok(Comparison { same: all - changed.len(), changed, is_cut })
    }

    /// A fingerprint of what would be overwritten.
    fn version(&self) -> String {
        let now: Item = self
            .changed
            .iter()
            .enumerate()
            .filter_map(|(position, changed)| {
                let now = changed.now.clone()?;
                Some((position.to_string(), singlet_values::AttributeValue::M(now)))
            })
            .collect();
        ItemVersion::whole(&now).to_string()
    }
}

fn key_bytes(table: &Table, item: &EncodedItem) -> Vec<u8> {
    let key: Item = item.decode().map(|item| key_of(table, &item)).unwrap_or_default();
    EncodedItem::encode(&key).as_bytes().to_vec()
}

fn key_of(table: &Table, item: &Item) -> Item {
    table.key().filter_map(|key| Some((key.name.as_str(), item.get(&key.name)?.clone()))).collect()
}

fn changed<S: History>(
    visit: &Visit<'_, S>,
    table: &Table,
    then: Option<EncodedItem>,
    now: Option<EncodedItem>,
) -> Changed {
    let any = then.as_ref().or(now.as_ref());
    let entity = any.and_then(|item| entity_of(&visit.design, table, item.view())).map(Arc::clone);
    let decoded = |item: Option<EncodedItem>| item.and_then(|item| item.decode().ok());
    let (then, now) = (decoded(then), decoded(now));
    let key = then.as_ref().or(now.as_ref()).map(|item| key_of(table, item)).unwrap_or_default();
    Changed { key, entity, then, now }
}

/// Shows how a partition has changed since a moment.
pub(crate) async fn compare<S: History>(
    State(console): State<Arc<Console<S>>>,
    Path(design): Path<String>,
    headers: HeaderMap,
    Query(pairs): Query<Pairs>,
) -> Result<Response, Failure> {
    let visit = Visit::of(&console, &design)?;
    let place = place(&visit, &pairs)?;
    let comparison = Comparison::of(&visit, &place).await?;
    Ok(page(&console, &visit, &place, &comparison, &headers, &html! {}))
}

/// Brings the items of a partition back that have changed or were deleted since a moment.
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
    let place = place(&visit, &pairs)?;
    let comparison = Comparison::of(&visit, &place).await?;
    let value = |name: &str| form.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str());
    if value(VERSION) != Some(comparison.version().as_str()) {
        let said =
            problem(&html! { "Somebody else has changed the items in the meantime. Nothing was written." });
        return Ok(page(&console, &visit, &place, &comparison, &headers, &said));
    }
    let (mut done, mut failures) = (0, Vec::new());
    for changed in &comparison.changed {
        let Some(entity) = &changed.entity else { continue };
        let seen = ItemVersion::of(visit.served.design(), entity, changed.now.as_ref());
        let action = match &changed.then {
            Some(then) => ItemAction::Restore { item: then.clone(), seen },
            None if value(DELETE_NEW).is_none() => continue,
            None => ItemAction::Delete { key: changed.key.clone(), seen },
        };
        match save(visit.served, entity, action, Step::Save).await.outcome {
            Ok(_) => done += 1,
            Err(error) => failures.push((entity.name.clone(), error.to_string())),
        }
    }
    let said = html! {
        p.notice role="status" { (Icon::Fine) (counted(done, "item")) " restored" }
        @for (entity, reason) in failures.iter().take(20) { (problem(&html! { (entity) ": " (prose(reason)) })) }
    };
    let comparison = Comparison::of(&visit, &place).await?;
    Ok(page(&console, &visit, &place, &comparison, &headers, &said))
}

fn place<'d, S: History>(visit: &Visit<'d, S>, pairs: &Pairs) -> Result<Place<'d>, Failure> {
    Place::of(visit.served, pairs)?.ok_or_else(|| Failure::wrong("The address names no partition."))
}

fn page<S: History>(
    console: &Console<S>,
    visit: &Visit<'_, S>,
    place: &Place<'_>,
    comparison: &Comparison,
    headers: &HeaderMap,
    said: &Markup,
) -> Response {
    let session = console.guard.session(headers);
    let here = Link::collection(&visit.design.name, place.table, None, &place.key_texts());
    let time = time_of_ms(visit.at_ms.unwrap_or_default());
    let frame = console.frame(Some(visit.served), Section::Data, "Compare a partition");
    session.with_page(frame.page(html! {
        (trail(&visit.design.name, &[(here.clone(), "Partition")]))
        header.heading {
            h1 { "Compare " @for (attribute, value) in &place.partition { (split(None, &attribute.name, value)) " " } }
            p.about { "The partition at " time datetime=(time) { (time) } " and now." }
        }
        (said)
        dl.tiles.small {
            div { dt { "differ" } dd { (comparison.changed.len()) } }
            div { dt { "the same" } dd { (comparison.same) } }
        }
        @if comparison.is_cut { p.about { "Only the first " (ITEMS_MAX) " items are compared." } }
        @if comparison.changed.is_empty() {
            (empty("Nothing differs", &html! { "The items are as they were then." }))
        } @else {
            @for changed in &comparison.changed { (difference(visit, changed)) }
            @if console.check_writable().is_ok() { (confirmation(console, &session, &here, comparison)) }
        }
    }))
}

fn difference<S: History>(visit: &Visit<'_, S>, changed: &Changed) -> Markup {
    let entity = changed.entity.as_deref();
    html! {
        details.compared {
            summary {
                @match entity {
                    Some(entity) => (entity_tag(&visit.design, &entity.name)),
                    None => span.entity.none { "other" },
                }
                span { @for (name, value) in changed.key.iter() { (split(entity, name, value)) " " } }
                span.mark { (changed.word()) }
            }
            (changes(&visit.design, entity, changed.then.as_ref(), changed.now.as_ref()))
        }
    }
}

fn confirmation<S: History>(
    console: &Console<S>,
    session: &Session,
    here: &Link,
    comparison: &Comparison,
) -> Markup {
    let is_new = comparison.changed.iter().any(|changed| changed.then.is_none());
    html! {
        form.confirm method="post" action=(here.of_item("compare")) {
            input type="hidden" name=(VERSION) value=(comparison.version());
            input type="hidden" name=(TOKEN) value=(console.guard.token(session));
            button.primary type="submit" { (Icon::Time) "Restore these items" }
            @if is_new {
                label.check { input type="checkbox" name=(DELETE_NEW) value="1"; "also delete those that were created since" }
            }
        }
    }
}
