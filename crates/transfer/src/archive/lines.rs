//! The lines of a file of an archive.

use std::fs::File;
use std::io::{self, BufReader, Read, Take};
use std::path::Path;

use serde::Deserialize;
use singlet_engine::values::{EncodedItem, Item};
use singlet_wire::items::read_item_line;

use super::folder::ArchivedFile;
use crate::lines::{Line, Lines};
use crate::path::parts;
use crate::zstd::ZstdFrames;

/// Reads the lines of a file.
pub struct ArchiveLines {
    path: String,
    lines: Lines<ZstdFrames<BufReader<Take<File>>>>,
}

/// An archived item.
#[derive(Debug, Clone, PartialEq)]
pub struct ArchivedLine {
    /// The name of its entity.
    pub entity: String,
    /// Why it is gone: `delete` or `expire`.
    pub event: String,
    /// When it was deleted, in milliseconds since 1970.
    pub time_ms: u64,
    /// The item.
    pub item: Item,
}

impl ArchivedLine {
    /// Returns the item in its stored form.
    pub fn encoded(&self) -> EncodedItem {
        EncodedItem::encode(&self.item)
    }
}

#[derive(Deserialize)]
struct Head {
    #[serde(rename = "Entity")]
    entity: String,
    #[serde(rename = "Event")]
    event: String,
    #[serde(rename = "TimeMs")]
    time_ms: u64,
}

impl ArchiveLines {
    /// Opens a file of an archive. Batches that were appended since it was listed aren't read.
    pub fn open(folder: &Path, file: &ArchivedFile) -> io::Result<Self> {
        let inside = parts(&file.path).ok_or(io::ErrorKind::InvalidInput)?;
        let opened = File::open(folder.join(inside.join("/")))?;
        let frames = ZstdFrames::new(BufReader::new(opened.take(file.packed_bytes)));
        Ok(ArchiveLines { path: file.path.clone(), lines: Lines::new(frames) })
    }

    fn read(&mut self) -> io::Result<Option<ArchivedLine>> {
        let number = self.lines.number() + 1;
        let wrong = |path: &str, reason: &str| {
            io::Error::new(io::ErrorKind::InvalidData, format!("{path}, line {number}: {reason}"))
        };
        let line = match self.lines.next_line() {
            Ok(Line::Whole(line)) => line,
            Ok(Line::End) => return Ok(None),
            Ok(Line::TooLong | Line::Skipped) => return Err(wrong(&self.path, "the line is too long")),
            Err(error) => return Err(io::Error::new(error.kind(), format!("{}: {error}", self.path))),
        };
        let head: Head =
            serde_json::from_slice(line).map_err(|error| wrong(&self.path, &error.to_string()))?;
        let item = read_item_line(line).map_err(|reason| wrong(&self.path, &reason))?;
        let Head { entity, event, time_ms } = head;
        Ok(Some(ArchivedLine { entity, event, time_ms, item }))
    }
}

impl Iterator for ArchiveLines {
    type Item = io::Result<ArchivedLine>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}
