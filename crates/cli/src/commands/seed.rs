//! `singlet seed`.

use std::io::{Write, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use singlet_design::{Design, Json};
use singlet_engine::{Clock, SystemClock};
use singlet_run::apply::choose_environment;
use singlet_run::seed::{SeedOptions, Seeder, Suggestion, Suggestions, plant};
use singlet_run::{Runner, Wait};
use singlet_store::Store;

use crate::arguments::{OutputFormat, SeedArguments, StoreArguments};
use crate::counted::counted;
use crate::derivations::settle;
use crate::design_file;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::shell::command_line;
use crate::target::Target;

/// Fills the tables of a design with sample data, and shows how to look at it.
pub(crate) fn seed(arguments: &SeedArguments) -> Result<(), Failure> {
    let design = design_file::load(&arguments.file)?;
    let environment = choose_environment(&design, arguments.store.environment.as_deref())?;
    let target = Target::for_design(&arguments.store, &design, &environment)?;
    target.warn(&design, &environment, &design.entities.iter().collect::<Vec<_>>());
    let options = SeedOptions { items: arguments.items, seed: arguments.seed, now_ms: SystemClock.now_ms() };
    let mut line = Progress::new();
    let Filled { written, suggestions } =
        fill(&design, target.store(), &environment.name, options, &AtomicBool::new(false), &mut |written| {
            line.show(written, arguments.items, "items");
        })?;
    drop(line);
    settle(&target, &design, &environment.name)?;
    let runner = Runner::new(Arc::clone(&design), target.store(), &environment.name);
    let calls = suggestions.find(&runner).wait();
    drop(runner);
    // Data in memory is gone when the command ends.
    let commands: Vec<String> = match arguments.store.in_memory {
        true => Vec::new(),
        false => calls.iter().map(|call| command(arguments, call)).collect(),
    };
    let mut out = stdout().lock();
    if arguments.format == OutputFormat::Json {
        let answer = Json::from([
            ("items", Json::Number(written.into())),
            ("place", Json::from(target.store().label())),
            ("try", Json::from(commands)),
        ]);
        writeln!(out, "{answer}")?;
        return target.close();
    }
    writeln!(out, "{} written to {}", counted(written, "item"), target.store().label())?;
    if written < arguments.items {
        writeln!(out, "The bounds of the design leave no room for more.")?;
    }
    if !commands.is_empty() {
        writeln!(out, "Try:\n  {}", commands.join("\n  "))?;
    }
    drop(out);
    target.close()
}

/// Sample data that was written.
pub(super) struct Filled {
    pub(super) written: u64,
    /// Calls that show it.
    pub(super) suggestions: Suggestions,
}

/// Writes sample data, until it is complete or somebody sets `stop`.
pub(super) fn fill(
    design: &Design,
    store: &impl Store,
    environment: &str,
    options: SeedOptions,
    stop: &AtomicBool,
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<Filled, Failure> {
    let mut suggestions = Suggestions::default();
    let samples = Seeder::new(design, options).take_while(|_| !stop.load(Ordering::Relaxed));
    let samples = samples.inspect(|sample| {
        if let Ok(sample) = sample {
            suggestions.note(sample);
        }
    });
    let written = plant(samples, store, environment, progress).wait()?;
    Ok(Filled { written, suggestions })
}

/// A command that runs the call on the same database.
fn command(arguments: &SeedArguments, call: &Suggestion) -> String {
    let file = arguments.file.display().to_string();
    let place = place(&arguments.store);
    let words = ["singlet", "run", &file, &call.pattern].into_iter();
    command_line(words.chain(call.arguments.iter().chain(&place).map(String::as_str)))
}

/// The options that say where the database is.
fn place(store: &StoreArguments) -> Vec<String> {
    let path = |path: &std::path::PathBuf| path.display().to_string();
    let options = [
        ("--data", store.data.as_ref().map(path)),
        ("--key-file", store.key.key_file.as_ref().map(path)),
        ("--endpoint-url", store.endpoint_url.clone()),
        ("--region", store.region.clone()),
        ("--profile", store.profile.clone()),
        ("--environment", store.environment.clone()),
    ];
    let mut words: Vec<String> = Vec::new();
    for (option, value) in options {
        words.extend(value.into_iter().flat_map(|value| [option.to_owned(), value]));
    }
    if store.remote {
        words.push("--remote".to_owned());
    }
    words
}
