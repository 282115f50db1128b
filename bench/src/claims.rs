//! Workers that claim the jobs of one queue.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use singlet_design::{Json, load};
use singlet_engine::Database;
use singlet_run::{Arguments, Outcome, Paging, RunError, Runner, Wait, apply};
use singlet_store::Embedded;

use crate::report::say;

/// A job queue in the order of priorities.
const DESIGN: &str = r##"
design = "jobs"

[table]
key = ["PK", "SK"]
[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Job]
key  = ["JOB#{job_id}", "JOB"]
GSI1 = ["QUEUE#{queue}#{state}", "{priority:03}#{job_id}"]
[entity.Job.fields]
job_id   = "key"
queue    = "key"
state    = { type = "string", enum = ["ready", "taken"], default = "ready" }
priority = { type = "int", min = 0, max = 999 }
worker   = { type = "string", optional = true }
work     = "string"

[pattern.add_job]
create = "Job"
[pattern.add_jobs]
bulk = { each = "job in jobs", run = "add_job", with = { job_id = "{job.id}", priority = "{job.priority}" } }
[pattern.jobs_in_state]
query = "Job"
on    = "GSI1"
limit = 10
[pattern.take_job]
update = "Job"
set    = { state = "taken", worker = "{worker}" }
if     = "state = 'ready'"
[pattern.claim_job]
claim = { each = "job in jobs_in_state", run = "take_job" }
"##;

/// Jobs of one call that adds them.
const BATCH_JOBS: usize = 1000;

/// How many jobs and workers.
#[derive(Debug, clap::Args)]
pub(crate) struct ClaimsOptions {
    /// Jobs in the queue
    #[arg(long, default_value_t = 10_000)]
    jobs: usize,
    /// Workers that claim at the same time
    #[arg(long, default_value_t = 16)]
    workers: usize,
    /// An empty folder for the database; without it, the database is in memory and doesn't wait for the disk
    #[arg(long)]
    data: Option<PathBuf>,
}

/// Fills a queue, lets the workers empty it, and prints the jobs per second. Fails if a job was taken twice or never.
pub(crate) fn claims(options: &ClaimsOptions) -> Result<()> {
    let database = match &options.data {
        Some(folder) => Database::open(folder)?,
        None => Database::in_memory()?,
    };
    let design = Arc::new(load("jobs.toml", DESIGN)?);
    let store = Embedded::new(database, "bench");
    let environment = apply::choose_environment(&design, None)?;
    apply::plan(&design, &environment, &store).wait()?.run(&store, &mut |_| {}).wait()?;
    let runner = Arc::new(Runner::new(design, store, environment.name));
    fill(&runner, options.jobs)?;
    say!("{} jobs in one queue, {} workers", options.jobs, options.workers);
    let begin = Instant::now();
    let taken = empty(&runner, options.workers).wait()?;
    let elapsed = begin.elapsed();
    let calls: Vec<Duration> = taken.iter().map(|(_, duration)| *duration).collect();
    let ids: BTreeSet<&str> = taken.iter().map(|(id, _)| id.as_str()).collect();
    ensure!(taken.len() == ids.len(), "{} jobs were taken twice", taken.len() - ids.len());
    ensure!(ids.len() == options.jobs, "{} of {} jobs were taken", ids.len(), options.jobs);
    let rate = options.jobs as f64 / elapsed.as_secs_f64();
    let [median, slow] = [0.5, 0.99].map(|share| percentile(&calls, share).as_secs_f64() * 1e3);
    say!(
        "{rate:.0} jobs a second, each taken once; a claim took {median:.2} ms (median), {slow:.2} ms (99 %)"
    );
    Ok(())
}

fn fill(runner: &Runner<Embedded>, jobs: usize) -> Result<()> {
    let numbers: Vec<usize> = (0..jobs).collect();
    for chunk in numbers.chunks(BATCH_JOBS) {
        let job = |job: &usize| -> Result<Json> {
            let priority = i64::try_from(job % 10)?;
            Ok(Json::from([("id", Json::from(format!("{job:08}"))), ("priority", Json::from(priority))]))
        };
        let jobs = chunk.iter().map(job).collect::<Result<Vec<Json>>>()?;
        let arguments = Arguments::from([
            ("queue".to_owned(), Json::from("q")),
            ("work".to_owned(), Json::from("a payload of a usual length ".repeat(8))),
            ("jobs".to_owned(), Json::List(jobs)),
        ]);
        let paging = Paging { limit: Some(u32::try_from(BATCH_JOBS)?), cursor: None };
        let added = runner.run("add_jobs", &arguments, &paging).wait()?;
        ensure!(
            matches!(&added, Outcome::Bulk(report) if report.failed.is_empty()),
            "not all jobs were added"
        );
    }
    Ok(())
}

/// The jobs that all workers took, with the time of each call.
async fn empty(runner: &Arc<Runner<Embedded>>, workers: usize) -> Result<Vec<(String, Duration)>> {
    let mut working = tokio::task::JoinSet::new();
    for worker in 0..workers {
        let runner = Arc::clone(runner);
        working.spawn(async move { work(&runner, worker).await });
    }
    let mut taken = Vec::new();
    while let Some(worker) = working.join_next().await {
        taken.extend(worker??);
    }
    Ok(taken)
}

async fn work(runner: &Runner<Embedded>, worker: usize) -> Result<Vec<(String, Duration)>> {
    let texts = [("queue", "q".to_owned()), ("state", "ready".to_owned()), ("worker", format!("w{worker}"))];
    let arguments: Arguments = texts.map(|(name, text)| (name.to_owned(), Json::from(text))).into();
    let paging = Paging::default();
    let mut taken = Vec::new();
    loop {
        let begin = Instant::now();
        match runner.run("claim_job", &arguments, &paging).await {
            Ok(Outcome::Written(job)) => {
                let id = job.to_json().get("job_id").and_then(Json::as_text).map(str::to_owned);
                taken.push((id.context("a job without its id")?, begin.elapsed()));
            }
            Ok(_) => return Ok(taken),
            Err(RunError::Contention { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn percentile(durations: &[Duration], share: f64) -> Duration {
    let mut sorted = durations.to_vec();
    sorted.sort_unstable();
    let position = (sorted.len() as f64 * share) as usize;
    sorted.get(position.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
}
