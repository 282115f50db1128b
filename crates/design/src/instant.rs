//! Instants in UTC, from 0001-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z.
//!
//! Years have four digits, so that stored times sort as text. An instant is a calendar date and time here, because
//! `jiff::Timestamp` ends a day before the year 9999 does.

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, date};
use jiff::fmt::temporal::Pieces;

const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);
const LAST: DateTime = date(9999, 12, 31).at(23, 59, 59, 999_000_000);
/// The number that the seconds of a leap second have.
const LEAP_SECOND: &str = "60";

/// The reason why a text isn't an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstantError {
    /// It isn't a time with an offset from UTC.
    NotATime,
    /// It is before the year 1 or after the year 9999.
    OutOfRange,
    /// Its second is 60, which no day of the calendar has.
    LeapSecond,
}

/// Parses a time with an offset from UTC, such as `2025-01-20T15:30:00+07:00`.
pub(crate) fn parse(text: &str) -> Result<DateTime, InstantError> {
    let pieces = Pieces::parse(text).map_err(|_| InstantError::NotATime)?;
    let (Some(time), Some(offset)) = (pieces.time(), pieces.offset()) else {
        return Err(InstantError::NotATime);
    };
    if is_leap_second(text) {
        return Err(InstantError::LeapSecond);
    }
    let ahead = SignedDuration::from_secs(i64::from(offset.to_numeric_offset().seconds()));
    let utc = pieces.date().to_datetime(time).checked_sub(ahead).ok();
    utc.filter(|utc| utc.year() >= 1).ok_or(InstantError::OutOfRange)
}

/// Parses a date of a year from 1 to 9999.
pub(crate) fn parse_date(text: &str) -> Option<Date> {
    text.parse().ok().filter(|date: &Date| date.year() >= 1)
}

/// Returns the instant of a number of seconds since 1970.
pub(crate) fn of_second(second: i64) -> Option<DateTime> {
    EPOCH.checked_add(SignedDuration::from_secs(second)).ok().filter(|instant| instant.year() >= 1)
}

/// Returns the instant of a number of milliseconds since 1970, or the last one if it is later.
pub(crate) fn of_ms(ms: u64) -> DateTime {
    let since = i64::try_from(ms).ok().map(SignedDuration::from_millis);
    since.and_then(|since| EPOCH.checked_add(since).ok()).unwrap_or(LAST)
}

/// Returns the instant of a number of milliseconds since 1970; it is negative before. `None` outside the years 1 to 9999.
pub(crate) fn of_signed_ms(ms: i64) -> Option<DateTime> {
    EPOCH.checked_add(SignedDuration::from_millis(ms)).ok().filter(|instant| instant.year() >= 1)
}

/// Returns the number of whole milliseconds since 1970; it is negative before.
pub(crate) fn ms_of(instant: DateTime) -> i64 {
    let since = instant.duration_since(EPOCH);
    // `as_millis` truncates towards zero; stored times have no parts of a millisecond.
    since.as_millis().try_into().unwrap_or_default()
}

/// Returns the number of whole seconds since 1970; it is negative before.
pub(crate) fn second_of(instant: DateTime) -> i64 {
    instant.duration_since(EPOCH).as_millis().div_euclid(1000).try_into().unwrap_or_default()
}

/// Returns whether the seconds of a time are 60, which `jiff` reads as 59.
fn is_leap_second(text: &str) -> bool {
    let clock = text.split_once(['T', 't', ' ']).map_or("", |(_, clock)| clock);
    let digits = clock.chars().filter(|character| *character != ':').take_while(char::is_ascii_digit);
    digits.skip(4).take(2).eq(LEAP_SECOND.chars())
}
