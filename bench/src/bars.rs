//! The speed that Singlet promises itself, relative to what was measured in the same run.

use crate::cell::Cell;
use crate::report::Table;
use crate::summary::Summary;
use crate::target::Kind;
use crate::workload::Workload;

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
    pub(crate) cell: Cell,
    pub(crate) wanted: String,
    pub(crate) measured: f64,
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

/// All promises that this comparison can judge. Puts are judged by their sustained figure where there is one.
pub(crate) fn judge(summary: &Summary) -> Vec<Judged> {
    let sustained = |cell: &Cell| {
        !cell.sustained && summary.rate(Kind::Singlet, &Cell { sustained: true, ..*cell }).is_some()
    };
    let cells = summary.rows.iter().map(|row| &row.cell).filter(|cell| !sustained(cell));
    cells.flat_map(|cell| bars(cell).iter().filter_map(|bar| judge_one(summary, cell, *bar))).collect()
}

fn judge_one(summary: &Summary, cell: &Cell, bar: Bar) -> Option<Judged> {
    let ours = summary.figures(Kind::Singlet, cell)?;
    let ratio = |kind| Some(ours.requests_per_second / summary.rate(kind, cell)?);
    let (wanted, measured, met) = match bar {
        Bar::OfBare(least) => {
            let ratio = ratio(Kind::Bare)?;
            (format!("≥ {least} of bare"), ratio, ratio >= least)
        }
        Bar::Times(least, peer) => {
            let ratio = ratio(peer)?;
            (format!("≥ {least} × {}", peer.name()), ratio, ratio >= least)
        }
        Bar::LatencyOfBare(most) => {
            let bare = summary.figures(Kind::Bare, cell)?.p50_microseconds;
            let ratio = ours.p50_microseconds / bare;
            (format!("median ≤ {most} × bare"), ratio, ratio <= most)
        }
    };
    Some(Judged { cell: *cell, wanted, measured, met })
}

/// The promises as a table, with a line that counts them; empty if Singlet wasn't measured beside what they need.
pub(crate) fn promises(summary: &Summary) -> String {
    let judged = judge(summary);
    if judged.is_empty() {
        return String::new();
    }
    let mut table = Table::new(["bar", "wanted", "measured", ""]);
    for one in &judged {
        let verdict = if one.met { "met" } else { "MISSED" };
        let figures = [one.wanted.clone(), format!("{:.2}", one.measured), verdict.to_owned()];
        table.row(one.cell.name(), figures.into_iter());
    }
    let met = judged.iter().filter(|one| one.met).count();
    format!("{}\n{met} of {} bars met.\n", table.text(), judged.len())
}

#[cfg(test)]
mod tests {
    use super::{judge, promises};
    use crate::summary::tests::{cell, summary};
    use crate::target::Kind;
    use crate::workload::Workload;

    #[test]
    fn a_bar_is_met_or_missed_by_the_ratio_of_the_same_run() {
        let met = summary(&[(Workload::Get, Kind::Bare, 100.0), (Workload::Get, Kind::Singlet, 75.0)]);
        assert!(judge(&met).iter().all(|one| one.met));
        let missed = summary(&[(Workload::Get, Kind::Bare, 100.0), (Workload::Get, Kind::Singlet, 74.0)]);
        assert!(judge(&missed).iter().all(|one| !one.met));
        assert!(promises(&missed).contains("MISSED"));
        assert!(promises(&missed).contains("0 of 1 bars met."));
    }

    #[test]
    fn without_what_it_is_compared_with_a_bar_is_not_judged() {
        let alone = summary(&[(Workload::Get, Kind::Singlet, 75.0)]);
        assert_eq!(promises(&alone), "");
    }

    #[test]
    fn puts_are_judged_by_the_minute_where_there_is_one() {
        let mut found = summary(&[(Workload::Put, Kind::Bare, 100.0), (Workload::Put, Kind::Singlet, 90.0)]);
        let mut minute = found.rows[0].clone();
        minute.cell = cell(Workload::Put, 0, 64, true);
        minute.figures.get_mut(&Kind::Singlet).unwrap().requests_per_second = 10.0;
        found.rows.push(minute);
        let judged = judge(&found);
        assert_eq!(judged.len(), 1);
        assert!(!judged[0].met);
    }
}
