//! Patterns that run other patterns: transactions, parts, and walks over lists.

use std::sync::Arc;

use super::{Order, Pattern};
use crate::expression::{Composed, Name};
use crate::json::Json;

/// Several writes, all or none.
#[derive(Debug, Clone)]
pub struct Transaction {
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// One step of a transaction.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its name in the answer.
    pub name: String,
    /// A create, put, update, delete, check or get.
    pub pattern: Arc<Pattern>,
    /// The parameters that the composed pattern gives.
    pub bindings: Vec<Binding>,
    /// Runs the step once for each element of a list.
    pub each: Option<Each>,
    /// The maximum length of that list; a longer one is refused.
    pub each_max: Option<u32>,
}

impl Step {
    /// Returns whether it takes a field of this step.
    pub fn uses(&self, step: &str) -> bool {
        let of_list = match self.each.as_ref().map(|each| &each.list) {
            Some(EachList::Result(name, _)) => name == step,
            Some(EachList::Parameter(_)) | None => false,
        };
        let mut results = self.bindings.iter().flat_map(|binding| binding.argument.results());
        of_list || results.any(|(name, _)| name == step)
    }
}

/// The list that a step runs for, and the name of one element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Each {
    /// The name of an element: `Argument::Result(element, path)` is a member of it, and the whole element if the path is
    /// empty.
    pub element: String,
    /// The list.
    pub list: EachList,
}

/// The source of a list. Steps with the same list run for the same elements in the same order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EachList {
    /// A parameter of the composed pattern.
    Parameter(String),
    /// A field that an earlier step writes or reads: (step, field).
    Result(String, String),
}

/// A parameter of a part or step that the composed pattern gives.
#[derive(Debug, Clone)]
pub struct Binding {
    /// The parameter of the part.
    pub parameter: String,
    /// The source of its value.
    pub argument: Argument,
}

/// The source of a bound parameter's value.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A constant.
    Constant(Json),
    /// A parameter of the composed pattern.
    Parameter(String),
    /// The time of the call.
    Now,
    /// A field that an earlier step wrote or read, including generated ids: (step, field). If that step runs for each
    /// element of the same list, it is the field for the same element. The name of an element stands for the element, and
    /// an empty field for the element itself.
    Result(String, String),
    /// Text with holes, such as `{now - 1 day}`.
    Composed(Composed),
}

impl Argument {
    /// Returns the fields of earlier steps, or of a list's item, that it uses: (step, field).
    pub fn results(&self) -> Vec<(&str, &str)> {
        match self {
            Argument::Result(step, field) => vec![(step, field)],
            Argument::Composed(composed) => composed.names().into_iter().filter_map(Name::result).collect(),
            Argument::Constant(_) | Argument::Parameter(_) | Argument::Now => Vec::new(),
        }
    }
}

/// Several reads at once.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The reads, in order.
    pub parts: Vec<ReadPart>,
    /// Whether all parts, which are gets, read the same state.
    pub together: bool,
}

/// One read of a composed pattern.
#[derive(Debug, Clone)]
pub struct ReadPart {
    /// Its name in the answer.
    pub name: String,
    /// A read.
    pub pattern: Arc<Pattern>,
    /// The parameters that the composed pattern gives.
    pub bindings: Vec<Binding>,
}

/// A list, and the pattern that runs for each of its elements.
#[derive(Debug, Clone)]
pub struct ListWalk {
    /// The source of the elements.
    pub source: ListSource,
    /// The name of an element in bindings: [`Argument::Result`] of this name is a field of the element, or the element
    /// itself if the field is empty.
    pub element: String,
    /// The pattern to run for each element.
    pub run: Arc<Pattern>,
    /// The parameters of `run` that the walk gives.
    pub bindings: Vec<Binding>,
    /// The maximum number of elements. A query is followed as far, a longer list of the caller is refused. `None` if
    /// there is none.
    pub max: Option<u32>,
}

/// The source of the elements of a walk.
#[derive(Debug, Clone)]
pub enum ListSource {
    /// The items of a query.
    Query(Arc<Pattern>),
    /// A list that the caller gives as this parameter.
    List(String),
}

impl ListWalk {
    /// Returns the query whose items are the elements; `None` for a list of the caller.
    pub fn query(&self) -> Option<&Arc<Pattern>> {
        match &self.source {
            ListSource::Query(pattern) => Some(pattern),
            ListSource::List(_) => None,
        }
    }

    /// Returns the patterns that it runs, in order.
    pub fn runs(&self) -> Vec<&Arc<Pattern>> {
        self.query().into_iter().chain([&self.run]).collect()
    }

    /// Returns the name of the query or of the parameter with the list.
    pub fn source_name(&self) -> &str {
        match &self.source {
            ListSource::Query(pattern) => &pattern.name,
            ListSource::List(parameter) => parameter,
        }
    }

    /// Returns whether a parameter is the field of the element with the same name.
    pub fn binds_own(&self, name: &str) -> bool {
        self.bindings.iter().any(|binding| {
            let Argument::Result(element, path) = &binding.argument else { return false };
            binding.parameter == name && *element == self.element && path == name
        })
    }

    /// Returns the fields of the elements that the bindings use, with paths into them.
    pub fn element_fields(&self) -> impl Iterator<Item = &str> {
        let results = self.bindings.iter().flat_map(|binding| binding.argument.results());
        results.map(|(_, path)| path).filter(|path| !path.is_empty())
    }
}

/// Runs a query for each element of a list, and merges the results in order with one cursor.
#[derive(Debug, Clone)]
pub struct Merge {
    /// The list, and the query to run for each of its elements.
    pub walk: ListWalk,
    /// The field that orders the merged items.
    pub by: String,
    /// The order.
    pub order: Order,
    /// The items on a page.
    pub limit: u32,
}

/// Runs a query for each element of a list, and groups its items by a field. The groups that most elements have found come
/// first.
#[derive(Debug, Clone)]
pub struct Gather {
    /// The list, and the query to run for each of its elements.
    pub walk: ListWalk,
    /// The field that the items of a group have in common.
    pub by: String,
    /// The groups on a page.
    pub limit: u32,
}
