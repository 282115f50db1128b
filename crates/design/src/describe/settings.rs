//! The settings of tables in each environment.

use super::grid::Grid;
use crate::model::{Design, Environment, Setting, Table, TableSettings};

/// Returns the settings of a table in each environment. It has no rows if the design says nothing about either.
pub fn settings_table(design: &Design, table: &Table) -> Grid {
    let columns = ["Environment", "Removal", "Stream", "Recovery", "Backup", "Capacity"];
    let mut grid = Grid::new(format!("Settings of {}", table.name), columns);
    for environment in &design.environments {
        grid.rows.push(row(&environment.name, environment, table));
    }
    if design.environments.is_empty() && table.settings != TableSettings::default() {
        let mut row = row("any", &Environment::new(""), table);
        // The default depends on the name of the environment.
        row.get_mut(1).into_iter().for_each(String::clear);
        grid.rows.push(row);
    }
    grid.without_empty_columns()
}

fn row(name: &str, environment: &Environment, table: &Table) -> Vec<String> {
    let settings = environment.settings_of(table);
    let stream = if settings.stream == Some(true) { "yes" } else { "" };
    vec![
        name.to_owned(),
        environment.removal_of(table).word().to_owned(),
        stream.to_owned(),
        in_words(settings.recovery_days.as_ref(), "off", |days| match days {
            1 => "1 day".to_owned(),
            days => format!("{days} days"),
        }),
        in_words(settings.backup.as_ref(), "off", ToString::to_string),
        in_words(settings.capacity.as_ref(), "on demand", ToString::to_string),
    ]
}

fn in_words<T>(setting: Option<&Setting<T>>, off: &str, on: impl Fn(&T) -> String) -> String {
    match setting {
        None => String::new(),
        Some(Setting::Off) => off.to_owned(),
        Some(Setting::On(value)) => on(value),
    }
}
