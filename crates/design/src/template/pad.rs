//! Numbers with a fixed width, so that their text sorts like they do.

use std::fmt::Write;

use singlet_engine::values::NumberRef;

/// Appends the number with exactly `width` characters, of which `decimals` stand after a point.
pub(super) fn write_padded(
    out: &mut String,
    number: NumberRef<'_>,
    width: u8,
    decimals: u8,
) -> Result<(), String> {
    let (width, decimals) = (usize::from(width), usize::from(decimals));
    if number.is_negative() {
        return Err(format!("{number} is negative; numbers from 0 to {} fit", largest(width, decimals)));
    }
    let start = out.len();
    // Writing to a string can't fail.
    let _ = write!(out, "{number}");
    let written = out.get(start..).unwrap_or_default();
    let (whole, fraction) = written.split_once('.').unwrap_or((written, ""));
    let (whole, fraction) = (whole.len(), fraction.len());
    if fraction > decimals {
        let fits = if decimals == 0 { "whole numbers fit".to_owned() } else { format!("{decimals} fit") };
        return Err(format!("{number} has {fraction} decimals; {fits}"));
    }
    let whole_width = if decimals == 0 { width } else { width.saturating_sub(decimals + 1) };
    if whole > whole_width {
        return Err(format!("{number} is too large; numbers from 0 to {} fit", largest(width, decimals)));
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

fn largest(width: usize, decimals: usize) -> String {
    let mut text = "9".repeat(width);
    if decimals > 0 {
        text.replace_range(width.saturating_sub(decimals + 1)..width - decimals, ".");
    }
    text
}
