//! The closed list of targets.

use std::sync::{Mutex, PoisonError};

use crate::memory::peak_bytes;
use crate::{panics, targets};

/// Allocators count for the whole process: one run at a time.
static RUNNING: Mutex<()> = Mutex::new(());

/// A place where bytes of others come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Numbers as text and as bytes, and their arithmetic.
    Number,
    /// The stored bytes of an item, and of keys.
    Item,
    /// JSON that becomes items and values.
    Json,
    /// Expressions, on items.
    Expression,
    /// Statements of PartiQL.
    Statement,
    /// Calls of the protocol, on a database.
    Request,
    /// Cursors, start keys and shard iterators.
    Cursor,
    /// Files of an import.
    Import,
    /// Design files.
    Design,
    /// The files of a database.
    Folder,
    /// Bytes on a connection.
    Http,
}

impl Target {
    /// Every target, from the inside outwards.
    pub const ALL: &'static [Target] = &[
        Target::Number,
        Target::Item,
        Target::Json,
        Target::Expression,
        Target::Statement,
        Target::Request,
        Target::Cursor,
        Target::Import,
        Target::Design,
        Target::Folder,
        Target::Http,
    ];

    /// The name on the command line, and of the folder of its corpus.
    pub fn name(self) -> &'static str {
        match self {
            Target::Number => "number",
            Target::Item => "item",
            Target::Json => "json",
            Target::Expression => "expression",
            Target::Statement => "statement",
            Target::Request => "request",
            Target::Cursor => "cursor",
            Target::Import => "import",
            Target::Design => "design",
            Target::Folder => "folder",
            Target::Http => "http",
        }
    }

    /// The target of this name.
    pub fn from_name(name: &str) -> Option<Target> {
        Target::ALL.iter().copied().find(|target| target.name() == name)
    }

    /// Inputs need not be longer.
    pub fn input_bytes_max(self) -> usize {
        match self {
            Target::Number => 600,
            Target::Item
            | Target::Expression
            | Target::Statement
            | Target::Cursor
            | Target::Import
            | Target::Folder => 6_000,
            Target::Json | Target::Request | Target::Design => 20_000,
            Target::Http => 40_000,
        }
    }

    /// Memory that a run may take whatever its input is, and for each byte of it.
    fn memory_bytes_max(self, input: &[u8]) -> usize {
        let (fixed, per_byte) = match self {
            Target::Number => (1 << 20, 64),
            Target::Item | Target::Json => (1 << 20, 1_000),
            Target::Expression | Target::Statement => (4 << 20, 2_000),
            Target::Design => (32 << 20, 4_000),
            Target::Folder => (targets::folder::memory_bytes_max(input), 1_000),
            Target::Request | Target::Cursor | Target::Import | Target::Http => (64 << 20, 1_000),
        };
        fixed + per_byte * input.len()
    }

    /// Runs one input. Panics if it breaks a promise, also those of bounded memory and of threads that don't panic.
    pub fn run(self, input: &[u8]) {
        let _alone = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        panics::watch();
        panics::take();
        let ((), peak) = peak_bytes(|| self.run_unbounded(input));
        let panics = panics::take();
        assert!(panics.is_empty(), "a thread panicked: {panics:?}");
        let most = self.memory_bytes_max(input);
        assert!(peak <= most, "{peak} bytes were allocated for an input of {}", input.len());
    }

    fn run_unbounded(self, input: &[u8]) {
        match self {
            Target::Number => targets::number::run(input),
            Target::Item => targets::item::run(input),
            Target::Json => targets::json::run(input),
            Target::Expression => targets::expression::run(input),
            Target::Statement => targets::statement::run(input),
            Target::Request => targets::request::run(input),
            Target::Cursor => targets::cursor::run(input),
            Target::Import => targets::import::run(input),
            Target::Design => targets::design::run(input),
            Target::Folder => targets::folder::run(input),
            Target::Http => targets::http::run(input),
        }
    }
}
