//! Designs are applied to a DynamoDB endpoint as to every store. The endpoint is our own server.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

#[path = "../../run/tests/applied/mod.rs"]
mod applied;
#[path = "../../dynamodb/tests/support/mod.rs"]
mod support;

use applied::{apply_tests, checks};
use singlet_run::Wait;
use support::Served;

apply_tests!(Served::start().wait());

#[test]
fn a_server_is_not_said_to_take_no_backups_by_a_schedule() {
    let store = Served::start().wait();
    let design = checks::load(
        "design = \"diary\"\n[table]\nkey = [\"PK\", \"SK\"]\nbackup = \"daily, keep 7 days\"\n\n[entity.Day]\n\
         key = [\"DAY#{day}\", \"DAY\"]\nfields = { day = \"key\" }\n",
    );
    let plan = checks::planned(&*store, &design).to_string();
    assert!(!plan.contains("takes none"), "{plan}");
    assert!(
        plan.contains("neither compared nor set here") && plan.contains("the schedule that it has stays"),
        "{plan}"
    );
}
