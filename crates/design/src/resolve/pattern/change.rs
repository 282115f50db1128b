//! Resolves updates.

use std::sync::Arc;

use super::super::field::kind_name;
use super::super::name;
use super::super::reference;
use super::super::template::find;
use super::insert::is_required;
use super::read::key_members;
use super::{PatternDraft, ResolvedEntity};
use crate::model::{Change, ElementChange, Field, FieldType, Made, Update, ValueSource};
use crate::report::Span;
use crate::syntax::{Entry, Node};

/// The keys of an update that change something. An upsert has only the first four.
const WORDS: [&str; 7] = ["set", "add", "subtract", "remove", "insert", "change", "drop"];
const UPSERT_WORDS: [&str; 4] = ["set", "add", "subtract", "remove"];

impl PatternDraft<'_> {
    /// Resolves `update` and `upsert`.
    pub(super) fn update(&mut self, place: &Node, operation: &str) -> Option<Update> {
        let known = self.entity(place)?;
        self.key_parameters(known, place.span);
        let before = self.context.mistakes.count();
        let mut changed: Vec<(String, Span)> = Vec::new();
        let mut changes = Vec::new();
        for word in WORDS {
            let Some(node) = self.node.get(word) else { continue };
            match word {
                "insert" | "change" | "drop" => {
                    changed.extend(node.text().map(|list| (list.to_owned(), node.span)));
                    changes.extend(self.element(known, word, node));
                }
                _ => self.fields_of(known, (word, operation == "upsert"), node, &mut changed, &mut changes),
            }
        }
        // An upsert of an entity with a time of the last change does something without them: it creates the item, or notes
        // the time.
        let does_more = operation == "upsert"
            && known.entity.fields.iter().any(|field| field.made == Some(Made::Updated));
        if changed.is_empty() && !does_more && self.context.mistakes.count() == before {
            let message = format!("this {operation} of `{}` changes nothing", known.entity.name);
            self.context.mistakes.add_with_help(
                place.span,
                message,
                format!(
                    "add {}",
                    match operation {
                        "upsert" => name::list_or(&UPSERT_WORDS),
                        _ => name::list_or(&WORDS),
                    }
                ),
            );
        }
        let first = (operation == "upsert").then(|| self.first(known, &mut changed, place.span));
        self.no_key_parts(known, &changed);
        self.no_overlap(&changed);
        let condition = self.holds(known)?;
        let sets = |path: &str| {
            first.is_some()
                || changes
                    .iter()
                    .any(|change| !matches!(change, Change::Remove { .. }) && change.field() == path)
        };
        let must_exist = reference::checked(self.entities, known, sets);
        known.sound.then(|| Update {
            entity: Arc::clone(&known.entity),
            changes,
            first,
            condition,
            must_exist,
        })
    }

    /// Resolves `set`, `add`, `subtract` and `remove`: a list of fields, or fields with values.
    fn fields_of(
        &mut self,
        known: &ResolvedEntity,
        (word, creates): (&str, bool),
        node: &Node,
        changed: &mut Vec<(String, Span)>,
        changes: &mut Vec<Change>,
    ) {
        for place in node.list().unwrap_or_default() {
            let Some(path) = place.text() else { continue };
            changed.push((path.to_owned(), place.span));
            if word == "remove" {
                if self.known_field(known, path, place.span).is_some() {
                    self.entry_parameter(path, place.span);
                    self.may_be_missing(known, path, place.span);
                    changes.push(Change::Remove { path: path.to_owned() });
                }
            } else if entry_hole(path).is_some() {
                self.entry_without_value(path, place.span);
            } else if let Some(kind) = self.changeable(known, path, place.span) {
                self.not_internal(known, path, place.span);
                let field = known.entity.field(path).filter(|_| creates);
                self.parameters.add_field(
                    self.context,
                    path,
                    &kind,
                    field.is_some_and(is_required),
                    place.span,
                );
                changes.push(Change::Set {
                    path: path.to_owned(),
                    value: ValueSource::Parameter(path.to_owned()),
                });
            }
        }
        for Entry { name: path, span, node } in node.table().unwrap_or_default() {
            changed.push((path.clone(), *span));
            let Some(kind) = self.changeable(known, path, *span) else { continue };
            self.entry_parameter(path, *span);
            let optional = find(&known.entity.fields, path).is_some_and(|found| found.optional);
            let path = path.clone();
            let change = match word {
                "set" => {
                    let value = self.set_value(known, &path, (node, &kind), !optional);
                    value.map(|value| Change::Set { path, value })
                }
                "add" => self
                    .addable(&path, &kind, (*span, node))
                    .and_then(|kind| self.source(node, &kind, true).map(|value| Change::Add { path, value })),
                _ => self.subtractable(&path, &kind, (*span, node)).and_then(|kind| {
                    self.source(node, &kind, true).map(|value| Change::Subtract { path, value })
                }),
            };
            changes.extend(change);
        }
    }

    /// Checks that a list of fields, which callers can change, has no internal field.
    fn not_internal(&self, known: &ResolvedEntity, path: &str, span: Span) {
        let first = path.split('.').next().unwrap_or(path);
        if known.entity.field(first).is_some_and(|field| field.internal && !field.computed && !field.derived)
        {
            self.context.mistakes.add_with_help(
                span,
                format!("`{first}` is internal and can't be in a list of fields that callers change"),
                format!("set it in a separate pattern: `set = {{ {path} = \"{{{first}}}\" }}`"),
            );
        }
    }

    /// Returns the type of a field that a pattern can change.
    fn changeable(&self, known: &ResolvedEntity, path: &str, span: Span) -> Option<FieldType> {
        let kind = self.known_field(known, path, span)?;
        if let Some(field) = known.entity.field(path) {
            self.may_be_given(field, span);
        }
        Some(kind)
    }

    fn known_field(&self, known: &ResolvedEntity, path: &str, span: Span) -> Option<FieldType> {
        if path.contains(['{', '}']) {
            return self.map_entry(known, path, span);
        }
        if path.split('.').next().is_some_and(|first| known.vague.contains(first)) {
            return None;
        }
        let found = find(&known.entity.fields, path).map(|found| found.kind.clone());
        if found.is_none() {
            self.unknown_field(known, path, span);
        }
        found
    }

    /// Returns the type of a map's entry whose name is a parameter: `votes.{kind}`.
    fn map_entry(&self, known: &ResolvedEntity, path: &str, span: Span) -> Option<FieldType> {
        let Some((map, _)) = entry_hole(path) else {
            self.context.mistakes.add_with_help(
                span,
                format!("`{path}` isn't a path with a parameter at its end"),
                "only the last step can be a parameter, such as `votes.{kind}`",
            );
            return None;
        };
        match self.known_field(known, map, span)? {
            FieldType::Map { of, .. } => Some(*of),
            other => {
                let message =
                    format!("`{map}` is of type `{}`, so its parts have fixed names", kind_name(&other));
                self.context.mistakes.add_with_help(
                    span,
                    message,
                    "use a field of type `map`, or write the name",
                );
                None
            }
        }
    }

    /// Adds the parameter that names an entry of a map.
    fn entry_parameter(&mut self, path: &str, span: Span) {
        if let Some((_, parameter)) = entry_hole(path) {
            let kind = FieldType::Text { min: Some(1), max: None };
            if self.in_scope(parameter, span).is_some() {
                self.parameters.add_field(self.context, parameter, &kind, true, span);
            }
        }
    }

    fn entry_without_value(&self, path: &str, span: Span) {
        self.context.mistakes.add_with_help(
            span,
            format!("`{path}` needs a value"),
            format!("write `set = {{ \"{path}\" = \"{{value}}\" }}`"),
        );
    }

    fn may_be_missing(&self, known: &ResolvedEntity, path: &str, span: Span) {
        let optional = match path.rsplit_once('.') {
            None => known.entity.field(path).is_some_and(|field| field.optional),
            Some((parent, last)) => match find(&known.entity.fields, parent).map(|found| found.kind) {
                Some(FieldType::Object(fields)) => {
                    fields.iter().any(|field| field.name == last && field.optional)
                }
                _ => true,
            },
        };
        if !optional {
            let message = format!(
                "`{path}` can't be removed, because it is a required field of `{}`",
                known.entity.name
            );
            let generated = known.entity.field(path).is_some_and(|field| field.made.is_some());
            let help = (!generated).then(|| "make the field optional".to_owned());
            self.context.mistakes.add_with(span, message, help);
        }
    }

    /// Returns the type of values that can be added to a field: a number of any sign, or elements.
    fn addable(&self, path: &str, kind: &FieldType, (span, node): (Span, &Node)) -> Option<FieldType> {
        match kind {
            FieldType::List { of, key: None, .. } => Some(elements_or_one(of, node)),
            FieldType::Int { .. } | FieldType::Epoch => Some(FieldType::Int { min: None, max: None }),
            FieldType::Number { .. } => Some(FieldType::Number { min: None, max: None }),
            FieldType::Set { .. } => Some(kind.clone()),
            _ => {
                let message =
                    format!("`add` can't be used on `{path}`, which is of type `{}`", kind_name(kind));
                self.context.mistakes.add_with_help(
                    span,
                    message,
                    "use `add` on numbers, sets and lists, and `insert` on lists with `unique`",
                );
                None
            }
        }
    }

    /// Returns the type of values that can be removed from a field: elements.
    fn subtractable(&self, path: &str, kind: &FieldType, (span, node): (Span, &Node)) -> Option<FieldType> {
        match kind {
            FieldType::Set { .. } => return Some(kind.clone()),
            FieldType::List { of, key: None, .. } => return Some(elements_or_one(of, node)),
            _ => {}
        }
        let message = format!("`subtract` can't be used on `{path}`, which is of type `{}`", kind_name(kind));
        self.context.mistakes.add_with_help(
            span,
            message,
            "use `subtract` on sets and lists; to decrease a number, use `add` with a negative number",
        );
        None
    }

    /// Resolves `insert`, `change` and `drop`.
    fn element(&mut self, known: &ResolvedEntity, word: &str, node: &Node) -> Option<Change> {
        let path = node.text()?;
        let kind = self.known_field(known, path, node.span)?;
        let FieldType::List { of, key: Some(key), .. } = &kind else {
            let message =
                format!("`{word}` can't be used on `{path}`, which isn't a list of objects with a `key`");
            let help = format!(
                "add the field that identifies an element: `{path} = {{ type = \"list\", key = \"…\", of = … }}`"
            );
            self.context.mistakes.add_with_help(node.span, message, help);
            return None;
        };
        let FieldType::Object(fields) = of.as_ref() else { return None };
        let mut members = Vec::new();
        for field in fields {
            let is_key = field.name == *key;
            if !is_key && (word == "drop" || matches!(field.made, Some(Made::Created | Made::Updated))) {
                continue;
            }
            if word == "insert" && matches!(field.made, Some(Made::Secret | Made::Created | Made::Updated)) {
                continue;
            }
            let parameter = self.element_parameter(path, field);
            match word {
                "insert" => self.new_field(&parameter, field, node.span),
                _ => self.parameters.add_field(self.context, &parameter, &field.kind, is_key, node.span),
            }
            members.push((parameter, field.name.clone()));
        }
        let change = ElementChange { field: path.to_owned(), key: key.clone(), members };
        match word {
            "insert" => Some(Change::InsertElement(change)),
            "change" => Some(Change::ChangeElement(change)),
            _ => Some(Change::DropElement(change)),
        }
    }

    /// Returns the parameter for a field of an element: its name, or `list.field` if that name is taken.
    fn element_parameter(&self, list: &str, field: &Field) -> String {
        if self.parameters.contains(&field.name) {
            format!("{list}.{}", field.name)
        } else {
            field.name.clone()
        }
    }

    /// Checks that the update doesn't change the key of the item.
    fn no_key_parts(&self, known: &ResolvedEntity, changed: &[(String, Span)]) {
        if !known.sound {
            return;
        }
        for (path, span) in changed {
            let computes = |part: &str| {
                let field = part.split('.').next().unwrap_or(part);
                known.entity.sources(field).any(|source| touch(source, path))
            };
            let members = key_members(&known.entity);
            if let Some((part, _)) = members.iter().find(|(part, _)| touch(part, path) || computes(part)) {
                let message = format!(
                    "`{part}` can't be changed, because it is part of the key of `{}`",
                    known.entity.name
                );
                self.context.mistakes.add_with_help(
                    *span,
                    message,
                    "delete the item and create another one in a transaction",
                );
            }
        }
    }

    /// Checks that the update changes each field only once.
    fn no_overlap(&self, changed: &[(String, Span)]) {
        for (position, (path, span)) in changed.iter().enumerate() {
            if let Some((other, _)) = changed.iter().take(position).find(|(other, _)| touch(other, path)) {
                let message = match other == path {
                    true => format!("`{path}` is changed twice in one update"),
                    false => format!("`{path}` and `{other}` overlap and can't be changed in one update"),
                };
                self.context.mistakes.add(*span, message);
            }
        }
    }
}

