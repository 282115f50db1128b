//! Applying fixes in rounds, because one fix can make another possible.

use singlet_design::{Design, Lines, Report, load};

use crate::finding::Finding;
use crate::review::{Review, review};

/// Most rounds of fixes. Each round removes findings and adds none, so few are needed.
const ROUNDS_MAX: usize = 20;

/// A design with its fixes applied.
#[derive(Debug)]
pub struct Repaired {
    /// The fixed text, which loads.
    pub text: String,
    /// The fixes, in the order of application.
    pub changes: Vec<Applied>,
    /// The design of the fixed text.
    pub design: Design,
}

/// A fix that was applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The rule whose finding it removed.
    pub rule: &'static str,
    /// The line of the finding, in the text before this round.
    pub line: usize,
    /// The effect of the change.
    pub about: String,
}

/// Applies every fix that holds, until there are no more. Fixes with example numbers are applied only with `examples`.
///
/// # Errors
///
/// The report of a text that doesn't load, which has no fixes.
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
    let lines = Lines::new(source);
    let change = |finding: &Finding| {
        let fix = finding.fix.as_ref().filter(|fix| !fix.edits.is_empty())?;
        let line = lines.position(finding.span.start).line;
        Some(Applied { rule: finding.rule, line, about: fix.about.clone() })
    };
    review.findings.iter().filter_map(change).collect()
}
