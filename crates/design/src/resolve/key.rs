//! Resolves the keys of entities: a template for each key attribute of the table and its indexes.

use std::collections::BTreeMap;

use super::Context;
use super::field::Fields;
use super::name;
use super::table::TableDraft;
use super::template::{KeyRole, template};
use crate::json::Json;
use crate::model::{FieldType, Index, KeyTemplates, When};
use crate::report::Span;
use crate::syntax::{Entry, Node};
use crate::template::Template;
use crate::value;

/// The entry of an entity in an index whose table isn't complete yet.
#[derive(Debug)]
pub(super) struct EntryDraft {
    /// The name of the index.
    pub(super) index: String,
    /// The templates of the partition attributes.
    pub(super) partition: Vec<Template>,
    /// The templates of the sort attributes.
    pub(super) sort: Vec<Template>,
    /// The conditions for an item to be in the index; all must be true.
    pub(super) when: Vec<When>,
    /// Whether items without the optional fields of the key are meant to be missing from the index.
    pub(super) sparse: bool,
    /// Its position in the file.
    pub(super) span: Span,
}

/// Resolves the keys of one entity.
pub(super) struct KeyReader<'a> {
    /// The text of the file and the list of mistakes.
    pub(super) context: &'a Context<'a>,
    /// The name of the entity.
    pub(super) entity: &'a str,
    /// The position of that name.
    pub(super) span: Span,
    /// Its fields.
    pub(super) fields: &'a Fields,
    /// The separator of its table.
    pub(super) separator: char,
    /// The templates of the key attributes so far.
    pub(super) known: BTreeMap<String, Template>,
}

