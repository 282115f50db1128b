//! Tasks: changes that concern many items.
//!
//! A batch doesn't touch all items that refer to a changed one. It leaves a task, which the worker works on page by page
//! between batches. The effects of a page and the task's new place are one transaction, so a crash neither loses nor
//! repeats a page.

use singlet_expr::{KeyCondition, KeyTerm, KeyTest};
use singlet_run::apply::DERIVED_TABLE;
use singlet_store::{DeleteItem, PutItem, Query, ReturnItem, Store, TransactAction};
use singlet_values::{AttributeValue, Item};

use crate::error::DeriveError;
use crate::progress::{KIND, OWNER};
use crate::tally::whole;

/// The beginning of the kinds of tasks. The number of the batch and a number within it follow.
const PREFIX: &str = "task#";
const SUBJECT: &str = "subject";
const SOURCE: &str = "source";
const TIME: &str = "time_ms";
const AFTER: &str = "after";
const INDEX: &str = "index";
const DONE: &str = "done";

/// A change that concerns many items, and how far its effects are.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Task {
    /// The sort key in the table of derived data. Later tasks have larger ones.
    kind: String,
    /// Its purpose: a reference along which fields are copied, or items that are deleted.
    pub(crate) subject: String,
    pub(crate) cause: TaskCause,
    /// The index that is read, and the key of the last item that is done. `None` at the beginning.
    pub(crate) place: Option<(Option<String>, Item)>,
    /// The items that are done, if they are counted.
    pub(crate) done: u64,
}

/// The change that concerns many items.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TaskCause {
    /// The fields in the key of the item that has changed.
    pub(crate) source: Item,
    /// The time of the change.
    pub(crate) time_ms: u64,
}

/// A task after one of its pages.
#[derive(Debug, Clone)]
pub(crate) enum TaskStep {
    /// It goes on from its new place.
    GoesOn(Task),
    /// Nothing is left to do.
    IsDone(Task),
}

impl Task {
    pub(crate) fn new(batch: u64, number: usize, subject: &str, cause: TaskCause) -> Self {
        let kind = format!("{PREFIX}{batch:020}#{number:04}");
        Task { kind, subject: subject.to_owned(), cause, place: None, done: 0 }
    }

    /// Reads some tasks after another one.
    pub(crate) async fn after(
        store: &impl Store,
        owner: &str,
        last: Option<&Task>,
        limit: u32,
    ) -> Result<Vec<Task>, DeriveError> {
        let term = |attribute: &str, test: KeyTest| KeyTerm { attribute: attribute.to_owned(), test };
        let request = Query {
            table: DERIVED_TABLE.to_owned(),
            index: None,
            key: KeyCondition::from_terms(vec![
                term(OWNER, KeyTest::Equal(AttributeValue::from(owner))),
                term(KIND, KeyTest::BeginsWith(AttributeValue::from(PREFIX))),
            ]),
            filter: None,
            projection: None,
            limit: Some(limit),
            forward: true,
            consistent: true,
            start_key: last.map(|task| key(owner, &task.kind)),
        };
        let page = store.query(request).await?;
        let mut tasks = Vec::with_capacity(page.items.len());
        for item in &page.items {
            tasks.extend(Task::of(&item.decode().map_err(DeriveError::corrupt)?));
        }
        Ok(tasks)
    }

    fn of(item: &Item) -> Option<Task> {
        let text = |name: &str| match item.get(name) {
            Some(AttributeValue::S(text)) => Some(text.clone()),
            _ => None,
        };
        let map = |name: &str| match item.get(name) {
            Some(AttributeValue::M(members)) => Some(members.clone()),
            _ => None,
        };
        let place = map(AFTER).map(|after| (text(INDEX), after));
        // A task in another form is about nothing, and is dropped.
        let (subject, source) = (text(SUBJECT).unwrap_or_default(), map(SOURCE).unwrap_or_default());
        let time_ms = item.get(TIME).and_then(whole).unwrap_or_default();
        let done = item.get(DONE).and_then(whole).unwrap_or_default();
        Some(Task { kind: text(KIND)?, subject, cause: TaskCause { source, time_ms }, place, done })
    }

    /// The same task, later.
    pub(crate) fn at(&self, index: Option<String>, after: Item) -> Self {
        Task { place: Some((index, after)), ..self.clone() }
    }

    /// The same task, with so many more items done.
    pub(crate) fn with_done(self, count: u64) -> Self {
        Task { done: self.done.saturating_add(count), ..self }
    }

    /// The work that follows this task, from its beginning.
    pub(crate) fn then(&self, subject: String) -> Self {
        Task { subject, place: None, done: 0, ..self.clone() }
    }

    /// Returns the write that keeps the task.
    pub(crate) fn keep(&self, owner: &str) -> TransactAction {
        let mut item = key(owner, &self.kind);
        item.insert(SUBJECT, self.subject.as_str());
        item.insert(SOURCE, self.cause.source.clone());
        item.insert(TIME, self.cause.time_ms);
        if self.done > 0 {
            item.insert(DONE, self.done);
        }
        if let Some((index, after)) = &self.place {
            item.insert(AFTER, after.clone());
            if let Some(index) = index {
                item.insert(INDEX, index.as_str());
            }
        }
        let table = DERIVED_TABLE.to_owned();
        // The progress in the same transaction says whether the worker still has the right to write it.
        TransactAction::Put(PutItem { table, item, condition: None, returned: ReturnItem::None })
    }

    fn forget(&self, owner: &str) -> TransactAction {
        let table = DERIVED_TABLE.to_owned();
        let key = key(owner, &self.kind);
        TransactAction::Delete(DeleteItem { table, key, condition: None, returned: ReturnItem::None })
    }
}

impl TaskStep {
    pub(crate) fn write(&self, owner: &str) -> TransactAction {
        match self {
            TaskStep::GoesOn(task) => task.keep(owner),
            TaskStep::IsDone(task) => task.forget(owner),
        }
    }
}

fn key(owner: &str, kind: &str) -> Item {
    Item::from([(OWNER, owner), (KIND, kind)])
}
