//! Capacity units as DynamoDB counts them.

/// Bytes that one read unit covers.
const READ_UNIT_BYTES: usize = 4096;
/// Bytes that one write unit covers.
const WRITE_UNIT_BYTES: usize = 1024;

/// How strongly a read is ordered, which decides its price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadKind {
    /// Half a unit for each 4 KB.
    Eventual,
    /// One unit for each 4 KB.
    Strong,
    /// Two units for each 4 KB.
    Transactional,
}

impl ReadKind {
    /// The kind of a read outside a transaction.
    pub fn from_consistent(consistent: bool) -> Self {
        if consistent { ReadKind::Strong } else { ReadKind::Eventual }
    }

    /// Units for reading `bytes` in one go; a missing item still costs the minimum.
    pub fn units(self, bytes: usize) -> f64 {
        let blocks = bytes.div_ceil(READ_UNIT_BYTES).max(1) as f64;
        match self {
            ReadKind::Eventual => blocks / 2.0,
            ReadKind::Strong => blocks,
            ReadKind::Transactional => blocks * 2.0,
        }
    }
}

/// Units for writing one item or index entry of `bytes`, the larger of before and after.
pub fn write_units(bytes: usize) -> f64 {
    bytes.div_ceil(WRITE_UNIT_BYTES).max(1) as f64
}

/// Read and write units.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Units {
    /// Read units.
    pub read: f64,
    /// Write units.
    pub write: f64,
}

impl Units {
    /// Units of a read.
    pub fn read(units: f64) -> Self {
        Units { read: units, write: 0.0 }
    }

    /// Units of a write.
    pub fn write(units: f64) -> Self {
        Units { read: 0.0, write: units }
    }

    /// Read and write units together, as `CapacityUnits` reports them.
    pub fn total(self) -> f64 {
        self.read + self.write
    }

    /// Adds other units to these.
    pub fn add(&mut self, other: Units) {
        self.read += other.read;
        self.write += other.write;
    }
}

/// What a request consumed of one table and its indexes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Consumed {
    /// Table name.
    pub table: String,
    /// The table itself, without indexes.
    pub table_units: Units,
    /// Local indexes that were touched, by name.
    pub local_indexes: Vec<(String, Units)>,
    /// Global indexes that were touched, by name.
    pub global_indexes: Vec<(String, Units)>,
}

impl Consumed {
    /// Nothing consumed yet of this table.
    pub fn of(table: &str) -> Self {
        Consumed { table: table.to_owned(), ..Consumed::default() }
    }

    /// Table and indexes together.
    pub fn total(&self) -> Units {
        let mut total = self.table_units;
        for (_, units) in self.local_indexes.iter().chain(&self.global_indexes) {
            total.add(*units);
        }
        total
    }

    /// Adds units to an index's account.
    pub fn add_index(&mut self, local: bool, name: &str, units: Units) {
        let indexes = if local { &mut self.local_indexes } else { &mut self.global_indexes };
        match indexes.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => sum.add(units),
            None => indexes.push((name.to_owned(), units)),
        }
    }

    /// Adds what another request consumed of the same table.
    pub fn merge(&mut self, other: &Consumed) {
        self.table_units.add(other.table_units);
        for (name, units) in &other.local_indexes {
            self.add_index(true, name, *units);
        }
        for (name, units) in &other.global_indexes {
            self.add_index(false, name, *units);
        }
    }

    /// Adds to the account of the same table in a list of accounts.
    pub fn merge_into(self, accounts: &mut Vec<Consumed>) {
        match accounts.iter_mut().find(|account| account.table == self.table) {
            Some(account) => account.merge(&self),
            None => accounts.push(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_round_up_to_four_kilobytes_and_price_by_kind() {
        let cases = [(0, 1.0), (1, 1.0), (4096, 1.0), (4097, 2.0), (409_600, 100.0)];
        for (bytes, units) in cases {
            assert_eq!(ReadKind::Strong.units(bytes), units);
            assert_eq!(ReadKind::Eventual.units(bytes), units / 2.0);
            assert_eq!(ReadKind::Transactional.units(bytes), units * 2.0);
        }
    }

    #[test]
    fn writes_round_up_to_one_kilobyte() {
        assert_eq!([write_units(0), write_units(1024), write_units(1025)], [1.0, 1.0, 2.0]);
    }

    #[test]
    fn accounts_of_one_table_are_merged_by_index() {
        let mut accounts = Vec::new();
        for _ in 0..2 {
            let mut consumed = Consumed::of("t");
            consumed.table_units = Units::write(1.0);
            consumed.add_index(false, "g", Units::write(2.0));
            consumed.merge_into(&mut accounts);
        }
        assert_eq!(accounts.len(), 1);
        assert_eq!(accounts[0].total(), Units::write(6.0));
    }
}
