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

/// Prints the time for loading, for reviewing and for trying the fixes.
pub(crate) fn review(options: &ReviewOptions) -> anyhow::Result<()> {
    let source = design::large_design(options.entities, options.patterns);
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
        "{} entities, {} patterns: loaded in {:.1} ms, reviewed in {:.1} ms, fixes tried in {:.1} ms; {findings} findings, \
         {fixes} fixes, {untried} not tried",
        options.entities,
        options.patterns,
        loading.as_secs_f64() * 1e3,
        reviewing.as_secs_f64() * 1e3,
        fixing.as_secs_f64() * 1e3,
    );
    Ok(())
}
