//! Sequence numbers of stream records.

use std::fmt;
use std::str::FromStr;

use crate::error::Invalid;
use crate::store::Position;

/// Added to every number, so that all have 21 digits and sort as text.
const BASE: u128 = 100_000_000_000_000_000_000;
/// The number of positions in each commit.
const PLACES: u128 = 1000;

/// The position of a record in the commit order: 21 digits. Later records have larger numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SequenceNumber(Position);

impl SequenceNumber {
    /// Returns the number of the commit. All changes of a transaction have the same.
    pub fn commit(self) -> u64 {
        self.0.sequence
    }

    /// Returns the number of a position in the log.
    pub(crate) fn of(position: Position) -> Self {
        // A commit has fewer recorded changes than positions. Its last position stands for its end.
        let place = position.place.min(PLACES as u32 - 1);
        SequenceNumber(Position { place, ..position })
    }

    /// Returns the first number that a record of a commit can have.
    pub(crate) fn first_of(sequence: u64) -> Self {
        SequenceNumber(Position { sequence, place: 0 })
    }

    /// Returns the last number that a record before a commit can have.
    pub(crate) fn last_before(sequence: u64) -> Self {
        SequenceNumber::of(Position::end_of(sequence.saturating_sub(1)))
    }

    /// Returns the position in the log.
    pub(crate) fn position(self) -> Position {
        self.0
    }
}

impl fmt::Display for SequenceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { sequence, place } = self.0;
        write!(f, "{}", BASE + u128::from(sequence) * PLACES + u128::from(place))
    }
}

impl FromStr for SequenceNumber {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let invalid = || Invalid::SequenceNumber(text.to_owned());
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(invalid());
        }
        let number = text.parse::<u128>().ok().and_then(|number| number.checked_sub(BASE));
        let number = number.ok_or_else(invalid)?;
        let sequence = u64::try_from(number / PLACES).map_err(|_| invalid())?;
        let place = u32::try_from(number % PLACES).map_err(|_| invalid())?;
        Ok(SequenceNumber(Position { sequence, place }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn numbers_are_read_back_and_sort_as_texts(
            left in (0u64..1 << 59, 0u32..1000),
            right in (0u64..1 << 59, 0u32..1000),
        ) {
            let number = |(sequence, place)| SequenceNumber::of(Position { sequence, place });
            let (left, right) = (number(left), number(right));
            proptest::prop_assert_eq!(left.to_string().len(), 21);
            proptest::prop_assert_eq!(left.to_string().parse::<SequenceNumber>().unwrap(), left);
            proptest::prop_assert_eq!(left.to_string().cmp(&right.to_string()), left.cmp(&right));
        }

        #[test]
        fn any_text_is_a_number_or_refused(text in "\\PC{0,44}") {
            let _ = text.parse::<SequenceNumber>();
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "1", "-1", "+100000000000000000001", "99999999999999999999", "9".repeat(40).as_str()]
        {
            assert!(text.parse::<SequenceNumber>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_end_of_a_shard_comes_right_before_the_start_of_its_child() {
        let (end, start) = (SequenceNumber::last_before(8), SequenceNumber::first_of(8));
        assert_eq!(end.to_string(), "100000000000000007999");
        assert_eq!(start.to_string(), "100000000000000008000");
    }
}
