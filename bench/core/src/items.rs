//! The items and tables of all measurements, as types of the engine: 400 B as DynamoDB counts them, 25 to a partition.
//! `singlet-bench` writes the same ones as JSON.

use anyhow::Result;
use fastrand::Rng;
use singlet_engine::values::{AttributeValue, Item};
use singlet_engine::{BatchWrite, BatchWriteAction, CreateTable, Database, IndexDefinition, ScalarType};

/// Items of one partition; a query reads all of them.
pub(crate) const ITEMS_PER_PARTITION: u64 = 25;
/// Characters of the long text attribute; what remains of 400 B after the others.
const BODY_CHARACTERS: usize = 287;
const TITLE_CHARACTERS: usize = 40;
const POOL_BYTES: usize = 64 * 1024;

/// Makes items with random text.
pub(crate) struct Maker {
    rng: Rng,
    pool: String,
}

impl Maker {
    /// A maker whose text follows from `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let pool = (0..POOL_BYTES).map(|_| rng.alphanumeric()).collect();
        Self { rng, pool }
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.rng.u64(..bound.max(1))
    }

    /// Item number `number`; its index keys stay the same with each writing, or move.
    pub(crate) fn item(&mut self, number: u64, moves: bool) -> Item {
        let mut item = key(number);
        let generation = if moves { 1 + self.below(999) } else { 0 };
        for index in 1..=3_u64 {
            let own = number.wrapping_mul(2_654_435_761 + index);
            let value = own.wrapping_add(generation * (9_973 + 2 * index)) % 100_000;
            item.insert(format!("g{index}"), format!("k{value:07}"));
        }
        item.insert("visits", AttributeValue::from(100_001));
        item.insert("title", self.title());
        item.insert("body", self.text(BODY_CHARACTERS));
        item
    }

    /// A new title.
    pub(crate) fn title(&mut self) -> String {
        self.text(TITLE_CHARACTERS)
    }

    fn text(&mut self, characters: usize) -> String {
        let start = self.rng.usize(..POOL_BYTES - characters);
        self.pool.get(start..start + characters).unwrap_or_default().to_owned()
    }
}

/// The key of item number `number`.
pub(crate) fn key(number: u64) -> Item {
    let sort = format!("item-{:02}", number % ITEMS_PER_PARTITION);
    [("pk", partition(number)), ("sk", sort)].into_iter().collect()
}

/// The partition key of item number `number`.
pub(crate) fn partition(number: u64) -> String {
    format!("part-{:08}", number / ITEMS_PER_PARTITION)
}

/// The table with so many global indexes.
pub(crate) fn table_name(indexes: u8) -> String {
    format!("bench{indexes}")
}

/// Creates a table with global indexes that project ALL and writes items `0..items` into it.
pub(crate) fn fill(database: &Database, indexes: u8, items: u64) -> Result<()> {
    let name = table_name(indexes);
    let mut table = CreateTable::new(&name, "pk", ScalarType::S).sort_key("sk", ScalarType::S);
    for index in 1..=indexes {
        // Items have three attributes for indexes; a fourth index is one more on the first of them.
        let attribute = format!("g{}", (index - 1) % 3 + 1);
        if index <= 3 {
            table = table.attribute(&attribute, ScalarType::S);
        }
        let definition = IndexDefinition::new(format!("by-{attribute}-{index}"), &[&attribute], &[]);
        table = table.global_index(definition);
    }
    database.create_table(table)?;
    let mut maker = Maker::new(11);
    let mut under_way = std::collections::VecDeque::new();
    for first in (0..items).step_by(ITEMS_PER_PARTITION as usize) {
        let last = items.min(first + ITEMS_PER_PARTITION);
        let puts = (first..last)
            .map(|number| BatchWriteAction::Put { table: name.clone(), item: maker.item(number, false) });
        under_way.push_back(database.submit_batch_write(BatchWrite::new(puts.collect())));
        // Several share a sync, as the connections of a client that fills a server do.
        if under_way.len() >= 16
            && let Some(oldest) = under_way.pop_front()
        {
            oldest.wait()?;
        }
    }
    for pending in under_way {
        pending.wait()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{fill, table_name};
    use singlet_engine::Database;

    #[test]
    fn more_indexes_than_attributes_begin_with_the_first_attribute_again() {
        let database = Database::in_memory().unwrap();
        fill(&database, 5, 100).unwrap();
        assert_eq!(database.describe_table(&table_name(5)).unwrap().global_indexes.len(), 5);
    }
}
