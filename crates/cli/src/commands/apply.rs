//! `singlet apply`.

use std::io::{IsTerminal, Write, stdin, stdout};

use singlet_derive::unknown_rules;
use singlet_design::Json;
use singlet_run::Wait;
use singlet_run::apply::{self, Plan, Step};

use crate::archive;
use crate::arguments::{ApplyArguments, OutputFormat};
use crate::derivations::{bring_up_to_date, names};
use crate::design_file;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::target::Target;

/// Shows what must be done, and does it.
pub(crate) fn apply(arguments: &ApplyArguments) -> Result<(), Failure> {
    let design = design_file::load(&arguments.file)?;
    let environment = apply::choose_environment(&design, arguments.store.environment.as_deref())?;
    let target = match arguments.dry_run {
        true => Target::to_plan(&arguments.store)?,
        false => Target::open(&arguments.store, !arguments.remove)?,
    };
    let mut plan = if arguments.remove {
        apply::plan_removal(&design, &environment, target.store()).wait()?
    } else {
        let mut line = Progress::new();
        apply::plan_watched(&design, &environment, target.store(), &mut |looked, total| {
            line.show(looked, total, "items compared with the design");
        })
        .wait()?
    };
    if arguments.accept_outdated {
        plan.accept_outdated();
    }
    let filled = match arguments.remove {
        true => Vec::new(),
        false => unknown_rules(target.store(), &design, &environment.name).wait()?,
    };
    match arguments.format {
        OutputFormat::Text => {
            write!(stdout().lock(), "{plan}")?;
            if !filled.is_empty() {
                writeln!(stdout().lock(), "  + derive from the items that are there: {}", names(&filled))?;
            }
        }
        OutputFormat::Json => writeln!(stdout().lock(), "{}", json(&plan, filled))?,
    }
    // A plan that would be refused fails in a dry run too, so that a pipeline notices it.
    plan.check()?;
    if !arguments.dry_run {
        agree(&plan, arguments.yes)?;
        carry_out(&plan, &target, arguments.format)?;
        if let (Some(store), false) = (target.embedded(), arguments.remove) {
            bring_up_to_date(store.clone(), &design, &environment.name)?;
            archive::begin(store, &design, &environment.name, target.archive())?;
        }
    }
    target.close()
}

/// The plan for programs.
fn json(plan: &Plan, filled: Vec<String>) -> Json {
    let texts = |texts: Vec<String>| Json::from(texts);
    Json::from([
        ("steps", texts(plan.steps.iter().map(ToString::to_string).collect())),
        ("deletions", texts(plan.deletions().map(ToString::to_string).collect())),
        ("outdated", texts(plan.outdated.iter().map(ToString::to_string).collect())),
        ("derived", texts(filled)),
        ("notes", texts(plan.notes.iter().map(ToString::to_string).collect())),
    ])
}

/// Does what a plan says.
fn carry_out(plan: &Plan, target: &Target, format: OutputFormat) -> Result<(), Failure> {
    let mut line = Progress::new();
    plan.run(target.store(), &mut |progress| {
        let what = format!("{} of {}: {}", progress.number, progress.total, progress.step);
        line.wait(&what);
    })
    .wait()?;
    drop(line);
    if !plan.is_empty() && format == OutputFormat::Text {
        writeln!(stdout().lock(), "done")?;
    }
    Ok(())
}

/// Asks before something is deleted, or no longer kept safe.
fn agree(plan: &Plan, said_yes: bool) -> Result<(), Failure> {
    let deletions: Vec<String> = plan.deletions().map(Step::to_string).collect();
    if deletions.is_empty() || said_yes {
        return Ok(());
    }
    let deletions = deletions.join(", ");
    if !stdin().is_terminal() {
        return Err(Failure::Refused(format!(
            "nothing was done: add --yes to {deletions}; on a terminal it is asked"
        )));
    }
    eprint!("This will {deletions}. Type yes to go on: ");
    let mut answer = String::new();
    stdin().read_line(&mut answer)?;
    if answer.trim() == "yes" {
        return Ok(());
    }
    Err(Failure::Refused("nothing was done".to_owned()))
}
