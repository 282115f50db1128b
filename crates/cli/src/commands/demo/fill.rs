//! The sample data of a demo.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use singlet_design::Design;
use singlet_engine::{Clock, Database, Options, SystemClock};
use singlet_run::seed::{SeedOptions, Suggestion};
use singlet_run::{Runner, Wait};
use singlet_store::Embedded;

use super::folder::{Call, Folder, Summary};
use super::{DESIGNS, options};
use crate::commands::seed::{Filled, fill as fill_design};
use crate::commands::serve::apply_design;
use crate::derivations::bring_up_to_date;
use crate::failure::{Failure, ServeFailure};
use crate::progress::Progress;
use crate::signals::Signals;
use crate::target::{Purpose, open_folder};

/// The calls that the greeting shows: what they show, the command, the design, the pattern, and further options.
const CALLS: [(&str, &str, &str, &str, &[&str]); 3] = [
    (
        "The newest posts of the people whom a user follows",
        "run",
        "social",
        "home_feed",
        &["--limit", "5", "--table"],
    ),
    ("An order with its lines", "run", "shop", "order_details", &["--table"]),
    (
        "The best recipes of a cuisine: the DynamoDB request and what it costs",
        "explain",
        "smart-cooking",
        "recipes_by_cuisine",
        &["--limit", "5"],
    ),
];

/// Fills a new database and puts it in its place. A signal stops it.
pub(super) async fn fill(folder: &Folder, signals: &mut Signals) -> Result<(), Failure> {
    let designs = folder.designs()?;
    let (filling, options) = (folder.filling(), options(folder));
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    // On a thread of its own, so that signals are heard meanwhile.
    let mut work = tokio::task::spawn_blocking(move || fill_whole(&filling, options, &designs, &stopped));
    let joined = tokio::select! {
        joined = &mut work => joined,
        () = signals.next() => {
            stop.store(true, Ordering::Relaxed);
            work.await
        }
    };
    let summary = joined.map_err(|error| ServeFailure::System(error.into()))??;
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::Refused("the demo was stopped before its data was complete".to_owned()));
    }
    let unwritable = |reason| Failure::Unwritable { file: folder.data().display().to_string(), reason };
    folder.write_summary(&summary).map_err(unwritable)?;
    fs::rename(folder.filling(), folder.data()).map_err(unwritable)
}

fn fill_whole(
    filling: &Path,
    options: Options,
    designs: &[(&str, Arc<Design>)],
    stop: &AtomicBool,
) -> Result<Summary, Failure> {
    let database = empty(filling, options)?;
    let total = DESIGNS.iter().map(|design| design.items).sum();
    let mut line = Progress::new();
    let mut summary = Summary::default();
    for ((name, design), carried) in designs.iter().zip(&DESIGNS) {
        let store = Embedded::new(database.clone(), filling.display().to_string());
        let environment = apply_design(design, None, &store).wait()?;
        let options = SeedOptions { items: carried.items, seed: 1, now_ms: SystemClock.now_ms() };
        let before = summary.items;
        let Filled { written, suggestions } =
            fill_design(design, &store, &environment, options, stop, &mut |written| {
                line.show(before + written, total, "items of sample data");
            })?;
        summary.items += written;
        bring_up_to_date(store.clone(), design, &environment)?;
        let runner = Runner::new(Arc::clone(design), &store, environment);
        for (about, command, _, pattern, options) in CALLS.iter().filter(|call| call.2 == *name) {
            if let Some(Suggestion { pattern, mut arguments }) = suggestions.richest(&runner, pattern).wait()
            {
                arguments.extend(options.iter().map(|option| (*option).to_owned()));
                let (about, command, design) =
                    ((*about).to_owned(), (*command).to_owned(), (*name).to_owned());
                summary.calls.push(Call { about, command, design, pattern, arguments });
            }
        }
    }
    drop(line);
    database.close().map_err(ServeFailure::Close)?;
    Ok(summary)
}

/// An empty database; what an interrupted fill left is deleted.
fn empty(filling: &Path, options: Options) -> Result<Database, Failure> {
    if filling.exists() {
        // Another demo may be filling the folder at this moment: then it can't be opened.
        let left = open_folder(filling, Purpose::Demo, false, options.clone());
        match left {
            Ok(database) => drop(database.close()),
            Err(failure @ Failure::InUse { .. }) => return Err(failure),
            // Damaged or half there: it goes all the same.
            Err(_) => {}
        }
        fs::remove_dir_all(filling)
            .map_err(|reason| Failure::Unwritable { file: filling.display().to_string(), reason })?;
    }
    open_folder(filling, Purpose::Demo, true, options)
}
