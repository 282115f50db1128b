//! The label of a stream: the time of its beginning.

const MILLISECONDS_PER_DAY: u64 = 86_400_000;

/// A time in milliseconds since 1970 as a label such as `2026-11-16T08:00:00.123`.
pub(crate) fn label_of(time_ms: u64) -> String {
    let (year, month, day) = date(time_ms / MILLISECONDS_PER_DAY);
    let in_day_ms = time_ms % MILLISECONDS_PER_DAY;
    let (hour, minute) = (in_day_ms / 3_600_000, in_day_ms / 60_000 % 60);
    let (second, millisecond) = (in_day_ms / 1000 % 60, in_day_ms % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}")
}

/// Year, month and day so many days after 1 January 1970. The calendar repeats every 400 years; a year that begins in
/// March has its leap day at its end.
fn date(days: u64) -> (u64, u64, u64) {
    const DAYS_PER_ERA: u64 = 146_097;
    const DAYS_FROM_MARCH_OF_YEAR_0: u64 = 719_468;
    let days = days + DAYS_FROM_MARCH_OF_YEAR_0;
    let (era, day_of_era) = (days / DAYS_PER_ERA, days % DAYS_PER_ERA);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
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
