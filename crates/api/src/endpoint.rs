//! Endpoints: patterns with their HTTP method, path and the places of their parameters.

use std::sync::Arc;

use axum::http::Method;
use singlet_design::{Design, Entity, Operation, Parameter, PathSegment, Pattern, Route, Verb};

/// A pattern as callers reach it.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) pattern: Arc<Pattern>,
    pub(crate) method: Method,
    pub(crate) route: Route,
    pub(crate) paging: Pages,
}

/// Which of the query parameters `limit` and `cursor` an endpoint has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pages {
    /// Neither.
    None,
    /// `limit`, because there are lists in the answer.
    Limit,
    /// Both.
    Whole,
}

/// Where a caller gives a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// As a member of the body.
    Body,
}

/// The query parameter for the number of items on a page.
pub(crate) const LIMIT: &str = "limit";
/// The query parameter for the page.
pub(crate) const CURSOR: &str = "cursor";

/// The endpoints of a design, in the order of the file.
pub(crate) fn endpoints(design: &Design) -> Vec<Endpoint> {
    let routed = design.routes.iter().filter_map(|route| Some((route, design.pattern(&route.pattern)?)));
    routed.map(|(route, pattern)| Endpoint::new(&as_called(design, pattern), route)).collect()
}

/// A pattern without the parameter that is the caller, which callers don't give.
fn as_called(design: &Design, pattern: &Arc<Pattern>) -> Arc<Pattern> {
    let own = design.callers.as_ref().and_then(|callers| callers.own_parameter(&pattern.name));
    let Some(own) = own else { return Arc::clone(pattern) };
    let mut called = Pattern::clone(pattern);
    called.parameters.retain(|parameter| parameter.name != own);
    Arc::new(called)
}

impl Endpoint {
    fn new(pattern: &Arc<Pattern>, route: &Route) -> Self {
        let method = match route.verb {
            Verb::Read => Method::GET,
            Verb::Submit => Method::POST,
            Verb::Replace => Method::PUT,
            Verb::Change => Method::PATCH,
            Verb::Remove => Method::DELETE,
        };
        Self { pattern: Arc::clone(pattern), method, route: route.clone(), paging: Pages::of(pattern) }
    }

    /// Whether the arguments are in a body, and not in the query.
    pub(crate) fn has_body(&self) -> bool {
        !matches!(self.route.verb, Verb::Read | Verb::Remove)
    }

    /// Where a caller gives a parameter of the pattern.
    pub(crate) fn place(&self, parameter: &str) -> Place {
        if self.route.parameters().any(|name| name == parameter) {
            Place::Path
        } else if self.has_body() {
            Place::Body
        } else {
            Place::Query
        }
    }

    /// The parameters in one place.
    pub(crate) fn parameters_in(&self, place: Place) -> impl Iterator<Item = &Parameter> {
        self.pattern.parameters.iter().filter(move |parameter| self.place(&parameter.name) == place)
    }

    /// Whether `limit` is the number of items on a page. A parameter of the pattern with this name comes first.
    pub(crate) fn takes_limit(&self) -> bool {
        self.paging != Pages::None && self.is_free(LIMIT)
    }

    /// Whether `cursor` is the place of a page.
    pub(crate) fn takes_cursor(&self) -> bool {
        self.paging == Pages::Whole && self.is_free(CURSOR)
    }

    fn is_free(&self, name: &str) -> bool {
        self.pattern.parameter(name).is_none()
    }

    /// The entity, if a get by the table's key answers with its whole item, which has a tag then.
    pub(crate) fn tagged(&self) -> Option<&Entity> {
        match &self.pattern.operation {
            Operation::Get(get) if get.on.is_none() && get.show.is_none() && get.resolve.is_empty() => {
                Some(&get.entity)
            }
            _ => None,
        }
    }

    /// The path as the router takes it, with numbers for the names of its parameters: paths that differ in these names
    /// only are the same place.
    pub(crate) fn router_path(&self) -> String {
        let mut number = 0;
        let mut text = String::new();
        for segment in &self.route.path {
            text.push('/');
            match segment {
                PathSegment::Literal(literal) => text.push_str(literal),
                PathSegment::Parameter(_) => {
                    text.push_str(&format!("{{p{number}}}"));
                    number += 1;
                }
            }
        }
        text
    }
}

impl Pages {
    fn of(pattern: &Pattern) -> Self {
        match &pattern.operation {
            Operation::Query(_)
            | Operation::Scan(_)
            | Operation::Merge(_)
            | Operation::Gather(_)
            | Operation::Bulk(_) => Pages::Whole,
            Operation::Parts(parts) => {
                let has_list = parts.parts.iter().any(|part| Pages::of(&part.pattern) != Pages::None);
                if has_list { Pages::Limit } else { Pages::None }
            }
            _ => Pages::None,
        }
    }
}
