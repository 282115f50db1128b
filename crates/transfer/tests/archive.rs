//! Archives: every item that is gone is in the files once, whatever happens in between.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use singlet_derive::{ArchiveFiles, ArchivedItem, Archiver, Marks, PutBack, archive_status, put_back};
use singlet_design::Design;
use singlet_engine::values::{AttributeValue, Item};
use singlet_engine::{Clock, Database, DeleteItem, GetItem, ManualClock, Options, PutItem};
use singlet_run::{Wait, apply};
use singlet_store::Embedded;
use singlet_transfer::{ArchiveFolder, ArchiveLines, ArchivedLine, archive_files};

const DESIGN: &str = r#"
design = "sessions"

[table]
key = ["PK", "SK"]
ttl = "expires_at"

[entity.Session]
key = ["USER#{user}", "SESSION#{session}"]
ttl = "1 day after created_at"
[entity.Session.fields]
user       = "key"
session    = "id"
kind       = { type = "string", default = "web" }
created_at = "time"

[entity.Note]
key    = ["USER#{user}", "NOTE#{note}"]
fields = { user = "key", note = "id" }

[derive.archive_sessions]
on      = ["expire Session", "delete Session"]
when    = "kind <> 'test'"
archive = "sessions/{created_at:month}/{kind}"

[pattern.sessions]
query = "Session"
"#;

const START_MS: u64 = 1_790_000_000_000;

struct World {
    clock: Arc<ManualClock>,
    database: Database,
    design: Arc<Design>,
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> World {
        let clock = Arc::new(ManualClock::new(START_MS));
        let database =
            Database::in_memory_with(Options { clock: clock.clone(), ..Options::default() }).unwrap();
        let design =
            Arc::new(singlet_design::load("sessions.toml", DESIGN).unwrap_or_else(|e| panic!("{e}")));
        let store = Embedded::new(database.clone(), "memory");
        let environment = apply::choose_environment(&design, None).unwrap();
        apply::plan(&design, &environment, &store).wait().unwrap().run(&store, &mut |_| {}).wait().unwrap();
        World { clock, database, design, folder: tempfile::tempdir().unwrap() }
    }

    fn store(&self) -> Embedded {
        Embedded::new(self.database.clone(), "memory")
    }

    fn files(&self) -> ArchiveFolder {
        ArchiveFolder::open(self.folder.path()).unwrap()
    }

    fn archiver<F: ArchiveFiles>(&self, files: F) -> Archiver<Embedded, F> {
        Archiver::open(self.store(), self.design.clone(), "dev", files).wait().unwrap()
    }

    fn archive(&self) {
        self.archiver(self.files()).catch_up().wait().unwrap();
    }

    /// Writes a session that expires after a day.
    fn put(&self, session: &str, kind: &str) {
        let now = self.clock.now_ms();
        let item: Item = [
            ("PK", AttributeValue::from("USER#u")),
            ("SK", AttributeValue::S(format!("SESSION#{session}"))),
            ("type", AttributeValue::from("Session")),
            ("user", AttributeValue::from("u")),
            ("session", AttributeValue::from(session)),
            ("kind", AttributeValue::from(kind)),
            ("created_at", AttributeValue::S(singlet_design::time_of_ms(now))),
            ("expires_at", AttributeValue::from(now / 1000 + 86_400)),
        ]
        .into_iter()
        .collect();
        self.database.put_item(PutItem::new("sessions", item)).unwrap();
    }

    fn delete(&self, session: &str) {
        self.database.delete_item(DeleteItem::new("sessions", key(session))).unwrap();
    }

    fn get(&self, session: &str) -> Option<Item> {
        let found = self.database.get_item(&GetItem::new("sessions", key(session))).unwrap().item;
        found.map(|item| item.decode().unwrap())
    }

    fn pass_days(&self, days: u64) {
        self.clock.advance_ms(days * 86_400_000);
        self.database.expire_due().unwrap();
    }
}

fn key(session: &str) -> Item {
    [("PK", "USER#u".to_owned()), ("SK", format!("SESSION#{session}"))].into_iter().collect()
}

/// Everything in an archive.
fn lines(folder: &Path) -> Vec<ArchivedLine> {
    let files = archive_files(folder).unwrap();
    files.iter().flat_map(|file| ArchiveLines::open(folder, file).unwrap().map(Result::unwrap)).collect()
}

/// How often each session is in an archive, by its id.
fn counts(folder: &Path) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in lines(folder) {
        let Some(AttributeValue::S(id)) = line.item.get("session") else { panic!("{line:?}") };
        *counts.entry(id.clone()).or_default() += 1;
    }
    counts
}

