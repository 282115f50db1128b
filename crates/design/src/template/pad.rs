//! Numbers with a fixed width, whose text sorts like the numbers.

use std::fmt::Write;

use singlet_values::NumberRef;

/// Appends the number with exactly `width` characters, `decimals` of them after a point. In descending order, the text
/// sorts the other way round.
pub(super) fn write_number(
    out: &mut String,
    number: NumberRef<'_>,
    (width, decimals): (u8, u8),
    signed: bool,
    descending: bool,
) -> Result<(), String> {
    let start = out.len();
    match signed {
        true => write_signed(out, number, width, decimals)?,
        false => write_padded(out, number, width, decimals)?,
    }
    if descending {
        let turned = turned(out.get(start..).unwrap_or_default(), signed);
        out.replace_range(start.., &turned);
    }
    Ok(())
}

/// Returns the text of a number in the other order; doing it twice returns the same text.
pub(super) fn turned(text: &str, signed: bool) -> String {
    let mut characters = text.chars();
    let sign = if signed { characters.next() } else { None };
    let sign = sign.map(|sign| if sign == SIGN { NEGATIVE_SIGN } else { SIGN });
    sign.into_iter().chain(characters.map(complement)).collect()
}

/// Appends a number that isn't negative.
fn write_padded(out: &mut String, number: NumberRef<'_>, width: u8, decimals: u8) -> Result<(), String> {
    let misfit =
        if number.is_negative() { Err(Misfit::Negative) } else { write_digits(out, number, width, decimals) };
    misfit.map_err(|misfit| misfit.reason(number, "0", width, decimals))
}

/// The reason why a number has no place in its width.
enum Misfit {
    Negative,
    TooLarge,
    /// The number has this many decimals, which are too many.
    Decimals(usize),
}

impl Misfit {
    /// The reason in words, where numbers from `least` on fit.
    fn reason(&self, number: NumberRef<'_>, least: &str, width: u8, decimals: u8) -> String {
        let largest = largest(usize::from(width), usize::from(decimals));
        match self {
            Misfit::Negative => format!("{number} is negative; numbers from {least} to {largest} fit"),
            Misfit::TooLarge if number.is_negative() => {
                format!("{number} is too small; numbers from {least} to {largest} fit")
            }
            Misfit::TooLarge => format!("{number} is too large; numbers from {least} to {largest} fit"),
            Misfit::Decimals(count) => {
                let fits = if decimals == 0 { "integers fit".to_owned() } else { format!("{decimals} fit") };
                format!("{number} has {count} decimals; {fits}")
            }
        }
    }
}

/// Appends the digits of a number that isn't negative.
fn write_digits(out: &mut String, number: NumberRef<'_>, width: u8, decimals: u8) -> Result<(), Misfit> {
    let (width, decimals) = (usize::from(width), usize::from(decimals));
    let start = out.len();
    // Writing to a string can't fail.
    let _ = write!(out, "{number}");
    let written = out.get(start..).unwrap_or_default();
    let (whole, fraction) = written.split_once('.').unwrap_or((written, ""));
    let (whole, fraction) = (whole.len(), fraction.len());
    if fraction > decimals {
        return Err(Misfit::Decimals(fraction));
    }
    let whole_width = if decimals == 0 { width } else { width.saturating_sub(decimals + 1) };
    if whole > whole_width {
        return Err(Misfit::TooLarge);
    }
    if decimals > 0 && fraction == 0 {
        out.push('.');
    }
    out.extend(std::iter::repeat_n('0', decimals - fraction));
    for _ in whole..whole_width {
        out.insert(start, '0');
    }
    Ok(())
}

/// The sign of numbers that aren't negative, which sorts after the sign of negative numbers.
const SIGN: char = '0';
const NEGATIVE_SIGN: char = '-';

/// Appends a number of any sign with exactly `width` characters, the first of which is the sign. The digits of a
/// negative number are replaced by their nine's complement, so that the text sorts like the number.
fn write_signed(out: &mut String, number: NumberRef<'_>, width: u8, decimals: u8) -> Result<(), String> {
    let digits = width.saturating_sub(1);
    let refused = |misfit: Misfit| {
        let least = format!("-{}", largest(usize::from(digits), usize::from(decimals)));
        misfit.reason(number, &least, digits, decimals)
    };
    if !number.is_negative() {
        out.push(SIGN);
        return write_digits(out, number, digits, decimals).map_err(refused);
    }
    let mut text = String::new();
    let positive = number.to_number().negated();
    write_digits(&mut text, positive.view(), digits, decimals).map_err(refused)?;
    out.push(NEGATIVE_SIGN);
    out.extend(text.chars().map(complement));
    Ok(())
}

/// Returns the plain text of a number that was written with a sign, or `None` if it wasn't.
pub(super) fn read_signed(text: &str) -> Option<String> {
    if let Some(digits) = text.strip_prefix(NEGATIVE_SIGN) {
        return Some(std::iter::once(NEGATIVE_SIGN).chain(digits.chars().map(complement)).collect());
    }
    text.strip_prefix(SIGN).map(str::to_owned)
}

/// Returns the nine's complement of a digit; other characters stay.
pub(super) fn complement(character: char) -> char {
    match character.to_digit(10) {
        Some(digit) => char::from_digit(9 - digit, 10).unwrap_or(character),
        None => character,
    }
}

/// Returns the largest number of that width.
pub(super) fn largest(width: usize, decimals: usize) -> String {
    let mut text = "9".repeat(width);
    if decimals > 0 {
        text.replace_range(width.saturating_sub(decimals + 1)..width - decimals, ".");
    }
    text
}
