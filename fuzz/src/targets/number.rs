//! Numbers: the first two lines are texts of numbers; the whole input is also taken as stored bytes.
//!
//! Promises, held against arithmetic on long rows of decimal digits:
//! - a text is taken exactly if it is a decimal number within DynamoDB's range and 38 digits, and means what it says;
//! - the text that is written reads as the same number, is plain decimal and as short as it can be;
//! - the order of the bytes is the order of the numbers, and bytes that are a number are its only ones;
//! - sums and differences are exact, or refused for the right reason.

use std::cmp::Ordering;

use singlet_values::{
    AttributeValue, KeyReader, Kind, Number, NumberError, NumberRef, ValueRef, write_key_part,
};

pub(crate) fn run(input: &[u8]) {
    let mut lines = input.split(|byte| *byte == b'\n').map(String::from_utf8_lossy);
    let (first, second) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let numbers = (check_text(&first), check_text(&second));
    if let (Some((a, long_a)), Some((b, long_b))) = numbers {
        check_pair((&a, &long_a), (&b, &long_b));
    }
    check_bytes(input);
}

/// Powers of ten that a model holds: numbers reach from 10^-130 to 10^125, and sums a little further.
const LOWEST: i64 = -200;
const PLACES: usize = 400;

/// A number as decimal digits, the least significant first, from 10^-200 on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Long {
    negative: bool,
    digits: Vec<u8>,
}

impl Long {
    fn is_zero(&self) -> bool {
        self.digits.iter().all(|digit| *digit == 0)
    }

    /// The powers of ten of the first and the last digit that count.
    fn span(&self) -> Option<(i64, i64)> {
        let top = self.digits.iter().rposition(|digit| *digit != 0)?;
        let bottom = self.digits.iter().position(|digit| *digit != 0)?;
        Some((top as i64 + LOWEST, bottom as i64 + LOWEST))
    }

    fn compare_magnitude(&self, other: &Long) -> Ordering {
        self.digits.iter().rev().cmp(other.digits.iter().rev())
    }

    fn compare(&self, other: &Long) -> Ordering {
        match (self.negative && !self.is_zero(), other.negative && !other.is_zero()) {
            (false, false) => self.compare_magnitude(other),
            (true, true) => other.compare_magnitude(self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }

    fn plus(&self, other: &Long) -> Long {
        if self.negative == other.negative {
            return Long { negative: self.negative, digits: combine(&self.digits, &other.digits, 1) };
        }
        let (large, small) =
            if self.compare_magnitude(other).is_lt() { (other, self) } else { (self, other) };
        Long { negative: large.negative, digits: combine(&large.digits, &small.digits, -1) }
    }

    fn negated(&self) -> Long {
        Long { negative: !self.negative, ..self.clone() }
    }

    /// Why DynamoDB can't hold it, if it can't.
    fn refusal(&self) -> Option<NumberError> {
        let (top, bottom) = self.span()?;
        match () {
            () if top > 125 => Some(NumberError::Overflow),
            () if top < -130 => Some(NumberError::Underflow),
            () if top - bottom >= 38 => Some(NumberError::TooManyDigits),
            () => None,
        }
    }

    /// Plain decimal, as short as it can be.
    fn text(&self) -> String {
        let Some((top, bottom)) = self.span() else { return "0".to_owned() };
        let digit = |power: i64| char::from(b'0' + self.digits[(power - LOWEST) as usize]);
        let mut text = String::from(if self.negative { "-" } else { "" });
        text.extend((0..=top.max(0)).rev().map(digit));
        if bottom < 0 {
            text.push('.');
            text.extend((bottom..0).rev().map(digit));
        }
        text
    }
}

fn combine(large: &[u8], small: &[u8], sign: i32) -> Vec<u8> {
    let mut carry = 0;
    let place = |(a, b): (&u8, &u8)| {
        let sum = i32::from(*a) + sign * i32::from(*b) + carry;
        carry = sum.div_euclid(10);
        sum.rem_euclid(10) as u8
    };
    large.iter().zip(small).map(place).collect()
}

/// The meaning of a text: a number within the model's places, one far out of them, or none.
enum Meaning {
    None,
    Far(NumberError),
    Number(Long),
}

/// Reads a text by the grammar alone: `[+-] digits [. digits] [e [+-] digits]`, a digit on one side of the point.
fn meaning(text: &str) -> Meaning {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Meaning::None;
    }
    // `None` beyond 64 bits.
    let power: Option<i64> = match exponent {
        None => Some(0),
        Some(written) => {
            let unsigned = written.strip_prefix(['+', '-']).unwrap_or(written);
            if unsigned.is_empty() || !unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
                return Meaning::None;
            }
            unsigned.parse().ok().map(|power: i64| if written.starts_with('-') { -power } else { power })
        }
    };
    let negative = text.starts_with('-');
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        // Zero is zero, whatever the exponent.
        return Meaning::Number(Long { negative: false, digits: vec![0; PLACES] });
    }
    // Beyond 64 bits DynamoDB takes it for no number at all.
    let Some(power) = power else { return Meaning::None };
    let top = i128::from(power) + (whole.len() as i128 - 1) - (digits.len() - significant.len()) as i128;
    if top > 125 {
        return Meaning::Far(NumberError::Overflow);
    }
    if top < -130 {
        return Meaning::Far(NumberError::Underflow);
    }
    let significant = significant.trim_end_matches('0');
    if significant.len() > 38 {
        return Meaning::Far(NumberError::TooManyDigits);
    }
    let mut long = Long { negative, digits: vec![0; PLACES] };
    for (at, digit) in significant.bytes().enumerate() {
        long.digits[(top as i64 - at as i64 - LOWEST) as usize] = digit - b'0';
    }
    Meaning::Number(long)
}

