//! A table can be had back as it was at any moment of its window: after folds, restarts, trims and its deletion.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use singlet_engine::values::Item;
use singlet_engine::{
    CreateBackup, CreateTable, Database, DeleteItem, Disk, Error, IndexDefinition, ManualClock, MemoryDisk,
    Options, Past, PastRange, ProjectedAttributes, PutItem, ReadPast, RestoreOverrides, RestoreToTime,
    ScalarType, Scan, UpdateRecovery,
};
use support::{Random, START_MS, assert_agreement, item, options_with_clock, scan_all, sorted};

const TABLE: &str = "accounts";
const SECOND_MS: u64 = 1_000;
const DAY_MS: u64 = 86_400_000;

fn definition(name: &str) -> CreateTable {
    CreateTable::new(name, "pk", ScalarType::N)
        .sort_key("sk", ScalarType::N)
        .attribute("group", ScalarType::S)
        .local_index(IndexDefinition::new("local", &["pk"], &["group"]))
        .global_index(IndexDefinition::new("all", &["group"], &["sk"]))
        .global_index(
            IndexDefinition::new("keys", &["sk"], &["group"]).projection(ProjectedAttributes::KeysOnly),
        )
}

/// A database with a clock, and what its table held after each moment at which something changed.
struct Scene {
    disk: Arc<dyn Disk>,
    options: Options,
    clock: Arc<ManualClock>,
    database: Database,
    items: BTreeMap<(u64, u64), Item>,
    states: BTreeMap<u64, Vec<Item>>,
    random: Random,
    restored: u64,
    /// Whether the table of the moments is still there.
    is_there: bool,
}

impl Scene {
    fn new(seed: u64) -> Scene {
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
        let (options, clock) = options_with_clock();
        let database = Database::open_on(disk.clone(), options.clone()).unwrap();
        database.create_table(definition(TABLE)).unwrap();
        let (items, states, random) = (BTreeMap::new(), BTreeMap::new(), Random::new(seed));
        Scene { disk, options, clock, database, items, states, random, restored: 0, is_there: true }
    }

    fn now_ms(&self) -> u64 {
        singlet_engine::Clock::now_ms(self.clock.as_ref())
    }

    fn turn_on(&mut self, days: u32) {
        self.database.update_recovery(UpdateRecovery::on(TABLE).period_days(days)).unwrap();
        self.states = BTreeMap::from([(self.now_ms(), self.state())]);
    }

    fn state(&self) -> Vec<Item> {
        sorted(self.items.values().cloned().collect())
    }

    /// One random write.
    fn write(&mut self) {
        let (pk, sk) = (self.random.below(4), self.random.below(6));
        let key = item! { "pk" => pk as i64, "sk" => sk as i64 };
        if self.random.below(4) == 0 {
            self.database.delete_item(DeleteItem::new(TABLE, key)).unwrap();
            self.items.remove(&(pk, sk));
        } else {
            let mut item = key;
            if self.random.below(3) > 0 {
                item.insert("group", ["a", "b", "c"][self.random.below(3) as usize]);
            }
            item.insert("text", "x".repeat(self.random.below(300) as usize));
            self.database.put_item(PutItem::new(TABLE, item.clone())).unwrap();
            self.items.insert((pk, sk), item);
        }
        let now_ms = self.now_ms();
        self.states.insert(now_ms, self.state());
    }

    /// Random writes, some at the same moment, some seconds apart.
    fn live(&mut self, writes: u64, apart_ms_max: u64) {
        for _ in 0..writes {
            if self.random.below(3) > 0 {
                self.clock.advance_ms(self.random.below(apart_ms_max));
            }
            self.write();
        }
    }

    fn reopen(&mut self) {
        self.database.close().unwrap();
        // The tree is open until the database is gone, and a disk in memory has no lock.
        self.database = Database::in_memory().unwrap();
        self.database = Database::open_on(self.disk.clone(), self.options.clone()).unwrap();
    }

