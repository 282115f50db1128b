//! JSON in aligned columns, for people.

use singlet_design::Json;

use crate::counted::counted;
use crate::style::{HEAD, styled};
use crate::table::{Fit, Table};

/// An answer in columns within a width: a list has a row for each item, an object a row for each field, and parts stand
/// one below the other.
pub(crate) fn columns(answer: &Json, width: Option<usize>) -> String {
    match answer {
        Json::Object(members) => match answer.get("items").and_then(Json::as_list) {
            Some(items) => list(items, answer, width),
            None if members.iter().any(|(_, value)| is_list(value)) => {
                let inner = width.map(|width| width.saturating_sub(2));
                let part = |(name, value): &(String, Json)| {
                    format!("{}\n{}", styled(HEAD, name), indented(&columns(value, inner)))
                };
                members.iter().map(part).collect::<Vec<_>>().join("\n")
            }
            None => {
                let rows = members.iter().map(|(name, value)| vec![name.clone(), cell(value)]).collect();
                Table { head: Vec::new(), rows, fit: Fit::Shorten, is_ruled: false }.text(width)
            }
        },
        Json::List(elements) => list(elements, answer, width),
        other => format!("{}\n", cell(other)),
    }
}

/// Whether a member is the answer of a part rather than a field: a list with its items.
fn is_list(value: &Json) -> bool {
    value.get("items").and_then(Json::as_list).is_some()
}

fn list(items: &[Json], answer: &Json, width: Option<usize>) -> String {
    let mut head: Vec<String> = Vec::new();
    for (name, _) in items.iter().filter_map(Json::as_object).flatten() {
        if !head.contains(name) {
            head.push(name.clone());
        }
    }
    let mut text = if head.is_empty() {
        items.iter().map(|item| format!("{}\n", cell(item))).collect()
    } else {
        let row =
            |item: &Json| head.iter().map(|name| item.get(name).map(cell).unwrap_or_default()).collect();
        let rows = items.iter().map(row).collect();
        Table { head, rows, fit: Fit::Shorten, is_ruled: false }.text(width)
    };
    text.push_str(&match items.len() {
        0 => "no items\n".to_owned(),
        count => counted(count as u64, "item") + "\n",
    });
    for (label, name) in [("more", "cursor"), ("previous", "previous")] {
        let cursor = answer.get(name).and_then(Json::as_text);
        text.extend(cursor.map(|cursor| format!("{label}: --cursor {cursor}\n")));
    }
    text
}

/// A value in one line: texts without quotes, and no control characters that a terminal would obey.
fn cell(value: &Json) -> String {
    let text = match value {
        Json::Null => String::new(),
        Json::Text(text) => text.clone(),
        other => other.to_string(),
    };
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: &str) -> String {
        anstream::adapter::strip_str(&columns(&json.parse().unwrap(), Some(80))).to_string()
    }

    #[test]
    fn a_list_has_a_row_for_each_item_and_a_column_for_each_field() {
        let text = shown(
            r#"{"items": [{"id": "1", "name": "Phở bò"}, {"id": "22", "total": 9.50}], "cursor": "abc", "previous": "def"}"#,
        );
        assert_eq!(
            text,
            "id  name    total\n1   Phở bò\n22          9.5\n2 items\nmore: --cursor abc\nprevious: --cursor def\n"
        );
        assert_eq!(shown(r#"{"items": []}"#), "no items\n");
    }

    #[test]
    fn an_item_has_a_row_for_each_field() {
        assert_eq!(shown(r#"{"id": "1", "tags": ["a", "b"]}"#), "id    1\ntags  [\"a\",\"b\"]\n");
    }

    #[test]
    fn parts_stand_below_each_other() {
        let text = shown(r#"{"a": {"items": [{"x": 1}]}, "b": {"items": []}, "c": {"y": 2}, "d": true}"#);
        assert_eq!(text, "a\n  x\n  1\n  1 item\n\nb\n  no items\n\nc\n  y  2\n\nd\n  true\n");
    }

    #[test]
    fn long_and_strange_texts_stay_in_their_cell() {
        let json = format!(r#"{{"long": "{}", "strange": "a\u001b[2Jb\nc"}}"#, "x".repeat(100));
        let text = shown(&json);
        assert!(text.contains(&format!("{}…", "x".repeat(70))) && text.contains("a [2Jb c"), "{text}");
        let whole = columns(&json.parse().unwrap(), None);
        assert!(whole.contains(&"x".repeat(100)), "{whole}");
    }
}
