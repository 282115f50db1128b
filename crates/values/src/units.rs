//! Capacity units by size, as DynamoDB counts them. Prediction, measurement and billing all use these functions.

/// Bytes that one read unit covers.
const READ_UNIT_BYTES: usize = 4096;
/// Bytes that one write unit covers.
const WRITE_UNIT_BYTES: usize = 1024;

/// The consistency of a read, which decides its price.
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

    /// Units for one read of `bytes`. A missing item costs the minimum.
    pub fn units(self, bytes: usize) -> f64 {
        let blocks = bytes.div_ceil(READ_UNIT_BYTES).max(1) as f64;
        match self {
            ReadKind::Eventual => blocks / 2.0,
            ReadKind::Strong => blocks,
            ReadKind::Transactional => blocks * 2.0,
        }
    }
}

/// Units for a write of one item or index entry. `bytes` is the larger of its sizes before and after.
pub fn write_units(bytes: usize) -> f64 {
    bytes.div_ceil(WRITE_UNIT_BYTES).max(1) as f64
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
}
