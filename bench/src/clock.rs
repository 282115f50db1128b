//! The only place where this program reads the wall clock or sleeps.
//!
//! The clippy bans exist for the database, whose time must be injected; a measuring program is where real time enters.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

const AMZ_DATE: &str = "%Y%m%dT%H%M%SZ";

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
    // No clock gets beyond the calendar's end; if one did, servers would refuse the signature.
    let time = i64::try_from(unix_seconds).ok().and_then(|second| Timestamp::from_second(second).ok());
    time.unwrap_or(Timestamp::MAX).strftime(AMZ_DATE).to_string()
}

/// `20260131T235959Z` as people write it: `31 January 2026`. Another text stays as it is.
pub(crate) fn long_date(amz_date: &str) -> String {
    let date = jiff::civil::DateTime::strptime(AMZ_DATE, amz_date);
    date.map_or_else(|_| amz_date.to_owned(), |date| date.strftime("%-d %B %Y").to_string())
}

#[cfg(test)]
mod tests {
    use super::{amz_date, long_date};

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

    #[test]
    fn dates_are_shown_as_people_write_them() {
        assert_eq!(long_date("20261116T060509Z"), "16 November 2026");
        assert_eq!(long_date("unknown"), "unknown");
    }
}
