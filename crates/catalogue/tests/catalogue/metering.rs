//! Usage metering: designs/metering.toml.

use singlet_design::Json;
use singlet_run::{Arguments, RunError};

use crate::arguments::{Look, args, column, object};
use crate::stage::Stage;

/// An event of one customer at a minute of January 2035.
fn event(id: &str, meter: &str, amount: i64, minute: &str) -> Arguments {
    let minute = format!("2035-01-{minute}:00Z");
    args!(event_id = id, customer_id = "acme", meter = meter, amount = amount, minute = minute)
}

fn january() -> Arguments {
    args!(customer_id = "acme", from = "2035-01-01", to = "2035-01-31")
}

/// An account, two meters with prices, and usage on three days.
#[track_caller]
fn used(stage: &Stage) {
    stage.run("open_account", args!(customer_id = "acme", name = "Acme"));
    stage.run("set_price", args!(meter = "calls", price = 0.25));
    stage.run("set_price", args!(meter = "storage", price = 3));
    for (id, meter, amount, minute) in [
        ("e1", "calls", 10, "20T09:30"),
        ("e2", "calls", 5, "20T09:30"),
        ("e3", "calls", 1, "20T09:31"),
        ("e4", "storage", 7, "21T00:00"),
        ("e5", "calls", 2, "22T10:00"),
    ] {
        stage.run("record_usage", event(id, meter, amount, minute));
    }
}

fn amounts(items: &[Json]) -> Vec<String> {
    items.iter().map(|item| item.at("amount").to_string()).collect()
}

pub(crate) fn usage_adds_up_by_minute_and_day(stage: &Stage) {
    used(stage);
    let minutes = args!(
        customer_id = "acme",
        meter = "calls",
        from = "2035-01-20T00:00:00Z",
        to = "2035-01-22T23:59:00Z"
    );
    let minutes = stage.run("minutes", minutes);
    assert_eq!(amounts(minutes.items()), ["15", "1", "2"]);
    assert_eq!(minutes.items()[0].at("events"), &Json::from(2));
    let days = stage.list("days", january());
    assert_eq!(column(&days, "day"), ["2035-01-20", "2035-01-21", "2035-01-22"]);
    assert_eq!(amounts(&days), ["16", "7", "2"]);
}

pub(crate) fn an_event_counts_once(stage: &Stage) {
    used(stage);
    let twice = stage.refused("record_usage", event("e1", "calls", 10, "20T09:30"));
    assert!(matches!(twice, RunError::Exists { .. }), "{twice:?}");
    assert_eq!(amounts(&stage.list("days", january())), ["16", "7", "2"]);
}

pub(crate) fn minutes_are_kept_for_two_weeks_and_days_for_years(stage: &Stage) {
    used(stage);
    stage.days_pass(20);
    let minutes = args!(customer_id = "acme", meter = "calls", from = "2035-01-20T00:00:00Z");
    assert_eq!(stage.run("minutes", minutes).items(), []);
    assert_eq!(stage.list("days", january()).len(), 3);
}

pub(crate) fn usage_of_a_closed_day_is_refused_and_the_day_never_goes_back(stage: &Stage) {
    used(stage);
    let close = |day: &str| args!(customer_id = "acme", day = day);
    stage.run("close_account", close("2035-01-31"));
    // Nothing was used on the 25th, and nothing can be any more.
    for (id, meter, minute) in [("late", "calls", "21T11:00"), ("later", "storage", "25T11:00")] {
        let late = stage.refused("record_usage", event(id, meter, 1, minute));
        assert!(matches!(late, RunError::Condition { .. }), "{late:?}");
    }
    let back = stage.refused("close_account", close("2034-12-31"));
    assert!(matches!(back, RunError::Condition { .. }), "{back:?}");
    let mut next = event("next", "calls", 1, "21T11:00");
    next.insert("minute".to_owned(), "2035-02-01T00:00:00Z".into());
    stage.run("record_usage", next);
    let unknown = stage.refused("record_usage", {
        let mut unknown = event("e9", "calls", 1, "21T11:00");
        unknown.insert("customer_id".to_owned(), "nobody".into());
        unknown
    });
    assert!(matches!(unknown, RunError::Missing { .. }), "{unknown:?}");
    assert_eq!(stage.run("get_account", args!(customer_id = "acme")).text("closed_until"), "2035-01-31");
}

pub(crate) fn the_days_of_a_month_are_billed_once(stage: &Stage) {
    used(stage);
    let unbilled = |stage: &Stage| stage.run("unbilled_days", january()).at("count").to_string();
    assert_eq!(unbilled(stage), "3");
    let billed = stage.run("bill_days", january());
    assert_eq!((billed.at("done"), billed.has("cursor")), (&Json::from(3), false), "{billed}");
    assert_eq!(unbilled(stage), "0");
    assert_eq!(stage.run("bill_days", january()).at("done"), &Json::from(0));
}

fn lines() -> Json {
    let line = |meter: &str, amount: i64| object!(meter = meter, amount = amount);
    Json::List(vec![line("calls", 18), line("storage", 7)])
}

pub(crate) fn an_invoice_has_its_lines_with_the_prices_of_its_time(stage: &Stage) {
    used(stage);
    let invoice = || args!(customer_id = "acme", month = "2035-01-01", lines = lines());
    stage.run("create_invoice", invoice());
    stage.run("set_price", args!(meter = "calls", price = 100));
    let read = stage.run("get_invoice", args!(customer_id = "acme", month = "2035-01-01"));
    let totals: Vec<String> = read.items()[1..].iter().map(|line| line.at("total").to_string()).collect();
    assert_eq!(totals, ["4.5", "21"]);
    let twice = stage.refused("create_invoice", invoice());
    assert!(matches!(twice, RunError::Exists { .. }), "{twice:?}");

    let unknown = Json::List(vec![object!(meter = "none", amount = 1)]);
    let refused =
        stage.refused("create_invoice", args!(customer_id = "acme", month = "2035-02-01", lines = unknown));
    assert!(matches!(refused, RunError::Missing { .. }), "{refused:?}");
    let february = stage.run("get_invoice", args!(customer_id = "acme", month = "2035-02-01"));
    assert_eq!(february.items(), [], "all or nothing");
}

pub(crate) fn invoices_come_newest_first_and_unpaid_ones_by_month(stage: &Stage) {
    stage.run("set_price", args!(meter = "calls", price = 1));
    stage.run("set_price", args!(meter = "storage", price = 1));
    for (customer, month) in [("acme", "2035-01-01"), ("acme", "2035-02-01"), ("blue", "2035-01-01")] {
        stage.run("create_invoice", args!(customer_id = customer, month = month, lines = lines()));
    }
    let mine = stage.list("customer_invoices", args!(customer_id = "acme"));
    assert_eq!(column(&mine, "month"), ["2035-02-01", "2035-01-01"]);
    let unpaid =
        |stage: &Stage| column(&stage.list("unpaid_invoices", args!(month = "2035-01-01")), "customer_id");
    assert_eq!(unpaid(stage), ["acme", "blue"]);
    let pay = || args!(customer_id = "acme", month = "2035-01-01");
    stage.run("pay_invoice", pay());
    assert_eq!(unpaid(stage), ["blue"]);
    let twice = stage.refused("pay_invoice", pay());
    assert!(matches!(twice, RunError::Condition { .. }), "{twice:?}");
}
