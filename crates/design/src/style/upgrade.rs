//! Replaces old words of the language.

use toml_edit::{InlineTable, Item, Key, Table, TableLike, Value};

use super::order::{self, Vocabulary};
use super::value;
use crate::syntax::NewWord;
use crate::syntax::language::Shape;

/// Replaces old words in a section and in the sections below it, and returns their number. Where a comment stands at an
/// old word that would go, the word stays.
pub(super) fn upgrade(section: &mut Table, shape: &'static Shape, words: &[NewWord]) -> usize {
    let meaning = Vocabulary::of(Some(shape), section);
    let mut count = 0;
    if let Some(construct) = meaning.construct() {
        count += rename(section, construct.id, words) + drop_implied(section, construct.id, words);
    }
    for (name, item) in section.iter_mut() {
        let Some(shape) = meaning.below(name.get()) else { continue };
        count += match item {
            Item::Table(below) => upgrade(below, shape, words),
            Item::Value(value) => in_value(value, shape, words),
            _ => 0,
        };
    }
    count
}

fn in_value(value: &mut Value, shape: &'static Shape, words: &[NewWord]) -> usize {
    match value {
        Value::InlineTable(table) => in_table(table, shape, words),
        Value::Array(array) => {
            let Some(shape) = order::entries(shape) else { return 0 };
            array.iter_mut().map(|value| in_value(value, shape, words)).sum()
        }
        _ => 0,
    }
}

fn in_table(table: &mut InlineTable, shape: &'static Shape, words: &[NewWord]) -> usize {
    let meaning = Vocabulary::of(Some(shape), table);
    let mut count = 0;
    if let Some(construct) = meaning.construct() {
        count += rename(table, construct.id, words);
        if value::is_on_one_line(&Value::InlineTable(table.clone())) {
            count += drop_implied(table, construct.id, words);
        }
    }
    for (name, value) in table.iter_mut() {
        if let Some(shape) = meaning.below(name.get()) {
            count += in_value(value, shape, words);
        }
    }
    count
}

/// Gives keys their new names. They keep their places and comments.
fn rename(table: &mut dyn TableLike, id: &str, words: &[NewWord]) -> usize {
    let names: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
    let new_name = |name: &str| words.iter().find_map(|word| word.name_of(id, name));
    if !names.iter().any(|name| new_name(name).is_some_and(|new| !table.contains_key(new))) {
        return 0;
    }
    // Entries are only kept in order if all of them are inserted again.
    let mut count = 0;
    for name in names {
        let key = table.key(&name).cloned();
        let Some((key, item)) = key.zip(table.remove(&name)) else { continue };
        let new = new_name(&name).filter(|new| !table.contains_key(new));
        count += usize::from(new.is_some());
        let key = match new {
            Some(new) => Key::new(new).with_leaf_decor(key.leaf_decor().clone()),
            None => key,
        };
        match table.entry_format(&key) {
            toml_edit::Entry::Vacant(entry) => drop(entry.insert(item)),
            toml_edit::Entry::Occupied(mut entry) => drop(entry.insert(item)),
        }
    }
    count
}

/// Removes keys that others imply.
fn drop_implied(table: &mut dyn TableLike, id: &str, words: &[NewWord]) -> usize {
    let mut count = 0;
    for word in words {
        let NewWord::Implied { construct, key, value, by } = word else { continue };
        let is_given = table.get(key).and_then(Item::as_str) == Some(value);
        if *construct == id && is_given && table.contains_key(by) && !is_commented(table, key) {
            table.remove(key);
            count += 1;
        }
    }
    count
}

fn is_commented(table: &dyn TableLike, key: &str) -> bool {
    let has_comment = |raw: Option<&toml_edit::RawString>| {
        raw.and_then(|raw| raw.as_str()).is_some_and(|text| text.contains('#'))
    };
    let above = table.key(key).is_some_and(|key| has_comment(key.leaf_decor().prefix()));
    let behind = table.get(key).and_then(Item::as_value);
    above || behind.is_some_and(|value| has_comment(value.decor().suffix()))
}
