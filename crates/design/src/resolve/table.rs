//! Tables and their indexes.

use std::sync::Arc;

use super::Context;
use super::capacity;
use super::name;
use super::settings::settings;
use crate::model::{Index, KeyAttribute, KeyKind, Projection, Table};
use crate::report::Span;
use crate::syntax::{Entry, Node, are_several};

/// A table whose key attributes don't have their types yet.
#[derive(Debug)]
pub(super) struct TableDraft {
    /// The table without its indexes; all key attributes are strings.
    pub(super) table: Table,
    /// Its indexes, in the order of the file.
    pub(super) indexes: Vec<Index>,
    /// Whether its key is known. If it isn't, the keys of its entities aren't checked.
    pub(super) sound: bool,
}

impl TableDraft {
    /// Returns every key attribute of the table and its indexes.
    pub(super) fn attributes_mut(&mut self) -> impl Iterator<Item = &mut KeyAttribute> {
        let own = std::iter::once(&mut self.table.partition).chain(&mut self.table.sort);
        own.chain(self.indexes.iter_mut().flat_map(|index| index.partition.iter_mut().chain(&mut index.sort)))
    }

    /// Returns the index of this name.
    pub(super) fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// Returns the names of the indexes.
    pub(super) fn index_names(&self) -> impl Iterator<Item = &str> {
        self.indexes.iter().map(|index| index.name.as_str())
    }
}

/// Resolves the tables of a design.
pub(super) fn tables(context: &Context<'_>, root: &Node, design: &str) -> Vec<TableDraft> {
    let Some(entry) = root.entry("table") else { return Vec::new() };
    let several = are_several(&entry.node);
    let mut tables: Vec<TableDraft> = Vec::new();
    if several {
        if let Some(index) = root.entry("index") {
            context.mistakes.add_with_help(
                index.span,
                "with several tables, each index must be in the section of its table",
                "use a section `[table.NAME.index]`",
            );
        }
        for Entry { name, span, node } in entry.node.table().unwrap_or_default() {
            name::check_part(context, "a table", name, *span);
            tables.push(table(
                context,
                node,
                *span,
                name,
                &format!("{design}-{name}"),
                node.entries("index"),
            ));
        }
    } else {
        tables.push(table(context, &entry.node, entry.span, design, design, root.entries("index")));
    }
    same_names(context, &tables);
    tables
}

fn table(
    context: &Context<'_>,
    node: &Node,
    span: Span,
    label: &str,
    default_name: &str,
    indexes: &[Entry],
) -> TableDraft {
    let key = node.get("key").map(|key| key_attributes(context, key, 1)).unwrap_or_default();
    let partition = key.partition.first().cloned();
    let table = Table {
        label: label.to_owned(),
        name: table_name(context, node, span, default_name),
        sort: key.sort.first().cloned(),
        type_attribute: node.text_of("type").unwrap_or("type").to_owned(),
        ttl: node.text_of("ttl").map(str::to_owned),
        settings: settings(context, node),
        separator: separator(context, node),
        indexes: Vec::new(),
        span,
        partition: partition.clone().unwrap_or_else(|| text_attribute("")),
    };
    special_attributes(context, node, &table);
    let indexes: Vec<Index> = indexes.iter().filter_map(|entry| index(context, entry, &table)).collect();
    capacity::check_indexes(context, node, &indexes);
    TableDraft { table, indexes, sound: partition.is_some() }
}

fn text_attribute(name: &str) -> KeyAttribute {
    KeyAttribute { name: name.to_owned(), kind: KeyKind::Text }
}

