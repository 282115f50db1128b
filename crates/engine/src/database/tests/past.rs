//! Past moments are read in slices of bounded size, and are the same however small the slices.

use std::collections::BTreeMap;
use std::sync::Arc;

use singlet_values::{EncodedItem, Item};

use super::TABLE;
use crate::background::Stop;
use crate::error::Error;
use crate::request::{CreateTable, DeleteItem, PutItem, ScalarType, UpdateRecovery};
use crate::store::ManualClock;
use crate::{Database, Options, StoreOptions};

const START_MS: u64 = 1_700_000_000_000;
const MOMENTS: u64 = 40;
const KEYS: u64 = 60;

type State = BTreeMap<u64, Item>;

/// A table that is written a few times in each millisecond, and its state after each.
fn written() -> (Database, Vec<State>) {
    let clock = Arc::new(ManualClock::new(START_MS));
    let store =
        StoreOptions { overlay_bytes_max: 16 << 10, segment_bytes: 64 << 10, ..StoreOptions::default() };
    let options = Options { store, clock: clock.clone(), ..Options::default() };
    let database = Database::in_memory_with(options).unwrap();
    database.create_table(CreateTable::new(TABLE, "id", ScalarType::N)).unwrap();
    database.update_recovery(UpdateRecovery::on(TABLE)).unwrap();
    let (mut state, mut states, mut random) = (State::new(), vec![State::new()], 88_172_645_463_325_252u64);
    for moment in 1..=MOMENTS {
        clock.set_ms(START_MS + moment);
        for _ in 0..12 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let id = random % KEYS;
            let mut item = Item::from([("id", id as i64)]);
            if random % 5 == 0 {
                database.delete_item(DeleteItem::new(TABLE, item)).unwrap();
                state.remove(&id);
            } else {
                item.insert("v", random as i64 % 1000);
                item.insert("text", "x".repeat((random >> 20) as usize % 200));
                database.put_item(PutItem::new(TABLE, item.clone())).unwrap();
                state.insert(id, item);
            }
        }
        states.push(state.clone());
    }
    (database, states)
}

fn id_of(item: &Item) -> u64 {
    format!("{:?}", item.get("id")).chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

#[test]
fn moments_are_the_same_however_little_is_held_at_once() {
    let (database, states) = written();
    let view = database.view();
    let table = view.catalogue().resource(TABLE).unwrap();
    let stop = Stop::default();
    for noted_bytes_max in [1, 700, 4_000, usize::MAX] {
        for (moment, expected) in states.iter().enumerate() {
            let time_ms = START_MS + moment as u64;
            let past = database.inner.recovery.past(&view, table, noted_bytes_max, &stop);
            let mut found = State::new();
            let mut keep = |item: &bytes::Bytes| {
                let item = EncodedItem::from_bytes(item.clone()).decode().unwrap();
                assert!(found.insert(id_of(&item), item).is_none(), "an item comes twice");
                Ok(())
            };
            past.items_at(time_ms, &mut keep).unwrap();
            assert_eq!(found, *expected, "moment {moment}, {noted_bytes_max} bytes");
        }
    }
}

#[test]
fn changes_between_moments_are_the_same_however_little_is_held_at_once() {
    let (database, states) = written();
    let view = database.view();
    let table = view.catalogue().resource(TABLE).unwrap();
    let stop = Stop::default();
    for noted_bytes_max in [1, 700, usize::MAX] {
        for (from, to) in [(0, MOMENTS), (3, 4), (5, 30), (MOMENTS - 1, MOMENTS), (7, 7)] {
            let (before, after) = (&states[from as usize], &states[to as usize]);
            let past = database.inner.recovery.past(&view, table, noted_bytes_max, &stop);
            let mut changed = State::new();
            let mut state = before.clone();
            let mut take = |change: &crate::recovery::Changed| {
                let image = |value: &Option<bytes::Bytes>| {
                    value.clone().map(|bytes| EncodedItem::from_bytes(bytes).decode().unwrap())
                };
                let (old, new) = (image(&change.old), image(&change.new));
                let Some(id) = new.as_ref().or(old.as_ref()).map(id_of) else { return Ok(()) };
                assert!(change.written_ms > START_MS + from && change.written_ms <= START_MS + to);
                assert_eq!(old.as_ref(), before.get(&id));
                assert!(changed.insert(id, Item::new()).is_none(), "an item comes twice");
                match new {
                    Some(new) => _ = state.insert(id, new),
                    None => _ = state.remove(&id),
                }
                Ok(())
            };
            past.changes_between(START_MS + from, START_MS + to, &mut take).unwrap();
            assert_eq!(state, *after, "from {from} to {to}, {noted_bytes_max} bytes");
        }
    }
}

#[test]
fn a_walk_ends_when_the_database_closes() {
    let (database, _) = written();
    let view = database.view();
    let table = view.catalogue().resource(TABLE).unwrap();
    let stop = Stop::default();
    let past = database.inner.recovery.past(&view, table, 1, &stop);
    let ended = past.items_at(START_MS + 20, &mut |_| Err(Error::Closed));
    assert!(matches!(ended, Err(Error::Closed)));
}
