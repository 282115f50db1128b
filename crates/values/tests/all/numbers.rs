//! The laws of numbers, checked against arithmetic on long strings of digits.
use std::cmp::Ordering;

use crate::arbitrary::{Parts, number, parts, parts_within};
use proptest::prelude::*;
use singlet_values::{Number, NumberError, NumberRef};

/// Every number as a sign and decimal digits, least significant first, from 10^-170 upwards.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LongHand {
    negative: bool,
    digits: Vec<u8>,
}

const PLACES: usize = 300;
const LOWEST: i32 = -170;

impl LongHand {
    fn new(parts: &Parts) -> Self {
        let mut digits = vec![0; PLACES];
        for (at, digit) in parts.digits.bytes().enumerate() {
            let place = parts.magnitude - at as i32 - LOWEST;
            digits[place as usize] = digit - b'0';
        }
        LongHand { negative: parts.negative, digits }
    }

    fn compare_magnitude(&self, other: &Self) -> Ordering {
        self.digits.iter().rev().cmp(other.digits.iter().rev())
    }

    fn compare(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.compare_magnitude(other),
            (true, true) => other.compare_magnitude(self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }

    fn add(&self, other: &Self) -> Self {
        if self.negative == other.negative {
            return LongHand { negative: self.negative, digits: combine(&self.digits, &other.digits, 1) };
        }
        let (large, small) =
            if self.compare_magnitude(other).is_lt() { (other, self) } else { (self, other) };
        LongHand { negative: large.negative, digits: combine(&large.digits, &small.digits, -1) }
    }

    /// The expected outcome for this value.
    fn expected(&self) -> Result<Number, NumberError> {
        let Some(top) = self.digits.iter().rposition(|digit| *digit != 0) else {
            return Ok(Number::ZERO);
        };
        let bottom = self.digits.iter().position(|digit| *digit != 0).expect("one is not zero");
        let magnitude = top as i32 + LOWEST;
        if magnitude > 125 {
            return Err(NumberError::Overflow);
        }
        if magnitude < -130 {
            return Err(NumberError::Underflow);
        }
        if top - bottom >= 38 {
            return Err(NumberError::TooManyDigits);
        }
        let digits: String = (bottom..=top).rev().map(|at| char::from(self.digits[at] + b'0')).collect();
        Ok(Parts { negative: self.negative, digits, magnitude }.number())
    }
}

fn combine(large: &[u8], small: &[u8], sign: i32) -> Vec<u8> {
    let mut carry = 0;
    let mut place = |(a, b): (&u8, &u8)| {
        let sum = i32::from(*a) + sign * i32::from(*b) + carry;
        carry = sum.div_euclid(10);
        sum.rem_euclid(10) as u8
    };
    large.iter().zip(small).map(&mut place).collect()
}

/// Pairs of numbers whose sum often has 38 digits or fewer, and often one more.
fn addends() -> impl Strategy<Value = (Parts, Parts)> {
    prop_oneof![
        (parts_within(-20..=20), parts_within(-20..=20)),
        (parts_within(120..=125), parts_within(120..=125)),
        (parts_within(-130..=-125), parts_within(-130..=-125)),
        (parts(), parts()),
        // Neighbours, whose difference has few digits or is zero.
        (parts_within(-130..=125), "[0-9]?").prop_map(|(a, tail)| {
            let mut b = a.clone();
            b.negative = !a.negative;
            b.digits = format!("{}{tail}", &a.digits[..a.digits.len().min(37)]);
            (a, b)
        }),
    ]
}

/// The product of two numbers, by long multiplication of their digits.
fn long_product(a: &Parts, b: &Parts) -> Result<Number, NumberError> {
    let digits = |parts: &Parts| parts.digits.bytes().rev().map(|digit| u32::from(digit - b'0')).collect();
    let (left, right): (Vec<u32>, Vec<u32>) = (digits(a), digits(b));
    let mut places = vec![0; left.len() + right.len()];
    for (row, one) in left.iter().enumerate() {
        for (column, other) in right.iter().enumerate() {
            places[row + column] += one * other;
        }
    }
    for at in 1..places.len() {
        places[at] += places[at - 1] / 10;
        places[at - 1] %= 10;
    }
    let top = places.iter().rposition(|digit| *digit != 0).expect("neither is zero");
    let bottom = places.iter().position(|digit| *digit != 0).expect("neither is zero");
    let lowest = a.magnitude + b.magnitude + 2 - (left.len() + right.len()) as i32;
    let magnitude = lowest + top as i32;
    if magnitude > 125 {
        return Err(NumberError::Overflow);
    }
    if magnitude < -130 {
        return Err(NumberError::Underflow);
    }
    if top - bottom >= 38 {
        return Err(NumberError::TooManyDigits);
    }
    let digits = places[bottom..=top].iter().rev().map(|digit| char::from(b'0' + *digit as u8)).collect();
    Ok(Parts { negative: a.negative != b.negative, digits, magnitude }.number())
}

/// Numbers with few digits, whose products often have 38 digits or fewer.
fn factors() -> impl Strategy<Value = (Parts, Parts)> {
    let short = |parts: Parts, length: usize| {
        let digits = parts.digits[..parts.digits.len().min(length)].trim_end_matches('0').to_owned();
        Parts { digits, ..parts }
    };
    (parts(), parts(), 1_usize..38, any::<bool>()).prop_map(move |(a, b, length, near)| {
        let (mut a, mut b) = (short(a, length), short(b, 40 - length));
        if near {
            (a.magnitude, b.magnitude) = (a.magnitude / 2, b.magnitude / 2);
        }
        (a, b)
    })
}

proptest! {
    #[test]
    fn products_are_exact_or_refused((a, b) in factors()) {
        let expected = long_product(&a, &b);
        prop_assert_eq!(a.number().checked_mul(&b.number()), expected);
        prop_assert_eq!(b.number().checked_mul(&a.number()), expected);
        prop_assert_eq!(a.number().checked_mul(&Number::ZERO), Ok(Number::ZERO));
    }

    #[test]
    fn byte_order_is_numeric_order(a in parts(), b in parts()) {
        let order = LongHand::new(&a).compare(&LongHand::new(&b));
        let (a, b) = (a.number(), b.number());
        prop_assert_eq!(a.as_bytes().cmp(b.as_bytes()), order);
        prop_assert_eq!(a.cmp(&b), order);
        prop_assert_eq!(a.view().cmp(&b.view()), order);
    }

    #[test]
    fn zero_lies_between_negative_and_positive(parts in parts()) {
        let order = if parts.negative { Ordering::Less } else { Ordering::Greater };
        prop_assert_eq!(parts.number().cmp(&Number::ZERO), order);
        prop_assert_eq!(parts.number().as_bytes().cmp(Number::ZERO.as_bytes()), order);
    }

    #[test]
    fn close_numbers_are_in_numeric_order(a in parts_within(0..=2), b in parts_within(0..=2)) {
        prop_assert_eq!(a.number().cmp(&b.number()), LongHand::new(&a).compare(&LongHand::new(&b)));
    }

    #[test]
    fn no_number_begins_another(a in number(), b in number()) {
        prop_assert!(a == b || !b.as_bytes().starts_with(a.as_bytes()));
    }

    #[test]
    fn what_is_printed_parses_to_the_same_number(number in number()) {
        let text = number.to_string();
        prop_assert_eq!(text.parse::<Number>(), Ok(number));
        let mut appended = b"N:".to_vec();
        number.view().write_text(&mut appended);
        prop_assert_eq!(appended, format!("N:{text}").into_bytes());
    }

    #[test]
    fn what_is_printed_is_plain_and_shortest(number in number()) {
        let text = number.to_string();
        let digits = text.strip_prefix('-').unwrap_or(&text);
        prop_assert!(digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
        prop_assert!(!digits.contains('.') || !digits.ends_with(['0', '.']), "{}", text);
        prop_assert!(digits == "0" || digits.starts_with("0.") || !digits.starts_with(['0', '.']), "{}", text);
        prop_assert!(digits != "0" || text == "0");
    }

    #[test]
    fn one_value_has_one_representation_however_it_is_spelled(
        parts in parts(), point in -45i32..45, leading in 0usize..50, trailing in 0usize..50, plus: bool, upper: bool,
    ) {
        // The digits as an integer, or with zeros around them and the point somewhere else.
        let sign = if parts.negative { "-" } else if plus { "+" } else { "" };
        let zeros = |count: usize| "0".repeat(count);
        let padded = format!("{}{}{}", zeros(leading), parts.digits, zeros(trailing));
        let point = usize::try_from(point).unwrap_or(0).min(padded.len());
        let (integer, fraction) = padded.split_at(point);
        let exponent = parts.magnitude + 1 - (point as i32 - leading as i32);
        let letter = if upper { "E" } else { "e" };
        let exponent_sign = if exponent >= 0 && plus { "+" } else { "" };
        let text = format!("{sign}{integer}.{fraction}{letter}{exponent_sign}{exponent}");
        prop_assert_eq!(text.parse::<Number>(), Ok(parts.number()), "{}", text);
    }

    #[test]
    fn sums_are_exact_or_refused((a, b) in addends()) {
        let expected = LongHand::new(&a).add(&LongHand::new(&b)).expected();
        prop_assert_eq!(a.number().checked_add(&b.number()), expected);
    }

    #[test]
    fn addition_commutes(a in number(), b in number()) {
        prop_assert_eq!(a.checked_add(&b), b.checked_add(&a));
    }

    #[test]
    fn subtraction_takes_back_an_addition(a in number(), b in number()) {
        if let Ok(sum) = a.checked_add(&b) {
            prop_assert_eq!(sum.checked_sub(&b), Ok(a));
        }
        prop_assert_eq!(a.checked_sub(&a), Ok(Number::ZERO));
        prop_assert_eq!(a.checked_sub(&b), a.checked_add(&b.negated()));
    }

    #[test]
    fn integers_go_in_and_out(integer: i64) {
        prop_assert_eq!(Number::from(integer).to_string(), integer.to_string());
        prop_assert_eq!(Number::from(integer).to_i64(), Some(integer));
        prop_assert_eq!(integer.to_string().parse::<Number>(), Ok(Number::from(integer)));
        prop_assert_eq!(Number::from(integer.unsigned_abs()).to_string(), integer.unsigned_abs().to_string());
    }

    #[test]
    fn only_whole_numbers_that_fit_become_integers(number in number()) {
        prop_assert_eq!(number.to_i64(), number.to_string().parse::<i64>().ok());
    }

    #[test]
    fn a_fraction_is_cut_off(whole: u64, fraction in "[0-9]{0,17}") {
        let number: Number = format!("{whole}.{fraction}0").parse().unwrap();
        prop_assert_eq!(number.view().to_u64_cut(), Some(whole));
        let negative = number.negated();
        prop_assert_eq!(negative.view().to_u64_cut(), negative.is_zero().then_some(0));
    }

    #[test]
    fn what_is_cut_is_the_part_before_the_point(number in number()) {
        let text = number.to_string();
        let whole = text.split('.').next().unwrap_or_default();
        prop_assert_eq!(number.view().to_u64_cut(), if number.is_negative() { None } else { whole.parse().ok() });
    }

    #[test]
    fn the_size_is_a_byte_and_a_byte_for_each_pair_of_digits_around_the_point(number in number()) {
        let text = number.to_string();
        let (integer, fraction) = text.trim_start_matches('-').split_once('.').unwrap_or((&text, ""));
        let integer = integer.trim_start_matches(['-', '0']);
        let odd = integer.len() % 2;
        let aligned = format!("{}{integer}{fraction}{}", "0".repeat(odd), "0".repeat(fraction.len() % 2));
        let pairs: Vec<&[u8]> = aligned.as_bytes().chunks(2).collect();
        let first = pairs.iter().position(|pair| *pair != b"00");
        let last = pairs.iter().rposition(|pair| *pair != b"00");
        let pairs = first.zip(last).map_or(0, |(first, last)| last - first + 1);
        prop_assert_eq!(number.size_bytes(), (1 + pairs + usize::from(number.is_negative())).min(21));
    }

    #[test]
    fn any_text_parses_or_is_refused(text in "[-+0-9.eE_ a]{0,60}") {
        if let Ok(number) = text.parse::<Number>() {
            prop_assert_eq!(number.to_string().parse::<Number>(), Ok(number));
        }
    }

    #[test]
    fn bytes_that_are_taken_for_a_number_are_the_only_ones_for_it(bytes in arbitrary_number_bytes()) {
        if let Some(view) = NumberRef::from_bytes(&bytes) {
            let number: Number = view.to_string().parse().expect("a valid view prints a valid number");
            prop_assert_eq!(number.as_bytes(), view.as_bytes());
            prop_assert_eq!(view.to_number(), number);
        }
    }
}

/// Mostly bytes with a header, plausible pairs and an end.
fn arbitrary_number_bytes() -> impl Strategy<Value = Vec<u8>> {
    let pairs = proptest::collection::vec(prop_oneof![1u8..=101, 154u8..=254], 0..22);
    (any::<u8>(), pairs, prop_oneof![Just(0u8), Just(0xFF)])
        .prop_map(|(header, pairs, end)| [vec![header], pairs, vec![end]].concat())
}

#[test]
fn accepted_spellings_print_as_dynamodb_prints_them() {
    let one_and_125_zeros = format!("1{}", "0".repeat(125));
    let largest = format!("{}{}", "9".repeat(38), "0".repeat(88));
    let smallest = format!("0.{}1", "0".repeat(129));
    for (text, printed) in [
        ("+3", "3"),
        (".5", "0.5"),
        ("5.", "5"),
        ("0001.2", "1.2"),
        ("1e3", "1000"),
        ("1E+3", "1000"),
        ("1.5E2", "150"),
        ("0042.1200", "42.12"),
        ("-0", "0"),
        ("-0.000", "0"),
        ("0e125", "0"),
        ("0e126", "0"),
        ("0e-131", "0"),
        ("0e999999", "0"),
        ("0.000e-99999", "0"),
        ("-000.0E+99999", "0"),
        ("0e9223372036854775808", "0"),
        ("0e-99999999999999999999999999", "0"),
        ("100", "100"),
        ("-12.5", "-12.5"),
        ("1e-1", "0.1"),
        ("0.012", "0.012"),
        ("1E125", &one_and_125_zeros),
        ("9.9999999999999999999999999999999999999E+125", &largest),
        ("1E-130", &smallest),
        ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
        ("1.0000000000000000000000000000000000000000000000", "1"),
        (
            "1000000000000000000000000000000000000000000000000",
            "1000000000000000000000000000000000000000000000000",
        ),
    ] {
        assert_eq!(text.parse::<Number>().map(|number| number.to_string()).as_deref(), Ok(printed), "{text}");
    }
}

#[test]
fn texts_that_are_no_numbers_are_refused() {
    for text in [
        "",
        " 1",
        "1 ",
        "1\n",
        "NaN",
        "Infinity",
        "-",
        "+",
        ".",
        "e5",
        ".e5",
        "1e",
        "1e+",
        "1_0",
        "1,0",
        "0x10",
        "1.2.3",
        "--1",
        "+-1",
        "1e1.5",
        "1e1e1",
        "١",
        "1e9223372036854775808",
        "1e-9223372036854775808",
        "0e",
        "0e1x",
    ] {
        assert_eq!(text.parse::<Number>(), Err(NumberError::NotNumeric), "{text:?}");
    }
}

#[test]
fn numbers_beyond_the_limits_are_refused_and_never_rounded() {
    for (text, error) in [
        ("123456789012345678901234567890123456789", NumberError::TooManyDigits),
        ("1.00000000000000000000000000000000000001", NumberError::TooManyDigits),
        ("1e126", NumberError::Overflow),
        ("1.23456789012345678901234567890123456789e126", NumberError::Overflow),
        ("-1e126", NumberError::Overflow),
        ("1e99999999999", NumberError::Overflow),
        ("1e9223372036854775807", NumberError::Overflow),
        ("1e-131", NumberError::Underflow),
        ("-9e-131", NumberError::Underflow),
        ("1e-99999999999", NumberError::Underflow),
        ("0.1e-9223372036854775807", NumberError::Underflow),
    ] {
        assert_eq!(text.parse::<Number>(), Err(error), "{text}");
    }
}

#[test]
fn sizes_are_those_measured_on_dynamodb() {
    for (text, size_bytes) in [
        ("0", 1),
        ("-0", 1),
        ("1", 2),
        ("12", 2),
        ("15", 2),
        ("123", 3),
        ("1234", 3),
        ("123456", 4),
        ("0042", 2),
        ("100", 2),
        ("1010", 3),
        ("0.0000001", 2),
        ("1E125", 2),
        ("1E-100", 2),
        ("1.5", 3),
        ("1.2", 3),
        ("1.200", 3),
        ("1.234", 4),
        ("3.14159", 5),
        ("100.5", 4),
        ("0.15", 2),
        ("-42", 3),
        ("12345678901234567890123456789012345678", 20),
        ("-1.2345678901234567890123456789012345678", 21),
    ] {
        assert_eq!(text.parse::<Number>().map(|number| number.size_bytes()), Ok(size_bytes), "{text}");
    }
}

#[test]
fn sums_at_the_edges_are_refused_with_their_reason() {
    let number = |text: &str| text.parse::<Number>().expect("a number");
    for (a, b, expected) in [
        ("9.9999999999999999999999999999999999999E+125", "1E+125", Err(NumberError::Overflow)),
        (
            "9.9999999999999999999999999999999999999E+125",
            "1.0000000000000000000000000000000000001E+88",
            Err(NumberError::Overflow),
        ),
        ("1.1e-130", "-1e-130", Err(NumberError::Underflow)),
        ("1e40", "-1", Err(NumberError::TooManyDigits)),
        ("1e125", "1e-130", Err(NumberError::TooManyDigits)),
        ("1e38", "-1", Ok(number("99999999999999999999999999999999999999"))),
        ("99999999999999999999999999999999999999", "1", Ok(number("1e38"))),
        ("0.1", "0.2", Ok(number("0.3"))),
        ("5", "-5", Ok(Number::ZERO)),
    ] {
        assert_eq!(number(a).checked_add(&number(b)), expected, "{a} + {b}");
    }
}

#[test]
fn second_representations_of_a_number_are_refused() {
    let number_of = |bytes: &'static [u8]| NumberRef::from_bytes(bytes).map(|number| number.to_string());
    assert_eq!(number_of(&[0xC1, 0x02, 0x33, 0x00]).as_deref(), Some("1.5"));
    for (bytes, fault) in [
        (&[][..], "nothing"),
        (&[0xC1], "no end"),
        (&[0xC1, 0x00], "a power without pairs"),
        (&[0x7F, 0xFF], "negative zero"),
        (&[0xC1, 0x01, 0x33, 0x00], "a first pair of zero"),
        (&[0xC1, 0x02, 0x01, 0x00], "a last pair of zero"),
        (&[0xC1, 0x65, 0x00], "a pair of a hundred"),
        (&[0xC1, 0x02, 0xFF], "the end of a negative number"),
        (&[0x3E, 0xFD, 0x00], "the end of a positive number"),
        (&[0xC1, 0x02, 0x00, 0x00], "something after the end"),
        (&[0xC1, 11, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0], "39 digits"),
    ] {
        assert_eq!(number_of(bytes), None, "{fault}");
    }
}
