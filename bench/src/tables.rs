//! The tables of the measurements: made, filled, and read through for missing items.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use serde_json::{Value, json};

use crate::call::call;
use crate::clock::pause;
use crate::item::ITEMS_PER_PARTITION;
use crate::load::{Pace, Plan};
use crate::outcome::Outcome;
use crate::progress::{drive_telling, duration};
use crate::workload::{Answers, Choice, Traffic, Workload};

const FILL_CONNECTIONS: usize = 16;
/// Between two lines of progress.
const TELL_EVERY: Duration = Duration::from_secs(5);
const FILL_MAX: Duration = Duration::from_secs(3600);
const ACTIVE_MAX: Duration = Duration::from_secs(60);

/// The table with so many global indexes.
pub(crate) fn table_name(indexes: u8) -> String {
    format!("bench{indexes}")
}

/// Creates a table with global indexes on `g1`, `g2`, …, each projecting ALL, and waits until it is active.
pub(crate) fn create(address: SocketAddr, indexes: u8) -> Result<()> {
    let key = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    let text = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let mut attributes = vec![text("pk"), text("sk")];
    let mut request = json!({
        "TableName": table_name(indexes),
        "KeySchema": [key("pk", "HASH"), key("sk", "RANGE")],
        "BillingMode": "PAY_PER_REQUEST",
    });
    let global: Vec<Value> = (1..=indexes)
        .map(|index| {
            // Items have three attributes for indexes; a fourth index is one more on the first of them.
            let name = format!("g{}", (index - 1) % 3 + 1);
            if index <= 3 {
                attributes.push(text(&name));
            }
            json!({
                "IndexName": format!("by-{name}-{index}"),
                "KeySchema": [key(&name, "HASH")],
                "Projection": {"ProjectionType": "ALL"},
            })
        })
        .collect();
    if let Some(members) = request.as_object_mut() {
        members.insert("AttributeDefinitions".to_owned(), Value::from(attributes));
        if !global.is_empty() {
            members.insert("GlobalSecondaryIndexes".to_owned(), Value::from(global));
        }
    }
    call(address, "CreateTable", &request)?;
    await_active(address, indexes)
}

fn await_active(address: SocketAddr, indexes: u8) -> Result<()> {
    let begin = Instant::now();
    while begin.elapsed() < ACTIVE_MAX {
        let answer = call(address, "DescribeTable", &json!({"TableName": table_name(indexes)}))?;
        if answer.pointer("/Table/TableStatus") == Some(&Value::from("ACTIVE")) {
            return Ok(());
        }
        pause(Duration::from_millis(20));
    }
    bail!("table {} does not become active", table_name(indexes))
}

/// Writes items `0..items` in batches of 25; gives the time it took.
pub(crate) fn fill(address: SocketAddr, indexes: u8, items: u64) -> Result<Outcome> {
    let outcome = sweep(address, indexes, items, Workload::Batch)?;
    ensure!(outcome.error_count() == 0, "filling failed: {:?}", outcome.errors);
    Ok(outcome)
}

/// Reads every partition and checks every item; gives what was wrong in the outcome's errors.
pub(crate) fn read_through(address: SocketAddr, indexes: u8, items: u64) -> Result<Outcome> {
    sweep(address, indexes, items, Workload::Query)
}

fn sweep(address: SocketAddr, indexes: u8, items: u64, workload: Workload) -> Result<Outcome> {
    let whole = items - items % ITEMS_PER_PARTITION;
    let host = address.to_string();
    let plan = Plan {
        address,
        connections: FILL_CONNECTIONS,
        threads: 1,
        pace: Pace::Closed,
        warmup: Duration::ZERO,
        measured: FILL_MAX,
    };
    let table = table_name(indexes);
    let source = |_| {
        let choice = Choice::Each { items: 0..whole };
        Traffic::new(&host, &table, workload, choice, Answers::Database)
    };
    let outcome = drive_telling(&plan, source, TELL_EVERY, |answers, elapsed| {
        let share = (answers * ITEMS_PER_PARTITION) as f64 / whole as f64;
        let left = elapsed.as_secs_f64() * (1.0 - share) / share.max(1e-6);
        eprintln!("{table}: {}, {:.0} %, {} left", workload.name(), share * 100.0, duration(left));
    })?;
    let answered = outcome.in_time + outcome.error_count();
    ensure!(answered == whole / ITEMS_PER_PARTITION, "only {answered} partitions were answered");
    Ok(outcome)
}
