//! Missing data of a folder, in words.

use std::fmt;

use super::ReachMark;
#[cfg(simulated)]
use crate::planted::Bug;
use crate::store::log::segment_name;

/// Data of the folder is missing, or nothing shows whether it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// The log ends too early.
    Log {
        /// The last segment, if its file is missing.
        segment: Option<String>,
        /// The last commit that was found.
        found_sequence: u64,
        /// The last commit that is known to have been durable.
        durable_sequence: u64,
        /// The time of that commit or of one shortly before it, in milliseconds since 1970.
        durable_time_ms: u64,
    },
    /// The file with the extent of the log is missing or damaged.
    Reach {
        /// The reason.
        reason: String,
    },
    /// The tree is missing, but other data exists.
    Tree,
}

impl Loss {
    /// Returns the missing part of a log that ends with `found_sequence` and whose last segment is `last_segment`.
    pub(in crate::store) fn of_log(mark: &ReachMark, last_segment: u64, found_sequence: u64) -> Option<Self> {
        #[cfg(simulated)]
        if [Bug::IgnoresReach, Bug::TakesDamageForEnd].iter().any(|bug| bug.is_planted()) {
            return None;
        }
        let is_segment_gone = last_segment < mark.segment;
        if !is_segment_gone && found_sequence >= mark.sequence {
            return None;
        }
        Some(Loss::Log {
            segment: is_segment_gone.then(|| segment_name(mark.segment)),
            found_sequence,
            durable_sequence: mark.sequence,
            durable_time_ms: mark.time_ms,
        })
    }

    /// Returns what is missing, without advice.
    pub fn missing(&self) -> impl fmt::Display + '_ {
        Missing(self)
    }

    /// Returns how many commits are known to be missing.
    pub fn commits(&self) -> u64 {
        match self {
            Loss::Log { found_sequence, durable_sequence, .. } => {
                durable_sequence.saturating_sub(*found_sequence)
            }
            Loss::Reach { .. } | Loss::Tree => 0,
        }
    }
}

impl std::error::Error for Loss {}

/// The missing part, without advice.
struct Missing<'a>(&'a Loss);

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}. Put the missing file back, or restore the folder from a copy. To open the rest without it, \
             use --accept-loss (`StoreOptions::accept_loss`)",
            self.missing()
        )
    }
}

impl fmt::Display for Missing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Loss::Log { segment, found_sequence, durable_sequence, durable_time_ms } => {
                let next = found_sequence + 1;
                match segment {
                    Some(segment) => write!(f, "the log file `{segment}` is missing")?,
                    None => write!(f, "the end of the log is missing")?,
                }
                write!(f, ": the last commit found is {found_sequence}")?;
                match self.0.commits() {
                    0 => write!(f, ", and the number of later commits is unknown"),
                    1 => write!(f, ", and commit {next} was durable{}", At(*durable_time_ms)),
                    count => write!(
                        f,
                        ", and {count} more, {next} to {durable_sequence}, were durable{}",
                        At(*durable_time_ms)
                    ),
                }
            }
            Loss::Reach { reason } => {
                write!(f, "the end of the log may be missing: {reason}")
            }
            Loss::Tree => write!(f, "the file `tree` is missing, but other data exists"),
        }
    }
}

/// A time, if it is known.
struct At(u64);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time =
            i64::try_from(self.0).ok().and_then(|time_ms| jiff::Timestamp::from_millisecond(time_ms).ok());
        match time {
            Some(time) if self.0 > 0 => write!(f, " at {time:.0}"),
            _ => Ok(()),
        }
    }
}
