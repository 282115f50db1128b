//! Where a row of the catalogue is played: one design, with tables of its own, on some store, under a clock that the test moves.

use std::sync::Arc;

use singlet_derive::{Audit, Worker};
use singlet_design::{Design, Json};
use singlet_engine::ManualClock;
use singlet_run::{Arguments, Outcome, Paging, RunError, Runner, Wait};
use singlet_store::Embedded;

use crate::backend::Played;

/// 2035-01-22T10:00:00Z, a Monday. Years ahead, so that no store's own clock finds anything expired before the test says so.
pub(crate) const START_MS: u64 = 2_053_072_800_000;
const SECOND_MS: u64 = 1000;
const DAY_SECONDS: u64 = 24 * 60 * 60;
/// More than any list of these tests has.
const WHOLE: u32 = 1000;

/// A design that runs.
pub(crate) struct Stage<'a> {
    runner: Runner<&'a Played>,
    clock: Arc<ManualClock>,
    environment: String,
    /// The database, if it is in this process.
    opened: Option<Embedded>,
}

impl<'a> Stage<'a> {
    /// A design whose tables are there.
    pub(crate) fn new(
        design: Arc<Design>,
        store: &'a Played,
        environment: &str,
        opened: Option<Embedded>,
    ) -> Self {
        let clock = Arc::new(ManualClock::new(START_MS));
        let runner = Runner::new(design, store, environment).with_clock(clock.clone());
        let stage = Stage { runner, clock, environment: environment.to_owned(), opened };
        // As a server or `apply` does: from now on, new items make others.
        stage.worker();
        stage
    }

    /// Starts to derive data. `None` if the design derives none, or the store is another service's endpoint.
    fn worker(&self) -> Option<Worker<Embedded>> {
        let store = self.opened.clone()?;
        let worker = Worker::open(store, self.runner.design().clone(), &self.environment).wait().unwrap();
        worker.map(|worker| worker.with_clock(self.clock.clone()))
    }

    /// Brings derived data up to date, and audits it: nothing may differ. Returns whether this store keeps derived data at
    /// all; another service's endpoint doesn't.
    #[must_use]
    #[track_caller]
    pub(crate) fn settles(&self) -> bool {
        let Some(store) = &self.opened else { return false };
        self.worker().expect("a design that derives data").catch_up().wait().unwrap();
        let audit = Audit::new(store.clone(), self.runner.design().clone(), &self.environment).unwrap();
        let audit = audit.with_clock(&*self.clock);
        assert_eq!(audit.run(&mut |_| ()).wait().unwrap().differences, []);
        true
    }

    /// The design.
    pub(crate) fn design(&self) -> &Design {
        self.runner.design()
    }

    /// A second passes.
    pub(crate) fn tick(&self) {
        self.clock.advance_ms(SECOND_MS);
    }

    /// Seconds pass.
    pub(crate) fn seconds_pass(&self, seconds: u64) {
        self.clock.advance_ms(seconds * SECOND_MS);
    }

    /// Days pass.
    pub(crate) fn days_pass(&self, days: u64) {
        self.clock.advance_ms(days * DAY_SECONDS * SECOND_MS);
    }

    /// Runs a pattern that must succeed; a second passes before each, so that things happen one after another.
    #[track_caller]
    pub(crate) fn run(&self, pattern: &str, arguments: Arguments) -> Json {
        self.tick();
        self.at_once(pattern, arguments)
    }

    /// Runs a pattern without time passing: in the same instant as the one before.
    #[track_caller]
    pub(crate) fn at_once(&self, pattern: &str, arguments: Arguments) -> Json {
        match self.runner.run(pattern, &arguments, &Paging::default()).wait() {
            Ok(outcome) => outcome.to_json(),
            Err(error) => panic!("{pattern}: {error} ({error:?})"),
        }
    }

    /// Runs a pattern that must be refused.
    #[track_caller]
    pub(crate) fn refused(&self, pattern: &str, arguments: Arguments) -> RunError {
        match self.runner.run(pattern, &arguments, &Paging::default()).wait() {
            Ok(outcome) => panic!("{pattern} was not refused: {}", outcome.to_json()),
            Err(error) => error,
        }
    }

    /// One page of a list.
    #[track_caller]
    pub(crate) fn page(
        &self,
        pattern: &str,
        arguments: &Arguments,
        paging: &Paging,
    ) -> (Vec<Json>, Option<String>) {
        match self.runner.run(pattern, arguments, paging).wait() {
            Ok(Outcome::Items { records, cursor, .. }) => (
                records.iter().map(|record| record.to_json()).collect(),
                cursor.map(|cursor| cursor.to_string()),
            ),
            Ok(outcome) => panic!("{pattern} is no list: {}", outcome.to_json()),
            Err(error) => panic!("{pattern}: {error} ({error:?})"),
        }
    }

    /// Reads a page with a cursor that must be refused.
    #[track_caller]
    pub(crate) fn refused_cursor(&self, pattern: &str, arguments: &Arguments, cursor: &str) -> RunError {
        let paging = Paging { limit: None, cursor: Some(cursor.to_owned()) };
        match self.runner.run(pattern, arguments, &paging).wait() {
            Ok(outcome) => panic!("{pattern} took the cursor: {}", outcome.to_json()),
            Err(error) => error,
        }
    }

    /// A whole list. It is read on one page and again on pages of one, two and three: all must tell the same.
    #[track_caller]
    pub(crate) fn list(&self, pattern: &str, arguments: Arguments) -> Vec<Json> {
        let (whole, cursor) = self.page(pattern, &arguments, &Paging { limit: Some(WHOLE), cursor: None });
        assert_eq!(cursor, None, "{pattern} fits on one page");
        for size in [1, 2, 3] {
            assert_eq!(self.in_pages(pattern, &arguments, size), whole, "{pattern} in pages of {size}");
        }
        whole
    }

    /// A whole list, page by page. Every page is full except the last.
    #[track_caller]
    fn in_pages(&self, pattern: &str, arguments: &Arguments, size: u32) -> Vec<Json> {
        let mut all = Vec::new();
        let mut paging = Paging { limit: Some(size), cursor: None };
        loop {
            let (items, cursor) = self.page(pattern, arguments, &paging);
            assert!(items.len() <= size as usize, "{pattern}: more than {size} on a page");
            assert!(cursor.is_none() || items.len() == size as usize, "{pattern}: a page that is not full");
            assert!(all.len() <= WHOLE as usize, "{pattern} doesn't end");
            all.extend(items);
            match cursor {
                Some(cursor) => paging.cursor = Some(cursor),
                None => return all,
            }
        }
    }
}
