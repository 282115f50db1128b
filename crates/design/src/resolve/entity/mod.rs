//! Resolves entities: first drafts with fields and keys, then, once the tables are complete, the entities of the model.

mod aggregate;
mod copied;
mod counted;
mod extreme;
mod relation;
mod time_to_live;
mod unique;

pub(super) use counted::unwritten;
pub(super) use time_to_live::carry_expiry;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Context;
use super::computed;
use super::field::{self, Fields};
use super::key::{EntryDraft, KeyReader};
use super::key_values;
use super::name;
use super::table::TableDraft;
use crate::model::{Entity, FieldType, IndexEntry, KeyTemplates, Table};
use crate::report::Span;
use crate::syntax::{self, Node, language};

/// An entity whose table isn't complete yet.
#[derive(Debug)]
pub(super) struct EntityDraft<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// The position of its name.
    pub(super) span: Span,
    /// Its section of the file.
    pub(super) node: &'a Node,
    /// The number of its table; `None` if it is unknown.
    pub(super) table: Option<usize>,
    /// Its fields.
    pub(super) fields: Fields,
    /// The templates of the table's key; `None` after a mistake.
    pub(super) key: Option<KeyTemplates>,
    /// Its entries in indexes.
    pub(super) entries: Vec<EntryDraft>,
    /// The indexes whose entries have mistakes.
    pub(super) broken_entries: Vec<String>,
}

/// The entities of a design.
#[derive(Debug)]
pub(super) struct Entities {
    /// The entities in the order of the file.
    pub(super) list: Vec<ResolvedEntity>,
    /// The position of each name in the list.
    positions: BTreeMap<String, usize>,
}

/// An entity, and which parts of it have mistakes.
#[derive(Debug)]
pub(super) struct ResolvedEntity {
    /// The entity.
    pub(super) entity: Arc<Entity>,
    /// Whether its table and key are known.
    pub(super) sound: bool,
    /// The indexes whose entries have mistakes.
    pub(super) broken_entries: Vec<String>,
    /// The names of the fields with mistakes.
    pub(super) vague: BTreeSet<String>,
}

impl Entities {
    fn new(list: Vec<ResolvedEntity>) -> Self {
        let names = list.iter().map(|known| known.entity.name.clone());
        let positions = names.enumerate().map(|(position, name)| (name, position)).collect();
        Entities { list, positions }
    }

    /// Returns the entity of this name.
    pub(super) fn find(&self, name: &str) -> Option<&ResolvedEntity> {
        self.positions.get(name).and_then(|position| self.list.get(*position))
    }

    /// Returns all names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|known| known.entity.name.as_str())
    }
}

/// Resolves the fields and keys of all entities.
pub(super) fn drafts<'a>(
    context: &Context<'_>,
    root: &'a Node,
    tables: &[TableDraft],
) -> Vec<EntityDraft<'a>> {
    let mut drafts = Vec::new();
    for entry in root.entries("entity") {
        if context.mistakes.is_full() {
            break;
        }
        name::check_word(context, "an entity", &entry.name, entry.span);
        let mut fields = field::fields(context, entry.node.entries("fields"));
        computed::values(context, entry.node.entries("fields"), &mut fields);
        let mut draft = EntityDraft {
            name: &entry.name,
            span: entry.span,
            node: &entry.node,
            table: table(context, &entry.node, entry.span, tables),
            fields,
            key: None,
            entries: Vec::new(),
            broken_entries: Vec::new(),
        };
        if let Some(table) = draft.table.and_then(|position| tables.get(position)) {
            special_fields(context, &draft, table);
            keys(context, &mut draft, table);
            key_values::fields(context, &draft, table.table.separator);
        }
        drafts.push(draft);
    }
    same_types(context, &drafts, tables);
    drafts
}

