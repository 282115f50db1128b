//! Exact addition.

use std::cmp::Ordering;

use super::{Number, NumberError, NumberRef, PAIRS_MAX};

/// The pairs from the highest of two numbers to the lowest, if there is no gap between the numbers.
///
/// With a gap, a sum has far more than 38 digits: it ends with the lowest pair of the smaller number. It begins with
/// the highest pair of the larger number, or one below, and no carry can overflow.
const WINDOW: usize = 2 * PAIRS_MAX;

/// `a + b`.
pub(super) fn add(a: &Number, b: &Number) -> Result<Number, NumberError> {
    if a.is_zero() {
        return Ok(*b);
    }
    if b.is_zero() {
        return Ok(*a);
    }
    let same_sign = a.is_negative() == b.is_negative();
    let (large, small) = match compare_magnitudes(a, b) {
        Ordering::Equal if !same_sign => return Ok(Number::ZERO),
        Ordering::Less => (b.view(), a.view()),
        _ => (a.view(), b.view()),
    };
    let top = large.exponent();
    let bottom = lowest_exponent(large).min(lowest_exponent(small));
    // One more place, at the top, for a carry.
    let mut window = [0i16; WINDOW + 1];
    let Some(window) = window.get_mut(..width(top, bottom) + 1) else {
        return Err(NumberError::TooManyDigits);
    };
    place(large, 1, top, window);
    place(small, if same_sign { 1 } else { -1 }, top, window);
    let pairs = carry(window);
    let pairs = pairs.get(..window.len()).unwrap_or_default();
    Number::from_pairs(large.is_negative(), top + 1, pairs)
}

fn compare_magnitudes(a: &Number, b: &Number) -> Ordering {
    match (a.is_negative(), b.is_negative()) {
        (false, false) => a.cmp(b),
        (true, true) => b.cmp(a),
        (true, false) => a.negated().cmp(b),
        (false, true) => a.cmp(&b.negated()),
    }
}

fn lowest_exponent(number: NumberRef<'_>) -> i64 {
    number.exponent() - number.pairs().len() as i64 + 1
}

/// The number of pairs from `top` down to `bottom`, inclusive.
fn width(top: i64, bottom: i64) -> usize {
    (top - bottom + 1).unsigned_abs() as usize
}

/// Adds `sign` times the pairs of a number to a window whose second place is 100^top.
fn place(number: NumberRef<'_>, sign: i16, top: i64, window: &mut [i16]) {
    let skipped = width(top, number.exponent());
    for (slot, pair) in window.iter_mut().skip(skipped).zip(number.pairs()) {
        *slot += sign * i16::from(pair);
    }
}

/// Normalizes every place of a window to 0..100. The total isn't negative, because the larger magnitude comes first.
fn carry(window: &[i16]) -> [u8; WINDOW + 1] {
    let mut pairs = [0; WINDOW + 1];
    let mut carry = 0;
    for (pair, place) in pairs.iter_mut().take(window.len()).zip(window).rev() {
        let sum = place + carry;
        carry = sum.div_euclid(100);
        *pair = sum.rem_euclid(100) as u8;
    }
    pairs
}
