//! How patterns are called: every example fits its pattern.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use singlet_design::from_text;
use singlet_engine::Database;
use singlet_run::apply::{choose_environment, plan};
use singlet_run::{Arguments, Paging, RunError, Runner, Usage, Wait};
use singlet_store::Embedded;

fn designs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [root.join("../../designs"), root.join("../design/tests/good")];
    let files =
        folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|kind| kind == "toml")).collect();
    files.sort();
    files
}

#[test]
fn the_example_of_every_pattern_is_accepted_by_the_pattern() {
    for path in designs() {
        let source = fs::read_to_string(&path).unwrap();
        let design = singlet_design::load(&path.display().to_string(), &source);
        let design = Arc::new(design.unwrap_or_else(|report| panic!("{report}")));
        let store = Embedded::new(Database::in_memory().unwrap(), "memory");
        let environment = choose_environment(&design, None).unwrap();
        plan(&design, &environment, &store).wait().unwrap().run(&store, &mut |_| {}).wait().unwrap();
        let runner = Runner::new(Arc::clone(&design), store, &environment.name);
        for pattern in design.callable() {
            let mut arguments = Arguments::new();
            for argument in Usage::of(pattern).example {
                let (name, text) = argument.split_once('=').unwrap();
                let kind = &pattern.parameter(name).unwrap().kind;
                arguments.insert(name.to_owned(), from_text(kind, text).unwrap());
            }
            let answer = runner.run(&pattern.name, &arguments, &Paging::default()).wait();
            let wrong = matches!(answer, Err(RunError::Parameter { .. } | RunError::Parameters { .. }));
            assert!(!wrong, "{}: {} {arguments:?}: {answer:?}", path.display(), pattern.name);
        }
    }
}
