//! A damaged tree gives what was written or an error that names the page, before and after writes nearby; what isn't
//! damaged stays readable; and nothing panics.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use proptest::prelude::*;

use super::fixture::{Random, TestStore, bytes, put, sealed, start, try_start};
use super::power_disk::PowerDisk;
use crate::store::{CommitError, Direction, StoreError, StoreOptions, check_store};

const ENTRIES: u64 = 400;
const PAGE: usize = 4096;

fn options() -> StoreOptions {
    // A small cache, so that reads go to the file, and folds in the midst of writing.
    StoreOptions {
        cache_bytes: 0,
        overlay_bytes_max: 48 << 10,
        fold_part_entries: 16,
        segment_bytes: 64 << 10,
        ..StoreOptions::default()
    }
}

/// Either without or with encryption.
const BOTH: [fn() -> StoreOptions; 2] = [options, || sealed(options())];

type Model = BTreeMap<Bytes, Bytes>;

fn name(number: u64) -> String {
    format!("{number:04}")
}

/// A folder with most of its entries in the tree, closed or left by a killed process, and what is in it.
fn filled(options: StoreOptions, is_closed: bool) -> (PowerDisk, Model) {
    let disk = PowerDisk::new();
    let store = start(&disk.as_disk(), options);
    let mut model = Model::new();
    let random = &mut Random::new(5);
    for number in (0..ENTRIES).chain(0..ENTRIES / 4) {
        // Some values take pages of their own.
        let length = if number % 50 == 7 { 9_000 } else { 100 + random.below(300) as usize };
        let value = Bytes::from(vec![random.next() as u8; length]);
        put(&store, &name(number), value.clone()).unwrap();
        model.insert(bytes(&name(number)), value);
    }
    let killed = disk.after_kill();
    drop(store);
    (if is_closed { disk.after_kill() } else { killed }, model)
}

/// An error that says what is damaged.
fn is_about_the_tree(error: &StoreError) -> bool {
    matches!(error, StoreError::Corrupt { file, reason, .. }
        if file == "tree" && ["page", "header", "begin", "cut", "copies"].iter().any(|word| reason.contains(word)))
}

/// Reads everything in two ways. Unreadable entries must be reported as damaged. Returns their keys.
fn read_all(store: &TestStore, model: &Model, context: &str) -> Vec<Bytes> {
    let view = store.view();
    let mut unreadable = Vec::new();
    for (key, value) in model {
        match view.get(key) {
            Ok(found) => assert_eq!(found.as_ref(), Some(value), "{context}: {key:?}"),
            Err(error) => {
                assert!(is_about_the_tree(&error), "{context}: {error}");
                unreadable.push(key.clone());
            }
        }
    }
    for direction in [Direction::Forward, Direction::Backward] {
        let mut expected: Box<dyn Iterator<Item = _>> = match direction {
            Direction::Forward => Box::new(model.iter()),
            Direction::Backward => Box::new(model.iter().rev()),
        };
        let mut range = view.range(Bound::Unbounded, Bound::Unbounded, direction);
        loop {
            match range.next() {
                Some(Ok((key, value))) => assert_eq!(Some((&key, &value)), expected.next(), "{context}"),
                Some(Err(error)) => {
                    assert!(is_about_the_tree(&error), "{context}: {error}");
                    break;
                }
                None => {
                    assert_eq!(expected.next(), None, "{context}: the range ended early");
                    break;
                }
            }
        }
    }
    unreadable
}

/// Writes, folds and closes; what is acknowledged is in the model afterwards.
fn write_nearby(store: &TestStore, model: &mut Model, random: &mut Random, context: &str) {
    for step in 0..60 {
        let key = bytes(&name(random.below(ENTRIES + 20)));
        let value = Bytes::from(vec![step; 500]);
        match put(store, std::str::from_utf8(&key).unwrap(), value.clone()) {
            Ok(()) => _ = model.insert(key, value),
            Err(CommitError::Poisoned(reason)) => {
                assert!(reason.contains("tree is damaged at offset"), "{context}: {reason}");
                break;
            }
            Err(error) => panic!("{context}: {error}"),
        }
    }
    let _ = store.close();
}

/// Tries one damage: right content or an error, now, after writes nearby, and after opening again. Builds with assertions
/// read the whole tree when they open it, so that half of the damage is done when it is open.
fn live_with(
    disk: &PowerDisk,
    options: fn() -> StoreOptions,
    model: &Model,
    random: &mut Random,
    damage: impl FnOnce(&mut Vec<u8>),
    context: &str,
) {
    let mut model = model.clone();
    let mut damage = Some(damage);
    for life in 0..3 {
        let context = format!("{context}, life {life}");
        if random.below(2) == 0 || life == 1 {
            damage.take().into_iter().for_each(|damage| disk.tamper("tree", damage));
        }
        match try_start(&disk.as_disk(), options()) {
            Err(error) => assert!(is_about_the_tree(&error), "{context}: {error}"),
            Ok(store) => {
                damage.take().into_iter().for_each(|damage| disk.tamper("tree", damage));
                if life != 1 {
                    read_all(&store, &model, &context);
                }
                write_nearby(&store, &mut model, random, &context);
            }
        }
    }
}

