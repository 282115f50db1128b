//! Numbers in borrowed bytes.

use super::{BYTES_MAX, DIGITS_MAX, EXPONENT_MIN, NOT_NEGATIVE, Number, SIZE_BYTES_MAX};
use super::{sign_mask, significant_digits};

/// A number in borrowed bytes. Only valid bytes become a `NumberRef`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NumberRef<'a> {
    pub(super) bytes: &'a [u8],
}

impl<'a> NumberRef<'a> {
    /// The number in exactly these bytes, if they are one.
    pub fn from_bytes(bytes: &'a [u8]) -> Option<Self> {
        let (number, rest) = Self::split_from(bytes)?;
        rest.is_empty().then_some(number)
    }

    /// The number at the beginning of these bytes, and the bytes after it.
    pub(crate) fn split_from(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (bytes, rest) = bytes.split_at_checked(encoded_len(bytes)?)?;
        let number = NumberRef { bytes };
        number.is_normal().then_some((number, rest))
    }

    /// Whether these delimited bytes are the one representation of a number.
    fn is_normal(self) -> bool {
        let mut pairs = self.pairs();
        let (Some(first), Some(last)) = (pairs.clone().next(), pairs.clone().next_back()) else {
            return self.bytes == Number::ZERO.as_bytes();
        };
        first != 0
            && last != 0
            && significant_digits(pairs.len(), first, last) <= DIGITS_MAX
            && pairs.all(|pair| pair < 100)
    }

    /// Only an empty slice lacks a header, and an empty slice isn't a number.
    fn header(self) -> u8 {
        self.bytes.first().copied().unwrap_or(NOT_NEGATIVE)
    }

    /// The base-100 digits, most significant first.
    pub(super) fn pairs(self) -> impl ExactSizeIterator<Item = u8> + DoubleEndedIterator + Clone + use<'a> {
        let mask = sign_mask(self.header());
        let pairs = self.bytes.get(1..self.bytes.len().saturating_sub(1)).unwrap_or_default();
        // Wrapping turns a byte that isn't a pair into 255, which `is_normal` rejects.
        pairs.iter().map(move |byte| (byte ^ mask).wrapping_sub(1))
    }

    /// The power of 100 of the first pair.
    pub(super) fn exponent(self) -> i64 {
        let biased = (self.header() ^ sign_mask(self.header())) & !NOT_NEGATIVE;
        i64::from(biased) + EXPONENT_MIN
    }

    /// The order-preserving bytes.
    pub fn as_bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The number as an owned value.
    pub fn to_number(self) -> Number {
        let mut number = Number { bytes: [0; BYTES_MAX], len: 0 };
        if let Some(room) = number.bytes.get_mut(..self.bytes.len()) {
            room.copy_from_slice(self.bytes);
            number.len = self.bytes.len() as u8;
        }
        number
    }

    /// Whether the number is below zero.
    pub fn is_negative(self) -> bool {
        self.header() & NOT_NEGATIVE == 0
    }

    /// Whether the number is zero.
    pub fn is_zero(self) -> bool {
        self.pairs().len() == 0
    }

    /// The size that DynamoDB counts: one byte, one for each pair, and one more for a minus sign.
    pub fn size_bytes(self) -> usize {
        (1 + self.pairs().len() + usize::from(self.is_negative())).min(SIZE_BYTES_MAX)
    }

    /// The number as an integer, if it is one and fits.
    pub fn to_i64(self) -> Option<i64> {
        if self.is_zero() {
            return Some(0);
        }
        let places = usize::try_from(self.exponent()).ok()? + 1;
        // 100^10 exceeds every i64; up to there the sum fits easily in an i128.
        if places > 10 || self.pairs().len() > places {
            return None;
        }
        let padded = self.pairs().chain(std::iter::repeat(0)).take(places);
        let magnitude = padded.fold(0i128, |sum, pair| sum * 100 + i128::from(pair));
        i64::try_from(if self.is_negative() { -magnitude } else { magnitude }).ok()
    }

    /// The number without its fraction, if it isn't negative and fits.
    pub fn to_u64_cut(self) -> Option<u64> {
        if self.is_negative() {
            return None;
        }
        // With a negative exponent the number has no places before the point. Neither does zero.
        let places = usize::try_from(self.exponent() + 1).unwrap_or(0);
        // 100^10 exceeds every u64; up to there the sum fits easily in a u128.
        if places > 10 {
            return None;
        }
        let padded = self.pairs().chain(std::iter::repeat(0)).take(places);
        u64::try_from(padded.fold(0u128, |sum, pair| sum * 100 + u128::from(pair))).ok()
    }
}

/// The length of the number at the beginning of `bytes`, found by its end byte alone.
pub(crate) fn encoded_len(bytes: &[u8]) -> Option<usize> {
    let end = sign_mask(*bytes.first()?);
    let at = bytes.iter().take(BYTES_MAX).position(|byte| *byte == end)?;
    Some(at + 1)
}

impl From<NumberRef<'_>> for Number {
    fn from(number: NumberRef<'_>) -> Number {
        number.to_number()
    }
}
