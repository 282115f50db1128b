//! An answer as a file: what the page shows, as CSV or JSON.

use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use singlet_design::Json;
use singlet_run::{Outcome, Record};

/// The name of the pair that asks for a file.
pub(super) const EXPORT: &str = ".export";

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Csv,
    Json,
}

impl FileKind {
    pub(super) const ALL: [FileKind; 2] = [FileKind::Csv, FileKind::Json];

    pub(super) fn word(self) -> &'static str {
        match self {
            FileKind::Csv => "csv",
            FileKind::Json => "json",
        }
    }

    /// The kind that an address asks for.
    pub(super) fn of(pairs: &[(String, String)]) -> Option<FileKind> {
        let word = pairs.iter().find(|(name, _)| name == EXPORT).map(|(_, word)| word.as_str())?;
        FileKind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// The records of an answer that is a list, or one item.
fn records(outcome: &Outcome) -> Option<Vec<Json>> {
    let all = |records: &[Record]| Some(records.iter().map(Record::to_json).collect());
    match outcome {
        Outcome::Items { records, .. } | Outcome::Gathered { records, .. } => all(records),
        Outcome::Item(Some(record)) => all(std::slice::from_ref(record)),
        _ => None,
    }
}

/// An answer as a file. Answers that aren't lists have no CSV.
pub(super) fn file(outcome: &Outcome, kind: FileKind, pattern: &str) -> Option<Response> {
    let (text, content_type) = match kind {
        FileKind::Json => (format!("{:#}\n", outcome.to_json()), "application/json"),
        FileKind::Csv => (csv(&records(outcome)?), "text/csv; charset=utf-8"),
    };
    let disposition = format!("attachment; filename=\"{pattern}.{}\"", kind.word());
    let disposition = HeaderValue::from_str(&disposition).ok()?;
    let headers =
        [(CONTENT_TYPE, HeaderValue::from_static(content_type)), (CONTENT_DISPOSITION, disposition)];
    Some((headers, text).into_response())
}

/// Rows with a column for each field that any of them has. Strings are as they are, and other values are JSON.
fn csv(rows: &[Json]) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().filter_map(Json::as_object).flatten() {
        if !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    let mut text = line(columns.iter().map(|name| (*name).to_owned()));
    for row in rows {
        text += &line(columns.iter().map(|name| match row.get(name) {
            None | Some(Json::Null) => String::new(),
            Some(Json::Text(text)) => text.clone(),
            Some(other) => other.to_string(),
        }));
    }
    text
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let quoted = |cell: String| match cell.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    };
    cells.map(quoted).collect::<Vec<_>>().join(",") + "\r\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let rows: Vec<Json> = [r#"{"a":"x,\"y\"","n":1.5}"#, r#"{"l":[1],"a":"two\nlines"}"#]
            .map(|row| row.parse().expect("JSON"))
            .into();
        assert_eq!(csv(&rows), "a,n,l\r\n\"x,\"\"y\"\"\",1.5,\r\n\"two\nlines\",,[1]\r\n");
    }
}
