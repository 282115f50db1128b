//! The `singlet` command: reads its arguments, calls the crate that does the work, and turns errors into
//! sentences and exit codes. It must not know anything that a program which embeds Singlet would miss.

mod archive;
mod arguments;
mod authority;
mod columns;
mod commands;
mod counted;
mod cursor_key;
mod derivations;
mod descriptors;
mod design_file;
mod endpoint;
mod examples;
mod failure;
mod logging;
mod memory;
mod mounted;
mod parameters;
mod progress;
mod shell;
mod signals;
mod size;
mod style;
mod table;
mod target;

use std::process::ExitCode;

use clap::FromArgMatches;

use crate::arguments::{Arguments, Command};
use crate::failure::Failure;
use crate::parameters::option_for_parameter;
use crate::style::ColorWhen;

/// Requests allocate on one thread and free on another, which the system's allocator does slowly: `bench` measured
/// a fifth less CPU per query and a sixth less per put with this one.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let color = ColorWhen::of_arguments(std::env::args_os().map(|word| word.to_string_lossy().into_owned()));
    color.set();
    let matches = arguments::command().color(color.for_help()).try_get_matches().unwrap_or_else(|error| {
        if let Some(failure) = option_for_parameter(&error, std::env::args().skip(1)) {
            anstream::eprintln!("{}", style::report(&failure.report()));
            std::process::exit(2);
        }
        error.exit()
    });
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match run(arguments.command) {
        Ok(code) => code,
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            anstream::eprintln!("{}", style::report(&failure.report()));
            failure.exit_code()
        }
    }
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Demo(arguments) => commands::demo::demo(&arguments),
        Command::New(arguments) => commands::new::new(&arguments),
        Command::Check(arguments) => commands::check::check(&arguments),
        Command::Fmt(arguments) => commands::fmt::fmt(&arguments),
        Command::Review(arguments) => return commands::review::review(&arguments),
        Command::Apply(arguments) => commands::apply::apply(&arguments),
        Command::Patterns(arguments) => commands::patterns::patterns(&arguments),
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Explain(arguments) => commands::explain::explain(&arguments),
        Command::Describe(arguments) => commands::describe::describe(&arguments),
        Command::Seed(arguments) => commands::seed::seed(&arguments),
        Command::Derivations(arguments) => commands::derivations::derivations(&arguments),
        Command::Rebuild(arguments) => commands::rebuild::rebuild(&arguments),
        Command::Archive(arguments) => commands::archive::archive(&arguments),
        Command::Audit(arguments) => return commands::audit::audit(&arguments),
        Command::Schema => commands::schema::schema(),
        Command::Completions { shell } => commands::manual::completions(shell),
        Command::Man { to } => commands::manual::man(&to),
        Command::Backup(arguments) => commands::backup::backup(&arguments),
        Command::Backups(arguments) => commands::backups::backups(&arguments),
        Command::Export(arguments) => commands::export::export(&arguments),
        Command::Import(arguments) => commands::import::import(&arguments),
        Command::Recovery(arguments) => commands::recovery::recovery(&arguments),
        Command::Restore(arguments) => commands::restore::restore(&arguments),
        Command::Serve(arguments) => commands::serve::serve(arguments),
        Command::Token(arguments) => commands::token::token(&arguments),
        Command::Verify(arguments) => return commands::verify::verify(&arguments),
        Command::Compact(arguments) => commands::compact::compact(&arguments),
        Command::NewKey(arguments) => commands::new_key::new_key(&arguments),
        Command::RotateKey(arguments) => commands::rotate_key::rotate_key(&arguments),
    }?;
    Ok(ExitCode::SUCCESS)
}
