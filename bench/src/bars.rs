//! The speed that Singlet promises itself, relative to what was measured in the same run.

use crate::cell::Cell;
use crate::report::{Table, count};
use crate::scaling::Scaling;
use crate::summary::Summary;
use crate::target::Kind;
use crate::workload::Workload;

const START_MILLISECONDS_MAX: f64 = 50.0;
const START_MEGABYTES_MAX: f64 = 20.0;
/// So many items must not slow Singlet down to less than this share.
const SCALING_ITEMS: u64 = 10_000_000;
const SCALING_LEAST: f64 = 0.7;

/// One promise about one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bar {
    /// At least so much of the bare server's throughput.
    OfBare(f64),
    /// At least so many times a peer's throughput.
    Times(f64, Kind),
    /// A median latency of at most so many times the bare server's.
    LatencyOfBare(f64),
}

/// A promise and what became of it.
pub(crate) struct Judged {
    pub(crate) about: String,
    pub(crate) wanted: String,
    /// None where it was measured with errors.
    pub(crate) measured: Option<f64>,
    pub(crate) met: bool,
}

fn bars(cell: &Cell) -> &'static [Bar] {
    use Bar::{LatencyOfBare, OfBare, Times};
    use Kind::{DynoxideFile, DynoxideMemory};
    match (cell.workload, cell.indexes, cell.connections) {
        (Workload::Get, 0, 64) => &[OfBare(0.75)],
        (Workload::Get, 0, 1) => &[LatencyOfBare(1.4)],
        (Workload::Query, 0, 64) => &[OfBare(0.5), Times(6.0, DynoxideFile), Times(6.0, DynoxideMemory)],
        (Workload::Put, 0, 64) => &[OfBare(0.4), Times(6.0, DynoxideFile)],
        (Workload::Put, 3, 64) => &[OfBare(0.2), Times(8.0, DynoxideFile)],
        (Workload::Update, 0, 64) => &[OfBare(0.35)],
        (Workload::Transact, 0, 64) => &[OfBare(0.25)],
        (Workload::Batch, 0, 64) => &[Times(20.0, DynoxideFile)],
        _ => &[],
    }
}

/// All promises about what this comparison measured. Puts are judged by their sustained form where there is one; a cell with
/// errors, of Singlet or of what it is compared with, has missed its bars.
pub(crate) fn judge(summary: &Summary) -> Vec<Judged> {
    let cells = summary.rows.iter().map(|row| &row.cell);
    let cells = cells.filter(|cell| cell.sustained || !summary.shows_sustained(cell));
    let cells = cells.flat_map(|cell| bars(cell).iter().filter_map(|bar| judge_one(summary, cell, *bar)));
    cells.chain(judge_start(summary)).collect()
}

/// A start on an empty folder is quick and small.
fn judge_start(summary: &Summary) -> Vec<Judged> {
    let Some(server) = summary.servers.iter().find(|server| server.kind == Kind::Singlet) else {
        return Vec::new();
    };
    let Some(milliseconds) = server.start_milliseconds else { return Vec::new() };
    let megabytes = server.start_resident_bytes as f64 / 1e6;
    [("ms", milliseconds, START_MILLISECONDS_MAX), ("MB", megabytes, START_MEGABYTES_MAX)]
        .map(|(unit, measured, most)| Judged {
            about: "start on an empty folder".to_owned(),
            wanted: format!("< {most} {unit}"),
            measured: Some(measured),
            met: measured < most,
        })
        .into()
}

/// Throughput with many items beside that with few.
pub(crate) fn judge_scaling(scaling: &Scaling) -> Vec<Judged> {
    let (Some(first), Some(last)) = (scaling.sizes.first(), scaling.sizes.last()) else { return Vec::new() };
    if last.items < SCALING_ITEMS || first.items >= last.items {
        return Vec::new();
    }
    let right = first.errors + last.errors == 0;
    let ratios = first.rates.iter().filter_map(|(workload, rate)| {
        let measured = Some(last.rates.get(workload)? / rate).filter(|_| right);
        Some(Judged {
            about: format!("{} with {} items", workload.name(), count(last.items as f64)),
            wanted: format!("≥ {SCALING_LEAST} of {} items", count(first.items as f64)),
            measured,
            met: measured.is_some_and(|ratio| ratio >= SCALING_LEAST),
        })
    });
    ratios.collect()
}

