//! How long the review of a large design takes.

use std::time::{Duration, Instant};

use clap::Args;

use crate::report::say;

#[path = "../../crates/review/tests/large/design.rs"]
mod design;

/// The design and how often it is reviewed.
#[derive(Args)]
pub(crate) struct ReviewOptions {
    /// Entities of the design
    #[arg(long, default_value_t = 200)]
    entities: usize,
    /// Patterns of the design
    #[arg(long, default_value_t = 500)]
    patterns: usize,
    /// How often it is loaded and reviewed; the fastest is shown
    #[arg(long, default_value_t = 5)]
    rounds: u32,
}

/// The fastest times of one design.
struct Times {
    check: Duration,
    review: Duration,
    fixes: Duration,
}

/// Prints the time for loading, for reviewing and for trying the fixes, of half the design and of the whole one, and by
/// which factor each grows. A factor of two is linear.
pub(crate) fn review(options: &ReviewOptions) -> anyhow::Result<()> {
    let half = measured(options, options.entities / 2, options.patterns / 2)?;
    let whole = measured(options, options.entities, options.patterns)?;
    let growth =
        |half: Duration, whole: Duration| whole.as_secs_f64() / half.as_secs_f64().max(f64::MIN_POSITIVE);
    say!(
        "growth: check {:.2}, review {:.2}, fixes {:.2}",
        growth(half.check, whole.check),
        growth(half.review, whole.review),
        growth(half.fixes, whole.fixes),
    );
    Ok(())
}

fn measured(options: &ReviewOptions, entities: usize, patterns: usize) -> anyhow::Result<Times> {
    let source = design::large_design(entities, patterns);
    let (mut loading, mut reviewing, mut fixing) = (Duration::MAX, Duration::MAX, Duration::MAX);
    let (mut findings, mut fixes, mut untried) = (0, 0, 0);
    for _ in 0..options.rounds.max(1) {
        let begun = Instant::now();
        let design = singlet_design::load("large.toml", &source)?;
        loading = loading.min(begun.elapsed());
        let begun = Instant::now();
        let review = singlet_review::review(&design, &source);
        reviewing = reviewing.min(begun.elapsed());
        let begun = Instant::now();
        let review = review.with_fixes(&source);
        fixing = fixing.min(begun.elapsed());
        (findings, fixes, untried) = (review.findings.len(), review.fix_count(), review.untried_fixes);
    }
    say!(
        "{entities} entities, {patterns} patterns: check {:.3} s, review {:.3} s, fixes {:.3} s; {findings} findings, \
         {fixes} fixes, {untried} not tried",
        loading.as_secs_f64(),
        reviewing.as_secs_f64(),
        fixing.as_secs_f64(),
    );
    Ok(Times { check: loading, review: reviewing, fixes: fixing })
}
