//! Comma-separated values as items.
//!
//! - Values are strings, except for attributes in a key of the table or an index. These have their declared type.
//! - An empty field is an empty string. An empty index key is left out, because a key can't be empty.
//! - A row may have fewer fields than there are columns. The item then lacks the other attributes.

use std::io::{self, Read};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use singlet_engine::values::{AttributeValue, Item, Number};
use singlet_engine::{AttributeDefinition, ScalarType};

use crate::header::lacks_key;

/// The size of a read.
const CHUNK_BYTES: usize = 64 << 10;
/// The longest row, without quotes. An item has at most 400 KB.
const ROW_BYTES_MAX: usize = 1 << 20;
/// The maximum number of fields in a row.
const FIELDS_MAX: usize = 65_536;
/// The number of bytes of an overlong row that one step skips.
const SKIP_BYTES_MAX: usize = 64 << 20;

/// The result of reading on.
#[derive(Debug)]
pub(crate) enum Row {
    Item(Item),
    /// A row that isn't an item, and why.
    Bad(String),
    /// The names of the columns can't be read, so no row of the object can.
    BadHeader(String),
    /// A part of an overlong row was skipped.
    Skipped,
    End,
}

/// Reads rows of an object.
pub(crate) struct Rows<R> {
    source: R,
    reader: Reader,
    input: Vec<u8>,
    /// The input that hasn't been consumed yet.
    next: usize,
    is_at_end: bool,
    output: Vec<u8>,
    output_bytes: usize,
    ends: Vec<usize>,
    fields: usize,
    skipping: bool,
    line: u64,
    columns: Option<Vec<Column>>,
    types: Vec<AttributeDefinition>,
    /// The attributes of the table's key.
    key: Vec<String>,
    /// Why no row can be an item, if the columns lack an attribute of the key.
    lacks_key: Option<String>,
}

/// A column: an attribute and its type, if a key uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Column {
    name: String,
    scalar: Option<ScalarType>,
}

/// The outcome of reading a row.
enum Reached {
    Row,
    TooLong,
    Skipped,
    End,
}

impl<R: Read> Rows<R> {
    /// Reads an object. Without a header, the object's first row has the names.
    pub(crate) fn new(
        source: R,
        delimiter: u8,
        header: Option<&[String]>,
        types: &[AttributeDefinition],
        key: &[String],
    ) -> Self {
        let mut rows = Rows {
            source,
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            input: Vec::new(),
            next: 0,
            is_at_end: false,
            output: vec![0; CHUNK_BYTES],
            output_bytes: 0,
            ends: vec![0; 64],
            fields: 0,
            skipping: false,
            line: 1,
            columns: None,
            types: types.to_vec(),
            key: key.to_vec(),
            lacks_key: None,
        };
        if let Some(names) = header {
            rows.set_columns(names.iter().map(|name| rows.column(name.clone())).collect());
        }
        rows
    }

    fn set_columns(&mut self, columns: Vec<Column>) {
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        self.lacks_key = lacks_key(&names, &self.key);
        self.columns = Some(columns);
    }

    /// The number of the line on which the last row begins, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// The next row.
    pub(crate) fn next_row(&mut self) -> io::Result<Row> {
        loop {
            match self.read()? {
                Reached::End => return Ok(Row::End),
                Reached::Skipped => return Ok(Row::Skipped),
                Reached::TooLong if self.columns.is_none() => {
                    return Ok(Row::BadHeader("the row with the names is too long".to_owned()));
                }
                Reached::TooLong => {
                    return Ok(Row::Bad(format!(
                        "the row has more than {ROW_BYTES_MAX} bytes or {FIELDS_MAX} fields; is a quote not closed?"
                    )));
                }
                Reached::Row => {}
            }
            let Some(columns) = &self.columns else {
                match self.header() {
                    Ok(columns) => self.set_columns(columns),
                    Err(reason) => return Ok(Row::BadHeader(reason)),
                }
                continue;
            };
            if let Some(reason) = &self.lacks_key {
                return Ok(Row::Bad(reason.clone()));
            }
            return Ok(match self.item(columns) {
                Ok(item) => Row::Item(item),
                Err(reason) => Row::Bad(reason),
            });
        }
    }

