//! Colours for a line of TOML. Colours only help the eye: a line that isn't understood is shown plain.

use maud::{Markup, html};

use crate::text::Unhidden;

/// A line with its comment, header, key and strings told apart.
pub(super) fn line(line: &str) -> Markup {
    let trimmed = line.trim_start();
    if trimmed.starts_with('#') {
        return html! { span.comment { (Unhidden(line)) } };
    }
    if trimmed.starts_with('[') && !trimmed.starts_with("[\"") {
        return html! { span.table-name { (Unhidden(line)) } };
    }
    match line.split_once('=') {
        Some((key, value)) if !key.contains(['"', '\'', '{']) => {
            html! { span.key-name { (Unhidden(key)) } "=" (strings(value)) }
        }
        _ => strings(line),
    }
}

/// Text with its strings and the comment at its end told apart.
fn strings(text: &str) -> Markup {
    html! {
        @for (before, quoted) in pieces(text) {
            (Unhidden(before))
            @if quoted.starts_with('#') { span.comment { (Unhidden(quoted)) } }
            @else if !quoted.is_empty() { span.string { (Unhidden(quoted)) } }
        }
    }
}

/// Each string or comment with the text before it; at last the text after all of them.
fn pieces(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let Some((before, quoted, after)) = first_string(text) else { return Some((text, "")) };
        rest = Some(after);
        Some((before, quoted))
    })
}

/// The text before the first string or comment, the string or comment, and the text after it.
fn first_string(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find(['"', '\'', '#'])?;
    let (before, rest) = text.split_at(start);
    let quote = rest.chars().next()?;
    let end = match quote {
        '#' => rest.len(),
        quote => rest.get(1..)?.find(quote)? + 2,
    };
    let (string, after) = rest.split_at(end);
    Some((before, string, after))
}