/// Returns the name, or the default.
fn table_name(context: &Context<'_>, node: &Node, span: Span, default: &str) -> String {
    let given = node.get("name").filter(|name| name.text().is_some());
    let name = given.and_then(Node::text).unwrap_or(default);
    let filled = name.replace("{environment}", "e");
    let place = given.map_or(span, |name| name.span);
    if let Some(open) = filled.find(['{', '}']) {
        context.mistakes.add_with_help(
            place,
            format!("`{}` isn't allowed in the name of a table", filled.get(open..).unwrap_or_default()),
            "the only placeholder is `{environment}`",
        );
    } else if (given.is_some() || !default.is_empty())
        && (!filled.chars().all(name::in_table_name) || !(3..=255).contains(&filled.len()))
    {
        context.mistakes.add_with_help(
            place,
            format!("`{name}` can't be the name of a table"),
            "use 3 to 255 letters, digits, hyphens, underscores and dots",
        );
    }
    name.to_owned()
}

fn separator(context: &Context<'_>, node: &Node) -> char {
    const DEFAULT: char = '#';
    let Some((given, text)) = node.get("separator").and_then(|given| Some((given, given.text()?))) else {
        return DEFAULT;
    };
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) if letter.is_ascii_punctuation() && !"{}-:._".contains(letter) => letter,
        _ => {
            context.mistakes.add_with_help(
                given.span,
                format!("`{text}` can't be the separator"),
                "use one punctuation character such as `#`, `|` or `/`, but not `-`, `_`, `:` or `.`, which ids and times contain",
            );
            DEFAULT
        }
    }
}

/// Checks the type and ttl attributes, which Singlet writes, so they can't be keys.
fn special_attributes(context: &Context<'_>, node: &Node, table: &Table) {
    for (key, attribute) in [("type", Some(&table.type_attribute)), ("ttl", table.ttl.as_ref())] {
        if let (Some(attribute), Some(place)) = (attribute, node.get(key))
            && (attribute.is_empty() || table.key().any(|part| part.name == *attribute))
        {
            context.mistakes.add_with_help(
                place.span,
                format!("`{attribute}` can't be the table's {key} attribute"),
                "use a name that isn't empty and isn't a key attribute",
            );
        }
    }
    if let (Some(ttl), Some(place)) = (&table.ttl, node.get("ttl"))
        && *ttl == table.type_attribute
        && !table.key().any(|part| part.name == *ttl)
    {
        let message = format!("`{ttl}` can't be both the type attribute and the ttl attribute");
        context.mistakes.add_with_help(place.span, message, "use another name for one of them");
    }
}

/// The attributes of a key, partition and sort.
#[derive(Debug, Default)]
struct KeyNames {
    partition: Vec<KeyAttribute>,
    sort: Vec<KeyAttribute>,
}

/// Parses `"PK"`, `["PK", "SK"]` or `[["tenant", "region"], "city"]`; a part has at most `most` attributes.
fn key_attributes(context: &Context<'_>, key: &Node, most: usize) -> KeyNames {
    let parts = match key.list() {
        Some(parts) => parts,
        None => std::slice::from_ref(key),
    };
    if parts.is_empty() || parts.len() > 2 {
        context.mistakes.add_with_help(
            key.span,
            format!("a key must have one or two parts, not {}", parts.len()),
            "write the partition key and, if there is one, the sort key: `[\"PK\", \"SK\"]`",
        );
    }
    let mut seen: Vec<String> = Vec::new();
    let mut part = |node: &Node| -> Vec<KeyAttribute> {
        let attributes = node.list().unwrap_or(std::slice::from_ref(node));
        if attributes.is_empty() || attributes.len() > most {
            let help = match most {
                1 => "only the keys of global indexes can have several attributes in a part".to_owned(),
                _ => format!("a part has 1 to {most} attributes"),
            };
            let message = format!("a part of this key can't have {} attributes", attributes.len());
            context.mistakes.add_with_help(node.span, message, help);
        }
        let mut names = Vec::new();
        for attribute in attributes {
            let Some(name) = attribute.text() else { continue };
            if name.is_empty() || name.len() > 255 {
                context.mistakes.add(attribute.span, "the name of a key attribute must have 1 to 255 bytes");
            } else if seen.iter().any(|other| other == name) {
                context.mistakes.add(attribute.span, format!("`{name}` appears twice in this key"));
            } else {
                seen.push(name.to_owned());
                names.push(text_attribute(name));
            }
        }
        names
    };
    let partition = parts.first().map(&mut part).unwrap_or_default();
    let sort = parts.get(1).map(&mut part).unwrap_or_default();
    KeyNames { partition, sort }
}

