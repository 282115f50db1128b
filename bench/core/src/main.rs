//! Singlet's engine and protocol in one process, without HTTP: what they can do at most, and what a call costs.
//!
//! `singlet-bench` starts this program and reads what it writes. It is a program of its own because it has the allocator
//! of the `singlet` command, while the bare server that Singlet is compared with keeps the system's. It knows the
//! engine, the wire crate and designs on the embedded store; it must not know sockets, other servers or reports.
#![allow(clippy::print_stdout, reason = "this is a command; its answers go to standard output")]

mod calls;
mod cells;
mod items;
mod paths;
mod posts;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Singlet's engine and protocol in process
#[derive(Parser)]
enum Command {
    /// Fill a database in a folder; then measure one cell for each line of JSON on the standard input
    Cells(cells::CellsOptions),
    /// Make so many calls of one hot path: callgrind counts the instructions of N and of 2 N calls
    Path(paths::PathOptions),
    /// Name the hot paths
    Paths,
}

fn main() -> anyhow::Result<()> {
    match Command::parse() {
        Command::Cells(options) => cells::cells(&options),
        Command::Path(options) => paths::path(&options),
        Command::Paths => {
            paths::names().iter().for_each(|name| println!("{name}"));
            Ok(())
        }
    }
}
