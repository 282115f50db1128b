//! Singlet's engine alone, in a process of its own that `singlet-bench-core` is: no HTTP, no JSON, no client beside it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::json;

use crate::cell::{Cell, Measurement, Settings, Speed, Watch};
use crate::process::{disk_bytes, memory};
use crate::target::{Kind, Programs, present};

/// The process, filled and ready for cells; it is killed and its data deleted when this is dropped.
pub(crate) struct Engine {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
    data: PathBuf,
}

/// The report of the process about a cell.
#[derive(Deserialize)]
struct Answer {
    #[serde(flatten)]
    speed: Speed,
    answered: u64,
    errors: BTreeMap<String, u64>,
}

impl Engine {
    /// Starts the process and waits until its tables are filled.
    pub(crate) fn start(programs: &Programs, index_counts: &[u8], items: u64) -> Result<Self> {
        let data = programs.scratch.join(format!("engine-{}", std::process::id()));
        if data.exists() {
            fs::remove_dir_all(&data)?;
        }
        fs::create_dir_all(&data)?;
        let counts: Vec<String> = index_counts.iter().map(u8::to_string).collect();
        let mut child = Command::new(present(&programs.core)?)
            .arg("cells")
            .arg("--data")
            .arg(&data)
            .args(["--items", &items.to_string(), "--indexes", &counts.join(",")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", programs.core.display()))?;
        let orders = child.stdin.take().context("its input is a pipe")?;
        let answers = BufReader::new(child.stdout.take().context("its output is a pipe")?);
        let mut engine = Self { child, orders, answers, data };
        engine.line().context("the engine was not filled")?;
        Ok(engine)
    }

    /// Measures one cell: as many threads as there would be connections.
    pub(crate) fn measure(&mut self, cell: Cell, settings: &Settings, round: usize) -> Result<Measurement> {
        let order = json!({
            "workload": cell.workload,
            "indexes": cell.indexes,
            "threads": cell.connections,
            "warmup_seconds": settings.warmup_seconds,
            "seconds": settings.seconds,
        });
        let watch = Watch::start(self.id());
        writeln!(self.orders, "{order}")?;
        self.orders.flush()?;
        let answer: Answer = serde_json::from_str(&self.line()?).context("its answer is another")?;
        let used = watch.stop();
        Ok(Measurement {
            target: Kind::Engine,
            cell,
            round,
            speed: answer.speed,
            server_cpu_microseconds: used.cpu.server_seconds * 1e6 / answer.answered.max(1) as f64,
            client_cpu_microseconds: 0.0,
            cpu: used.cpu,
            others_share: used.others_share,
            memory: memory(self.id()),
            disk_bytes: disk_bytes(&self.data),
            per_second: Vec::new(),
            unsent: 0,
            closed: 0,
            conflicts: 0,
            errors: answer.errors,
        })
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        ensure!(line.ends_with('\n'), "the engine's process ended");
        Ok(line)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Both fail only if the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.data);
    }
}