/// Counts panics in the tree's library from the first call on. Trees of the old format can make it panic, and tests of
/// those run at the same time.
fn library_panics() -> usize {
    static INSTALLED: Once = Once::new();
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let is_of_library = panic.location().is_some_and(|location| location.file().contains("redb"));
            let is_of_old_tree = std::thread::current().name().is_some_and(|name| name.contains("old_tree"));
            if is_of_library && !is_of_old_tree {
                SEEN.fetch_add(1, Ordering::Relaxed);
            }
            before(panic);
        }));
    });
    SEEN.load(Ordering::Relaxed)
}

#[test]
fn every_flipped_byte_of_a_tree_gives_right_content_or_an_error() {
    let panics = library_panics();
    for (options, is_closed) in BOTH.iter().flat_map(|options| [(*options, false), (*options, true)]) {
        let (whole, model) = filled(options(), is_closed);
        let length = whole.content("tree").len();
        let random = &mut Random::new(11);
        let mut flips = 0;
        while flips < 60 {
            let at = random.below(length as u64) as usize;
            let disk = whole.after_kill();
            if disk.content("tree")[at / 512 * 512..][..512].iter().all(|byte| *byte == 0) {
                continue;
            }
            flips += 1;
            let bit = random.below(8);
            live_with(
                &disk,
                options,
                &model,
                random,
                |content| content[at] ^= 1 << bit,
                &format!("byte {at}"),
            );
        }
    }
    assert_eq!(library_panics(), panics);
}

#[test]
fn blocks_of_the_tree_that_are_lost_or_exchanged_give_right_content_or_an_error() {
    let panics = library_panics();
    for options in BOTH {
        let (whole, model) = filled(options(), true);
        let blocks = whole.content("tree").len() / PAGE;
        let random = &mut Random::new(17);
        for round in 0..60 {
            let [from, to] = [0, 1].map(|_| random.below(blocks as u64) as usize * PAGE);
            let disk = whole.after_kill();
            let damage = |content: &mut Vec<u8>| match round % 3 {
                0 => content[to..to + PAGE].fill(0),
                1 => content.copy_within(from..from + PAGE, to),
                // A block of slots and all of its pages, as a hole in the file would be.
                _ => content[to.max(5 * PAGE)..].fill(0),
            };
            let context = format!("round {round}, block {}", to / PAGE);
            live_with(&disk, options, &model, random, damage, &context);
        }
    }
    assert_eq!(library_panics(), panics);
}

#[test]
fn a_damaged_page_leaves_the_others_readable_and_verifying_names_it() {
    for options in BOTH {
        let (whole, model) = filled(options(), true);
        let pages = whole.content("tree").len() / PAGE;
        let mut partly = 0;
        for page in (6..pages).step_by(2) {
            let disk = whole.after_kill();
            let store = start(&disk.as_disk(), options());
            disk.tamper("tree", |content| content[page * PAGE + 1_000] ^= 1);
            let unreadable = read_all(&store, &model, &format!("block {page}"));
            if unreadable.is_empty() || unreadable.len() > model.len() / 4 {
                continue;
            }
            partly += 1;
            assert_eq!(read_all(&store, &model, "again"), unreadable, "block {page}");
            let errors = check_store(&disk.as_disk(), options().key.as_ref(), |_| {}).unwrap().errors;
            let offset = (page * PAGE) as u64;
            let names_it = |error: &StoreError| {
                matches!(error, StoreError::Corrupt { offset: found, .. } if *found == offset)
                    && is_about_the_tree(error)
            };
            assert!(errors.iter().any(names_it), "block {page}: {errors:?}");
        }
        assert!(partly > 10, "{partly} of {pages}");
    }
}

#[test]
fn a_cut_tree_is_refused_without_a_panic() {
    let panics = library_panics();
    for (options, is_closed) in BOTH.iter().flat_map(|options| [(*options, false), (*options, true)]) {
        let (whole, _) = filled(options(), is_closed);
        let length = whole.content("tree").len();
        let pages = (0..length).step_by(PAGE);
        for cut in pages.chain([1, 31, 4_097, 20_481, length - 1]) {
            let disk = whole.after_kill();
            disk.tamper("tree", |content| content.truncate(cut));
            let refused =
                try_start(&disk.as_disk(), options()).err().unwrap_or_else(|| panic!("cut at {cut}"));
            assert!(refused.to_string().contains("tree is damaged at offset"), "cut at {cut}: {refused}");
            assert!(refused.to_string().contains("cut"), "cut at {cut}: {refused}");
            let errors = check_store(&disk.as_disk(), options().key.as_ref(), |_| {}).unwrap().errors;
            assert!(errors.iter().any(|error| error.to_string().contains("cut")), "cut at {cut}: {errors:?}");
        }
    }
    assert_eq!(library_panics(), panics);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_tree_with_any_bytes_changed_gives_right_content_or_an_error(
        is_encrypted in any::<bool>(),
        changes in proptest::collection::vec((any::<u32>(), 1..=255_u8), 1..20),
        seed in any::<u64>(),
    ) {
        let options = BOTH[usize::from(is_encrypted)];
        let (disk, model) = filled(options(), seed % 2 == 0);
        let damage = |content: &mut Vec<u8>| {
            let length = content.len();
            changes.iter().for_each(|(at, change)| content[*at as usize % length] ^= change);
        };
        live_with(&disk, options, &model, &mut Random::new(seed), damage, "proptest");
    }
}
