//! Any sequence of batches, rotations and openings behaves like one ordered map.

use std::collections::BTreeMap;
use std::ops::Bound;

use bytes::Bytes;
use proptest::prelude::*;

use super::fixture::{commit, contents, sealed, small, start};
use super::power_disk::PowerDisk;
use crate::store::{Direction, StoreOptions, View};

type Model = BTreeMap<Bytes, Bytes>;

#[derive(Debug, Clone)]
enum Step {
    Commit(Vec<(u8, Option<u16>)>),
    Reopen { clean: bool },
    Range { lower: Bound<u8>, upper: Bound<u8>, backward: bool },
    Get(u8),
}

fn key(short: u8) -> Bytes {
    // Long common beginnings, and some keys that begin others.
    let tail = usize::from(short % 5);
    Bytes::from(format!("common-beginning-of-keys-{:02x}{}", short / 5, "\0".repeat(tail)).into_bytes())
}

fn bound() -> impl Strategy<Value = Bound<u8>> {
    prop_oneof![
        any::<u8>().prop_map(Bound::Included),
        any::<u8>().prop_map(Bound::Excluded),
        Just(Bound::Unbounded)
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let change = (any::<u8>(), proptest::option::weighted(0.7, 0..600_u16));
    prop_oneof![
        12 => proptest::collection::vec(change, 1..8).prop_map(Step::Commit),
        1 => any::<bool>().prop_map(|clean| Step::Reopen { clean }),
        3 => (bound(), bound(), any::<bool>())
            .prop_map(|(lower, upper, backward)| Step::Range { lower, upper, backward }),
        3 => any::<u8>().prop_map(Step::Get),
    ]
}

fn value(len: u16, sequence: u64) -> Bytes {
    let mut value = sequence.to_le_bytes().to_vec();
    value.resize(8 + usize::from(len), sequence as u8);
    value.into()
}

fn check_range<A>(view: &View<A>, model: &Model, lower: Bound<u8>, upper: Bound<u8>, backward: bool) {
    let (lower, upper) = (lower.map(key), upper.map(key));
    let slice = |bound: &Bound<Bytes>, entry: &Bytes, below: bool| match bound {
        Bound::Included(limit) => {
            if below {
                entry >= limit
            } else {
                entry <= limit
            }
        }
        Bound::Excluded(limit) => {
            if below {
                entry > limit
            } else {
                entry < limit
            }
        }
        Bound::Unbounded => true,
    };
    let within = model.iter().filter(|(entry, _)| slice(&lower, entry, true) && slice(&upper, entry, false));
    let mut expected: Vec<_> = within.map(|(key, value)| (key.clone(), value.clone())).collect();
    let mut direction = Direction::Forward;
    if backward {
        expected.reverse();
        direction = Direction::Backward;
    }
    let (lower, upper) = (lower.as_ref().map(Bytes::as_ref), upper.as_ref().map(Bytes::as_ref));
    let found: Vec<_> = view.range(lower, upper, direction).map(Result::unwrap).collect();
    assert_eq!(found, expected);
}

fn run(steps: Vec<Step>, options: impl Fn() -> StoreOptions) {
    let mut disk = PowerDisk::new();
    let mut store = start(&disk.as_disk(), options());
    let mut model = Model::new();
    for step in steps {
        match step {
            Step::Commit(changes) => {
                let sequence = store.view().sequence() + 1;
                for (short, len) in &changes {
                    match len {
                        Some(len) => drop(model.insert(key(*short), value(*len, sequence))),
                        None => drop(model.remove(&key(*short))),
                    }
                }
                commit(&store, move |batch| {
                    assert_eq!(batch.sequence(), sequence);
                    for (short, len) in changes {
                        match len {
                            Some(len) => batch.put(key(short), value(len, sequence)),
                            None => batch.delete(key(short)),
                        }
                    }
                })
                .unwrap();
            }
            Step::Reopen { clean: true } => {
                drop(store);
                store = start(&disk.as_disk(), options());
            }
            Step::Reopen { clean: false } => {
                disk = disk.after_kill();
                drop(store);
                store = start(&disk.as_disk(), options());
            }
            Step::Range { lower, upper, backward } => {
                check_range(&store.view(), &model, lower, upper, backward);
            }
            Step::Get(short) => {
                assert_eq!(store.view().get(&key(short)).unwrap(), model.get(&key(short)).cloned());
            }
        }
    }
    let expected: Vec<_> = model.into_iter().collect();
    assert_eq!(contents(&store.view()), expected);
    drop(store);
    assert_eq!(contents(&start(&disk.as_disk(), options()).view()), expected);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_store_behaves_like_one_ordered_map(steps in proptest::collection::vec(step(), 1..120)) {
        run(steps, small);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn an_encrypted_store_behaves_like_one_ordered_map(steps in proptest::collection::vec(step(), 1..120)) {
        run(steps, || sealed(small()));
    }
}
