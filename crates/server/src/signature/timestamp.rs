//! Points in time in the format of signatures: `20150830T123600Z`.

use std::fmt;

const SECONDS_PER_DAY: u64 = 86_400;

/// A point in time, in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Timestamp {
    seconds: u64,
}

impl Timestamp {
    pub(crate) fn from_seconds(seconds: u64) -> Self {
        Self { seconds }
    }

    /// Reads ISO 8601's basic format in UTC, which is the only format for `X-Amz-Date`.
    pub(crate) fn parse_basic(text: &str) -> Option<Self> {
        let bytes: &[u8; 16] = text.as_bytes().try_into().ok()?;
        let [y1, y2, y3, y4, o1, o2, d1, d2, b'T', h1, h2, m1, m2, s1, s2, b'Z'] = *bytes else {
            return None;
        };
        let year = number(&[y1, y2, y3, y4])?;
        let month = number(&[o1, o2])?;
        let day = number(&[d1, d2])?;
        let (hour, minute, second) = (number(&[h1, h2])?, number(&[m1, m2])?, number(&[s1, s2])?);
        let in_range = (1970..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && hour < 24
            && minute < 60
            && second <= 60;
        in_range.then(|| {
            let days = days_since_epoch(year, month, day);
            Self { seconds: days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second }
        })
    }

    /// Reads the format of HTTP's `Date` header.
    pub(crate) fn parse_http(text: &str) -> Option<Self> {
        let time = httpdate::parse_http_date(text).ok()?;
        let seconds = time.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
        Some(Self { seconds })
    }

    #[cfg(test)]
    pub(crate) fn seconds(self) -> u64 {
        self.seconds
    }

    pub(crate) fn plus_seconds(self, seconds: u64) -> Self {
        Self { seconds: self.seconds.saturating_add(seconds) }
    }

    pub(crate) fn minus_seconds(self, seconds: u64) -> Self {
        Self { seconds: self.seconds.saturating_sub(seconds) }
    }

    /// The day as `YYYYMMDD`, as in the scope of a credential.
    pub(crate) fn date(self) -> String {
        let (year, month, day) = civil_date(self.seconds / SECONDS_PER_DAY);
        format!("{year:04}{month:02}{day:02}")
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil_date(self.seconds / SECONDS_PER_DAY);
        let second_of_day = self.seconds % SECONDS_PER_DAY;
        let (hour, minute, second) = (second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60);
        write!(f, "{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0, |sum, digit| match digit {
        b'0'..=b'9' => Some(sum * 10 + u64::from(digit - b'0')),
        _ => None,
    })
}

/// Years are counted from March, so that the leap day is the last of a year. The months before it then have a fixed
/// pattern of lengths: 153 days in every five.
fn days_since_epoch(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let days_since_year_0 = year * 365 + year / 4 - year / 100 + year / 400 + day_of_year;
    days_since_year_0 - DAYS_BEFORE_1970
}

/// The inverse of [`days_since_epoch`].
fn civil_date(days: u64) -> (u64, u64, u64) {
    let days = days + DAYS_BEFORE_1970;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let year = era * 400 + year_of_era;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

/// From 1 March of year 0 to 1 January 1970.
const DAYS_BEFORE_1970: u64 = 719_468;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times_are_read_and_written() {
        for (text, seconds) in [
            ("19700101T000000Z", 0),
            ("20000229T000000Z", 951_782_400),
            ("20150830T123600Z", 1_440_938_160),
            ("20240229T235959Z", 1_709_251_199),
            ("21000301T000000Z", 4_107_542_400),
        ] {
            let time = Timestamp::parse_basic(text).unwrap();
            assert_eq!(time, Timestamp::from_seconds(seconds), "{text}");
            assert_eq!(time.to_string(), text);
            assert_eq!(time.date(), text[..8]);
        }
    }

    #[test]
    fn every_day_of_four_centuries_is_read_back() {
        for day in 0..146_097 {
            let time = Timestamp::from_seconds(day * SECONDS_PER_DAY + day % SECONDS_PER_DAY);
            assert_eq!(Timestamp::parse_basic(&time.to_string()), Some(time));
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "",
            "201",
            "2015-08-30T12:36:00Z",
            "20150830T123600",
            "20151330T123600Z",
            "20150830T243600Z",
            "日本日本日1",
        ] {
            assert_eq!(Timestamp::parse_basic(text), None, "{text}");
        }
    }

    #[test]
    fn the_date_header_of_http_is_read() {
        let time = Timestamp::parse_http("Sun, 30 Aug 2015 12:36:00 GMT").unwrap();
        assert_eq!(time.to_string(), "20150830T123600Z");
    }
}
