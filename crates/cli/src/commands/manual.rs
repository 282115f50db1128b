//! `singlet completions` and `singlet man`: both are made from the declarations of the arguments.

use std::io::{Write, stdout};
use std::path::Path;

use clap_complete::Shell;

use crate::arguments::command;
use crate::failure::Failure;

/// Prints the completions for a shell.
pub(crate) fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "singlet", &mut script);
    stdout().lock().write_all(&script)?;
    Ok(())
}

/// Writes a page for the command and one for each of its subcommands.
pub(crate) fn man(to: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(to)?;
    clap_mangen::generate_to(command(), to)?;
    writeln!(stdout().lock(), "manual pages are in {}; read one with `man {0}/singlet.1`", to.display())?;
    Ok(())
}
