//! Values on one line: spaces, and the order of keys in inline tables.

use toml_edit::{Array, InlineTable, Key, Value};

use super::order::{self, Vocabulary};
use crate::syntax::language::Shape;

/// Lays out a value. One that takes several lines stays as it is.
pub(super) fn tidy(value: &mut Value, shape: Option<&'static Shape>) {
    if is_on_one_line(value) {
        tidy_line(value, shape);
    }
}

/// Returns whether a value has neither line ends, comments nor dotted keys.
pub(super) fn is_on_one_line(value: &Value) -> bool {
    !value.to_string().trim().contains('\n') && !has_dotted_keys(value)
}

fn has_dotted_keys(value: &Value) -> bool {
    match value {
        Value::InlineTable(table) => {
            table.is_dotted() || table.iter().any(|(_, value)| has_dotted_keys(value))
        }
        Value::Array(array) => array.iter().any(has_dotted_keys),
        _ => false,
    }
}

fn tidy_line(value: &mut Value, shape: Option<&'static Shape>) {
    match value {
        Value::InlineTable(table) => tidy_table(table, shape),
        Value::Array(array) => tidy_array(array, shape.and_then(order::entries)),
        _ => {}
    }
}

fn tidy_table(table: &mut InlineTable, shape: Option<&'static Shape>) {
    let meaning = Vocabulary::of(shape, table);
    if let Some(construct) = meaning.construct() {
        let place = |key: &Key| order::place(construct, key.get());
        table.sort_values_by(|one, _, other, _| place(one).cmp(&place(other)));
    }
    let count = table.len();
    for (position, (mut key, value)) in table.iter_mut().enumerate() {
        tidy_line(value, meaning.below(key.get()));
        key.leaf_decor_mut().set_prefix(" ");
        key.leaf_decor_mut().set_suffix(" ");
        value.decor_mut().set_prefix(" ");
        value.decor_mut().set_suffix(if position + 1 == count { " " } else { "" });
    }
    table.set_trailing_comma(false);
    table.set_trailing("");
}

fn tidy_array(array: &mut Array, shape: Option<&'static Shape>) {
    for (position, value) in array.iter_mut().enumerate() {
        tidy_line(value, shape);
        value.decor_mut().set_prefix(if position == 0 { "" } else { " " });
        value.decor_mut().set_suffix("");
    }
    array.set_trailing_comma(false);
    array.set_trailing("");
}