fn judge_one(summary: &Summary, cell: &Cell, bar: Bar) -> Option<Judged> {
    let beside = match bar {
        Bar::OfBare(_) | Bar::LatencyOfBare(_) => Kind::Bare,
        Bar::Times(_, peer) => peer,
    };
    let (ours, theirs) = (summary.measured(Kind::Singlet, cell)?, summary.measured(beside, cell)?);
    let right = ours.errors.is_empty() && theirs.errors.is_empty();
    let rates = ours.requests_per_second / theirs.requests_per_second;
    let latencies = ours.p50_microseconds / theirs.p50_microseconds;
    let (wanted, measured, met) = match bar {
        Bar::OfBare(least) => (format!("≥ {least} of bare"), rates, rates >= least),
        Bar::Times(least, peer) => (format!("≥ {least} × {}", peer.name()), rates, rates >= least),
        Bar::LatencyOfBare(most) => (format!("median ≤ {most} × bare"), latencies, latencies <= most),
    };
    Some(Judged { about: cell.name(), wanted, measured: right.then_some(measured), met: met && right })
}

/// Promises as a table, with a line that counts them; empty if there are none.
pub(crate) fn promises(judged: &[Judged]) -> String {
    if judged.is_empty() {
        return String::new();
    }
    let mut table = Table::new(["bar", "wanted", "measured", ""]);
    for one in judged {
        let verdict = if one.met { "met" } else { "MISSED" };
        let measured = one.measured.map_or("errors".to_owned(), |measured| format!("{measured:.2}"));
        let figures = [one.wanted.clone(), measured, verdict.to_owned()];
        table.row(one.about.clone(), figures.into_iter());
    }
    let met = judged.iter().filter(|one| one.met).count();
    format!("{}\n{met} of {} bars met.\n", table.text(), judged.len())
}

#[cfg(test)]
mod tests {
    use super::{Judged, judge, promises};
    use crate::summary::tests::{cell, summary};
    use crate::target::Kind;
    use crate::workload::Workload;

    fn about_cells(judged: Vec<Judged>) -> Vec<Judged> {
        judged.into_iter().filter(|one| !one.about.starts_with("start")).collect()
    }

    #[test]
    fn a_bar_is_met_or_missed_by_the_ratio_of_the_same_run() {
        let met = summary(&[(Workload::Get, Kind::Bare, 100.0), (Workload::Get, Kind::Singlet, 75.0)]);
        assert!(judge(&met).iter().all(|one| one.met));
        let missed = summary(&[(Workload::Get, Kind::Bare, 100.0), (Workload::Get, Kind::Singlet, 74.0)]);
        let judged = about_cells(judge(&missed));
        assert!(judged.iter().all(|one| !one.met));
        assert!(promises(&judged).contains("MISSED"));
        assert!(promises(&judged).contains("0 of 1 bars met."));
    }

    #[test]
    fn without_what_it_is_compared_with_a_bar_is_not_judged() {
        let alone = summary(&[(Workload::Get, Kind::Singlet, 75.0)]);
        assert!(about_cells(judge(&alone)).is_empty());
        assert_eq!(promises(&[]), "");
    }

    #[test]
    fn a_slow_or_large_start_misses_its_bar() {
        let mut found = summary(&[(Workload::Get, Kind::Singlet, 75.0)]);
        assert!(judge(&found).iter().all(|one| one.met));
        found.servers[0].start_milliseconds = Some(51.0);
        found.servers[0].start_resident_bytes = 21_000_000;
        assert_eq!(judge(&found).iter().filter(|one| !one.met).count(), 2);
    }

    #[test]
    fn puts_are_judged_by_the_minute_where_there_is_one() {
        let mut found = summary(&[(Workload::Put, Kind::Bare, 100.0), (Workload::Put, Kind::Singlet, 90.0)]);
        let mut minute = found.rows[0].clone();
        minute.cell = cell(Workload::Put, 0, 64, true);
        minute.figures.get_mut(&Kind::Singlet).unwrap().requests_per_second = 10.0;
        found.rows.push(minute);
        let judged = about_cells(judge(&found));
        assert_eq!(judged.len(), 1);
        assert!(!judged[0].met);
    }

    #[test]
    fn errors_miss_a_bar_and_don_t_fall_back_to_a_shorter_measurement() {
        let mut found = summary(&[(Workload::Put, Kind::Bare, 100.0), (Workload::Put, Kind::Singlet, 90.0)]);
        let mut minute = found.rows[0].clone();
        minute.cell = cell(Workload::Put, 0, 64, true);
        found.rows.push(minute);
        for kind in [Kind::Singlet, Kind::Bare] {
            let mut wrong = found.clone();
            wrong.rows[1].figures.get_mut(&kind).unwrap().errors.insert("wrong".to_owned(), 1);
            let judged = about_cells(judge(&wrong));
            assert_eq!((judged.len(), judged[0].met, judged[0].measured), (1, false, None));
            assert!(promises(&judged).contains("0 of 1 bars met."));
        }
    }
}
