//! `singlet schema`.

use std::io::{Write, stdout};

use crate::failure::Failure;

/// Prints the JSON Schema of designs.
pub(crate) fn schema() -> Result<(), Failure> {
    writeln!(stdout().lock(), "{:#}", singlet_design::schema())?;
    Ok(())
}
