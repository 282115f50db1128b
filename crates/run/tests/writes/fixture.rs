//! A design on a database in memory. The backend is the store that reaches it.

use std::sync::Arc;

use singlet_design::{Design, Json, load};
use singlet_engine::values::Item;
use singlet_engine::{Database, ManualClock, Options, Scan};
use singlet_run::{Arguments, Outcome, Paging, RunError, Runner, SeededEntropy, Wait, apply};
use singlet_store::Store;

use crate::backend::{Backend, Guard, open};

/// 2025-01-20T15:30:00Z.
pub(crate) const NOW_MS: u64 = 1_737_387_000_000;

/// Runs a pattern with arguments as the text of a JSON object.
pub(crate) async fn try_run<S: Store>(
    runner: &Runner<S>,
    pattern: &str,
    arguments: &str,
) -> Result<Outcome, RunError> {
    let Json::Object(members) = arguments.parse::<Json>().unwrap() else { panic!("an object") };
    let arguments: Arguments = members.into_iter().collect();
    runner.run(pattern, &arguments, &Paging::default()).await
}

/// A runner and the database under it.
pub(crate) struct Fixture {
    pub(crate) runner: Runner<Backend>,
    pub(crate) database: Database,
    pub(crate) clock: Arc<ManualClock>,
    /// Keeps the backend running. It is the last field, so the store goes first.
    _guard: Guard,
}

impl Fixture {
    /// Applies a design to an empty database.
    pub(crate) fn new(source: &str) -> Self {
        let design = load("test.toml", source).unwrap_or_else(|report| panic!("{report}"));
        Fixture::of(design)
    }

    pub(crate) fn of(design: Design) -> Self {
        let design = Arc::new(design);
        let clock = Arc::new(ManualClock::new(NOW_MS));
        let options = Options { clock: clock.clone(), ..Options::default() };
        let database = Database::in_memory_with(options).unwrap();
        let (store, guard) = open(database.clone());
        let environment = apply::choose_environment(&design, None).unwrap();
        apply::plan(&design, &environment, &store).wait().unwrap().run(&store, &mut |_| {}).wait().unwrap();
        let runner = Runner::new(design, store, environment.name)
            .with_clock(clock.clone())
            .with_entropy(Arc::new(SeededEntropy::new(7)));
        Fixture { runner, database, clock, _guard: guard }
    }

    /// Runs a pattern with arguments as the text of a JSON object.
    pub(crate) fn try_run(&self, pattern: &str, arguments: &str) -> Result<Outcome, RunError> {
        try_run(&self.runner, pattern, arguments).wait()
    }

    /// A runner of the same design on another store.
    pub(crate) fn runner_on<S: Store>(&self, store: S) -> Runner<S> {
        Runner::new(self.runner.design().clone(), store, "dev").with_clock(self.clock.clone())
    }

    /// The same, when it must succeed; gives the answer as JSON.
    pub(crate) fn run(&self, pattern: &str, arguments: &str) -> Json {
        match self.try_run(pattern, arguments) {
            Ok(outcome) => outcome.to_json(),
            Err(error) => panic!("{pattern} {arguments}: {error}"),
        }
    }

    /// Everything in the table, or in one of its indexes.
    pub(crate) fn scan(&self, index: Option<&str>) -> Vec<Item> {
        let table = self.runner.design().tables[0].name_in("dev");
        let mut items = Vec::new();
        let mut start_key = None;
        loop {
            let mut scan = Scan::new(table.as_str());
            scan.index = index.map(str::to_owned);
            scan.start_key = start_key;
            let page = self.database.scan(&scan).unwrap();
            items.extend(page.items.unwrap().iter().map(|item| item.decode().unwrap()));
            start_key = page.last_key;
            if start_key.is_none() {
                return items;
            }
        }
    }

    /// The stored item of an entity whose field has this text.
    pub(crate) fn stored(&self, type_name: &str, field: &str, text: &str) -> Option<Item> {
        let is_it = |item: &Item| {
            item.get("type") == Some(&type_name.into()) && item.get(field) == Some(&text.into())
        };
        self.scan(None).into_iter().find(is_it)
    }
}
