//! Subscribers with the same view, and how its answer changes.

use bytes::Bytes;
use singlet_design::{Entity, Index, Json, Operation, Projection};
use singlet_run::{Outcome, Paging, Record, RunError, Runner};
use singlet_store::{ItemChange, Store};
use singlet_values::EncodedItem;
use tokio::sync::mpsc;
use xxhash_rust::xxh3::xxh3_64;

use super::LiveRead;
use super::dependency::{Dependency, Tables};
use super::event::EventKind;
use super::lens::{Lens, Sight};
use crate::endpoint::CURSOR;
use crate::metered::Metered;

/// How the answer of a view changes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// Item by item. `own` are the requests of the read itself. `end` is the cursor at the end of the page that the
    /// subscriber has; items behind it aren't part of it.
    Items { own: Vec<Dependency>, end: Option<String> },
    /// As a whole. The hash says whether it changed.
    Whole { hash: u64 },
}

/// The answer of a view, and where it came from.
#[derive(Debug)]
pub(super) struct Opening {
    pub(super) answer: Json,
    pub(super) kind: Kind,
    pub(super) dependencies: Vec<Dependency>,
}

/// Subscribers with the same view.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) view: LiveRead,
    pub(super) kind: Kind,
    pub(super) dependencies: Vec<Dependency>,
    pub(super) subscribers: Vec<mpsc::Sender<Bytes>>,
    /// Whether the read must run again.
    pub(super) is_dirty: bool,
}

/// The effect of a change on a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    /// Nothing.
    None,
    /// An item of the answer may have changed.
    Item,
    /// The whole answer may have changed.
    Whole,
}

impl Kind {
    /// The part of event ids that the subscriber's view depends on.
    pub(super) fn rest(&self) -> Option<String> {
        match self {
            Kind::Items { end, .. } => end.clone(),
            Kind::Whole { hash } => Some(format!("{hash:016x}")),
        }
    }

    /// The text by which subscribers with the same view find each other.
    pub(super) fn key(&self, view: &LiveRead) -> String {
        let end = match self {
            Kind::Items { end, .. } => end.as_deref(),
            Kind::Whole { .. } => None,
        };
        let mut text = view.pattern.name.clone();
        for (name, value) in &view.arguments {
            text.push_str(&format!("\n{name}={value}"));
        }
        text + &format!("\n{:?}\n{end:?}\n{:?}", view.paging, view.caller)
    }
}

impl Group {
    pub(super) fn new(view: LiveRead, kind: Kind, dependencies: Vec<Dependency>) -> Self {
        Self { view, kind, dependencies, subscribers: Vec::new(), is_dirty: false }
    }

    /// Sends an event to all subscribers. One that hasn't read the last ones is cut off: it comes back and goes on from
    /// the last event that it has.
    pub(super) fn send(&mut self, event: &Bytes) {
        self.subscribers.retain(|subscriber| subscriber.try_send(event.clone()).is_ok());
    }

    pub(super) fn touch(&self, table: &str, change: &ItemChange) -> Touch {
        touch(&self.kind, &self.dependencies, table, change)
    }
}

/// Returns the effect of a change on an answer.
pub(super) fn touch(kind: &Kind, dependencies: &[Dependency], table: &str, change: &ItemChange) -> Touch {
    let is_touched = |dependency: &&Dependency| dependency.is_touched(table, change);
    match kind {
        Kind::Whole { .. } if dependencies.iter().any(|one| is_touched(&one)) => Touch::Whole,
        Kind::Items { own, .. } => {
            let mut touched = dependencies.iter().filter(is_touched);
            if touched.any(|dependency| !own.contains(dependency)) {
                Touch::Whole
            } else if own.iter().any(|one| is_touched(&one)) {
                Touch::Item
            } else {
                Touch::None
            }
        }
        Kind::Whole { .. } => Touch::None,
    }
}

/// The reads of live answers. All of them run the pattern as a call does.
pub(super) struct Reads<'a, S> {
    pub(super) runner: &'a Runner<Metered<S>>,
    pub(super) tables: &'a Tables,
}

