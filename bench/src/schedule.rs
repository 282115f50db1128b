//! The schedule: which cell is measured on which server in which round, known before the run begins.

use clap::ValueEnum;

use crate::cell::{Cell, Settings};
use crate::target::{Kind, Share};
use crate::workload::Workload;

/// The cells that the bars and the figures are made of.
const HEADLINES: [(Workload, u8, usize); 10] = [
    (Workload::Get, 0, 64),
    (Workload::Get, 0, 1),
    (Workload::Query, 0, 64),
    (Workload::Put, 0, 64),
    (Workload::Put, 3, 64),
    (Workload::PutMove, 3, 64),
    (Workload::Update, 0, 64),
    (Workload::Transact, 0, 64),
    (Workload::Batch, 0, 64),
    (Workload::Mixed, 0, 64),
];
/// Puts of this many connections are also measured for a minute: a database can put off work for longer than seconds.
const SUSTAINED: [(Workload, u8, usize); 2] = [(Workload::Put, 0, 64), (Workload::Put, 3, 64)];
const CONNECTIONS: [usize; 3] = [1, 16, 64];
/// Cells beside the headlines are measured in the first rounds only.
const WIDE_ROUNDS: usize = 2;
/// The time to start a load, end it and settle, beside the measured time.
const OVERHEAD_SECONDS: f64 = 0.6;
const SLOW_OVERHEAD_SECONDS: f64 = 2.5;

/// How much is measured.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Extent {
    /// A first impression in six minutes: one short round of the headlines on 20,000 items
    #[arg(long)]
    pub(crate) quick: bool,
    /// Only these workloads
    #[arg(long, value_delimiter = ',', value_name = "WORKLOADS")]
    only: Vec<Workload>,
    /// Only the cells that bars and figures are made of
    #[arg(long)]
    headlines: bool,
    /// These numbers of connections for each workload, on every server
    #[arg(long, value_delimiter = ',')]
    connections: Vec<usize>,
    /// These numbers of global indexes for each workload, on every server
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u8).range(0..=20))]
    indexes: Vec<u8>,
    /// Items in each table [default: 100000, quick 20000]
    #[arg(long)]
    items: Option<u64>,
    /// Items in each table of slow peers [default: 5000, quick 1250]
    #[arg(long)]
    slow_items: Option<u64>,
    /// How often each headline is measured; the median counts [default: 3, quick 1]
    #[arg(long)]
    rounds: Option<usize>,
    /// Seconds per headline; half of it for the other cells, five at least for slow peers [default: 3, quick 1]
    #[arg(long)]
    seconds: Option<f64>,
    /// Seconds per cell of sustained puts, in the last round; 0 for none [default: 60, quick 0]
    #[arg(long)]
    sustained_seconds: Option<f64>,
    /// Open loop: requests arrive at this rate per second whatever the server does
    #[arg(long, value_name = "RATE")]
    rate: Option<f64>,
    /// Threads of the load generator [default: 1]
    #[arg(long)]
    client_threads: Option<usize>,
}

/// One measurement to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) kind: Kind,
    pub(crate) cell: Cell,
    pub(crate) round: usize,
    pub(crate) settings: Settings,
}

impl Step {
    /// How long it will take, about.
    pub(crate) fn planned_seconds(&self) -> f64 {
        let overhead =
            if self.kind.share() == Share::Slow { SLOW_OVERHEAD_SECONDS } else { OVERHEAD_SECONDS };
        self.settings.warmup_seconds + self.settings.seconds + overhead
    }
}

/// A cell, and what it is for.
struct Planned {
    cell: Cell,
    headline: bool,
}

impl Extent {
    /// How often the headlines are measured.
    pub(crate) fn rounds(&self) -> usize {
        self.rounds.unwrap_or(if self.quick { 1 } else { 3 }).max(1)
    }

    /// Items in each table of a server.
    pub(crate) fn items(&self, kind: Kind) -> u64 {
        let items = self.items.unwrap_or(if self.quick { 20_000 } else { 100_000 });
        let slow = self.slow_items.unwrap_or(if self.quick { 1_250 } else { 5_000 });
        if kind.share() == Share::Slow { slow.min(items) } else { items }
    }

    /// Seconds per headline.
    pub(crate) fn seconds(&self) -> f64 {
        self.seconds.unwrap_or(if self.quick { 1.0 } else { 3.0 })
    }

    /// Seconds per cell of sustained puts.
    pub(crate) fn sustained_seconds(&self) -> f64 {
        self.sustained_seconds.unwrap_or(if self.quick { 0.0 } else { 60.0 })
    }

