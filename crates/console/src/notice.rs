//! A sentence about the last write, on the page after it.

use maud::{Markup, html};

use crate::icon::Icon;

/// The name of the pair that says what has just been done.
pub(crate) const DONE: &str = ".done";

/// Says what has just been done.
pub(crate) fn notice(pairs: &[(String, String)]) -> Markup {
    let done = pairs.iter().find(|(name, _)| name == DONE).map(|(_, word)| word.as_str());
    let said = match done {
        Some("created") => "The item was created.",
        Some("changed") => "The item was changed.",
        Some("deleted") => "The item was deleted.",
        Some("restored") => "The item was restored.",
        _ => return html! {},
    };
    html! { p.notice role="status" { (Icon::Fine) (said) } }
}