/// Returns whether two paths are equal, or one contains the other.
fn touch(one: &str, other: &str) -> bool {
    let leads = |long: &str, short: &str| long.strip_prefix(short).is_some_and(|rest| rest.starts_with('.'));
    // An entry whose name is a parameter can be any entry of its map.
    let parent = |path: &str| path.rsplit_once('.').map(|(parent, _)| parent.to_owned());
    let same_map = parent(one).is_some() && parent(one) == parent(other);
    let any_entry = same_map && (entry_hole(one).is_some() || entry_hole(other).is_some());
    one == other || leads(one, other) || leads(other, one) || any_entry
}

/// Returns the map and the parameter of a path such as `votes.{kind}`.
fn entry_hole(path: &str) -> Option<(&str, &str)> {
    let (map, last) = path.split_once(".{")?;
    let parameter = last.strip_suffix('}')?;
    (!map.contains(['{', '}']) && !parameter.is_empty() && !parameter.contains(['{', '}']))
        .then_some((map, parameter))
}

/// Returns the type of a value that is added to a list or removed from it: a list in the file has several elements, and
/// anything else is one.
fn elements_or_one(of: &FieldType, node: &Node) -> FieldType {
    match node.list() {
        Some(_) => FieldType::List { of: Box::new(of.clone()), max: None, key: None },
        None => of.clone(),
    }
}
