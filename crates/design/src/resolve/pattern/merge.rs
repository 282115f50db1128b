//! Resolves merges: a query for each element of a list, in one order.

use super::order::order_word;
use super::query::{entity_names, ordered_by};
use super::walk::WalkRules;
use super::{PatternDraft, Patterns};
use crate::model::{Merge, Operation, Order, Pattern, Query};
use crate::paging::MERGED_PAGE_ITEMS_DEFAULT;
use crate::report::Span;
use crate::syntax::Node;

const RULES: WalkRules = WalkRules {
    fits: |operation| matches!(operation, Operation::Query(_)),
    rule: "`run` of a merge must be a `query`",
    unnamed: true,
    bounded: true,
};

impl<'a> Patterns<'a> {
    /// Resolves `merge`.
    pub(super) fn merge(
        &mut self,
        draft: &mut PatternDraft<'a>,
        place: &'a Node,
        span: Span,
    ) -> Option<Merge> {
        let walk = self.walk(draft, place, span, &RULES)?;
        let Operation::Query(query) = &walk.run.operation else { return None };
        let by = draft.merge_by(place, &walk.run, query)?;
        let order = draft.merge_order(place, &walk.run, query);
        let limit = page_limit(place).or(query.limit).unwrap_or(MERGED_PAGE_ITEMS_DEFAULT);
        Some(Merge { by, order, limit, walk })
    }
}

/// Returns the `limit` of a composed list.
pub(super) fn page_limit(place: &Node) -> Option<u32> {
    place.get("limit").and_then(Node::whole).and_then(|number| u32::try_from(number).ok())
}

impl PatternDraft<'_> {
    /// Resolves `by` and checks that the query is ordered by it.
    fn merge_by(&self, place: &Node, run: &Pattern, query: &Query) -> Option<String> {
        let node = place.get("by")?;
        let by = node.text()?;
        match ordered_by(query) {
            Some((path, format)) if path == by && format.keeps_all() => {
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
        let wanted = order_word(place).map_or(query.order, |word| query.order_of(word));
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
