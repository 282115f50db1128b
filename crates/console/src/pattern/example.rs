//! Arguments with an answer, found among the items that are there.

use std::sync::Arc;

use singlet_design::Pattern;
use singlet_run::Usage;
use singlet_run::seed::{Sample, Suggestions};
use singlet_store::{Scan, Store};

use super::Pairs;
use crate::console::Served;
use crate::keys::entity_of;

/// Items of each table that are looked at.
const LOOKED_AT_MAX: u32 = 300;

/// Arguments for the form: of a read, some with an answer if a short look finds them; else values of the right types.
/// `None` if the pattern needs none.
pub(super) async fn arguments<S: Store>(served: &Served<S>, pattern: &Pattern) -> Option<Pairs> {
    if pattern.parameters.is_empty() {
        return None;
    }
    let found = if pattern.reads() { richest(served, pattern).await } else { None };
    let arguments = found.unwrap_or_else(|| Usage::of(pattern).example);
    let pairs = arguments.iter().filter_map(|argument| argument.split_once('='));
    // A command line escapes a value that begins with @.
    let pair =
        |(name, value): (&str, &str)| (name.to_owned(), value.strip_prefix('@').unwrap_or(value).to_owned());
    Some(pairs.map(pair).collect()).filter(|pairs: &Pairs| !pairs.is_empty())
}

async fn richest<S: Store>(served: &Served<S>, pattern: &Pattern) -> Option<Vec<String>> {
    let mut suggestions = Suggestions::default();
    let mut seen: Vec<&str> = Vec::new();
    for table in pattern.entities().into_iter().map(|entity| &entity.table) {
        if seen.contains(&table.label.as_str()) {
            continue;
        }
        seen.push(&table.label);
        let scan = Scan {
            table: served.table_name(table),
            index: None,
            filter: None,
            projection: None,
            limit: Some(LOOKED_AT_MAX),
            start_key: None,
        };
        let page = served.runner().store().scan(scan).await.ok()?;
        for item in page.items {
            let entity = entity_of(served.design(), table, item.view()).map(Arc::clone);
            if let (Some(entity), Ok(item)) = (entity, item.decode()) {
                suggestions.note(&Sample { entity, item, reservations: Vec::new() });
            }
        }
    }
    let found = suggestions.richest(served.runner(), &pattern.name).await;
    found.map(|suggestion| suggestion.arguments)
}
