//! Derivations that lead out of the database: archives.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::entity::Entity;
use crate::condition::Condition;
use crate::template::Template;

/// An event in the life of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Event {
    /// It is written, and wasn't there before.
    Create,
    /// It was there, and is written with another content.
    Change,
    /// It is deleted, but not because it expired.
    Delete,
    /// It is deleted because it expired.
    Expire,
}

impl Event {
    /// All events.
    pub const ALL: [Event; 4] = [Event::Create, Event::Change, Event::Delete, Event::Expire];

    /// Returns its word in designs.
    pub fn word(self) -> &'static str {
        match self {
            Event::Create => "create",
            Event::Change => "change",
            Event::Delete => "delete",
            Event::Expire => "expire",
        }
    }

    /// Returns the event with this word.
    pub fn of_word(word: &str) -> Option<Event> {
        Event::ALL.into_iter().find(|event| event.word() == word)
    }

    /// Whether the item is gone afterwards.
    pub fn is_end(self) -> bool {
        matches!(self, Event::Delete | Event::Expire)
    }
}

/// Events of the items of one entity.
#[derive(Debug, Clone)]
pub struct Trigger {
    /// The entity.
    pub entity: Arc<Entity>,
    /// The events.
    pub events: BTreeSet<Event>,
    /// A condition on the item after the event, or before it if the item is gone. It doesn't depend on a call.
    pub condition: Option<Condition>,
}

/// Items that are appended to files when they are gone.
#[derive(Debug, Clone)]
pub struct Archive {
    /// The path of the file without its ending: parts between slashes, with fields of the item.
    pub file: Template,
    /// The events, each entity once.
    pub triggers: Vec<Trigger>,
}
