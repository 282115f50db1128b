//! An item while derived values are put into it.

use std::collections::BTreeSet;

use singlet_design::Entity;
use singlet_expr::{Action, Change, Condition, Path};
use singlet_run::derive::{derived, value_at};
use singlet_values::{AttributeValue, Item};

use crate::tally::TALLIES;

/// An item while it is changed.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    entity: &'a Entity,
    before: &'a Item,
    /// The item as it will be.
    pub(crate) item: Item,
    /// The attributes that were set, whether or not their values differ now.
    touched: BTreeSet<String>,
    /// The fields, or paths into objects, that the new values follow from.
    relied: BTreeSet<String>,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(entity: &'a Entity, before: &'a Item) -> Self {
        let (touched, relied) = (BTreeSet::new(), BTreeSet::new());
        Draft { entity, before, item: before.clone(), touched, relied }
    }

    /// Sets an attribute, or removes it. Returns whether it had another value.
    pub(crate) fn set(&mut self, attribute: &str, value: Option<AttributeValue>) -> bool {
        if self.item.get(attribute) == value.as_ref() {
            return false;
        }
        match value {
            Some(value) => _ = self.item.insert(attribute, value),
            None => _ = self.item.remove(attribute),
        }
        self.touched.insert(attribute.to_owned());
        true
    }

    /// Notes that the changes are right only while a field, or a path into an object, has its present value.
    pub(crate) fn rely_on(&mut self, path: &str) {
        self.relied.insert(path.to_owned());
    }

    /// Makes the attributes anew that follow from changed fields.
    pub(crate) fn derive(&mut self) -> Result<(), String> {
        let entity = self.entity;
        for derived in derived(entity) {
            if !self.touched.iter().any(|attribute| derived.touched_by(attribute)) {
                continue;
            }
            let value = derived.value(entity, &self.item).map_err(|error| error.to_string())?;
            self.relied.extend(derived.fields().into_iter().map(str::to_owned));
            self.set(derived.attribute, value);
        }
        Ok(())
    }

    /// Whether the item stays as it is.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.changed().next().is_none()
    }

    /// Returns the changes.
    pub(crate) fn actions(&self) -> Vec<Action> {
        let action = |attribute: &str| {
            let change = match self.item.get(attribute) {
                Some(value) => Change::set(value.clone()),
                None => Change::Remove,
            };
            Action { path: Path::attribute(attribute), change }
        };
        self.changed().map(action).collect()
    }

    fn changed(&self) -> impl Iterator<Item = &str> {
        let touched = self.touched.iter().map(String::as_str);
        touched.filter(|attribute| self.item.get(attribute) != self.before.get(attribute))
    }

    /// Returns the condition under which the changes are right: the item is the one that was read, as far as they rely
    /// on it.
    pub(crate) fn condition(&self) -> Option<Condition> {
        let table = &self.entity.table;
        let is_item = Condition::equal(
            Path::attribute(table.type_attribute.as_str()),
            AttributeValue::from(self.entity.type_name.as_str()),
        );
        let is_known = match self.before.get(TALLIES) {
            Some(value) => Condition::equal(Path::attribute(TALLIES), value.clone()),
            None => Condition::missing(Path::attribute(TALLIES)),
        };
        let in_key: Vec<&str> = table.key().map(|key| key.name.as_str()).collect();
        let relied = self.relied.iter().map(String::as_str).filter(|path| !in_key.contains(path));
        let guards = relied.map(|path| match value_at(self.before, path) {
            Some(value) => Condition::equal(Path::dotted(path), value.clone()),
            None => Condition::missing(Path::dotted(path)),
        });
        Condition::all([is_item, is_known].into_iter().chain(guards))
    }
}
