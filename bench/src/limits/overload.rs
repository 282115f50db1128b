//! More than the server can do: twice the rate at which it answers as fast as it can.

use std::time::Duration;

use anyhow::Result;

use super::LimitsOptions;
use super::scene::{Finding, Row, Scene};
use crate::load::{Pace, Plan, drive};
use crate::report::count;
use crate::tables::{create, table_name};
use crate::workload::{Answers, Choice, Traffic, Workload};

const CONNECTIONS: usize = 512;
const ITEMS: u64 = 100_000;

pub(super) fn run(options: &LimitsOptions, rows: &mut Vec<Row>) -> Result<()> {
    let name = "puts at twice the rate that the server can do, on 512 connections";
    if !options.wants(name) {
        return Ok(());
    }
    let scene = Scene::start(options, &[])?;
    create(scene.address(), 0)?;
    rows.push(scene.attack(name, |scene| {
        let most = load(scene, Pace::Closed, options.duration())?;
        let per_second = most.rate() * 2.0;
        let flood = load(scene, Pace::Open { per_second }, options.duration() * 3)?;
        let after = load(scene, Pace::Closed, options.duration())?;
        Ok(Finding {
            outcome: format!(
                "{}/s before, {}/s of {}/s answered (p50 {:.0} ms, {} unsent, {} errors), {}/s after",
                count(most.rate()),
                count(flood.rate()),
                count(per_second),
                flood.latency_microseconds(0.5) / 1e3,
                flood.unsent,
                flood.error_count(),
                count(after.rate()),
            ),
            count: 0,
        })
    })?);
    Ok(())
}

fn load(scene: &Scene, pace: Pace, time: Duration) -> Result<crate::outcome::Outcome> {
    let plan = Plan {
        address: scene.address(),
        connections: CONNECTIONS,
        threads: 1,
        pace,
        warmup: Duration::from_millis(200),
        measured: time,
    };
    let host = scene.address().to_string();
    drive(&plan, |_| {
        let choice = Choice::Random { items: ITEMS };
        Traffic::new(&host, &table_name(0), Workload::Put, choice, Answers::Database)
    })
}
