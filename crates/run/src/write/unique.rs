//! Reservation items: what makes a field's value belong to one item only.
//!
//! A reservation's key is the value, so that the table itself refuses a second one. It names its holder, and expires
//! with it.

use sha2::{Digest, Sha256};
use singlet_design::{Entity, FieldType, Name, Table, Unique, UniquePart};
use singlet_expr::{Condition, Path};
use singlet_store::{DeleteItem, PutItem, ReturnItem, TransactAction};
use singlet_values::{AttributeValue, Item};

use super::plan::{Planned, Purpose};
use crate::derive::value_at;
use crate::expiry;
use crate::expression::evaluate;

/// The value of the type attribute of reservations.
const TYPE: &str = "unique";
/// The attribute with the partition key of the item that holds the value.
const HOLDER: &str = "holder";
/// The attribute with its sort key.
const HOLDER_SORT: &str = "holder_sort";
/// A sort key has at most 1024 bytes; longer values are reserved by their hash.
const KEY_BYTES_MAX: usize = singlet_values::limits::SORT_KEY_BYTES_MAX;
/// The text before a hash. Values that begin like one are hashed too, so that none can be mistaken for another.
const HASHED: &str = "sha256:";

/// The reservation that an item needs for a unique field or group; `None` if one of its fields is missing. The
/// item has its key and its time to live.
pub fn reservation(entity: &Entity, unique: &Unique, item: &Item) -> Option<Item> {
    let table = &entity.table;
    let key = reserved_key(entity, unique, item)?;
    let mut reservation = Item::with_capacity(6);
    for attribute in table.key() {
        reservation.insert(attribute.name.as_str(), key.as_str());
    }
    reservation.insert(table.type_attribute.as_str(), TYPE);
    reservation.insert(HOLDER, item.get(&table.partition.name)?.clone());
    if let Some(sort) = &table.sort {
        reservation.insert(HOLDER_SORT, item.get(&sort.name)?.clone());
    }
    if let Some((name, expiry)) = table.ttl.as_ref().and_then(|name| Some((name, item.get(name)?))) {
        reservation.insert(name.as_str(), expiry.clone());
    }
    Some(reservation)
}

fn reserved_key(entity: &Entity, unique: &Unique, item: &Item) -> Option<String> {
    let parts: Vec<String> = unique.parts.iter().map(|part| part_text(part, item)).collect::<Option<_>>()?;
    let value = match parts.as_slice() {
        [alone] => alone.clone(),
        // Lengths keep the parts apart: a part may contain whatever would stand between them.
        parts => parts.iter().map(|part| format!("{}:{part}", part.len())).collect::<Vec<_>>().join(","),
    };
    let head = reservation_head(entity, unique);
    if head.len() + value.len() > KEY_BYTES_MAX || value.starts_with(HASHED) {
        let digest = Sha256::digest(value.as_bytes());
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        return Some(format!("{head}{HASHED}{hex}"));
    }
    Some(head + &value)
}

/// The text that the keys of all reservations of a unique field or group begin with.
pub(crate) fn reservation_head(entity: &Entity, unique: &Unique) -> String {
    let (separator, name) = (entity.table.separator, &entity.name);
    let labels = unique.labels().collect::<Vec<_>>().join(",");
    format!("UNIQUE{separator}{name}{separator}{labels}{separator}")
}

/// The key of the item that a reservation is for; `None` if the item isn't a reservation.
pub(crate) fn holder_key(table: &Table, reservation: &Item) -> Option<Item> {
    let mut key = Item::with_capacity(2);
    key.insert(table.partition.name.as_str(), reservation.get(HOLDER)?.clone());
    if let Some(sort) = &table.sort {
        key.insert(sort.name.as_str(), reservation.get(HOLDER_SORT)?.clone());
    }
    Some(key)
}

/// The text of one value; `None` if one of its fields is missing.
fn part_text(part: &UniquePart, item: &Item) -> Option<String> {
    let composed = match part {
        UniquePart::Field(field) => return text_of(value_at(item, field)?),
        UniquePart::Composed(composed) => composed,
    };
    let look = |name: &Name| value_at(item, name.field()?).cloned();
    let kind = FieldType::Any { max_bytes: None };
    // No unique value depends on the time. A text that can't be made, as of an empty string, reserves nothing.
    text_of(&evaluate(composed, &composed.source, &kind, &look, 0).ok()??)
}

pub(super) fn text_of(value: &AttributeValue) -> Option<String> {
    match value {
        AttributeValue::S(text) => Some(text.clone()),
        AttributeValue::N(number) => Some(number.to_string()),
        AttributeValue::Bool(truth) => Some(truth.to_string()),
        AttributeValue::B(bytes) => Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        _ => None,
    }
}

/// The actions that bring the reservations of one item from what it was to what it will be. A value that stays the same
/// is taken again: an item from before the field was unique may not have reserved it.
pub(super) fn moves<'a>(
    entity: &'a Entity,
    uniques: &[&'a Unique],
    table_name: &str,
    now_second: u64,
    before: Option<&Item>,
    after: Option<&Item>,
) -> Vec<Planned<'a>> {
    let mut actions = Vec::new();
    for unique in uniques {
        let old = before.and_then(|item| reservation(entity, unique, item));
        let new = after.and_then(|item| reservation(entity, unique, item));
        let key = |reservation: &Item| key_of(&entity.table, reservation);
        if let Some(old) = old.filter(|old| new.as_ref().map(key) != Some(key(old))) {
            actions.push(Planned {
                action: TransactAction::Delete(DeleteItem {
                    table: table_name.to_owned(),
                    key: key(&old),
                    condition: Some(free_or_held_by(&entity.table, &old, None)),
                    returned: ReturnItem::None,
                }),
                meaning: Purpose::Release { entity },
            });
        }
        if let Some(new) = new {
            let condition = free_or_held_by(&entity.table, &new, Some(now_second));
            actions.push(Planned {
                action: TransactAction::Put(PutItem {
                    table: table_name.to_owned(),
                    item: new,
                    condition: Some(condition),
                    returned: ReturnItem::None,
                }),
                meaning: Purpose::Take { entity, unique },
            });
        }
    }
    actions
}

/// The value is free, or this holder has it, or (if a time is given) a holder that has expired.
fn free_or_held_by(table: &Table, reservation: &Item, now_second: Option<u64>) -> Condition {
    let same = [HOLDER, HOLDER_SORT]
        .into_iter()
        .filter_map(|name| Some(Condition::equal(Path::attribute(name), reservation.get(name)?.clone())));
    let mut free = Condition::missing(Path::attribute(&table.partition.name));
    if let Some(same) = Condition::all(same) {
        free = free.or(same);
    }
    match (&table.ttl, now_second) {
        (Some(attribute), Some(now)) => free.or(expiry::expired(attribute, now)),
        _ => free,
    }
}

/// The key attributes of an item.
pub(crate) fn key_of(table: &Table, item: &Item) -> Item {
    table.key().filter_map(|key| Some((key.name.as_str(), item.get(&key.name)?.clone()))).collect()
}
