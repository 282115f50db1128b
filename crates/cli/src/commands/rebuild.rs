//! `singlet rebuild`.

use std::io::{Write, stdout};
use std::sync::Arc;
use std::thread::park_timeout;
use std::time::{Duration, Instant};

use singlet_derive::{DerivedStatus, Phase, Worker, request_rebuild, status};
use singlet_design::Design;
use singlet_run::Wait;
use singlet_run::apply::choose_environment;
use singlet_store::Embedded;

use crate::arguments::RebuildArguments;
use crate::counted::counted;
use crate::derivations::work_off;
use crate::design_file;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::style::report;
use crate::target::Target;

/// Between two looks at what a server has done.
const PAUSE: Duration = Duration::from_millis(500);
/// How long a server may take to begin.
const BEGIN_MAX: Duration = Duration::from_secs(15);

/// Counts derived fields again.
pub(crate) fn rebuild(arguments: &RebuildArguments) -> Result<(), Failure> {
    let design = design_file::load(&arguments.file)?;
    let environment = choose_environment(&design, arguments.store.environment.as_deref())?.name;
    let target = Target::open(&arguments.store, false)?;
    let count = match target.embedded() {
        Some(store) => here(store, &design, &environment, &arguments.fields)?,
        None => elsewhere(&target, &design, &environment, &arguments.fields)?,
    };
    target.close()?;
    let mut out = stdout().lock();
    match count {
        0 => writeln!(out, "{} derives no fields", design.name)?,
        _ => writeln!(out, "{} rebuilt", counted(count as u64, "derived field"))?,
    }
    Ok(())
}

/// Rebuilds in this process.
fn here(
    store: Embedded,
    design: &Arc<Design>,
    environment: &str,
    fields: &[String],
) -> Result<usize, Failure> {
    let Some(mut worker) = Worker::open(store.clone(), Arc::clone(design), environment).wait()? else {
        return Ok(0);
    };
    worker.rebuild(fields).wait()?;
    work_off(&mut worker)?;
    Ok(rebuilt(&status(&store, design, environment).wait()?, fields))
}

/// Has the worker of a server rebuild.
pub(super) fn elsewhere(
    target: &Target,
    design: &Design,
    environment: &str,
    fields: &[String],
) -> Result<usize, Failure> {
    let look = || status(target.store(), design, environment).wait();
    if look()?.rules.is_empty() {
        return Ok(0);
    }
    request_rebuild(target.store(), design, environment, fields).wait()?;
    let began = Instant::now();
    let mut line = Progress::new();
    loop {
        let now: DerivedStatus = look()?;
        let is_new = now.rules.iter().any(|rule| rule.phase == Phase::New);
        if now.rules.iter().all(|rule| rule.phase == Phase::Ready) {
            return Ok(rebuilt(&now, fields));
        }
        if is_new && began.elapsed() > BEGIN_MAX {
            return Err(Failure::Refused(format!(
                "no worker has begun: the rebuild begins when a server serves {} (`singlet serve FILE`)",
                design.name
            )));
        }
        line.wait("the server counts derived fields again");
        park_timeout(PAUSE);
    }
}

/// Returns the number of rules that were rebuilt, and says if some items couldn't take their values.
fn rebuilt(now: &DerivedStatus, fields: &[String]) -> usize {
    if now.stuck > 0 {
        let stuck = counted(now.stuck, "item");
        let warning = format!("warning: {stuck} can't take derived values; `singlet derivations` shows them");
        anstream::eprintln!("{}", report(&warning));
    }
    let is_asked = |name: &String| fields.is_empty() || fields.contains(name);
    now.rules.iter().filter(|rule| is_asked(&rule.name)).count()
}
