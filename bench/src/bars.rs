//! The speed that Singlet promises itself, relative to what was measured in the same run.

use crate::cell::Cell;
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

/// The promises about a cell.
pub(crate) fn bars(cell: &Cell) -> &'static [Bar] {
    use Bar::{LatencyOfBare, OfBare, Times};
    use Kind::{DynoxideFile, DynoxideMemory};
    match (cell.workload, cell.indexes, cell.connections) {
        (Workload::Get, 0, 64) => &[OfBare(0.75)],
        (Workload::Get, 0, 1) => &[LatencyOfBare(1.4)],
        (Workload::Query, 0, 64) => &[OfBare(0.5), Times(6.0, DynoxideFile), Times(6.0, DynoxideMemory)],
        (Workload::Put, 0, 64) => &[OfBare(0.4), Times(6.0, DynoxideFile)],
        (Workload::Put | Workload::PutMove, 3, 64) => &[OfBare(0.2), Times(8.0, DynoxideFile)],
        (Workload::Update, 0, 64) => &[OfBare(0.35)],
        (Workload::Transact, 0, 64) => &[OfBare(0.25)],
        (Workload::Batch, 0, 64) => &[Times(20.0, DynoxideFile)],
        _ => &[],
    }
}
