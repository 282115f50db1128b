//! Capacity that calls have consumed, by table.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use singlet_engine::{Consumed, Units};

/// Tables beyond this number are counted together under an empty name, so that memory stays bounded.
const TABLES_MAX: usize = 10_000;

/// Units by table. Counting takes no lock: the map is replaced when a new table appears.
#[derive(Default)]
pub(super) struct CapacityCounts {
    tables: ArcSwap<HashMap<String, Arc<HalfUnits>>>,
}

/// DynamoDB counts in halves, so integers are sufficient here.
#[derive(Default)]
struct HalfUnits {
    read: AtomicU64,
    write: AtomicU64,
}

impl CapacityCounts {
    pub(super) fn count(&self, consumed: &Consumed) {
        match self.tables.load().get(&consumed.table) {
            Some(units) => units.add(consumed.total()),
            None => self.enter(&consumed.table).add(consumed.total()),
        }
    }

    fn enter(&self, table: &str) -> Arc<HalfUnits> {
        let name = if self.tables.load().len() < TABLES_MAX { table } else { "" };
        let units = Arc::new(HalfUnits::default());
        self.tables.rcu(|tables| {
            let mut tables = HashMap::clone(tables);
            tables.entry(name.to_owned()).or_insert_with(|| Arc::clone(&units));
            tables
        });
        // Another thread may have been faster. The entry in the map counts.
        self.tables.load().get(name).cloned().unwrap_or(units)
    }

    /// Read and write units of every table that was called.
    pub(super) fn counted(&self) -> Vec<(String, f64, f64)> {
        let halves = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64 / 2.0;
        let tables = self.tables.load();
        let mut counted: Vec<_> = tables
            .iter()
            .map(|(name, units)| (name.clone(), halves(&units.read), halves(&units.write)))
            .collect();
        counted.sort_by(|a, b| a.0.cmp(&b.0));
        counted
    }
}

impl HalfUnits {
    fn add(&self, consumed: Units) {
        for (count, units) in [(&self.read, consumed.read), (&self.write, consumed.write)] {
            if units > 0.0 {
                count.fetch_add((units * 2.0) as u64, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_add_up_by_table() {
        let counts = CapacityCounts::default();
        for (table, read, write) in [("a", 0.5, 0.0), ("b", 0.0, 3.0), ("a", 0.5, 1.0)] {
            counts.count(&Consumed { table_units: Units { read, write }, ..Consumed::of(table) });
        }
        assert_eq!(counts.counted(), [("a".to_owned(), 1.0, 1.0), ("b".to_owned(), 0.0, 3.0)]);
    }
}
