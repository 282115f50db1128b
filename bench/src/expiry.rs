//! Many items expire at one moment among many others: what others notice, and how fast it goes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use crate::call::call;
use crate::cell::settle;
use crate::clock::{pause, unix_seconds};
use crate::item::ITEMS_PER_PARTITION;
use crate::load::{Pace, Plan, Source, Verdict, drive};
use crate::outcome::Outcome;
use crate::process::{Memory, memory};
use crate::report::{About, Table, count, say, write_json};
use crate::tables::{create, fill, table_name};
use crate::target::{Kind, Programs, Target};
use crate::workload::{Choice, Ticket, Traffic, Workload};

/// The attribute by which items expire.
const ATTRIBUTE: &str = "expires";
const FILL_CONNECTIONS: usize = 16;
const FILL_MAX: Duration = Duration::from_secs(3600);
/// How long the server may take for everything to expire.
const EXPIRY_MAX: Duration = Duration::from_secs(3600);
/// How often the number of items is asked for.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Seconds between the end of the measurement before and the moment at which everything is due.
const REST_SECONDS: f64 = 3.0;
/// Expiring items are written before they are due: at a third of the rate of the others there is time enough.
const FILL_SLOWER: f64 = 3.0;

/// How many expire among how many, and what others do meanwhile.
#[derive(Debug, clap::Args)]
pub(crate) struct ExpiryOptions {
    /// Items that stay
    #[arg(long, default_value_t = 10_000_000)]
    items: u64,
    /// Items that expire, all at one second
    #[arg(long, default_value_t = 1_000_000)]
    expiring: u64,
    /// Global indexes of the table, all of which every item is in
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=20))]
    indexes: u8,
    /// Gets a second, open loop
    #[arg(long, default_value_t = 2_000.0)]
    gets: f64,
    /// Puts a second, open loop
    #[arg(long, default_value_t = 500.0)]
    puts: f64,
    /// Connections of each
    #[arg(long, default_value_t = 32)]
    connections: usize,
    /// How long to measure before
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
    /// Seconds from the first expiring item written to their expiry [default: from the time that the others took]
    #[arg(long)]
    due_after: Option<u64>,
    #[command(flatten)]
    programs: Programs,
}

/// Latencies of one kind of request at one time.
#[derive(Serialize)]
struct Latency {
    workload: Workload,
    during_expiry: bool,
    requests: u64,
    p50_microseconds: f64,
    p99_microseconds: f64,
    p999_microseconds: f64,
    max_microseconds: f64,
    unsent: u64,
    errors: std::collections::BTreeMap<String, u64>,
}

/// Everything that was found.
#[derive(Serialize)]
struct Found {
    items: u64,
    expiring: u64,
    indexes: u8,
    gets_per_second: f64,
    puts_per_second: f64,
    /// From the second at which they were due to the first that was gone, about.
    begin_seconds: f64,
    /// From the first that was gone to the last.
    took_seconds: f64,
    deletes_per_second: f64,
    memory: Memory,
    latencies: Vec<Latency>,
}