    fn column(&self, name: String) -> Column {
        let scalar = self.types.iter().find(|known| known.name == name).map(|known| known.scalar);
        Column { name, scalar }
    }

    fn header(&self) -> Result<Vec<Column>, String> {
        let mut columns: Vec<Column> = Vec::new();
        for (place, field) in self.row_fields().enumerate() {
            // Some programs write a byte order mark.
            let field = if place == 0 { field.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(field) } else { field };
            let name = std::str::from_utf8(field).map_err(|_| "a name of a column is not UTF-8")?;
            if name.is_empty() {
                return Err(format!("column {} has no name", place + 1));
            }
            if columns.iter().any(|column| column.name == name) {
                return Err(format!("there are two columns {name:?}"));
            }
            columns.push(self.column(name.to_owned()));
        }
        Ok(columns)
    }

    fn row_fields(&self) -> impl Iterator<Item = &[u8]> {
        let ends = self.ends.get(..self.fields).unwrap_or_default();
        let starts = std::iter::once(&0).chain(ends);
        starts.zip(ends).map(|(start, end)| self.output.get(*start..*end).unwrap_or_default())
    }

    fn item(&self, columns: &[Column]) -> Result<Item, String> {
        if self.fields > columns.len() {
            return Err(format!(
                "the row has {} fields, but there are {} columns",
                self.fields,
                columns.len()
            ));
        }
        let mut item = Item::new();
        for (column, field) in columns.iter().zip(self.row_fields()) {
            let text = std::str::from_utf8(field).map_err(|_| format!("{:?} is not UTF-8", column.name))?;
            let value = match column.scalar {
                None => AttributeValue::S(text.to_owned()),
                // A key can't be empty. Without it, the item isn't in the index.
                Some(_) if text.is_empty() => continue,
                Some(ScalarType::S) => AttributeValue::S(text.to_owned()),
                Some(ScalarType::N) => AttributeValue::N(
                    text.parse::<Number>().map_err(|error| format!("{:?}: {error}", column.name))?,
                ),
                Some(ScalarType::B) => AttributeValue::B(
                    STANDARD
                        .decode(text)
                        .map_err(|error| format!("{:?} is not base64: {error}", column.name))?,
                ),
            };
            item.insert(column.name.clone(), value);
        }
        Ok(item)
    }

