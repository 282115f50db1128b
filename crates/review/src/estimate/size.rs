//! Usual and largest sizes of values, items and index entries.

use std::ops::{Add, Mul};

use singlet_design::{
    Aggregate, Entity, Field, FieldType, IndexEntry, Part, Projection, SUMS_ATTRIBUTE, Template, Unique,
};
use singlet_values::limits;

/// Bytes of the longest UTF-8 character.
const CHARACTER_BYTES_MAX: u64 = 4;
/// Bytes of the largest number.
const NUMBER_BYTES_MAX: u64 = limits::NUMBER_BYTES_MAX as u64;
/// Bytes that are assumed for a string, unless its bound is smaller.
const TEXT_BYTES_USUAL: u64 = 32;
/// Elements that are assumed for a collection, unless its bound is smaller.
const ELEMENTS_USUAL: u64 = 5;
/// Bytes that DynamoDB adds for a list or map, and for each of its elements.
const CONTAINER_BYTES: u64 = 3;
const ELEMENT_BYTES: u64 = 1;
/// Bytes that are assumed for the sums behind a derived field: their names, and small numbers.
const SUMS_BYTES: u64 = 16;
/// `2025-01-20T15:30:00.000Z`
const TIME_BYTES: u64 = 24;
/// `2025-01-20`
const DATE_BYTES: u64 = 10;
/// A UUID as text; ULIDs are shorter.
const ID_BYTES: u64 = 36;

/// A size in bytes, as DynamoDB counts them: the usual size, and the largest that the bounds allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// The size that units and prices are computed from.
    pub usual: u64,
    /// The largest size; `None` without a bound.
    pub max: Option<u64>,
}

impl Size {
    /// A size that never varies.
    pub fn exactly(bytes: u64) -> Size {
        Size { usual: bytes, max: Some(bytes) }
    }

    /// No bytes.
    pub const ZERO: Size = Size { usual: 0, max: Some(0) };
}

impl Add for Size {
    type Output = Size;

    fn add(self, other: Size) -> Size {
        let max = self.max.zip(other.max).map(|(one, two)| one.saturating_add(two));
        Size { usual: self.usual.saturating_add(other.usual), max }
    }
}

impl std::iter::Sum for Size {
    fn sum<I: Iterator<Item = Size>>(sizes: I) -> Size {
        sizes.fold(Size::ZERO, Add::add)
    }
}

/// The size of a number of elements: the left side is their number.
impl Mul<Size> for Size {
    type Output = Size;

    fn mul(self, each: Size) -> Size {
        let max = self.max.zip(each.max).map(|(count, bytes)| count.saturating_mul(bytes));
        Size { usual: self.usual.saturating_mul(each.usual), max }
    }
}

/// The size of a field with its name.
pub fn field_size(field: &Field) -> Size {
    Size::exactly(field.name.len() as u64) + value_size(&field.kind)
}

/// The size of a value of this type.
pub fn value_size(kind: &FieldType) -> Size {
    match kind {
        FieldType::Text { max, .. } => text_size(*max),
        FieldType::Choice(choices) => choice_size(choices),
        FieldType::Int { .. } | FieldType::Number { .. } => Size { usual: 4, max: Some(NUMBER_BYTES_MAX) },
        FieldType::Bool => Size::exactly(1),
        FieldType::Binary { max } => bounded(*max, 1, 256),
        FieldType::Date => Size::exactly(DATE_BYTES),
        FieldType::Time => Size::exactly(TIME_BYTES),
        FieldType::Epoch => Size::exactly(6),
        FieldType::Id => Size::exactly(ID_BYTES),
        FieldType::List { of, max, .. } | FieldType::Map { of, max } => {
            let name = if matches!(kind, FieldType::Map { .. }) { text_size(Some(64)) } else { Size::ZERO };
            let element = value_size(of) + name + Size::exactly(ELEMENT_BYTES);
            Size::exactly(CONTAINER_BYTES) + elements(*max) * element
        }
        FieldType::Set { of, max } => elements(*max) * value_size(of),
        FieldType::Object(fields) => {
            let member = |field| field_size(field) + Size::exactly(ELEMENT_BYTES);
            Size::exactly(CONTAINER_BYTES) + fields.iter().map(member).sum()
        }
        FieldType::Any { max_bytes } => bounded(*max_bytes, 1, 512),
    }
}

/// The size of an item with its fields, keys, type and time to live.
pub fn item_size(entity: &Entity) -> Size {
    let table = &entity.table;
    let fields: Size = entity.fields.iter().map(field_size).sum();
    let names = table.key().map(|attribute| attribute.name.as_str());
    let key = names.zip(std::iter::once(&entity.key.partition).chain(&entity.key.sort));
    let keys: Size = key.map(|(name, template)| derived_size(entity, name, template)).sum();
    let indexes: Size = entity
        .indexes
        .iter()
        .flat_map(IndexEntry::templates)
        .map(|(name, template)| derived_size(entity, name, template))
        .sum();
    fields + keys + indexes + type_size(entity) + ttl_size(entity) + sums_size(entity)
}

