//! Singlet's own metrics page.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::report::count;

const TIMEOUT: Duration = Duration::from_secs(10);

/// The page as it was at one moment.
pub(crate) struct Metrics(String);

impl Metrics {
    /// Asks for the page.
    pub(crate) fn read(address: SocketAddr) -> Result<Self> {
        let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut page = String::new();
        stream.read_to_string(&mut page)?;
        Ok(Self(page))
    }

    /// A number of the page.
    pub(crate) fn get(&self, name: &str) -> Result<f64> {
        let value = self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok());
        value.with_context(|| format!("the metrics page has no {name}"))
    }

    /// The work of the log since an earlier reading of the page.
    pub(crate) fn log_since(&self, earlier: &Self, seconds: f64) -> Result<String> {
        let grown = |name| Ok::<f64, anyhow::Error>(self.get(name)? - earlier.get(name)?);
        let commits = grown("singlet_storage_commits_total")?;
        let syncs = grown("singlet_storage_syncs_total")?;
        let sync_seconds = grown("singlet_storage_sync_seconds_total")?;
        Ok(format!(
            "{:>8} syncs/s of {:.2} ms, {:>5.1} commits each",
            count(syncs / seconds.max(1e-9)),
            1e3 * sync_seconds / syncs.max(1.0),
            commits / syncs.max(1.0)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_log_did_is_told_per_second_and_per_sync() {
        let page = |commits: u32, syncs: u32, seconds: f64| {
            Metrics(format!(
                "# TYPE x\nsinglet_storage_commits_total {commits}\nsinglet_storage_syncs_total {syncs}\n\
                 singlet_storage_sync_seconds_total {seconds}\n"
            ))
        };
        let text = page(1100, 60, 0.03).log_since(&page(100, 10, 0.005), 2.0).unwrap();
        assert_eq!(text.trim(), "25.0 syncs/s of 0.50 ms,  20.0 commits each");
        assert!(page(1, 1, 1.0).get("singlet_storage_commits").is_err());
    }
}