    fn state_at(&self, time_ms: u64) -> Vec<Item> {
        self.states
            .range(..=time_ms)
            .next_back()
            .map(|(_, state)| state.clone())
            .expect("a moment in the window")
    }

    /// Recovers a moment and compares it with the model, indexes included.
    fn check_at(&mut self, time_ms: u64) {
        self.restored += 1;
        let target = format!("restored-{}", self.restored);
        let request = RestoreToTime::new(TABLE, &target).at_ms(time_ms);
        let description = self.database.restore_whole_to_time(request, &mut |_| ()).unwrap();
        assert_eq!(description.restore.unwrap().time_ms, time_ms);
        let items = assert_agreement(&self.database, &target);
        assert!(
            sorted(items) == self.state_at(time_ms),
            "the table {} ms after the start",
            time_ms - START_MS
        );
        self.database.delete_table(&target).unwrap();
        if self.is_there {
            self.check_past(time_ms);
        }
    }

    /// Reads the items of a moment without a restore, page by page.
    fn past(&mut self, range: PastRange, time_ms: u64) -> Vec<Item> {
        let items_max = 1 + self.random.below(9) as usize;
        let mut request = ReadPast {
            table: TABLE.to_owned(),
            range,
            time_ms,
            after: None,
            items_max,
            changes_max: u64::MAX,
        };
        let mut items = Vec::new();
        loop {
            let Past::Items(page) = self.database.read_past(&request).unwrap() else { panic!("no bound") };
            items.extend(page.items.iter().map(|item| item.decode().unwrap()));
            request.after = page.next;
            if request.after.is_none() {
                return items;
            }
        }
    }

    fn check_past(&mut self, time_ms: u64) {
        let state = self.state_at(time_ms);
        let found = self.past(PastRange::Table, time_ms);
        assert!(sorted(found) == state, "the table without a restore");
        let pk = self.random.below(4) as i64;
        let is_in = |item: &&Item| item.get("pk") == Some(&pk.into());
        let found = self.past(PastRange::Partition(item! { "pk" => pk }), time_ms);
        assert!(sorted(found) == sorted(state.iter().filter(is_in).cloned().collect()), "a partition");
        let sk = self.random.below(6) as i64;
        let is_it = |item: &&Item| is_in(item) && item.get("sk") == Some(&sk.into());
        let found = self.past(PastRange::Item(item! { "pk" => pk, "sk" => sk }), time_ms);
        assert!(found == state.iter().filter(is_it).cloned().collect::<Vec<_>>(), "an item");
    }

    fn check_some(&mut self, count: u64, from_ms: u64, to_ms: u64) {
        for _ in 0..count {
            let time_ms = from_ms + self.random.below(to_ms - from_ms + 1);
            self.check_at(time_ms / SECOND_MS * SECOND_MS + SECOND_MS.min(to_ms - from_ms));
        }
    }
}

#[test]
fn any_moment_of_the_window_comes_back_exactly_also_after_restarts() {
    for seed in 0..3 {
        let mut scene = Scene::new(seed);
        scene.live(40, 900);
        scene.turn_on(35);
        let since_ms = scene.now_ms();
        for _ in 0..3 {
            scene.live(150, 900);
            let now_ms = scene.now_ms();
            scene.check_some(3, since_ms, now_ms - SECOND_MS);
            scene.reopen();
            scene.check_at(since_ms);
            scene.check_at(now_ms);
        }
    }
}

