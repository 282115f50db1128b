//! `singlet recovery`.

use std::io::{Write, stdout};

use singlet_engine::{Error, RecoveryWindow, UpdateRecovery, iso_time};

use crate::arguments::RecoveryArguments;
use crate::failure::Failure;
use crate::target::{Purpose, open_place};

/// Turns recovery on or off, and shows which moments tables can be restored to.
pub(crate) fn recovery(arguments: &RecoveryArguments) -> Result<(), Failure> {
    let database = open_place(&arguments.place, Purpose::Backups, false, None)?;
    if let Some(table) = arguments.table.as_ref().filter(|_| arguments.on || arguments.off) {
        let request =
            UpdateRecovery { table: table.clone(), enabled: arguments.on, period_days: arguments.days };
        database.update_recovery(request).map_err(refused)?;
    }
    let tables = match &arguments.table {
        Some(table) => vec![table.clone()],
        None => database.describe_tables().into_iter().map(|table| table.name).collect(),
    };
    let width = tables.iter().map(|table| table.chars().count()).max().unwrap_or(0);
    let mut out = stdout().lock();
    for table in &tables {
        let window = database.recovery_window(table).map_err(refused)?;
        writeln!(out, "{table:width$}  {}", in_words(window))?;
    }
    if tables.is_empty() {
        writeln!(out, "There are no tables.")?;
    }
    database.close().map_err(refused)
}

fn in_words(window: Option<RecoveryWindow>) -> String {
    match window {
        None => "off".to_owned(),
        Some(window) => format!(
            "{} days: from {} to {}",
            window.period_days,
            iso_time(window.earliest_ms),
            iso_time(window.latest_ms)
        ),
    }
}

fn refused(error: Error) -> Failure {
    Failure::Refused(error.to_string())
}
