//! Features that patterns need of a store beyond single items and queries.

use std::fmt;

use singlet_design::{Change, Count, Design, Entity, Operation, Pattern};
use singlet_store::{Feature, Store};

/// A pattern that can't run on a store, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The pattern.
    pub pattern: String,
    /// The feature.
    pub feature: Feature,
    /// The purpose.
    pub reason: String,
    /// The store that doesn't have it.
    pub store: String,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Need { pattern, feature, reason, store } = self;
        write!(f, "{pattern} can't run here: it needs {feature} ({reason}), and {store} doesn't have them")
    }
}

/// The patterns of a design that need what a store doesn't have, in the order of the design.
pub async fn unmet_needs(design: &Design, store: &impl Store) -> Vec<Need> {
    let mut unmet = Vec::new();
    for pattern in &design.patterns {
        for (feature, reason) in needs(pattern) {
            if !store.supports(feature).await {
                unmet.push(Need { pattern: pattern.name.clone(), feature, reason, store: store.label() });
            }
        }
    }
    unmet
}

/// The needs of a pattern, with reasons; each feature once.
pub fn needs(pattern: &Pattern) -> Vec<(Feature, String)> {
    let mut needs = Vec::new();
    collect(pattern, &mut needs);
    let mut seen: Vec<Feature> = Vec::new();
    needs.retain(|(feature, _)| {
        let first = !seen.contains(feature);
        seen.push(*feature);
        first
    });
    needs
}

fn collect(pattern: &Pattern, needs: &mut Vec<(Feature, String)>) {
    match &pattern.operation {
        Operation::Get(get) | Operation::Exists(get) => index_needs(get.on.as_deref(), needs),
        Operation::BatchGet(_) | Operation::Check(_) => {}
        Operation::Query(query) | Operation::Count(Count { query, .. }) => {
            index_needs(query.on.as_deref(), needs)
        }
        Operation::Scan(scan) => index_needs(scan.on.as_deref(), needs),
        Operation::Create(insert) | Operation::Put(insert) => {
            unique_needs(&insert.entity, |_| true, needs);
            reference_needs(pattern, needs);
        }
        Operation::Update(update) => {
            reference_needs(pattern, needs);
            unique_needs(
                &update.entity,
                |field| update.first.is_some() || update.changes.iter().any(|change| touches(change, field)),
                needs,
            );
        }
        Operation::Delete(delete) => unique_needs(&delete.entity, |_| true, needs),
        Operation::Transaction(_) => {
            needs.push((Feature::Transactions, "its steps happen together or not at all".to_owned()));
        }
        Operation::Parts(parts) => {
            if parts.together {
                needs.push((Feature::Transactions, "its parts are read at one moment".to_owned()));
            }
            parts.parts.iter().for_each(|part| collect(&part.pattern, needs));
        }
        Operation::Merge(_) | Operation::Gather(_) | Operation::Claim(_) | Operation::Bulk(_) => {
            pattern.runs().into_iter().for_each(|run| collect(run, needs));
        }
    }
}

fn index_needs(index: Option<&singlet_design::Index>, needs: &mut Vec<(Feature, String)>) {
    if let Some(index) = index.filter(|index| index.partition.len() > 1 || index.sort.len() > 1) {
        needs.push((Feature::MultiAttributeKeys, format!("the key of {} has several in a part", index.name)));
    }
}

/// Unique fields are held by items of their own, which are written with the item.
fn unique_needs(entity: &Entity, written: impl Fn(&str) -> bool, needs: &mut Vec<(Feature, String)>) {
    for unique in &entity.unique {
        if unique.fields.iter().any(|field| written(field)) {
            let reason = format!("{} of {} is unique", unique.fields.join(", "), entity.name);
            needs.push((Feature::Transactions, reason));
        }
    }
}

/// References of an item are checked in the transaction that writes the item.
fn reference_needs(pattern: &Pattern, needs: &mut Vec<(Feature, String)>) {
    for reference in pattern.checked_references() {
        let reason = format!("{} must refer to an existing {}", reference.field, reference.entity.name);
        needs.push((Feature::Transactions, reason));
    }
}

fn touches(change: &Change, field: &str) -> bool {
    let path = match change {
        Change::Set { path, .. }
        | Change::Add { path, .. }
        | Change::Remove { path }
        | Change::Subtract { path, .. } => path,
        Change::InsertElement(element) | Change::ChangeElement(element) | Change::DropElement(element) => {
            &element.field
        }
    };
    path == field || path.strip_prefix(field).is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_that_must_exist_needs_transactions() {
        let source = r##"
design = "notes"
[table]
key = ["PK", "SK"]
[entity.User]
key    = ["USER#{user_id}", "USER"]
fields = { user_id = "id" }
[entity.Note]
key    = ["NOTE#{note_id}", "NOTE"]
fields = { note_id = "id", user_id = { type = "key", ref = "User", must_exist = true }, text = "string" }
[pattern.write]
create = "Note"
[pattern.rewrite]
update = "Note"
set    = ["text"]
"##;
        let design = singlet_design::load("notes.toml", source).unwrap();
        let needs = |pattern: &str| needs(design.pattern(pattern).unwrap());
        let reason = "user_id must refer to an existing User".to_owned();
        assert_eq!(needs("write"), [(Feature::Transactions, reason)]);
        assert_eq!(needs("rewrite"), []);
    }
}
