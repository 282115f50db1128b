//! Trying fixes before they are shown: each is applied to the text, and the result is loaded and reviewed.
//!
//! A fix holds if the changed text no longer has the finding and has no new finding above a note. All fixes that are
//! shown for one file hold together in the same sense, so they can be applied at once.

use std::collections::BTreeMap;

use singlet_design::Subject;

use super::review;
use crate::finding::{Finding, Severity};
use crate::fix::{Edit, Fix, apply_edits, joined};

/// Gives each finding the first of its proposals that holds, or advice in words. Returns the number of fixes that
/// weren't tried.
pub(super) fn choose(findings: &mut [Finding], source: &str, bytes_max: usize) -> usize {
    let mut trials = Trials::new(source, findings, bytes_max);
    let mut order: Vec<usize> = (0..findings.len()).collect();
    order.sort_by_key(|at| findings.get(*at).map(|finding| std::cmp::Reverse(finding.severity)));
    let mut chosen: Vec<Candidate> = Vec::new();
    for at in order {
        let Some(finding) = findings.get_mut(at) else { continue };
        match trials.first_that_holds(finding) {
            Some((fix, others)) => chosen.push(Candidate { at, mended: Mended::of(finding), fix, others }),
            None => finding.fix = finding.fix.take().or_else(|| advice(&finding.proposals)),
        }
    }
    trials.bytes_left = bytes_max;
    let together = trials.together(chosen);
    for candidate in together.held {
        if let Some(finding) = findings.get_mut(candidate.at) {
            finding.fix = Some(candidate.fix);
        }
    }
    for candidate in together.dropped {
        if let Some(finding) = findings.get_mut(candidate.at) {
            finding.fix = advice(&finding.proposals);
        }
    }
    trials.untried
}

/// The advice for a finding none of whose changes hold.
fn advice(proposals: &[Fix]) -> Option<Fix> {
    let told = proposals.iter().find(|fix| fix.edits.is_empty()).or_else(|| proposals.first());
    told.map(|fix| Fix::advice(fix.about.as_str()))
}

/// Identifies a finding across two versions of a text. Positions move when a text changes; rule and subjects don't.
type Identity = (&'static str, Vec<Subject>);

/// The number of findings of each identity that are at least a note, a warning and an error.
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

/// A finding that a fix removes.
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
    /// The finding's index in the review.
    at: usize,
    mended: Mended,
    fix: Fix,
    /// The remaining proposals, in case the fix doesn't hold together with others.
    others: Vec<Fix>,
}

/// Fixes that hold together, and those that don't hold with them.
#[derive(Debug, Default)]
struct Together {
    held: Vec<Candidate>,
    dropped: Vec<Candidate>,
}

/// The texts that were tried, and the bytes that may still be loaded.
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

    /// The first proposal that holds, and the proposals after it.
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

    /// Finds fixes that hold together. A group that doesn't hold is split into halves.
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

    /// The same finding with the next of its remaining proposals that holds by itself.
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

    /// Whether these fixes hold together; `None` if no more bytes may be loaded.
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
