//! Plain lists and maps: removing elements, making a missing map, and bounds on their lengths.

use singlet_design::{Change, Entity, FieldType};
use singlet_expr::{Comparator, Condition, Operand, Path};
use singlet_values::{AttributeValue, Item, Number};

use super::change::list_elements;
use super::edit::{Edit, Verb};
use super::guard::Guard;
use super::supplier::Supplier;
use crate::derive::value_at;
use crate::error::RunError;

/// The edit that removes elements from a plain list. The list must stay as it was read.
pub(super) fn without_elements(
    entity: &Entity,
    change: &Change,
    source: &Supplier<'_>,
    before: &Item,
    guard: &mut Guard,
    after: &mut Item,
) -> Result<Option<Edit>, RunError> {
    let Change::Subtract { path, value } = change else { return Ok(None) };
    let Some(kind @ FieldType::List { .. }) = entity.field_at(path) else { return Ok(None) };
    let less = list_elements(source, value, path, kind)?;
    guard.keep(before, path);
    // An update must change something, even if the list stays as it is.
    let edit = match value_at(before, path) {
        Some(AttributeValue::L(elements)) => {
            let rest = elements.iter().filter(|one| !less.contains(one)).cloned().collect();
            Edit::set(path.as_str(), AttributeValue::L(rest))
        }
        _ => Edit::remove(path.as_str()),
    };
    edit.apply(after)?;
    Ok(Some(edit))
}

/// The maps whose entries are edited.
pub(super) fn edited_maps(entity: &Entity, edits: &[Edit]) -> Vec<String> {
    let mut maps: Vec<String> = Vec::new();
    for (map, _) in edits.iter().filter_map(|edit| edit.path.rsplit_once('.')) {
        if is_map(entity, map) && !maps.iter().any(|known| known == map) {
            maps.push(map.to_owned());
        }
    }
    maps
}

pub(super) fn is_map(entity: &Entity, path: &str) -> bool {
    matches!(entity.field_at(path), Some(FieldType::Map { .. }))
}

/// Makes each map that an item lacks, with the entries that the edits give it. The map must stay missing.
pub(super) fn make_maps(
    entity: &Entity,
    edits: &mut Vec<Edit>,
    item: &Item,
    guard: &mut Guard,
) -> Result<(), RunError> {
    for map in edited_maps(entity, edits) {
        if value_at(item, &map).is_some() {
            continue;
        }
        guard.keep(item, &map);
        let (entries, others): (Vec<Edit>, Vec<Edit>) = edits
            .drain(..)
            .partition(|edit| edit.path.rsplit_once('.').is_some_and(|(parent, _)| parent == map));
        *edits = others;
        let mut members = Item::new();
        for entry in entries {
            let name = entry.path.rsplit_once('.').map_or("", |(_, name)| name).to_owned();
            Edit { path: name, verb: entry.verb }.apply(&mut members)?;
        }
        if !members.is_empty() {
            edits.push(Edit::set(map, AttributeValue::M(members)));
        }
    }
    Ok(())
}

/// A list or map that grows towards the most entries that it may have.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EntryBound {
    path: String,
    /// The entry of a map, which may be there already.
    entry: Option<String>,
    /// The elements that are added.
    more: u32,
    max: u32,
}

impl EntryBound {
    /// The lists and maps that these edits could make too long.
    pub(super) fn of(entity: &Entity, edits: &[Edit]) -> Vec<EntryBound> {
        let room = |edit: &Edit| {
            if let (Verb::Append { more, .. }, Some(FieldType::List { max: Some(max), .. })) =
                (&edit.verb, entity.field_at(&edit.path))
            {
                let more = u32::try_from(more.len()).unwrap_or(u32::MAX);
                return Some(EntryBound { path: edit.path.clone(), entry: None, more, max: *max });
            }
            let (map, _) = edit.path.rsplit_once('.')?;
            let Some(FieldType::Map { max: Some(max), .. }) = entity.field_at(map) else { return None };
            let grows =
                matches!(edit.verb, Verb::Set(_) | Verb::Fill(_) | Verb::Add { .. } | Verb::Append { .. });
            let entry = Some(edit.path.clone());
            grows.then(|| EntryBound { path: map.to_owned(), entry, more: 1, max: *max })
        };
        edits.iter().filter_map(room).collect()
    }

    /// The condition that there is room.
    pub(super) fn condition(&self) -> Condition {
        let last = Number::from(u64::from(self.max.saturating_sub(self.more)));
        let path = || Path::dotted(&self.path);
        let within =
            Condition::compare(Operand::size(path()), Comparator::LessOrEqual, AttributeValue::N(last));
        let missing = Condition::missing(path());
        let room = if self.more <= self.max { missing.or(within) } else { within };
        match &self.entry {
            Some(entry) => Condition::exists(Path::dotted(entry)).or(room),
            None => room,
        }
    }

    /// Why there is no room in this item, if there is none.
    pub(super) fn broken_by(&self, item: &Item) -> Option<RunError> {
        if self.entry.as_ref().is_some_and(|entry| value_at(item, entry).is_some()) {
            return None;
        }
        let have = match value_at(item, &self.path) {
            Some(AttributeValue::L(elements)) => elements.len(),
            Some(AttributeValue::M(members)) => members.len(),
            _ => 0,
        };
        let count = have.saturating_add(self.more as usize);
        let reason = format!("would have {count} entries; at most {} fit", self.max);
        (count > self.max as usize).then(|| RunError::Parameter { parameter: self.path.clone(), reason })
    }
}
