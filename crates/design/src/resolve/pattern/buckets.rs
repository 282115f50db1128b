//! Resolves ranges over buckets: a time that the partition key truncates.

use super::super::template::find;
use super::PatternDraft;
use super::query::QueryKey;
use crate::model::{Binding, Buckets, Query};
use crate::paging::BUCKETS_EMPTY_DEFAULT;
use crate::syntax::Node;
use crate::template::Part;
use crate::value::bucket_format;

impl PatternDraft<'_> {
    /// Returns the buckets that `range` walks, if it names a time of which the partition key has only the period.
    pub(super) fn buckets(&self, key: &QueryKey<'_>) -> Option<Buckets> {
        let field = self.node.get("range")?.text()?;
        let parts = || key.partition.iter().flat_map(|template| &template.parts);
        let formats = parts().filter_map(|part| match part {
            Part::Field { path, format } if path == field => Some(*format),
            _ => None,
        });
        if formats.clone().any(|format| !format.cuts_time()) {
            return None;
        }
        let number = |key| self.node.get(key).and_then(Node::whole);
        Some(Buckets {
            field: field.to_owned(),
            kind: find(&key.entity.fields, field)?.kind.clone(),
            format: bucket_format(formats)?,
            empty_max: number("empty")
                .and_then(|number| u32::try_from(number).ok())
                .unwrap_or(BUCKETS_EMPTY_DEFAULT),
        })
    }

    /// Checks that `empty` is used with buckets; `None` after a mistake.
    pub(super) fn empty_needs_buckets(&self, buckets: Option<&Buckets>) -> Option<()> {
        let Some(entry) = self.node.entry("empty").filter(|_| buckets.is_none()) else { return Some(()) };
        self.context.mistakes.add_with_help(
            entry.span,
            "`empty` is a bound on empty buckets, but this query reads one partition key",
            "remove it, or use a `range` over a time that the partition key truncates, such as `{created_at:day}`",
        );
        None
    }

    /// Checks that items within a bucket are in the order in which the buckets are walked; `None` after a mistake.
    pub(super) fn buckets_ascend(&self, query: &Query) -> Option<()> {
        let Some(buckets) = query.buckets.as_ref().filter(|_| query.descends) else { return Some(()) };
        let place = self.node.get("range").map_or(self.node.span, |node| node.span);
        let message =
            format!("buckets of `{}` can't be walked in the order of a descending part", buckets.field);
        let help = "remove `desc` from the sort key, and use `order = \"newest\"` to read it backwards";
        self.context.mistakes.add_with_help(place, message, help);
        None
    }

    /// Checks that a query of a walk over a list doesn't walk buckets; `None` after a mistake.
    pub(super) fn one_bucket(
        &self,
        place: &Node,
        query: &Query,
        name: &str,
        bindings: &[Binding],
    ) -> Option<()> {
        let Some(buckets) = &query.buckets else { return Some(()) };
        let field = &buckets.field;
        if bindings.iter().any(|binding| binding.parameter == *field) {
            return Some(());
        }
        let message = format!("`{name}` walks the buckets of `{field}`, which can't be done here");
        let help = format!("select one bucket with `with = {{ {field} = … }}`, or use a query of one key");
        self.context.mistakes.add_with_help(place.span, message, help);
        None
    }
}
