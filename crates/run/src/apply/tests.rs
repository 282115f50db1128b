use std::sync::Arc;

use singlet_design::{
    Design, Environment, Index, KeyAttribute, KeyKind, Projection, Removal, Setting, Span, Table,
    TableSettings,
};
use singlet_engine::Database;
use singlet_store::{Embedded, PutItem, ReturnItem, Store, TableChange};
use singlet_values::Item;

use super::record::{Content, DesignRecord, Owner, Recalled};
use super::*;
use crate::blocking::Wait;

fn text(name: &str) -> KeyAttribute {
    KeyAttribute { name: name.to_owned(), kind: KeyKind::Text }
}

fn index(name: &str, partition: &str, projection: Projection) -> Arc<Index> {
    Arc::new(Index {
        name: name.to_owned(),
        partition: vec![text(partition)],
        sort: vec![text("SK")],
        projection,
        local: false,
        span: Span::default(),
    })
}

fn table(indexes: Vec<Arc<Index>>) -> Table {
    Table {
        label: "shop".to_owned(),
        name: "shop-{environment}".to_owned(),
        partition: text("PK"),
        sort: Some(text("SK")),
        type_attribute: "type".to_owned(),
        ttl: None,
        settings: TableSettings::default(),
        separator: '#',
        indexes,
        span: Span::default(),
    }
}

fn with(settings: TableSettings) -> Table {
    Table { settings, ..table(Vec::new()) }
}

fn design(table: Table) -> Design {
    Design {
        name: "shop".to_owned(),
        about: None,
        source: String::new(),
        environments: Vec::new(),
        tables: vec![Arc::new(table)],
        entities: Vec::new(),
        derivations: Vec::new(),
        patterns: Vec::new(),
        callers: None,
        routes: Vec::new(),
        references: Vec::new(),
        layout: singlet_design::Layout::default(),
    }
}

fn environment(removal: Removal) -> Environment {
    let settings = TableSettings { removal: Some(removal), ..TableSettings::default() };
    Environment { settings, default: true, ..Environment::new("dev") }
}

fn store() -> Embedded {
    Embedded::new(Database::in_memory().unwrap(), "memory")
}

/// Plans, carries it out, and gives the steps in words, but not that of the table that remembers designs.
fn apply(store: &Embedded, table: Table) -> Vec<String> {
    let plan = plan(&design(table), &environment(Removal::Delete), store).wait().unwrap();
    let steps = plan.steps.iter().map(Step::to_string).filter(|step| !step.contains(DESIGNS_TABLE)).collect();
    plan.run(store, &mut |_| {}).wait().unwrap();
    steps
}

#[test]
fn a_design_is_applied_once_and_then_there_is_nothing_to_do() {
    let store = store();
    let wanted = || table(vec![index("GSI1", "GSI1PK", Projection::All)]);
    assert_eq!(apply(&store, wanted()), ["create the table shop-dev"]);
    assert!(apply(&store, wanted()).is_empty());
    let state = store.describe_table("shop-dev").wait().unwrap().unwrap();
    assert_eq!(state.shape, shape_in(&wanted(), &environment(Removal::Delete)));
}

#[test]
fn indexes_are_added_rebuilt_and_taken_away_with_the_data_kept() {
    let store = store();
    apply(&store, table(Vec::new()));
    for number in 0..500 {
        let item = Item::from([("PK", "p"), ("SK", &*number.to_string()), ("GSI1PK", "g"), ("a", "1")]);
        let put = PutItem { table: "shop-dev".to_owned(), item, condition: None, returned: ReturnItem::None };
        store.put(put).wait().unwrap();
    }
    let include = |names: &[&str]| Projection::Include(names.iter().map(|name| (*name).to_owned()).collect());
    assert_eq!(
        apply(&store, table(vec![index("GSI1", "GSI1PK", include(&["a", "b"]))])),
        ["add the index GSI1 to shop-dev"]
    );
    assert!(apply(&store, table(vec![index("GSI1", "GSI1PK", include(&["b", "a"]))])).is_empty());
    assert_eq!(
        apply(&store, table(vec![index("GSI1", "GSI1PK", Projection::All)])),
        ["delete the index GSI1 of shop-dev", "add the index GSI1 to shop-dev"]
    );
    assert_eq!(apply(&store, table(Vec::new())), ["delete the index GSI1 of shop-dev"]);
    assert_eq!(store.describe_table("shop-dev").wait().unwrap().unwrap().items, 500);
}

