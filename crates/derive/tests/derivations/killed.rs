//! Workers that are killed at any call of the store: afterwards nothing is lost and nothing is doubled. Mistakes that are
//! made on purpose are found.
//!
//! `SINGLET_SEEDS=10000 cargo test -p singlet-derive --test derivations killed` plays so many seeds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use singlet_derive::{Audit, Worker, status};
use singlet_design::Json;
use singlet_engine::Database;
use singlet_run::{Entropy, SeededEntropy, Wait};
use singlet_store::{
    BatchFound, BatchGet, ChangeFeed, ChangeReader, DeleteItem, Embedded, EmbeddedChanges, Feature,
    FeedStart, Found, GetItem, ItemChange, Page, PutItem, Query, Scan, Store, StoreError, TableChange,
    TableState, TransactAction, TransactFound, TransactGet, TransactWrite, UpdateItem, Written,
};
use singlet_values::{AttributeValue, Item};

use crate::fixture::{Blog, number};
use crate::model_of_kinds::design;

/// Seeds that every run of the tests plays.
const SEEDS: u64 = 40;
/// Seeds that a mistake may take to be found.
const SEEDS_OF_MISTAKES_MAX: u64 = 60;
/// Steps that a worker may need to catch up with a few dozen changes.
const STEPS_MAX: u32 = 2_000;

/// A mistake that is made on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    /// A kill leaves the effects of a batch without its position.
    EffectWithoutPosition,
    /// A kill leaves the position of a batch without its effects.
    PositionBeforeEffect,
    /// Some deletions are overlooked.
    LostDecrement,
    /// A task forgets its place after each page.
    TaskFromZero,
}

/// When a worker dies, and what it does wrong.
struct Fate {
    calls_left: AtomicI64,
    /// Whether the last call still reaches the store.
    is_late: bool,
    is_dead: AtomicBool,
    mistake: Option<Mistake>,
}

#[derive(PartialEq, Eq)]
enum Moment {
    Alive,
    Dying,
    Dead,
}

impl Fate {
    fn next(&self) -> Moment {
        if self.is_dead.load(Ordering::Relaxed) {
            return Moment::Dead;
        }
        if self.calls_left.fetch_sub(1, Ordering::Relaxed) > 1 {
            return Moment::Alive;
        }
        self.is_dead.store(true, Ordering::Relaxed);
        if self.is_late { Moment::Dying } else { Moment::Dead }
    }
}

fn killed<T>() -> Result<T, StoreError> {
    Err(StoreError::Unavailable("the worker was killed".to_owned()))
}

/// The embedded store, until the worker dies.
#[derive(Clone)]
struct Mortal {
    store: Embedded,
    fate: Arc<Fate>,
}

impl Mortal {
    async fn call<T>(
        &self,
        call: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        match self.fate.next() {
            Moment::Alive => call.await,
            Moment::Dying => call.await.and_then(|_| killed()),
            Moment::Dead => killed(),
        }
    }

    /// Leaves a part of a transaction behind, if that is the mistake.
    async fn torn(&self, mut request: TransactWrite) -> Result<Written, StoreError> {
        match self.fate.mistake {
            Some(Mistake::EffectWithoutPosition) if request.actions.len() > 1 => {
                _ = request.actions.remove(0)
            }
            Some(Mistake::PositionBeforeEffect) => request.actions.truncate(1),
            _ => return killed(),
        }
        let _ = self.store.transact_write(request).await;
        killed()
    }
}

fn forget_places(request: &mut TransactWrite) {
    for action in &mut request.actions {
        let TransactAction::Put(put) = action else { continue };
        let is_task =
            matches!(put.item.get("kind"), Some(AttributeValue::S(kind)) if kind.starts_with("task#"));
        if is_task {
            put.item.remove("after");
        }
    }
}

