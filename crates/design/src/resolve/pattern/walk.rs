//! Resolves walks: a list, and a pattern that runs for each of its elements.

use std::sync::Arc;

use super::bindings::StepScope;
use super::compose::word;
use super::each::{EachError, EachText, Element};
use super::item::{UNNAMED, moved_by};
use super::{PatternDraft, Patterns};
use crate::model::{Each, EachList, ListSource, ListWalk, Operation, Order, Pattern};
use crate::names::nearest;
use crate::paging::WALK_DEFAULT;
use crate::report::Span;
use crate::syntax::{Node, Value};

/// The demands of an operation on its walk.
pub(super) struct WalkRules {
    /// Whether a pattern can be run for each element.
    pub(super) fits: fn(&Operation) -> bool,
    /// Which patterns can.
    pub(super) rule: &'static str,
    /// Whether `each` can be the name of a query alone.
    pub(super) unnamed: bool,
    /// Whether the number of elements is bounded.
    pub(super) bounded: bool,
}

/// The names in `each`.
struct WalkNames {
    /// The name of an element; `None` in the older form.
    element: Option<String>,
    /// The query or the parameter with the list.
    source: String,
    /// The position of the source.
    span: Span,
}

const CLAIM: WalkRules = WalkRules {
    fits: |operation| match operation {
        Operation::Update(update) => update.first.is_none(),
        operation => matches!(operation, Operation::Delete(_)),
    },
    rule: "`run` of a claim must be an `update` or a `delete`",
    unnamed: false,
    bounded: true,
};

const BULK: WalkRules = WalkRules {
    fits: |operation| {
        use Operation::{Create, Delete, Put, Transaction, Update};
        matches!(operation, Create(_) | Put(_) | Update(_) | Delete(_) | Transaction(_))
    },
    rule: "`run` of a bulk write must be a write or a transaction",
    unnamed: false,
    bounded: false,
};

impl<'a> Patterns<'a> {
    /// Resolves `claim`.
    pub(super) fn claim(
        &mut self,
        draft: &mut PatternDraft<'a>,
        place: &'a Node,
        span: Span,
    ) -> Option<ListWalk> {
        self.walk(draft, place, span, &CLAIM)
    }

    /// Resolves `bulk`.
    pub(super) fn bulk(
        &mut self,
        draft: &mut PatternDraft<'a>,
        place: &'a Node,
        span: Span,
    ) -> Option<ListWalk> {
        let walk = self.walk(draft, place, span, &BULK)?;
        draft.stays_in_place(place, &walk);
        Some(walk)
    }

    /// Resolves `each`, `run`, `with` and `max`.
    pub(super) fn walk(
        &mut self,
        draft: &mut PatternDraft<'a>,
        place: &'a Node,
        span: Span,
        rules: &WalkRules,
    ) -> Option<ListWalk> {
        let each = place.get("each").and_then(|node| draft.walk_names(node, rules));
        let scope = each.iter().filter_map(|each| each.element.clone()).collect();
        let run = place.get("run").and_then(|node| self.run(node, "run", scope, rules.fits, rules.rule));
        let each = each?;
        let is_pattern = each.element.is_none() || self.by_name.contains_key(each.source.as_str());
        let query = if is_pattern { Some(self.walked_query(&each)?) } else { None };
        let run = run?;

        let before = self.context.mistakes.count();
        let bindings = match (&each.element, query.as_deref().and_then(Pattern::query)) {
            (Some(element), Some(list)) => draft.item_bindings(place, (element, list), &run),
            (None, Some(list)) => draft.field_bindings(place, list, &run),
            (element, None) => {
                let element = element.clone().unwrap_or_default();
                let list = EachList::Parameter(each.source.clone());
                let mut scope = StepScope {
                    element: Some(Element::new(Each { element, list }, None, false)),
                    ..StepScope::default()
                };
                let bindings = draft.bindings(place, &run, &mut scope);
                if let Some(element) = scope.element.filter(Element::is_used) {
                    element.open(self.context, &mut draft.parameters, each.span);
                }
                bindings
            }
        };
        let is_used = bindings.iter().any(|binding| !binding.argument.results().is_empty());
        if self.context.mistakes.count() > before {
            return None;
        }
        if !is_used {
            self.no_use_of_element(place, &each, &run, query.is_some());
            return None;
        }
        if let Some(query) = &query {
            draft.open_parameters(query, &[], span);
        }
        draft.open_parameters(&run, &bindings, span);
        if let Some(query) = run.query() {
            draft.one_bucket(place.get("run")?, query, &run.name, &bindings)?;
            draft.one_order(place.get("run")?, query, &run.name)?;
        }
        let max = place.get("max").and_then(Node::whole).and_then(|max| u32::try_from(max).ok());
        Some(ListWalk {
            source: query.map_or(ListSource::List(each.source), ListSource::Query),
            element: each.element.unwrap_or_else(|| UNNAMED.to_owned()),
            run,
            bindings,
            max: max.or(rules.bounded.then_some(WALK_DEFAULT)),
        })
    }

