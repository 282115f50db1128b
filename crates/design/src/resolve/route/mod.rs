//! Resolves the routes of a design: where callers find each pattern.
//!
//! A path follows from entity and key ([`derive`]), unless the pattern gives one. Two patterns with the same verb can't
//! have the same path. Of derived ones, the first in the file keeps it, and the others get a word of their name. A path
//! that the design gives is never changed: a conflict between two of them is a mistake.

mod derive;
mod resource;
mod words;
mod written;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Context;
use crate::model::{Callers, Entity, PATHS_RESERVED, PathSegment, Pattern, Route, Verb};
use crate::syntax::Node;
use derive::RouteDraft;
use resource::Resources;

/// The word that stands in a path for the caller.
const OWN: &str = "me";

/// A path without the names of its parameters, which don't distinguish it from others.
type RouteShape = (Verb, Vec<Option<String>>);

/// Resolves the routes of the patterns that callers can run, in the order of the file.
pub(super) fn routes(
    context: &Context<'_>,
    root: &Node,
    (entities, patterns): (&[Arc<Entity>], &[Arc<Pattern>]),
    callers: Option<&Callers>,
) -> Vec<Route> {
    let own = |pattern: &Pattern| callers.and_then(|callers| callers.own_parameter(&pattern.name));
    let mut taken: BTreeMap<RouteShape, &str> = BTreeMap::new();
    let mut given = BTreeMap::new();
    for pattern in patterns {
        if let Some(route) = given_route(context, root, (pattern, own(pattern)), &mut taken) {
            given.insert(pattern.name.as_str(), route);
        }
    }
    for word in PATHS_RESERVED {
        taken.extend(Verb::ALL.map(|verb| ((verb, vec![Some(word.to_owned())]), "")));
    }
    // After a mistake, parts of the model may be missing, and nobody uses the routes.
    if context.mistakes.count() > 0 {
        return Vec::new();
    }
    let resources = Resources::new(entities);
    let callable = patterns.iter().filter(|pattern| !pattern.internal);
    let route = |pattern: &'_ Arc<Pattern>| match given.remove(pattern.name.as_str()) {
        Some(route) => route,
        None => {
            let mut draft = derive::derive(&resources, pattern);
            draft.path.iter_mut().filter(|segment| is_own(segment, own(pattern))).for_each(|segment| {
                *segment = PathSegment::Literal(OWN.to_owned());
            });
            let (verb, path) = free(draft, pattern, |shape| taken.contains_key(shape));
            taken.insert(shape(verb, &path), "");
            Route { pattern: pattern.name.clone(), verb, path }
        }
    };
    callable.map(route).collect()
}

/// The route that a pattern gives; `None` if it gives none, or after a mistake.
fn given_route<'p>(
    context: &Context<'_>,
    root: &Node,
    (pattern, own): (&'p Pattern, Option<&str>),
    taken: &mut BTreeMap<RouteShape, &'p str>,
) -> Option<Route> {
    let text = pattern.path.as_deref()?;
    let entry = root.entries("pattern").iter().find(|entry| entry.name == pattern.name);
    let span = entry.and_then(|entry| entry.node.get("path")).map_or(pattern.span, |node| node.span);
    let path = written::written(context, pattern, text, span)?;
    if path.iter().any(|segment| is_own(segment, own)) {
        let own = own.unwrap_or_default();
        context.mistakes.add_with_help(
            span,
            format!("`{{{own}}}` can't be in the path: it is the caller, and callers don't give it"),
            format!("write `{OWN}` instead of it, or leave it out"),
        );
        return None;
    }
    let verb = derive::with_body(derive::verb(pattern), pattern, &path);
    if let Some(other) = taken.insert(shape(verb, &path), &pattern.name) {
        context.mistakes.add_with_help(
            span,
            format!("`{}` and `{other}` have the same path", pattern.name),
            "give one of them another path",
        );
        return None;
    }
    Some(Route { pattern: pattern.name.clone(), verb, path })
}

/// Whether a part of a path is the parameter that is the caller.
fn is_own(segment: &PathSegment, own: Option<&str>) -> bool {
    matches!(segment, PathSegment::Parameter(name) if Some(name.as_str()) == own)
}

fn shape(verb: Verb, path: &[PathSegment]) -> RouteShape {
    let literal = |segment: &PathSegment| match segment {
        PathSegment::Literal(text) => Some(text.clone()),
        PathSegment::Parameter(_) => None,
    };
    (verb, path.iter().map(literal).collect())
}

/// The derived path, or the first one with a word of the pattern's name that nothing else has.
fn free(
    draft: RouteDraft,
    pattern: &Pattern,
    is_taken: impl Fn(&RouteShape) -> bool,
) -> (Verb, Vec<PathSegment>) {
    let RouteDraft { verb, path, is_item, about } = draft;
    if !is_taken(&shape(verb, &path)) {
        return (verb, path);
    }
    let short = words::joined(&words::without(&pattern.name, &about));
    let long = words::joined(&words::words(&pattern.name));
    let candidate = |word: String| {
        let mut path = path.clone();
        let last = path.iter_mut().rev().find(|segment| matches!(segment, PathSegment::Literal(_)));
        match last {
            Some(last) if !is_item => *last = PathSegment::Literal(word),
            _ => path.push(PathSegment::Literal(word)),
        }
        path
    };
    // The short name says enough below an item. A list has the long one.
    let first = if is_item { [short, long.clone()] } else { [long.clone(), short] };
    let mut number = 1;
    let mut candidates = first.into_iter().chain(std::iter::from_fn(|| {
        number += 1;
        Some(format!("{long}-{number}"))
    }));
    loop {
        let Some(path) = candidates.next().map(&candidate) else { return (verb, path) };
        if !is_taken(&shape(verb, &path)) {
            return (verb, path);
        }
    }
}
