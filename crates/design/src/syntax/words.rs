//! Words of the language that have changed: `check` names the new word, and `singlet fmt --upgrade` writes it.

use super::tree::{Entry, Node, Value};

/// A change of a word.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NewWord {
    /// A key of a construct has another name. The old name is refused.
    #[cfg_attr(not(test), expect(dead_code, reason = "no key has another name yet; tests rename some"))]
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

/// All changes.
pub(crate) const NEW_WORDS: &[NewWord] = &[REFERENCE];

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

/// Gives references their type, which can be left out.
pub(super) fn complete(root: &mut Node) {
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