fn index(context: &Context<'_>, entry: &Entry, table: &Table) -> Option<Index> {
    let Entry { name, span, node } = entry;
    index_name(context, name, *span);
    let key_node = if node.table().is_some() { node.get("key")? } else { node };
    let local = node.get("local").and_then(Node::truth).unwrap_or(false);
    let key = key_attributes(context, key_node, if local { 1 } else { 4 });
    if local {
        local_key(context, &key, key_node.span, table);
    }
    let projection = match node.get("project").map(|project| (project.text(), project.list())) {
        Some((Some("keys"), _)) => Projection::Keys,
        Some((_, Some(attributes))) => {
            Projection::Include(attributes.iter().filter_map(Node::text).map(str::to_owned).collect())
        }
        _ => Projection::All,
    };
    for (what, attribute) in [("type", Some(&table.type_attribute)), ("ttl", table.ttl.as_ref())] {
        let mut parts = key.partition.iter().chain(&key.sort);
        if let Some(part) = parts.find(|part| Some(&part.name) == attribute) {
            context.mistakes.add_with_help(
                key_node.span,
                format!("`{}` is the table's {what} attribute, which can't be in a key", part.name),
                "use another attribute",
            );
        }
    }
    if key.partition.is_empty() {
        return None;
    }
    Some(Index {
        name: name.clone(),
        partition: key.partition,
        sort: key.sort,
        projection,
        local,
        span: *span,
    })
}

/// Checks the name of an index, which is a key in entities and must differ from their other keys.
fn index_name(context: &Context<'_>, name: &str, span: Span) {
    if crate::syntax::language::ENTITY.key(name).is_some() {
        context.mistakes.add_with_help(
            span,
            format!("`{name}` can't be the name of an index"),
            format!("`{name}` is a key of entities; use another name"),
        );
    } else if !(3..=255).contains(&name.len()) || !name.chars().all(name::in_table_name) {
        context.mistakes.add_with_help(
            span,
            format!("`{name}` can't be the name of an index"),
            "use 3 to 255 letters, digits, hyphens, underscores and dots",
        );
    }
}

fn local_key(context: &Context<'_>, key: &KeyNames, span: Span, table: &Table) {
    let table_partition = &table.partition.name;
    if key.partition.first().is_some_and(|own| own.name != *table_partition) && !table_partition.is_empty() {
        context.mistakes.add_with_help(
            span,
            "a local index must have the table's partition key",
            format!("begin its key with `{table_partition}`, or remove `local`"),
        );
    } else if key.sort.is_empty() {
        let help = "add a sort key, such as `[\"PK\", \"created_at\"]`";
        context.mistakes.add_with_help(span, "a local index must have a sort key", help);
    } else if table.sort.is_none() {
        context.mistakes.add_with_help(
            span,
            "a table without a sort key can't have local indexes",
            "remove `local`, or give the table a sort key",
        );
    }
}

fn same_names(context: &Context<'_>, tables: &[TableDraft]) {
    for (position, draft) in tables.iter().enumerate() {
        let earlier = tables.iter().take(position);
        if let Some(other) = earlier.into_iter().find(|other| other.table.name == draft.table.name) {
            context.mistakes.add_with_help(
                draft.table.span,
                format!("the tables `{}` and `{}` have the same name", other.table.label, draft.table.label),
                "give each its own `name`",
            );
        }
    }
}

/// Builds the tables of the model, once the types of all key attributes are known.
pub(super) fn finish(drafts: Vec<TableDraft>) -> Vec<Arc<Table>> {
    drafts
        .into_iter()
        .map(|draft| {
            let indexes = draft.indexes.into_iter().map(Arc::new).collect();
            Arc::new(Table { indexes, ..draft.table })
        })
        .collect()
}
