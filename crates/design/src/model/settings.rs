//! Settings of tables, which can differ between the environments to which a design is applied.

use singlet_values::Schedule;

use super::{Capacity, Table};

/// Settings of a table. `None` means that nothing is said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableSettings {
    /// The treatment of the table when the design is removed.
    pub removal: Option<Removal>,
    /// Whether the table has a stream.
    pub stream: Option<bool>,
    /// The retention period of point-in-time recovery, in days.
    pub recovery_days: Option<Setting<u32>>,
    /// The schedule of automatic backups.
    pub backup: Option<Setting<Schedule>>,
    /// Its provisioned capacity. If it is off, capacity is billed on demand.
    pub capacity: Option<Setting<Capacity>>,
}

/// A setting about which something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting<T> {
    /// It is turned off explicitly.
    Off,
    /// It is on, with this value.
    On(T),
}

impl<T> Setting<T> {
    /// Returns the value of a setting that is on.
    pub fn on(self) -> Option<T> {
        match self {
            Setting::Off => None,
            Setting::On(value) => Some(value),
        }
    }
}

impl TableSettings {
    /// Returns these settings, and those of `base` about which these say nothing.
    pub fn over(&self, base: &TableSettings) -> TableSettings {
        TableSettings {
            removal: self.removal.or(base.removal),
            stream: self.stream.or(base.stream),
            recovery_days: self.recovery_days.or(base.recovery_days),
            backup: self.backup.or(base.backup),
            capacity: self.capacity.clone().or_else(|| base.capacity.clone()),
        }
    }
}

/// An environment to which a design is applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// Its name, which replaces `{environment}`.
    pub name: String,
    /// Whether it is used when the caller names none.
    pub default: bool,
    /// The settings of all its tables.
    pub settings: TableSettings,
    /// The settings of some of its tables, by label; they take precedence.
    pub tables: Vec<(String, TableSettings)>,
}

impl Environment {
    /// The name of the environment if a design defines none.
    pub const DEFAULT_NAME: &str = "dev";

    /// Creates an environment without settings of its own.
    pub fn new(name: impl Into<String>) -> Environment {
        Environment {
            name: name.into(),
            default: false,
            settings: TableSettings::default(),
            tables: Vec::new(),
        }
    }

    /// Returns the settings of a table here: what is said for this table in this environment, for the environment, and
    /// for the table, in this order.
    pub fn settings_of(&self, table: &Table) -> TableSettings {
        let general = self.settings.over(&table.settings);
        match self.tables.iter().find(|(label, _)| *label == table.label) {
            Some((_, own)) => own.over(&general),
            None => general,
        }
    }

    /// Returns the treatment of a table when the design is removed.
    pub fn removal_of(&self, table: &Table) -> Removal {
        self.settings_of(table).removal.unwrap_or_else(|| Removal::default_of(&self.name))
    }
}

/// The treatment of a table when the design is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// It stays, protected from deletion.
    Keep,
    /// It is deleted with its data.
    Delete,
}

impl Removal {
    /// Returns the default for an environment: `dev` is for experiments, and others may be in use.
    pub fn default_of(environment: &str) -> Removal {
        if environment == Environment::DEFAULT_NAME { Removal::Delete } else { Removal::Keep }
    }

    /// Returns the word for it in a design.
    pub fn word(self) -> &'static str {
        match self {
            Removal::Keep => "keep",
            Removal::Delete => "delete",
        }
    }
}
