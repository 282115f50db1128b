//! `docs/what-the-review-found.md`, written from the reviews themselves.

use std::fmt::Write as _;

use singlet_design::Lines;
use singlet_review::{Finding, Fix, RULES, Severity};

use super::files::{Held, keep};
use super::traps::{Shown, ShownBy, TRAPS};

/// Findings of one rule that are shown in full. The others are named by their subjects.
const SHOWN_IN_FULL: usize = 3;
/// Columns of the page.
const COLUMNS: usize = 120;

const OPENING: &str = "\
# Findings of the review in the designs as written

Five documents about designs for DynamoDB and Cassandra are transcribed in
[designs/as-written](../designs/as-written) as literally as the language allows, including their mistakes. This page
shows what `singlet review` finds in them. The complete reviews, with the lines that they point to, are in
[crates/review/tests/review](../crates/review/tests/review).

If a rule finds the same thing more than three times in a design, the page shows the first three findings and names the
subjects of the others. Notes are only counted. The working designs that came from these documents are in
[designs](../designs). The review finds no errors in them, and each warning is allowed with a reason.

This page is generated: `SINGLET_REWRITE=1 cargo test -p singlet-review --test review` writes it. Without the variable
the test fails if the page is out of date.
";

/// A chapter: the design, and an introduction to its findings.
struct Chapter {
    design: &'static str,
    title: &'static str,
    about: &'static str,
}

const CHAPTERS: &[Chapter] = &[
    Chapter {
        design: "smart-cooking",
        title: "Smart Cooking",
        about: "A cooking application for a thousand users: one table, three indexes that project everything, thirteen \
                entities. At its declared rates no partition key is near its limit, so load isn't the problem. The \
                problems are keys that several patterns need with different values, keys that sort wrongly or collide, \
                and lists without a maximum.",
    },
    Chapter {
        design: "nishiki",
        title: "Nishiki",
        about: "Nishiki tracks what is in the fridge: users share groups, groups own containers, containers hold foods. The \
                risks are a list that grows forever, an invitation that can be guessed, and an e-mail address that two \
                users can have. Groups, containers and invitations also have a `GroupId`, so they are in the index that \
                lists the users of a group.",
    },
    Chapter {
        design: "shop",
        title: "A shop",
        about: "A data modelling guide with a worksheet of access patterns, a single table for it, indexes, and examples of \
                what not to do, which are transcribed as well. Two patterns of its worksheet can't be answered by any \
                key of its table.",
    },
    Chapter {
        design: "sensors",
        title: "Sensors and posts",
        about: "The part of the same guide on Cassandra: readings in a partition for each sensor and day, posts with a table \
                for each access pattern, and a date as a partition key, as an example of what not to do.",
    },
    Chapter {
        design: "social",
        title: "A social network",
        about: "Users, posts, likes, comments and follows: one table, three indexes that project everything. It declares no \
                rates, so the review can tell that the feed has one partition key, but not when that becomes a problem.",
    },
];

#[test]
fn the_document_says_what_the_review_finds() {
    let mut text = OPENING.to_owned();
    for chapter in CHAPTERS {
        let design = Held::open(&format!("designs/as-written/{}.toml", chapter.design));
        text.push_str(&written(chapter, &design));
    }
    text.push_str(&trap_table());
    keep("docs/what-the-review-found.md", &text);
}

fn written(chapter: &Chapter, design: &Held) -> String {
    let counts =
        [Severity::Error, Severity::Warning, Severity::Info].map(|severity| design.of(severity).count());
    let [errors, warnings, notes] = counts;
    let mut text = format!("\n## {}\n\n{}\n", chapter.title, wrapped(chapter.about));
    let path = format!("designs/as-written/{}.toml", chapter.design);
    text.push_str(&wrapped(&format!(
        "[{path}](../{path}): {errors} errors, {warnings} warnings, {notes} notes."
    )));
    for severity in [Severity::Error, Severity::Warning] {
        for rule in RULES {
            let found: Vec<&Finding> =
                design.of(severity).filter(|finding| finding.rule == rule.id).collect();
            text.push_str(&section(design, severity, rule.summary, &found));
        }
    }
    text.push_str(&notes_of(design));
    text
}

