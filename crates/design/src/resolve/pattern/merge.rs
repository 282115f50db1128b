//! Resolves merges: a list, then a query for each of its items, in one order.

use std::sync::Arc;

use super::super::template::find;
use super::bindings::{StepScope, composed_kind};
use super::order::order;
use super::query::{entity_names, ordered_by};
use super::source::{WrittenValue, written};
use super::{PatternDraft, Patterns};
use crate::expression::{Name, Origin};
use crate::model::{Argument, Binding, Merge, Operation, Order, Pattern, Query};
use crate::paging::{MERGE_EACH_DEFAULT, MERGED_PAGE_ITEMS_DEFAULT};
use crate::report::Span;
use crate::syntax::{Entry, Node};
use crate::template::Format;

/// The name of the list as the source of arguments.
const LIST: &str = "each";

impl<'a> Patterns<'a> {
    /// Resolves `merge`.
    pub(super) fn merge(
        &mut self,
        draft: &mut PatternDraft<'a>,
        place: &'a Node,
        span: Span,
    ) -> Option<Merge> {
        let is_query = |operation: &Operation| matches!(operation, Operation::Query(_));
        let rule = "`each` of a merge must be a `query`";
        let each = self.run(place.get("each")?, "each", Vec::new(), is_query, rule);
        let rule = "`run` of a merge must be a `query`";
        let run = self.run(place.get("run")?, "run", Vec::new(), is_query, rule);
        let (each, run) = (each?, run?);
        let (Operation::Query(list), Operation::Query(query)) = (&each.operation, &run.operation) else {
            return None;
        };

        let bindings = draft.merge_bindings(place, list, &run);
        draft.open_parameters(&each, &[], span);
        draft.open_parameters(&run, &bindings, span);
        draft.one_bucket(place.get("each")?, list, &each.name, &[])?;
        draft.one_bucket(place.get("run")?, query, &run.name, &bindings)?;
        draft.one_order(place.get("run")?, query, &run.name)?;
        let by = draft.merge_by(place, &run, query)?;
        let number =
            |key: &str| place.get(key).and_then(Node::whole).and_then(|number| u32::try_from(number).ok());
        Some(Merge {
            bindings,
            by,
            order: draft.merge_order(place, &run, query),
            limit: number("limit").or(query.limit).unwrap_or(MERGED_PAGE_ITEMS_DEFAULT),
            each_max: number("max").unwrap_or(MERGE_EACH_DEFAULT),
            each: Arc::clone(&each),
            run: Arc::clone(&run),
        })
    }
}

