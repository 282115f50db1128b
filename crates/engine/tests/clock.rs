//! Clocks that are wrong for a while: when they are right again, everything goes by the right time.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::sync::Arc;

use singlet_engine::values::Item;
use singlet_engine::{
    Clock, CreateTable, Database, Disk, Error, GetRecords, GetShardIterator, ManualClock, MemoryDisk,
    Options, PutItem, RestoreToTime, ScalarType, Scan, ShardDescription, ShardStart, StreamRecord,
    StreamView, TransactAction, TransactWrite, UpdateRecovery, UpdateTimeToLive,
};
use support::{START_MS, all_shards, item, options_with_clock, scan_all, stream_arn, stream_records};

const TABLE: &str = "orders";
const SECOND_MS: u64 = 1_000;
const MINUTE_MS: u64 = 60 * SECOND_MS;
const HOUR_MS: u64 = 60 * MINUTE_MS;
const DAY_MS: u64 = 24 * HOUR_MS;
const YEAR_MS: u64 = 365 * DAY_MS;
/// Longer than the settle period.
const LONG_MS: u64 = HOUR_MS;
/// The glitch of the wall clock in the worst reports.
const GLITCH_MS: u64 = 3 * SECOND_MS;

/// How wrong the clock is, in both directions.
const ERRORS_MS: [i64; 6] = [
    2 * DAY_MS.cast_signed(),
    40 * DAY_MS.cast_signed(),
    10 * YEAR_MS.cast_signed(),
    -(DAY_MS.cast_signed()),
    -40 * DAY_MS.cast_signed(),
    -3 * YEAR_MS.cast_signed(),
];

/// A database whose table has a stream, recovery and time to live, and its clock.
struct Scene {
    disk: Arc<dyn Disk>,
    options: Options,
    clock: Arc<ManualClock>,
    database: Database,
    restored: u64,
}

impl Scene {
    fn new() -> Scene {
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
        let (options, clock) = options_with_clock();
        let database = Database::open_on(disk.clone(), options.clone()).unwrap();
        let table = CreateTable::new(TABLE, "id", ScalarType::S)
            .stream(StreamView::NewAndOldImages)
            .time_to_live("due");
        database.create_table(table).unwrap();
        database.update_recovery(UpdateRecovery::on(TABLE)).unwrap();
        clock.advance_ms(SECOND_MS);
        Scene { disk, options, clock, database, restored: 0 }
    }

    fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    fn put(&self, id: &str) {
        self.database.put_item(PutItem::new(TABLE, item! { "id" => id })).unwrap();
    }

    fn put_due(&self, id: &str, due_ms: u64) {
        let item = item! { "id" => id, "due" => due_ms / 1000 };
        self.database.put_item(PutItem::new(TABLE, item)).unwrap();
    }

    /// All that the background does by the time.
    fn tend(&self) {
        self.database.expire_due().unwrap();
        self.database.maintain_streams().unwrap();
        self.database.give_up_old_history().unwrap();
    }

    /// The wall clock is wrong by so much while `time_ms` passes, and right again afterwards.
    fn err(&self, by_ms: i64, time_ms: u64, mut meanwhile: impl FnMut()) {
        self.clock.jump_ms(by_ms);
        let steps = 5;
        for _ in 0..steps {
            meanwhile();
            self.clock.advance_ms(time_ms / steps);
        }
        meanwhile();
        self.clock.jump_ms(-by_ms);
    }

    /// So much time passes by a clock that is right.
    fn pass(&self, time_ms: u64) {
        for _ in 0..4 {
            self.tend();
            self.clock.advance_ms(time_ms / 4);
        }
        self.tend();
    }

    fn reopen(&mut self) {
        self.database.close().unwrap();
        // The tree is open until the database is gone, and a disk in memory has no lock.
        self.database = Database::in_memory().unwrap();
        self.database = Database::open_on(self.disk.clone(), self.options.clone()).unwrap();
    }

    /// The ids at a moment.
    fn restored(&mut self, time_ms: u64) -> Result<Vec<String>, Error> {
        self.restored += 1;
        let target = format!("restored-{}", self.restored);
        let request = RestoreToTime::new(TABLE, &target).at_ms(time_ms);
        self.database.restore_whole_to_time(request, &mut |_| ())?;
        Ok(ids(scan_all(&self.database, &Scan::new(&target))))
    }

    fn ids(&self) -> Vec<String> {
        ids(scan_all(&self.database, &Scan::new(TABLE)))
    }

    /// The records of all shards, in the order of the commits.
    fn records(&self) -> Vec<StreamRecord> {
        let mut records = stream_records(&self.database, &stream_arn(&self.database, TABLE));
        records.sort_by_key(|record| record.sequence_number);
        records
    }
}

fn ids(items: Vec<Item>) -> Vec<String> {
    let id = |item: &Item| match item.get("id") {
        Some(singlet_engine::values::AttributeValue::S(id)) => id.clone(),
        other => panic!("{other:?}"),
    };
    let mut ids: Vec<String> = items.iter().map(id).collect();
    ids.sort();
    ids
}

