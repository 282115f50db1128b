//! Routes: the places at which callers find patterns.

use std::fmt;

/// The names that a design can't have, because a server has its own pages there.
pub(crate) const DESIGN_NAMES_RESERVED: [&str; 4] = ["console", "examples", "health", "metrics"];
/// The paths below a design that describe it.
pub(crate) const PATHS_RESERVED: [&str; 2] = ["docs", "openapi.json"];

/// The place of a pattern: a verb and a path below the design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The name of the pattern.
    pub pattern: String,
    /// The effect of a call.
    pub verb: Verb,
    /// The path below the design, with at least one segment.
    pub path: Vec<PathSegment>,
}

impl Route {
    /// Returns the names of the parameters in the path, in order.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.path.iter().filter_map(|segment| match segment {
            PathSegment::Literal(_) => None,
            PathSegment::Parameter(name) => Some(name.as_str()),
        })
    }

    /// Returns the path as text: `/posts/{post_id}`.
    pub fn path_text(&self) -> String {
        self.path.iter().map(|segment| format!("/{segment}")).collect()
    }
}

/// The effect of a call on the resource at its path. HTTP has a method for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// Reads it.
    Read,
    /// Creates a member of it, asks with a body, or does something else with it.
    Submit,
    /// Writes it whole.
    Replace,
    /// Changes parts of it.
    Change,
    /// Removes it.
    Remove,
}

impl Verb {
    /// All verbs.
    pub(crate) const ALL: [Verb; 5] = [Verb::Read, Verb::Submit, Verb::Replace, Verb::Change, Verb::Remove];
}

/// A part of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathSegment {
    /// Fixed text.
    Literal(String),
    /// The value of a parameter.
    Parameter(String),
}

impl fmt::Display for PathSegment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathSegment::Literal(text) => out.write_str(text),
            PathSegment::Parameter(name) => write!(out, "{{{name}}}"),
        }
    }
}
