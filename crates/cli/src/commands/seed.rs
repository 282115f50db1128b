//! `singlet seed`.

use std::io::{Write, stdout};

use singlet_design::apply::choose_environment;
use singlet_design::seed::{SeedOptions, Seeder, plant};
use singlet_engine::{Clock, SystemClock};

use crate::arguments::SeedArguments;
use crate::design_file;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::target::Target;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Fills the tables of a design with sample data.
pub(crate) fn seed(arguments: &SeedArguments) -> Result<(), Failure> {
    let design = design_file::load(&arguments.file)?;
    let environment = choose_environment(&design, arguments.store.environment.as_deref())?;
    let target = Target::for_design(&arguments.store, &design, &environment)?;
    // Times lie before the beginning of the day, so that the data is the same all day long.
    let now_ms = SystemClock.now_ms() / DAY_MS * DAY_MS;
    let options = SeedOptions { items: arguments.items, seed: arguments.seed, now_ms };
    let mut line = Progress::new();
    let written = plant(Seeder::new(&design, options), &target.store(), &environment.name, &mut |written| {
        line.show(written, arguments.items, "items");
    })?;
    drop(line);
    writeln!(stdout().lock(), "{written} items written to {}", target.store().label())?;
    if written < arguments.items {
        writeln!(stdout().lock(), "The bounds of the design leave no room for more.")?;
    }
    target.close()
}
