//! Whether the indexes of a table are what its items make of them.

use std::time::{Duration, Instant};

use singlet_engine::values::{Item, Kind};
use singlet_engine::{
    Database, IndexDefinition, IndexDescription, IndexStatus, ProjectedAttributes, Scan, TableDescription,
    TableStatus,
};

use super::scan_all;

const SETTLED_WITHIN: Duration = Duration::from_secs(30);
const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(1);

/// Waits until no index of the table is being created or deleted.
pub(crate) fn wait_until_settled(database: &Database, table: &str) -> TableDescription {
    let start = Instant::now();
    loop {
        let description = database.describe_table(table).expect("the table is there");
        if description.status == TableStatus::Active {
            return description;
        }
        assert!(start.elapsed() < SETTLED_WITHIN, "the table does not settle: {description:?}");
        std::thread::park_timeout(LOOK_AGAIN_AFTER);
    }
}

/// Reads the table and all of its indexes in full, compares each index with the entries that the items make, and
/// the counts and sizes with what is there. To be called while nobody writes. Returns the items.
pub(crate) fn assert_agreement(database: &Database, table: &str) -> Vec<Item> {
    let description = wait_until_settled(database, table);
    let items = scan_all(database, &Scan::new(table));
    assert_counts(table, &items, description.item_count, description.size_bytes);
    for index in description.local_indexes.iter().chain(&description.global_indexes) {
        assert_eq!(index.status, IndexStatus::Active);
        let name = &index.definition.name;
        let entries = scan_all(database, &Scan::new(table).index(name));
        let derived = derived_entries(&description, index, &items);
        assert_eq!(sorted(entries.clone()), sorted(derived), "index {name} of {table}");
        assert_counts(name, &entries, index.item_count, index.size_bytes);
    }
    items
}

fn assert_counts(name: &str, items: &[Item], count: u64, size_bytes: u64) {
    let bytes: usize = items.iter().map(Item::size_bytes).sum();
    assert_eq!((items.len() as u64, bytes as u64), (count, size_bytes), "count and bytes of {name}");
}

/// The entries that an index must have, made from the items of its table.
pub(crate) fn derived_entries(
    table: &TableDescription,
    index: &IndexDescription,
    items: &[Item],
) -> Vec<Item> {
    let fitting = items.iter().filter(|item| fits(table, &index.definition, item));
    fitting.map(|item| projected(table, &index.definition, item)).collect()
}

fn fits(table: &TableDescription, index: &IndexDefinition, item: &Item) -> bool {
    index.key.partition.iter().chain(&index.key.sort).all(|name| {
        let declared = table.attributes.iter().find(|attribute| attribute.name == *name);
        let declared = declared.map(|attribute| attribute.scalar.kind());
        item.get(name).is_some_and(|value| {
            let is_empty = matches!(value.kind(), Kind::S | Kind::B) && value.size_bytes() == 0;
            Some(value.kind()) == declared && !is_empty
        })
    })
}

fn projected(table: &TableDescription, index: &IndexDefinition, item: &Item) -> Item {
    let keys = [&table.key.partition, &table.key.sort, &index.key.partition, &index.key.sort];
    let is_key = |name: &str| keys.iter().any(|key| key.iter().any(|attribute| attribute == name));
    let carries = |name: &str| match &index.projection {
        ProjectedAttributes::All => true,
        ProjectedAttributes::KeysOnly => is_key(name),
        ProjectedAttributes::Include(names) => is_key(name) || names.iter().any(|included| included == name),
    };
    item.iter().filter(|(name, _)| carries(name)).map(|(name, value)| (name, value.clone())).collect()
}

/// The items in an order that depends on nothing but their content.
pub(crate) fn sorted(mut items: Vec<Item>) -> Vec<Item> {
    items.sort_by_cached_key(|item| format!("{item:?}"));
    items
}
