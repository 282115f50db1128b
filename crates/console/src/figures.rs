//! Numbers for people.

use std::time::Duration;

/// A count with its thousands apart: `1,234,567`.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with its noun: `1 item`, `2 items`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!("{} {}", grouped(count as u64), plural(noun)),
    }
}

fn plural(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if noun.ends_with("ex") => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// Capacity units: whole ones without decimals, others with at most one.
pub(crate) fn units(units: f64) -> String {
    let tenths = if units < 100.0 { (units * 10.0).round() } else { units.round() * 10.0 };
    match tenths % 10.0 == 0.0 {
        true => grouped((tenths / 10.0) as u64),
        false => format!("{:.1}", tenths / 10.0),
    }
}

/// A time that a person waits: `0.42 ms`, `17 ms`, `1.3 s`.
pub(crate) fn elapsed(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1000.0;
    match milliseconds {
        ..10.0 => format!("{milliseconds:.2} ms"),
        10.0..1000.0 => format!("{milliseconds:.0} ms"),
        _ => format!("{:.1} s", milliseconds / 1000.0),
    }
}

/// A size: `512 B`, `1.4 KB`.
pub(crate) fn bytes(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MB", bytes as f64 / 1_048_576.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_for_people() {
        assert_eq!(["1", "999", "1,000", "12,345,678"], [1, 999, 1_000, 12_345_678].map(grouped).as_ref());
        assert_eq!([counted(1, "entity"), counted(2, "entity")], ["1 entity", "2 entities"]);
        assert_eq!([counted(3, "index"), counted(0, "item")], ["3 indexes", "0 items"]);
        assert_eq!([0.5, 3.0, 1.25, 1500.0].map(units), ["0.5", "3", "1.3", "1,500"]);
        assert_eq!([bytes(12), bytes(1536)], ["12 B", "1.5 KB"]);
        assert_eq!(elapsed(Duration::from_micros(420)), "0.42 ms");
    }
}
