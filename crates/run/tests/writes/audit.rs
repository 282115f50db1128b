//! Holds a table against what a rebuild from its items' fields would give.

use std::collections::BTreeSet;

use singlet_design::Entity;
use singlet_engine::values::Item;
use singlet_run::{derive, reservation};

use crate::fixture::Fixture;

/// Every derived attribute, every reservation and every index entry is exactly what follows from the fields.
pub(crate) fn assert_true_to_fields(fixture: &Fixture) {
    let design = fixture.runner.design().clone();
    let stored = fixture.scan(None);
    let mut rebuilt = Vec::new();
    let mut reserved = Vec::new();
    for item in stored.iter().filter(|item| item.get("type") != Some(&"unique".into())) {
        let is_it =
            |entity: &&std::sync::Arc<Entity>| item.get("type") == Some(&entity.type_name.as_str().into());
        let entity = design.entities.iter().find(is_it).unwrap_or_else(|| panic!("of no type: {item:?}"));
        let mut fields = item.clone();
        fields.retain(|name, _| entity.field(name).is_some());
        derive::complete(entity, &mut fields).unwrap();
        assert_eq!(*item, fields, "an item differs from its rebuild");
        reserved.extend(entity.unique.iter().filter_map(|unique| reservation(entity, unique, item)));
        rebuilt.push(fields);
    }
    let held = stored.iter().filter(|item| item.get("type") == Some(&"unique".into())).cloned();
    assert_eq!(sorted(held), sorted(reserved), "reservations differ from the unique values of live items");
    let table = &design.tables[0];
    for index in &table.indexes {
        let in_it = |item: &&Item| index.key().all(|attribute| item.contains(&attribute.name));
        let expected = rebuilt.iter().filter(in_it).cloned();
        let found = fixture.scan(Some(&index.name));
        assert_eq!(sorted(found), sorted(expected), "the entries of {} differ", index.name);
    }
}

fn sorted(items: impl IntoIterator<Item = Item>) -> BTreeSet<String> {
    items.into_iter().map(|item| format!("{item:?}")).collect()
}
