//! The tree by itself: how it is filled, and what becomes of damaged and cut files.

use bytes::Bytes;
use redb::ReadableTableMetadata;

use super::pages::{PAGE_BYTES, PagedFile};
use super::*;
use crate::store::tests::power_disk::PowerDisk;
use crate::store::{Disk, DiskFile, MemoryDisk};

/// The tree of a folder in the format from before pages had checksums: the library's pages as they are.
pub(in crate::store) fn bare_tree(disk: &PowerDisk) -> Vec<u8> {
    let file = PagedFile::open(disk.as_disk().open(NAME).unwrap(), NAME, None).unwrap();
    let mut bytes = vec![0; file.len().unwrap() as usize];
    for (page, bytes) in bytes.chunks_mut(PAGE_BYTES).enumerate() {
        if file.read_exact_at((page * PAGE_BYTES) as u64, bytes).is_err() {
            // Never written.
            bytes.fill(0);
        }
    }
    bytes
}

pub(in crate::store) fn is_bare(disk: &PowerDisk) -> bool {
    disk.content(NAME).starts_with(b"redb")
}

fn fold(tree: &Tree, overlay: &Overlay) {
    tree.fold(overlay, &Tallies::default(), FoldPoint::default(), 1000, |_| Ok(())).unwrap();
}

#[test]
fn new_keys_that_follow_one_another_fill_their_pages() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let tree = Tree::open(&disk, None, 1 << 20, OldTree::Convert).unwrap();
    let value = Bytes::from(vec![7; 400]);
    // Groups of keys in an order that is not theirs, so that each fold puts groups between those of earlier ones.
    let groups: Vec<u64> = (0..1200).map(|step| step * 7919 % 1200).collect();
    for part in groups.chunks(150) {
        let mut overlay = Overlay::default();
        for (group, item) in part.iter().flat_map(|group| (0..25).map(move |item| (group, item))) {
            overlay.insert(format!("{group:05}-{item:02}").as_bytes(), Some(value.clone()), false);
        }
        fold(&tree, &overlay);
    }
    let transaction = tree.database().unwrap().begin_read().unwrap();
    let table = transaction.open_table(ENTRIES).unwrap();
    let stats = table.stats().unwrap();
    assert_eq!(table.len().unwrap(), 30_000);
    let fill = stats.stored_bytes() as f64 / (stats.leaf_pages() * 4096) as f64;
    assert!(fill > 0.7, "{fill}");
}

#[test]
fn runs_stop_at_keys_that_are_there_and_at_deletions() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
    let tree = Tree::open(&disk, None, 1 << 20, OldTree::Convert).unwrap();
    let mut model = std::collections::BTreeMap::new();
    for round in 0..40_u64 {
        let mut overlay = Overlay::default();
        for step in 0..200_u64 {
            let key = (step * step * 31 + round * 17) % 1500;
            let value = (step % 5 != 0).then(|| Bytes::from(format!("{round}-{step}")));
            overlay.insert(&key.to_be_bytes(), value.clone(), false);
            match value {
                Some(value) => _ = model.insert(key, value),
                None => _ = model.remove(&key),
            }
        }
        fold(&tree, &overlay);
        let view = tree.view().unwrap();
        let mut range = view.range(Bound::Unbounded, Bound::Unbounded).unwrap();
        let found = std::iter::from_fn(|| range.step(crate::store::Direction::Forward).unwrap());
        let found: Vec<_> = found.map(|entry| entry.to_bytes()).collect();
        let expected: Vec<_> = model
            .iter()
            .map(|(key, value)| (Bytes::copy_from_slice(&key.to_be_bytes()), value.clone()))
            .collect();
        assert_eq!(found, expected, "round {round}");
    }
}
