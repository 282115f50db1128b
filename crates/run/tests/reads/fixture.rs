//! A design with items on a database in memory. The backend is the store that reaches it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use singlet_design::{Json, load, to_attribute, to_json};
use singlet_engine::values::{AttributeValue, Item};
use singlet_engine::{Database, ManualClock, Options};
use singlet_run::{Arguments, Outcome, Paging, Record, RunError, Runner, Wait, apply, derive};
use singlet_store::{self as store, ReturnItem, Store};

use crate::backend::{Backend, Guard, open};

pub(crate) const NOW_MS: u64 = 1_750_000_000_000;

/// A database with items of a design.
pub(crate) struct Data {
    pub(crate) runner: Runner<Backend>,
    /// Keeps the backend running. It is the last field, so the store goes first.
    _guard: Guard,
}

impl Data {
    /// An empty database for the design.
    pub(crate) fn new(source: &str) -> Self {
        let design = Arc::new(load("test.toml", source).unwrap_or_else(|report| panic!("{report}")));
        // The database's own clock stands in January 2020, years behind the runner's, so that it deletes nothing: reads alone
        // leave out what has expired.
        let clock = Arc::new(ManualClock::new(1_580_000_000_000));
        let options = Options { clock, ..Options::default() };
        let (store, guard) = open(Database::in_memory_with(options).unwrap());
        let environment = apply::choose_environment(&design, None).unwrap();
        apply::plan(&design, &environment, &store).wait().unwrap().run(&store, &mut |_| {}).wait().unwrap();
        let runner = Runner::new(design, store, environment.name);
        let clock = Arc::new(ManualClock::new(NOW_MS));
        Data { runner: runner.with_clock(clock).with_cursor_key([7; 32]), _guard: guard }
    }

    /// Stores an item as the patterns that write would: its fields, and what follows from them.
    pub(crate) fn put(&self, entity: &str, fields: &[(&str, &str)]) {
        let entity = self.runner.design().entity(entity).unwrap().clone();
        let attribute = |(name, text): &(&str, &str)| -> (String, AttributeValue) {
            let kind = &entity.field(name).unwrap().kind;
            let value = to_attribute(kind, &json(text)).or_else(|_| to_attribute(kind, &Json::from(*text)));
            ((*name).to_owned(), value.unwrap())
        };
        let mut item: Item = fields.iter().map(attribute).collect();
        derive::complete(&entity, &mut item).unwrap();
        let table = entity.table.name_in("dev");
        let put = store::PutItem { table, item, condition: None, returned: ReturnItem::None };
        self.runner.store().put(put).wait().unwrap();
    }

    pub(crate) fn run(&self, pattern: &str, arguments: &[(&str, &str)]) -> Result<Outcome, RunError> {
        self.runner.run(pattern, &given(arguments), &Paging::default()).wait()
    }

    pub(crate) fn json(&self, pattern: &str, arguments: &[(&str, &str)]) -> String {
        self.run(pattern, arguments).unwrap().to_json().to_string()
    }

    /// Goes through all pages of a list and gives a field, or a stored attribute, of its items.
    pub(crate) fn pages(
        &self,
        pattern: &str,
        arguments: &[(&str, &str)],
        limit: u32,
        field: &str,
    ) -> Vec<String> {
        let mut cursor = None;
        let mut values = Vec::new();
        for _ in 0..10_000 {
            let paging = Paging { limit: Some(limit), cursor: cursor.take() };
            let (records, next) = items(self.runner.run(pattern, &given(arguments), &paging).wait().unwrap());
            assert!(records.len() <= limit as usize);
            assert!(
                next.is_none() || records.len() == limit as usize,
                "a page is full unless it is the last"
            );
            values.extend(records.iter().map(|record| member(record, field)));
            match next {
                Some(next) => cursor = Some(next),
                None => return values,
            }
        }
        panic!("the list doesn't end");
    }
}

/// Does something while another thread repeats these writes, and returns its result.
pub(crate) fn beside<W: Sync, T>(
    writes: &[W],
    write: impl Fn(usize, &W) + Sync,
    read: impl FnOnce() -> T,
) -> T {
    /// Ends the writes, even if the reads panic.
    struct Ended<'a>(&'a AtomicBool);
    impl Drop for Ended<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for (turn, one) in writes.iter().enumerate().cycle().take(10_000) {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                write(turn, one);
            }
        });
        let _ended = Ended(&is_over);
        read()
    })
}

/// Deletes an item by the text of its key.
pub(crate) fn delete(data: &Data, table: &str, (partition, sort): (&str, &str)) {
    let key = [("PK", partition), ("SK", sort)].map(|(name, value)| (name, AttributeValue::from(value)));
    let request = store::DeleteItem {
        table: table.to_owned(),
        key: key.into_iter().collect(),
        condition: None,
        returned: ReturnItem::None,
    };
    data.runner.store().delete(request).wait().unwrap();
}

/// JSON as it is written, any other text as itself.
fn json(text: &str) -> Json {
    text.parse().unwrap_or_else(|_| Json::from(text))
}

pub(crate) fn given(arguments: &[(&str, &str)]) -> Arguments {
    arguments.iter().map(|(name, text)| ((*name).to_owned(), json(text))).collect()
}

pub(crate) fn items(outcome: Outcome) -> (Vec<Record>, Option<String>) {
    match outcome {
        Outcome::Items { records, cursor, .. } => (records, cursor.map(|cursor| cursor.to_string())),
        other => panic!("no list: {other:?}"),
    }
}

pub(crate) fn member(record: &Record, field: &str) -> String {
    let shown = record.to_json().get(field).cloned();
    match shown.or_else(|| record.item.view().get(field).map(to_json)).unwrap_or_default() {
        Json::Text(text) => text,
        other => other.to_string(),
    }
}
