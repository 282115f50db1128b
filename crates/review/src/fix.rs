//! Fixes: changed lines of the design itself.

use singlet_design::Span;

/// How to mend a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What the change does, in a few words.
    pub about: String,
    /// The changes, in the order of the file; none if the fix can only be told.
    pub edits: Vec<Edit>,
    /// The numbers in the changes are examples: only the author of the design knows the right ones.
    pub example: bool,
}

/// A piece of the file that is replaced.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
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
        Fix { about: about.into(), edits: Vec::new(), example: false }
    }

    /// Replaces one piece of the file.
    pub fn replace(about: impl Into<String>, span: Span, text: impl Into<String>) -> Fix {
        Fix::edits(about, vec![Edit { span, text: text.into() }])
    }

    /// Inserts a line after the line that a place ends on.
    pub fn line_after(about: impl Into<String>, source: &str, span: Span, line: &str) -> Fix {
        Fix::edits(about, vec![Edit::line_after(source, span, line)])
    }

    /// Several changes, in any order.
    pub fn edits(about: impl Into<String>, mut edits: Vec<Edit>) -> Fix {
        edits.sort_by_key(|edit| edit.span.start);
        Fix { about: about.into(), edits, example: false }
    }

    /// The same as advice if one of the changes can't be written.
    pub fn edits_or(about: impl Into<String>, edits: Option<Vec<Edit>>, advice: impl Into<String>) -> Fix {
        match edits {
            Some(edits) if !edits.is_empty() => Fix::edits(about, edits),
            _ => Fix::advice(advice),
        }
    }

    /// The same fix, whose numbers are examples.
    #[must_use]
    pub fn as_example(self) -> Fix {
        Fix { example: !self.edits.is_empty(), ..self }
    }

    /// The lines that change: as they are, and as they would be.
    pub fn lines(&self, source: &str) -> Vec<(Vec<String>, Vec<String>)> {
        self.edits.iter().map(|edit| changed_lines(source, edit)).collect()
    }

    /// The whole text with the fix applied.
    pub fn apply(&self, source: &str) -> String {
        apply_edits(source, &self.edits)
    }
}

/// What a rule proposes for a finding, the best first: changes that are tried one after the other, and advice for
/// when none of them holds.
#[derive(Debug, Default)]
pub struct Proposals(pub(super) Vec<Fix>);

impl From<Fix> for Proposals {
    fn from(fix: Fix) -> Self {
        Proposals(vec![fix])
    }
}

impl From<Option<Fix>> for Proposals {
    fn from(fix: Option<Fix>) -> Self {
        Proposals(fix.into_iter().collect())
    }
}

impl From<Vec<Fix>> for Proposals {
    fn from(fixes: Vec<Fix>) -> Self {
        Proposals(fixes)
    }
}

/// The edits of several fixes in the order of the file, each once; `None` if two of them change the same text.
pub(super) fn joined<'a>(fixes: impl IntoIterator<Item = &'a [Edit]>) -> Option<Vec<Edit>> {
    let mut edits: Vec<Edit> = Vec::new();
    for fix in fixes {
        // What a fix inserts twice in one place is meant twice; another fix that inserts the same means the same.
        let new: Vec<Edit> = fix.iter().filter(|edit| !edits.contains(edit)).cloned().collect();
        edits.extend(new);
    }
    // Insertions in one place stay in the order in which they came.
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let apart = edits.iter().zip(edits.iter().skip(1)).all(|(one, next)| one.span.end <= next.span.start);
    apart.then_some(edits)
}

/// A text with edits applied, which are in the order of the file and don't overlap.
pub(super) fn apply_edits(source: &str, edits: &[Edit]) -> String {
    let mut text = source.to_owned();
    for edit in edits.iter().rev() {
        let start = edit.span.start.min(text.len());
        let end = edit.span.end.clamp(start, text.len());
        if text.is_char_boundary(start) && text.is_char_boundary(end) {
            text.replace_range(start..end, &edit.text);
        }
    }
    text
}

fn changed_lines(source: &str, edit: &Edit) -> (Vec<String>, Vec<String>) {
    let before = source.get(..edit.span.start).unwrap_or("");
    let after = source.get(edit.span.end..).unwrap_or("");
    let head = before.rsplit('\n').next().unwrap_or("");
    let tail = after.split('\n').next().unwrap_or("");
    let old = source.get(edit.span.start..edit.span.end).unwrap_or("");
    let lines = |text: String| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
    let (old, new) = (lines(format!("{head}{old}{tail}")), lines(format!("{head}{}{tail}", edit.text)));
    // What an insertion or a deletion leaves as it was isn't shown as changed.
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let [old, new] = [old, new].map(|lines| lines.into_iter().skip(same).collect::<Vec<_>>());
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let shown = |lines: Vec<String>| lines.iter().take(lines.len() - same).cloned().collect();
    (shown(old), shown(new))
}
