//! A comparison in medians: what tables, bars, charts and the README are made of.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cell::{Cell, Measurement};
use crate::report::{About, median};
use crate::sync::SyncRow;
use crate::target::Kind;

/// One comparison.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Summary {
    pub(crate) about: About,
    /// Seconds per headline and per sustained cell.
    pub(crate) seconds: f64,
    pub(crate) sustained_seconds: f64,
    pub(crate) servers: Vec<Server>,
    pub(crate) rows: Vec<Row>,
    pub(crate) syncs: Vec<SyncRow>,
    pub(crate) left_out: Vec<String>,
    /// The share of the machine that neither clients nor servers used: median and worst.
    pub(crate) others_share_median: f64,
    pub(crate) others_share_worst: f64,
    /// Refused for a transaction on the same item: not part of any throughput.
    pub(crate) conflicts: u64,
    /// Arrivals of open loops that were never sent; their age is part of the latencies.
    pub(crate) unsent: u64,
}

/// One server of a comparison.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Server {
    pub(crate) kind: Kind,
    /// Items in each of its tables.
    pub(crate) items: u64,
    /// From the start of its process on an empty folder to the first answer; none for the engine in process.
    pub(crate) start_milliseconds: Option<f64>,
    pub(crate) start_resident_bytes: u64,
    pub(crate) filled_items_per_second: Option<f64>,
    /// On disk after the last cell and a clean stop; none if it wasn't stopped like that.
    pub(crate) disk_bytes: Option<u64>,
    /// The items of all its tables as DynamoDB counts them. Entries of indexes are no data: they are part of its cost.
    pub(crate) data_bytes: u64,
    /// Resident after the last cell.
    pub(crate) resident_bytes: u64,
}

/// One cell with the servers that it was measured on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) cell: Cell,
    pub(crate) figures: BTreeMap<Kind, Figures>,
}

/// Medians over the rounds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Figures {
    pub(crate) rounds: usize,
    pub(crate) requests_per_second: f64,
    pub(crate) p50_microseconds: f64,
    pub(crate) p99_microseconds: f64,
    pub(crate) p999_microseconds: f64,
    pub(crate) server_cpu_microseconds: f64,
    /// Wrong answers by their text; a server that gives any has no speed.
    pub(crate) errors: BTreeMap<String, u64>,
}

impl Server {
    /// Bytes on disk for a byte of data; none for a server that keeps nothing there.
    pub(crate) fn disk_bytes_per_byte(&self) -> Option<f64> {
        let stored = self.disk_bytes.filter(|bytes| *bytes >= self.data_bytes / 100)?;
        Some(stored as f64 / self.data_bytes.max(1) as f64)
    }
}

impl Summary {
    /// The measurements of one cell on one server, including those with errors.
    pub(crate) fn measured(&self, kind: Kind, cell: &Cell) -> Option<&Figures> {
        self.rows.iter().find(|row| row.cell == *cell)?.figures.get(&kind)
    }

    /// The figures of one cell on one server, if it was measured and answered rightly.
    pub(crate) fn figures(&self, kind: Kind, cell: &Cell) -> Option<&Figures> {
        self.measured(kind, cell).filter(|figures| figures.errors.is_empty())
    }

    /// Requests per second of one cell on one server.
    pub(crate) fn rate(&self, kind: Kind, cell: &Cell) -> Option<f64> {
        self.figures(kind, cell).map(|figures| figures.requests_per_second)
    }

    /// Whether a cell is judged and shown by its sustained form: where that was measured on Singlet, with or without
    /// errors. One choice for all servers, so that a minute never stands beside three seconds of the same server.
    pub(crate) fn shows_sustained(&self, cell: &Cell) -> bool {
        self.measured(Kind::Singlet, &Cell { sustained: true, ..*cell }).is_some()
    }

    /// The servers in the order in which they are shown.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        self.servers.iter().map(|server| server.kind).collect()
    }
}

/// The medians of measurements, one row for each cell in the order of their first measurement.
pub(crate) fn rows(measurements: &[Measurement]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for found in measurements {
        if rows.iter().all(|row| row.cell != found.cell) {
            rows.push(Row { cell: found.cell, figures: BTreeMap::new() });
        }
    }
    for row in &mut rows {
        for found in measurements.iter().filter(|found| found.cell == row.cell) {
            let of_server: Vec<&Measurement> = measurements
                .iter()
                .filter(|one| one.cell == row.cell && one.target == found.target)
                .collect();
            row.figures.entry(found.target).or_insert_with(|| medians(&of_server));
        }
    }
    rows
}

