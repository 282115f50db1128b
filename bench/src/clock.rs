//! The only place where this program reads the wall clock or sleeps.
//!
//! The clippy bans exist for the database, whose time must be injected; a measuring program is where real time enters.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "requests are signed with the real time")]
pub(crate) fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Waits between two looks at something outside this process, which can't wake us.
#[expect(clippy::disallowed_methods, reason = "other processes offer no condition to wait on")]
pub(crate) fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

/// `20260131T235959Z`, the form that SigV4 signs.
pub(crate) fn amz_date(unix_seconds: u64) -> String {
    let (year, month, day) = civil_date(unix_seconds / 86_400);
    let second = unix_seconds % 86_400;
    format!("{year:04}{month:02}{day:02}T{:02}{:02}{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

/// Year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
fn civil_date(days: u64) -> (u64, u64, u64) {
    // Years are counted from March so that the leap day is the last of its year; 719,468 days lie between 0000-03-01 and 1970.
    let days = days + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::amz_date;

    #[test]
    fn dates_are_right_around_leap_days_and_year_ends() {
        for (unix, text) in [
            (0, "19700101T000000Z"),
            (951_782_399, "20000228T235959Z"),
            (951_782_400, "20000229T000000Z"),
            (1_767_225_599, "20251231T235959Z"),
            (1_767_225_600, "20260101T000000Z"),
            (1_835_395_200, "20280229T000000Z"),
        ] {
            assert_eq!(amz_date(unix), text);
        }
    }
}