#[test]
fn a_glitch_of_seconds_leaves_no_trace() {
    for by_ms in ERRORS_MS {
        let mut scene = Scene::new();
        scene.put("before");
        scene.put_due("due later", START_MS + HOUR_MS);
        let before_ms = scene.now_ms();
        scene.clock.advance_ms(SECOND_MS);
        scene.err(by_ms, GLITCH_MS, || {
            scene.put("meanwhile");
            scene.tend();
        });
        scene.clock.advance_ms(SECOND_MS);
        let after_ms = scene.now_ms();
        scene.tend();
        assert_eq!(scene.ids(), ["before", "due later", "meanwhile"], "{by_ms}: nothing is deleted");
        // The times of the records are those that they had by the right clock.
        let times: Vec<u64> = scene.records().iter().map(|record| record.time_ms).collect();
        assert_eq!(times.len(), 3, "{by_ms}: nothing is trimmed, and equal puts change nothing");
        assert!(times.iter().all(|time_ms| (START_MS..=after_ms).contains(time_ms)), "{by_ms}: {times:?}");
        assert_eq!(scene.restored(before_ms).unwrap(), ["before", "due later"], "{by_ms}");
        assert_eq!(scene.restored(after_ms).unwrap(), ["before", "due later", "meanwhile"], "{by_ms}");
        let window = scene.database.recovery_window(TABLE).unwrap().unwrap();
        assert_eq!((window.earliest_ms, window.latest_ms), (START_MS, after_ms), "{by_ms}");

        scene.pass(HOUR_MS);
        assert_eq!(scene.ids(), ["before", "meanwhile"], "{by_ms}: expired by the right time");
        let stats = scene.database.stats();
        assert_eq!(stats.clock_jumps_forward + stats.clock_jumps_back, 1, "{by_ms}");
        assert!(!stats.clock_is_doubted);
    }
}

#[test]
fn a_long_error_is_over_when_the_clock_has_been_right_for_a_while() {
    for by_ms in ERRORS_MS {
        for reopened in [false, true] {
            let mut scene = Scene::new();
            scene.put("before");
            let before_ms = scene.now_ms();
            scene.clock.advance_ms(SECOND_MS);
            scene.err(by_ms, LONG_MS, || {
                scene.put("meanwhile");
                // Nothing is deleted here by itself that a clock which is believed calls old.
                scene.database.maintain_streams().unwrap();
            });
            if reopened {
                scene.reopen();
            }
            scene.pass(LONG_MS);
            scene.put("after");
            let after_ms = scene.now_ms();
            scene.clock.advance_ms(SECOND_MS);
            scene.put_due("due later", after_ms + HOUR_MS);

            let told = format!("{by_ms} ms, reopened: {reopened}");
            assert_eq!(scene.restored(after_ms).unwrap(), ["after", "before", "meanwhile"], "{told}");
            let window = scene.database.recovery_window(TABLE).unwrap().unwrap();
            assert!(window.earliest_ms <= after_ms && after_ms <= window.latest_ms, "{told}");
            if by_ms > 0 || !reopened {
                assert_eq!(scene.restored(before_ms).unwrap(), ["before"], "{told}");
                assert_eq!(window.earliest_ms, START_MS, "{told}");
            }
            let times: Vec<u64> = scene.records().iter().map(|record| record.time_ms).collect();
            assert!(
                times.is_sorted() && times.iter().all(|time_ms| *time_ms <= after_ms + SECOND_MS),
                "{told}: {times:?}"
            );

            scene.pass(2 * HOUR_MS);
            assert_eq!(scene.ids(), ["after", "before", "meanwhile"], "{told}: expired by the right time");
        }
    }
}

#[test]
fn records_of_before_a_long_error_can_be_read_and_go_a_day_later() {
    for by_ms in [10 * YEAR_MS.cast_signed(), -3 * YEAR_MS.cast_signed()] {
        let scene = Scene::new();
        scene.put("before");
        // No maintenance meanwhile: a trusted clock may trim, and that isn't an error.
        scene.err(by_ms, LONG_MS, || scene.put("meanwhile"));
        scene.pass(LONG_MS);
        scene.put("after");
        assert_eq!(scene.records().len(), 3, "{by_ms}");
        scene.pass(DAY_MS - SECOND_MS);
        assert_eq!(scene.records().len(), 1, "{by_ms}");
        scene.pass(2 * SECOND_MS);
        assert_eq!(scene.records().len(), 0, "{by_ms}");
        // Shards that were made in the future are rolled over and go like others.
        scene.pass(8 * HOUR_MS);
        scene.pass(DAY_MS);
        scene.pass(DAY_MS);
        let shards = all_shards(&scene.database, &stream_arn(&scene.database, TABLE));
        assert!(shards.len() <= 32, "{by_ms}: {}", shards.len());
    }
}