    /// The whole run: round after round, in each cell after cell, in each server after server.
    pub(crate) fn steps(&self, kinds: &[Kind]) -> Vec<Step> {
        let cells = self.cells();
        let mut steps = Vec::new();
        for round in 0..self.rounds() {
            for planned in &cells {
                let servers = kinds.iter().filter(|kind| self.applies(**kind, planned, round));
                steps.extend(servers.map(|kind| Step {
                    kind: *kind,
                    cell: planned.cell,
                    round,
                    settings: self.settings(*kind, planned),
                }));
            }
        }
        steps
    }

    /// The numbers of indexes that a server needs tables for.
    pub(crate) fn index_counts(&self, kind: Kind) -> Vec<u8> {
        let mut counts: Vec<u8> = self.steps(&[kind]).iter().map(|step| step.cell.indexes).collect();
        counts.sort_unstable();
        counts.dedup();
        counts
    }

    fn cells(&self) -> Vec<Planned> {
        let chosen = !self.connections.is_empty() || !self.indexes.is_empty();
        let mut cells: Vec<Planned> = Vec::new();
        let mut add = |(workload, indexes, connections), headline, sustained| {
            let cell = Cell { workload, indexes, connections, sustained };
            let wanted = self.only.is_empty() || self.only.contains(&workload);
            if wanted && cells.iter().all(|planned| planned.cell != cell) {
                cells.push(Planned { cell, headline });
            }
        };
        if chosen {
            self.cross().into_iter().for_each(|cell| add(cell, true, false));
        } else {
            HEADLINES.into_iter().for_each(|cell| add(cell, true, false));
            if !self.quick && !self.headlines {
                wide().into_iter().for_each(|cell| add(cell, false, false));
            }
        }
        if self.sustained_seconds() > 0.0 {
            let wanted = |(_, indexes, connections): &(Workload, u8, usize)| {
                (self.indexes.is_empty() || self.indexes.contains(indexes))
                    && (self.connections.is_empty() || self.connections.contains(connections))
            };
            SUSTAINED.into_iter().filter(wanted).for_each(|cell| add(cell, true, true));
        }
        cells
    }

    /// Every workload with the connections and indexes that were asked for.
    fn cross(&self) -> Vec<(Workload, u8, usize)> {
        let connections = if self.connections.is_empty() { vec![64] } else { self.connections.clone() };
        let mut cells = Vec::new();
        for workload in Workload::value_variants().iter().copied() {
            let standard = if workload == Workload::PutMove { vec![3] } else { vec![0] };
            let indexes = if self.indexes.is_empty() { standard } else { self.indexes.clone() };
            for count in indexes {
                cells.extend(connections.iter().map(|connections| (workload, count, *connections)));
            }
        }
        cells
    }

    fn applies(&self, kind: Kind, planned: &Planned, round: usize) -> bool {
        let cell = &planned.cell;
        // In process there is no loop but the closed one.
        if !kind.knows(cell.workload) || (kind == Kind::Engine && self.rate.is_some()) {
            return false;
        }
        if cell.sustained {
            let durable = matches!(kind, Kind::Bare | Kind::Singlet | Kind::DynoxideFile);
            return durable && round + 1 == self.rounds();
        }
        let rounds = if planned.headline { self.rounds() } else { self.rounds().min(WIDE_ROUNDS) };
        match kind.share() {
            Share::Whole => round < rounds,
            Share::GetAndPut => {
                let chosen = matches!(cell.workload, Workload::Get | Workload::Put);
                planned.headline && round < rounds && chosen && cell.indexes == 0 && cell.connections > 1
            }
            Share::Headlines | Share::InProcess => planned.headline && round < rounds,
            Share::Slow => {
                planned.headline && round == 0 && cell.connections > 1 && cell.workload != Workload::PutMove
            }
        }
    }

    fn settings(&self, kind: Kind, planned: &Planned) -> Settings {
        let seconds = match (kind.share(), planned.headline) {
            _ if planned.cell.sustained => self.sustained_seconds(),
            (Share::Slow, _) => self.seconds().max(if self.quick { 2.0 } else { 5.0 }),
            (_, true) => self.seconds(),
            (_, false) => self.seconds() / 2.0,
        };
        let warmup_seconds = match kind.share() {
            // They compile while they run, and each cell is measured but once.
            Share::Slow if self.quick => 1.0,
            Share::Slow => 5.0,
            _ if planned.headline && !self.quick => 0.5,
            _ => 0.3,
        };
        Settings {
            items: self.items(kind),
            warmup_seconds,
            seconds,
            client_threads: self.client_threads.unwrap_or(1),
            open_rate: self.rate,
        }
    }
}

