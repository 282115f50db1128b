//! Consumed capacity, in the units of [`singlet_values`].

pub use singlet_values::{ReadKind, write_units};

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

/// The capacity that a request consumed on one table and its indexes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Consumed {
    /// Table name.
    pub table: String,
    /// The table itself, without indexes.
    pub table_units: Units,
    /// Local indexes that were used, by name.
    pub local_indexes: Vec<(String, Units)>,
    /// Global indexes that were used, by name.
    pub global_indexes: Vec<(String, Units)>,
}

impl Consumed {
    /// Creates an account of zero for a table.
    pub fn of(table: &str) -> Self {
        Consumed { table: table.to_owned(), ..Consumed::default() }
    }

    /// Returns the units of the table and its indexes together.
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
