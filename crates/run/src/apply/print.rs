//! A plan as text.

use std::fmt;

use singlet_store::{TableChange, TableShape};

use super::derived::DERIVED_TABLE;
use super::plan::{Plan, Step};
use super::record::DESIGNS_TABLE;

/// The plan in words: steps, notes and obstacles.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        if self.is_empty() {
            writeln!(f, "  nothing to do")?;
        }
        for step in &self.steps {
            write_step(f, step)?;
        }
        write_list(f, "worth knowing:", &self.notes)?;
        write_outdated(f, "outdated, and accepted:", self, true)?;
        write_outdated(f, "outdated, so nothing is done without --accept-outdated:", self, false)?;
        write_list(f, "in the way:", &self.obstacles)
    }
}

/// In one line, for progress.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Change(TableChange::Create(shape)) if shape.name == DESIGNS_TABLE => {
                write!(f, "create the table {DESIGNS_TABLE}, in which Singlet remembers applied designs")
            }
            Step::Change(TableChange::Create(shape)) if shape.name == DERIVED_TABLE => {
                write!(f, "create the table {DERIVED_TABLE}, in which derivations keep their progress")
            }
            Step::Change(change) => write!(f, "{change}"),
            Step::AwaitIndex { table, index } => write!(f, "wait for the index {index} of {table}"),
            Step::ShortenRecovery { table, days, before } => write!(
                f,
                "keep every moment of {table} for {days} days instead of {before}, and delete the older history"
            ),
            Step::Release(release) => write!(f, "{release}"),
        }
    }
}

fn write_step(f: &mut fmt::Formatter<'_>, step: &Step) -> fmt::Result {
    let sign = match step {
        Step::Change(TableChange::Create(_) | TableChange::CreateIndex { .. }) => '+',
        Step::Change(TableChange::Delete { .. } | TableChange::DeleteIndex { .. }) => '-',
        Step::Change(_) | Step::ShortenRecovery { .. } | Step::Release(_) => '~',
        Step::AwaitIndex { .. } => '…',
    };
    write!(f, "  {sign} {step}")?;
    match step {
        Step::Change(TableChange::Create(shape))
            if ![DESIGNS_TABLE, DERIVED_TABLE].contains(&shape.name.as_str()) =>
        {
            write_shape(f, shape)
        }
        Step::Change(TableChange::CreateIndex { index, .. }) => writeln!(f, ": {}", index.in_words()),
        _ => writeln!(f),
    }
}

fn write_shape(f: &mut fmt::Formatter<'_>, shape: &TableShape) -> fmt::Result {
    writeln!(f, ": {}", shape.key_in_words())?;
    for index in &shape.indexes {
        let kind = if index.local { "local index" } else { "index" };
        writeln!(f, "      {kind} {}: {}", index.name, index.in_words())?;
    }
    if let Some(units) = shape.throughput {
        write!(f, "      read/write capacity {}/{}", units.read_units, units.write_units)?;
        for index in &shape.indexes {
            if let Some(units) = index.throughput {
                write!(f, ", {} {}/{}", index.name, units.read_units, units.write_units)?;
            }
        }
        writeln!(f)?;
    }
    if let Some(attribute) = &shape.ttl {
        writeln!(f, "      items expire by {attribute}")?;
    }
    if shape.stream {
        writeln!(f, "      with a stream")?;
    }
    if let Some(days) = shape.recovery_days {
        writeln!(f, "      every moment can be recovered for {days} days")?;
    }
    if let Some(schedule) = &shape.backup {
        writeln!(f, "      backed up {schedule}")?;
    }
    if shape.protected {
        writeln!(f, "      protected from deletion")?;
    }
    Ok(())
}

fn write_outdated(f: &mut fmt::Formatter<'_>, title: &str, plan: &Plan, accepted: bool) -> fmt::Result {
    let found = plan.outdated.iter().filter(|outdated| outdated.accepted == accepted);
    let lines = found.flat_map(|outdated| {
        let reasons = outdated.reasons.iter().map(|reason| format!("  {reason}"));
        std::iter::once(outdated.to_string()).chain(reasons)
    });
    write_list(f, title, &lines.collect::<Vec<_>>())
}

fn write_list(f: &mut fmt::Formatter<'_>, title: &str, lines: &[String]) -> fmt::Result {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(f, "  {title}")?;
    lines.iter().try_for_each(|line| writeln!(f, "    {line}"))
}
