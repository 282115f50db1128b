//! Paths that a design gives to its patterns.

use super::Context;
use super::derive::in_path;
use crate::model::{PATHS_RESERVED, PathSegment, Pattern};
use crate::report::Span;

/// The segments of a path at most.
const SEGMENTS_MAX: usize = 20;

/// Reads the path of a pattern; `None` after a mistake.
pub(super) fn written(
    context: &Context<'_>,
    pattern: &Pattern,
    text: &str,
    span: Span,
) -> Option<Vec<PathSegment>> {
    let refuse = |message: String, help: &str| {
        context.mistakes.add_with_help(span, message, help);
        None
    };
    if pattern.internal {
        return refuse(
            format!("`{}` is internal and can't have a path", pattern.name),
            "remove `path`, or remove `internal` so that callers can run the pattern",
        );
    }
    let parsed = text.strip_prefix('/').map(|rest| rest.split('/').map(segment).collect::<Option<Vec<_>>>());
    let Some(Some(path)) = parsed.filter(|_| text.split('/').count() <= SEGMENTS_MAX + 1) else {
        return refuse(
            format!("`{text}` isn't a path"),
            "write `/` and words or parameters in braces: `/posts/{post_id}/comments`",
        );
    };
    if PATHS_RESERVED.iter().any(|reserved| text.strip_prefix('/') == Some(reserved)) {
        return refuse(
            format!("`{text}` can't be the path of a pattern: it describes the design"),
            "choose another path",
        );
    }
    for (at, segment) in path.iter().enumerate() {
        let PathSegment::Parameter(name) = segment else { continue };
        if path.iter().skip(at + 1).any(|other| other == segment) {
            return refuse(format!("`{{{name}}}` appears twice in the path"), "name each parameter once");
        }
        if pattern.parameter(name).is_none() {
            let names: Vec<&str> = pattern.parameters.iter().map(|known| known.name.as_str()).collect();
            let help = crate::names::help_of(name, "parameters", names);
            context.mistakes.add_with(
                span,
                format!("`{}` has no parameter `{name}`", pattern.name),
                Some(help),
            );
            return None;
        }
        if !in_path(pattern, name) {
            return refuse(
                format!("`{{{name}}}` can't be in a path: it is optional, or not a single value"),
                "leave it out of the path: it is then given beside the path",
            );
        }
    }
    Some(path)
}

fn segment(text: &str) -> Option<PathSegment> {
    if let Some(name) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return Some(PathSegment::Parameter(name.to_owned()));
    }
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.' | '~');
    let is_literal = !text.is_empty() && text.chars().all(is_plain) && !matches!(text, "." | "..");
    is_literal.then(|| PathSegment::Literal(text.to_owned()))
}
