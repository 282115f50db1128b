//! Settings of tables that differ between environments.

use singlet_design::Design;
use singlet_run::Wait;
use singlet_run::apply::{choose_environment, plan};
use singlet_store::{Store, TableState};

use super::checks::load;

const DESIGN: &str = r#"
design = "weather"

[environment.dev]
default = true

[environment.prod]
removal  = "delete"
recovery = "35 days"
stream   = true

[environment.prod.table.readings]
recovery = "7 days"
removal  = "keep"

[environment.test]
recovery = "off"

[table.stations]
key      = "station"
recovery = "3 days"

[table.readings]
key    = ["station", "at"]
stream = true

[entity.Station]
table  = "stations"
fields = { station = "key" }

[entity.Reading]
table  = "readings"
fields = { station = "key", at = "time" }
"#;

/// Applies the design to an environment and returns the state of a table there.
#[track_caller]
fn applied(store: &impl Store, design: &Design, environment: &str, table: &str) -> TableState {
    let environment = choose_environment(design, Some(environment)).unwrap();
    plan(design, &environment, store).wait().unwrap().run(store, &mut |_| {}).wait().unwrap();
    let again = plan(design, &environment, store).wait().unwrap();
    assert!(again.is_empty(), "{again}");
    store.describe_table(table).wait().unwrap().unwrap()
}

/// The design with names of tables that contain the environment.
fn named(names: &str) -> String {
    let stations = format!("[table.stations]\nname = \"stations-{names}\"");
    let readings = format!("[table.readings]\nname = \"readings-{names}\"");
    DESIGN.replace("[table.stations]", &stations).replace("[table.readings]", &readings)
}

pub(crate) fn each_environment_has_its_own_settings(store: &impl Store) {
    let design = load(&named("{environment}"));
    for (environment, table, recovery_days, stream, protected) in [
        ("dev", "stations", Some(3), false, false),
        ("dev", "readings", None, true, false),
        ("prod", "stations", Some(35), true, false),
        ("prod", "readings", Some(7), true, true),
        ("test", "stations", None, false, true),
        ("test", "readings", None, true, true),
    ] {
        let name = format!("{table}-{environment}");
        let shape = applied(store, &design, environment, &name).shape;
        assert_eq!((shape.recovery_days, shape.stream, shape.protected), (recovery_days, stream, protected));
    }
}

pub(crate) fn a_table_that_is_applied_to_another_environment_changes_its_settings(store: &impl Store) {
    let design = load(&named("shared"));
    for (environment, recovery_days) in [("dev", Some(3)), ("prod", Some(35)), ("test", None)] {
        let shape = applied(store, &design, environment, "stations-shared").shape;
        assert_eq!(shape.recovery_days, recovery_days, "{environment}");
    }
}
