//! How a design stores the items of a table: everything that decides under which keys an item is found. It is kept
//! beside the table, so that a later design can be compared with it.
//!
//! Templates, types and conditions are kept as text. Texts that differ although they mean the same cost a look at the
//! items and nothing else.

use singlet_design::{Design, Entity, FieldType, IndexEntry, Json, Table, Template, default_of};

use crate::derive::deciding_fields;

/// How the items of one table are stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Blueprint {
    /// The attribute that carries the entity's type.
    pub(super) type_attribute: String,
    /// The text between the parts of a reservation's key.
    pub(super) separator: String,
    /// The names of the table's indexes.
    pub(super) indexes: Vec<String>,
    /// Its entities, in the order of the design.
    pub(super) entities: Vec<EntityBlueprint>,
}

/// How the items of one entity are stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct EntityBlueprint {
    pub(super) name: String,
    /// The value of the type attribute.
    pub(super) type_name: String,
    /// The table's key attributes with their templates.
    pub(super) key: Pairs,
    /// The indexes that its items can be in.
    pub(super) entries: Vec<EntryBlueprint>,
    /// The fields of each unique constraint, joined by commas.
    pub(super) unique: Vec<String>,
    /// The time-to-live attribute and what it is made from.
    pub(super) ttl: Option<String>,
    /// The fields that decide where an item is found, with the types that they are stored as.
    pub(super) fields: Pairs,
    /// Those of them that have a default, with the default. `None` in records that were written without defaults.
    pub(super) defaults: Option<Pairs>,
    /// The computed fields with their values. `None` in records that were written without them.
    pub(super) computed: Option<Pairs>,
}

/// How an entity is in an index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct EntryBlueprint {
    pub(super) index: String,
    /// The index's key attributes with their templates.
    pub(super) key: Pairs,
    /// The conditions under which an item is in the index.
    pub(super) when: Vec<String>,
}

/// Names, each with a text that belongs to it.
pub(super) type Pairs = Vec<(String, String)>;

impl Blueprint {
    /// How a design stores the items of one of its tables.
    pub(super) fn of(design: &Design, table: &Table) -> Blueprint {
        Blueprint {
            type_attribute: table.type_attribute.clone(),
            separator: table.separator.to_string(),
            indexes: table.indexes.iter().map(|index| index.name.clone()).collect(),
            entities: design.entities_of(table).map(|entity| EntityBlueprint::of(entity)).collect(),
        }
    }

    /// The entity of this name.
    pub(super) fn entity(&self, name: &str) -> Option<&EntityBlueprint> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    pub(super) fn to_json(&self) -> Json {
        Json::from([
            ("type_attribute", Json::from(self.type_attribute.as_str())),
            ("separator", Json::from(self.separator.as_str())),
            ("indexes", Json::from(self.indexes.clone())),
            ("entities", Json::List(self.entities.iter().map(EntityBlueprint::to_json).collect())),
        ])
    }

    /// Reads what [`Blueprint::to_json`] made; `None` if something is missing.
    pub(super) fn from_json(json: &Json) -> Option<Blueprint> {
        Some(Blueprint {
            type_attribute: text(json, "type_attribute")?,
            separator: text(json, "separator")?,
            indexes: texts(json, "indexes")?,
            entities: list(json, "entities", EntityBlueprint::from_json)?,
        })
    }
}

impl EntityBlueprint {
    fn of(entity: &Entity) -> EntityBlueprint {
        let templates = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
        let key = entity
            .table
            .key()
            .zip(templates)
            .map(|(attribute, template)| (attribute.name.clone(), written(template)));
        let ttl = entity
            .table
            .ttl
            .as_ref()
            .zip(entity.ttl.as_ref())
            .map(|(attribute, ttl)| format!("{attribute} = {} + {} s", ttl.field, ttl.after_seconds));
        EntityBlueprint {
            name: entity.name.clone(),
            type_name: entity.type_name.clone(),
            key: key.collect(),
            entries: entity.indexes.iter().map(EntryBlueprint::of).collect(),
            unique: entity
                .unique
                .iter()
                .map(|unique| unique.labels().collect::<Vec<_>>().join(", "))
                .collect(),
            ttl,
            fields: typed_fields(entity),
            defaults: Some(defaults(entity)),
            computed: Some(computed(entity)),
        }
    }

