//! Arguments with an answer, found among the items that are there.

use std::sync::Arc;

use singlet_design::{Design, Entity, Operation, Parameter, Pattern, to_json, to_text};
use singlet_run::Usage;
use singlet_run::seed::{Sample, Suggestions};
use singlet_store::{Scan, Store};
use singlet_values::{EncodedValue, Item};

use crate::console::Served;
use crate::keys::entity_of;
use crate::link::Pairs;

/// Items of each table that are looked at.
const LOOKED_AT_MAX: u32 = 300;

/// Arguments for the form: some that fit items that are there, as far as a short look finds them; else values of the
/// right types. `None` if the pattern needs none.
pub(super) async fn arguments<S: Store>(served: &Served<S>, pattern: &Pattern) -> Option<Pairs> {
    if pattern.parameters.is_empty() {
        return None;
    }
    let samples = Samples::of(served, pattern).await;
    let found = if pattern.reads() { samples.richest(served, pattern).await } else { None };
    let pairs = found.unwrap_or_else(|| {
        let pairs = pairs(&Usage::of(pattern).example).into_iter();
        pairs.map(|pair| samples.grounded(served.design(), pattern, pair)).collect()
    });
    Some(pairs).filter(|pairs| !pairs.is_empty())
}

/// Arguments of a command line as pairs. A command line escapes a value that begins with @.
fn pairs(arguments: &[String]) -> Pairs {
    let pair = |(name, value): (&str, &str)| {
        let value = if value.starts_with("@@") { value.trim_start_matches('@') } else { value };
        (name.to_owned(), value.to_owned())
    };
    arguments.iter().filter_map(|argument| argument.split_once('=')).map(pair).collect()
}

/// A few items of the tables of a pattern.
struct Samples(Vec<(Arc<Entity>, Item)>);

impl Samples {
    async fn of<S: Store>(served: &Served<S>, pattern: &Pattern) -> Samples {
        let mut samples = Samples(Vec::new());
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
            let Ok(page) = served.runner().store().scan(scan).await else { continue };
            for item in page.items {
                let entity = entity_of(served.design(), table, item.view()).map(Arc::clone);
                samples.0.extend(entity.zip(item.decode().ok()));
            }
        }
        samples
    }

    /// The arguments of a read with the largest answer.
    async fn richest<S: Store>(&self, served: &Served<S>, pattern: &Pattern) -> Option<Pairs> {
        let mut suggestions = Suggestions::default();
        for (entity, item) in &self.0 {
            let (entity, item) = (Arc::clone(entity), item.clone());
            suggestions.note(&Sample { entity, item, reservations: Vec::new() });
        }
        let found = suggestions.richest(served.runner(), &pattern.name).await;
        found.map(|suggestion| pairs(&suggestion.arguments))
    }

    /// An argument of a write with a value that is there, where the write needs an item that is there.
    fn grounded(
        &self,
        design: &Design,
        pattern: &Pattern,
        (name, text): (String, String),
    ) -> (String, String) {
        let parameter = pattern.parameter(&name).filter(|parameter| parameter.required);
        let value = parameter.and_then(|parameter| self.value(design, pattern, parameter));
        let text = value.unwrap_or(text);
        (name, text)
    }

    fn value(&self, design: &Design, pattern: &Pattern, parameter: &Parameter) -> Option<String> {
        let is_new = matches!(pattern.operation, Operation::Create(_) | Operation::Put(_));
        let name = parameter.name.as_str();
        let target =
            |entity: &Arc<Entity>| design.entity(entity.field(name)?.refers_to.as_deref()?).map(Arc::clone);
        let mut holders: Vec<Arc<Entity>> = pattern.entities().into_iter().filter_map(target).collect();
        if !is_new {
            holders.extend(pattern.entities().into_iter().map(Arc::clone));
        }
        let mut items = holders
            .iter()
            .flat_map(|holder| self.0.iter().filter(|(entity, _)| entity.name == holder.name).take(1));
        let value = items.find_map(|(_, item)| item.get(name))?;
        Some(to_text(&parameter.kind, &to_json(EncodedValue::encode(value).view())))
    }
}
