//! Words of the language that have changed: `check` names the new word, and `singlet fmt --upgrade` writes it.

use super::check::{chosen, value_of};
use super::language::{Construct, DESIGN, Shape};
use super::tree::{Entry, Node, Value};

/// A change of a word.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NewWord {
    /// A key of a construct has another name. The old name is still read.
    Key {
        /// The id of the construct.
        construct: &'static str,
        /// Its name until now.
        old: &'static str,
        /// Its name.
        new: &'static str,
    },
    /// A key isn't needed beside another one, because it can only have one value there. The old form stays valid.
    Implied {
        /// The id of the construct.
        construct: &'static str,
        /// The key that isn't needed.
        key: &'static str,
        /// Its only value.
        value: &'static str,
        /// The key that implies it.
        by: &'static str,
    },
}

/// The key that holds the type of a field, and what it is if the field has `ref` and no type.
const REFERENCE: NewWord = NewWord::Implied { construct: "field", key: "type", value: "key", by: "ref" };

/// The shape of a file.
static FILE: Shape = Shape::Table(&DESIGN);

/// All changes. Each of these words had several meanings, or was one of two with the same meaning.
pub(crate) const NEW_WORDS: &[NewWord] = &[
    REFERENCE,
    key("relation", "by", "via"),
    key("relation", "few", "many"),
    key("pattern", "by", "knows"),
    key("inline", "by", "knows"),
    key("gather", "by", "group"),
    key("field", "key", "unique"),
    key("index_entry", "sparse", "optional"),
];

const fn key(construct: &'static str, old: &'static str, new: &'static str) -> NewWord {
    NewWord::Key { construct, old, new }
}

impl NewWord {
    /// Returns the new name of a key, if this is what has changed.
    pub(crate) fn name_of(&self, id: &str, key: &str) -> Option<&'static str> {
        match self {
            NewWord::Key { construct, old, new } if (*construct, *old) == (id, key) => Some(new),
            _ => None,
        }
    }

    /// Returns a key of a construct that isn't needed and the key that implies it, if this is what has changed.
    pub(crate) fn implied_in(&self, id: &str) -> Option<(&'static str, &'static str)> {
        match self {
            NewWord::Implied { construct, key, by, .. } if *construct == id => Some((key, by)),
            _ => None,
        }
    }
}

/// Replaces old words by the new ones, and gives references their type, which can be left out.
pub(super) fn complete(root: &mut Node) {
    rename(root, &FILE);
    let Some(entities) = entries_mut(root, "entity") else { return };
    for entity in entities {
        complete_fields(&mut entity.node);
    }
}

/// Completes the fields of an entity or object.
fn complete_fields(parent: &mut Node) {
    for field in entries_mut(parent, "fields").into_iter().flatten() {
        complete_field(&mut field.node);
    }
}

fn complete_field(field: &mut Node) {
    let NewWord::Implied { key, value, by, .. } = REFERENCE else { return };
    if let (None, Some(span)) = (field.get(key), field.entry(by).map(|entry| entry.span))
        && let Value::Table(entries) = &mut field.value
    {
        let node = Node { span, value: Value::Text(value.to_owned()) };
        entries.push(Entry { name: key.to_owned(), span, node });
    }
    complete_fields(field);
    if let Value::Table(entries) = &mut field.value
        && let Some(of) = entries.iter_mut().find(|entry| entry.name == "of")
    {
        complete_field(&mut of.node);
    }
}

fn entries_mut<'a>(node: &'a mut Node, name: &str) -> Option<&'a mut Vec<Entry>> {
    let Value::Table(entries) = &mut node.value else { return None };
    match &mut entries.iter_mut().find(|entry| entry.name == name)?.node.value {
        Value::Table(entries) => Some(entries),
        _ => None,
    }
}

/// Gives keys with old names their new ones, in a value and everything below it.
fn rename(node: &mut Node, shape: &'static Shape) {
    let shape = match shape {
        Shape::Either(alternatives) => match chosen(alternatives, node) {
            Some(shape) => shape,
            None => return,
        },
        shape => shape,
    };
    match (shape, &mut node.value) {
        (Shape::Table(construct), Value::Table(entries)) => {
            rename_keys(construct, entries);
            for Entry { name, node, .. } in entries {
                if let Some(shape) = value_of(construct, name) {
                    rename(node, shape);
                }
            }
        }
        (Shape::Named(_, of), Value::Table(entries)) => {
            entries.iter_mut().for_each(|entry| rename(&mut entry.node, of));
        }
        (Shape::List(_, of), Value::List(elements)) => {
            elements.iter_mut().for_each(|element| rename(element, of));
        }
        _ => {}
    }
}

/// Renames the keys of one construct. Beside the new name, an old one stays and is reported.
fn rename_keys(construct: &Construct, entries: &mut [Entry]) {
    for position in 0..entries.len() {
        let name = entries.get(position).map(|entry| entry.name.as_str()).unwrap_or_default();
        let new = NEW_WORDS.iter().find_map(|word| word.name_of(construct.id, name));
        let Some(new) = new.filter(|new| entries.iter().all(|entry| entry.name != *new)) else { continue };
        if let Some(entry) = entries.get_mut(position) {
            new.clone_into(&mut entry.name);
        }
    }
}
