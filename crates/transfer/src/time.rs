//! Moments as manifests write them.

const MILLISECONDS_PER_DAY: u64 = 86_400_000;

/// A moment, given in milliseconds since 1970, as `2020-11-04T07:28:34.028Z`.
pub fn iso_time(time_ms: u64) -> String {
    let (days, in_day_ms) = (time_ms / MILLISECONDS_PER_DAY, time_ms % MILLISECONDS_PER_DAY);
    let (year, month, day) = date(days);
    let (seconds, milliseconds) = (in_day_ms / 1000, in_day_ms % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
}

/// Year, month and day of a day since 1970. Years are counted from March, so that the leap day comes last, and in eras of
/// 400 years, which all have the same days.
fn date(days: u64) -> (u64, u64, u64) {
    const DAYS_PER_ERA: u64 = 146_097;
    let days = days + 719_468;
    let (era, in_era) = (days / DAYS_PER_ERA, days % DAYS_PER_ERA);
    let year_of_era = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
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