impl<S: Store> Reads<'_, S> {
    /// Reads the answer of a view.
    pub(super) async fn open(&self, view: &LiveRead) -> Result<Opening, RunError> {
        let (outcome, mut dependencies) = self.run(view, &view.paging, Sight::Tables).await?;
        let answer = outcome.to_json();
        let kind = if is_itemwise(view) && !self.runner.looks_elsewhere(&view.pattern.name) {
            let (_, own) = self.run(view, &view.paging, Sight::Nothing).await?;
            // The read may have stopped early, and left out requests.
            dependencies
                .extend(own.iter().filter(|one| !dependencies.contains(one)).cloned().collect::<Vec<_>>());
            Kind::Items { own, end: answer.get(CURSOR).and_then(Json::as_text).map(str::to_owned) }
        } else {
            Kind::Whole { hash: xxh3_64(answer.to_string().as_bytes()) }
        };
        Ok(Opening { answer, kind, dependencies })
    }

    /// Whether a cursor is one of the view.
    pub(super) async fn knows(&self, view: &LiveRead, end: &str) -> bool {
        let paging = Paging { cursor: Some(end.to_owned()), ..view.paging.clone() };
        self.run(view, &paging, Sight::Nothing).await.is_ok()
    }

    /// Works out the event of a change. `None` if the subscribers don't see it.
    pub(super) async fn event(
        &self,
        view: &LiveRead,
        kind: &Kind,
        change: &ItemChange,
    ) -> Result<Option<(EventKind, Json)>, RunError> {
        let before = self.shown(view, kind, change.before.as_ref()).await?;
        let after = self.shown(view, kind, change.after.as_ref()).await?;
        let data = |key: Json, item: Option<Json>| {
            let item = item.map(|item| ("item".to_owned(), item));
            Json::Object(std::iter::once(("key".to_owned(), key)).chain(item).collect())
        };
        Ok(match (before, after) {
            (Some(before), Some(after)) if before == after => None,
            (_, Some((key, item))) => Some((EventKind::Put, data(key, Some(item)))),
            (Some((key, _)), None) => Some((EventKind::Remove, data(key, None))),
            (None, None) => None,
        })
    }

    /// The key and the fields of an item that a view shows of an image. `None` if it isn't part of the answer.
    async fn shown(
        &self,
        view: &LiveRead,
        kind: &Kind,
        image: Option<&EncodedItem>,
    ) -> Result<Option<(Json, Json)>, RunError> {
        let (Kind::Items { own, end }, Some(_)) = (kind, image) else { return Ok(None) };
        let sight = Sight::Item { image, own };
        let (outcome, _) = self.run(view, &view.paging, sight).await?;
        let Some(record) = only(outcome) else { return Ok(None) };
        if let Some(end) = end {
            let paging = Paging { cursor: Some(end.clone()), ..view.paging.clone() };
            let (behind, _) = self.run(view, &paging, sight).await?;
            if only(behind).is_some() {
                return Ok(None);
            }
        }
        let item = record.to_json();
        Ok(Some((key_of(&record, &item), item)))
    }

    async fn run(
        &self,
        view: &LiveRead,
        paging: &Paging,
        sight: Sight<'_>,
    ) -> Result<(Outcome, Vec<Dependency>), RunError> {
        let lens = Lens::new(self.runner.store(), self.tables, sight);
        let outcome =
            self.runner.on(&lens).run_as(&view.caller, &view.pattern.name, &view.arguments, paging).await?;
        Ok((outcome, lens.dependencies()))
    }
}

/// The item of an outcome that has at most one.
fn only(outcome: Outcome) -> Option<Record> {
    match outcome {
        Outcome::Item(record) => record,
        Outcome::Items { records, .. } => records.into_iter().next(),
        _ => None,
    }
}

/// The fields of an item's key, and its type where a list has several.
fn key_of(record: &Record, item: &Json) -> Json {
    let entity = &record.shown.entity;
    let kind = record.shown.with_type.then(|| ("type".to_owned(), Json::from(entity.type_name.as_str())));
    let field = |name: &str| Some((name.to_owned(), item.get(name)?.clone()));
    Json::Object(kind.into_iter().chain(key_fields(entity).into_iter().filter_map(field)).collect())
}

/// The names of the fields that make an entity's key.
fn key_fields(entity: &Entity) -> Vec<&str> {
    let templates = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    let mut fields: Vec<&str> = Vec::new();
    for field in templates.flat_map(|template| template.fields()) {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    fields
}

/// Whether an answer changes item by item: each item depends on itself alone, and shows its key.
fn is_itemwise(view: &LiveRead) -> bool {
    if view.paging.cursor.is_some() {
        return false;
    }
    match &view.pattern.operation {
        Operation::Get(get) => {
            get.on.is_none() && get.resolve.is_empty() && shows_key(&get.entity, get.show.as_deref(), None)
        }
        Operation::Query(query) => {
            let shows = |entity: &Entity| shows_key(entity, query.show.as_deref(), query.on.as_deref());
            query.resolve.is_empty()
                && query.buckets.is_none()
                && query.entities.iter().all(|entity| shows(entity))
        }
        _ => false,
    }
}

fn shows_key(entity: &Entity, show: Option<&[String]>, index: Option<&Index>) -> bool {
    let is_carried = |name: &str| match index.map(|index| &index.projection) {
        None | Some(Projection::All) => true,
        Some(Projection::Keys) => false,
        Some(Projection::Include(names)) => names.iter().any(|known| known == name),
    };
    key_fields(entity).into_iter().all(|name| {
        entity.field(name).is_some()
            && is_carried(name)
            && show.is_none_or(|show| show.iter().any(|shown| shown == name))
    })
}