/// Fills, measures before, waits for the moment, measures until the last item is gone.
pub(crate) fn expiry(options: &ExpiryOptions) -> Result<()> {
    let (items, expiring) = (whole(options.items), whole(options.expiring));
    ensure!(items > 0 && expiring > 0, "at least {ITEMS_PER_PARTITION} items of each kind are needed");
    let about = About::now();
    let target = Target::start(Kind::Singlet, &options.programs)?;
    create(target.address, options.indexes)?;
    enable(&target, options.indexes)?;
    let filled = fill(target.address, options.indexes, items)?;
    say!("{} items written in {:.0} s", count(items as f64), filled.measured.as_secs_f64());
    let slow_seconds = filled.measured.as_secs_f64() / items as f64 * expiring as f64 * FILL_SLOWER;
    let due_after = options.due_after.unwrap_or((slow_seconds + options.seconds + 30.0) as u64);
    let due_second = unix_seconds() + due_after;
    fill_expiring(&target, options, items..items + expiring, due_second)?;
    settle(&target);
    let left = due_second.saturating_sub(unix_seconds()) as f64 - options.seconds - REST_SECONDS;
    if left < 0.0 {
        bail!("the items are due too early by {:.0} s: give a larger --due-after than {due_after}", -left);
    }
    say!("{} expiring items written, {left:.0} s early", count(expiring as f64));

    let stop = AtomicBool::new(false);
    let before = measure(&target, options, items, &stop, Duration::from_secs_f64(options.seconds))?;
    while unix_seconds() < due_second {
        pause(Duration::from_millis(5));
    }
    let begin = Instant::now();
    let (during, times) = std::thread::scope(|scope| {
        let load = scope.spawn(|| measure(&target, options, items, &stop, EXPIRY_MAX));
        let times = await_expiry(&target, options.indexes, items, expiring, begin);
        stop.store(true, Ordering::Release);
        let during = load.join().map_err(|_| anyhow!("the load panicked"))?;
        Ok::<_, anyhow::Error>((during?, times?))
    })?;
    let (first, last) = times;
    let took_seconds = (last - first).as_secs_f64().max(LOOK_EVERY.as_secs_f64());
    let latencies = |found: Vec<(Workload, Outcome)>, during_expiry| {
        found.into_iter().map(move |(workload, outcome)| latency(workload, outcome, during_expiry))
    };
    let found = Found {
        items,
        expiring,
        indexes: options.indexes,
        gets_per_second: options.gets,
        puts_per_second: options.puts,
        begin_seconds: first.as_secs_f64(),
        took_seconds,
        deletes_per_second: expiring as f64 / took_seconds,
        memory: memory(target.id()),
        latencies: latencies(before, false).chain(latencies(during, true)).collect(),
    };
    report(&options.programs, &about, &found)
}

/// Whole partitions only: that is how items are written.
fn whole(items: u64) -> u64 {
    items - items % ITEMS_PER_PARTITION
}

fn enable(target: &Target, indexes: u8) -> Result<()> {
    let name = table_name(indexes);
    let specification = json!({"Enabled": true, "AttributeName": ATTRIBUTE});
    let request = json!({"TableName": name, "TimeToLiveSpecification": specification});
    call(target.address, "UpdateTimeToLive", &request)?;
    let describe = json!({"TableName": name});
    while call(target.address, "DescribeTimeToLive", &describe)?
        .pointer("/TimeToLiveDescription/TimeToLiveStatus")
        != Some(&Value::from("ENABLED"))
    {
        pause(Duration::from_millis(20));
    }
    Ok(())
}

fn fill_expiring(
    target: &Target,
    options: &ExpiryOptions,
    items: std::ops::Range<u64>,
    due_second: u64,
) -> Result<()> {
    let plan = Plan {
        address: target.address,
        connections: FILL_CONNECTIONS,
        threads: 1,
        pace: Pace::Closed,
        warmup: Duration::ZERO,
        measured: FILL_MAX,
    };
    let (host, table) = (target.address.to_string(), table_name(options.indexes));
    let partitions = (items.end - items.start) / ITEMS_PER_PARTITION;
    let outcome = drive(&plan, |_| {
        let choice = Choice::Each { items: items.clone() };
        let traffic = Traffic::new(&host, &table, Workload::Batch, choice, target.kind.answers());
        traffic.expiring_at(due_second)
    })?;
    ensure!(outcome.error_count() == 0, "filling failed: {:?}", outcome.errors);
    ensure!(outcome.answered == partitions, "only {} partitions were answered", outcome.answered);
    Ok(())
}

/// Traffic that ends when it is told.
struct Until<'a> {
    traffic: Traffic,
    stop: &'a AtomicBool,
}

impl Source for Until<'_> {
    type Ticket = Ticket;

    fn next(&mut self, out: &mut Vec<u8>) -> Option<Ticket> {
        if self.stop.load(Ordering::Acquire) { None } else { self.traffic.next(out) }
    }

    fn check(&mut self, ticket: Ticket, status: u16, body: &[u8]) -> Verdict {
        self.traffic.check(ticket, status, body)
    }
}

