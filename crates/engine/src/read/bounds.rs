//! The range of row keys that a query or scan reads.

use std::ops::Bound;

use crate::store::Direction;

/// A range of row keys, including the lower bound and excluding the upper one. A cursor cuts off one end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bounds {
    lower: Bound<Vec<u8>>,
    upper: Bound<Vec<u8>>,
}

impl Bounds {
    /// The rows from `lower` up to but excluding `upper`, or all rows from `lower` on.
    pub(super) fn new(lower: Vec<u8>, upper: Option<Vec<u8>>) -> Self {
        Bounds { lower: Bound::Included(lower), upper: upper.map_or(Bound::Unbounded, Bound::Excluded) }
    }

    /// Whether a row lies in the range.
    pub(super) fn contain(&self, row: &[u8]) -> bool {
        let above = match &self.lower {
            Bound::Included(lower) => row >= lower.as_slice(),
            Bound::Excluded(lower) => row > lower.as_slice(),
            Bound::Unbounded => true,
        };
        let below = match &self.upper {
            Bound::Included(upper) => row <= upper.as_slice(),
            Bound::Excluded(upper) => row < upper.as_slice(),
            Bound::Unbounded => true,
        };
        above && below
    }

    /// The rows after a cursor, in reading direction.
    pub(super) fn after(mut self, row: Vec<u8>, direction: Direction) -> Self {
        match direction {
            Direction::Forward => self.lower = Bound::Excluded(row),
            Direction::Backward => self.upper = Bound::Excluded(row),
        }
        self
    }

    /// The lower end.
    pub(super) fn lower(&self) -> Bound<&[u8]> {
        as_slice(&self.lower)
    }

    /// The upper end.
    pub(super) fn upper(&self) -> Bound<&[u8]> {
        as_slice(&self.upper)
    }
}

fn as_slice(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    match bound {
        Bound::Included(row) => Bound::Included(row),
        Bound::Excluded(row) => Bound::Excluded(row),
        Bound::Unbounded => Bound::Unbounded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of the rows 0 to 9 lie in the bounds.
    fn contained(bounds: &Bounds) -> Vec<u8> {
        (0..10).filter(|row| bounds.contain(&[*row])).collect()
    }

    #[test]
    fn the_lower_end_is_part_of_a_range_and_the_upper_is_not() {
        assert_eq!(contained(&Bounds::new(vec![3], Some(vec![6]))), [3, 4, 5]);
        assert_eq!(contained(&Bounds::new(vec![7], None)), [7, 8, 9]);
        assert_eq!(contained(&Bounds::new(vec![6], Some(vec![3]))), []);
    }

    #[test]
    fn a_cursor_cuts_off_what_was_read_and_itself() {
        let bounds = Bounds::new(vec![3], Some(vec![8]));
        assert_eq!(contained(&bounds.clone().after(vec![5], Direction::Forward)), [6, 7]);
        assert_eq!(contained(&bounds.after(vec![5], Direction::Backward)), [3, 4]);
    }
}
