//! Resolves gathers: a query for each element of a list, and its items grouped by a field.

use super::merge::page_limit;
use super::query::entity_names;
use super::walk::WalkRules;
use super::{PatternDraft, Patterns};
use crate::model::{FieldType, Gather, Operation, Query};
use crate::paging::MERGED_PAGE_ITEMS_DEFAULT;
use crate::report::Span;
use crate::syntax::Node;

/// The number of elements that have found a group, in the answer.
const HITS: &str = "hits";

const RULES: WalkRules = WalkRules {
    fits: |operation| matches!(operation, Operation::Query(_)),
    rule: "`run` of a gather must be a `query`",
    unnamed: false,
    bounded: true,
};

impl<'a> Patterns<'a> {
    /// Resolves `gather`.
    pub(super) fn gather(
        &mut self,
        draft: &mut PatternDraft<'a>,
        place: &'a Node,
        span: Span,
    ) -> Option<Gather> {
        let walk = self.walk(draft, place, span, &RULES)?;
        let Operation::Query(query) = &walk.run.operation else { return None };
        let by = draft.gather_by(place, query)?;
        let limit = page_limit(place).unwrap_or(MERGED_PAGE_ITEMS_DEFAULT);
        Some(Gather { by, limit, walk })
    }
}

impl PatternDraft<'_> {
    /// Resolves `group`, which every item of the query must have as a plain value.
    fn gather_by(&self, place: &Node, query: &Query) -> Option<String> {
        let node = place.get("group")?;
        let by = node.text()?;
        for entity in &query.entities {
            let Some(field) = entity.field(by) else {
                let message = format!("`{}` has no field `{by}`", entity.name);
                let help = super::super::template::help(&entity.fields, by);
                self.context.mistakes.add_with(node.span, message, help);
                return None;
            };
            use FieldType::{Any, List, Map, Object, Set};
            if matches!(field.kind, List { .. } | Set { .. } | Map { .. } | Object(_) | Any { .. }) {
                let message = format!("`{by}` isn't a single value, so items can't be grouped by it");
                let help = "use a field that holds a string, a number, a boolean or a time";
                self.context.mistakes.add_with_help(node.span, message, help);
                return None;
            }
        }
        let named = query.entities.iter().any(|entity| entity.field(HITS).is_some());
        if named || query.resolve.iter().any(|resolve| resolve.name == HITS) {
            let names = entity_names(query);
            let message = format!("{names} already has `{HITS}`, which a gather adds to its answer");
            let help = format!("rename `{HITS}` of {names}");
            self.context.mistakes.add_with_help(node.span, message, help);
        }
        self.is_contained(query, by, node.span).then(|| by.to_owned())
    }
}
