//! Sizes in bytes, as people write them.

use std::str::FromStr;

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) bytes: usize,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits_end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
        let (digits, unit) = text.split_at(digits_end);
        let shift = match unit.trim().to_ascii_uppercase().as_str() {
            "" | "B" => 0,
            "K" | "KB" | "KIB" => 10,
            "M" | "MB" | "MIB" => 20,
            "G" | "GB" | "GIB" => 30,
            _ => return Err(format!("'{unit}' isn't a unit; write KB, MB or GB")),
        };
        let number: usize =
            digits.parse().map_err(|_| "write a size as a number and a unit, such as 256MB")?;
        let bytes = number.checked_mul(1 << shift).ok_or("this is more than a machine can have")?;
        Ok(Self { bytes })
    }
}

/// A size for people.
pub(crate) fn readable(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)];
    match UNITS.iter().find(|(_, unit)| bytes >= *unit) {
        Some((name, unit)) => format!("{:.1} {name}", bytes as f64 / *unit as f64),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_readable() {
        for (bytes, text) in
            [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KB"), (5 << 20, "5.0 MB"), (3 << 29, "1.5 GB")]
        {
            assert_eq!(readable(bytes), text);
        }
    }

    #[test]
    fn sizes_are_read_with_and_without_units() {
        for (text, bytes) in
            [("0", 0), ("17", 17), ("4KB", 4096), ("256MB", 256 << 20), ("2 gib", 2 << 30), ("1m", 1 << 20)]
        {
            assert_eq!(text.parse(), Ok(Size { bytes }), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "MB", "-1", "1.5GB", "12 parsecs", "99999999999999999999", "99999999999999GB", "é"]
        {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}