/// Every workload with 1, 16 and 64 connections, without indexes and with three. Reads of the table don't touch its
/// indexes.
fn wide() -> Vec<(Workload, u8, usize)> {
    let mut cells = Vec::new();
    for workload in Workload::value_variants().iter().copied().filter(|one| *one != Workload::PutMove) {
        let reads = matches!(workload, Workload::Get | Workload::Query);
        for indexes in if reads { &[0_u8][..] } else { &[0, 3] } {
            cells.extend(CONNECTIONS.map(|connections| (workload, *indexes, connections)));
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::{Extent, Step};
    use crate::target::{Kind, Share};
    use crate::workload::Workload;
    use clap::ValueEnum;

    /// All but an earlier build, which takes part only if it is given.
    fn all() -> Vec<Kind> {
        Kind::value_variants().iter().copied().filter(|kind| *kind != Kind::SingletBefore).collect()
    }

    fn minutes(steps: &[Step]) -> f64 {
        steps.iter().map(Step::planned_seconds).sum::<f64>() / 60.0
    }

    #[test]
    fn a_whole_run_and_a_quick_one_keep_to_their_time() {
        let whole = minutes(&Extent::default().steps(&all()));
        assert!(whole < 36.0, "{whole} minutes without starting and filling");
        let quick = minutes(&Extent { quick: true, ..Extent::default() }.steps(&all()));
        assert!(quick < 4.8, "{quick} minutes without starting and filling");
    }

    #[test]
    fn servers_take_turns_within_each_cell() {
        let steps = Extent::default().steps(&[Kind::Bare, Kind::Singlet]);
        for pair in steps.chunks(2) {
            assert_eq!((pair[0].kind, pair[1].kind), (Kind::Bare, Kind::Singlet));
            assert_eq!((pair[0].cell, pair[0].round), (pair[1].cell, pair[1].round));
        }
    }

    #[test]
    fn every_workload_runs_with_1_16_and_64_connections_and_writes_with_3_indexes() {
        let steps = Extent::default().steps(&[Kind::Singlet]);
        for workload in Workload::value_variants() {
            for connections in if *workload == Workload::PutMove { &[64][..] } else { &[1, 16, 64] } {
                let writes = !matches!(workload, Workload::Get | Workload::Query);
                let has = |indexes| {
                    steps.iter().any(|step| {
                        step.cell.workload == *workload
                            && step.cell.connections == *connections
                            && step.cell.indexes == indexes
                    })
                };
                assert!(*workload == Workload::PutMove || has(0), "{workload:?} {connections}");
                assert!(!writes || has(3), "{workload:?} {connections}, 3 indexes");
            }
        }
    }

    #[test]
    fn slow_peers_are_measured_once_on_few_items() {
        let extent = Extent::default();
        let steps = extent.steps(&[Kind::Moto]);
        assert_eq!(Kind::Moto.share(), Share::Slow);
        assert!(steps.iter().all(|step| step.round == 0 && step.settings.items == 5_000));
        assert!(steps.iter().all(|step| step.settings.warmup_seconds >= 5.0), "they compile while they run");
        assert_eq!(extent.index_counts(Kind::Moto), [0, 3]);
    }

    #[test]
    fn verifying_signatures_takes_half_a_minute_of_a_run() {
        let steps = Extent::default().steps(&[Kind::SingletVerified]);
        assert_eq!(steps.len(), 6, "a get and a put in three rounds");
        assert!(minutes(&steps) < 0.5, "{} minutes", minutes(&steps));
    }

    #[test]
    fn puts_are_sustained_once_and_only_where_writes_are_durable() {
        let steps = Extent::default().steps(&all());
        let sustained: Vec<&Step> = steps.iter().filter(|step| step.cell.sustained).collect();
        assert_eq!(sustained.len(), 6);
        assert!(sustained.iter().all(|step| step.round == 2 && (step.settings.seconds - 60.0).abs() < 1e-9));
    }

    #[test]
    fn chosen_connections_and_indexes_hold_for_every_workload() {
        let extent =
            Extent { connections: vec![4], indexes: vec![5], only: vec![Workload::Put], ..Extent::default() };
        let steps = extent.steps(&[Kind::Singlet]);
        assert_eq!(steps.len(), 3);
        assert!(steps.iter().all(|step| step.cell.connections == 4 && step.cell.indexes == 5));
    }

    #[test]
    fn the_engine_in_process_has_no_open_loop() {
        let open = Extent { rate: Some(1000.0), ..Extent::default() };
        assert!(open.steps(&[Kind::Engine]).is_empty());
        assert!(open.index_counts(Kind::Engine).is_empty());
        assert!(!open.steps(&[Kind::Singlet]).is_empty());
    }
}
