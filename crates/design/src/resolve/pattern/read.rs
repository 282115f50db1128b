//! Resolves gets and scans, and the keys that all reads share.

use std::sync::Arc;

use super::super::name;
use super::super::reference;
use super::super::template::find;
use super::asked::Asked;
use super::overlap::KeyShape;
use super::{PatternDraft, ResolvedEntity};
use crate::model::{BatchGet, Entity, FieldType, Get, Index, IndexEntry, ParameterType, Resolve, Scan};
use crate::syntax::{Entry, Node};
use crate::template::Part;

/// The source of a read: the table or an index.
pub(super) enum ReadPath<'a> {
    /// The table itself.
    Table,
    /// An index, and the entity's entry in it.
    Index(&'a Arc<Index>, &'a IndexEntry),
}

impl PatternDraft<'_> {
    /// Resolves `get` and `exists`.
    pub(super) fn get(&mut self, place: &Node) -> Option<Get> {
        let known = self.entity(place)?;
        let (show, resolve) = (self.show(&[known]), self.resolve(&[known]));
        let through = self.through(known)?;
        if !known.sound {
            return None;
        }
        let asked = self.asked(known, &through)?;
        self.whole_key(known, &through, &asked)?;
        if let Asked::Own(key) | Asked::Other(key) = &asked {
            self.template_parameters(known, &key.partition, place.span);
            self.template_parameters(known, &key.sort, place.span);
        }
        let key = match asked {
            Asked::Other(key) => Some(key),
            Asked::Own(_) | Asked::Nothing => None,
        };
        let (on, mixed) = match through {
            ReadPath::Table => {
                if key.is_none() {
                    self.key_parameters(known, place.span);
                }
                (None, false)
            }
            ReadPath::Index(index, _) if key.is_some() => (Some(Arc::clone(index)), true),
            ReadPath::Index(index, entry) => {
                self.known_shard(entry, index, place)?;
                self.partition_parameters(known, entry, place);
                let key = KeyShape::of_entry(&known.entity, entry, 0);
                (Some(Arc::clone(index)), self.is_mixed(&[known], &key, Some(index)))
            }
        };
        Some(Get {
            entity: Arc::clone(&known.entity),
            on,
            key,
            by: self.by(&[known]),
            consistent: self.flag("consistent"),
            show,
            resolve,
            show_expired: self.node.text_of("expired") == Some("show"),
            mixed,
        })
    }

    /// Checks that a get from the table has a complete key; `None` after a mistake.
    fn whole_key(&self, known: &ResolvedEntity, through: &ReadPath<'_>, asked: &Asked) -> Option<()> {
        let (ReadPath::Table, Asked::Own(key) | Asked::Other(key)) = (through, asked) else {
            return Some(());
        };
        let own_parts = known.entity.key.sort.as_ref().map(|sort| sort.parts.len());
        let ends_early =
            matches!(asked, Asked::Own(_)) && key.sort.first().map(|sort| sort.parts.len()) != own_parts;
        if key.sort.len() == usize::from(known.entity.table.sort.is_some()) && !ends_early {
            return Some(());
        }
        let place = self.node.get("key")?;
        let help = "complete the sort key, or use `query` to read all items whose key begins like this";
        self.context.mistakes.add_with_help(place.span, "the key of an item must be complete", help);
        None
    }

    /// Checks that the caller of a look-up knows the shard; `None` after a mistake. A shard that is computed from another
    /// field would ask for one shard of many, and find another item or nothing.
    fn known_shard(&self, entry: &IndexEntry, index: &Index, place: &Node) -> Option<()> {
        let parts: Vec<&Part> = entry.partition.iter().flat_map(|template| &template.parts).collect();
        let is_given = |wanted: &str| {
            let mut whole = parts.iter().filter(|part| matches!(part, Part::Field { .. }));
            whole.any(|part| part.path() == Some(wanted))
        };
        let unknown = parts.iter().find_map(|part| match part {
            Part::Shard { .. } => part.path().filter(|path| !is_given(path)),
            _ => None,
        });
        let Some(path) = unknown else { return Some(()) };
        let message =
            format!("`{}` is spread over shards by `{path}`, so this doesn't find one item", index.name);
        let help = "use `query` with `limit = 1`, which reads all shards";
        self.context.mistakes.add_with_help(place.span, message, help);
        None
    }

    /// Adds all placeholders of an index's partition key to the parameters, including those of shards.
    fn partition_parameters(&mut self, known: &ResolvedEntity, entry: &IndexEntry, place: &Node) {
        for part in entry.partition.iter().flat_map(|template| &template.parts) {
            let Some(path) = part.path() else { continue };
            if let (Some(found), Part::Field { .. } | Part::Shard { .. }) =
                (find(&known.entity.fields, path), part)
            {
                self.parameters.add_field(self.context, path, found.kind, true, place.span);
            }
        }
    }

    /// Resolves `batch_get`.
    pub(super) fn batch_get(&mut self, place: &Node) -> Option<BatchGet> {
        const PARAMETER: &str = "keys";
        let known = self.entity(place)?;
        let show = self.show(&[known]);
        if !known.sound {
            return None;
        }
        let mut members = key_members(&known.entity);
        let kind = match members.len() {
            1 => ParameterType::ListOf(Box::new(ParameterType::Field(members.remove(0).1))),
            0 => {
                let message =
                    format!("every `{}` has the same key, so there is only one item", known.entity.name);
                self.context.mistakes.add_with_help(place.span, message, "use `get`");
                return None;
            }
            _ => ParameterType::Keys(members),
        };
        self.parameters.add(self.context, PARAMETER, kind, true, place.span);
        Some(BatchGet {
            entity: Arc::clone(&known.entity),
            parameter: PARAMETER.to_owned(),
            by: self.by(&[known]),
            consistent: self.flag("consistent"),
            show,
            show_expired: self.node.text_of("expired") == Some("show"),
        })
    }

    /// Resolves `scan`.
    pub(super) fn scan(&mut self, place: &Node) -> Option<Scan> {
        let known = self.entity(place).filter(|known| known.sound)?;
        let on = match self.through(known)? {
            ReadPath::Table => None,
            ReadPath::Index(index, _) => Some(Arc::clone(index)),
        };
        let filter = match self.node.get("filter") {
            Some(filter) => Some(self.filter(filter, &[known], on.as_deref())?),
            None => None,
        };
        Some(Scan {
            entity: Arc::clone(&known.entity),
            on,
            filter,
            limit: self.node.get("limit").and_then(Node::whole).and_then(|limit| u32::try_from(limit).ok()),
            show: self.show(&[known]),
            show_expired: self.node.text_of("expired") == Some("show"),
            admin: self.flag("admin"),
        })
    }

    /// Resolves `on`; `None` after a mistake.
    pub(super) fn through<'k>(&self, known: &'k ResolvedEntity) -> Option<ReadPath<'k>> {
        let Some(place) = self.node.get("on") else { return Some(ReadPath::Table) };
        let wanted = place.text()?;
        let entity = &known.entity;
        if entity.table.label.is_empty() && !known.sound {
            return None;
        }
        let Some(index) = entity.table.index(wanted) else {
            let names = entity.table.indexes.iter().map(|index| index.name.as_str());
            let message = format!("there is no index `{wanted}`");
            self.context.mistakes.add_with(place.span, message, name::help(wanted, "index", names));
            return None;
        };
        if let (true, false, Some(place)) =
            (self.flag("consistent"), index.local, self.node.entry("consistent"))
        {
            self.context.mistakes.add_with_help(
                place.span,
                format!("reads of the global index `{wanted}` can't be consistent"),
                "remove `consistent`, or read the table or a local index: global indexes are updated after the table",
            );
        }
        if known.broken_entries.iter().any(|broken| broken == wanted) {
            return None;
        }
        match entity.entry(wanted) {
            Some(entry) => Some(ReadPath::Index(index, entry)),
            None => {
                let message = format!("`{}` isn't in the index `{wanted}`", entity.name);
                let help =
                    format!("add templates to `[entity.{}]`: `{wanted} = [\"…\", \"…\"]`", entity.name);
                self.context.mistakes.add_with_help(place.span, message, help);
                None
            }
        }
    }

    /// Resolves `show`.
    pub(super) fn show(&self, entities: &[&ResolvedEntity]) -> Option<Vec<String>> {
        let places = self.node.get("show")?.list()?;
        let mut fields: Vec<String> = Vec::new();
        for place in places {
            let Some(name) = place.text() else { continue };
            self.field_of_any(entities, name, place);
            if fields.iter().any(|other| other == name) {
                self.context.mistakes.add(place.span, format!("`{name}` appears twice in `show`"));
            }
            fields.push(name.to_owned());
        }
        Some(fields)
    }

    /// Checks that one of the entities has the field.
    pub(super) fn field_of_any(&self, entities: &[&ResolvedEntity], name: &str, place: &Node) -> bool {
        let has = entities.iter().any(|known| known.entity.field(name).is_some());
        if !has {
            let names: Vec<&str> = entities
                .iter()
                .flat_map(|known| &known.entity.fields)
                .map(|field| field.name.as_str())
                .collect();
            let owners: Vec<&str> = entities.iter().map(|known| known.entity.name.as_str()).collect();
            let message = format!("{} has no field `{name}`", name::list_or(&owners));
            self.context.mistakes.add_with(place.span, message, name::help(name, "field", names));
        }
        has
    }

    /// Resolves `resolve`.
    pub(super) fn resolve(&self, entities: &[&ResolvedEntity]) -> Vec<Resolve> {
        let entries = self.node.entries("resolve").iter();
        entries.filter_map(|entry| self.resolve_one(entities, entry)).collect()
    }

    fn resolve_one(&self, entities: &[&ResolvedEntity], entry: &Entry) -> Option<Resolve> {
        let Entry { name, span, node } = entry;
        let wanted = node.text()?;
        if !self.field_of_any(entities, wanted, node) {
            return None;
        }
        if entities.iter().any(|known| known.entity.field(name).is_some()) {
            let message = format!("`{name}` is already a field");
            let help = format!("use another name for the item that `{wanted}` refers to");
            self.context.mistakes.add_with_help(*span, message, help);
        }
        let mut found = None;
        for known in entities {
            let Some(field) = known.entity.field(wanted) else { continue };
            if field.refers_to.is_none() && field.refers_to_one_of.is_empty() {
                if !known.vague.contains(wanted) {
                    let help =
                        format!("add `ref` to the field: `{wanted} = {{ type = \"key\", ref = \"…\" }}`");
                    self.context.mistakes.add_with_help(
                        node.span,
                        format!("`{wanted}` isn't a reference"),
                        help,
                    );
                }
                return None;
            }
            match reference::targets(self.entities, known, field)? {
                Ok(targets) => _ = found.get_or_insert(targets),
                // A field with several entities or `must_exist` has been reported where it is defined.
                Err(_) if field.must_exist || !field.refers_to_one_of.is_empty() => return None,
                Err((message, help)) => {
                    self.context.mistakes.add_with_help(node.span, message, help);
                    return None;
                }
            }
        }
        Some(Resolve { name: name.clone(), field: wanted.to_owned(), targets: found? })
    }
}

/// Returns the fields in an entity's key with their types, without duplicates.
pub(in crate::resolve) fn key_members(entity: &Entity) -> Vec<(String, FieldType)> {
    let mut members: Vec<(String, FieldType)> = Vec::new();
    let templates = [Some(&entity.key.partition), entity.key.sort.as_ref()];
    for path in templates.into_iter().flatten().flat_map(|template| template.fields()) {
        if let (false, Some(found)) =
            (members.iter().any(|(known, _)| known == path), find(&entity.fields, path))
        {
            members.push((path.to_owned(), found.kind.clone()));
        }
    }
    members
}
