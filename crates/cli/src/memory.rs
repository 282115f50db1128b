//! How much memory there is, and how much of it a server takes unless it is told.

use std::fs;

const MB: usize = 1 << 20;
const GB: usize = 1 << 30;
/// The least memory for traffic: the largest body fits twice, with and without a verified sender, and so does the request in
/// it unless it is unusually dense.
pub(crate) const TRAFFIC_BYTES_MIN: usize = 64 * MB;

/// How much memory this machine, or the container around the process, has; nothing where the system doesn't tell.
pub(crate) fn total_bytes() -> Option<usize> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| meminfo_bytes(&text));
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    // Without a limit there is a word or a number beyond all machines.
    let limits = limits.iter().filter_map(|path| fs::read_to_string(path).ok()?.trim().parse().ok());
    machine.into_iter().chain(limits).min()
}

fn meminfo_bytes(text: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The tree's cache: half of what a machine has beyond what its system needs.
pub(crate) fn cache_bytes(total_bytes: Option<usize>) -> usize {
    (total_bytes.unwrap_or(0).saturating_sub(GB) / 2).max(256 * MB)
}

/// The overlay: large enough for bursts, small enough that its log is read in less than a second.
pub(crate) fn overlay_bytes(total_bytes: Option<usize>) -> usize {
    (total_bytes.unwrap_or(0) / 32).clamp(64 * MB, 384 * MB)
}

/// Requests and answers on their way.
pub(crate) fn traffic_bytes(total_bytes: Option<usize>) -> usize {
    (total_bytes.unwrap_or(0) / 32).clamp(TRAFFIC_BYTES_MIN, 256 * MB)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_s_line_is_read() {
        assert_eq!(meminfo_bytes("MemTotal:       24681728 kB\nMemFree: 1 kB\n"), Some(24_681_728 * 1024));
        assert_eq!(meminfo_bytes("Something else"), None);
    }

    #[test]
    fn shares_follow_the_machine_and_have_a_floor() {
        let sizes = |total| (cache_bytes(total) / MB, overlay_bytes(total) / MB, traffic_bytes(total) / MB);
        assert_eq!(sizes(None), (256, 64, 64));
        assert_eq!(sizes(Some(512 * MB)), (256, 64, 64));
        assert_eq!(sizes(Some(9 * GB)), (4096, 288, 256));
        assert_eq!(sizes(Some(64 * GB)), (32_256, 384, 256));
    }
}
