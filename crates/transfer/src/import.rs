//! Reads the objects of an import one after the other.

use std::cell::Cell;
use std::io::Read;
use std::rc::Rc;

use singlet_engine::{
    AttributeDefinition, ImportCompression, ImportDescription, ImportFormat, ImportReader, ImportStep,
    TransferFailure,
};
use singlet_wire::items::read_item_line;

use crate::csv::{Row, Rows};
use crate::lines::{Line, Lines};
use crate::objects::{CountingReader, Object};

/// An import that is being read.
pub(crate) struct Import {
    objects: std::vec::IntoIter<Object>,
    format: ImportFormat,
    compression: ImportCompression,
    types: Vec<AttributeDefinition>,
    /// The attributes of the table's key.
    key: Vec<String>,
    open: Option<Open>,
    /// Key and line of the last step.
    place: (String, u64),
    read_bytes: Rc<Cell<u64>>,
    stored_bytes: Rc<Cell<u64>>,
    stored_bytes_total: u64,
}

/// An object's bytes, decompressed and counted.
type Source = CountingReader<Box<dyn Read>>;

/// The object that is being read.
enum Open {
    Json(Lines<Source>),
    Csv(Box<Rows<Source>>),
}

impl Import {
    /// An import of these objects.
    pub(crate) fn of(objects: Vec<Object>, import: &ImportDescription) -> Self {
        Import {
            stored_bytes_total: objects.iter().map(|object| object.bytes).sum(),
            objects: objects.into_iter(),
            format: import.format.clone(),
            compression: import.compression,
            types: import.table.attributes.clone(),
            key: import.table.key.partition.iter().chain(&import.table.key.sort).cloned().collect(),
            open: None,
            place: (String::new(), 0),
            read_bytes: Rc::default(),
            stored_bytes: Rc::default(),
        }
    }

    /// Opens the next object; `None` after the last.
    fn open_next(&mut self) -> Result<Option<Open>, TransferFailure> {
        let Some(object) = self.objects.next() else { return Ok(None) };
        let inner = object.open(self.compression, &self.stored_bytes)?;
        self.place = (object.key, 0);
        let source = CountingReader::new(inner, &self.read_bytes);
        Ok(Some(match &self.format {
            ImportFormat::DynamoDbJson => Open::Json(Lines::new(source)),
            ImportFormat::Csv { delimiter, header } => Open::Csv(Box::new(Rows::new(
                source,
                delimiter.unwrap_or(b','),
                header.as_deref(),
                &self.types,
                &self.key,
            ))),
        }))
    }
}

/// The result of a step, and whether the object has more.
enum Took {
    Step(ImportStep),
    Last(ImportStep),
    End,
}

impl Open {
    fn step(&mut self) -> std::io::Result<Took> {
        match self {
            Open::Json(lines) => json_step(lines),
            Open::Csv(rows) => Ok(match rows.next_row()? {
                Row::Item(item) => Took::Step(ImportStep::Item(item)),
                Row::Bad(reason) => Took::Step(ImportStep::Bad(reason)),
                Row::BadHeader(reason) => Took::Last(ImportStep::Bad(reason)),
                Row::Skipped => Took::Step(ImportStep::Nothing),
                Row::End => Took::End,
            }),
        }
    }

    fn line(&self) -> u64 {
        match self {
            Open::Json(lines) => lines.number(),
            Open::Csv(rows) => rows.line(),
        }
    }
}

fn json_step(lines: &mut Lines<Source>) -> std::io::Result<Took> {
    let is_first = lines.number() == 0;
    Ok(Took::Step(match lines.next_line()? {
        Line::Whole(line) => {
            // Some programs write a byte order mark.
            let line = if is_first { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
            if line.trim_ascii().is_empty() {
                ImportStep::Nothing
            } else {
                read_item_line(line).map_or_else(ImportStep::Bad, ImportStep::Item)
            }
        }
        Line::TooLong => ImportStep::Bad("the line is longer than any item".to_owned()),
        Line::Skipped => ImportStep::Nothing,
        Line::End => return Ok(Took::End),
    }))
}

impl ImportReader for Import {
    fn step(&mut self) -> Result<Option<ImportStep>, TransferFailure> {
        let mut open = match self.open.take() {
            Some(open) => open,
            None => match self.open_next()? {
                Some(open) => open,
                None => return Ok(None),
            },
        };
        let took = open.step();
        self.place.1 = open.line();
        Ok(Some(match took {
            Ok(Took::Step(step)) => {
                self.open = Some(open);
                step
            }
            Ok(Took::Last(step)) => step,
            Ok(Took::End) => ImportStep::Nothing,
            // The object isn't damaged. Compressed with other options, all of it can be imported.
            Err(error) if error.kind() == std::io::ErrorKind::Unsupported => {
                let message = format!("can't read the object {}: {error}", self.place.0);
                return Err(TransferFailure::new("UnsupportedCompression", message));
            }
            // The rest of this object is lost, but the other objects can be read.
            Err(error) => ImportStep::Bad(format!("the rest of the object can't be read: {error}")),
        }))
    }

    fn place(&self) -> String {
        format!("{}, line {}", self.place.0, self.place.1)
    }

    fn read_bytes(&self) -> u64 {
        self.read_bytes.get()
    }

    fn stored_bytes(&self) -> (u64, u64) {
        (self.stored_bytes.get(), self.stored_bytes_total)
    }
}