#[test]
fn what_can_not_be_changed_stops_everything_and_says_why() {
    let store = store();
    apply(&store, table(Vec::new()));
    let other_key = Table { partition: text("id"), ..table(Vec::new()) };
    let local = Index { local: true, ..Index::clone(&index("ByDate", "PK", Projection::All)) };
    let with_local = table(vec![Arc::new(local), index("GSI1", "GSI1PK", Projection::All)]);
    for (wanted, reason) in
        [(other_key, "it has key PK, SK, the design wants key id, SK"), (with_local, "ByDate")]
    {
        let plan = plan(&design(wanted), &environment(Removal::Delete), &store).wait().unwrap();
        assert!(plan.obstacles.iter().any(|line| line.contains(reason)), "{plan}");
        assert!(matches!(plan.run(&store, &mut |_| {}).wait(), Err(ApplyError::Obstacles(_))));
    }
    assert!(store.describe_table("shop-dev").wait().unwrap().unwrap().shape.indexes.is_empty());
}

#[test]
fn a_stream_is_turned_on_and_off_with_the_design() {
    let store = store();
    let wanted = |stream| with(TableSettings { stream: Some(stream), ..TableSettings::default() });
    let is_on = || store.describe_table("shop-dev").wait().unwrap().unwrap().shape.stream;
    for (stream, words) in [
        (true, "with a stream"),
        (false, "turn off the stream of shop-dev"),
        (true, "turn on the stream of shop-dev"),
    ] {
        let change = plan(&design(wanted(stream)), &environment(Removal::Delete), &store).wait().unwrap();
        assert!(change.to_string().contains(words), "{change}");
        change.run(&store, &mut |_| {}).wait().unwrap();
        assert_eq!(is_on(), stream);
        let again = plan(&design(wanted(stream)), &environment(Removal::Delete), &store).wait().unwrap();
        assert!(again.steps.is_empty(), "{again}");
    }
}

#[test]
fn time_to_live_is_set_changed_and_taken_away() {
    let store = store();
    let wanted = |attribute: Option<&str>| Table { ttl: attribute.map(str::to_owned), ..table(Vec::new()) };
    let setting = || store.describe_table("shop-dev").wait().unwrap().unwrap().shape.ttl;
    assert_eq!(apply(&store, wanted(Some("expires_at"))), ["create the table shop-dev"]);
    assert_eq!(setting().as_deref(), Some("expires_at"));
    assert!(apply(&store, wanted(Some("expires_at"))).is_empty());
    assert_eq!(
        apply(&store, wanted(Some("gone_at"))),
        ["end the time to live of shop-dev", "let items of shop-dev expire by gone_at"]
    );
    assert_eq!(setting().as_deref(), Some("gone_at"));
    assert_eq!(apply(&store, wanted(None)), ["end the time to live of shop-dev"]);
    assert_eq!(setting(), None);
    assert!(apply(&store, wanted(None)).is_empty());
}

#[test]
fn recovery_is_turned_on_with_the_design_and_not_off_by_its_silence() {
    let store = store();
    let environment = environment(Removal::Delete);
    let plan_for = |recovery_days: Option<u32>| {
        let recovery_days = recovery_days.map(Setting::On);
        let wanted = with(TableSettings { recovery_days, ..TableSettings::default() });
        plan(&design(wanted), &environment, &store).wait().unwrap()
    };
    for (days, said) in
        [(7, "every moment can be recovered for 7 days"), (35, "keep every moment of shop-dev for 35 days")]
    {
        assert!(plan_for(Some(days)).to_string().contains(said), "{}", plan_for(Some(days)));
        plan_for(Some(days)).run(&store, &mut |_| {}).wait().unwrap();
        assert!(plan_for(Some(days)).is_empty());
    }
    assert!(plan_for(None).is_empty());
}

