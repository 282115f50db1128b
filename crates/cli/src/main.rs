//! The `singlet` command: reads its arguments, calls the crate that does the work, and turns errors into
//! sentences and exit codes. It must not know anything that a program which embeds Singlet would miss.

mod arguments;
mod logging;
mod memory;
mod serve;
mod signals;
mod size;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Command};

/// Requests allocate on one thread and free on another, which the system's allocator does slowly: `bench` measured
/// a fifth less CPU per query and a sixth less per put with this one.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Serve(arguments) => serve::serve(arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
