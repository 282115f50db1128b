//! Answers of patterns.

use std::sync::Arc;

use singlet_design::{Entity, Field, Index, Json, Projection, SUMS_ATTRIBUTE, default_of, to_json};
use singlet_values::{EncodedItem, Item, ValueRef};

use crate::cursor::Cursor;

/// An item of an entity. It stays in its stored form until somebody asks for its JSON.
#[derive(Debug, Clone)]
pub struct Record {
    /// The item with its keys.
    pub item: EncodedItem,
    /// Its entity and the way in which it is shown, shared by all items of an entity in a list.
    pub shown: Arc<Shown>,
    /// The resolved references: name, and one record or several.
    pub resolved: Option<Box<[(String, Json)]>>,
}

/// How the items of an entity are shown.
#[derive(Debug, Clone)]
pub struct Shown {
    /// Their entity.
    pub entity: Arc<Entity>,
    /// Only these fields are shown.
    pub fields: Option<Arc<[String]>>,
    /// Whether answers say their type: in lists of several entities.
    pub with_type: bool,
    /// The index that they were read through, which may carry some of their fields only.
    pub index: Option<Arc<Index>>,
}

impl Shown {
    /// Items of an entity, shown whole.
    pub fn whole(entity: Arc<Entity>) -> Self {
        Shown { entity, fields: None, with_type: false, index: None }
    }
}

impl Record {
    /// An item of an entity, to be shown whole.
    pub fn of(entity: Arc<Entity>, item: EncodedItem) -> Self {
        Record::shown(Arc::new(Shown::whole(entity)), item)
    }

    /// An item that is shown in this way.
    pub fn shown(shown: Arc<Shown>, item: EncodedItem) -> Self {
        Record { item, shown, resolved: None }
    }

    /// Adds a member to what it is shown with.
    pub(crate) fn add(&mut self, name: String, value: Json) {
        let mut resolved = self.resolved.take().map(Vec::from).unwrap_or_default();
        resolved.push((name, value));
        self.resolved = Some(resolved.into());
    }

    /// As clean JSON: the fields in the entity's order, then the attributes that the design doesn't name, then what
    /// references led to. Keys, type and time to live are left out unless they are fields.
    pub fn to_json(&self) -> Json {
        let mut members = Vec::new();
        self.write_fields(&self.shown.entity, &mut members);
        for (name, value) in self.resolved.iter().flatten() {
            members.retain(|(member, _)| member != name);
            members.push((name.clone(), value.clone()));
        }
        Json::Object(members)
    }

    fn write_fields(&self, entity: &Entity, members: &mut Vec<(String, Json)>) {
        let item = self.item.view();
        if self.shown.with_type && entity.field("type").is_none() {
            members.push(("type".to_owned(), entity.type_name.as_str().into()));
        }
        for field in entity.fields.iter().filter(|field| self.shows(&field.name)) {
            match item.get(&field.name) {
                Some(value) => members.push((field.name.clone(), to_json(value))),
                None if self.has(field) => members.extend(with_default(field)),
                None => {}
            }
        }
        let unknown = |(name, value): (&str, ValueRef<'_>)| {
            let hidden = entity.field(name).is_some() || derived(entity, name) || !self.shows(name);
            (!hidden).then(|| (name.to_owned(), to_json(value)))
        };
        members.extend(item.iter().filter_map(unknown));
    }

    /// Whether the field would be here if the stored item had it.
    fn has(&self, field: &Field) -> bool {
        match self.shown.index.as_ref().map(|index| &index.projection) {
            None | Some(Projection::All) => true,
            Some(Projection::Keys) => false,
            Some(Projection::Include(names)) => names.contains(&field.name),
        }
    }

    fn shows(&self, name: &str) -> bool {
        self.shown.fields.as_deref().is_none_or(|show| show.iter().any(|shown| shown == name))
    }
}

/// The field with the default that an item from before it was there has.
fn with_default(field: &Field) -> Option<(String, Json)> {
    let item: Item = [(field.name.as_str(), default_of(field)?)].into_iter().collect();
    let item = EncodedItem::encode(&item);
    item.view().get(&field.name).map(|value| (field.name.clone(), to_json(value)))
}