#[test]
fn a_token_is_known_for_ten_minutes_however_the_clock_jumps() {
    let transact = |scene: &Scene, id: &str| {
        let put = TransactAction::Put(PutItem::new(TABLE, item! { "id" => id }));
        scene.database.transact_write(TransactWrite::new(vec![put]).token("token"))
    };
    let scene = Scene::new();
    scene.err(10 * YEAR_MS.cast_signed(), LONG_MS, || scene.tend());
    // The last commit is in the future; the clock is right, but not believed until ten minutes have passed.
    scene.pass(8 * MINUTE_MS);
    transact(&scene, "a").unwrap();
    scene.pass(9 * MINUTE_MS);
    assert!(matches!(transact(&scene, "b"), Err(Error::TokenMismatch)));
    scene.pass(2 * MINUTE_MS);
    transact(&scene, "b").unwrap();
    assert_eq!(scene.ids(), ["a", "b"]);
}

#[test]
fn settings_that_were_changed_in_the_future_can_be_changed() {
    let scene = Scene::new();
    scene.err(10 * YEAR_MS.cast_signed(), LONG_MS, || scene.tend());
    scene.database.update_time_to_live(UpdateTimeToLive::disable(TABLE, "due")).unwrap();
    scene.database.update_recovery(UpdateRecovery::off(TABLE)).unwrap();
    scene.database.update_recovery(UpdateRecovery::on(TABLE)).unwrap();
    scene.put("a");
    scene.pass(2 * LONG_MS);
    let window = scene.database.recovery_window(TABLE).unwrap().unwrap();
    assert!(window.earliest_ms <= window.latest_ms, "{window:?}");
    // It is turned off in the background.
    let started = std::time::Instant::now();
    while scene.database.describe_time_to_live(TABLE).unwrap().attribute.is_some() {
        assert!(started.elapsed().as_secs() < 30);
        std::thread::yield_now();
    }
    scene.database.update_time_to_live(UpdateTimeToLive::enable(TABLE, "due")).unwrap();
}

#[test]
fn a_table_that_was_deleted_in_the_future_goes_when_its_period_is_over() {
    let mut scene = Scene::new();
    scene.put("a");
    let before_ms = scene.now_ms();
    scene.err(10 * YEAR_MS.cast_signed(), LONG_MS, || scene.database.maintain_streams().unwrap());
    scene.database.delete_table(TABLE).unwrap();
    scene.pass(LONG_MS);
    assert_eq!(scene.restored(before_ms).unwrap(), ["a"]);
    for _ in 0..37 {
        scene.pass(DAY_MS);
    }
    assert!(matches!(scene.restored(before_ms), Err(Error::SourceTableNotFound(_))));
}

#[test]
fn nothing_is_deleted_by_itself_after_a_start_with_a_clock_that_is_years_ahead() {
    let mut scene = Scene::new();
    scene.put_due("due in an hour", START_MS + HOUR_MS);
    scene.clock.jump_ms(10 * YEAR_MS.cast_signed());
    scene.reopen();
    assert!(scene.database.stats().clock_is_doubted);
    scene.put("meanwhile");
    scene.clock.advance_ms(GLITCH_MS);
    scene.clock.jump_ms(-10 * YEAR_MS.cast_signed());
    scene.put("after");
    let after_ms = scene.now_ms();
    assert_eq!(scene.restored(after_ms).unwrap(), ["after", "due in an hour", "meanwhile"]);
    scene.pass(HOUR_MS + SECOND_MS);
    assert_eq!(scene.ids(), ["after", "meanwhile"]);
}

#[test]
fn a_reader_of_a_shard_goes_on_through_a_glitch() {
    let scene = Scene::new();
    scene.put("before");
    let arn = stream_arn(&scene.database, TABLE);
    let oldest = |shard: &ShardDescription| {
        let request = GetShardIterator::new(&arn, &shard.id, ShardStart::TrimHorizon);
        scene.database.get_shard_iterator(&request).unwrap()
    };
    let has_records = |iterator: &String| {
        !scene.database.get_records(&GetRecords::new(iterator)).unwrap().records.is_empty()
    };
    let iterator = all_shards(&scene.database, &arn).iter().map(oldest).find(has_records).unwrap();
    scene.err(2 * DAY_MS.cast_signed(), GLITCH_MS, || {
        let page = scene.database.get_records(&GetRecords::new(&iterator)).unwrap();
        assert_eq!(page.records.len(), 1);
    });
    assert_eq!(scene.database.get_records(&GetRecords::new(&iterator)).unwrap().records.len(), 1);
}

#[test]
fn records_can_be_read_before_a_commit_follows_a_jump() {
    let mut scene = Scene::new();
    scene.put("before");
    scene.clock.jump_ms(-40 * DAY_MS.cast_signed());
    scene.reopen();
    scene.put("far behind");
    // Nearer to the last commit of the life before, so it is believed at once.
    scene.clock.jump_ms(40 * DAY_MS.cast_signed());
    assert_eq!(scene.records().len(), 2);
}
