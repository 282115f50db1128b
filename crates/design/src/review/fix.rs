//! Fixes: changed lines of the design itself.

use crate::report::Span;

/// How to mend a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What the change does, in a few words.
    pub about: String,
    /// The changes, in the order of the file; none if the fix can only be told.
    pub edits: Vec<Edit>,
}

/// A piece of the file that is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty to insert.
    pub span: Span,
    /// What stands there then.
    pub text: String,
}

impl Edit {
    /// Inserts a line after the line that a place ends on.
    pub fn line_after(source: &str, span: Span, line: &str) -> Edit {
        let end =
            source.get(span.end..).and_then(|rest| rest.find('\n')).map_or(source.len(), |at| span.end + at);
        Edit { span: Span { start: end, end }, text: format!("\n{line}") }
    }
}

impl Fix {
    /// A fix that can only be told.
    pub fn advice(about: impl Into<String>) -> Fix {
        Fix { about: about.into(), edits: Vec::new() }
    }

    /// Replaces one piece of the file.
    pub fn replace(about: impl Into<String>, span: Span, text: impl Into<String>) -> Fix {
        Fix { about: about.into(), edits: vec![Edit { span, text: text.into() }] }
    }

    /// Inserts a line after the line that a place ends on.
    pub fn line_after(about: impl Into<String>, source: &str, span: Span, line: &str) -> Fix {
        Fix { about: about.into(), edits: vec![Edit::line_after(source, span, line)] }
    }

    /// Several changes, in any order.
    pub fn edits(about: impl Into<String>, mut edits: Vec<Edit>) -> Fix {
        edits.sort_by_key(|edit| edit.span.start);
        Fix { about: about.into(), edits }
    }

    /// The same as advice if one of the changes can't be written.
    pub fn edits_or(about: impl Into<String>, edits: Option<Vec<Edit>>, advice: impl Into<String>) -> Fix {
        match edits {
            Some(edits) if !edits.is_empty() => Fix::edits(about, edits),
            _ => Fix::advice(advice),
        }
    }

    /// The lines that change: as they are, and as they would be.
    pub fn lines(&self, source: &str) -> Vec<(Vec<String>, Vec<String>)> {
        self.edits.iter().map(|edit| changed_lines(source, edit)).collect()
    }

    /// The whole text with the fix applied.
    pub fn apply(&self, source: &str) -> String {
        let mut text = source.to_owned();
        for edit in self.edits.iter().rev() {
            let start = edit.span.start.min(text.len());
            let end = edit.span.end.clamp(start, text.len());
            if text.is_char_boundary(start) && text.is_char_boundary(end) {
                text.replace_range(start..end, &edit.text);
            }
        }
        text
    }
}

fn changed_lines(source: &str, edit: &Edit) -> (Vec<String>, Vec<String>) {
    let before = source.get(..edit.span.start).unwrap_or("");
    let after = source.get(edit.span.end..).unwrap_or("");
    let head = before.rsplit('\n').next().unwrap_or("");
    let tail = after.split('\n').next().unwrap_or("");
    let old = source.get(edit.span.start..edit.span.end).unwrap_or("");
    let lines = |text: String| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
    let (old, new) = (lines(format!("{head}{old}{tail}")), lines(format!("{head}{}{tail}", edit.text)));
    // What an insertion leaves as it was isn't shown as changed.
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    (old.into_iter().skip(same).collect(), new.into_iter().skip(same).collect())
}
