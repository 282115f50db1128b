//! The layout of a design file: the order of keys, the alignment of `=`, blank lines.
//!
//! Comments are kept exactly, and so is everything whose layout has a meaning for people: the order of sections, values
//! over several lines, the blank lines that group things. Formatting twice changes nothing more.

mod block;
mod order;
#[cfg(test)]
mod tests;
mod upgrade;
mod value;

use toml_edit::{DocumentMut, Item, Table};

use self::order::Vocabulary;
use crate::report::{Report, Span};
use crate::syntax::language::{DESIGN, Shape};
use crate::syntax::{self, Mistakes, NEW_WORDS, NewWord};

/// More blank lines than this in a row are removed.
const BLANK_LINES_MAX: usize = 2;

/// A formatted design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formatted {
    /// The text of its file.
    pub text: String,
    /// The number of old words that were replaced.
    pub upgraded: usize,
}

/// Formats the text of a design. It only has to be TOML: a design with other mistakes is formatted too.
pub fn format(file: &str, source: &str) -> Result<String, Report> {
    let mut document = parse(file, source)?;
    Ok(print(&mut document, source))
}

/// Replaces old words of the language, and formats the result.
pub fn upgrade(file: &str, source: &str) -> Result<Formatted, Report> {
    upgrade_with(NEW_WORDS, file, source)
}

/// Returns, for each old form of the language that is still valid, how often a design has it; in words for its author.
pub fn old_forms(source: &str) -> Vec<String> {
    let found = NEW_WORDS.iter().filter_map(|word| {
        let (NewWord::Key { old: key, .. } | NewWord::Implied { key, .. }) = word;
        // Most designs have no old word, and then nothing needs to be looked for.
        let count = if source.contains(key) { upgrade_with(&[*word], "", source).ok()?.upgraded } else { 0 };
        let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
        let form = match word {
            NewWord::Key { construct, old, new } => {
                format!("`{old}` of {} is called `{new}` now ({times})", place(construct))
            }
            NewWord::Implied { key, value, by, .. } => {
                format!("`{key} = \"{value}\"` isn't needed beside `{by}` ({times})")
            }
        };
        (count > 0).then_some(form)
    });
    found.collect()
}

/// Names a construct of which a key has another name.
fn place(construct: &str) -> &str {
    match construct {
        "field" => "a list",
        "index_entry" => "an entry in an index",
        "relation" => "a relation",
        "gather" => "a gather",
        "inline" => "an inline pattern",
        _ => "a pattern",
    }
}

fn upgrade_with(words: &[NewWord], file: &str, source: &str) -> Result<Formatted, Report> {
    let mut document = parse(file, source)?;
    let upgraded = upgrade::upgrade(document.as_table_mut(), &FILE, words);
    Ok(Formatted { text: print(&mut document, source), upgraded })
}

/// The shape of a file.
static FILE: Shape = Shape::Table(&DESIGN);

fn parse(file: &str, source: &str) -> Result<DocumentMut, Report> {
    let mistakes = Mistakes::default();
    if syntax::is_toml(source, &mistakes) {
        match source.replace("\r\n", "\n").parse::<DocumentMut>() {
            Ok(document) => return Ok(document),
            Err(error) => {
                let place: Span = error.span().unwrap_or(0..0).into();
                mistakes.add(place, format!("invalid TOML: {}", error.message()));
            }
        }
    }
    Err(Report { file: file.to_owned(), source: source.to_owned(), mistakes: mistakes.sorted() })
}

/// Lays the document out and prints it, with the line ends of the source.
fn print(document: &mut DocumentMut, source: &str) -> String {
    table(document.as_table_mut(), Some(&FILE));
    let trailing = document.trailing().as_str().unwrap_or_default();
    let trailing = blank_lines(trailing);
    document.set_trailing(trailing);
    let text = document.to_string();
    let text = format!("{}\n", text.trim_start_matches('\n').trim_end_matches('\n'));
    if source.contains("\r\n") { text.replace('\n', "\r\n") } else { text }
}

/// Lays a section and the sections below it out.
fn table(section: &mut Table, shape: Option<&'static Shape>) {
    let meaning = Vocabulary::of(shape, section);
    block::lay_out(section, meaning.construct(), |name, value| {
        value::tidy(value, meaning.below(name));
    });
    if !section.is_dotted() {
        let decor = section.decor_mut();
        let before = decor.prefix().and_then(|raw| raw.as_str()).map(blank_lines);
        before.into_iter().for_each(|before| decor.set_prefix(before));
        let after = decor.suffix().and_then(|raw| raw.as_str()).unwrap_or_default();
        if after.trim().is_empty() {
            decor.set_suffix("");
        }
    }
    for (name, item) in section.iter_mut() {
        if let Item::Table(below) = item {
            table(below, meaning.below(name.get()));
        }
    }
}

/// Returns comments and blank lines before something without indentation, and with few blank lines in a row.
fn blank_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = 0;
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        let line = line.trim_start();
        if lines.peek().is_none() {
            // The indentation of what follows, or a comment at the end of the file.
            out.push_str(line);
            break;
        }
        blank = if line.is_empty() { blank + 1 } else { 0 };
        if blank <= BLANK_LINES_MAX {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}