#[test]
fn items_are_archived_when_they_expire_and_when_they_are_deleted() {
    let world = World::new();
    world.archive();
    for (session, kind) in [("a", "web"), ("b", "app"), ("c", "test"), ("d", "web")] {
        world.put(session, kind);
    }
    world.delete("d");
    world.archive();
    world.pass_days(2);
    world.archive();
    let found: Vec<(String, usize)> = counts(world.folder.path()).into_iter().collect();
    assert_eq!(found, [("a".to_owned(), 1), ("b".to_owned(), 1), ("d".to_owned(), 1)]);
    let files = archive_files(world.folder.path()).unwrap();
    let month = &singlet_design::time_of_ms(START_MS)[..7];
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, [format!("sessions/{month}/app.jsonl.zst"), format!("sessions/{month}/web.jsonl.zst")]);
    assert_eq!(files.iter().map(|file| file.items).sum::<u64>(), 3);
    let events: Vec<(String, String)> =
        lines(world.folder.path()).into_iter().map(|line| (line.entity, line.event)).collect();
    assert!(events.contains(&("Session".to_owned(), "expire".to_owned())), "{events:?}");
    assert!(events.contains(&("Session".to_owned(), "delete".to_owned())), "{events:?}");
    let status = archive_status(&world.store(), &world.design, "dev").wait().unwrap();
    assert_eq!((status.done, status.gaps), (3, 0));
}

#[test]
fn an_archive_is_written_by_one_process_at_a_time() {
    let world = World::new();
    let _open = world.files();
    assert!(ArchiveFolder::open(world.folder.path()).is_err());
}

#[test]
fn a_long_pause_with_nothing_deleted_is_no_gap() {
    let world = World::new();
    world.put("a", "web");
    world.archive();
    world.clock.advance_ms(10 * 3_600_000);
    world.archive();
    assert_eq!(archive_status(&world.store(), &world.design, "dev").wait().unwrap().gaps, 0);
}

#[test]
fn changes_that_the_feed_no_longer_has_are_reported() {
    let world = World::new();
    world.archive();
    world.put("a", "web");
    world.delete("a");
    // The feed keeps changes for a day.
    world.clock.advance_ms(3 * 86_400_000);
    world.put("b", "web");
    world.archive();
    let status = archive_status(&world.store(), &world.design, "dev").wait().unwrap();
    assert_eq!(status.gaps, 1, "{status:?}");
    assert!(status.last_gap.is_some_and(|gap| gap.from_ms < gap.to_ms));
    world.delete("b");
    world.archive();
    assert_eq!(counts(world.folder.path()).into_iter().collect::<Vec<_>>(), [("b".to_owned(), 1)]);
}

#[test]
fn values_of_items_cannot_leave_the_folder() {
    let world = World::new();
    world.archive();
    world.put("a", "../../../evil");
    world.put("b", "/etc/passwd");
    world.delete("a");
    world.delete("b");
    world.archive();
    assert_eq!(counts(world.folder.path()).len(), 2);
    let outside = world.folder.path().parent().unwrap();
    assert!(!outside.join("evil.jsonl.zst").exists());
}

#[test]
fn restored_items_are_back_once_and_newer_ones_stay() {
    let world = World::new();
    world.archive();
    world.put("a", "web");
    world.put("b", "web");
    world.archive();
    world.pass_days(2);
    world.archive();
    world.put("b", "newer");
    let entity = world.design.entity("Session").unwrap();
    let now = world.clock.now_ms();
    let mut outcomes = Vec::new();
    for _ in 0..2 {
        for line in lines(world.folder.path()) {
            outcomes.push(put_back(&world.store(), entity, "dev", line.item, now).wait().unwrap());
        }
    }
    assert_eq!(outcomes, [PutBack::Done, PutBack::IsThere, PutBack::IsThere, PutBack::IsThere]);
    assert_eq!(world.get("b").unwrap().get("kind"), Some(&AttributeValue::from("newer")));
    // It doesn't expire again at once.
    world.database.expire_due().unwrap();
    assert!(world.get("a").is_some_and(|item| !item.contains("expires_at")));
}

/// Where an archiver is killed.
#[derive(Debug, Clone, Copy)]
enum Kill {
    BeforeAppend,
    /// So many bytes of the last file are lost.
    Torn(u8),
    AfterAppend,
    BeforeSettle,
}

/// Files whose writer is killed at a place.
struct Killed {
    files: ArchiveFolder,
    folder: std::path::PathBuf,
    kill: Arc<Mutex<Option<Kill>>>,
}

impl Killed {
    fn dies(&self, is_here: impl Fn(Kill) -> bool) -> Option<Kill> {
        let mut kill = self.kill.lock().unwrap();
        if kill.is_some_and(is_here) { kill.take() } else { None }
    }
}

impl ArchiveFiles for Killed {
    fn recover(&mut self, saved: &str) -> Result<(), String> {
        self.files.recover(saved)
    }

