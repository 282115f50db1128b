//! Exports of past points in time, and of the changes between two of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::support::{
    BUCKET, MINUTE_MS, Random, START_MS, Scene, TABLE, definition, key_of, options, show, to_bucket,
};
use serde_json::Value;
use singlet_engine::values::Item;
use singlet_engine::{
    Clock, Database, DeleteItem, Disk, Error, ExportTable, ExportView, ManualClock, MemoryDisk, PutItem,
    UpdateRecovery,
};
use tempfile::TempDir;

const KEY: [&str; 2] = ["pk", "sk"];

/// A database with random writes, and the content of its table after each point in time.
struct Past {
    scene: Scene,
    disk: Arc<dyn Disk>,
    items: BTreeMap<(u64, u64), Item>,
    states: BTreeMap<u64, BTreeSet<String>>,
    random: Random,
}

impl Past {
    fn new(seed: u64) -> Past {
        let folder: TempDir = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(BUCKET)).unwrap();
        let clock = Arc::new(ManualClock::new(START_MS));
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
        let database = Database::open_on(disk.clone(), options(folder.path(), &clock)).unwrap();
        database.create_table(definition(TABLE)).unwrap();
        let scene = Scene { folder, clock, database };
        Past { scene, disk, items: BTreeMap::new(), states: BTreeMap::new(), random: Random::new(seed) }
    }

    fn now_ms(&self) -> u64 {
        self.scene.clock.now_ms()
    }

    fn turn_on(&mut self) {
        self.scene.database.update_recovery(UpdateRecovery::on(TABLE)).unwrap();
        let now_ms = self.now_ms();
        self.states = BTreeMap::from([(now_ms, self.state())]);
    }

    fn state(&self) -> BTreeSet<String> {
        self.items.values().map(show).collect()
    }

    fn write(&mut self) {
        let (pk, sk) = (self.random.below(5), self.random.below(6));
        let mut item = Item::from([("pk", pk as i64)]);
        item.insert("sk", sk.to_string());
        if self.random.below(4) == 0 {
            self.scene.database.delete_item(DeleteItem::new(TABLE, item)).unwrap();
            self.items.remove(&(pk, sk));
        } else {
            if self.random.below(3) > 0 {
                item.insert("group", ["a", "b", "c"][self.random.below(3) as usize]);
            }
            item.insert("v", self.random.below(3) as i64);
            item.insert("text", "x".repeat(self.random.below(200) as usize));
            self.scene.database.put_item(PutItem::new(TABLE, item.clone())).unwrap();
            self.items.insert((pk, sk), item);
        }
        let now_ms = self.now_ms();
        self.states.insert(now_ms, self.state());
    }

    fn live(&mut self, writes: u64, apart_ms_max: u64) {
        for _ in 0..writes {
            if self.random.below(3) > 0 {
                self.scene.clock.advance_ms(self.random.below(apart_ms_max));
            }
            self.write();
        }
    }

    fn reopen(&mut self) {
        self.scene.database.close().unwrap();
        // The tree stays open until the database is gone, and a disk in memory has no lock.
        self.scene.database = Database::in_memory().unwrap();
        let options = options(self.scene.folder.path(), &self.scene.clock);
        self.scene.database = Database::open_on(self.disk.clone(), options).unwrap();
    }

    fn state_at(&self, time_ms: u64) -> &BTreeSet<String> {
        self.states.range(..=time_ms).next_back().map(|(_, state)| state).expect("a moment in the window")
    }

    fn full_at(&self, time_ms: u64) -> BTreeMap<String, Value> {
        let export = self.scene.export(ExportTable::new(TABLE, to_bucket()).at_ms(time_ms));
        assert_eq!(export.items(), *self.state_at(time_ms), "{} ms after the start", time_ms - START_MS);
        export.by_key(&KEY)
    }
}

#[test]
fn any_moment_that_can_be_recovered_can_be_exported_also_after_restarts() {
    for seed in 0..3 {
        let mut past = Past::new(seed);
        past.live(40, 900);
        past.turn_on();
        let since_ms = past.now_ms();
        for _ in 0..3 {
            past.live(150, 900);
            let now_ms = past.now_ms();
            for _ in 0..4 {
                let time_ms = since_ms + past.random.below(now_ms - since_ms + 1);
                past.full_at(time_ms);
            }
            past.full_at(since_ms);
            past.full_at(now_ms);
            past.reopen();
        }
        assert_eq!(past.scene.database.list_tables(&Default::default()).names, [TABLE]);
    }
}

