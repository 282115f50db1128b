//! The units that a call is expected to consume, from the sizes that a design declares.

use singlet_design::{BULK_BATCH_DEFAULT, Get, ListWalk, Operation, Pattern, WALK_DEFAULT};
use singlet_review::{
    count_units, item_size, merge_run_units, pattern_writes, query_units, read_units, scan_units, write_units,
};

use crate::metered::Units;

/// The units of a call with items of the usual size.
pub(crate) fn expected(pattern: &Pattern) -> Units {
    let read = |read: f64| Units { read, write: 0.0 };
    match &pattern.operation {
        Operation::Get(get) | Operation::Exists(get) => read(get_units(get)),
        Operation::BatchGet(batch) => read(read_units(item_size(&batch.entity).usual, batch.consistent)),
        Operation::Query(query) => read(query_units(query)),
        Operation::Count(count) => read(count_units(count)),
        Operation::Scan(scan) => read(scan_units(scan)),
        Operation::Merge(merge) => sum([list_units(&merge.walk), read(merge_run_units(merge))]),
        Operation::Gather(gather) => {
            let run = expected(&gather.walk.run);
            sum([list_units(&gather.walk), times(run, gather.walk.max.unwrap_or(WALK_DEFAULT))])
        }
        Operation::Claim(walk) => sum([list_units(walk), expected(&walk.run)]),
        Operation::Bulk(walk) => sum([list_units(walk), times(expected(&walk.run), BULK_BATCH_DEFAULT)]),
        Operation::Parts(parts) => sum(parts.parts.iter().map(|part| expected(&part.pattern))),
        Operation::Transaction(transaction) => {
            sum(transaction.steps.iter().map(|step| written(&step.pattern, true)))
        }
        Operation::Create(_)
        | Operation::Put(_)
        | Operation::Update(_)
        | Operation::Delete(_)
        | Operation::Check(_) => written(pattern, false),
    }
}

fn get_units(get: &Get) -> f64 {
    read_units(item_size(&get.entity).usual, get.consistent)
}

/// The units of the list that a walk follows.
fn list_units(walk: &ListWalk) -> Units {
    walk.query().map(|query| expected(query)).unwrap_or_default()
}

/// The units of one write. In a transaction, the table's part counts twice.
fn written(pattern: &Pattern, is_step: bool) -> Units {
    let Some(cost) = pattern_writes(pattern) else { return expected_step(pattern) };
    let is_transaction = is_step || !cost.reservations.is_empty() || !pattern.checked_references().is_empty();
    let factor = if is_transaction { 2.0 } else { 1.0 };
    let indexes: f64 = cost.indexes.iter().map(|(_, units)| units).sum();
    let reservations: f64 = cost.reservations.iter().map(|(_, size)| write_units(size.usual)).sum();
    let references = pattern.checked_references().len() as f64;
    let items = write_units(cost.table.usual) + reservations + references;
    Units { read: 0.0, write: factor * items + indexes }
}

/// The units of a step that reads.
fn expected_step(pattern: &Pattern) -> Units {
    match &pattern.operation {
        Operation::Get(get) => Units { read: get_units(get), write: 0.0 },
        _ => Units::default(),
    }
}

fn sum(units: impl IntoIterator<Item = Units>) -> Units {
    units.into_iter().fold(Units::default(), |sum, more| Units {
        read: sum.read + more.read,
        write: sum.write + more.write,
    })
}

fn times(units: Units, count: u32) -> Units {
    Units { read: units.read * f64::from(count), write: units.write * f64::from(count) }
}
