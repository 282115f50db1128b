//! JSON in aligned columns, for people.

use singlet_design::Json;

/// Most characters of a cell; the rest is cut off.
const CELL_CHARACTERS_MAX: usize = 60;

/// An answer in columns: lists a row for each item, an object a row for each field, parts one below the other.
pub(crate) fn columns(answer: &Json) -> String {
    match answer {
        Json::Object(members) => match answer.get("items").and_then(Json::as_list) {
            Some(items) => list(items, answer.get("cursor").and_then(Json::as_text)),
            None if !members.is_empty() && members.iter().all(|(_, value)| is_answer(value)) => {
                let part = |(name, value): &(String, Json)| format!("{name}\n{}", indented(&columns(value)));
                members.iter().map(part).collect::<Vec<_>>().join("\n")
            }
            None => rows(members.iter().map(|(name, value)| vec![name.clone(), cell(value)]).collect()),
        },
        Json::List(elements) => list(elements, None),
        other => format!("{}\n", cell(other)),
    }
}

/// Whether a member is the answer of a part rather than a field: a list with its items.
fn is_answer(value: &Json) -> bool {
    value.get("items").and_then(Json::as_list).is_some()
}

fn list(items: &[Json], cursor: Option<&str>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in items.iter().filter_map(Json::as_object).flatten() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let mut text = if names.is_empty() {
        items.iter().map(|item| format!("{}\n", cell(item))).collect()
    } else {
        let head = names.iter().map(|name| (*name).to_owned()).collect();
        let row =
            |item: &Json| names.iter().map(|name| item.get(name).map(cell).unwrap_or_default()).collect();
        rows(std::iter::once(head).chain(items.iter().map(row)).collect())
    };
    text.push_str(&match items.len() {
        0 => "no items\n".to_owned(),
        1 => "1 item\n".to_owned(),
        count => format!("{count} items\n"),
    });
    if let Some(cursor) = cursor {
        text.push_str(&format!("more: --cursor {cursor}\n"));
    }
    text
}

fn rows(rows: Vec<Vec<String>>) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| length(cell)).max();
    let widths: Vec<usize> = (0..count).map(|column| width(column).unwrap_or_default()).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width + 2 - length(cell)));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn length(cell: &str) -> usize {
    cell.chars().count()
}

/// A value in one line: texts without quotes, control characters out of the way of the terminal.
fn cell(value: &Json) -> String {
    let text = match value {
        Json::Null => String::new(),
        Json::Text(text) => text.clone(),
        other => other.to_string(),
    };
    let clean = |character: char| if character.is_control() { ' ' } else { character };
    let mut cell: String = text.chars().map(clean).take(CELL_CHARACTERS_MAX + 1).collect();
    if length(&cell) > CELL_CHARACTERS_MAX {
        cell = cell.chars().take(CELL_CHARACTERS_MAX - 1).chain(['…']).collect();
    }
    cell
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: &str) -> String {
        columns(&json.parse().unwrap())
    }

    #[test]
    fn a_list_has_a_row_for_each_item_and_a_column_for_each_field() {
        let text = shown(
            r#"{"items": [{"id": "1", "name": "Phở bò"}, {"id": "22", "total": 9.50}], "cursor": "abc"}"#,
        );
        assert_eq!(text, "id  name    total\n1   Phở bò\n22          9.5\n2 items\nmore: --cursor abc\n");
        assert_eq!(shown(r#"{"items": []}"#), "no items\n");
    }

    #[test]
    fn an_item_has_a_row_for_each_field() {
        assert_eq!(shown(r#"{"id": "1", "tags": ["a", "b"]}"#), "id    1\ntags  [\"a\",\"b\"]\n");
    }

    #[test]
    fn parts_stand_below_each_other() {
        let text = shown(r#"{"a": {"items": [{"x": 1}]}, "b": {"items": []}}"#);
        assert_eq!(text, "a\n  x\n  1\n  1 item\n\nb\n  no items\n");
    }

    #[test]
    fn long_and_strange_texts_stay_in_their_cell() {
        let text = shown(&format!(r#"{{"long": "{}", "strange": "a\u001b[2Jb\nc"}}"#, "x".repeat(100)));
        assert!(text.contains(&format!("{}…", "x".repeat(59))) && text.contains("a [2Jb c"), "{text}");
    }
}
