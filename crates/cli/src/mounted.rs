//! The API of designs beside the database that it runs on.

use std::collections::BTreeSet;
use std::sync::Arc;

use singlet_api::{Metered, router};
use singlet_design::Design;
use singlet_engine::Database;
use singlet_run::Runner;
use singlet_run::apply::choose_environment;
use singlet_server::Server;
use singlet_store::Embedded;

use crate::failure::Failure;

/// Mounts the API of the designs, if there are any. Their cursors are encrypted with this key.
pub(crate) fn mount(
    server: Server,
    designs: &[Arc<Design>],
    environment: Option<&str>,
    database: &Database,
    cursor_key: [u8; 32],
) -> Result<Server, Failure> {
    if designs.is_empty() {
        return Ok(server);
    }
    let runner = |design: &Arc<Design>| {
        let store = Metered::new(Embedded::new(database.clone(), design.name.clone()));
        let environment = choose_environment(design, environment)?;
        Ok(Runner::new(Arc::clone(design), store, environment.name).with_cursor_key(cursor_key))
    };
    let runners = designs.iter().map(runner).collect::<Result<Vec<_>, Failure>>()?;
    Ok(server.mount(router(runners)))
}

/// Refuses designs of the same name, which would have the same paths.
pub(crate) fn check_names(designs: &[Arc<Design>]) -> Result<(), Failure> {
    let mut names = BTreeSet::new();
    match designs.iter().find(|design| !names.insert(&design.name)) {
        Some(design) => Err(Failure::Arguments(format!(
            "two of the designs are called `{}`: rename one of them",
            design.name
        ))),
        None => Ok(()),
    }
}