impl PatternDraft<'_> {
    /// Returns the sources of the parameters of `run`: `with`, or else a field of the list's item with the same name.
    fn merge_bindings(&mut self, place: &Node, list: &Query, run: &Pattern) -> Vec<Binding> {
        let mut bindings = Vec::new();
        let with = place.entries("with");
        for entry in with {
            bindings.extend(self.merge_binding(entry, list, run));
        }
        for parameter in run.parameters.iter().filter(|parameter| parameter.required) {
            let is_field = list.entities.iter().all(|entity| entity.field(&parameter.name).is_some());
            if is_field && !with.iter().any(|entry| entry.name == parameter.name) {
                let argument = Argument::Result(LIST.to_owned(), parameter.name.clone());
                bindings.push(Binding { parameter: parameter.name.clone(), argument });
            }
        }
        if bindings.iter().all(|binding| binding.argument.results().is_empty())
            && self.all_bound(with, &bindings)
        {
            self.context.mistakes.add_with_help(
                place.span,
                format!("`{}` would run the same query for each item of the list", run.name),
                "use a field of the item for one of its parameters: `with = { user_id = \"{following_id}\" }`",
            );
        }
        bindings
    }

    /// Returns whether `with` has no mistakes.
    fn all_bound(&self, with: &[Entry], bindings: &[Binding]) -> bool {
        with.iter().all(|entry| bindings.iter().any(|binding| binding.parameter == entry.name))
    }

    /// Resolves one entry of `with`. In a merge, `{field}` is a field of the list's item if it has one of that name.
    fn merge_binding(&mut self, entry: &Entry, list: &Query, run: &Pattern) -> Option<Binding> {
        let Entry { name, node, .. } = entry;
        let (value, parameter) = (node.text().and_then(|text| written(text).ok()), run.parameter(name));
        if let (Some(WrittenValue::Composed(composed)), Some(parameter)) = (&value, parameter) {
            let item = |path: &str| list_name(list, path);
            let composed = self.typed(node, composed.clone(), composed_kind(&parameter.kind), &item)?;
            return Some(Binding { parameter: name.clone(), argument: Argument::Composed(composed) });
        }
        if let (Some(WrittenValue::Reference(path)), Some(parameter)) = (value, parameter) {
            let first = path.split('.').next().unwrap_or_default();
            if let Some(entity) = list.entities.iter().find(|entity| entity.field(first).is_some()) {
                self.result_field(node.span, entity, &path, &parameter.kind)?;
                return Some(Binding {
                    parameter: name.clone(),
                    argument: Argument::Result(LIST.to_owned(), path),
                });
            }
        }
        let only = Node { span: node.span, value: crate::syntax::Value::Table(vec![with_alone(entry)]) };
        self.bindings(&only, run, &mut StepScope::default()).pop()
    }

    /// Resolves `by` and checks that the query is ordered by it.
    fn merge_by(&self, place: &Node, run: &Pattern, query: &Query) -> Option<String> {
        let node = place.get("by")?;
        let by = node.text()?;
        match ordered_by(query) {
            Some((path, Format::Plain | Format::Padded { .. })) if path == by => {
                let lacks = query.entities.iter().find(|entity| entity.field(by).is_none());
                if let Some(entity) = lacks {
                    let message = format!("`{}` has no field `{by}`", entity.name);
                    let help = "every entity of the query must have the field";
                    self.context.mistakes.add_with_help(node.span, message, help);
                }
                Some(by.to_owned())
            }
            Some((path, _)) if path == by => {
                let message = format!("the sort key of `{}` contains only a part of `{by}`", run.name);
                let help = format!("a merge needs the whole value in the sort key: `{{{by}}}`");
                self.context.mistakes.add_with_help(node.span, message, help);
                None
            }
            Some((path, _)) => {
                let message =
                    format!("`{}` is ordered by `{path}`, so its items can't be merged by `{by}`", run.name);
                self.context.mistakes.add_with_help(node.span, message, format!("write `by = \"{path}\"`"));
                None
            }
            None => {
                let message =
                    format!("`{}` doesn't return {} in the order of a field", run.name, entity_names(query));
                self.context.mistakes.add_with_help(
                    node.span,
                    message,
                    "its sort key must have a placeholder whose value the query doesn't give",
                );
                None
            }
        }
    }

    fn merge_order(&self, place: &Node, run: &Pattern, query: &Query) -> Order {
        let wanted = order(place).unwrap_or(query.order);
        if let (true, Some(node)) = (wanted != query.order, place.get("order")) {
            let message = format!("`{}` has the opposite order", run.name);
            self.context.mistakes.add_with_help(
                node.span,
                message,
                "use the same `order` in the merge and in the query",
            );
        }
        wanted
    }
}

/// Returns a table `with` that has only this entry.
fn with_alone(entry: &Entry) -> Entry {
    let node = Node { span: entry.span, value: crate::syntax::Value::Table(vec![entry.clone()]) };
    Entry { name: "with".to_owned(), span: entry.span, node }
}

/// Returns a field of the list's item as a name in an expression.
fn list_name(list: &Query, path: &str) -> Option<Name> {
    let kind = list.entities.iter().find_map(|entity| Some(find(&entity.fields, path)?.kind.clone()))?;
    Some(Name { origin: Origin::Result(LIST.to_owned(), path.to_owned()), kind: Some(kind) })
}
