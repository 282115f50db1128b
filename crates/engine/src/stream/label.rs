//! The label of a stream: the time of its beginning.

use jiff::Timestamp;

/// A time in milliseconds since 1970 as a label such as `2026-11-16T08:00:00.123`.
pub(crate) fn label_of(time_ms: u64) -> String {
    // No clock gets beyond the calendar's end; if one did, labels would still be labels.
    let time = i64::try_from(time_ms).ok().and_then(|time_ms| Timestamp::from_millisecond(time_ms).ok());
    format!("{:.3}", time.unwrap_or(Timestamp::MAX)).trim_end_matches('Z').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_times_of_the_calendar() {
        for (time_ms, label) in [
            (0, "1970-01-01T00:00:00.000"),
            (951_782_399_999, "2000-02-28T23:59:59.999"),
            (951_782_400_000, "2000-02-29T00:00:00.000"),
            (1_700_000_000_123, "2023-11-14T22:13:20.123"),
            (1_735_689_599_001, "2024-12-31T23:59:59.001"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000"),
        ] {
            assert_eq!(label_of(time_ms), label);
        }
    }
}
