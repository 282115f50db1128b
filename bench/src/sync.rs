//! The disk's limit: how many writes made durable one after the other it can do.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::outcome::Outcome;
use crate::report::{About, Table, count, say, write_json};
use crate::target::Programs;

/// Arguments of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct SyncOptions {
    /// Seconds per row
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    #[command(flatten)]
    programs: Programs,
}

/// How a file takes the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Way {
    /// The file grows with each write: its length has to become durable too.
    Append,
    /// Over bytes that were written before: only the data has to become durable.
    Overwrite,
}

/// The result for one length of a write.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct SyncRow {
    pub(crate) way: Way,
    pub(crate) write_bytes: usize,
    pub(crate) per_second: f64,
    pub(crate) p50_microseconds: f64,
    pub(crate) p99_microseconds: f64,
    pub(crate) max_microseconds: f64,
}

/// Over this much of a file a log goes round here, as a log with segments prepared in advance would.
const OVERWRITTEN_BYTES: u64 = 64 << 20;

/// Measures `write` and `fdatasync`, one after the other.
pub(crate) fn sync(options: &SyncOptions) -> Result<()> {
    let about = About::now();
    let mut found = Vec::new();
    for way in [Way::Append, Way::Overwrite] {
        // One item of 400 B; 64 of them; a batch of 64 requests with 25 items each.
        for write_bytes in [512, 32 * 1024, 640 * 1024] {
            let duration = Duration::from_secs_f64(options.seconds);
            found.push(measure_sync(&options.programs.scratch, way, write_bytes, duration)?);
        }
    }
    let path = write_json(&options.programs.results, "sync", &about, &found)?;
    let mut table = Table::new(["write + fdatasync", "bytes", "per second", "p50 µs", "p99 µs", "max µs"]);
    for row in &found {
        let figures = [
            count(row.write_bytes as f64),
            count(row.per_second),
            count(row.p50_microseconds),
            count(row.p99_microseconds),
            count(row.max_microseconds),
        ];
        table.row(format!("{:?}", row.way).to_lowercase(), figures.into_iter());
    }
    say!("{}", table.text());
    say!("written to {}", path.display());
    Ok(())
}

/// Measures one length of a write in a file of its own in this folder.
pub(crate) fn measure_sync(
    folder: &Path,
    way: Way,
    write_bytes: usize,
    duration: Duration,
) -> Result<SyncRow> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join(format!("sync-{}", std::process::id()));
    let measured = measure(&path, way, write_bytes, duration);
    let _ = std::fs::remove_file(&path);
    measured
}

fn measure(path: &Path, way: Way, write_bytes: usize, duration: Duration) -> Result<SyncRow> {
    let bytes = vec![7; write_bytes];
    let file = OpenOptions::new().create(true).truncate(true).write(true).open(path)?;
    if way == Way::Overwrite {
        prepare(&file)?;
    }
    let mut outcome = Outcome::new(duration);
    let mut offset = 0;
    let begin = Instant::now();
    while begin.elapsed() < duration {
        let since = Instant::now();
        file.write_all_at(&bytes, offset)?;
        file.sync_data()?;
        outcome.record(since.elapsed());
        outcome.count(begin.elapsed());
        offset += write_bytes as u64;
        if way == Way::Overwrite && offset + write_bytes as u64 > OVERWRITTEN_BYTES {
            offset = 0;
        }
    }
    Ok(SyncRow {
        way,
        write_bytes,
        per_second: outcome.rate(),
        p50_microseconds: outcome.latency_microseconds(0.5),
        p99_microseconds: outcome.latency_microseconds(0.99),
        max_microseconds: outcome.latency_microseconds(1.0),
    })
}

fn prepare(file: &File) -> Result<()> {
    let block = vec![0; 1 << 20];
    for offset in (0..OVERWRITTEN_BYTES).step_by(block.len()) {
        file.write_all_at(&block, offset)?;
    }
    Ok(file.sync_all()?)
}
