//! `singlet recovery`.

use std::io::{Write, stdout};

use singlet_design::Json;
use singlet_engine::values::Number;
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
    let windows: Vec<(String, Option<RecoveryWindow>)> = tables
        .into_iter()
        .map(|table| database.recovery_window(&table).map(|window| (table, window)))
        .collect::<Result<_, _>>()
        .map_err(refused)?;
    if arguments.json {
        writeln!(stdout().lock(), "{}", Json::List(windows.iter().map(json).collect()))?;
    } else {
        show(&windows)?;
    }
    database.close().map_err(refused)
}

fn show(windows: &[(String, Option<RecoveryWindow>)]) -> Result<(), Failure> {
    let mut out = stdout().lock();
    let width = windows.iter().map(|(table, _)| table.chars().count()).max().unwrap_or(0);
    for (table, window) in windows {
        writeln!(out, "{table:width$}  {}", in_words(window.as_ref()))?;
    }
    if windows.is_empty() {
        writeln!(out, "There are no tables.")?;
    }
    Ok(())
}

fn json((table, window): &(String, Option<RecoveryWindow>)) -> Json {
    let mut members = vec![
        ("table".to_owned(), Json::from(table.as_str())),
        ("on".to_owned(), Json::Bool(window.is_some())),
    ];
    if let Some(window) = window {
        members.extend([
            ("days".to_owned(), Json::Number(Number::from(u64::from(window.period_days)))),
            ("earliest".to_owned(), Json::Text(iso_time(window.earliest_ms))),
            ("latest".to_owned(), Json::Text(iso_time(window.latest_ms))),
        ]);
    }
    Json::Object(members)
}

fn in_words(window: Option<&RecoveryWindow>) -> String {
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