fn medians(measurements: &[&Measurement]) -> Figures {
    let middle = |figure: fn(&Measurement) -> f64| {
        median(measurements.iter().map(|found| figure(found)).collect()).unwrap_or(0.0)
    };
    let mut errors = BTreeMap::new();
    for (text, times) in measurements.iter().flat_map(|found| &found.errors) {
        *errors.entry(text.clone()).or_default() += times;
    }
    Figures {
        rounds: measurements.len(),
        requests_per_second: middle(|found| found.speed.requests_per_second),
        p50_microseconds: middle(|found| found.speed.p50_microseconds),
        p99_microseconds: middle(|found| found.speed.p99_microseconds),
        p999_microseconds: middle(|found| found.speed.p999_microseconds),
        server_cpu_microseconds: middle(|found| found.server_cpu_microseconds),
        errors,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use super::{Figures, Row, Server, Summary, rows};
    use crate::cell::{Cell, Measurement, Speed};
    use crate::process::{CpuUse, Memory};
    use crate::report::About;
    use crate::target::Kind;
    use crate::workload::Workload;

    pub(crate) fn cell(workload: Workload, indexes: u8, connections: usize, sustained: bool) -> Cell {
        Cell { workload, indexes, connections, sustained }
    }

    /// A comparison of the given rates at 64 connections without indexes.
    pub(crate) fn summary(rates: &[(Workload, Kind, f64)]) -> Summary {
        let mut summary = Summary {
            about: About {
                date: "20261116T120000Z".to_owned(),
                commit: "0123456789".to_owned(),
                machine: "2 × a processor".to_owned(),
                load_average: 0.0,
            },
            seconds: 3.0,
            sustained_seconds: 60.0,
            servers: Vec::new(),
            rows: Vec::new(),
            syncs: Vec::new(),
            left_out: Vec::new(),
            others_share_median: 0.01,
            others_share_worst: 0.02,
            conflicts: 0,
            unsent: 0,
        };
        for (workload, kind, rate) in rates {
            if !summary.kinds().contains(kind) {
                summary.servers.push(Server {
                    kind: *kind,
                    items: 100_000,
                    start_milliseconds: Some(8.0),
                    start_resident_bytes: 19_000_000,
                    filled_items_per_second: Some(50_000.0),
                    disk_bytes: Some(80_000_000),
                    data_bytes: 40_000_000,
                    resident_bytes: 100_000_000,
                });
            }
            let cell = cell(*workload, 0, 64, false);
            let figures = Figures { rounds: 3, requests_per_second: *rate, ..Figures::default() };
            match summary.rows.iter_mut().find(|row| row.cell == cell) {
                Some(row) => drop(row.figures.insert(*kind, figures)),
                None => summary.rows.push(Row { cell, figures: BTreeMap::from([(*kind, figures)]) }),
            }
        }
        summary
    }

    fn measurement(kind: Kind, round: usize, rate: f64, errors: &[(&str, u64)]) -> Measurement {
        Measurement {
            target: kind,
            cell: cell(Workload::Get, 0, 64, false),
            round,
            speed: Speed { requests_per_second: rate, ..Speed::default() },
            server_cpu_microseconds: 0.0,
            client_cpu_microseconds: 0.0,
            cpu: CpuUse { server_seconds: 0.0, client_seconds: 0.0, others_seconds: 0.0 },
            others_share: 0.0,
            memory: Memory::default(),
            disk_bytes: 0,
            per_second: Vec::new(),
            unsent: 0,
            closed: 0,
            conflicts: 0,
            errors: errors.iter().map(|(text, times)| ((*text).to_owned(), *times)).collect(),
        }
    }

    #[test]
    fn the_median_of_the_rounds_counts_for_each_server() {
        let found = [
            measurement(Kind::Bare, 0, 90.0, &[]),
            measurement(Kind::Singlet, 0, 50.0, &[]),
            measurement(Kind::Bare, 1, 100.0, &[]),
            measurement(Kind::Singlet, 1, 10.0, &[]),
            measurement(Kind::Bare, 2, 95.0, &[]),
            measurement(Kind::Singlet, 2, 60.0, &[]),
        ];
        let rows = rows(&found);
        assert_eq!(rows.len(), 1);
        let rate = |kind| rows[0].figures[&kind].requests_per_second;
        assert!((rate(Kind::Bare) - 95.0).abs() < 1e-9);
        assert!((rate(Kind::Singlet) - 50.0).abs() < 1e-9);
        assert_eq!(rows[0].figures[&Kind::Singlet].rounds, 3);
    }

    #[test]
    fn one_wrong_answer_in_any_round_takes_the_figure_away() {
        let found =
            [measurement(Kind::Singlet, 0, 50.0, &[]), measurement(Kind::Singlet, 1, 50.0, &[("wrong", 1)])];
        let mut summary = summary(&[]);
        summary.rows = rows(&found);
        assert_eq!(summary.rate(Kind::Singlet, &cell(Workload::Get, 0, 64, false)), None);
    }
}
