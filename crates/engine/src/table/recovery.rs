//! The setting of a table for point-in-time recovery, and the moments that it covers.

use crate::moment::RecoveryWindow;
use crate::turns::Now;

/// The default retention period in days.
pub(crate) const PERIOD_DAYS_DEFAULT: u32 = 35;
/// The shortest and the longest retention period in days.
pub(crate) const PERIOD_DAYS: std::ops::RangeInclusive<u32> = 1..=35;

const MILLISECONDS_PER_DAY: u64 = 86_400_000;

/// Point-in-time recovery of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecoverySetting {
    /// Every change since then is in the log, unless it is older than the retention period.
    pub(crate) since_ms: u64,
    /// The commit that turned it on. Earlier versions didn't store it.
    pub(crate) since_sequence: Option<u64>,
    pub(crate) period_days: u32,
}

impl RecoverySetting {
    /// Returns the moments that can be recovered, for a table that existed until `latest_ms`.
    pub(crate) fn window(&self, now: &Now, latest_ms: u64) -> RecoveryWindow {
        RecoveryWindow {
            period_days: self.period_days,
            earliest_ms: self.kept_from_ms(now.ms).max(self.recorded_since_ms(now)),
            latest_ms,
        }
    }

    /// Returns when recovery was turned on.
    pub(crate) fn recorded_since_ms(&self, now: &Now) -> u64 {
        self.since_sequence.map_or(self.since_ms, |sequence| now.effective_ms(sequence, self.since_ms))
    }

    /// Returns the time from which on changes are kept.
    pub(crate) fn kept_from_ms(&self, now_ms: u64) -> u64 {
        now_ms.saturating_sub(u64::from(self.period_days) * MILLISECONDS_PER_DAY)
    }
}
