//! Warnings about tables for readers and writers of their items.

use std::sync::Arc;

use singlet_design::{Design, Entity, Table};
use singlet_store::Store;

use super::blueprint::Blueprint;
use super::difference::differences;
use super::record::{Owner, Recalled};

/// Says which items of some entities patterns may miss: those that were outdated when the design was applied, and all
/// of an entity that the design stores in another way than the design that was applied. Nothing is said if it can't be
/// found out.
pub async fn warnings(
    design: &Design,
    environment: &str,
    store: &impl Store,
    entities: &[&Arc<Entity>],
) -> Vec<String> {
    let is_used = |table: &&Arc<Table>| entities.iter().any(|entity| entity.table.label == table.label);
    let names: Vec<&str> = entities.iter().map(|entity| entity.name.as_str()).collect();
    let tables = design.tables.iter().filter(is_used);
    let mut warnings = Vec::new();
    for table in tables {
        warnings.extend(of_table(design, table, environment, store, &names).await);
    }
    warnings
}

async fn of_table(
    design: &Design,
    table: &Table,
    environment: &str,
    store: &impl Store,
    used: &[&str],
) -> Vec<String> {
    let table_name = table.name_in(environment);
    let (design_name, environment) = (design.name.clone(), environment.to_owned());
    let owner = Owner { table: table_name, design: design_name, environment };
    let Ok(Recalled::Record(record)) = owner.read(store).await else { return Vec::new() };
    let Some(content) = record.content else { return Vec::new() };
    let mut warnings = Vec::new();
    for one in content.outdated.iter().filter(|one| used.contains(&one.entity.as_str())) {
        let again = if one.items == 1 { "it is" } else { "they are" };
        warnings.push(format!(
            "{one}: {}. Until {again} written again, patterns may miss {}, and unique values may be given twice",
            one.reasons.join("; "),
            if one.items == 1 { "it" } else { "them" }
        ));
    }
    let changed = differences(&content.blueprint, &Blueprint::of(design, table));
    for one in changed.iter().filter(|one| used.contains(&one.entity.as_str())) {
        warnings.push(format!(
            "the design that was applied to {} stores {} in another way ({}): apply this one first",
            owner.table,
            one.entity,
            one.reasons.join("; ")
        ));
    }
    warnings
}
