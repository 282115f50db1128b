//! The job queue: designs/jobs.toml.

use std::collections::BTreeSet;

use singlet_design::Json;
use singlet_run::{Arguments, RunError};

use crate::arguments::{Look, args, column};
use crate::stage::Stage;

#[track_caller]
fn add(stage: &Stage, priority: i64) -> String {
    stage.run("add_job", args!(queue = "mail", kind = "welcome", priority = priority)).text("job_id")
}

#[track_caller]
fn take(stage: &Stage, worker: &str) -> Json {
    stage.run("take_job", args!(queue = "mail", worker = worker))
}

/// The arguments by which a worker shows that it has the lease.
fn lease(job: &str, worker: &str, attempt: i64) -> Arguments {
    args!(job_id = job, worker = worker, attempt = attempt)
}

fn with(mut arguments: Arguments, name: &str, value: Json) -> Arguments {
    arguments.insert(name.to_owned(), value);
    arguments
}

#[track_caller]
fn lost(error: &RunError) {
    assert!(matches!(error, RunError::Condition { .. }), "{error:?}");
}

/// The timer comes round: how many jobs it released, and how many it buried.
#[track_caller]
fn timer(stage: &Stage) -> (i64, i64) {
    let done = |pattern: &str| {
        let answer = stage.run(pattern, args!(queue = "mail"));
        assert!(!answer.has("cursor") && answer.at("failed").as_list() == Some(&[]), "{answer}");
        answer.at("done").to_string().parse().unwrap()
    };
    (done("release_due"), done("bury_overdue"))
}

pub(crate) fn the_most_urgent_job_is_taken_first_and_the_oldest_of_those(stage: &Stage) {
    let jobs = [add(stage, 5), add(stage, 5), add(stage, 1), add(stage, 9)];
    assert_eq!(stage.run("count_ready", args!(queue = "mail")).at("count"), &Json::from(4));
    let taken: Vec<String> = (0..4).map(|_| take(stage, "w").text("job_id")).collect();
    assert_eq!(taken, [&jobs[3], &jobs[0], &jobs[1], &jobs[2]].map(String::as_str));
    assert_eq!(take(stage, "w"), Json::Null);
}

pub(crate) fn each_worker_gets_another_job_and_finishes_only_its_own(stage: &Stage) {
    let jobs: BTreeSet<String> = (0..3).map(|_| add(stage, 5)).collect();
    let taken: Vec<String> =
        ["w1", "w2", "w3"].iter().map(|worker| take(stage, worker).text("job_id")).collect();
    assert_eq!(taken.iter().cloned().collect::<BTreeSet<_>>(), jobs);
    lost(&stage.refused("finish_job", lease(&taken[0], "w2", 1)));
    stage.run("finish_job", lease(&taken[0], "w1", 1));
    assert_eq!(stage.run("get_job", args!(job_id = &taken[0])).text("state"), "done");
    lost(&stage.refused("finish_job", lease(&taken[0], "w1", 1)));
    stage.days_pass(8);
    assert_eq!(stage.run("get_job", args!(job_id = &taken[0])), Json::Null);
}

pub(crate) fn a_job_whose_worker_is_lost_is_taken_over(stage: &Stage) {
    let job = add(stage, 5);
    take(stage, "w1");
    assert_eq!(timer(stage), (0, 0), "the lease lasts");
    stage.run("extend_lease", with(lease(&job, "w1", 1), "seconds", Json::from(600)));
    stage.seconds_pass(300);
    assert_eq!(timer(stage), (0, 0), "it was extended");
    stage.seconds_pass(300);
    assert_eq!(timer(stage), (1, 0));
    let again = take(stage, "w1");
    assert_eq!(again.at("attempts"), &Json::from(2));
    lost(&stage.refused("finish_job", lease(&job, "w1", 1)));
    stage.run("finish_job", lease(&job, "w1", 2));
}

pub(crate) fn a_failed_job_is_retried_as_often_as_it_may_and_then_buried(stage: &Stage) {
    let job = stage.run("add_job", args!(queue = "mail", kind = "welcome", max_attempts = 2)).text("job_id");
    take(stage, "w");
    let failed = |attempt| with(lease(&job, "w", attempt), "problem", Json::from("no network"));
    stage.run("retry_job", with(failed(1), "seconds", Json::from(30)));
    assert_eq!(take(stage, "w"), Json::Null, "not yet");
    stage.seconds_pass(30);
    assert_eq!(timer(stage), (1, 0));
    assert_eq!(take(stage, "w").text("problem"), "no network");
    lost(&stage.refused("retry_job", with(failed(2), "seconds", Json::from(30))));
    stage.run("bury_job", failed(2));
    assert_eq!(column(&stage.list("dead_jobs", args!(queue = "mail")), "job_id"), [job.as_str()]);

    stage.run("revive_job", args!(job_id = &job));
    assert_eq!(stage.list("dead_jobs", args!(queue = "mail")), []);
    assert_eq!(take(stage, "w").at("attempts"), &Json::from(1));
}

pub(crate) fn a_job_whose_last_worker_is_lost_is_buried_and_deleted(stage: &Stage) {
    stage.run("add_job", args!(queue = "mail", kind = "welcome", max_attempts = 1));
    let job = take(stage, "w").text("job_id");
    lost(&stage.refused("delete_job", args!(job_id = &job)));
    stage.seconds_pass(60);
    assert_eq!(timer(stage), (0, 1));
    assert_eq!(stage.list("dead_jobs", args!(queue = "mail"))[0].text("problem"), "the worker was lost");
    stage.run("delete_job", args!(job_id = &job));
    assert_eq!(stage.run("get_job", args!(job_id = &job)), Json::Null);
}

pub(crate) fn a_scheduled_job_is_ready_at_its_time(stage: &Stage) {
    let later = args!(queue = "mail", kind = "welcome", due_at = "2035-01-22T10:05:00Z");
    let job = stage.run("schedule_job", later).text("job_id");
    assert_eq!((timer(stage), take(stage, "w")), ((0, 0), Json::Null));
    stage.seconds_pass(300);
    assert_eq!(timer(stage), (1, 0));
    assert_eq!(take(stage, "w").text("job_id"), job);
}
