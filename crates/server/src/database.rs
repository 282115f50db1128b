//! Singlet's own database as an [`Api`], through the wire crate.

use singlet_engine::{Database, IndexDescription, TableDescription};
use singlet_wire::{AnswerRoom, Operation, Reply, Service};

use crate::api::{Api, IndexStatistics, Statistics, StorageFigure, TableStatistics};

impl Api for Service {
    async fn call(&self, operation: Operation, body: &[u8], room: &dyn AnswerRoom) -> Reply {
        self.perform_within(operation, body, room).await
    }

    fn statistics(&self) -> Statistics {
        Statistics {
            tables: self.database().describe_tables().iter().map(|one| table(self.database(), one)).collect(),
            storage: storage(self.database()),
            derived: Vec::new(),
            outlets: Vec::new(),
            patterns: Vec::new(),
        }
    }
}

fn table(database: &Database, table: &TableDescription) -> TableStatistics {
    TableStatistics {
        name: table.name.clone(),
        items: table.item_count,
        bytes: table.size_bytes,
        // A table that was just deleted has no figures.
        expired: database.expired_items(&table.name).unwrap_or(0),
        indexes: table.local_indexes.iter().chain(&table.global_indexes).map(index).collect(),
    }
}

fn index(index: &IndexDescription) -> IndexStatistics {
    IndexStatistics { name: index.definition.name.clone(), items: index.item_count, bytes: index.size_bytes }
}

#[rustfmt::skip]
fn storage(database: &Database) -> Vec<StorageFigure> {
    let stats = database.stats();
    let seconds = |microseconds: u64| microseconds as f64 / 1e6;
    let figures = [
        ("sequence", "The last commit that readers see.", stats.sequence as f64),
        ("overlay_bytes", "Memory that writes take which are not folded into the tree yet.", stats.overlay_bytes as f64),
        ("log_segments", "Files of the log.", stats.log_segments as f64),
        ("log_bytes", "Bytes of the log.", stats.log_bytes as f64),
        ("tree_bytes", "Bytes of the tree.", stats.tree_bytes as f64),
        ("queue_jobs", "Writes that wait for the writer.", stats.queue_jobs as f64),
        ("jobs_total", "Writes that the writer has taken.", stats.jobs as f64),
        ("commits_total", "Commits in the log.", stats.commits as f64),
        ("commit_bytes_total", "Bytes of these commits.", stats.commit_bytes as f64),
        ("batches_total", "Groups of commits that went to the log together.", stats.batches as f64),
        ("syncs_total", "Syncs of the log.", stats.syncs as f64),
        ("sync_seconds_total", "Time that they took.", seconds(stats.sync_time_us)),
        ("folds_total", "Folds of the overlay into the tree.", stats.folds as f64),
        ("folded_entries_total", "Entries that they wrote.", stats.folded_entries as f64),
        ("fold_seconds_total", "Time that they took.", seconds(stats.fold_time_us)),
        ("writer_waits_total", "How often the writer waited for a fold.", stats.writer_waits as f64),
        ("writer_wait_seconds_total", "Time that it waited.", seconds(stats.writer_wait_time_us)),
        ("submit_waits_total", "How often a write waited because the queue was full.", stats.submit_waits as f64),
        ("writes_stopped", "1 after a failure of the disk or the loss of a file: nothing is written until a restart.", f64::from(u8::from(stats.writes_stopped))),
        ("disk_reserve_bytes", "With less than this free on the disk, writes that grow are refused.", stats.disk_reserve_bytes as f64),
        ("disk_short", "1 while they are refused, else 0.", f64::from(u8::from(stats.disk_is_short))),
        ("clock_jumps_forward_total", "How often the wall clock jumped forward against the monotonic one.", stats.clock_jumps_forward as f64),
        ("clock_jumps_back_total", "How often the wall clock jumped back against the monotonic one.", stats.clock_jumps_back as f64),
        ("clock_doubted", "1 while the wall clock is not believed, or not proven yet, else 0.", f64::from(u8::from(stats.clock_is_doubted))),
        ("disk_refusals_total", "How often something was refused for lack of room on the disk.", stats.disk_refusals as f64),
    ];
    // A database in memory has no disk.
    let free = stats.disk_free_bytes.map(|bytes| ("disk_free_bytes", "Bytes free on the disk with the data.", bytes as f64));
    figures.into_iter().chain(free).map(|(name, help, value)| StorageFigure { name, help, value }).collect()
}
