//! Figures of the kernel about processes and the machine, from `/proc`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

/// CPU time used up to now: by a server, by this process, by the whole machine.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CpuTimes {
    server: Duration,
    client: Duration,
    machine: Duration,
}

/// CPU time used between two moments.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct CpuUse {
    /// By the server's process.
    pub(crate) server_seconds: f64,
    /// By the load generator.
    pub(crate) client_seconds: f64,
    /// By everything else, also by other guests of the host (steal). If this isn't near zero, the figure is noisy.
    pub(crate) others_seconds: f64,
}

impl CpuTimes {
    /// Reads the clocks.
    pub(crate) fn now(server: u32) -> Self {
        Self { server: of_process(server), client: of_process(std::process::id()), machine: of_machine() }
    }

    /// Returns the use since `earlier`.
    pub(crate) fn since(self, earlier: Self) -> CpuUse {
        let server = self.server.saturating_sub(earlier.server);
        let client = self.client.saturating_sub(earlier.client);
        let machine = self.machine.saturating_sub(earlier.machine);
        CpuUse {
            server_seconds: server.as_secs_f64(),
            client_seconds: client.as_secs_f64(),
            others_seconds: machine.saturating_sub(server + client).as_secs_f64(),
        }
    }
}

/// The CPU time of a process; zero if it isn't there.
pub(crate) fn of_process(id: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // The command's name comes second, in brackets, and may hold spaces; user and system time are the 14th and 15th
    // field.
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    ticks(after_name.split_ascii_whitespace().skip(11).take(2))
}

fn of_machine() -> Duration {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let fields: Vec<_> = stat.lines().next().unwrap_or("").split_ascii_whitespace().skip(1).collect();
    // user nice system idle iowait irq softirq steal; guest times are already in user.
    ticks([0, 1, 2, 5, 6, 7].into_iter().filter_map(|place: usize| fields.get(place).copied()))
}

fn ticks<'a>(fields: impl Iterator<Item = &'a str>) -> Duration {
    let ticks: u64 = fields.filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// Memory of a process in bytes.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Memory {
    /// Resident now.
    pub(crate) resident_bytes: u64,
    /// Resident now without pages of files, which the kernel can take back at any time.
    pub(crate) anonymous_bytes: u64,
    /// The most that was ever resident.
    pub(crate) peak_bytes: u64,
}

/// The memory of a process; zero if it isn't there.
pub(crate) fn memory(id: u32) -> Memory {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.split_ascii_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
    };
    Memory {
        resident_bytes: field("VmRSS:"),
        anonymous_bytes: field("RssAnon:"),
        peak_bytes: field("VmHWM:"),
    }
}

/// The bytes that the files of a folder take on disk.
pub(crate) fn disk_bytes(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let Ok(entries) = fs::read_dir(path) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(about) if about.is_dir() => disk_bytes(&entry.path()),
            Ok(about) => about.blocks() * 512,
            Err(_) => 0,
        })
        .sum()
}

/// The machine, in a line.
pub(crate) fn machine() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("unknown CPU");
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{cores} × {}, Linux {}", model.trim_start_matches([' ', '\t', ':']), kernel.trim())
}

/// The load average of the last minute.
pub(crate) fn load_average() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_ascii_whitespace().next().and_then(|field| field.parse().ok()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::{disk_bytes, memory, of_process};

    #[test]
    fn this_process_has_memory_and_uses_time() {
        let id = std::process::id();
        let before = of_process(id);
        while of_process(id) == before {}
        assert!(memory(id).resident_bytes > 100_000);
        assert!(memory(id).peak_bytes >= memory(id).resident_bytes);
    }

    #[test]
    fn disk_use_counts_files_in_folders() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        std::fs::write(folder.path().join("a/b"), vec![1; 100_000]).unwrap();
        std::fs::File::open(folder.path().join("a/b")).unwrap().sync_all().unwrap();
        assert!(disk_bytes(folder.path()) >= 100_000);
    }
}
