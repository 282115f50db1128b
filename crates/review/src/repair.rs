//! Applying what the review shows, round after round: a fix can make room for another one.

use singlet_design::{Design, Report, load, position};

use crate::finding::Finding;
use crate::review::{Review, review};

/// Rounds of fixing. Each loses findings and gains none, so that few are needed; the bound is for designs that nobody
/// thought of.
const ROUNDS_MAX: usize = 20;

/// A design with its fixes applied.
#[derive(Debug)]
pub struct Repaired {
    /// The text, which loads.
    pub text: String,
    /// What was changed, in the order of application.
    pub changes: Vec<Applied>,
    /// The design that the text makes.
    pub design: Design,
}

/// A fix that was applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The rule whose finding is gone.
    pub rule: &'static str,
    /// The line that the finding pointed to, in the text as it was before this round.
    pub line: usize,
    /// What the change does.
    pub about: String,
}

/// Applies every fix that holds, until there is none. Fixes whose numbers are examples are applied only with `examples`.
/// The report says why a text doesn't load; then there is nothing to fix.
pub fn repair(file: &str, source: &str, examples: bool) -> Result<Repaired, Report> {
    let design = load(file, source)?;
    let mut repaired = Repaired { text: source.to_owned(), changes: Vec::new(), design };
    for _ in 0..ROUNDS_MAX {
        let mut found = review(&repaired.design, &repaired.text);
        for finding in found.findings.iter_mut().filter(|_| !examples) {
            finding.proposals.retain(|fix| !fix.example);
        }
        let found = found.with_fixes(&repaired.text);
        if found.fix_count() == 0 {
            break;
        }
        let text = found.fixed(&repaired.text);
        repaired.changes.extend(applied(&found, &repaired.text));
        repaired.design = load(file, &text)?;
        repaired.text = text;
    }
    Ok(repaired)
}

fn applied(review: &Review, source: &str) -> Vec<Applied> {
    let change = |finding: &Finding| {
        let fix = finding.fix.as_ref().filter(|fix| !fix.edits.is_empty())?;
        let line = position(source, finding.span.start).line;
        Some(Applied { rule: finding.rule, line, about: fix.about.clone() })
    };
    review.findings.iter().filter_map(change).collect()
}
