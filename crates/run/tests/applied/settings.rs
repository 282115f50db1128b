//! Settings of tables that differ between environments.

use singlet_design::Design;
use singlet_run::Wait;
use singlet_run::apply::{choose_environment, plan};
use singlet_store::{CapacityChange, Feature, ProvisionedThroughput, Store, TableChange, TableState};

use super::checks::{apply, load, planned};

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

const ORDERS: &str = r#"
design = "orders"

[table]
name     = "orders"
key      = "PK"
capacity = CAPACITY

[index]
GSI1   = "GSI1PK"

[entity.Order]
key    = "ORDER#{order_id}"
GSI1   = "STATE#{state}"
fields = { order_id = "key", state = "string" }
"#;

/// The orders with a capacity, and without any if it is empty.
fn orders(capacity: &str) -> String {
    match capacity {
        "" => ORDERS.replace("capacity = CAPACITY\n", ""),
        capacity => ORDERS.replace("CAPACITY", capacity),
    }
}

/// The read and write units of the table and its indexes; empty on demand.
fn units(store: &impl Store) -> Vec<(u64, u64)> {
    let shape = store.describe_table("orders").wait().unwrap().unwrap().shape;
    let all = std::iter::once(shape.throughput).chain(shape.indexes.iter().map(|index| index.throughput));
    all.flatten().map(|units| (units.read_units, units.write_units)).collect()
}

pub(crate) fn capacity_follows_the_design(store: &impl Store) {
    for (capacity, expected) in [
        (r#""on demand""#, vec![]),
        (r#"{ table = "100/50", GSI1 = "20/10" }"#, vec![(100, 50), (20, 10)]),
        (r#"{ table = "100/50", GSI1 = "20/20" }"#, vec![(100, 50), (20, 20)]),
        (r#"{ table = "90/60", GSI1 = "20/20" }"#, vec![(90, 60), (20, 20)]),
        (r#""10/5""#, vec![(10, 5), (10, 5)]),
        (r#""on demand""#, vec![]),
    ] {
        apply(store, &load(&orders(capacity)));
        assert_eq!(units(store), expected, "{capacity}");
    }
}

pub(crate) fn an_index_is_added_to_a_table_with_provisioned_capacity(store: &impl Store) {
    let with_second = |capacity: &str| {
        let source = orders(capacity).replace("[entity.Order]", "GSI2 = \"GSI2PK\"\n\n[entity.Order]");
        load(&source)
    };
    apply(store, &load(&orders(r#"{ table = "100/50", GSI1 = "20/10" }"#)));
    apply(store, &with_second(r#"{ table = "100/50", GSI1 = "20/10", GSI2 = "7/7" }"#));
    assert_eq!(units(store), [(100, 50), (20, 10), (7, 7)]);
    // Both change at once.
    apply(store, &load(&orders(r#""on demand""#)));
    assert_eq!(units(store), []);
    apply(store, &with_second(r#"{ table = "100/50", GSI2 = "7/7" }"#));
    assert_eq!(units(store), [(100, 50), (100, 50), (7, 7)]);
    apply(store, &load(&orders("")));
    apply(store, &with_second(""));
    assert_eq!(units(store), [(100, 50), (100, 50), (100, 50)]);
}

pub(crate) fn capacity_that_the_design_does_not_mention_stays(store: &impl Store) {
    apply(store, &load(&orders(r#""100/50""#)));
    let silent = load(&orders(""));
    apply(store, &silent);
    assert_eq!(units(store), [(100, 50), (100, 50)]);
    let note = "its capacity of 100/50 stays, because the design doesn't mention it";
    assert!(planned(store, &silent).to_string().contains(note));
}

pub(crate) fn capacity_within_the_bounds_of_auto_scaling_stays(store: &impl Store) {
    let scaled = load(&orders(r#"{ table = "100/50 to 1000/500", GSI1 = "20/10" }"#));
    apply(store, &scaled);
    assert_eq!(units(store), [(100, 50), (20, 10)]);
    let set = |read_units, write_units| {
        let own = Some(ProvisionedThroughput { read_units, write_units });
        let change = CapacityChange::Provisioned { own, indexes: Vec::new() };
        let change = TableChange::Capacity { table: "orders".to_owned(), change };
        store.change_table(&change).wait().unwrap();
    };
    set(700, 60);
    assert!(planned(store, &scaled).is_empty());
    set(2000, 20);
    apply(store, &scaled);
    assert_eq!(units(store), [(1000, 50), (20, 10)]);

    let text = planned(store, &scaled).to_string();
    if store.supports(Feature::Throttling).wait() {
        let target = "aws application-autoscaling register-scalable-target --service-namespace dynamodb --resource-id \
                      table/orders --scalable-dimension dynamodb:table:ReadCapacityUnits --min-capacity 100 \
                      --max-capacity 1000";
        assert!(text.contains(target) && !text.contains("index/GSI1"), "{text}");
    } else {
        assert!(text.contains("(100/50 to 1000/500, GSI1 20/10) is recorded, but"), "{text}");
    }
}