#[test]
fn what_changed_between_two_moments_leads_from_the_one_to_the_other() {
    for seed in 3..6 {
        let mut past = Past::new(seed);
        past.live(40, 9_000);
        past.turn_on();
        let since_ms = past.now_ms();
        past.live(500, 20_000);
        let now_ms = past.now_ms();
        assert!(now_ms - since_ms > 30 * MINUTE_MS);
        for view in [ExportView::NewImage, ExportView::NewAndOldImages] {
            for _ in 0..4 {
                let from_ms = since_ms + past.random.below(now_ms - since_ms - 15 * MINUTE_MS);
                let to_ms =
                    from_ms + 15 * MINUTE_MS + past.random.below(now_ms - from_ms - 15 * MINUTE_MS + 1);
                check_between(&past, from_ms, to_ms, view);
            }
        }
    }
}

/// Applies an incremental export to the full export of its start, and compares the result with that of its end.
fn check_between(past: &Past, from_ms: u64, to_ms: u64, view: ExportView) {
    let (mut items, after) = (past.full_at(from_ms), past.full_at(to_ms));
    let before = items.clone();
    let export = past.scene.export(ExportTable::new(TABLE, to_bucket()).changes(from_ms, Some(to_ms), view));
    assert_eq!(export.summary["exportType"], "INCREMENTAL_EXPORT");
    assert_eq!(export.summary["version"], "2023-08-01");
    let mut seen = BTreeSet::new();
    for line in &export.lines {
        let key = key_of(&line["Keys"], &KEY);
        assert!(seen.insert(key.clone()), "an item comes once");
        let micros: u64 = line["Metadata"]["WriteTimestampMicros"]["N"].as_str().unwrap().parse().unwrap();
        assert!(micros > from_ms * 1000 && micros <= to_ms * 1000);
        let (new, old) = (line.get("NewImage"), line.get("OldImage"));
        match view {
            ExportView::NewImage => assert_eq!(old, None),
            ExportView::NewAndOldImages => {
                assert_eq!(old, before.get(&key), "the item as it was");
                assert!(old.is_some() || new.is_some(), "what came and went is not told");
            }
        }
        match new {
            Some(new) => _ = items.insert(key, new.clone()),
            None => _ = items.remove(&key),
        }
    }
    assert_eq!(items, after);
}

#[test]
fn times_outside_the_window_and_wrong_periods_are_refused() {
    let scene = Scene::new();
    scene.database.create_table(definition(TABLE)).unwrap();
    let export = |request: ExportTable| scene.database.export_table(request).unwrap_err();
    let full = || ExportTable::new(TABLE, to_bucket());
    let off = export(full().at_ms(START_MS));
    assert!(matches!(off, Error::RecoveryOff(_)), "{off:?}");
    let off = export(ExportTable { recovery_required: true, ..full() });
    assert!(matches!(off, Error::RecoveryOff(_)), "{off:?}");
    let missing = export(ExportTable::new("nowhere", to_bucket()));
    assert!(matches!(missing, Error::SourceTableNotFound(_)), "{missing:?}");

    scene.database.update_recovery(UpdateRecovery::on(TABLE)).unwrap();
    scene.clock.advance_ms(48 * 60 * MINUTE_MS);
    let now_ms = scene.clock.now_ms();
    for time_ms in [START_MS - 1, now_ms + 1_000] {
        let refused = export(full().at_ms(time_ms));
        assert!(matches!(refused, Error::ExportTime(_)), "{refused:?}");
    }
    let changes =
        |from_ms: u64, to_ms: Option<u64>| export(full().changes(from_ms, to_ms, ExportView::NewImage));
    for (from_ms, to_ms, reason) in [
        (now_ms - 15 * MINUTE_MS + 1, None, "15 minutes"),
        (now_ms - 24 * 60 * MINUTE_MS - 1, None, "24 hours"),
        (now_ms - MINUTE_MS, Some(now_ms - 2 * MINUTE_MS), "not before"),
        (now_ms - MINUTE_MS, Some(now_ms - MINUTE_MS), "not before"),
    ] {
        let refused = changes(from_ms, to_ms);
        assert!(matches!(refused, Error::Invalid(_)) && refused.to_string().contains(reason), "{refused}");
    }
    let refused = changes(START_MS - 20 * MINUTE_MS, Some(START_MS));
    assert!(matches!(refused, Error::ExportTime(_)), "{refused:?}");
    let refused = changes(now_ms - 10 * MINUTE_MS, Some(now_ms + 10 * MINUTE_MS));
    assert!(matches!(refused, Error::ExportTime(_)), "{refused:?}");
}