    /// Resolves the query that `each` names.
    fn walked_query(&mut self, each: &WalkNames) -> Option<Arc<Pattern>> {
        let node = Node { span: each.span, value: Value::Text(each.source.clone()) };
        let pattern = self.other(&node)?;
        if !matches!(pattern.operation, Operation::Query(_)) {
            let message =
                format!("`{}` is a `{}`, which can't be used here", pattern.name, word(&pattern.operation));
            let rule = "`each` must name a `query`, or a parameter with a list";
            self.context.mistakes.add_with_help(each.span, message, rule);
            return None;
        }
        Some(pattern)
    }

    /// Adds the mistake that `run` would do the same for all elements.
    fn no_use_of_element(&self, place: &Node, each: &WalkNames, run: &Pattern, is_query: bool) {
        let used = |parameter: &str| match (&each.element, is_query) {
            (None, _) => "with = { user_id = \"{following_id}\" }".to_owned(),
            (Some(element), true) => format!("with = {{ {parameter} = \"{{{element}.{parameter}}}\" }}"),
            (Some(element), false) => format!("with = {{ {parameter} = \"{{{element}}}\" }}"),
        };
        let nearest = match is_query {
            true => None,
            false => nearest(&each.source, self.by_name.keys().copied()),
        };
        let parameter = run.parameters.first().map_or("user_id", |parameter| &parameter.name);
        let (message, help) = match nearest {
            Some(nearest) => (
                format!("there is no query `{}`, and as a list of the caller it isn't used", each.source),
                format!("did you mean `{nearest}`?"),
            ),
            None => (
                format!("`{}` would do the same for each element of the list", run.name),
                format!("use the element for one of its parameters: `{}`", used(parameter)),
            ),
        };
        let span = if nearest.is_some() { each.span } else { place.span };
        self.context.mistakes.add_with_help(span, message, help);
    }
}

impl PatternDraft<'_> {
    /// Resolves `x in SOURCE`.
    fn walk_names(&self, node: &Node, rules: &WalkRules) -> Option<WalkNames> {
        let text = node.text()?;
        if rules.unnamed && !text.trim().contains(char::is_whitespace) {
            return Some(WalkNames { element: None, source: text.to_owned(), span: node.span });
        }
        match EachText::parse(text) {
            Err(EachError { message, help, range }) => {
                self.context.mistakes.add_with_help(self.context.inside(node, range), message, help);
                None
            }
            Ok(each) if each.source.contains('.') => {
                let span = self.context.inside(node, each.source_range);
                let help = "a walk has no earlier steps: name a query, or a parameter with a list";
                let message = format!("`{}` can't be the list of a walk", each.source);
                self.context.mistakes.add_with_help(span, message, help);
                None
            }
            Ok(each) => {
                let span = self.context.inside(node, each.source_range);
                Some(WalkNames { element: Some(each.element), source: each.source, span })
            }
        }
    }

    /// Checks that a write for each item doesn't move the items within the list: a moved item would be met again, or left
    /// out.
    pub(super) fn stays_in_place(&self, place: &Node, walk: &ListWalk) {
        let Some(query) = walk.query() else { return };
        let Operation::Query(list) = &query.operation else { return };
        let Some(moved) = moved_by(list, &walk.run) else { return };
        let way = if list.order == Order::Ascending { "forward" } else { "back" };
        let message = format!(
            "`{}` changes `{moved}`, by which `{}` is ordered: an item that moves {way} is met again",
            walk.run.name, query.name
        );
        let span = place.get("each").map_or(place.span, |node| node.span);
        let help = format!("use a query that isn't ordered by `{moved}`");
        self.context.mistakes.add_with_help(span, message, help);
    }
}
