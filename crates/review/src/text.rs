//! Numbers and lists in messages.

/// A number as people write it: `1,234`, `12.5`.
pub(super) fn number(value: f64) -> String {
    let rounded = if value.abs() >= 10.0 { value.round() } else { (value * 100.0).round() / 100.0 };
    let text = format!("{rounded}");
    let (whole, fraction) =
        text.split_once('.').map_or((text.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let mut grouped = String::with_capacity(text.len() + 4);
    for (position, digit) in whole.chars().enumerate() {
        if position > 0 && (whole.len() - position).is_multiple_of(3) && !grouped.ends_with('-') {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    match fraction {
        Some(fraction) => format!("{grouped}.{fraction}"),
        None => grouped,
    }
}

/// A whole number as people write it: `1,234`.
#[expect(clippy::cast_precision_loss, reason = "shown rounded")]
pub(super) fn whole(count: u64) -> String {
    number(count as f64)
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list(words: impl IntoIterator<Item = String>) -> String {
    let mut words: Vec<String> = words.into_iter().collect();
    let Some(last) = words.pop() else { return String::new() };
    if words.is_empty() { last } else { format!("{} and {last}", words.join(", ")) }
}

/// Names in backticks, as a list.
pub(super) fn names<Name: AsRef<str>>(names: impl IntoIterator<Item = Name>) -> String {
    list(names.into_iter().map(|name| format!("`{}`", name.as_ref())))
}

/// Bytes as people write them: `312 B`, `18 KB`, `1.2 MB`, `10 GB`.
pub(super) fn bytes(count: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "shown rounded")]
    let count = count as f64;
    match count {
        small if small < 1024.0 => format!("{} B", number(small)),
        middle if middle < 1024.0 * 1024.0 => format!("{} KB", number(middle / 1024.0)),
        large if large < 1024.0 * 1024.0 * 1024.0 => format!("{} MB", number(large / (1024.0 * 1024.0))),
        huge => format!("{} GB", number(huge / (1024.0 * 1024.0 * 1024.0))),
    }
}
