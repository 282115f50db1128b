//! One call of the engine for each workload.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use serde::Deserialize;
use singlet_engine::expr::{KeyCondition, KeyTerm, KeyTest, Placeholders, Update};
use singlet_engine::values::AttributeValue;
use singlet_engine::{
    BatchWrite, BatchWriteAction, Database, GetItem, PutItem, Query, TransactWrite, UpdateItem,
};

use crate::items::{ITEMS_PER_PARTITION, Maker, key, partition};

/// The workloads by the names that `singlet-bench` gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Workload {
    Get,
    Query,
    Put,
    PutMove,
    Update,
    Transact,
    Batch,
    Mixed,
}

/// A table and what is done to it.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    pub(crate) database: Database,
    pub(crate) table: String,
    pub(crate) items: u64,
}

impl Calls {
    /// Makes one call about random items and checks its answer.
    pub(crate) fn call(&self, workload: Workload, maker: &mut Maker) -> Result<()> {
        let item = maker.below(self.items);
        match workload {
            Workload::Get => self.get(item),
            Workload::Query => self.query(item),
            Workload::Put => self.put(item, false, maker),
            Workload::PutMove => self.put(item, true, maker),
            Workload::Update => self.update(item, maker),
            Workload::Transact => self.transact(item, maker),
            Workload::Batch => self.batch(item, maker),
            Workload::Mixed => match maker.below(20) {
                0..10 => self.get(item),
                10..14 => self.query(item),
                14..17 => self.put(item, false, maker),
                17..19 => self.update(item, maker),
                _ => self.transact(item, maker),
            },
        }
    }

    fn get(&self, item: u64) -> Result<()> {
        let found = self.database.get_item(&GetItem::new(&self.table, key(item)))?;
        ensure!(found.item.is_some(), "item {item} is missing");
        Ok(())
    }

    fn query(&self, item: u64) -> Result<()> {
        let test = KeyTest::Equal(partition(item).into());
        let condition = KeyCondition::from_terms(vec![KeyTerm { attribute: "pk".to_owned(), test }]);
        let page = self.database.query(&Query::new(&self.table, condition))?;
        ensure!(page.count as u64 == ITEMS_PER_PARTITION, "{} items in {}", page.count, partition(item));
        Ok(())
    }

    fn put(&self, item: u64, moves: bool, maker: &mut Maker) -> Result<()> {
        self.database.put_item(PutItem::new(&self.table, maker.item(item, moves)))?;
        Ok(())
    }

    fn update(&self, item: u64, maker: &mut Maker) -> Result<()> {
        let values = BTreeMap::from([
            (":one".to_owned(), AttributeValue::from(1)),
            (":t".to_owned(), maker.title().into()),
        ]);
        let mut placeholders = Placeholders::new(None, Some(values))?;
        let update = Update::parse("SET title = :t, visits = visits + :one", &mut placeholders)?;
        self.database.update_item(UpdateItem::new(&self.table, key(item), update))?;
        Ok(())
    }

    fn transact(&self, item: u64, maker: &mut Maker) -> Result<()> {
        let other = (item + 1 + maker.below(self.items - 1)) % self.items;
        let puts =
            [item, other].map(|number| PutItem::new(&self.table, maker.item(number, false)).into()).to_vec();
        self.database.transact_write(TransactWrite::new(puts))?;
        Ok(())
    }

    fn batch(&self, item: u64, maker: &mut Maker) -> Result<()> {
        // Any stride that doesn't bring 25 steps round to the first item again.
        let stride = 1 + maker.below(self.items / ITEMS_PER_PARTITION - 1);
        let puts = (0..ITEMS_PER_PARTITION).map(|place| BatchWriteAction::Put {
            table: self.table.clone(),
            item: maker.item((item + place * stride) % self.items, false),
        });
        self.database.batch_write(BatchWrite::new(puts.collect()))?;
        Ok(())
    }
}
