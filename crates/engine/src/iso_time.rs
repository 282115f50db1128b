//! Moments as people and manifests write them.

use jiff::Timestamp;

/// A moment, given in milliseconds since 1970, as `2020-11-04T07:28:34.028Z`.
pub fn iso_time(time_ms: u64) -> String {
    // No clock gets beyond the calendar's end; if one did, manifests would still be readable.
    let time = i64::try_from(time_ms).ok().and_then(|time_ms| Timestamp::from_millisecond(time_ms).ok());
    format!("{:.3}", time.unwrap_or(Timestamp::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_in_the_calendar() {
        for (time_ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_604_474_914_028, "2020-11-04T07:28:34.028Z"),
            (1_693_685_827_463, "2023-09-02T20:17:07.463Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso_time(time_ms), text);
        }
    }
}
