//! Measures Singlet beside its peers and beside what the machine could do at most.
//!
//! Knows servers only by their address and process: the client costs the same for each of them, and what is measured is
//! what users get. Only `pattern`, `claims`, `derived` and `review`, which measure within one process, link Singlet's own crates.

mod bare;
mod bars;
mod call;
mod cell;
mod chart;
mod claims;
mod clock;
mod compare;
mod comparison;
mod connection;
mod derived;
mod engine;
mod expiry;
mod figures;
mod http;
mod instructions;
mod item;
mod limits;
mod load;
mod metrics;
mod outcome;
mod pattern;
mod process;
mod progress;
mod readback;
mod report;
mod review;
mod scaling;
mod schedule;
mod seal;
mod sign;
mod single;
mod soak;
mod start;
mod subject;
mod summary;
mod sync;
mod tables;
mod target;
mod workload;

use std::net::SocketAddr;

use clap::Parser;

// The bare server must not be slower than Singlet for its allocator's sake.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measurements of Singlet, its peers and the machine's limits
#[derive(Parser)]
enum Command {
    /// All servers side by side: throughput, latency, CPU, and Singlet's bars
    Compare(compare::CompareOptions),
    /// One load on a server that is already running, closed or open loop
    Load(single::SingleOptions),
    /// Time to the first answer on an empty folder, and memory then
    ColdStart(start::ColdOptions),
    /// Time to the first answer after kill -9 with many items; then looks for missing ones
    Reopen(start::ReopenOptions),
    /// Throughput, memory and disk at different numbers of items
    Scaling(scaling::ScalingOptions),
    /// The same server with and without encryption, side by side
    Seal(seal::SealOptions),
    /// The disk alone: write and fdatasync
    Sync(sync::SyncOptions),
    /// A pattern in process beside the engine call that it becomes
    Pattern(pattern::PatternOptions),
    /// Workers that claim the jobs of one queue: jobs a second, each taken once
    Claims(claims::ClaimsOptions),
    /// Derived counts: lag, throughput beside plain puts, a hot post, and a new rule on many items
    Derived(derived::DerivedOptions),
    /// The review of a large design
    Review(review::ReviewOptions),
    /// Memory and disk over time under load
    Soak(soak::SoakOptions),
    /// Latency of others while many items expire at once, and how long that takes
    Expiry(expiry::ExpiryOptions),
    /// Attacks: more, larger, deeper and slower than allowed, and what each costs
    Limits(limits::LimitsOptions),
    /// The README's table and charts from the JSON files of runs
    Figures(figures::FiguresOptions),
    /// Instructions per call of the hot paths, with callgrind, beside those of the last count
    Instructions(instructions::InstructionsOptions),
    /// The server that does nothing but read requests and answer fixed bytes
    Bare {
        /// Where to listen
        #[arg(long, default_value = "127.0.0.1:8001")]
        address: SocketAddr,
    },
}

fn main() -> anyhow::Result<()> {
    match run(Command::parse()) {
        Err(error) if error.is::<report::OutputClosed>() => Ok(()),
        ended => ended,
    }
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Compare(options) => compare::compare(&options),
        Command::Load(options) => single::single(&options),
        Command::ColdStart(options) => start::cold(&options),
        Command::Reopen(options) => start::reopen(&options),
        Command::Scaling(options) => scaling::scaling(&options),
        Command::Seal(options) => seal::seal(&options),
        Command::Sync(options) => sync::sync(&options),
        Command::Pattern(options) => pattern::pattern(&options),
        Command::Claims(options) => claims::claims(&options),
        Command::Derived(options) => derived::derived(&options),
        Command::Review(options) => review::review(&options),
        Command::Soak(options) => soak::soak(&options),
        Command::Expiry(options) => expiry::expiry(&options),
        Command::Limits(options) => limits::limits(&options),
        Command::Figures(options) => figures::figures(&options),
        Command::Instructions(options) => instructions::instructions(&options),
        Command::Bare { address } => bare::serve(address),
    }
}

#[cfg(test)]
mod tests {
    use super::Command;
    use clap::CommandFactory;

    #[test]
    fn every_option_of_every_command_says_what_it_is() {
        for command in Command::command().get_subcommands() {
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{} {}", command.get_name(), argument.get_id());
            }
        }
    }
}
