//! What patterns answer.

use std::sync::Arc;

use singlet_engine::values::EncodedItem;

use crate::json::Json;
use crate::model::Entity;

/// An item of an entity. It stays in its stored form until somebody asks for its JSON.
#[derive(Debug, Clone)]
pub struct Record {
    /// What it is; `None` for an item whose type the design doesn't know.
    pub entity: Option<Arc<Entity>>,
    /// The item with its keys.
    pub item: EncodedItem,
    /// Only these fields are shown.
    pub show: Option<Arc<[String]>>,
    /// What its references led to: name, and one record or several.
    pub resolved: Vec<(String, Json)>,
    /// Whether answers say its type: in lists of several entities.
    pub show_type: bool,
}

/// What a pattern answers.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// One item, or none.
    Item(Option<Record>),
    /// Whether it is there.
    Exists(bool),
    /// A list.
    Items {
        /// The items.
        records: Vec<Record>,
        /// Where the next page starts; `None` at the end.
        cursor: Option<String>,
    },
    /// An item was written; this is what it is now.
    Written(Record),
    /// An item was deleted: what it was, if it was there.
    Deleted(Option<Record>),
    /// A condition held.
    Checked,
    /// The answers of parts or steps, by name.
    Parts(Vec<(String, Outcome)>),
    /// The answers of a step that ran once for each element of a list.
    Each(Vec<Outcome>),
}

impl Outcome {
    /// As clean JSON: an object or null for an item, `{"items": […], "cursor": …}` for a list.
    pub fn to_json(&self) -> Json {
        todo!()
    }
}
