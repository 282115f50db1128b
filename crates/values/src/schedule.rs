//! Backup schedules: how often a backup is taken, and how long it is kept, such as `weekly, keep 3 months`.

use std::fmt;
use std::str::FromStr;

const HOUR_MS: u64 = 3_600_000;
const DAY_MS: u64 = 24 * HOUR_MS;
/// Units of time, the longest first. Months and years have a fixed length, so a schedule doesn't need a calendar.
const UNITS: [(&str, u64); 5] = [
    ("year", 365 * DAY_MS),
    ("month", 30 * DAY_MS),
    ("week", 7 * DAY_MS),
    ("day", DAY_MS),
    ("hour", HOUR_MS),
];
/// Words for an interval of one unit.
const WORDS: [(&str, u64); 5] = [
    ("yearly", 365 * DAY_MS),
    ("monthly", 30 * DAY_MS),
    ("weekly", 7 * DAY_MS),
    ("daily", DAY_MS),
    ("hourly", HOUR_MS),
];
/// The longest time that a schedule may contain.
const TIME_MAX_MS: u64 = 100 * 365 * DAY_MS;

/// A schedule of automatic backups: the interval between them, and how long each is kept.
///
/// ```
/// use singlet_values::Schedule;
///
/// let schedule: Schedule = "every 6 hours, keep 2 weeks".parse()?;
/// assert_eq!(schedule.every_ms(), 6 * 3_600_000);
/// assert_eq!(schedule.to_string(), "every 6 hours, keep 2 weeks");
/// # Ok::<(), singlet_values::ScheduleError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    every_ms: u64,
    keep_ms: u64,
}

/// Why a string isn't a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// The string doesn't have the form "interval, keep time".
    #[error(
        "{0:?} isn't a schedule: write how often and how long to keep, such as \"weekly, keep 3 months\""
    )]
    Form(String),
    /// The interval is unknown.
    #[error(
        "{0:?} isn't an interval: write hourly, daily, weekly, monthly, yearly, or an interval such as \"every 6 hours\""
    )]
    Often(String),
    /// The length of time is unknown.
    #[error(
        "{0:?} isn't a length of time: write \"12 hours\", \"10 days\", \"2 weeks\", \"3 months\" or \"1 year\", for example"
    )]
    Time(String),
    /// Each backup would be deleted before the next one is taken.
    #[error("{0:?} keeps each backup for less than the interval: there would be times without a backup")]
    KeptTooShort(String),
}

impl Schedule {
    /// A schedule with times in milliseconds; `None` if it would leave gaps.
    pub fn from_ms(every_ms: u64, keep_ms: u64) -> Option<Schedule> {
        (every_ms > 0 && every_ms <= keep_ms).then_some(Schedule { every_ms, keep_ms })
    }

    /// The time from one backup to the next.
    pub fn every_ms(self) -> u64 {
        self.every_ms
    }

    /// How long each backup is kept.
    pub fn keep_ms(self) -> u64 {
        self.keep_ms
    }
}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Schedule, ScheduleError> {
        let form = || ScheduleError::Form(text.to_owned());
        let (often, keep) = text.split_once(',').ok_or_else(form)?;
        let keep = keep.trim().strip_prefix("keep ").ok_or_else(form)?;
        let (every_ms, keep_ms) = (parse_often(often.trim())?, parse_time(keep.trim())?);
        if keep_ms < every_ms {
            return Err(ScheduleError::KeptTooShort(text.to_owned()));
        }
        Ok(Schedule { every_ms, keep_ms })
    }
}

fn parse_often(text: &str) -> Result<u64, ScheduleError> {
    if let Some((_, time_ms)) = WORDS.iter().find(|(word, _)| *word == text) {
        return Ok(*time_ms);
    }
    let time = text.strip_prefix("every ").ok_or_else(|| ScheduleError::Often(text.to_owned()))?;
    parse_time(time.trim())
}

/// Reads a length of time such as `6 hours`, or `hour` for one.
fn parse_time(text: &str) -> Result<u64, ScheduleError> {
    let wrong = || ScheduleError::Time(text.to_owned());
    let (count, unit) = match text.split_once(' ') {
        Some((count, unit)) => (count.parse().map_err(|_| wrong())?, unit.trim()),
        None => (1u64, text),
    };
    let unit = unit.strip_suffix('s').unwrap_or(unit);
    let (_, unit_ms) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
    let time_ms = count.checked_mul(*unit_ms).filter(|time_ms| (1..=TIME_MAX_MS).contains(time_ms));
    time_ms.ok_or_else(wrong)
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match WORDS.iter().find(|(_, time_ms)| *time_ms == self.every_ms) {
            Some((word, _)) => f.write_str(word)?,
            None => write!(f, "every {}", Time(self.every_ms))?,
        }
        write!(f, ", keep {}", Time(self.keep_ms))
    }
}

/// A length of time, shown in the longest unit that divides it.
struct Time(u64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = UNITS.iter().find(|(_, unit_ms)| self.0.is_multiple_of(*unit_ms));
        match whole.map(|(unit, unit_ms)| (unit, self.0 / unit_ms)) {
            Some((unit, 1)) => write!(f, "1 {unit}"),
            Some((unit, count)) => write!(f, "{count} {unit}s"),
            None => write!(f, "{} milliseconds", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_is_read_and_written_in_words() {
        for (text, every_ms, keep_ms) in [
            ("weekly, keep 3 months", 7 * DAY_MS, 90 * DAY_MS),
            ("hourly, keep 2 days", HOUR_MS, 2 * DAY_MS),
            ("daily, keep 1 year", DAY_MS, 365 * DAY_MS),
            ("monthly, keep 5 years", 30 * DAY_MS, 5 * 365 * DAY_MS),
            ("every 6 hours, keep 2 weeks", 6 * HOUR_MS, 14 * DAY_MS),
            ("every 10 days, keep 100 days", 10 * DAY_MS, 100 * DAY_MS),
        ] {
            let schedule: Schedule = text.parse().unwrap();
            assert_eq!((schedule.every_ms(), schedule.keep_ms()), (every_ms, keep_ms), "{text}");
            assert_eq!(schedule.to_string(), text);
        }
        let spaced: Schedule = " every  2 weeks ,  keep  4 weeks ".parse().unwrap();
        assert_eq!(spaced.to_string(), "every 2 weeks, keep 4 weeks");
        assert_eq!("every hour, keep day".parse::<Schedule>().unwrap().to_string(), "hourly, keep 1 day");
    }

    #[test]
    fn an_invalid_schedule_is_reported_with_an_example() {
        let error = |text: &str| text.parse::<Schedule>().unwrap_err();
        assert_eq!(error("weekly"), ScheduleError::Form("weekly".to_owned()));
        assert_eq!(error("weekly, 3 months"), ScheduleError::Form("weekly, 3 months".to_owned()));
        assert_eq!(error("fortnightly, keep 1 year"), ScheduleError::Often("fortnightly".to_owned()));
        for time in ["3", "0 days", "-1 days", "3 moons", "99999999999999 years", ""] {
            let text = format!("daily, keep {time}");
            assert!(matches!(error(&text), ScheduleError::Time(_) | ScheduleError::Form(_)), "{text}");
        }
        let short = "weekly, keep 3 days";
        assert_eq!(error(short), ScheduleError::KeptTooShort(short.to_owned()));
    }
}