#[test]
fn an_environment_turns_recovery_off_that_the_table_turns_on() {
    let store = store();
    let on = TableSettings { recovery_days: Some(Setting::On(7)), ..TableSettings::default() };
    let off = TableSettings { recovery_days: Some(Setting::Off), ..TableSettings::default() };
    let design = design(with(on));
    let here = environment(Removal::Delete);
    let without = Environment { settings: off.over(&here.settings), ..here.clone() };
    let planned = |environment: &Environment| plan(&design, environment, &store).wait().unwrap();
    let days = || store.describe_table("shop-dev").wait().unwrap().unwrap().shape.recovery_days;

    planned(&here).run(&store, &mut |_| {}).wait().unwrap();
    assert_eq!(days(), Some(7));
    let ending = planned(&without);
    let deletions: Vec<String> = ending.deletions().map(Step::to_string).collect();
    assert_eq!(deletions, ["turn off point-in-time recovery of shop-dev and delete its history"]);
    ending.run(&store, &mut |_| {}).wait().unwrap();
    assert_eq!(days(), None);
    assert!(planned(&without).is_empty());
}

#[test]
fn steps_by_which_something_can_be_lost_are_asked_about() {
    let store = store();
    let settings = |days: u32, stream: bool, backup: Setting<singlet_values::Schedule>| TableSettings {
        recovery_days: Some(Setting::On(days)),
        stream: Some(stream),
        backup: Some(backup),
        ..TableSettings::default()
    };
    let environment = environment(Removal::Delete);
    let daily = Setting::On("daily, keep 7 days".parse().unwrap());
    let planned = |settings: TableSettings| {
        let plan = plan(&design(with(settings)), &environment, &store).wait().unwrap();
        let deletions: Vec<String> = plan.deletions().map(Step::to_string).collect();
        plan.run(&store, &mut |_| {}).wait().unwrap();
        deletions
    };
    assert_eq!(planned(settings(7, true, daily)), [""; 0]);
    assert_eq!(planned(settings(20, true, daily)), [""; 0]);
    let lost = planned(settings(3, false, Setting::Off));
    assert_eq!(
        lost,
        [
            "turn off the stream of shop-dev",
            "keep every moment of shop-dev for 3 days instead of 20, and delete the older history",
            "end the backups of shop-dev by schedule",
        ]
    );
    let shape = store.describe_table("shop-dev").wait().unwrap().unwrap().shape;
    assert_eq!((shape.recovery_days, shape.stream, shape.backup), (Some(3), false, None));
    assert_eq!(planned(settings(3, false, Setting::Off)), [""; 0]);
}

#[test]
fn a_schedule_of_backups_is_set_changed_and_ended() {
    let store = store();
    let wanted = |backup: Option<&str>| {
        let backup = backup.map(|text| Setting::On(text.parse().unwrap()));
        design(with(TableSettings { backup, ..TableSettings::default() }))
    };
    let environment = environment(Removal::Delete);
    for (text, said) in [
        (Some("weekly, keep 3 months"), "backed up weekly, keep 3 months"),
        (Some("every 6 hours, keep 2 weeks"), "~ back up shop-dev every 6 hours, keep 2 weeks"),
        (None, "~ end the backups of shop-dev by schedule"),
    ] {
        let plan_now = || plan(&wanted(text), &environment, &store).wait().unwrap();
        assert!(plan_now().to_string().contains(said), "{}", plan_now());
        plan_now().run(&store, &mut |_| {}).wait().unwrap();
        assert!(plan_now().is_empty(), "{}", plan_now());
        let set = store.describe_table("shop-dev").wait().unwrap().unwrap().shape.backup;
        assert_eq!(set.map(|schedule| schedule.to_string()).as_deref(), text);
    }
}

#[test]
fn kept_tables_are_protected_and_survive_removal() {
    let store = store();
    let (keep, delete) = (environment(Removal::Keep), environment(Removal::Delete));
    let design = design(table(Vec::new()));
    plan(&design, &keep, &store).wait().unwrap().run(&store, &mut |_| {}).wait().unwrap();
    assert!(store.describe_table("shop-dev").wait().unwrap().unwrap().shape.protected);

    let removal = plan_removal(&design, &keep, &store).wait().unwrap();
    assert!(removal.steps.is_empty() && removal.to_string().contains("shop-dev stays"), "{removal}");
    let removal = plan_removal(&design, &delete, &store).wait().unwrap();
    removal.run(&store, &mut |_| {}).wait().unwrap();
    assert!(store.describe_table("shop-dev").wait().unwrap().is_none());
    assert!(plan_removal(&design, &delete, &store).wait().unwrap().is_empty());
}

