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
    Tree {
        /// The first commit in the log; `None` if there is no readable log.
        log_start: Option<u64>,
    },
}

/// The number of the first commit of every database.
const FIRST_COMMIT: u64 = 1;

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

    /// Whether [`accept_loss`](crate::store::StoreOptions::accept_loss) opens the rest. Without its tree, a folder
    /// can be opened only if the log has every commit since the first.
    pub fn is_acceptable(&self) -> bool {
        match self {
            Loss::Log { .. } | Loss::Reach { .. } => true,
            Loss::Tree { log_start } => log_start.is_some_and(|start| start <= FIRST_COMMIT),
        }
    }

    /// Returns how many commits are known to be missing.
    pub fn commits(&self) -> u64 {
        match self {
            Loss::Log { found_sequence, durable_sequence, .. } => {
                durable_sequence.saturating_sub(*found_sequence)
            }
            Loss::Reach { .. } => 0,
            Loss::Tree { log_start } => log_start.map_or(0, |start| start.saturating_sub(FIRST_COMMIT)),
        }
    }
}

impl std::error::Error for Loss {}

/// The missing part, without advice.
struct Missing<'a>(&'a Loss);

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. Put the missing file back, or restore the folder from a copy. ", self.missing())?;
        match self {
            Loss::Log { .. } | Loss::Reach { .. } => {
                write!(f, "To open the rest without it, use --accept-loss (`StoreOptions::accept_loss`)")
            }
            Loss::Tree { .. } if self.is_acceptable() => {
                write!(f, "To rebuild the tree from the log, use --accept-loss (`StoreOptions::accept_loss`)")
            }
            Loss::Tree { .. } => write!(
                f,
                "--accept-loss can't open the rest: later commits can't be applied without the missing ones"
            ),
        }
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
            Loss::Tree { log_start: None } => {
                write!(f, "the file `tree` is missing, and there is no readable log to rebuild it from")
            }
            Loss::Tree { log_start: Some(start) } => match self.0.commits() {
                0 => write!(f, "the file `tree` is missing, but the log has every commit since the first"),
                1 => write!(
                    f,
                    "the file `tree` is missing, and with it commit 1: the log begins with commit 2"
                ),
                lost => write!(
                    f,
                    "the file `tree` is missing, and with it commits 1 to {lost}: the log begins with commit {start}"
                ),
            },
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
