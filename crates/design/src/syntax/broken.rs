//! Files that aren't valid TOML: the parser's errors with hints.

use toml::de::Error;

use super::mistakes::Mistakes;
use crate::report::Span;

/// The beginning of the parser's message about a duplicate key.
const DUPLICATE: &str = "duplicate key";

/// Adds the parser's errors. Returns `true` if the rest of the file can still be checked, because all of them are
/// duplicate keys.
pub(super) fn note(source: &str, errors: &[Error], mistakes: &Mistakes) -> bool {
    let mut duplicates = Duplicates { source, section_end: 0, headers: Vec::new() };
    let mut readable = true;
    let mut line_end = 0;
    let place_of = |error: &Error| -> Span { error.span().unwrap_or(source.len()..source.len()).into() };
    let mut errors: Vec<&Error> = errors.iter().collect();
    errors.sort_by_key(|error| place_of(error).start);
    for error in errors {
        if mistakes.is_full() {
            return false;
        }
        let place = place_of(error);
        if error.message().starts_with(DUPLICATE) {
            duplicates.note(place, mistakes);
            continue;
        }
        readable = false;
        // Later errors on the same line usually follow from the first.
        if place.start >= line_end {
            mistakes.add_with(place, format!("invalid TOML: {}", error.message()), hint(source, place));
        }
        line_end = source
            .get(place.start..)
            .and_then(|rest| rest.find('\n'))
            .map_or(usize::MAX, |at| place.start + at);
    }
    readable
}

/// Suggests the most likely correction.
fn hint(source: &str, place: Span) -> Option<String> {
    let line_start = source.get(..place.start)?.rfind('\n').map_or(0, |at| at + 1);
    let line = source.get(line_start..)?.lines().next()?.trim();
    let value = line.split_once('=').map(|(_, value)| value.trim_start());
    match value {
        Some(value) if value.starts_with(|letter: char| letter.is_alphabetic()) => {
            Some("strings need quotes: `name = \"value\"`".to_owned())
        }
        Some("") => Some("add a value after `=`".to_owned()),
        None if !line.starts_with('[') => {
            Some("write `key = value`, or a header such as `[entity.User]`".to_owned())
        }
        _ => None,
    }
}

struct Duplicates<'a> {
    source: &'a str,
    /// The end of the latest section with a duplicate header, whose keys aren't reported again.
    section_end: usize,
    /// The duplicate headers; headers below them aren't reported again.
    headers: Vec<String>,
}

impl Duplicates<'_> {
    fn note(&mut self, place: Span, mistakes: &Mistakes) {
        if place.start < self.section_end {
            return;
        }
        let (line_start, line) = self.line(place.start);
        let name = self.source.get(place.start..place.end).unwrap_or_default();
        if line.trim_start().starts_with('[') {
            let header = header(line);
            let under = |known: &String| {
                header.strip_prefix(known.as_str()).is_some_and(|rest| rest.starts_with('.'))
            };
            let echo = self.headers.iter().any(under);
            self.section_end = self.next_header(line_start + line.len());
            self.headers.push(header.clone());
            if echo {
                return;
            }
            let first = self.first_line(|other| self::header(other) == header);
            let message = format!("`[{header}]` appears twice");
            mistakes.add_with(
                place,
                message,
                first.map(|line| format!("the first one is on line {line}; rename one of them")),
            );
        } else {
            let message = format!("the key `{name}` appears twice");
            mistakes.add_with(
                place,
                message,
                self.first_key(name, place)
                    .map(|line| format!("the first one is on line {line}; remove one of them")),
            );
        }
    }

    /// Returns the start and the text of the line that contains a byte.
    fn line(&self, offset: usize) -> (usize, &str) {
        let start = self.source.get(..offset).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        (start, self.source.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default())
    }

    fn next_header(&self, from: usize) -> usize {
        let rest = self.source.get(from..).unwrap_or_default();
        let mut at = from;
        for line in rest.split_inclusive('\n') {
            if line.trim_start().starts_with('[') {
                return at;
            }
            at += line.len();
        }
        self.source.len()
    }

    /// Returns the number of the first header line that satisfies the predicate.
    fn first_line(&self, is_it: impl Fn(&str) -> bool) -> Option<usize> {
        self.source
            .lines()
            .position(|line| line.trim_start().starts_with('[') && is_it(line))
            .map(|at| at + 1)
    }

    /// Returns the number of the line on which a key first appears in its section.
    fn first_key(&self, name: &str, place: Span) -> Option<usize> {
        let before = self.source.get(..place.start)?;
        let section = before.lines().collect::<Vec<_>>();
        let start =
            section.iter().rposition(|line| line.trim_start().starts_with('[')).map_or(0, |at| at + 1);
        let is_key = |line: &&str| {
            let parts = line.split(['{', ',']).map(str::trim_start);
            parts.filter_map(|part| part.split_once('=')).any(|(key, _)| key.trim() == name)
        };
        section.iter().skip(start).position(is_key).map(|at| start + at + 1)
    }
}

/// Returns the text between the brackets of a header, without white space.
fn header(line: &str) -> String {
    let inner = line.trim_start().trim_start_matches('[');
    let inner = inner.split(']').next().unwrap_or_default();
    inner.chars().filter(|letter| !letter.is_whitespace()).collect()
}