impl KeyReader<'_> {
    /// Returns the templates of the table's key.
    pub(super) fn own(&mut self, key: Option<&Node>, table: &TableDraft) -> Option<KeyTemplates> {
        let names: Vec<&str> = table.table.key().map(|attribute| attribute.name.as_str()).collect();
        let sorts = names.len() - 1;
        let mut templates = self.templates(key, &names, 1, true, ("the table", self.span))?.into_iter();
        let partition = templates.next()?;
        let sort = templates.next();
        if sort.is_none() && sorts > 0 {
            return None;
        }
        self.known.extend(
            names
                .iter()
                .map(|name| (*name).to_owned())
                .zip([partition.clone()].into_iter().chain(sort.clone())),
        );
        self.kept_for_unique(key, &partition);
        Some(KeyTemplates { partition, sort })
    }

    /// Returns the entry that the entity declares for an index.
    pub(super) fn stated(&mut self, entry: &Entry, index: &Index) -> Option<EntryDraft> {
        let node = &entry.node;
        let key = if node.table().is_some() { node.get("key") } else { Some(node) };
        let names: Vec<&str> = index.key().map(|attribute| attribute.name.as_str()).collect();
        let what = format!("index `{}`", index.name);
        let mut partition = self.templates(key, &names, index.partition.len(), false, (&what, entry.span))?;
        self.known.extend(names.iter().map(|name| (*name).to_owned()).zip(partition.iter().cloned()));
        let when = match node.get("when") {
            Some(when) => self.when(when, entry, &names)?,
            None => Vec::new(),
        };
        let sort = partition.split_off(index.partition.len());
        let sparse = node.get("optional").and_then(Node::truth).unwrap_or(false);
        Some(EntryDraft { index: index.name.clone(), partition, sort, when, sparse, span: entry.span })
    }

    /// Returns the entry in an index that the entity doesn't declare, if every attribute of the index's key is a field
    /// or has a template.
    pub(super) fn implied(&self, index: &Index, others: &[EntryDraft]) -> Option<EntryDraft> {
        let template = |name: &str| self.known.get(name).cloned().or_else(|| self.field_itself(name));
        let partition: Option<Vec<_>> =
            index.partition.iter().map(|attribute| template(&attribute.name)).collect();
        let sort: Option<Vec<_>> = index.sort.iter().map(|attribute| template(&attribute.name)).collect();
        let (partition, sort) = (partition?, sort?);
        // An attribute that another entry writes is present only while that entry is.
        let shares = |entry: &&EntryDraft| {
            entry
                .partition
                .iter()
                .chain(&entry.sort)
                .any(|one| partition.iter().chain(&sort).any(|own| own == one))
        };
        let when = others.iter().filter(shares).flat_map(|entry| entry.when.clone()).collect();
        Some(EntryDraft { index: index.name.clone(), partition, sort, when, sparse: false, span: self.span })
    }

    fn field_itself(&self, name: &str) -> Option<Template> {
        let is_field = self.fields.list.iter().any(|field| field.name == name);
        (is_field && !self.fields.vague.contains(name))
            .then(|| Template::parse(&format!("{{{name}}}")).ok())?
    }

    /// Returns a template for each key attribute, partition key first, or `None` after a mistake.
    fn templates(
        &self,
        key: Option<&Node>,
        names: &[&str],
        partitions: usize,
        own: bool,
        (what, span): (&str, Span),
    ) -> Option<Vec<Template>> {
        let given = match key {
            Some(key) => self.given(key, partitions, names.len() - partitions, what)?,
            None => vec![None; names.len()],
        };
        let mut templates = Vec::new();
        let mut whole = true;
        let mut lacking: Vec<&str> = Vec::new();
        for (position, (name, given)) in names.iter().zip(&given).enumerate() {
            let place = KeyRole { own, partition: position < partitions, separator: self.separator };
            match self.attribute(name, *given, place) {
                Some(Some(template)) => templates.push(template),
                Some(None) => lacking.push(name),
                None => whole = false,
            }
        }
        if !lacking.is_empty() {
            let message = format!(
                "`{}` has no template for {} in the key of {what}",
                self.entity,
                name::list(&lacking)
            );
            let place = key.map_or(span, |key| key.span);
            self.context.mistakes.add_with_help(
                place,
                message,
                "add a template, or a field of that name, for each key attribute",
            );
            return None;
        }
        let shards = templates.iter().filter(|template| template.shard_count().is_some()).count();
        if let (true, Some(key)) = (shards > 1, key) {
            self.context.mistakes.add(key.span, "a key can have only one shard");
            return None;
        }
        whole.then_some(templates)
    }

    /// Returns the nodes of the templates, one for each key attribute, or `None` after a mistake.
    fn given<'n>(
        &self,
        key: &'n Node,
        partitions: usize,
        sorts: usize,
        what: &str,
    ) -> Option<Vec<Option<&'n Node>>> {
        let parts = key.list().unwrap_or(std::slice::from_ref(key));
        if parts.len() > 2 || (parts.len() == 2 && sorts == 0) {
            let has = if sorts == 0 { "only a partition key" } else { "a partition key and a sort key" };
            let message = format!("{what} has {has}, but the entity has {} templates", parts.len());
            self.context.mistakes.add(key.span, message);
            return None;
        }
        let mut given = Vec::new();
        for (position, count) in [(0, partitions), (1, sorts)] {
            let part = parts.get(position);
            let templates =
                part.map(|part| part.list().unwrap_or(std::slice::from_ref(part))).unwrap_or_default();
            if templates.len() > count
                || (part.is_some_and(|part| part.list().is_some()) && templates.len() < count)
            {
                let message = format!(
                    "this part of the key of {what} must have {}, not {}",
                    templates_of(count),
                    templates.len()
                );
                self.context.mistakes.add(part.map_or(key.span, |part| part.span), message);
                return None;
            }
            given.extend((0..count).map(|at| templates.get(at)));
        }
        Some(given)
    }

    /// Returns the template of one attribute: the inner `None` if there is none, the outer after a mistake.
    fn attribute(&self, name: &str, given: Option<&Node>, place: KeyRole) -> Option<Option<Template>> {
        if self.fields.vague.contains(name) {
            return None;
        }
        let field = self.fields.list.iter().find(|field| field.name == name);
        let fixed = self.known.get(name).cloned().or_else(|| self.field_itself(name));
        if let (Some(fixed), Some(given)) = (&fixed, given)
            && given.text().is_some_and(|text| text != fixed.source)
        {
            let why = match field {
                Some(_) => format!(
                    "`{name}` is a field of `{}`, so the key attribute has the value of the field",
                    self.entity
                ),
                None => "another key uses the same attribute, which can hold only one value".to_owned(),
            };
            let message = format!("the template of `{name}` must be `{}`", fixed.source);
            self.context.mistakes.add_with_help(given.span, message, why);
            return None;
        }
        if let (true, Some(field)) = (place.own, field.filter(|field| field.optional)) {
            self.context.mistakes.add_with_help(
                field.span,
                format!("`{name}` is a key attribute of the table and can't be optional"),
                "every item must have a complete key: remove `optional`",
            );
            return None;
        }
        match (fixed, given) {
            (Some(fixed), _) => Some(Some(fixed)),
            (None, Some(given)) => {
                let Fields { list, vague, .. } = self.fields;
                template(self.context, given, self.entity, list, vague, place).map(Some)
            }
            (None, None) => Some(None),
        }
    }

    /// Resolves `when = "flag"` or `when = { status = ["new", "paid"] }`; `None` after a mistake.
    fn when(&self, node: &Node, entry: &Entry, names: &[&str]) -> Option<Vec<When>> {
        let own = |name: &&str| self.fields.list.iter().any(|field| field.name == **name);
        if names.iter().all(own) {
            self.context.mistakes.add_with_help(
                node.span,
                format!(
                    "`when` has no effect on `{}`, because all attributes of its key are fields",
                    entry.name
                ),
                "make one of the fields optional, or add a key attribute that isn't a field",
            );
            return None;
        }
        let before = self.context.mistakes.count();
        let mut conditions = Vec::new();
        if let Some(flag) = node.text() {
            if self.field(flag, node.span).is_some_and(|kind| *kind != FieldType::Bool) {
                self.context.mistakes.add_with_help(
                    node.span,
                    format!("`{flag}` isn't of type `bool`"),
                    format!(
                        "give the values for which the item is in the index: `when = {{ {flag} = [\"…\"] }}`"
                    ),
                );
            }
            conditions.push(When { field: flag.to_owned(), values: vec![Json::Bool(true)] });
        }
        for Entry { name, span, node } in node.table().unwrap_or_default() {
            let Some(kind) = self.field(name, *span) else { continue };
            let values = node.list().unwrap_or(std::slice::from_ref(node));
            for value in values {
                if let Err(error) = value::to_attribute(kind, &value.json()) {
                    let message = format!("this isn't a value of `{name}`: {error}");
                    self.context.mistakes.add(value.span, message);
                }
            }
            conditions.push(When { field: name.clone(), values: values.iter().map(Node::json).collect() });
        }
        (self.context.mistakes.count() == before).then_some(conditions)
    }

    /// Returns the type of a field, or adds a mistake.
    fn field(&self, name: &str, span: Span) -> Option<&FieldType> {
        if self.fields.vague.contains(name) {
            return None;
        }
        let field = self.fields.list.iter().find(|field| field.name == name);
        if field.is_none() {
            let names = self.fields.list.iter().map(|field| field.name.as_str());
            let message = format!("`{}` has no field `{name}`", self.entity);
            self.context.mistakes.add_with(span, message, name::help(name, "field", names));
        }
        field.map(|field| &field.kind)
    }

    /// Checks that the key doesn't begin like those of the items that reserve unique values.
    fn kept_for_unique(&self, key: Option<&Node>, partition: &Template) {
        let separator = self.separator;
        if let Some(key) =
            key.filter(|_| partition.constant_head().starts_with(&format!("UNIQUE{separator}")))
        {
            self.context.mistakes.add_with_help(
                key.span,
                format!("keys that begin with `UNIQUE{separator}` are reserved for unique fields"),
                "begin the key with another word",
            );
        }
    }
}

/// Returns a number of templates in words.
pub(super) fn templates_of(count: usize) -> String {
    if count == 1 { "one template".to_owned() } else { format!("{count} templates") }
}
