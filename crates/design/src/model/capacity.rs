//! Provisioned capacity of tables and indexes.

use std::fmt;

/// The provisioned capacity of a table and of its global indexes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capacity {
    /// The capacity of the table, and of the indexes for which nothing else is said.
    pub table: CapacityRange,
    /// The capacity of single indexes, by name.
    pub indexes: Vec<(String, CapacityRange)>,
}

impl Capacity {
    /// Returns the capacity of a global index.
    pub fn of_index(&self, name: &str) -> CapacityRange {
        self.indexes.iter().find(|(known, _)| known == name).map_or(self.table, |(_, range)| *range)
    }
}

/// As in a design: `100/50 to 1000/500, GSI1 20/10`.
impl fmt::Display for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.table)?;
        self.indexes.iter().try_for_each(|(name, range)| write!(f, ", {name} {range}"))
    }
}

/// A provisioned capacity, or the bounds between which auto scaling changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CapacityRange {
    /// The capacity, or the lower bound.
    pub least: CapacityUnits,
    /// The upper bound; `None` if the capacity doesn't change.
    pub most: Option<CapacityUnits>,
}

impl CapacityRange {
    /// Returns the capacity within the bounds that is nearest to another.
    pub fn nearest(self, other: CapacityUnits) -> CapacityUnits {
        let (least, most) = (self.least, self.most.unwrap_or(self.least));
        CapacityUnits {
            read: other.read.clamp(least.read, most.read.max(least.read)),
            write: other.write.clamp(least.write, most.write.max(least.write)),
        }
    }
}

impl fmt::Display for CapacityRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.least)?;
        self.most.iter().try_for_each(|most| write!(f, " to {most}"))
    }
}

/// Read units and write units a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CapacityUnits {
    /// Read units.
    pub read: u64,
    /// Write units.
    pub write: u64,
}

impl CapacityUnits {
    /// The most units of each kind that a design can ask for.
    pub const MAX: u64 = 100_000_000;
}

impl fmt::Display for CapacityUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.read, self.write)
    }
}
