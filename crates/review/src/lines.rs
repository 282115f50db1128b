//! Fixes that need to know how a design is written: lines that go, fields that say more.

use singlet_design::{Entity, Field, Span, Subject};

use crate::context::Context;
use crate::fix::{Edit, Fix};

impl Context<'_> {
    /// The whole lines of a place, with the line's end.
    pub(super) fn whole_lines(&self, span: Span) -> Span {
        whole_lines(self.source, span)
    }

    /// Takes a key of a subject away, with its line; `None` if it isn't written in a line of its own.
    pub(super) fn without_key(&self, subject: &Subject, key: &str) -> Option<Edit> {
        let value = self.has(subject, key).then(|| self.place(subject, key))?;
        let lines = self.whole_lines(value);
        let begins = self.text(lines).trim_start().trim_start_matches('"');
        begins.starts_with(key).then(|| Edit { span: lines, text: String::new() })
    }

    /// Lets an inline table say one more thing, or makes one of a plain value, which then stands under `plain`.
    pub(super) fn say_more(&self, span: Span, plain: &str, more: &str) -> Option<Edit> {
        let written = self.text(span);
        let text = match written.strip_suffix('}') {
            Some(open) if written.starts_with('{') => format!("{}, {more} }}", open.trim_end()),
            _ if written.starts_with(['"', '['])
                && !written.starts_with("[[")
                && !is_header(self.source, span) =>
            {
                format!("{{ {plain} = {written}, {more} }}")
            }
            _ => return None,
        };
        Some(Edit { span, text })
    }

    /// Bounds a field.
    pub(super) fn bounded(&self, entity: &Entity, field: &Field, max: u32) -> Option<Edit> {
        self.say_more(self.value(&Subject::field(entity, field)), "type", &format!("max = {max}"))
    }
}

/// A header such as `[entity.User]` is no list.
fn is_header(source: &str, span: Span) -> bool {
    let line = whole_lines(source, Span { start: span.start, end: span.start });
    source.get(line.start..line.end).is_some_and(|line| line.trim_start().starts_with('['))
}

fn whole_lines(source: &str, span: Span) -> Span {
    let start = source.get(..span.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let end = source.get(span.end..).and_then(|rest| rest.find('\n'));
    Span { start, end: end.map_or(source.len(), |at| span.end + at + 1) }
}

/// Takes an allowance away, with its line if it is the only one there.
pub(super) fn without_allowance(source: &str, rule: &str, span: Span) -> Fix {
    const ABOUT: &str = "take the allowance away";
    let lines = whole_lines(source, span);
    let text = source.get(lines.start..lines.end).unwrap_or_default();
    let alone =
        text.trim_start().starts_with("allow") && text.trim_end().ends_with('}') && !text.contains("\",");
    if alone {
        return Fix::replace(ABOUT, lines, "");
    }
    let entry = one_of_several(text, rule).map(|(start, end)| {
        vec![Edit { span: Span { start: lines.start + start, end: lines.start + end }, text: String::new() }]
    });
    Fix::edits_or(ABOUT, entry, ABOUT)
}

/// Where `rule = "reason"` stands in a line, with the comma that goes with it.
fn one_of_several(line: &str, rule: &str) -> Option<(usize, usize)> {
    let start = line.find(rule)?;
    let opening = start + line.get(start..)?.find('"')? + 1;
    let mut end = opening + line.get(opening..)?.find('"')? + 1;
    match line.get(end..)?.strip_prefix(',') {
        Some(rest) => {
            end += 1 + (rest.len() - rest.trim_start().len());
            Some((start, end))
        }
        None => {
            let before = line.get(..start)?.trim_end().strip_suffix(',')?;
            Some((before.len(), end))
        }
    }
}
