//! Arguments of `singlet recovery`, and points in time as people write them.

use clap::Args;
use jiff::Timestamp;

use super::backup::FolderArguments;
use super::encryption::KEY_OF_EXISTING;

pub(super) const RECOVERY_NOTES: &str = "\
With recovery on, a table can be restored to any moment of the last days, even after it was deleted:
  singlet restore --of orders --at 2026-11-16T08:00:00Z --table orders-before
A design turns it on with `recovery = \"35 days\"` in its [table]. On a running server:
  aws dynamodb update-continuous-backups --table-name orders --endpoint-url http://127.0.0.1:8000 \\
    --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true,RecoveryPeriodInDays=35

Each change is kept with the item before and after it, so each write takes space for both during the retention period.

Examples:
  singlet recovery
      the moments to which each table can be restored
  singlet recovery --table orders --on
  singlet recovery --table orders --on --days 7
  singlet recovery --table orders --off";

/// `singlet recovery`.
#[derive(Debug, Args)]
#[command(mut_arg("key_file", |key| key.help(KEY_OF_EXISTING)))]
pub(crate) struct RecoveryArguments {
    /// Only this table
    #[arg(long, value_name = "NAME", required_if_eq_any = [("on", "true"), ("off", "true")])]
    pub(crate) table: Option<String>,

    /// Turn recovery on for the table
    #[arg(long)]
    pub(crate) on: bool,

    /// The retention period in days, 1 to 35 [default: unchanged; at first 35]
    #[arg(long, requires = "on", value_parser = clap::value_parser!(u32).range(1..=35))]
    pub(crate) days: Option<u32>,

    /// Turn recovery off for the table, and discard its recovery window
    #[arg(long, conflicts_with = "on")]
    pub(crate) off: bool,

    /// Print the result as JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) place: FolderArguments,
}

/// A moment in milliseconds since 1970, from a date and time with a zone or from seconds since 1970.
pub(super) fn moment_ms(text: &str) -> Result<u64, String> {
    let wrong = || {
        format!(
            "{text:?} isn't a point in time; write it like 2026-11-16T08:00:00Z, 2026-11-16T09:00:00+01:00 or 1763280000"
        )
    };
    if let Ok(seconds) = text.parse::<u64>() {
        return seconds.checked_mul(1000).ok_or_else(wrong);
    }
    let time: Timestamp = text.parse().map_err(|_| wrong())?;
    u64::try_from(time.as_millisecond()).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_people_write_them() {
        for text in ["2025-11-16T08:00:00Z", "2025-11-16T09:00:00+01:00", "1763280000"] {
            assert_eq!(moment_ms(text), Ok(1_763_280_000_000), "{text}");
        }
        assert_eq!(moment_ms("2025-11-16T08:00:00.25Z"), Ok(1_763_280_000_250));
        for text in ["", "yesterday", "2025-11-16", "-5", "1960-01-01T00:00:00Z", "99999999999999999999"] {
            assert!(moment_ms(text).is_err(), "{text}");
        }
    }
}