/// Whether Singlet itself keeps this attribute: a key, the type, the time to live, or sums behind derived fields.
fn derived(entity: &Entity, name: &str) -> bool {
    let table = &entity.table;
    let indexes = || table.indexes.iter().flat_map(|index| index.key());
    name == table.type_attribute
        || name == SUMS_ATTRIBUTE
        || table.ttl.as_deref() == Some(name)
        || table.key().chain(indexes()).any(|attribute| attribute.name == name)
}

/// The result of one batch of a bulk write.
#[derive(Debug, Clone, Default)]
pub struct BulkReport {
    /// The number of elements that were written.
    pub done: u64,
    /// The elements that could not be written.
    pub failed: Vec<BulkFailure>,
    /// Why the batch ended early, if it did: the store failed, not an element.
    pub stopped: Option<String>,
    /// Where the next batch starts; `None` at the end.
    pub cursor: Option<Cursor>,
}

/// An element of a bulk write that could not be written.
#[derive(Debug, Clone, PartialEq)]
pub struct BulkFailure {
    /// The element; of an item the fields of its key.
    pub element: Json,
    /// Why.
    pub reason: String,
}

impl BulkReport {
    /// As JSON: `{"done": 98, "failed": [{"element": …, "error": "…"}], "cursor": "…"}`.
    pub fn to_json(&self) -> Json {
        let failure = |failure: &BulkFailure| {
            Json::from([("element", failure.element.clone()), ("error", failure.reason.as_str().into())])
        };
        let done = i64::try_from(self.done).unwrap_or(i64::MAX);
        let mut members = vec![
            ("done".to_owned(), Json::from(done)),
            ("failed".to_owned(), Json::List(self.failed.iter().map(failure).collect())),
        ];
        members.extend(self.stopped.iter().map(|reason| ("stopped".to_owned(), reason.as_str().into())));
        members.extend(self.cursor.iter().map(|cursor| ("cursor".to_owned(), cursor.to_string().into())));
        Json::Object(members)
    }
}

/// The answer of a pattern.
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
        cursor: Option<Cursor>,
        /// Leads to the page before; `None` on the first page, and in lists that are only read forwards.
        previous: Option<Cursor>,
    },
    /// The number of items.
    Count {
        /// The number.
        count: u64,
        /// Whether there may be more, because the pattern reads no further.
        more: bool,
    },
    /// A page of groups: the first item of each, with the number of hits.
    Gathered {
        /// The items.
        records: Vec<Record>,
        /// Where the next page starts; `None` at the end.
        cursor: Option<Cursor>,
        /// Whether an element had more hits than were read, so that others may belong here.
        is_cut: bool,
    },
    /// A batch of a bulk write.
    Bulk(BulkReport),
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
        match self {
            Outcome::Item(record) | Outcome::Deleted(record) => {
                record.as_ref().map_or(Json::Null, Record::to_json)
            }
            Outcome::Exists(there) => Json::Bool(*there),
            Outcome::Items { records, cursor, previous } => {
                page(records, [("cursor", cursor), ("previous", previous)], false)
            }
            Outcome::Gathered { records, cursor, is_cut } => page(records, [("cursor", cursor)], *is_cut),
            Outcome::Bulk(report) => report.to_json(),
            Outcome::Count { count, more } => {
                let mut members = vec![("count".to_owned(), Json::Number((*count).into()))];
                members.extend(more.then(|| ("more".to_owned(), Json::Bool(true))));
                Json::Object(members)
            }
            Outcome::Written(record) => record.to_json(),
            Outcome::Checked => Json::Bool(true),
            Outcome::Parts(parts) => {
                Json::Object(parts.iter().map(|(name, part)| (name.clone(), part.to_json())).collect())
            }
            Outcome::Each(outcomes) => Json::List(outcomes.iter().map(Outcome::to_json).collect()),
        }
    }
}

/// A page of a list with its cursors. `more` tells that a bound was reached.
fn page<const COUNT: usize>(
    records: &[Record],
    cursors: [(&str, &Option<Cursor>); COUNT],
    more: bool,
) -> Json {
    let items = records.iter().map(Record::to_json).collect();
    let mut members = vec![("items".to_owned(), Json::List(items))];
    for (name, cursor) in cursors {
        members.extend(cursor.iter().map(|cursor| (name.to_owned(), cursor.to_string().into())));
    }
    members.extend(more.then(|| ("more".to_owned(), Json::Bool(true))));
    Json::Object(members)
}
