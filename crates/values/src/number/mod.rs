//! Exact decimal numbers, held as bytes that sort like the numbers.
//!
//! A number is `±p₀.p₁p₂… × 100^exponent` with base-100 digits ("pairs"). Base 100 keeps the decimal digits exact and
//! prints without division. DynamoDB's size of a number counts the same pairs.

mod parse;
mod product;
mod sum;
mod text;
mod view;

pub use view::NumberRef;
pub(crate) use view::encoded_len;

/// Significant decimal digits that a number may have.
const DIGITS_MAX: usize = 38;
/// Pairs needed for 38 digits when the first pair has only one digit.
const PAIRS_MAX: usize = 20;
/// Header, pairs and end.
const BYTES_MAX: usize = PAIRS_MAX + 2;
/// 100^-65 is 1E-130, the smallest magnitude.
const EXPONENT_MIN: i64 = -65;
/// 99.9… × 100^62 is 9.99…E+125, the largest magnitude.
const EXPONENT_MAX: i64 = 62;
/// Set in the header of zero and of positive numbers.
const NOT_NEGATIVE: u8 = 0x80;
/// DynamoDB never counts more than this for a number.
const SIZE_BYTES_MAX: usize = crate::limits::NUMBER_BYTES_MAX;

/// Why a string or a sum isn't a number that DynamoDB can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NumberError {
    /// The string isn't a decimal number.
    #[error("The parameter cannot be converted to a numeric value")]
    NotNumeric,
    /// More than 38 significant digits.
    #[error("Attempting to store more than 38 significant digits in a Number")]
    TooManyDigits,
    /// Magnitude above 9.99…E+125.
    #[error("Number overflow. Attempting to store a number with magnitude larger than supported range")]
    Overflow,
    /// Magnitude below 1E-130, but not zero.
    #[error("Number underflow. Attempting to store a number with magnitude smaller than supported range")]
    Underflow,
}

/// A number of up to 38 significant digits between 1E-130 and 9.99…E+125, of either sign, or zero.
///
/// Comparing the bytes compares the numbers, and equal numbers have equal bytes. No number's bytes are a prefix of
/// another's, and the unused tail is zero. The derived comparisons of the whole array are therefore correct.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Number {
    bytes: [u8; BYTES_MAX],
    len: u8,
}

impl Number {
    /// Zero: the smallest exponent with no pairs, which sorts below every positive number.
    pub const ZERO: Number = {
        let mut bytes = [0; BYTES_MAX];
        bytes[0] = NOT_NEGATIVE;
        Number { bytes, len: 2 }
    };

    /// The number `±p₀.p₁p₂… × 100^exponent`; leading and trailing zero pairs are dropped.
    fn from_pairs(negative: bool, exponent: i64, pairs: &[u8]) -> Result<Number, NumberError> {
        let leading = pairs.iter().take_while(|pair| **pair == 0).count();
        let trailing = pairs.iter().rev().take_while(|pair| **pair == 0).count();
        // If all pairs are zero, the two counts overlap and the range is empty.
        let pairs = pairs.get(leading..pairs.len() - trailing).unwrap_or_default();
        let ([first, ..], [.., last]) = (pairs, pairs) else {
            return Ok(Number::ZERO);
        };
        let header = Number::header(negative, exponent - leading as i64)?;
        if significant_digits(pairs.len(), *first, *last) > DIGITS_MAX {
            return Err(NumberError::TooManyDigits);
        }
        Ok(Number::assemble(header, pairs))
    }

    /// The first byte of a number, if its exponent is in range. DynamoDB checks the range before it counts digits.
    fn header(negative: bool, exponent: i64) -> Result<u8, NumberError> {
        if exponent > EXPONENT_MAX {
            return Err(NumberError::Overflow);
        }
        let biased =
            u8::try_from(exponent.saturating_sub(EXPONENT_MIN)).map_err(|_| NumberError::Underflow)?;
        let header = NOT_NEGATIVE | biased;
        Ok(if negative { !header } else { header })
    }

    /// Encodes checked parts: at most 38 digits, and neither the first nor the last pair is zero.
    fn assemble(header: u8, pairs: &[u8]) -> Number {
        let mask = sign_mask(header);
        let mut bytes = [0; BYTES_MAX];
        let [first, rest @ ..] = &mut bytes;
        *first = header;
        for (slot, pair) in rest.iter_mut().zip(pairs) {
            *slot = (pair + 1) ^ mask;
        }
        if let Some(end) = rest.get_mut(pairs.len()) {
            *end = mask;
        }
        Number { bytes, len: pairs.len() as u8 + 2 }
    }

    /// The order-preserving bytes. The stored form is the same.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    /// The same number as a view.
    pub fn view(&self) -> NumberRef<'_> {
        NumberRef { bytes: self.as_bytes() }
    }

    /// The size that DynamoDB counts.
    pub fn size_bytes(&self) -> usize {
        self.view().size_bytes()
    }

    /// Whether the number is below zero.
    pub fn is_negative(&self) -> bool {
        self.view().is_negative()
    }

    /// Whether the number is zero.
    pub fn is_zero(&self) -> bool {
        *self == Number::ZERO
    }

    /// The number as an integer, if it is one and fits.
    pub fn to_i64(&self) -> Option<i64> {
        self.view().to_i64()
    }

    /// The same magnitude with the other sign.
    pub fn negated(&self) -> Number {
        let mut number = *self;
        if !self.is_zero() {
            for byte in number.bytes.iter_mut().take(usize::from(self.len)) {
                *byte = !*byte;
            }
        }
        number
    }

    /// The exact sum.
    pub fn checked_add(&self, other: &Number) -> Result<Number, NumberError> {
        sum::add(self, other)
    }

    /// The exact difference.
    pub fn checked_sub(&self, other: &Number) -> Result<Number, NumberError> {
        sum::add(self, &other.negated())
    }

    /// The exact product.
    pub fn checked_mul(&self, other: &Number) -> Result<Number, NumberError> {
        product::multiply(self, other)
    }
}

/// The mask for the bytes of a number. The bytes of negative numbers are complemented.
fn sign_mask(header: u8) -> u8 {
    if header & NOT_NEGATIVE == 0 { 0xFF } else { 0x00 }
}

/// Decimal digits in `pairs` pairs. The first pair may have no tens digit, and the last may end in a zero.
fn significant_digits(pairs: usize, first: u8, last: u8) -> usize {
    pairs * 2 - usize::from(first < 10) - usize::from(last.is_multiple_of(10))
}

impl From<u64> for Number {
    fn from(integer: u64) -> Number {
        parse::from_magnitude(false, integer)
    }
}

impl From<i64> for Number {
    fn from(integer: i64) -> Number {
        parse::from_magnitude(integer < 0, integer.unsigned_abs())
    }
}

impl From<i32> for Number {
    fn from(integer: i32) -> Number {
        i64::from(integer).into()
    }
}

impl From<u32> for Number {
    fn from(integer: u32) -> Number {
        u64::from(integer).into()
    }
}

impl std::str::FromStr for Number {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Number, NumberError> {
        parse::parse(text.as_bytes())
    }
}