/// Returns the number of an entity's table.
fn table(context: &Context<'_>, node: &Node, span: Span, tables: &[TableDraft]) -> Option<usize> {
    let labels = || tables.iter().map(|draft| draft.table.label.as_str());
    match node.get("table").and_then(|place| Some((place, place.text()?))) {
        Some((place, label)) => {
            let found = labels().position(|known| known == label);
            if found.is_none() && !tables.is_empty() {
                let message = format!("there is no table `{label}`");
                context.mistakes.add_with(place.span, message, name::help(label, "table", labels()));
            }
            found
        }
        None if tables.len() > 1 && node.get("table").is_none() => {
            let names: Vec<&str> = labels().collect();
            let help = format!("add `table = \"…\"` with one of {}", name::list(&names));
            context.mistakes.add_with_help(span, "with several tables, an entity must name its table", help);
            None
        }
        None => (tables.len() == 1).then_some(0),
    }
}

/// Checks fields with the names of the type and ttl attributes, which Singlet writes.
fn special_fields(context: &Context<'_>, draft: &EntityDraft<'_>, table: &TableDraft) {
    for field in &draft.fields.list {
        if field.name == table.table.type_attribute {
            context.mistakes.add_with_help(
                field.span,
                format!("`{}` is the table's type attribute and can't be a field", field.name),
                "give the table another type attribute, such as `type = \"entity_type\"`, or rename the field",
            );
        }
        let is_ttl = table.table.ttl.as_ref() == Some(&field.name);
        if is_ttl && field.kind != FieldType::Epoch && !draft.fields.vague.contains(&field.name) {
            context.mistakes.add_with_help(
                field.span,
                format!("`{}` is the table's ttl attribute, so it must be of type `epoch`", field.name),
                "DynamoDB needs the expiry time in seconds since 1970",
            );
        }
    }
}

fn keys(context: &Context<'_>, draft: &mut EntityDraft<'_>, table: &TableDraft) {
    let mut reader = KeyReader {
        context,
        entity: draft.name,
        span: draft.span,
        fields: &draft.fields,
        separator: table.table.separator,
        known: BTreeMap::new(),
    };
    if table.sound {
        draft.key = reader.own(draft.node.get("key"), table);
    }
    for entry in draft.node.table().unwrap_or_default() {
        if language::ENTITY.key(&entry.name).is_some() {
            continue;
        }
        let Some(index) = table.index(&entry.name) else {
            let keys = language::ENTITY.keys.iter().map(|key| key.name);
            let message = format!("`{}` is neither a key of entities nor an index", entry.name);
            let help = name::help(&entry.name, "index", table.index_names().chain(keys));
            context.mistakes.add_with(entry.span, message, help);
            continue;
        };
        let before = context.mistakes.count();
        if let Some(shape) = language::ENTITY.others {
            syntax::check(shape, &entry.node, &format!("`{}`", entry.name), context.mistakes);
        }
        let sound = context.mistakes.count() == before;
        match sound.then(|| reader.stated(entry, index)).flatten() {
            Some(stated) => draft.entries.push(stated),
            None => draft.broken_entries.push(entry.name.clone()),
        }
    }
    for index in &table.indexes {
        let stated = draft.entries.iter().any(|entry| entry.index == index.name)
            || draft.broken_entries.contains(&index.name);
        if let (false, Some(implied)) = (stated, reader.implied(index, &draft.entries)) {
            draft.entries.push(implied);
        }
    }
    let position = |name: &str| table.index_names().position(|index| index == name);
    draft.entries.sort_by_key(|entry| position(&entry.index));
}

/// Returns the value of the type attribute for an entity.
fn type_name<'a>(draft: &EntityDraft<'a>) -> &'a str {
    draft.node.text_of("type").unwrap_or(draft.name)
}

