//! Numbers from text and from integers.

use super::{DIGITS_MAX, Number, NumberError, PAIRS_MAX};

/// Reads `[+-]digits[.digits][(e|E)[+-]digits]`, with at least one digit before the exponent.
pub(super) fn parse(text: &[u8]) -> Result<Number, NumberError> {
    let (negative, text) = split_sign(text);
    let (mantissa, exponent) = match split_at_byte(text, |byte| matches!(byte, b'e' | b'E')) {
        (mantissa, Some(exponent)) => (mantissa, parse_exponent(exponent)?),
        (mantissa, None) => (mantissa, Some(0)),
    };
    let (integer, fraction) = split_at_byte(mantissa, |byte| byte == b'.');
    let fraction = fraction.unwrap_or_default();
    let all_digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    if integer.len() + fraction.len() == 0 || !all_digits(integer) || !all_digits(fraction) {
        return Err(NumberError::NotNumeric);
    }
    match Digits::trim(integer, fraction) {
        // Zero times any power of ten is zero.
        None => Ok(Number::ZERO),
        Some(digits) => digits.to_number(negative, exponent.ok_or(NumberError::NotNumeric)?),
    }
}

fn split_sign(text: &[u8]) -> (bool, &[u8]) {
    match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    }
}

/// Splits at the first matching byte. The second half is `None` if there isn't one.
fn split_at_byte(text: &[u8], splits: impl Fn(u8) -> bool) -> (&[u8], Option<&[u8]>) {
    let at = text.iter().position(|byte| splits(*byte)).unwrap_or(text.len());
    let (before, after) = text.split_at(at);
    (before, after.get(1..))
}

/// The exponent; `None` if it exceeds 64 bits. DynamoDB reports such an exponent as not numeric, not as out of range.
fn parse_exponent(text: &[u8]) -> Result<Option<i64>, NumberError> {
    let (negative, digits) = split_sign(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(NumberError::NotNumeric);
    }
    let magnitude = digits
        .iter()
        .try_fold(0i64, |magnitude, byte| magnitude.checked_mul(10)?.checked_add(i64::from(byte - b'0')));
    Ok(magnitude.map(|magnitude| if negative { -magnitude } else { magnitude }))
}

/// The significant digits of a mantissa, as ASCII, without leading and trailing zeros.
struct Digits<'a> {
    before_point: &'a [u8],
    after_point: &'a [u8],
    /// The power of ten of the first digit.
    magnitude: i64,
}

impl<'a> Digits<'a> {
    /// `None` if all digits are zeros.
    fn trim(integer: &'a [u8], fraction: &'a [u8]) -> Option<Self> {
        let integer = trim_start(integer);
        let fraction = trim_end(fraction);
        if !integer.is_empty() {
            let magnitude = integer.len() as i64 - 1;
            let integer = if fraction.is_empty() { trim_end(integer) } else { integer };
            return Some(Digits { before_point: integer, after_point: fraction, magnitude });
        }
        let significant = trim_start(fraction);
        let magnitude = significant.len() as i64 - fraction.len() as i64 - 1;
        (!significant.is_empty()).then_some(Digits { before_point: &[], after_point: significant, magnitude })
    }

    fn to_number(&self, negative: bool, exponent: i64) -> Result<Number, NumberError> {
        let magnitude = self.magnitude.saturating_add(exponent);
        let header = Number::header(negative, magnitude.div_euclid(2))?;
        if self.before_point.len() + self.after_point.len() > DIGITS_MAX {
            return Err(NumberError::TooManyDigits);
        }
        let mut digits = self.before_point.iter().chain(self.after_point).map(|byte| byte - b'0');
        let mut pairs = [0; PAIRS_MAX];
        let mut len = 0;
        // If the first digit's power of ten is even, its pair has no tens digit.
        let mut tens = if magnitude.rem_euclid(2) == 0 { Some(0) } else { digits.next() };
        for pair in &mut pairs {
            let Some(digit) = tens else { break };
            *pair = digit * 10 + digits.next().unwrap_or(0);
            len += 1;
            tens = digits.next();
        }
        Ok(Number::assemble(header, pairs.get(..len).unwrap_or_default()))
    }
}

fn trim_start(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|byte| **byte == b'0').count();
    digits.get(zeros..).unwrap_or_default()
}

fn trim_end(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().rev().take_while(|byte| **byte == b'0').count();
    digits.get(..digits.len() - zeros).unwrap_or_default()
}

/// The integer of this sign and magnitude.
pub(super) fn from_magnitude(negative: bool, magnitude: u64) -> Number {
    // A u64 is below 100^10. Its pairs are filled in from the end.
    let mut pairs = [0u8; 10];
    let mut rest = magnitude;
    for pair in pairs.iter_mut().rev() {
        if rest == 0 {
            break;
        }
        *pair = (rest % 100) as u8;
        rest /= 100;
    }
    Number::from_pairs(negative, 9, &pairs).expect("twenty digits are within every limit")
}