#[test]
fn a_read_of_the_past_goes_back_no_more_changes_than_it_may() {
    let mut scene = Scene::new(5);
    scene.turn_on(1);
    scene.clock.advance_ms(SECOND_MS);
    let moment = scene.now_ms();
    scene.clock.advance_ms(SECOND_MS);
    for number in 0..10_i64 {
        let put = PutItem::new(TABLE, item! { "pk" => number, "sk" => 0_i64 });
        scene.database.put_item(put).unwrap();
    }
    let read = |changes_max| {
        let (table, range) = (TABLE.to_owned(), PastRange::Table);
        let request = ReadPast { table, range, time_ms: moment, after: None, items_max: 100, changes_max };
        scene.database.read_past(&request).unwrap()
    };
    assert!(matches!(read(9), Past::TooManyChanges { reached_ms } if reached_ms > moment));
    let Past::Items(past) = read(10) else { panic!("there are ten") };
    assert_eq!((past.items.len(), past.next), (0, None));
    let outside = ReadPast {
        table: TABLE.to_owned(),
        range: PastRange::Table,
        time_ms: moment - 100 * SECOND_MS,
        after: None,
        items_max: 1,
        changes_max: 1,
    };
    assert!(matches!(scene.database.read_past(&outside), Err(Error::RestoreTime(_))));
}

#[test]
fn moments_before_and_after_a_backup_are_reached_from_the_nearer_side() {
    let mut scene = Scene::new(7);
    scene.live(20, 900);
    scene.turn_on(35);
    scene.live(60, 900);
    let backup = CreateBackup { table: TABLE.to_owned(), name: "in-between".to_owned() };
    scene.clock.advance_ms(1);
    scene.database.create_whole_backup(backup, &mut |_| ()).unwrap();
    let backup_ms = scene.now_ms();
    scene.live(30, 900);
    let near_ms = scene.now_ms();
    scene.live(400, 900);
    let end_ms = scene.now_ms();
    for time_ms in
        [backup_ms, backup_ms + 1, near_ms, near_ms + SECOND_MS, end_ms - SECOND_MS, end_ms, backup_ms - 1]
    {
        scene.check_at(time_ms);
    }
    scene.check_some(6, backup_ms, end_ms - SECOND_MS);
}

#[test]
fn moments_that_are_too_old_are_given_up_and_the_others_stay() {
    let mut scene = Scene::new(11);
    scene.turn_on(2);
    scene.live(600, DAY_MS / 40);
    let window = scene.database.recovery_window(TABLE).unwrap().unwrap();
    assert_eq!((window.latest_ms, window.period_days), (scene.now_ms(), 2));
    assert_eq!(window.earliest_ms, scene.now_ms() - 2 * DAY_MS);
    let files = scene.database.stats().past_files;
    scene.database.give_up_old_history().unwrap();
    assert!(scene.database.stats().past_files < files, "{files} files, and nothing was given up");
    scene.check_some(5, window.earliest_ms, window.latest_ms - SECOND_MS);
    scene.reopen();
    scene.check_at(window.earliest_ms);
    let early = RestoreToTime::new(TABLE, "too-early").at_ms(window.earliest_ms - 1);
    assert!(matches!(scene.database.restore_to_time(early), Err(Error::RestoreTime(_))));
    let late = RestoreToTime::new(TABLE, "too-late").at_ms(window.latest_ms + 1);
    assert!(matches!(scene.database.restore_to_time(late), Err(Error::RestoreTime(_))));
}

#[test]
fn a_deleted_table_comes_back_within_its_window_and_not_after_it() {
    let mut scene = Scene::new(13);
    scene.live(30, 900);
    scene.turn_on(3);
    let since_ms = scene.now_ms();
    scene.live(150, 900);
    scene.clock.advance_ms(5);
    scene.database.delete_table(TABLE).unwrap();
    scene.is_there = false;
    let deleted_ms = scene.now_ms();
    scene.clock.advance_ms(DAY_MS);
    scene.check_some(4, since_ms, deleted_ms - SECOND_MS);
    scene.reopen();
    scene.database.give_up_old_history().unwrap();
    scene.check_at(deleted_ms);

    // Another table under the same name: each has its own moments.
    scene.database.create_table(CreateTable::new(TABLE, "id", ScalarType::S)).unwrap();
    scene.database.update_recovery(UpdateRecovery::on(TABLE)).unwrap();
    scene.check_at(deleted_ms - 1);
    scene.database.delete_table(TABLE).unwrap();

    scene.clock.advance_ms(3 * DAY_MS);
    let late = RestoreToTime::new(TABLE, "late").at_ms(deleted_ms);
    assert!(matches!(scene.database.restore_to_time(late), Err(Error::RestoreTime(_))));
    scene.clock.advance_ms(36 * DAY_MS);
    scene.database.give_up_old_history().unwrap();
    let gone = scene.database.restore_to_time(RestoreToTime::new(TABLE, "gone").at_ms(deleted_ms));
    assert!(matches!(gone, Err(Error::SourceTableNotFound(_))), "{gone:?}");
}