/// Checks that the entities of a table have different types.
fn same_types(context: &Context<'_>, drafts: &[EntityDraft<'_>], tables: &[TableDraft]) {
    let mut known: BTreeMap<(Option<usize>, &str), &str> = BTreeMap::new();
    for draft in drafts {
        let place = draft.node.get("type").map_or(draft.span, |place| place.span);
        let name = type_name(draft);
        let first = *known.entry((draft.table, name)).or_insert(draft.name);
        if first != draft.name {
            let message = format!("`{first}` and `{}` have the same type `{name}`", draft.name);
            context.mistakes.add_with_help(
                place,
                message,
                "the entities of a table must have different types: change one of them",
            );
        } else if name == "unique" || name.is_empty() {
            let attribute =
                draft.table.and_then(|table| tables.get(table)).map(|draft| &draft.table.type_attribute);
            let attribute = attribute.map_or("type", String::as_str);
            let message = format!("`{name}` can't be the value of `{attribute}`");
            context.mistakes.add_with_help(
                place,
                message,
                "`unique` is reserved for items that reserve unique values; use another `type`",
            );
        }
    }
}

/// Builds the entities of the model.
pub(super) fn finish(context: &Context<'_>, drafts: Vec<EntityDraft<'_>>, tables: &[Arc<Table>]) -> Entities {
    let by_name = drafts.iter().map(|draft| (draft.name, draft)).collect();
    relation::check_references(context, &drafts, &by_name);
    let relations: Vec<_> =
        drafts.iter().map(|draft| relation::relations(context, draft, &by_name)).collect();
    let aggregates = aggregate::aggregates(context, &drafts, &by_name);
    let copies = copied::copies(context, &drafts, &by_name);
    counted::check(context, &drafts, &aggregates);
    let extremes = extreme::extremes(context, &drafts, &by_name);
    let rules = relations.into_iter().zip(aggregates).zip(copies).zip(extremes);
    let list = drafts.into_iter().zip(rules).map(|(draft, (((relations, aggregates), copies), extremes))| {
        let table = draft.table.and_then(|position| tables.get(position)).cloned();
        let unique = unique::unique(context, &draft, table.as_deref());
        let ttl = time_to_live::time_to_live(context, &draft, table.as_deref());
        let sound = draft.key.is_some() && table.is_some();
        let table = table.unwrap_or_else(|| Arc::new(unknown_table()));
        let indexes = draft.entries.into_iter().filter_map(|entry| {
            let index = Arc::clone(table.index(&entry.index)?);
            Some(IndexEntry {
                index,
                partition: entry.partition,
                sort: entry.sort,
                when: entry.when,
                sparse: entry.sparse,
                span: entry.span,
            })
        });
        let entity = Entity {
            name: draft.name.to_owned(),
            about: draft.node.text_of("about").map(str::to_owned),
            type_name: draft.node.text_of("type").unwrap_or(draft.name).to_owned(),
            key: draft.key.unwrap_or_else(unknown_key),
            indexes: indexes.collect(),
            unique,
            ttl,
            aggregates,
            copies,
            counted: counted::is_counted(draft.node),
            extremes,
            relations,
            span: draft.span,
            table,
            fields: draft.fields.list,
            computed: draft.fields.computed,
        };
        ResolvedEntity {
            entity: Arc::new(entity),
            sound,
            broken_entries: draft.broken_entries,
            vague: draft.fields.vague,
        }
    });
    Entities::new(list.collect())
}

/// Returns a placeholder for a key with mistakes. [`super::load`] never returns a design that contains it.
fn unknown_key() -> KeyTemplates {
    let partition = crate::template::Template { source: String::new(), parts: Vec::new() };
    KeyTemplates { partition, sort: None }
}

/// Returns a placeholder for an unknown table.
fn unknown_table() -> Table {
    Table {
        label: String::new(),
        name: String::new(),
        partition: crate::model::KeyAttribute { name: String::new(), kind: crate::model::KeyKind::Text },
        sort: None,
        type_attribute: String::new(),
        ttl: None,
        settings: crate::model::TableSettings::default(),
        separator: '#',
        indexes: Vec::new(),
        span: Span::default(),
    }
}
