//! Fixes are tried before they are shown: applied to the text, loaded and reviewed again.
//!
//! A fix is shown only if the review of the changed text has lost the finding and gained none above a note. All fixes
//! that are shown for one file hold together in the same sense, so that they can be applied at once.

use std::collections::BTreeMap;

use singlet_design::Subject;

use crate::finding::{Finding, Severity};
use crate::fix::{Edit, Fix, apply_edits, joined};
use crate::review::{Review, review};

/// Bytes of design text that are loaded and reviewed at most to try fixes one by one, and as many again to try them
/// together. Beyond it, findings keep their advice in words, and the review says how many fixes were left untried.
const TRIED_BYTES_MAX: usize = 4 * 1024 * 1024;

impl Review {
    /// Gives each finding a fix that holds, or advice in words. `source` is the text that was reviewed.
    #[must_use]
    pub fn with_fixes(self, source: &str) -> Review {
        self.with_fixes_within(source, TRIED_BYTES_MAX)
    }

    /// The same with another bound on the bytes that are loaded.
    pub(super) fn with_fixes_within(mut self, source: &str, bytes_max: usize) -> Review {
        let mut trials = Trials::new(source, &self.findings, bytes_max);
        let mut order: Vec<usize> = (0..self.findings.len()).collect();
        order.sort_by_key(|at| self.findings.get(*at).map(|finding| std::cmp::Reverse(finding.severity)));
        let mut chosen: Vec<Candidate> = Vec::new();
        for at in order {
            let Some(finding) = self.findings.get_mut(at) else { continue };
            match trials.first_that_holds(finding) {
                Some((fix, others)) => {
                    chosen.push(Candidate { at, mended: Mended::of(finding), fix, others });
                }
                None => finding.fix = finding.fix.take().or_else(|| advice(&finding.proposals)),
            }
        }
        trials.bytes_left = bytes_max;
        let together = trials.together(chosen);
        for candidate in together.held {
            if let Some(finding) = self.findings.get_mut(candidate.at) {
                finding.fix = Some(candidate.fix);
            }
        }
        for candidate in together.dropped {
            if let Some(finding) = self.findings.get_mut(candidate.at) {
                finding.fix = advice(&finding.proposals);
            }
        }
        self.untried_fixes = trials.untried;
        self
    }

    /// The text with every fix that is shown.
    pub fn fixed(&self, source: &str) -> String {
        let fixes = self.findings.iter().filter_map(|finding| finding.fix.as_ref());
        match joined(fixes.map(|fix| fix.edits.as_slice())) {
            Some(edits) => apply_edits(source, &edits),
            // Fixes that are shown never overlap.
            None => source.to_owned(),
        }
    }

    /// How many findings have a fix that changes lines.
    pub fn fix_count(&self) -> usize {
        let fixes = self.findings.iter().filter_map(|finding| finding.fix.as_ref());
        fixes.filter(|fix| !fix.edits.is_empty()).count()
    }
}

/// The words for a finding whose changes don't hold.
fn advice(proposals: &[Fix]) -> Option<Fix> {
    let told = proposals.iter().find(|fix| fix.edits.is_empty()).or_else(|| proposals.first());
    told.map(|fix| Fix::advice(fix.about.as_str()))
}

/// What tells findings of two texts apart: places move when a text is changed, subjects don't.
type Identity = (&'static str, Vec<Subject>);

/// How many findings there are of each identity, at least as bad as a note, a warning and an error.
#[derive(Debug, Clone, Default)]
struct Tally(BTreeMap<Identity, [usize; 3]>);

impl Tally {
    fn of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Tally {
        let mut tally = Tally::default();
        findings.into_iter().for_each(|finding| tally.count(Mended::of(finding)));
        tally
    }

    fn count(&mut self, Mended { identity, severity }: Mended) {
        let counts = self.0.entry(identity).or_default();
        let steps = [Severity::Info, Severity::Warning, Severity::Error];
        for (count, step) in counts.iter_mut().zip(steps) {
            *count += usize::from(severity >= step);
        }
    }

    fn counts(&self, identity: &Identity) -> [usize; 3] {
        self.0.get(identity).copied().unwrap_or_default()
    }
}

/// A finding that a fix settles.
#[derive(Debug, Clone)]
struct Mended {
    identity: Identity,
    severity: Severity,
}

impl Mended {
    fn of(finding: &Finding) -> Mended {
        Mended { identity: (finding.rule, finding.subjects.clone()), severity: finding.severity }
    }
}

/// A fix that holds by itself.
#[derive(Debug, Clone)]
struct Candidate {
    /// The finding's position in the review.
    at: usize,
    mended: Mended,
    fix: Fix,
    /// What else is proposed, for when the fix doesn't go with others.
    others: Vec<Fix>,
}

/// Fixes that hold at once, and those that don't go with them.
#[derive(Debug, Default)]
struct Together {
    held: Vec<Candidate>,
    dropped: Vec<Candidate>,
}

/// Texts that were tried, and how many more may be.
#[derive(Debug)]
struct Trials<'a> {
    source: &'a str,
    before: Tally,
    bytes_left: usize,
    /// The findings after these edits; `None` if the text doesn't load.
    known: BTreeMap<Vec<Edit>, Option<Tally>>,
    untried: usize,
}

