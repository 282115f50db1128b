//! Exact multiplication.

use super::{Number, NumberError, PAIRS_MAX};

/// The pairs of a product before zeros are dropped.
const PRODUCT_PAIRS: usize = 2 * PAIRS_MAX;

/// `a × b`.
pub(super) fn multiply(a: &Number, b: &Number) -> Result<Number, NumberError> {
    if a.is_zero() || b.is_zero() {
        return Ok(Number::ZERO);
    }
    let (left, right) = (a.view(), b.view());
    let length = left.pairs().len() + right.pairs().len();
    // Each place gets at most 20 products below 99² + 1, so that no sum overflows.
    let mut places = [0_u32; PRODUCT_PAIRS];
    for (row, one) in left.pairs().enumerate() {
        for (place, other) in places.iter_mut().skip(row + 1).zip(right.pairs()) {
            *place += u32::from(one) * u32::from(other);
        }
    }
    let mut pairs = [0_u8; PRODUCT_PAIRS];
    let mut carry = 0;
    for (pair, place) in pairs.iter_mut().zip(places).take(length).rev() {
        let sum = place + carry;
        carry = sum / 100;
        *pair = (sum % 100) as u8;
    }
    let negative = a.is_negative() != b.is_negative();
    let pairs = pairs.get(..length).unwrap_or_default();
    Number::from_pairs(negative, left.exponent() + right.exponent() + 1, pairs)
}