    fn to_json(&self) -> Json {
        let ttl = self.ttl.as_deref().map_or(Json::Null, Json::from);
        Json::from([
            ("name", Json::from(self.name.as_str())),
            ("type", Json::from(self.type_name.as_str())),
            ("key", pairs_to_json(&self.key)),
            ("entries", Json::List(self.entries.iter().map(EntryBlueprint::to_json).collect())),
            ("unique", Json::from(self.unique.clone())),
            ("ttl", ttl),
            ("fields", pairs_to_json(&self.fields)),
            ("defaults", self.defaults.as_ref().map_or(Json::Null, pairs_to_json)),
            ("computed", self.computed.as_ref().map_or(Json::Null, pairs_to_json)),
        ])
    }

    fn from_json(json: &Json) -> Option<EntityBlueprint> {
        Some(EntityBlueprint {
            name: text(json, "name")?,
            type_name: text(json, "type")?,
            key: pairs(json, "key")?,
            entries: list(json, "entries", EntryBlueprint::from_json)?,
            unique: texts(json, "unique")?,
            ttl: text(json, "ttl"),
            fields: pairs(json, "fields")?,
            defaults: pairs(json, "defaults"),
            computed: pairs(json, "computed"),
        })
    }
}

impl EntryBlueprint {
    fn of(entry: &IndexEntry) -> EntryBlueprint {
        let key = entry.templates().map(|(attribute, template)| (attribute.to_owned(), written(template)));
        let when = entry.when.iter().map(|when| {
            let values: Vec<String> = when.values.iter().map(Json::to_string).collect();
            format!("{} = {}", when.field, values.join(" or "))
        });
        EntryBlueprint { index: entry.index.name.clone(), key: key.collect(), when: when.collect() }
    }

    fn to_json(&self) -> Json {
        Json::from([
            ("index", Json::from(self.index.as_str())),
            ("key", pairs_to_json(&self.key)),
            ("when", Json::from(self.when.clone())),
        ])
    }

    fn from_json(json: &Json) -> Option<EntryBlueprint> {
        Some(EntryBlueprint {
            index: text(json, "index")?,
            key: pairs(json, "key")?,
            when: texts(json, "when")?,
        })
    }
}

/// A template as its parts are written, whatever the spelling in the file.
fn written(template: &Template) -> String {
    template.parts.iter().map(ToString::to_string).collect()
}

/// The fields that decide where an item is found, with the types that they are stored as.
fn typed_fields(entity: &Entity) -> Pairs {
    let typed = |path: &str| Some((path.to_owned(), stored_as(entity.field_at(path)?).to_owned()));
    deciding_fields(entity).into_iter().filter_map(typed).collect()
}

/// The defaults of the fields that decide where an item is found.
fn defaults(entity: &Entity) -> Pairs {
    let mut defaults: Pairs = Vec::new();
    for name in deciding_fields(entity).into_iter().map(outermost) {
        let field = entity.field(name).filter(|field| default_of(field).is_some());
        let default = field.and_then(|field| field.default.as_ref());
        if let (false, Some(default)) = (defaults.iter().any(|(known, _)| known == name), default) {
            defaults.push((name.to_owned(), default.to_string()));
        }
    }
    defaults
}

fn computed(entity: &Entity) -> Pairs {
    entity.computed.iter().map(|(name, value)| (name.clone(), value.source.clone())).collect()
}

/// The field that a path begins with.
pub(super) fn outermost(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

/// The form in which the values of a field are stored.
pub(super) fn stored_as(kind: &FieldType) -> &'static str {
    match kind {
        FieldType::Int { .. } | FieldType::Number { .. } | FieldType::Epoch => "number",
        FieldType::Bool => "bool",
        FieldType::Binary { .. } => "binary",
        FieldType::List { .. } => "list",
        FieldType::Set { .. } => "set",
        FieldType::Map { .. } | FieldType::Object(_) => "map",
        FieldType::Any { .. } => "any",
        // Both are strings, but the day of a time isn't the text of a date.
        FieldType::Date => "date",
        FieldType::Time => "time",
        _ => "string",
    }
}

pub(super) fn text(json: &Json, name: &str) -> Option<String> {
    json.get(name)?.as_text().map(str::to_owned)
}

pub(super) fn texts(json: &Json, name: &str) -> Option<Vec<String>> {
    list(json, name, |one| one.as_text().map(str::to_owned))
}

pub(super) fn list<T>(json: &Json, name: &str, read: impl Fn(&Json) -> Option<T>) -> Option<Vec<T>> {
    json.get(name)?.as_list()?.iter().map(read).collect()
}

fn pairs(json: &Json, name: &str) -> Option<Pairs> {
    let members = json.get(name)?.as_object()?;
    members.iter().map(|(name, value)| Some((name.clone(), value.as_text()?.to_owned()))).collect()
}

fn pairs_to_json(pairs: &Pairs) -> Json {
    Json::Object(pairs.iter().map(|(name, value)| (name.clone(), Json::from(value.as_str()))).collect())
}
