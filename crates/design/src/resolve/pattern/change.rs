//! Updates: changes of some fields of an item.

use std::sync::Arc;

use super::super::field::kind_name;
use super::super::name;
use super::super::reference;
use super::super::template::find;
use super::read::key_members;
use super::{Draft, Known};
use crate::model::{Change, ElementChange, Field, FieldType, Made, Update, ValueSource};
use crate::report::Span;
use crate::syntax::{Entry, Node};

/// The keys that change something.
const WORDS: [&str; 7] = ["set", "add", "subtract", "remove", "insert", "change", "drop"];

impl Draft<'_> {
    /// `update`
    pub(super) fn update(&mut self, place: &Node) -> Option<Update> {
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
                _ => self.fields_of(known, word, node, &mut changed, &mut changes),
            }
        }
        self.no_key_parts(known, &changed);
        self.no_overlap(&changed);
        if changed.is_empty() && self.context.mistakes.count() == before {
            let message = format!("this update of `{}` changes nothing", known.entity.name);
            self.context.mistakes.add_with_help(
                place.span,
                message,
                format!("say what, with {}", name::list_or(&WORDS)),
            );
        }
        let condition = self.holds(known)?;
        let sets = |path: &str| {
            changes.iter().any(|change| !matches!(change, Change::Remove { .. }) && change.field() == path)
        };
        let must_exist = reference::checked(self.entities, known, sets);
        known.sound.then(|| Update { entity: Arc::clone(&known.entity), changes, condition, must_exist })
    }

    /// `set`, `add`, `subtract` and `remove`: a list of fields, or fields with values.
    fn fields_of(
        &mut self,
        known: &Known,
        word: &str,
        node: &Node,
        changed: &mut Vec<(String, Span)>,
        changes: &mut Vec<Change>,
    ) {
        for place in node.list().unwrap_or_default() {
            let Some(path) = place.text() else { continue };
            changed.push((path.to_owned(), place.span));
            if word == "remove" {
                if self.known_field(known, path, place.span).is_some() {
                    self.may_be_missing(known, path, place.span);
                    changes.push(Change::Remove { path: path.to_owned() });
                }
            } else if let Some(kind) = self.changeable(known, path, place.span) {
                self.not_internal(known, path, place.span);
                self.parameters.add_field(self.context, path, &kind, false, place.span);
                changes.push(Change::Set {
                    path: path.to_owned(),
                    value: ValueSource::Parameter(path.to_owned()),
                });
            }
        }
        for Entry { name: path, span, node } in node.table().unwrap_or_default() {
            changed.push((path.clone(), *span));
            let Some(kind) = self.changeable(known, path, *span) else { continue };
            let optional = find(&known.entity.fields, path).is_some_and(|found| found.optional);
            let path = path.clone();
            let change = match word {
                "set" => self.source(node, &kind, !optional).map(|value| Change::Set { path, value }),
                "add" => self
                    .addable(&path, &kind, *span)
                    .and_then(|kind| self.source(node, &kind, true).map(|value| Change::Add { path, value })),
                _ => self.is_set(&path, &kind, *span).and_then(|()| {
                    self.source(node, &kind, true).map(|value| Change::Subtract { path, value })
                }),
            };
            changes.extend(change);
        }
    }

    /// Notes a mistake if a caller could change an internal field just because it stands in a list of fields.
    fn not_internal(&self, known: &Known, path: &str, span: Span) {
        let first = path.split('.').next().unwrap_or(path);
        if known.entity.field(first).is_some_and(|field| field.internal) {
            self.context.mistakes.add_with_help(
                span,
                format!("`{first}` is internal, so it can't stand in a list of fields that callers change"),
                format!("a pattern of its own may write it: `set = {{ {path} = \"{{{first}}}\" }}`"),
            );
        }
    }

    /// The type of a field that a pattern may change.
    fn changeable(&self, known: &Known, path: &str, span: Span) -> Option<FieldType> {
        let kind = self.known_field(known, path, span)?;
        if let Some(field) = known.entity.field(path) {
            self.may_be_given(field, span);
        }
        Some(kind)
    }

    fn known_field(&self, known: &Known, path: &str, span: Span) -> Option<FieldType> {
        if path.contains(['{', '}']) {
            self.context.mistakes.add_with_help(
                span,
                format!("`{path}` has a placeholder, and a path is made of names only"),
                "name the entry itself, such as `votes.like`, in a pattern for each",
            );
            return None;
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

    fn may_be_missing(&self, known: &Known, path: &str, span: Span) {
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
            let message = format!("`{path}` can't be removed: every `{}` has it", known.entity.name);
            self.context.mistakes.add_with_help(span, message, "make the field optional");
        }
    }

    /// What can be added to a field: a number of any sign, or elements.
    fn addable(&self, path: &str, kind: &FieldType, span: Span) -> Option<FieldType> {
        match kind {
            FieldType::Int { .. } | FieldType::Epoch => Some(FieldType::Int { min: None, max: None }),
            FieldType::Number { .. } => Some(FieldType::Number { min: None, max: None }),
            FieldType::Set { .. } => Some(kind.clone()),
            _ => {
                let message =
                    format!("nothing can be added to `{path}`, which is of type `{}`", kind_name(kind));
                self.context.mistakes.add_with_help(
                    span,
                    message,
                    "numbers and sets can be added to; an element of a list goes in with `insert`",
                );
                None
            }
        }
    }

    fn is_set(&self, path: &str, kind: &FieldType, span: Span) -> Option<()> {
        if matches!(kind, FieldType::Set { .. }) {
            return Some(());
        }
        let message =
            format!("`subtract` takes elements out of sets, and `{path}` is of type `{}`", kind_name(kind));
        self.context.mistakes.add_with_help(
            span,
            message,
            "a number is made smaller by `add` with a negative number",
        );
        None
    }

    /// `insert`, `change` and `drop`
    fn element(&mut self, known: &Known, word: &str, node: &Node) -> Option<Change> {
        let path = node.text()?;
        let kind = self.known_field(known, path, node.span)?;
        let FieldType::List { of, key: Some(key), .. } = &kind else {
            let message = format!("`{word}` needs a list of objects with a `key`, which `{path}` isn't");
            let help = format!(
                "say what tells the elements apart: `{path} = {{ type = \"list\", key = \"…\", of = … }}`"
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

    /// An element's field gives its name to a parameter, with the list's in front if the name is taken.
    fn element_parameter(&self, list: &str, field: &Field) -> String {
        if self.parameters.contains(&field.name) {
            format!("{list}.{}", field.name)
        } else {
            field.name.clone()
        }
    }

    /// An item can't change its own key.
    fn no_key_parts(&self, known: &Known, changed: &[(String, Span)]) {
        if !known.sound {
            return;
        }
        for (path, span) in changed {
            if let Some((part, _)) = key_members(&known.entity).iter().find(|(part, _)| touch(part, path)) {
                let message = format!(
                    "`{part}` is part of the key of `{}`, which an item can't change",
                    known.entity.name
                );
                self.context.mistakes.add_with_help(
                    *span,
                    message,
                    "delete the item and create another one, in a transaction",
                );
            }
        }
    }

    /// A field is changed once in an update.
    fn no_overlap(&self, changed: &[(String, Span)]) {
        for (position, (path, span)) in changed.iter().enumerate() {
            if let Some((other, _)) = changed.iter().take(position).find(|(other, _)| touch(other, path)) {
                let message = match other == path {
                    true => format!("`{path}` is changed twice in one update"),
                    false => format!(
                        "`{path}` and `{other}` are changed in one update, and one is part of the other"
                    ),
                };
                self.context.mistakes.add(*span, message);
            }
        }
    }
}

/// Whether one path is the other, or leads into it.
fn touch(one: &str, other: &str) -> bool {
    let leads = |long: &str, short: &str| long.strip_prefix(short).is_some_and(|rest| rest.starts_with('.'));
    one == other || leads(one, other) || leads(other, one)
}