fn check_text(text: &str) -> Option<(Number, Long)> {
    let read = text.parse::<Number>();
    match meaning(text) {
        Meaning::None => assert_eq!(read, Err(NumberError::NotNumeric), "{text}"),
        Meaning::Far(error) => assert_eq!(read, Err(error), "{text}"),
        Meaning::Number(long) => {
            let number = read.unwrap_or_else(|error| panic!("{text} is refused: {error}"));
            check_number(&number, &long);
            return Some((number, long));
        }
    }
    None
}

/// Whatever can be asked of a number agrees with the model.
fn check_number(number: &Number, long: &Long) {
    let text = number.to_string();
    assert_eq!(text, long.text());
    assert_eq!(text.parse::<Number>().as_ref(), Ok(number));
    let mut appended = Vec::new();
    number.view().write_text(&mut appended);
    assert_eq!(appended, text.as_bytes());
    assert_eq!(number.to_i64(), text.parse::<i64>().ok(), "{text}");
    let whole = text.split('.').next().unwrap_or_default();
    let cut = if long.negative && !long.is_zero() { None } else { whole.parse::<u64>().ok() };
    assert_eq!(number.view().to_u64_cut(), cut, "{text}");
    assert_eq!(number.is_zero(), long.is_zero());
    assert_eq!(number.is_negative(), long.negative && !long.is_zero());
    assert_eq!(number.negated().negated(), *number);
    assert!((1..=21).contains(&number.size_bytes()), "{text}");
    check_bytes(number.as_bytes());
    check_key(number);
}

fn check_key(number: &Number) {
    let mut key = Vec::new();
    write_key_part(&mut key, ValueRef::N(number.view())).unwrap();
    key.extend_from_slice(b"rest");
    let mut reader = KeyReader::new(&key);
    assert_eq!(reader.read(Kind::N), Ok(AttributeValue::N(*number)));
    assert_eq!(reader.rest(), b"rest");
}

fn check_pair((a, long_a): (&Number, &Long), (b, long_b): (&Number, &Long)) {
    let order = long_a.compare(long_b);
    assert_eq!(a.as_bytes().cmp(b.as_bytes()), order, "{a} {b}");
    assert_eq!(a.cmp(b), order);
    assert_eq!(a == b, order.is_eq());
    check_sum(a.checked_add(b), &long_a.plus(long_b));
    check_sum(b.checked_add(a), &long_a.plus(long_b));
    check_sum(a.checked_sub(b), &long_a.plus(&long_b.negated()));
}

fn check_sum(sum: Result<Number, NumberError>, expected: &Long) {
    match (sum, expected.refusal()) {
        (Ok(sum), None) => check_number(
            &sum,
            &Long { negative: expected.negative && !expected.is_zero(), ..expected.clone() },
        ),
        (sum, refusal) => assert_eq!(sum.err(), refusal, "{}", expected.text()),
    }
}

/// Bytes that are a number are what that number is stored as.
fn check_bytes(bytes: &[u8]) {
    if let Some(view) = NumberRef::from_bytes(bytes) {
        let number = view.to_number();
        assert_eq!(number.as_bytes(), bytes);
        assert_eq!(view.to_string().parse::<Number>(), Ok(number));
    }
}
