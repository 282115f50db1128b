//! The file of a design with the findings of the review in their places.

use maud::{Markup, html};
use singlet_design::{Design, Lines};
use singlet_review::{Allowed, Finding, Fix, Review, rule};

use super::highlight;
use crate::figures::counted;
use crate::icon::Icon;
use crate::parts::{empty, entity_tag, prose, severity};

/// A finding beside its line; allowed ones with the reason.
struct Placed<'r> {
    line: usize,
    id: String,
    finding: &'r Finding,
    reason: Option<&'r str>,
}

/// A list of the findings, and the file.
pub(super) fn content(design: &Design, review: &Review) -> Markup {
    let placed = placed(design, review);
    html! {
        section.block aria-labelledby="findings" {
            h2 #findings { "Findings" }
            @if placed.is_empty() {
                (empty("The review has no findings", &html! { "Every rule holds at the declared rates." }))
            } @else {
                ol.findings {
                    @for one in &placed {
                        li {
                            @match one.reason {
                                None => (severity(one.finding.severity)),
                                Some(_) => span.severity.fine { (Icon::Fine) "allowed" },
                            }
                            a href={ "#" (one.id) } { "line " (one.line) }
                            span { code { (one.finding.rule) } " " (prose(&one.finding.message)) }
                        }
                    }
                }
            }
        }
        section.block aria-labelledby="file" {
            h2 #file { "File" }
            div.file { @for section in sections(&design.source) { (folded(design, &section, &placed)) } }
        }
    }
}

fn placed<'r>(design: &Design, review: &'r Review) -> Vec<Placed<'r>> {
    let positions = Lines::new(&design.source);
    let open = review.findings.iter().map(|finding| (finding, None));
    let allowed = |Allowed { finding, reason }: &'r Allowed| (finding, Some(reason.as_str()));
    let all = open.chain(review.allowed.iter().map(allowed)).enumerate();
    let mut placed: Vec<Placed<'_>> = all
        .map(|(number, (finding, reason))| {
            let line = positions.position(finding.span.start).line;
            Placed { line, id: format!("finding-{}", number + 1), finding, reason }
        })
        .collect();
    placed.sort_by_key(|one| one.line);
    placed
}

/// A part of the file that can be folded: an entity with its patterns, or what stands before the first one.
struct Fold<'d> {
    entity: Option<&'d str>,
    lines: Vec<(usize, &'d str)>,
}

/// The file in its sections. Comments above an entity belong to it.
fn sections(source: &str) -> Vec<Fold<'_>> {
    let mut sections = vec![Fold { entity: None, lines: Vec::new() }];
    for line in (1..).zip(source.lines()) {
        let header = line.1.strip_prefix("[entity.").and_then(|rest| rest.split_once(']'));
        if let Some((name, _)) = header.filter(|(name, _)| !name.contains('.'))
            && let Some(before) = sections.last_mut()
        {
            let is_body = |(_, line): &(usize, &str)| !line.is_empty() && !line.starts_with('#');
            let end = before.lines.iter().rposition(is_body).map_or(0, |last| last + 1);
            let lines = before.lines.split_off(end);
            sections.push(Fold { entity: Some(name), lines });
        }
        if let Some(section) = sections.last_mut() {
            section.lines.push(line);
        }
    }
    sections.retain(|section| !section.lines.is_empty());
    sections
}

fn folded(design: &Design, section: &Fold<'_>, placed: &[Placed<'_>]) -> Markup {
    let first = section.lines.first().map(|(number, _)| *number).unwrap_or_default();
    let last = section.lines.last().map(|(number, _)| *number).unwrap_or_default();
    let findings = placed.iter().filter(|one| (first..=last).contains(&one.line)).count();
    html! {
        details.section open {
            summary {
                @match section.entity {
                    Some(entity) => (entity_tag(design, entity)),
                    None => "Tables and settings",
                }
                span.count {
                    (counted(section.lines.len(), "line"))
                    @if findings > 0 { ", " (counted(findings, "finding")) }
                }
            }
            (lines(design, section, placed))
        }
    }
}

/// The lines of a section in pieces: lines without findings lie in one block with the line that ends it.
fn lines(design: &Design, section: &Fold<'_>, placed: &[Placed<'_>]) -> Markup {
    let mut block: Vec<(usize, &str)> = Vec::new();
    let mut parts: Vec<Markup> = Vec::new();
    for (number, line) in &section.lines {
        block.push((*number, line));
        let mut here = placed.iter().filter(|one| one.line == *number).peekable();
        if here.peek().is_some() {
            parts.push(code(&std::mem::take(&mut block)));
            parts.extend(here.map(|one| note(design, one)));
        }
    }
    parts.push(code(&block));
    html! { @for part in &parts { (part) } }
}

fn code(lines: &[(usize, &str)]) -> Markup {
    html! {
        @if !lines.is_empty() {
            ol.source start=[lines.first().map(|(number, _)| number)] {
                @for (number, line) in lines {
                    li id={ "line-" (number) } data-line=(number) { code { (highlight::line(line)) } }
                }
            }
        }
    }
}

/// A finding below its line.
fn note(design: &Design, placed: &Placed<'_>) -> Markup {
    let Placed { line, id, finding, reason } = placed;
    let kind = if reason.is_some() { "allowed" } else { finding.severity.word() };
    html! {
        div class={ "finding " (kind) } id=(id) role="note" aria-label={ "Finding " (finding.rule) " in line " (line) } {
            p {
                @match reason {
                    None => (severity(finding.severity)),
                    Some(_) => span.severity.fine { (Icon::Fine) "allowed" },
                }
                code { (finding.rule) }
            }
            p { (prose(&finding.message)) }
            @if let Some(reason) = reason { p.reason { "Allowed: " (prose(reason)) } }
            @if let Some(fix) = &finding.fix { (proposal(&design.source, fix)) }
            @if let Some(rule) = rule(finding.rule) { p.about { (rule.summary) } }
        }
    }
}

/// A fix: in words, and the lines that it changes.
fn proposal(source: &str, fix: &Fix) -> Markup {
    html! {
        p.fix { "Fix: " (prose(&fix.about)) }
        @for (old, new) in fix.lines(source) {
            pre.change {
                @for line in &old { del { "- " (line) "\n" } }
                @for line in &new { ins { "+ " (line) "\n" } }
            }
        }
    }
}
