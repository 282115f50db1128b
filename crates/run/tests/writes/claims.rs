//! Claims: the first item of a list that can be changed.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use proptest::prelude::*;
use singlet_design::Json;
use singlet_run::explain::Recording;
use singlet_run::{Paging, RunError, Wait};

use crate::backend::cases;
use crate::fixture::{Fixture, try_run};

const JOBS: &str = r##"
design = "jobs"
[table]
key = ["PK", "SK"]
[index]
GSI1 = ["GSI1PK", "GSI1SK"]
Narrow = { key = ["NarrowPK", "NarrowSK"], project = "keys" }

[entity.Job]
key    = ["JOB#{job_id}", "JOB"]
GSI1   = ["QUEUE#{queue}#{state}", "{priority:03}#{job_id}"]
Narrow = ["QUEUE#{queue}", "{priority:03}#{job_id}"]
[entity.Job.fields]
job_id   = "id"
queue    = "key"
priority = { type = "int", min = 0, max = 999, default = 500 }
state    = { type = "string", enum = ["ready", "taken", "done"], default = "ready" }
worker   = { type = "string", optional = true }
tries    = { type = "int", default = 0 }

[pattern.add]
create = "Job"
[pattern.take_job]
update = "Job"
set    = { state = "taken", worker = "{worker}" }
add    = { tries = 1 }
if     = "state = 'ready'"
[pattern.remove_job]
delete = "Job"
[pattern.ready_jobs]
query  = "Job"
on     = "GSI1"
limit  = 10
[pattern.jobs_in_queue]
query  = "Job"
on     = "Narrow"
[pattern.take]
claim = { each = "job in ready_jobs", run = "take_job" }
[pattern.take_from_all]
claim = { each = "job in jobs_in_queue", run = "take_job", max = 1000 }
[pattern.take_from_few]
claim = { each = "job in jobs_in_queue", run = "take_job", max = 5 }
[pattern.pop]
claim = { each = "job in ready_jobs", run = "remove_job" }
[pattern.finish]
claim = { each = "job in ready_jobs", run = { update = "Job", set = { state = "done", worker = "{job.queue}" }, if = "state = 'ready'" } }
[pattern.take_one_of]
claim = { each = "id in ids", run = "take_job", with = { job_id = "{id}" } }
"##;

