//! The entity chart: the template of each entity in each key attribute.

use super::Grid;
use crate::model::{Design, Entity, KeyAttribute, Projection, Table, When};

/// Returns the chart of a table, with a row per entity and a column per key attribute: PK, SK, GSI1PK, GSI1SK…
pub fn entity_chart(design: &Design, table: &Table) -> Grid {
    let mut attributes: Vec<&str> = Vec::new();
    let of_indexes = table.indexes.iter().flat_map(|index| index.key());
    for attribute in table.key().chain(of_indexes) {
        if !attributes.contains(&attribute.name.as_str()) {
            attributes.push(&attribute.name);
        }
    }
    let columns = std::iter::once("Entity").chain(attributes.iter().copied());
    let mut grid = Grid::new(format!("Entities of {}", table.name), columns);
    for entity in design.entities_of(table) {
        let mut row = vec![entity.name.clone()];
        row.extend(attributes.iter().map(|attribute| cell(entity, attribute)));
        grid.rows.push(row);
    }
    grid
}

/// Returns the template of an entity in a key attribute; empty if the entity is in none of the attribute's indexes.
fn cell(entity: &Entity, attribute: &str) -> String {
    let table = &entity.table;
    if attribute == table.partition.name {
        return entity.key.partition.source.clone();
    }
    if table.sort.as_ref().is_some_and(|sort| sort.name == attribute) {
        return entity.key.sort.as_ref().map(|template| template.source.clone()).unwrap_or_default();
    }
    let mut found: Vec<String> = Vec::new();
    for entry in &entity.indexes {
        let template = entry.templates().find(|(name, _)| *name == attribute).map(|(_, template)| template);
        let Some(template) = template else { continue };
        // The condition is shown once, with the first attribute of the entry.
        let is_first = entry.index.key().next().is_some_and(|first| first.name == attribute);
        let text = match in_words(&entry.when) {
            Some(when) if is_first => format!("{template} when {when}"),
            _ => template.source.clone(),
        };
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found.join(" or ")
}

fn in_words(when: &[When]) -> Option<String> {
    let one = |when: &When| match when.values.as_slice() {
        [value] if value.as_bool() == Some(true) => when.field.clone(),
        [value] => format!("{} = {value}", when.field),
        values => {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            format!("{} in ({})", when.field, values.join(", "))
        }
    };
    let all: Vec<String> = when.iter().map(one).collect();
    (!all.is_empty()).then(|| all.join(" and "))
}

/// Returns the indexes of a table.
pub fn index_table(table: &Table) -> Grid {
    let columns = ["Index", "Partition key", "Sort key", "Kind", "Carries"];
    let mut grid = Grid::new(format!("Indexes of {}", table.name), columns);
    for index in &table.indexes {
        let carries = match &index.projection {
            Projection::All => "everything".to_owned(),
            Projection::Keys => "keys".to_owned(),
            Projection::Include(names) => names.join(", "),
        };
        grid.rows.push(vec![
            index.name.clone(),
            names(&index.partition),
            names(&index.sort),
            if index.local { "local" } else { "global" }.to_owned(),
            carries,
        ]);
    }
    grid
}

fn names(attributes: &[KeyAttribute]) -> String {
    attributes.iter().map(|attribute| attribute.name.as_str()).collect::<Vec<_>>().join(", ")
}