    fn append(&mut self, marks: Marks<'_>, items: &[ArchivedItem]) -> Result<(), String> {
        if self.dies(|kill| matches!(kill, Kill::BeforeAppend)).is_some() {
            return Err("killed".to_owned());
        }
        self.files.append(marks, items)?;
        if let Some(kill) = self.dies(|kill| matches!(kill, Kill::Torn(_) | Kill::AfterAppend)) {
            if let (Kill::Torn(bytes), Some(item)) = (kill, items.last()) {
                let path = self.folder.join(format!("{}.jsonl.zst", item.file));
                let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
                let length = file.metadata().unwrap().len();
                file.set_len(length.saturating_sub(u64::from(bytes) + 1)).unwrap();
            }
            return Err("killed".to_owned());
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<(), String> {
        match self.dies(|kill| matches!(kill, Kill::BeforeSettle)) {
            Some(_) => Err("killed".to_owned()),
            None => self.files.settle(),
        }
    }
}

#[derive(Debug, Clone)]
enum Act {
    Put(u8, u8),
    Delete(u8),
    Day,
    Step,
    Restart,
    Kill(Kill),
}

fn act() -> impl Strategy<Value = Act> {
    let kill = prop_oneof![
        Just(Kill::BeforeAppend),
        (0_u8..80).prop_map(Kill::Torn),
        Just(Kill::AfterAppend),
        Just(Kill::BeforeSettle),
    ];
    prop_oneof![
        6 => (0_u8..6, 0_u8..3).prop_map(|(session, kind)| Act::Put(session, kind)),
        3 => (0_u8..6).prop_map(Act::Delete),
        1 => Just(Act::Day),
        3 => Just(Act::Step),
        1 => Just(Act::Restart),
        3 => kill.prop_map(Act::Kill),
    ]
}

/// Sessions are numbered, so that each that is gone can be looked for.
fn play(acts: &[Act]) -> Result<(), TestCaseError> {
    let world = World::new();
    let kill = Arc::new(Mutex::new(None));
    let open = || {
        let files = world.files();
        world.archiver(Killed { files, folder: world.folder.path().to_owned(), kill: kill.clone() })
    };
    let mut archiver = Some(open());
    let mut living: BTreeMap<u8, String> = BTreeMap::new();
    let mut gone: Vec<String> = Vec::new();
    for (number, act) in acts.iter().enumerate() {
        match act {
            Act::Put(slot, kind) if !living.contains_key(slot) => {
                let id = format!("{slot}-{number}");
                world.put(&id, ["web", "app", "test"][usize::from(*kind)]);
                living.insert(*slot, id.clone());
                if *kind == 2 {
                    living.insert(*slot, format!("test {id}"));
                }
            }
            Act::Put(..) => {}
            Act::Delete(slot) => {
                if let Some(id) = living.remove(slot) {
                    world.delete(id.trim_start_matches("test "));
                    gone.push(id);
                }
            }
            Act::Day => {
                // The feed keeps changes for a day: before and after it, the archiver must have seen everything.
                drop(archiver.take());
                *kill.lock().unwrap() = None;
                open().catch_up().wait().unwrap();
                world.clock.advance_ms(90_000_000);
                world.database.expire_due().unwrap();
                gone.extend(std::mem::take(&mut living).into_values());
                archiver = Some(open());
                archiver.as_mut().unwrap().catch_up().wait().unwrap();
            }
            Act::Kill(place) => *kill.lock().unwrap() = Some(*place),
            Act::Step | Act::Restart => {
                let outcome = archiver.as_mut().unwrap().step(Duration::ZERO).wait();
                if outcome.is_err() || matches!(act, Act::Restart) {
                    drop(archiver.take());
                    archiver = Some(open());
                }
            }
        }
    }
    *kill.lock().unwrap() = None;
    drop(archiver.take());
    open().catch_up().wait().unwrap();
    let expected: BTreeMap<String, usize> =
        gone.iter().filter(|id| !id.starts_with("test ")).map(|id| (id.clone(), 1)).collect();
    prop_assert_eq!(counts(world.folder.path()), expected.clone());
    prop_assert!(archive_files(world.folder.path()).unwrap().iter().all(|file| file.torn_bytes == 0));
    let status = archive_status(&world.store(), &world.design, "dev").wait().unwrap();
    prop_assert_eq!((status.done, status.gaps), (expected.len() as u64, 0));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_item_that_is_gone_is_archived_once_whenever_the_archiver_is_killed(
        acts in prop::collection::vec(act(), 1..60)
    ) {
        play(&acts)?;
    }
}

#[test]
fn a_note_of_another_database_costs_no_whole_batch() {
    let world = World::new();
    let mut archiver = world.archiver(world.files());
    world.put("a", "web");
    world.delete("a");
    archiver.catch_up().wait().unwrap();
    drop(archiver);
    // The process was killed before the note was forgotten, and the data folder is gone.
    let file = archive_files(world.folder.path()).unwrap()[0].path.clone();
    let name = file.trim_end_matches(".jsonl.zst");
    let note = format!(r#"{{"before":"x","after":"y","files":[["{name}",null]]}}"#);
    std::fs::write(world.folder.path().join(".appending"), note).unwrap();
    let path = world.folder.path().join(&file);
    std::fs::OpenOptions::new().append(true).open(path).unwrap().write_all(&[0x5B, 0x2A, 0x4D]).unwrap();
    world.archive();
    assert_eq!(counts(world.folder.path()).into_iter().collect::<Vec<_>>(), [("a".to_owned(), 1)]);
    assert_eq!(archive_files(world.folder.path()).unwrap()[0].torn_bytes, 0);
}