    /// Reads a row into the output buffer, within the limits.
    fn read(&mut self) -> io::Result<Reached> {
        (self.output_bytes, self.fields) = (0, 0);
        self.line = self.reader.line();
        let mut skipped = 0;
        loop {
            if self.next == self.input.len() && !self.is_at_end {
                self.fill()?;
            }
            let input = self.input.get(self.next..).unwrap_or_default();
            let (result, read, bytes, fields) = self.reader.read_record(
                input,
                self.output.get_mut(self.output_bytes..).unwrap_or_default(),
                self.ends.get_mut(self.fields..).unwrap_or_default(),
            );
            self.next += read;
            skipped += read;
            self.output_bytes += bytes;
            self.fields += fields;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull if self.skipping => {
                    (self.output_bytes, self.fields) = (0, 0);
                }
                ReadRecordResult::OutputFull if self.output.len() < ROW_BYTES_MAX => {
                    self.output.resize(self.output.len() * 2, 0);
                }
                ReadRecordResult::OutputEndsFull if self.ends.len() < FIELDS_MAX => {
                    self.ends.resize(self.ends.len() * 2, 0);
                }
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    self.skipping = true;
                    return Ok(Reached::TooLong);
                }
                ReadRecordResult::Record if self.skipping => {
                    self.skipping = false;
                    (self.output_bytes, self.fields) = (0, 0);
                    self.line = self.reader.line();
                }
                ReadRecordResult::Record => return Ok(Reached::Row),
                ReadRecordResult::End => return Ok(Reached::End),
            }
            if self.skipping && skipped > SKIP_BYTES_MAX {
                return Ok(Reached::Skipped);
            }
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.input.resize(CHUNK_BYTES, 0);
        self.next = 0;
        let read = loop {
            match self.source.read(&mut self.input) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.input.truncate(*read.as_ref().unwrap_or(&0));
        self.is_at_end = read? == 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types() -> Vec<AttributeDefinition> {
        let define = |name: &str, scalar| AttributeDefinition { name: name.to_owned(), scalar };
        vec![define("id", ScalarType::S), define("n", ScalarType::N), define("b", ScalarType::B)]
    }

    /// Each row as an item or a reason.
    fn rows(text: &[u8], delimiter: u8, header: Option<&[String]>) -> Vec<Result<Item, String>> {
        let mut rows = Rows::new(text, delimiter, header, &types(), &[]);
        let mut found = Vec::new();
        loop {
            match rows.next_row().unwrap() {
                Row::Item(item) => found.push(Ok(item)),
                Row::Bad(reason) => found.push(Err(reason)),
                Row::BadHeader(reason) => {
                    found.push(Err(reason));
                    return found;
                }
                Row::Skipped => {}
                Row::End => return found,
            }
        }
    }

    fn item(members: &[(&str, &str)]) -> Item {
        members.iter().map(|(name, value)| (*name, *value)).collect()
    }

    #[test]
    fn quotes_line_ends_and_separators_inside_fields_belong_to_them() {
        let text = b"\xEF\xBB\xBFid,text\r\n1,\"a, \"\"b\"\"\r\nc\"\r\n2,plain\r\n\r\n3,\"\"\n4,caf\xC3\xA9";
        let expected = [
            item(&[("id", "1"), ("text", "a, \"b\"\r\nc")]),
            item(&[("id", "2"), ("text", "plain")]),
            item(&[("id", "3"), ("text", "")]),
            item(&[("id", "4"), ("text", "café")]),
        ];
        assert_eq!(rows(text, b',', None), expected.map(Ok));
    }

    #[test]
    fn keys_have_their_types_and_everything_else_is_a_string() {
        let found = rows(b"id;n;b;m\nx;1.50;AAE=;7\n", b';', None);
        let mut expected = item(&[("id", "x"), ("m", "7")]);
        expected.insert("n", "1.5".parse::<Number>().unwrap());
        expected.insert("b", AttributeValue::B(vec![0, 1]));
        assert_eq!(found, [Ok(expected)]);
        for row in ["x;one;;", "x;;no base64;", "x; 1;;"] {
            let found = rows(format!("id;n;b;m\n{row}\n").as_bytes(), b';', None);
            assert!(found[0].is_err(), "{row}");
        }
    }

    #[test]
    fn fields_may_lack_at_the_end_but_not_be_too_many() {
        let found = rows(b"id,n,x,y\na,,\nb,2,3,4,5\nc\n", b',', None);
        assert_eq!(found[0], Ok(item(&[("id", "a"), ("x", "")])));
        assert!(found[1].as_ref().unwrap_err().contains("5 fields"));
        assert_eq!(found[2], Ok(item(&[("id", "c")])));
    }

    #[test]
    fn with_names_given_the_first_row_is_an_item() {
        let header = ["id".to_owned(), "x".to_owned()];
        assert_eq!(
            rows(b"id\tx\na\tb\n", b'\t', Some(&header)),
            [Ok(item(&[("id", "id"), ("x", "x")])), Ok(item(&[("id", "a"), ("x", "b")]))]
        );
    }

    #[test]
    fn names_that_can_not_be_told_apart_end_the_object() {
        for text in ["id,id\n1,2\n", "id,,x\n1,2,3\n"] {
            let found = rows(text.as_bytes(), b',', None);
            assert!(found.len() == 1 && found[0].is_err(), "{text}");
        }
        assert!(rows(b"", b',', None).is_empty());
    }

    #[test]
    fn a_quote_that_is_not_closed_takes_bounded_memory() {
        let mut text = b"id,x\n1,\"".to_vec();
        text.extend_from_slice(&vec![b'y'; 5 << 20]);
        text.extend_from_slice(b"\"\n2,z\n");
        let found = rows(&text, b',', None);
        assert!(found[0].as_ref().unwrap_err().contains("quote"));
        assert_eq!(found[1..], [Ok(item(&[("id", "2"), ("x", "z")]))]);
    }
}