/// The size of the attribute with the sums behind derived fields.
fn sums_size(entity: &Entity) -> Size {
    if entity.aggregates.is_empty() {
        return Size::ZERO;
    }
    let field = |rule: &Aggregate| {
        let usual = rule.field.len() as u64 + SUMS_BYTES;
        Size { usual, max: Some(usual + 2 * NUMBER_BYTES_MAX) }
    };
    let own = Size::exactly(SUMS_ATTRIBUTE.len() as u64 + CONTAINER_BYTES + SUMS_BYTES);
    own + entity.aggregates.iter().map(field).sum()
}

/// The size of the item that reserves a unique value. Its key holds the value, and its attributes name the holder.
pub fn reservation_size(entity: &Entity, unique: &Unique) -> Size {
    let table = &entity.table;
    let head = "UNIQUE".len() + entity.name.len() + unique.labels().collect::<Vec<_>>().join(",").len() + 3;
    let values: Size = unique.fields.iter().filter_map(|path| entity.field_at(path)).map(value_size).sum();
    let key = |name: &str| Size::exactly((name.len() + head) as u64) + values;
    let keys: Size = table.key().map(|attribute| key(&attribute.name)).sum();
    let mark = Size::exactly((table.type_attribute.len() + "unique".len()) as u64);
    let holder = Size::exactly("holder".len() as u64) + template_size(entity, &entity.key.partition);
    let sort = entity.key.sort.as_ref().map(|sort| template_size(entity, sort));
    let holder_sort = sort.map_or(Size::ZERO, |sort| Size::exactly("holder_sort".len() as u64) + sort);
    keys + mark + holder + holder_sort + ttl_size(entity)
}

/// The size of an item's entry in an index.
pub fn entry_size(entity: &Entity, entry: &IndexEntry) -> Size {
    let projected = match &entry.index.projection {
        Projection::All => return item_size(entity),
        Projection::Keys => Size::ZERO,
        Projection::Include(names) => names.iter().map(|name| attribute_size(entity, name)).sum(),
    };
    let table_key = entity.table.key().map(|attribute| attribute.name.as_str());
    let table_templates = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    let keys = entry.templates().chain(table_key.zip(table_templates));
    projected + keys.map(|(name, template)| key_size(entity, name, template)).sum()
}

/// The size of an attribute: a field, the type, or zero for an attribute that the design doesn't know.
fn attribute_size(entity: &Entity, name: &str) -> Size {
    if name == entity.table.type_attribute {
        return type_size(entity);
    }
    entity.field(name).map_or(Size::ZERO, field_size)
}

fn type_size(entity: &Entity) -> Size {
    Size::exactly((entity.table.type_attribute.len() + entity.type_name.len()) as u64)
}

fn ttl_size(entity: &Entity) -> Size {
    match (&entity.ttl, &entity.table.ttl) {
        (Some(_), Some(attribute)) if entity.field(attribute).is_none() => {
            Size::exactly(attribute.len() as u64) + value_size(&FieldType::Epoch)
        }
        _ => Size::ZERO,
    }
}

/// The size of a key attribute, unless it is a field: fields are counted on their own.
fn derived_size(entity: &Entity, name: &str, template: &Template) -> Size {
    if entity.field(name).is_some() { Size::ZERO } else { key_size(entity, name, template) }
}

/// The size of a key attribute with its name.
fn key_size(entity: &Entity, name: &str, template: &Template) -> Size {
    Size::exactly(name.len() as u64) + template_size(entity, template)
}

/// The size of the key that a template makes.
pub fn template_size(entity: &Entity, template: &Template) -> Size {
    template.parts.iter().map(|part| part_size(entity, part)).sum()
}

fn part_size(entity: &Entity, part: &Part) -> Size {
    match part {
        Part::Literal(text) => Size::exactly(text.len() as u64),
        Part::Shard { count, .. } => {
            Size::exactly(u64::from(count.saturating_sub(1).checked_ilog10().unwrap_or(0)) + 1)
        }
        Part::Field { path, format } => match format.width() {
            Some(width) => Size::exactly(width),
            None => entity.field_at(path).map_or(Size { usual: TEXT_BYTES_USUAL, max: None }, value_size),
        },
    }
}

fn text_size(max: Option<u32>) -> Size {
    bounded(max, CHARACTER_BYTES_MAX, TEXT_BYTES_USUAL)
}

fn bounded(max: Option<u32>, bytes_each: u64, usual: u64) -> Size {
    let max = max.map(|max| u64::from(max).saturating_mul(bytes_each));
    Size { usual: max.map_or(usual, |max| usual.min(max)), max }
}

fn choice_size(choices: &[String]) -> Size {
    let longest = choices.iter().map(|choice| choice.len() as u64).max().unwrap_or(0);
    Size { usual: longest, max: Some(longest) }
}

fn elements(max: Option<u32>) -> Size {
    Size {
        usual: max.map_or(ELEMENTS_USUAL, |max| ELEMENTS_USUAL.min(u64::from(max))),
        max: max.map(u64::from),
    }
}