impl<'a> Trials<'a> {
    fn new(source: &'a str, findings: &[Finding], bytes_left: usize) -> Self {
        Trials { source, before: Tally::of(findings), bytes_left, known: BTreeMap::new(), untried: 0 }
    }

    /// The first proposal that settles a finding and brings no other, and the proposals behind it.
    fn first_that_holds(&mut self, finding: &Finding) -> Option<(Fix, Vec<Fix>)> {
        let mut proposals = finding.proposals.iter().filter(|fix| !fix.edits.is_empty());
        while let Some(fix) = proposals.next() {
            match self.holds(&[Mended::of(finding)], &[fix.edits.as_slice()]) {
                Some(true) => return Some((fix.clone(), proposals.cloned().collect())),
                Some(false) => {}
                None => {
                    self.untried += 1;
                    return None;
                }
            }
        }
        None
    }

    /// Adds fixes to those that hold together, halving the groups that don't.
    fn together(&mut self, candidates: Vec<Candidate>) -> Together {
        let mut together = Together::default();
        let mut groups = vec![candidates];
        while let Some(group) = groups.pop() {
            let members = || together.held.iter().chain(&group);
            let mended: Vec<Mended> = members().map(|one| one.mended.clone()).collect();
            let edits: Vec<&[Edit]> = members().map(|one| one.fix.edits.as_slice()).collect();
            match self.holds(&mended, &edits) {
                Some(true) => together.held.extend(group),
                Some(false) if group.len() > 1 => {
                    let mut first = group;
                    let second = first.split_off(first.len() / 2);
                    groups.extend([second, first]);
                }
                Some(false) => groups.extend(group.into_iter().filter_map(|one| {
                    let next = self.next_that_holds(&one);
                    if next.is_none() {
                        together.dropped.push(one);
                    }
                    next.map(|next| vec![next])
                })),
                None => {
                    self.untried += group.len();
                    together.dropped.extend(group);
                }
            }
        }
        together
    }

    /// The same finding with the next of its other proposals that holds by itself.
    fn next_that_holds(&mut self, candidate: &Candidate) -> Option<Candidate> {
        let mut others = candidate.others.iter();
        while let Some(fix) = others.next() {
            if self.holds(std::slice::from_ref(&candidate.mended), &[fix.edits.as_slice()]) == Some(true) {
                let (fix, others) = (fix.clone(), others.cloned().collect());
                return Some(Candidate { fix, others, ..candidate.clone() });
            }
        }
        None
    }

    /// Whether the text with these edits has lost the findings that they mend and gained none above a note; `None`
    /// if no more texts may be tried.
    fn holds(&mut self, mended: &[Mended], fixes: &[&[Edit]]) -> Option<bool> {
        let Some(edits) = joined(fixes.iter().copied()) else { return Some(false) };
        if edits.is_empty() {
            return Some(true);
        }
        if !self.known.contains_key(&edits) {
            self.bytes_left = self.bytes_left.checked_sub(self.source.len())?;
            let tally = reviewed(&apply_edits(self.source, &edits));
            self.known.insert(edits.clone(), tally);
        }
        let after = self.known.get(&edits)?.as_ref();
        Some(after.is_some_and(|after| settles(&self.before, after, mended)))
    }
}

fn reviewed(text: &str) -> Option<Tally> {
    let design = singlet_design::load("", text).ok()?;
    Some(Tally::of(&review(&design, text).findings))
}

fn settles(before: &Tally, after: &Tally, mended: &[Mended]) -> bool {
    let mut settled = Tally::default();
    mended.iter().for_each(|one| settled.count(one.clone()));
    let lost = settled.0.iter().all(|(identity, gone)| {
        let [before, after] = [before.counts(identity), after.counts(identity)];
        after.iter().zip(before).zip(gone).all(|((after, before), gone)| after + gone <= before)
    });
    let gained = after.0.iter().any(|(identity, counts)| {
        let [_, warnings, errors] = *counts;
        let [_, warnings_before, errors_before] = before.counts(identity);
        warnings > warnings_before || errors > errors_before
    });
    lost && !gained
}
