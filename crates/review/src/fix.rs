//! Fixes: changes of the design's text, or advice.

use std::collections::BTreeSet;

use singlet_design::Span;

/// A fix for a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The effect of the change, in a few words.
    pub about: String,
    /// The changes, in the order of the file; empty if the fix is advice in words.
    pub edits: Vec<Edit>,
    /// Whether the numbers in the changes are examples that the author has to replace.
    pub example: bool,
}

/// A replacement in the file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The replaced text; an empty span inserts.
    pub span: Span,
    /// The new text.
    pub text: String,
}

impl Edit {
    /// Inserts a line after the line in which a span ends.
    pub fn line_after(source: &str, span: Span, line: &str) -> Edit {
        let end =
            source.get(span.end..).and_then(|rest| rest.find('\n')).map_or(source.len(), |at| span.end + at);
        Edit { span: Span { start: end, end }, text: format!("\n{line}") }
    }
}

impl Fix {
    /// Advice in words.
    pub fn advice(about: impl Into<String>) -> Fix {
        Fix { about: about.into(), edits: Vec::new(), example: false }
    }

    /// Replaces one span of the file.
    pub fn replace(about: impl Into<String>, span: Span, text: impl Into<String>) -> Fix {
        Fix::edits(about, vec![Edit { span, text: text.into() }])
    }

    /// Inserts a line after the line in which a span ends.
    pub fn line_after(about: impl Into<String>, source: &str, span: Span, line: &str) -> Fix {
        Fix::edits(about, vec![Edit::line_after(source, span, line)])
    }

    /// Several changes, in any order.
    pub fn edits(about: impl Into<String>, mut edits: Vec<Edit>) -> Fix {
        edits.sort_by_key(|edit| edit.span.start);
        Fix { about: about.into(), edits, example: false }
    }

    /// Several changes, or advice if one of them isn't possible.
    pub fn edits_or(about: impl Into<String>, edits: Option<Vec<Edit>>, advice: impl Into<String>) -> Fix {
        match edits {
            Some(edits) if !edits.is_empty() => Fix::edits(about, edits),
            _ => Fix::advice(advice),
        }
    }

    /// The same fix, marked as having example numbers.
    #[must_use]
    pub fn as_example(self) -> Fix {
        Fix { example: !self.edits.is_empty(), ..self }
    }

    /// The lines that change, before and after.
    pub fn lines(&self, source: &str) -> Vec<(Vec<String>, Vec<String>)> {
        self.edits.iter().map(|edit| changed_lines(source, edit)).collect()
    }

    /// The whole text with the fix applied.
    pub fn apply(&self, source: &str) -> String {
        apply_edits(source, &self.edits)
    }
}

/// A rule's proposals for a finding, the best first: changes that are tried one after the other, and advice if none of
/// them holds.
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

/// The edits of several fixes in the order of the file, without repetition; `None` if two of them overlap.
pub(super) fn joined<'a>(fixes: impl IntoIterator<Item = &'a [Edit]>) -> Option<Vec<Edit>> {
    let mut edits: Vec<&Edit> = Vec::new();
    let mut known: BTreeSet<&Edit> = BTreeSet::new();
    for fix in fixes {
        // One fix may insert the same text twice on purpose. Two fixes with the same edit share it.
        edits.extend(fix.iter().filter(|edit| !known.contains(edit)));
        known.extend(fix);
    }
    // The sort is stable: insertions at one position keep their order.
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let apart = edits.iter().zip(edits.iter().skip(1)).all(|(one, next)| one.span.end <= next.span.start);
    apart.then(|| edits.into_iter().cloned().collect())
}

/// Applies edits that are in the order of the file and don't overlap.
pub(super) fn apply_edits(source: &str, edits: &[Edit]) -> String {
    let mut text = String::with_capacity(source.len());
    let mut copied = 0;
    for Edit { span, text: new } in edits {
        let start = span.start.min(source.len());
        let end = span.end.clamp(start, source.len());
        if let (Some(before), true) = (source.get(copied..start), source.is_char_boundary(end)) {
            text.push_str(before);
            text.push_str(new);
            copied = end;
        }
    }
    text.push_str(source.get(copied..).unwrap_or_default());
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
    // Lines that an insertion or deletion leaves unchanged aren't shown.
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let [old, new] = [old, new].map(|lines| lines.into_iter().skip(same).collect::<Vec<_>>());
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let shown = |lines: Vec<String>| lines.iter().take(lines.len() - same).cloned().collect();
    (shown(old), shown(new))
}

/// The span of the whole lines that a span touches, with the line end.
pub(super) fn whole_lines(source: &str, span: Span) -> Span {
    let start = source.get(..span.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let end = source.get(span.end..).and_then(|rest| rest.find('\n'));
    Span { start, end: end.map_or(source.len(), |at| span.end + at + 1) }
}
