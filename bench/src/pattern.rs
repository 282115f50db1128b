//! The time of a pattern in process beside the engine call that it makes.

use std::time::Instant;

use anyhow::{Result, ensure};
use singlet_engine::Database;
use singlet_run::Wait;

use crate::report::say;
use posts::Posts;

/// The calls whose instructions `bench/instructions` counts.
#[path = "../core/src/posts.rs"]
mod posts;

/// Calls between two looks at the clock: a call takes microseconds.
const BATCH_CALLS: usize = 100;

/// How long to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct PatternOptions {
    /// Posts in the table
    #[arg(long, default_value_t = 20_000)]
    items: usize,
    /// Batches of 100 calls of each kind, taken in turn
    #[arg(long, default_value_t = 400)]
    batches: usize,
    /// Fail if a pattern that reads costs more than this many times its engine call
    #[arg(long)]
    most: Option<f64>,
}

/// Measures reads and writes, engine call and pattern in turn, and prints the medians.
pub(crate) fn pattern(options: &PatternOptions) -> Result<()> {
    let posts = Posts::fill(Database::in_memory()?, options.items)?;
    say!("{} posts; median of {} batches of {BATCH_CALLS} calls, in turn", posts.len(), options.batches);
    // All calls are awaited in one block, so that neither side pays for entering the runtime.
    let (reads, writes) =
        async { anyhow::Ok((reads(&posts, options.batches).await?, writes(&posts, options.batches).await?)) }
            .wait()?;
    for (name, [engine, pattern]) in reads.iter().chain(&writes) {
        let ratio = pattern / engine;
        say!("{name:>12}: engine {engine:6.2} µs, pattern {pattern:6.2} µs, {ratio:.2} times");
    }
    for (name, [engine, pattern]) in reads {
        let ratio = pattern / engine;
        ensure!(
            options.most.is_none_or(|most| ratio <= most),
            "{name} costs {ratio:.2} times its engine call"
        );
    }
    Ok(())
}

/// A name, and the microseconds of the engine call and of the pattern.
type Pair = (&'static str, [f64; 2]);

async fn reads(posts: &Posts, batches: usize) -> Result<[Pair; 2]> {
    let any = || fastrand::usize(..posts.len());
    let get = compare(batches, async || posts.engine_get(any()), async || posts.pattern_get(any()).await);
    let get = get.await?;
    let query =
        compare(batches, async || posts.engine_query(any()), async || posts.pattern_query(any()).await);
    Ok([("get", get), ("query of 20", query.await?)])
}

async fn writes(posts: &Posts, batches: usize) -> Result<[Pair; 2]> {
    let any = || fastrand::usize(..posts.len());
    let put =
        compare(batches, async || posts.engine_put(any()).await, async || posts.pattern_put(any()).await);
    let put = put.await?;
    let update = compare(
        batches,
        async || posts.engine_update(any()).await,
        async || posts.pattern_update(any()).await,
    );
    Ok([("put", put), ("update", update.await?)])
}

/// The median microseconds of a call of each of two kinds.
async fn compare(
    batches: usize,
    engine: impl AsyncFn() -> Result<()>,
    pattern: impl AsyncFn() -> Result<()>,
) -> Result<[f64; 2]> {
    let mut figures = [Vec::with_capacity(batches), Vec::with_capacity(batches)];
    let [of_engine, of_pattern] = &mut figures;
    for _ in 0..batches {
        of_engine.push(batch(&engine).await?);
        of_pattern.push(batch(&pattern).await?);
    }
    Ok(figures.map(|mut figures| {
        figures.sort_by(f64::total_cmp);
        figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
    }))
}

/// The mean microseconds of the calls of one batch.
async fn batch(call: impl AsyncFn() -> Result<()>) -> Result<f64> {
    let begin = Instant::now();
    for _ in 0..BATCH_CALLS {
        call().await?;
    }
    Ok(begin.elapsed().as_secs_f64() * 1e6 / BATCH_CALLS as f64)
}