/// Gets and puts of items that stay, side by side, each at its own rate.
fn measure(
    target: &Target,
    options: &ExpiryOptions,
    items: u64,
    stop: &AtomicBool,
    measured: Duration,
) -> Result<Vec<(Workload, Outcome)>> {
    let (host, table) = (target.address.to_string(), table_name(options.indexes));
    let load = |workload: Workload, per_second: f64| {
        let plan = Plan {
            address: target.address,
            connections: options.connections,
            threads: 1,
            pace: Pace::Open { per_second },
            warmup: Duration::ZERO,
            measured,
        };
        drive(&plan, |_| {
            let choice = Choice::Random { items };
            let traffic = Traffic::new(&host, &table, workload, choice, target.kind.answers());
            Until { traffic, stop }
        })
    };
    std::thread::scope(|scope| {
        let loads = [(Workload::Get, options.gets), (Workload::Put, options.puts)]
            .map(|(workload, rate)| (workload, scope.spawn(move || load(workload, rate))));
        loads
            .into_iter()
            .map(|(workload, load)| Ok((workload, load.join().map_err(|_| anyhow!("a load panicked"))??)))
            .collect()
    })
}

/// Waits until everything has expired; when the first and the last item were gone.
fn await_expiry(
    target: &Target,
    indexes: u8,
    items: u64,
    expiring: u64,
    begin: Instant,
) -> Result<(Duration, Duration)> {
    let describe = json!({"TableName": table_name(indexes)});
    let mut first = None;
    while begin.elapsed() < EXPIRY_MAX {
        let answer = call(target.address, "DescribeTable", &describe)?;
        let left = answer.pointer("/Table/ItemCount").and_then(Value::as_u64).unwrap_or(0);
        let now = begin.elapsed();
        if left < items + expiring {
            first.get_or_insert(now);
        }
        if left <= items {
            ensure!(left == items, "{} items went that should have stayed", items - left);
            return Ok((first.unwrap_or(now), now));
        }
        pause(LOOK_EVERY);
    }
    bail!("not everything has expired after {} s", EXPIRY_MAX.as_secs())
}

fn latency(workload: Workload, outcome: Outcome, during_expiry: bool) -> Latency {
    Latency {
        workload,
        during_expiry,
        requests: outcome.latency.len(),
        p50_microseconds: outcome.latency_microseconds(0.5),
        p99_microseconds: outcome.latency_microseconds(0.99),
        p999_microseconds: outcome.latency_microseconds(0.999),
        max_microseconds: outcome.latency_microseconds(1.0),
        unsent: outcome.unsent,
        errors: outcome.errors,
    }
}

fn report(programs: &Programs, about: &About, found: &Found) -> Result<()> {
    let path = write_json(&programs.results, "expiry", about, found)?;
    let mut table = Table::new(["µs, open loop", "before", "during expiry", "ratio"]);
    for workload in [Workload::Get, Workload::Put] {
        let of = |during: bool| {
            found.latencies.iter().find(move |one| one.workload == workload && one.during_expiry == during)
        };
        let (Some(before), Some(during)) = (of(false), of(true)) else { continue };
        type Figure = fn(&Latency) -> f64;
        let figures: [(&str, Figure); 4] = [
            ("p50", |one| one.p50_microseconds),
            ("p99", |one| one.p99_microseconds),
            ("p99.9", |one| one.p999_microseconds),
            ("slowest", |one| one.max_microseconds),
        ];
        for (name, figure) in figures {
            let (before, during) = (figure(before), figure(during));
            let cells = [count(before), count(during), format!("{:.2}", during / before.max(1e-9))];
            table.row(format!("{} {name}", workload.name()), cells.into_iter());
        }
    }
    say!("{}", table.text());
    say!(
        "{} of {} items expired in {:.1} s, {} a second; the first was gone {:.1} s after its second.",
        count(found.expiring as f64),
        count((found.items + found.expiring) as f64),
        found.took_seconds,
        count(found.deletes_per_second),
        found.begin_seconds,
    );
    say!("Memory of the server: {} MB resident.", count(found.memory.resident_bytes as f64 / 1e6));
    let errors: u64 = found.latencies.iter().flat_map(|one| one.errors.values()).sum();
    say!("Errors: {errors}.");
    say!("written to {}", path.display());
    ensure!(errors == 0, "there were errors");
    Ok(())
}
