//! The mean of numbers, rounded half to even.

use std::cmp::Ordering;

use singlet_values::Number;

/// Returns `sum / count`, rounded half to even to a number of decimals. `None` for no items, or if the result has more
/// than 38 digits.
pub(crate) fn mean(sum: &Number, count: u64, decimals: u8) -> Option<Number> {
    if count == 0 {
        return None;
    }
    let text = sum.to_string();
    let (is_negative, magnitude) = text.strip_prefix('-').map_or((false, &*text), |rest| (true, rest));
    let (mut digits, exponent) = digits_of(magnitude)?;
    // The quotient counts units of the last decimal.
    let shift = exponent + i32::from(decimals);
    let fraction = match usize::try_from(shift) {
        Ok(zeros) => {
            digits.extend(std::iter::repeat_n(b'0', zeros));
            Vec::new()
        }
        Err(_) => {
            let places = shift.unsigned_abs() as usize;
            if places > digits.len() {
                digits.splice(0..0, std::iter::repeat_n(b'0', places - digits.len()));
            }
            digits.split_off(digits.len() - places)
        }
    };
    let (mut quotient, rest) = divided(&digits, count);
    let is_odd = quotient.last().is_some_and(|digit| digit % 2 == 1);
    match half(rest, count, &fraction) {
        Ordering::Greater => increment(&mut quotient),
        Ordering::Equal if is_odd => increment(&mut quotient),
        Ordering::Equal | Ordering::Less => {}
    }
    let sign = if is_negative { "-" } else { "" };
    let digits = String::from_utf8(quotient).ok()?;
    format!("{sign}{digits}E-{decimals}").parse().ok()
}

/// The most digits of a number that is summed, before and after the point. Then ten billion of them have an exact sum.
const WHOLE_DIGITS_MAX: i32 = 20;
const DECIMALS_MAX: i32 = 8;

/// Returns whether sums of a number are exact, however many there are.
pub(crate) fn is_exact(number: &Number) -> bool {
    let text = number.to_string();
    let Some((digits, exponent)) = digits_of(text.trim_start_matches('-')) else { return false };
    let places = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    number.is_zero() || (exponent >= -DECIMALS_MAX && places.saturating_add(exponent) <= WHOLE_DIGITS_MAX)
}

/// Returns the digits of a number without a sign, and the power of ten that they are multiplied by.
fn digits_of(text: &str) -> Option<(Vec<u8>, i32)> {
    let (mantissa, exponent) = match text.split_once(['E', 'e']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = whole.bytes().chain(decimals.bytes()).collect();
    Some((digits, exponent - i32::try_from(decimals.len()).ok()?))
}

/// Divides an integer by long division. Returns the digits of the quotient, at least one, and the remainder.
fn divided(digits: &[u8], divisor: u64) -> (Vec<u8>, u64) {
    let divisor = u128::from(divisor);
    let (mut quotient, mut rest) = (Vec::with_capacity(digits.len().max(1)), 0u128);
    for digit in digits {
        rest = rest * 10 + u128::from(digit - b'0');
        quotient.push(b'0' + (rest / divisor) as u8);
        rest %= divisor;
    }
    if quotient.is_empty() {
        quotient.push(b'0');
    }
    (quotient, rest as u64)
}

/// Compares what is left of a division with one half: `(rest + 0.fraction) / count`.
fn half(rest: u64, count: u64, fraction: &[u8]) -> Ordering {
    match (2 * u128::from(rest)).cmp(&u128::from(count)) {
        Ordering::Greater => Ordering::Greater,
        Ordering::Equal if fraction.iter().any(|digit| *digit != b'0') => Ordering::Greater,
        Ordering::Equal => Ordering::Equal,
        // Only one unit is missing at most, because the fraction is less than one.
        Ordering::Less if 2 * u128::from(rest) + 1 == u128::from(count) => fraction_against_half(fraction),
        Ordering::Less => Ordering::Less,
    }
}

fn fraction_against_half(fraction: &[u8]) -> Ordering {
    let Some((first, others)) = fraction.split_first() else { return Ordering::Less };
    match first.cmp(&b'5') {
        Ordering::Equal if others.iter().any(|digit| *digit != b'0') => Ordering::Greater,
        compared => compared,
    }
}

fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return;
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_of(sum: &str, count: u64, decimals: u8) -> Option<String> {
        let sum: Number = sum.parse().expect("a number");
        mean(&sum, count, decimals).map(|mean| mean.to_string())
    }

    #[test]
    fn a_mean_is_rounded_half_to_even() {
        let cases = [
            ("10", 4, 1, "2.5"),
            ("10", 4, 0, "2"),
            ("14", 4, 0, "4"),
            ("10", 3, 2, "3.33"),
            ("20", 3, 2, "6.67"),
            ("-20", 3, 2, "-6.67"),
            ("9.5", 2, 1, "4.8"),
            ("9.3", 2, 1, "4.6"),
            ("0.30001", 3, 1, "0.1"),
            ("0.45", 3, 1, "0.2"),
            ("0.4500001", 3, 1, "0.2"),
            ("0.75", 3, 1, "0.2"),
            ("0.7500001", 3, 1, "0.3"),
            ("29.9", 3, 0, "10"),
            ("0", 5, 2, "0"),
            ("1E+30", 4, 2, "250000000000000000000000000000"),
            ("1E-100", 7, 2, "0"),
        ];
        for (sum, count, decimals, expected) in cases {
            assert_eq!(mean_of(sum, count, decimals).as_deref(), Some(expected), "{sum} / {count}");
        }
    }

    #[test]
    fn nothing_has_no_mean() {
        assert_eq!(mean_of("0", 0, 2), None);
    }

    proptest::proptest! {
        #[test]
        fn a_mean_is_at_most_half_a_unit_away(sum in -1_000_000_000i64..1_000_000_000, count in 1u64..5_000) {
            let found = mean(&Number::from(sum), count, 2).expect("it fits");
            let hundredfold = found.checked_mul(&Number::from(100)).expect("it fits");
            let units = i128::from(hundredfold.to_i64().expect("an integer"));
            // |100·sum − units·count| ≤ count / 2
            let away = (100 * i128::from(sum) - units * i128::from(count)).abs();
            proptest::prop_assert!(2 * away <= i128::from(count));
        }
    }
}
