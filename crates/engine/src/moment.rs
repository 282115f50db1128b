//! Moments: a commit and its time, the window of moments that can be recovered, and times as text.

use jiff::Timestamp;

use crate::turns::Now;

/// A commit and its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    /// The commit's sequence number.
    pub(crate) sequence: u64,
    /// The commit's time, in milliseconds since 1970.
    pub(crate) time_ms: u64,
}

impl Moment {
    /// Returns the best estimate of the commit's true time, in case the clock was wrong then.
    pub(crate) fn effective_ms(&self, now: &Now) -> u64 {
        now.effective_ms(self.sequence, self.time_ms)
    }
}

/// The moments to which a table can be recovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveryWindow {
    /// The retention period in days.
    pub period_days: u32,
    /// The first moment, in milliseconds since 1970.
    pub earliest_ms: u64,
    /// The last moment, in milliseconds since 1970.
    pub latest_ms: u64,
}

impl RecoveryWindow {
    /// Whether a moment is within the window.
    pub(crate) fn contains(&self, time_ms: u64) -> bool {
        (self.earliest_ms..=self.latest_ms).contains(&time_ms)
    }
}

/// Formats a time, given in milliseconds since 1970, as `2020-11-04T07:28:34.028Z`.
pub fn iso_time(time_ms: u64) -> String {
    // A time beyond the end of the calendar is shown as the end.
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
