//! `docs/what-the-review-found.md`, written from the reviews themselves.

use std::fmt::Write as _;

use singlet_design::position;
use singlet_review::{Finding, Fix, RULES, Severity};

use super::files::{Held, keep};
use super::traps::{Shown, ShownBy, TRAPS};

/// Findings of one rule that are shown in full; the subjects of the others are named.
const SHOWN_IN_FULL: usize = 3;

const OPENING: &str = "\
# What the review found

Five documents about designs for DynamoDB stand at the beginning of this project. They are transcribed in
[designs/as-written](../designs/as-written) as literally as the language allows, mistakes included, and this page is what
`singlet review` says about them. It is generated: `SINGLET_REWRITE=1 cargo test -p singlet-review --test review` writes
it, and without the variable the same test fails if it isn't true any more. The reviews in full, with the lines that
they point to, are kept in [crates/review/tests/review](../crates/review/tests/review).

Of a rule that finds the same thing more than three times, the first three are shown and the others named. Notes are
counted only. The designs that we made of these documents are in [designs](../designs); the review has nothing to say
against them that they don't answer.
";

/// A chapter: the design and what to know before reading its findings.
struct Chapter {
    design: &'static str,
    title: &'static str,
    about: &'static str,
}

const CHAPTERS: &[Chapter] = &[
    Chapter {
        design: "smart-cooking",
        title: "Smart Cooking (seeds 0 and 1)",
        about: "A cooking application for a thousand users: one table, three indexes that project everything, thirteen \
                kinds of items. At the rates that it declares no partition is near its ceiling, so what is wrong is \
                not the load. It is keys that can't be what several patterns want of them, that sort wrongly or \
                overwrite each other, and lists without a bound.",
    },
    Chapter {
        design: "nishiki",
        title: "Nishiki (seed 2)",
        about: "What is in the fridge: users share groups, groups own containers, containers hold foods. The risks are a list \
                that grows for ever, an invitation that can be guessed, and an address that two users can have. Groups, \
                containers and invitations have a GroupId too, so they stand in the index that lists the users of a \
                group.",
    },
    Chapter {
        design: "shop",
        title: "A shop (seed 3)",
        about: "A text that teaches: an access-pattern worksheet, a single table for it, indexes, and examples of what \
                not to do, which are transcribed too. Two patterns of its worksheet have no key in its table that could \
                answer them.",
    },
    Chapter {
        design: "sensors",
        title: "Sensors and posts (seed 3, the part on Cassandra)",
        about: "Readings in a partition for each sensor and day, posts in one table for each question, and a partition \
                key that is a date, as a warning.",
    },
    Chapter {
        design: "social",
        title: "A social network (seed 4)",
        about: "Users, posts, likes, comments, follows: one table, three indexes that project everything. It declares no \
                rates, so the review can tell that the feed is one partition, but not on which day that will hurt.",
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
    let mut text = format!(
        "\n## {}\n\n{}\n\n[designs/as-written/{2}.toml](../designs/as-written/{2}.toml): {errors} errors, {warnings} \
         warnings, {notes} notes.\n",
        chapter.title, chapter.about, chapter.design,
    );
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

/// What one rule found at one severity.
fn section(design: &Held, severity: Severity, summary: &str, found: &[&Finding]) -> String {
    let Some(first) = found.first() else { return String::new() };
    let mut text = format!("\n### {} `{}`: {summary}\n", capital(severity.word()), first.rule);
    for finding in found.iter().take(SHOWN_IN_FULL) {
        let line = position(&design.source, finding.span.start).line;
        write!(text, "\n- Line {line}: {}.\n", finding.message).unwrap();
        text.push_str(&finding.fix.iter().map(|fix| fix_text(&design.source, fix)).collect::<String>());
    }
    let others = found.iter().skip(SHOWN_IN_FULL).filter_map(|finding| finding.subjects.first());
    let others = counted(others.map(|subject| subject.to_string()));
    if !others.is_empty() {
        write!(text, "\nThe same of {}.\n", others.join(", ")).unwrap();
    }
    text
}

/// Each name once, with how often it comes if that is more than once.
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
    let mut text = format!("  Fix: {}.\n", fix.about);
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
    if counts.is_empty() { String::new() } else { format!("\n### Notes\n\n{}.\n", counts.join(", ")) }
}

fn trap_table() -> String {
    let mut text =
        "\n## The known traps\n\nWhat was known to be wrong before there was a review, and what shows it. A \
                    test holds that each of these findings is there.\n\n| trap | shown by |\n|---|---|\n"
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

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