#[test]
fn every_step_is_told_before_it_begins() {
    let store = store();
    let mut told = Vec::new();
    let plan = plan(&design(table(Vec::new())), &environment(Removal::Keep), &store).wait().unwrap();
    plan.run(&store, &mut |progress| told.push((progress.number, progress.total, progress.asked)))
        .wait()
        .unwrap();
    assert_eq!(told, [(1, 2, 0), (2, 2, 0)]);
    let names: Vec<&str> = plan.steps.iter().filter_map(created).collect();
    assert_eq!(names, [DESIGNS_TABLE, "shop-dev"]);
}

/// The table that a step makes.
fn created(step: &Step) -> Option<&str> {
    match step {
        Step::Change(TableChange::Create(shape)) => Some(&shape.name),
        _ => None,
    }
}

fn owner() -> Owner {
    Owner { table: "shop-dev".to_owned(), design: "shop".to_owned(), environment: "dev".to_owned() }
}

fn remembered(store: &Embedded) -> DesignRecord {
    match owner().read(store).wait().unwrap() {
        Recalled::Record(record) => record,
        Recalled::NoMemory => DesignRecord::default(),
    }
}

#[test]
fn an_interrupted_apply_is_noticed_and_finished_by_the_next() {
    let store = store();
    apply(&store, table(Vec::new()));
    let before = remembered(&store);
    owner().begin(&store, &before, "2026-11-18T00:00:00.000Z").wait().unwrap();
    assert_eq!(remembered(&store).content, before.content, "what was applied is still known");
    let next = plan(&design(table(Vec::new())), &environment(Removal::Delete), &store).wait().unwrap();
    assert!(next.to_string().contains("began at 2026-11-18T00:00:00.000Z has not finished"), "{next}");
    next.run(&store, &mut |_| {}).wait().unwrap();
    assert_eq!(remembered(&store).started, None);
}

#[test]
fn nothing_is_written_where_nothing_changed() {
    let store = store();
    apply(&store, table(Vec::new()));
    let version = remembered(&store).version;
    apply(&store, table(Vec::new()));
    assert_eq!(remembered(&store).version, version);
}

#[test]
fn a_design_larger_than_an_item_is_remembered_whole() {
    let store = store();
    apply(&store, table(Vec::new()));
    let items = || store.describe_table(DESIGNS_TABLE).wait().unwrap().unwrap().items;
    for (text, expected) in [("é".repeat(400_000), 3), ("ü".repeat(200_000), 2), ("short".to_owned(), 1)] {
        let content = Content { text, ..Content::default() };
        let version = remembered(&store).version;
        owner().remember(&store, &content, version, "2026-11-18T00:00:00.000Z").wait().unwrap();
        assert_eq!(remembered(&store).content, Some(content));
        assert_eq!(items(), expected);
    }
}

#[test]
fn the_environment_is_the_asked_one_the_default_or_the_only_one() {
    let mut design = design(table(Vec::new()));
    let dev = choose_environment(&design, None).unwrap();
    let removal_of = |environment: &Environment| environment.removal_of(&table(Vec::new()));
    assert_eq!((dev.name.as_str(), removal_of(&dev)), ("dev", Removal::Delete));
    assert_eq!(removal_of(&choose_environment(&design, Some("ci-7")).unwrap()), Removal::Keep);
    assert!(choose_environment(&design, Some("a b")).is_err());

    let named = |name: &str, default| Environment { default, ..Environment::new(name) };
    design.environments = vec![named("test", false)];
    assert_eq!(choose_environment(&design, None).unwrap().name, "test");
    design.environments.push(named("prod", false));
    let none = choose_environment(&design, None).unwrap_err().to_string();
    assert!(none.contains("test, prod"), "{none}");
    assert!(choose_environment(&design, Some("dev")).unwrap_err().to_string().contains("test, prod"));
    design.environments.push(named("dev", true));
    assert_eq!(choose_environment(&design, None).unwrap().name, "dev");
}