fn jobs(count: usize) -> Fixture {
    let fixture = Fixture::new(JOBS);
    for job in 0..count {
        fixture.run("add", &format!(r#"{{"job_id": "j{job:04}", "queue": "q"}}"#));
    }
    fixture
}

fn id(answer: &Json) -> Option<String> {
    answer.get("job_id").and_then(Json::as_text).map(str::to_owned)
}

const CALL: &str = r#"{"queue": "q", "state": "ready", "worker": "w"}"#;
const ALL: &str = r#"{"queue": "q", "worker": "w"}"#;

#[test]
fn the_first_item_of_the_list_is_changed_and_returned() {
    let fixture = jobs(3);
    fixture.run("add", r#"{"job_id": "urgent", "queue": "q", "priority": 1}"#);
    let answer = fixture.run("take", CALL);
    assert_eq!(id(&answer).as_deref(), Some("urgent"));
    assert_eq!(answer.get("worker").and_then(Json::as_text), Some("w"));
    assert_eq!(id(&fixture.run("take", CALL)).as_deref(), Some("j0000"));
}

#[test]
fn without_an_item_that_can_be_changed_the_answer_is_null() {
    let fixture = jobs(1);
    fixture.run("take", CALL);
    assert_eq!(fixture.run("take", CALL), Json::Null);
    assert_eq!(fixture.run("take_from_all", ALL), Json::Null);
}

#[test]
fn items_that_the_condition_refuses_are_passed_over() {
    let fixture = jobs(25);
    for _ in 0..20 {
        fixture.run("take", CALL);
    }
    // The index has the keys only, so only the write itself can tell.
    assert_eq!(id(&fixture.run("take_from_all", ALL)).as_deref(), Some("j0020"));
    assert_eq!(fixture.run("take_from_few", ALL), Json::Null, "only the first five are tried");
}

#[test]
fn an_item_that_shows_that_the_condition_does_not_hold_costs_no_write() {
    let source = JOBS.replace("project = \"keys\"", "project = [\"state\"]");
    let fixture = Fixture::new(&source);
    for job in 0..4 {
        fixture.run("add", &format!(r#"{{"job_id": "j{job}", "queue": "q"}}"#));
    }
    fixture.run("take_from_all", ALL);
    fixture.run("take_from_all", ALL);
    let runner = fixture.runner_on(Recording::new(fixture.runner.store()));
    let answer = try_run(&runner, "take_from_all", ALL).wait().unwrap().to_json();
    assert_eq!(id(&answer).as_deref(), Some("j2"));
    let operations: Vec<&str> = runner.store().recorded().iter().map(|one| one.operation).collect();
    assert_eq!(operations.iter().filter(|one| **one == "UpdateItem").count(), 1, "{operations:?}");
}

#[test]
fn a_claim_can_delete_the_item() {
    let fixture = jobs(2);
    let call = r#"{"queue": "q", "state": "ready"}"#;
    assert_eq!(id(&fixture.run("pop", call)).as_deref(), Some("j0000"));
    assert_eq!(id(&fixture.run("pop", call)).as_deref(), Some("j0001"));
    assert_eq!(fixture.run("pop", call), Json::Null);
    assert!(fixture.stored("Job", "job_id", "j0000").is_none());
}

#[test]
fn the_write_can_be_part_of_the_claim_and_use_fields_of_the_item() {
    let fixture = jobs(2);
    let answer = fixture.run("finish", r#"{"queue": "q", "state": "ready"}"#);
    assert_eq!(id(&answer).as_deref(), Some("j0000"));
    assert_eq!(answer.get("worker").and_then(Json::as_text), Some("q"));
}

#[test]
fn the_first_possible_one_of_given_items_is_taken() {
    let fixture = jobs(4);
    let call = r#"{"ids": ["nobody", "j0003", "j0001"], "worker": "w"}"#;
    assert_eq!(id(&fixture.run("take_one_of", call)).as_deref(), Some("j0003"));
    assert_eq!(id(&fixture.run("take_one_of", call)).as_deref(), Some("j0001"));
    assert_eq!(fixture.run("take_one_of", call), Json::Null);
}

#[test]
fn a_longer_list_than_the_maximum_is_refused() {
    let ids = vec!["\"x\""; 101].join(", ");
    let refused = jobs(0).try_run("take_one_of", &format!(r#"{{"ids": [{ids}], "worker": "w"}}"#));
    let Err(RunError::Parameter { parameter, reason }) = refused else { panic!("{refused:?}") };
    assert_eq!(
        (parameter.as_str(), reason.as_str()),
        ("ids", "has 101 elements; take_one_of takes at most 100")
    );
}

#[test]
fn a_claim_has_no_pages() {
    let fixture = jobs(1);
    let arguments = [("queue", "q"), ("state", "ready"), ("worker", "w")];
    let arguments: singlet_run::Arguments =
        arguments.map(|(name, value)| (name.to_owned(), Json::from(value))).into();
    let paging = Paging { limit: Some(2), ..Paging::default() };
    let refused = fixture.runner.run("take", &arguments, &paging).wait();
    assert!(matches!(refused, Err(RunError::Parameter { .. })), "{refused:?}");
}

/// Takes jobs with many workers at once until none is left and nobody adds any, and returns what they took.
fn emptied(
    fixture: &Fixture,
    workers: usize,
    pattern: &str,
    call: &str,
    adding: &AtomicUsize,
) -> Vec<String> {
    let taken = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for worker in 0..workers {
            let call = call.replace("\"w\"", &format!("\"w{worker}\""));
            let taken = &taken;
            scope.spawn(move || {
                loop {
                    let was_last = adding.load(Ordering::Acquire) == 0;
                    match fixture.try_run(pattern, &call) {
                        Ok(answer) => match id(&answer.to_json()) {
                            Some(id) => taken.lock().unwrap().push(id),
                            None if was_last => break,
                            None => thread::yield_now(),
                        },
                        Err(RunError::Contention { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    taken.into_inner().unwrap()
}

#[test]
fn sixteen_workers_take_each_of_400_jobs_exactly_once() {
    let fixture = jobs(400);
    let taken = emptied(&fixture, 16, "take", CALL, &AtomicUsize::new(0));
    assert_eq!(taken.len(), 400);
    assert_eq!(taken.iter().collect::<BTreeSet<_>>().len(), 400);
    // The counter would show a job that was taken twice.
    for item in fixture.scan(None) {
        assert_eq!(item.get("tries"), Some(&singlet_engine::values::Number::from(1).into()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(12), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_item_is_taken_once_by_any_number_of_workers(
        count in 0_usize..60,
        workers in 1_usize..6,
        pattern in prop::sample::select(vec![("take", CALL), ("take_from_all", ALL), ("pop", r#"{"queue": "q", "state": "ready"}"#)]),
    ) {
        let fixture = jobs(count);
        let taken = emptied(&fixture, workers, pattern.0, pattern.1, &AtomicUsize::new(0));
        prop_assert_eq!(taken.len(), count);
        prop_assert_eq!(taken.into_iter().collect::<BTreeSet<_>>().len(), count);
    }

    /// Jobs that come while workers take others, of any priority, are taken once as well.
    #[test]
    fn jobs_that_are_added_meanwhile_are_taken_once_too(
        count in 0_usize..20,
        added in prop::collection::vec(prop::collection::vec(0_u16..1000, 0..20), 1..4),
        workers in 1_usize..6,
    ) {
        let fixture = jobs(count);
        let adding = AtomicUsize::new(added.len());
        let taken = thread::scope(|scope| {
            for (adder, priorities) in added.iter().enumerate() {
                let (fixture, adding) = (&fixture, &adding);
                scope.spawn(move || {
                    for (number, priority) in priorities.iter().enumerate() {
                        let call = format!(r#"{{"job_id": "a{adder}-{number}", "queue": "q", "priority": {priority}}}"#);
                        fixture.run("add", &call);
                    }
                    adding.fetch_sub(1, Ordering::Release);
                });
            }
            emptied(&fixture, workers, "take", CALL, &adding)
        });
        let all = count + added.iter().map(Vec::len).sum::<usize>();
        prop_assert_eq!(taken.len(), all);
        prop_assert_eq!(taken.into_iter().collect::<BTreeSet<_>>().len(), all);
    }
}