impl Store for Mortal {
    fn label(&self) -> String {
        self.store.label()
    }
    async fn supports(&self, feature: Feature) -> bool {
        self.store.supports(feature).await
    }
    async fn get(&self, request: GetItem) -> Result<Found, StoreError> {
        self.call(self.store.get(request)).await
    }
    async fn batch_get(&self, request: BatchGet) -> Result<BatchFound, StoreError> {
        self.call(self.store.batch_get(request)).await
    }
    async fn query(&self, request: Query) -> Result<Page<Query>, StoreError> {
        self.call(self.store.query(request)).await
    }
    async fn scan(&self, request: Scan) -> Result<Page<Scan>, StoreError> {
        self.call(self.store.scan(request)).await
    }
    async fn transact_get(&self, request: TransactGet) -> Result<TransactFound, StoreError> {
        self.call(self.store.transact_get(request)).await
    }
    async fn put(&self, request: PutItem) -> Result<Written, StoreError> {
        self.call(self.store.put(request)).await
    }
    async fn update(&self, request: UpdateItem) -> Result<Written, StoreError> {
        self.call(self.store.update(request)).await
    }
    async fn delete(&self, request: DeleteItem) -> Result<Written, StoreError> {
        self.call(self.store.delete(request)).await
    }
    async fn transact_write(&self, mut request: TransactWrite) -> Result<Written, StoreError> {
        if self.fate.mistake == Some(Mistake::TaskFromZero) {
            forget_places(&mut request);
        }
        let was_alive = !self.fate.is_dead.load(Ordering::Relaxed);
        match self.fate.next() {
            Moment::Alive => self.store.transact_write(request).await,
            Moment::Dying => self.store.transact_write(request).await.and_then(|_| killed()),
            Moment::Dead if was_alive => self.torn(request).await,
            Moment::Dead => killed(),
        }
    }
    async fn describe_table(&self, name: &str) -> Result<Option<TableState>, StoreError> {
        self.store.describe_table(name).await
    }
    async fn change_table(&self, change: &TableChange) -> Result<(), StoreError> {
        self.store.change_table(change).await
    }
}

/// The changes of a table, until the worker dies.
struct MortalChanges {
    changes: EmbeddedChanges,
    fate: Arc<Fate>,
    seen: u64,
}

impl ChangeReader for MortalChanges {
    async fn next(&mut self, wait: Duration) -> Result<Option<Vec<ItemChange>>, StoreError> {
        if self.fate.next() != Moment::Alive {
            return killed();
        }
        let changes = self.changes.next(wait).await?;
        let is_lost = |change: &ItemChange, seen: u64| {
            self.fate.mistake == Some(Mistake::LostDecrement)
                && change.after.is_none()
                && seen.is_multiple_of(3)
        };
        let mut kept = Vec::new();
        for change in changes.unwrap_or_default() {
            self.seen += 1;
            if !is_lost(&change, self.seen) {
                kept.push(change);
            }
        }
        Ok(Some(kept))
    }

    fn position(&self) -> String {
        self.changes.position()
    }

    fn has_reached(&self, position: &str) -> bool {
        self.changes.has_reached(position)
    }
}

impl ChangeFeed for Mortal {
    type Reader = MortalChanges;

    async fn changes(&self, table: &str, start: FeedStart) -> Result<Option<MortalChanges>, StoreError> {
        let changes = self.call(self.store.changes(table, start)).await?;
        let fate = self.fate.clone();
        Ok(changes.map(|changes| MortalChanges { changes, fate, seen: 0 }))
    }

    async fn latest_position(&self, table: &str) -> Result<Option<String>, StoreError> {
        self.store.latest_position(table).await
    }

    fn has_passed(&self, position: &str, other: &str) -> bool {
        self.store.has_passed(position, other)
    }

    fn background_actions_max(&self) -> usize {
        self.store.background_actions_max()
    }

    fn scan_place(&self, table: &str, key: &Item) -> Result<Vec<u8>, StoreError> {
        self.store.scan_place(table, key)
    }
}

/// Random numbers of one seed.
struct Dice(SeededEntropy);

impl Dice {
    fn below(&self, end: u64) -> u64 {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        u64::from_le_bytes(bytes) % end
    }
}

struct Play {
    blog: Blog,
    dice: Dice,
    mistake: Option<Mistake>,
    /// Comments that were written. Each makes a note.
    comments: i64,
}

impl Play {
    /// Writes something. Writers aren't killed.
    fn write(&mut self) {
        let id = |end: u64| Json::from(format!("n{}", self.dice.below(end)));
        let (post, user) = (id(6), id(3));
        let run = |pattern: &str, values: &[(&str, Json)]| self.blog.try_run(pattern, values).is_ok();
        match self.dice.below(12) {
            0 => _ = run("save_user", &[("user", user), ("name", id(4))]),
            1 | 2 => _ = run("rename", &[("user", user), ("name", id(4))]),
            3 | 4 => _ = run("post", &[("post", post), ("user", user)]),
            5 => _ = run("unpost", &[("post", post)]),
            6 => {
                let is_new = run("comment", &[("post", post), ("comment", id(5))]);
                self.comments += i64::from(is_new);
            }
            7..10 => _ = run("like", &[("post", post), ("user", id(9))]),
            _ => {
                let (post, user) = (self.dice.below(6), self.dice.below(9));
                self.blog.delete_raw(&format!("POST#n{post}"), &format!("LIKE#n{user}"));
            }
        }
    }

