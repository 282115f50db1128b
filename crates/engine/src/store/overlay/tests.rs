//! The overlay behaves like an ordered map whose snapshots never change.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn insert(overlay: &mut Overlay, key: &[u8], value: Option<u8>) {
    overlay.insert(key, value.map(|value| Bytes::from(vec![value])), false);
}

/// Keys that often share their first 16 bytes, so that prefixes tie.
fn any_key() -> impl Strategy<Value = Vec<u8>> {
    let tail = proptest::collection::vec(0u8..4, 0..6);
    (0u8..6, tail).prop_map(|(group, tail)| match group {
        0 => tail,
        1 => [b"0123456789abcdef".as_slice(), &tail].concat(),
        2 => [b"0123456789abcdef0123456789".as_slice(), &tail].concat(),
        group => [vec![group; 3 * usize::from(group)], tail].concat(),
    })
}

fn contents<'a>(entries: impl Iterator<Item = OverlayEntry<'a>>) -> Vec<(Vec<u8>, Option<Bytes>)> {
    entries.map(|entry| (entry.key.to_vec(), entry.value.cloned())).collect()
}

fn bound(key: &[u8], included: bool) -> Bound<&[u8]> {
    if included { Bound::Included(key) } else { Bound::Excluded(key) }
}

type Model = BTreeMap<Vec<u8>, Option<Bytes>>;

fn model_range(
    model: &Model,
    lower: Bound<&[u8]>,
    upper: Bound<&[u8]>,
    direction: Direction,
) -> Vec<(Vec<u8>, Option<Bytes>)> {
    let pairs = model.range::<[u8], _>((lower, upper)).map(|(key, value)| (key.clone(), value.clone()));
    match direction {
        Direction::Forward => pairs.collect(),
        Direction::Backward => pairs.rev().collect(),
    }
}

proptest! {
    #[test]
    fn inserts_gets_and_ranges_agree_with_an_ordered_map(
        inserts in proptest::collection::vec((any_key(), proptest::option::of(any::<u8>())), 0..600),
        bounds in proptest::collection::vec((any_key(), any_key(), any::<(bool, bool, bool)>()), 0..20),
    ) {
        let mut overlay = Overlay::default();
        let mut model = Model::new();
        for (key, value) in inserts {
            insert(&mut overlay, &key, value);
            model.insert(key, value.map(|value| Bytes::from(vec![value])));
        }
        prop_assert_eq!(overlay.len(), model.len());
        prop_assert_eq!(contents(overlay.iter()), model_range(&model, Bound::Unbounded, Bound::Unbounded, Direction::Forward));
        for (a, b, (low_included, high_included, forward)) in bounds {
            prop_assert_eq!(overlay.get(&a).map(Option::<&Bytes>::cloned), model.get(&a).cloned());
            let (low, high) = if a < b { (&a, &b) } else { (&b, &a) };
            if low == high && !(low_included && high_included) {
                continue;
            }
            let direction = if forward { Direction::Forward } else { Direction::Backward };
            let (low, high) = (bound(low, low_included), bound(high, high_included));
            prop_assert_eq!(contents(overlay.range(low, high, direction)), model_range(&model, low, high, direction));
        }
    }

    #[test]
    fn a_snapshot_does_not_see_later_inserts(
        before in proptest::collection::vec((any_key(), any::<u8>()), 0..300),
        after in proptest::collection::vec((any_key(), any::<u8>()), 0..300),
    ) {
        let mut overlay = Overlay::default();
        for (key, value) in before {
            insert(&mut overlay, &key, Some(value));
        }
        let snapshot = overlay.clone();
        let seen = contents(snapshot.iter());
        for (key, value) in after {
            insert(&mut overlay, &key, Some(value));
        }
        prop_assert_eq!(contents(snapshot.iter()), seen);
        prop_assert_eq!(contents(overlay.iter()).len(), overlay.len());
    }

    #[test]
    fn many_entries_at_once_end_as_one_after_the_other(
        first in proptest::collection::vec((any_key(), any::<Option<u8>>()), 0..40),
        second in proptest::collection::vec((any_key(), any::<Option<u8>>(), any::<bool>()), 0..200),
    ) {
        let mut one_by_one = Overlay::default();
        first.iter().for_each(|(key, value)| insert(&mut one_by_one, key, *value));
        let mut at_once = one_by_one.clone();
        let mut entries = NewEntries::default();
        for (key, value, shared) in &second {
            let value = value.map(|value| Bytes::from(vec![value]));
            one_by_one.insert(key, value.clone(), *shared);
            entries.add(Bytes::copy_from_slice(key), value, *shared);
        }
        at_once.insert_all(entries);
        prop_assert_eq!(contents(at_once.iter()), contents(one_by_one.iter()));
        prop_assert_eq!((at_once.len(), at_once.bytes()), (one_by_one.len(), one_by_one.bytes()));
    }
}

#[test]
fn a_replaced_value_is_charged_until_the_overlay_is_gone() {
    let mut overlay = Overlay::default();
    for round in 0..3u8 {
        for key in 0..1000u32 {
            insert(&mut overlay, &key.to_be_bytes(), Some(round));
        }
    }
    let (keys, values) = (1000 * (4 + KEY_OVERHEAD_BYTES), 3000 * (1 + VALUE_OVERHEAD_BYTES));
    assert_eq!((overlay.len(), overlay.bytes()), (1000, keys + values));
}
