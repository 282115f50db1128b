//! What is missing of a folder, in words.

use std::fmt;

use super::ReachMark;
#[cfg(simulated)]
use crate::planted::Bug;
use crate::store::log::segment_name;

/// Something that the folder held is missing, or nothing tells whether it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// The log ends too early.
    Log {
        /// The last segment, if its file is gone.
        segment: Option<String>,
        /// The last commit that is there.
        found_sequence: u64,
        /// The last commit that is known to have been durable.
        durable_sequence: u64,
        /// The time of that commit or of one shortly before it, in milliseconds since 1970.
        durable_time_ms: u64,
    },
    /// The file that says how far the log reached is missing or damaged.
    Reach {
        /// What is wrong with it.
        reason: String,
    },
    /// The tree is gone, and other data is there.
    Tree,
}

impl Loss {
    /// What is missing of a log that ends with `found_sequence` and whose last segment is `last_segment`.
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

    /// What is missing, without what to do about it.
    pub fn missing(&self) -> impl fmt::Display + '_ {
        Missing(self)
    }

    /// How many commits are known to be missing.
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

/// What is missing, without what to do about it.
struct Missing<'a>(&'a Loss);

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}. Put the missing file back, or restore the folder from a copy. To open what is left and give up the \
             rest, use --accept-loss (`StoreOptions::accept_loss`)",
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
                write!(f, ": the last commit that is there is {found_sequence}")?;
                match self.0.commits() {
                    0 => write!(f, ", and nothing tells how many commits followed it"),
                    1 => write!(f, ", and commit {next} was durable{}", At(*durable_time_ms)),
                    count => write!(
                        f,
                        ", and {count} more, {next} to {durable_sequence}, were durable{}",
                        At(*durable_time_ms)
                    ),
                }
            }
            Loss::Reach { reason } => {
                write!(f, "nothing tells whether the end of the log is missing: {reason}")
            }
            Loss::Tree => write!(f, "the file `tree` is missing, though other data is there"),
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