    fn worker(&self, calls: i64, is_late: bool) -> Option<Worker<Mortal>> {
        let is_dead = AtomicBool::new(false);
        let fate = Fate { calls_left: AtomicI64::new(calls), is_late, is_dead, mistake: self.mistake };
        let store = Mortal { store: self.blog.store(), fate: Arc::new(fate) };
        Worker::open(store, self.blog.design.clone(), "dev").wait().ok().flatten()
    }

    /// Lets a worker live for some calls of the store.
    fn live(&self) {
        let (calls, is_late) = (1 + self.dice.below(40), self.dice.below(2) == 0);
        let Some(mut worker) = self.worker(i64::try_from(calls).unwrap(), is_late) else { return };
        for _ in 0..self.dice.below(8) {
            if worker.step(Duration::ZERO).wait().is_err() {
                return;
            }
        }
    }

    /// Lets a worker live to the end. Returns what is wrong then.
    fn end(&self) -> Option<String> {
        let mut worker = self.worker(i64::MAX, false).unwrap();
        let mut steps = 0;
        while worker.step(Duration::ZERO).wait().unwrap().is_busy {
            steps += 1;
            if steps > STEPS_MAX {
                return Some("the worker never catches up".to_owned());
            }
        }
        let audit = Audit::new(self.blog.store(), self.blog.design.clone(), "dev").unwrap();
        let report = audit.run(&mut |_| {}).wait().unwrap();
        if !report.differences.is_empty() {
            return Some(format!("{:?}", report.differences));
        }
        let status = status(&self.blog.store(), &self.blog.design, "dev").wait().unwrap();
        if status.tasks > 0 {
            return Some(format!("{} tasks are left", status.tasks));
        }
        let notes = number(self.blog.run("notes", &[]).get("count").unwrap());
        (notes != self.comments).then(|| format!("{notes} notes of {} comments", self.comments))
    }
}

/// Plays a seed. Returns what is wrong afterwards.
fn play(seed: u64, mistake: Option<Mistake>) -> Option<String> {
    let blog = Blog::of(&design(), Database::in_memory().unwrap());
    let mut play = Play { blog, dice: Dice(SeededEntropy::new(seed)), mistake, comments: 0 };
    // The worker is there from the beginning: rules that make items don't concern existing ones.
    play.blog.settle();
    if mistake == Some(Mistake::TaskFromZero) {
        play.blog.run("save_user", &[("user", "n0".into()), ("name", "Ann".into())]);
        for post in 0..50 {
            play.blog.run("post", &[("post", format!("m{post}").into()), ("user", "n0".into())]);
        }
    }
    for _ in 0..10 + play.dice.below(30) {
        play.write();
        if play.dice.below(3) == 0 {
            play.live();
        }
    }
    play.end()
}

fn seeds(usual: u64) -> u64 {
    std::env::var("SINGLET_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn workers_that_are_killed_at_any_call_neither_lose_nor_double_anything() {
    for seed in 0..seeds(SEEDS) {
        let wrong = play(seed, None);
        assert!(wrong.is_none(), "seed {seed}: {}", wrong.unwrap_or_default());
    }
}

fn find(mistake: Mistake) {
    let found = (0..SEEDS_OF_MISTAKES_MAX).find(|seed| play(*seed, Some(mistake)).is_some());
    assert!(found.is_some(), "{mistake:?} isn't found by {SEEDS_OF_MISTAKES_MAX} seeds");
}

#[test]
fn effects_that_are_written_without_their_position_are_found_when_workers_are_killed() {
    find(Mistake::EffectWithoutPosition);
}

#[test]
fn a_position_that_is_written_before_its_effects_is_found_when_workers_are_killed() {
    find(Mistake::PositionBeforeEffect);
}

#[test]
fn a_decrement_that_is_lost_is_found() {
    find(Mistake::LostDecrement);
}

#[test]
fn a_task_that_begins_at_zero_again_is_found() {
    find(Mistake::TaskFromZero);
}
