//! Which changes an outlet is concerned with.

use singlet_design::{Entity, Event, Trigger};
use singlet_run::derive::with_defaults;
use singlet_run::holds_for;
use singlet_store::ItemChange;
use singlet_values::{AttributeValue, EncodedItem, Item};

use crate::error::DeriveError;

/// An event that a change is for one entity. A change can be the end of an item of one entity, and the beginning of an
/// item of another one under the same key.
#[derive(Debug, Clone)]
pub(super) struct Matched<'t> {
    pub(super) trigger: &'t Trigger,
    pub(super) event: Event,
    /// The item before the event, with its defaults.
    pub(super) before: Option<Item>,
    /// The item after the event, with its defaults.
    pub(super) after: Option<Item>,
}

impl Matched<'_> {
    /// Returns the item that the event is about.
    pub(super) fn item(&self) -> Option<&Item> {
        self.after.as_ref().or(self.before.as_ref())
    }
}

/// Returns the events of a change that some triggers ask for. The table has its label from the design.
pub(super) fn matched<'t>(
    triggers: &'t [Trigger],
    table: &str,
    change: &ItemChange,
) -> Result<Vec<Matched<'t>>, DeriveError> {
    let mut found = Vec::new();
    for trigger in triggers.iter().filter(|trigger| trigger.entity.table.label == table) {
        let entity = &*trigger.entity;
        let image = |image: &Option<EncodedItem>| match image {
            Some(item) if is_of(entity, item) => {
                let item = item.decode().map_err(DeriveError::corrupt)?;
                Ok::<_, DeriveError>(Some(with_defaults(entity, &item).into_owned()))
            }
            _ => Ok(None),
        };
        let (before, after) = (image(&change.before)?, image(&change.after)?);
        let event = match (&before, &after) {
            (None, None) => continue,
            (None, Some(_)) => Event::Create,
            (Some(_), Some(_)) => Event::Change,
            (Some(_), None) if change.expired => Event::Expire,
            (Some(_), None) => Event::Delete,
        };
        let one = Matched { trigger, event, before, after };
        let holds = |item: &Item| {
            trigger.condition.as_ref().is_none_or(|condition| holds_for(entity, condition, item))
        };
        if trigger.events.contains(&event) && one.item().is_some_and(holds) {
            found.push(one);
        }
    }
    Ok(found)
}

fn is_of(entity: &Entity, item: &EncodedItem) -> bool {
    let value = item.view().get(&entity.table.type_attribute).and_then(|value| value.to_value().ok());
    value == Some(AttributeValue::from(entity.type_name.as_str()))
}