#[test]
fn a_recovery_runs_while_the_table_is_written() {
    let mut scene = Scene::new(17);
    scene.turn_on(35);
    scene.live(100, 900);
    let time_ms = scene.now_ms();
    scene.clock.advance_ms(SECOND_MS);
    let expected = scene.state_at(time_ms);
    let database = scene.database.clone();
    std::thread::scope(|threads| {
        let recovery = threads.spawn(|| {
            for number in 0..6 {
                let target = format!("meanwhile-{number}");
                let request = RestoreToTime::new(TABLE, &target).at_ms(time_ms);
                database.restore_whole_to_time(request, &mut |_| ()).unwrap();
                assert!(sorted(scan_all(&database, &Scan::new(&target))) == expected);
            }
        });
        while !recovery.is_finished() {
            scene.write();
        }
        recovery.join().unwrap();
    });
}

#[test]
fn recovery_is_refused_where_it_is_off_and_wrong_settings_are_refused() {
    let (options, _clock) = options_with_clock();
    let database = Database::in_memory_with(options).unwrap();
    database.create_table(definition(TABLE)).unwrap();
    assert_eq!(database.recovery_window(TABLE).unwrap(), None);
    let refused = database.restore_to_time(RestoreToTime::new(TABLE, "new"));
    assert!(matches!(refused, Err(Error::RecoveryOff(_))), "{refused:?}");
    let refused = database.restore_to_time(RestoreToTime::new("nowhere", "new"));
    assert!(matches!(refused, Err(Error::SourceTableNotFound(_))), "{refused:?}");
    for days in [0, 36] {
        let refused = database.update_recovery(UpdateRecovery::on(TABLE).period_days(days));
        assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    }
    database.update_recovery(UpdateRecovery::on(TABLE)).unwrap();
    assert_eq!(database.recovery_window(TABLE).unwrap().unwrap().period_days, 35);
    let taken = database.restore_to_time(RestoreToTime::new(TABLE, TABLE));
    assert!(matches!(taken, Err(Error::TableAlreadyExists(_))), "{taken:?}");
    database.update_recovery(UpdateRecovery::off(TABLE)).unwrap();
    assert_eq!(database.recovery_window(TABLE).unwrap(), None);
}

#[test]
fn a_recovered_table_has_the_indexes_that_were_asked_for_and_no_settings_of_its_source() {
    let mut scene = Scene::new(19);
    scene.turn_on(35);
    scene.live(50, 900);
    let overrides = RestoreOverrides {
        global_indexes: Some(vec![IndexDefinition::new("all", &["group"], &["sk"])]),
        local_indexes: Some(Vec::new()),
        ..RestoreOverrides::default()
    };
    let request = RestoreToTime { overrides, ..RestoreToTime::new(TABLE, "slim") };
    scene.database.restore_whole_to_time(request, &mut |_| ()).unwrap();
    let items = assert_agreement(&scene.database, "slim");
    assert!(sorted(items) == scene.state());
    let description = scene.database.describe_table("slim").unwrap();
    assert_eq!((description.global_indexes.len(), description.local_indexes.len()), (1, 0));
    assert_eq!(scene.database.recovery_window("slim").unwrap(), None);
}
