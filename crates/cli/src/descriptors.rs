//! Open files: how many the system permits, and how many connections that leaves.

/// Files that are not connections: the log, the tree, what is read for streams and recovery, the runtime's own.
const OWN_FILES: u64 = 124;
/// Connections unless the user says otherwise.
const CONNECTIONS_MAX: u64 = 10_000;
/// With fewer connections than this nothing works as people expect.
const CONNECTIONS_MIN: u64 = 16;

/// Raises the process's limit of open files as far as it may, and says what it is.
#[cfg(unix)]
pub(crate) fn raise_limit() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        // Some systems say "no limit" and permit less.
        Err(_) => limit.current,
    }
}

/// Elsewhere files and connections are not counted together.
#[cfg(not(unix))]
pub(crate) fn raise_limit() -> Option<u64> {
    None
}

/// How many connections may be open at once, with this limit of open files.
pub(crate) fn connections_max(asked: Option<u32>, files_max: Option<u64>) -> usize {
    let wanted = asked.map_or(CONNECTIONS_MAX, u64::from);
    let left = files_max.map_or(u64::MAX, |files| files.saturating_sub(OWN_FILES).max(CONNECTIONS_MIN));
    usize::try_from(wanted.min(left)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_for_the_database() {
        assert_eq!(connections_max(None, None), 10_000);
        assert_eq!(connections_max(None, Some(1_024)), 900);
        assert_eq!(connections_max(None, Some(1 << 20)), 10_000);
        assert_eq!(connections_max(Some(50_000), Some(1 << 20)), 50_000);
        assert_eq!(connections_max(Some(50_000), Some(4_124)), 4_000);
        assert_eq!(connections_max(Some(20), Some(1_024)), 20);
        assert_eq!(connections_max(None, Some(64)), 16);
    }

    #[cfg(unix)]
    #[test]
    fn the_limit_is_raised_to_what_the_system_permits() {
        let raised = raise_limit();
        assert_eq!(raised, raise_limit());
        assert_eq!(rustix::process::getrlimit(rustix::process::Resource::Nofile).current, raised);
    }
}