/// The findings of one rule with one severity.
fn section(design: &Held, severity: Severity, summary: &str, found: &[&Finding]) -> String {
    let Some(first) = found.first() else { return String::new() };
    let mut text = format!("\n### {} `{}`: {summary}\n", capital(severity.word()), first.rule);
    for finding in found.iter().take(SHOWN_IN_FULL) {
        let line = Lines::new(&design.source).position(finding.span.start).line;
        write!(text, "\n{}", wrapped(&format!("- Line {line}: {}.", finding.message))).unwrap();
        text.push_str(&finding.fix.iter().map(|fix| fix_text(&design.source, fix)).collect::<String>());
    }
    let others = found.iter().skip(SHOWN_IN_FULL).filter_map(|finding| finding.subjects.first());
    let others = counted(others.map(|subject| subject.to_string()));
    if !others.is_empty() {
        write!(text, "\n{}", wrapped(&format!("The same for {}.", others.join(", ")))).unwrap();
    }
    text
}

/// Each name once, with its count if that is more than one.
fn counted(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for name in names {
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    let told =
        |(name, count): (String, usize)| if count > 1 { format!("{name} ({count} times)") } else { name };
    counts.into_iter().map(told).collect()
}

fn fix_text(source: &str, fix: &Fix) -> String {
    let mut text = wrapped(&format!("  Fix: {}.", fix.about));
    let changes = fix.lines(source);
    if changes.is_empty() {
        return text;
    }
    text.push_str("  ```diff\n");
    for (old, new) in changes {
        old.iter().for_each(|line| writeln!(text, "  - {line}").unwrap());
        new.iter().for_each(|line| writeln!(text, "  + {line}").unwrap());
    }
    text.push_str("  ```\n");
    text
}

fn notes_of(design: &Held) -> String {
    let count = |id: &str| design.of(Severity::Info).filter(|finding| finding.rule == id).count();
    let counts = RULES.iter().map(|rule| (rule.id, count(rule.id))).filter(|(_, count)| *count > 0);
    let counts: Vec<String> = counts.map(|(id, count)| format!("`{id}` {count}")).collect();
    if counts.is_empty() {
        String::new()
    } else {
        format!("\n### Notes\n\n{}", wrapped(&format!("{}.", counts.join(", "))))
    }
}

fn trap_table() -> String {
    let mut text =
        "\n## Known mistakes\n\nThese mistakes were known from reading the documents. A test checks that each of the \
                    findings exists.\n\n| mistake | shown by |\n|---|---|\n"
            .to_owned();
    for trap in TRAPS {
        let shown = match &trap.shown_by {
            ShownBy::Findings(findings) => findings.iter().map(Shown::text).collect::<Vec<_>>().join("<br>"),
            ShownBy::Another(part) => (*part).to_owned(),
        };
        writeln!(text, "| {} | {shown} |", trap.about).unwrap();
    }
    text
}

/// A paragraph in lines of at most 120 characters. The lines of a list's element are indented.
fn wrapped(text: &str) -> String {
    let indent = if text.starts_with("- ") || text.starts_with("  ") { "  " } else { "" };
    let mut lines = vec![String::new()];
    let mut words = text.split(' ').filter(|word| !word.is_empty());
    if text.starts_with("  ") {
        lines[0].push_str("  ");
    }
    lines[0].push_str(words.next().unwrap_or_default());
    for word in words {
        let last = lines.last_mut().unwrap();
        if last.chars().count() + 1 + word.chars().count() > COLUMNS {
            lines.push(format!("{indent}{word}"));
        } else {
            write!(last, " {word}").unwrap();
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
