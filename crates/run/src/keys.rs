//! The key of an item, from the values that make it.

use singlet_design::{AskedKey, Entity, RenderError, Template, Values};
use singlet_values::{AttributeValue, Item};

use crate::error::{RunError, WrongParameter};

/// Exactly the table's key attributes of an entity's item.
pub(crate) fn table_key(entity: &Entity, values: &impl Values) -> Result<Item, RunError> {
    let table = &entity.table;
    let mut key = Item::with_capacity(2);
    key.insert(table.partition.name.as_str(), whole(&entity.key.partition, table.separator, values)?);
    if let (Some(attribute), Some(template)) = (&table.sort, &entity.key.sort) {
        key.insert(attribute.name.as_str(), whole(template, table.separator, values)?);
    }
    Ok(key)
}

/// The table's key that a pattern asks for in its own words.
pub(crate) fn asked_key(entity: &Entity, asked: &AskedKey, values: &impl Values) -> Result<Item, RunError> {
    let templates = asked.partition.iter().chain(&asked.sort);
    let mut key = Item::with_capacity(2);
    for (attribute, template) in entity.table.key().zip(templates) {
        key.insert(attribute.name.as_str(), whole(template, entity.table.separator, values)?);
    }
    Ok(key)
}

/// The key that a template makes, when every value must be there.
pub(crate) fn whole(
    template: &Template,
    separator: char,
    values: &impl Values,
) -> Result<AttributeValue, RunError> {
    template.render(separator, values).map_err(refused)?.ok_or_else(|| lacking(template, values))
}

/// A value that can't stand in a key is the caller's to mend.
pub(crate) fn refused(error: RenderError) -> RunError {
    let WrongParameter { parameter, reason } = unfit(error);
    RunError::Parameter { parameter, reason }
}

/// The same, for a list of wrong parameters.
pub(crate) fn unfit(error: RenderError) -> WrongParameter {
    let reason = format!("can't stand in a key: {}", error.reason);
    WrongParameter { parameter: error.field, reason }
}

/// Names the first value that a template needs and nobody gave.
pub(crate) fn lacking(template: &Template, values: &impl Values) -> RunError {
    let field = template.fields().find(|field| values.value(field).is_none());
    RunError::Parameter {
        parameter: field.unwrap_or(&template.source).to_owned(),
        reason: format!("is missing, and the key {} needs it", template.source),
    }
}
