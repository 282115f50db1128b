//! The row of an export or import, under its id.

use bytes::Bytes;
use singlet_values::{AttributeValue, EncodedItem, Item, Number};
use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128};

use crate::catalogue::Catalogue;
use crate::keyspace::RowSpace;
use crate::request::{
    BucketPlace, ExportDescription, ExportKind, ExportView, ExportWritten, ImportCompression, ImportCounts,
    ImportDescription, ImportFormat, TransferFailure, TransferStatus,
};
use crate::store::Tally;
use crate::table::Table;

/// The kind of a transfer, which is the first byte of its row key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransferKind {
    Export,
    Import,
}

/// The first byte of the rows of tokens.
const TOKENS: u8 = b't';

impl TransferKind {
    fn byte(self) -> u8 {
        match self {
            TransferKind::Export => b'e',
            TransferKind::Import => b'i',
        }
    }

    /// The part of an ARN between table and id.
    fn arn_part(self) -> &'static str {
        match self {
            TransferKind::Export => "/export/",
            TransferKind::Import => "/import/",
        }
    }

    /// The resource name.
    pub(crate) fn arn(self, table_arn: &str, id: &str) -> String {
        format!("{table_arn}{}{id}", self.arn_part())
    }

    /// The id in an ARN, or the id itself.
    pub(crate) fn id_in(self, arn: &str) -> &str {
        arn.rsplit_once(self.arn_part()).map_or(arn, |(_, id)| id)
    }

    /// The row of a transfer.
    pub(crate) fn row(self, id: &str) -> Bytes {
        RowSpace::transfers().key(&[&[self.byte()], id.as_bytes()].concat())
    }

    /// The end of all rows of this kind.
    pub(crate) fn end(self) -> Bytes {
        RowSpace::transfers().key(&[self.byte() + 1])
    }

    /// The row that maps a caller's token to the id.
    pub(crate) fn token_row(self, text: &str) -> Bytes {
        RowSpace::transfers()
            .key(&[&[TOKENS, self.byte()], xxh3_128(text.as_bytes()).to_be_bytes().as_slice()].concat())
    }
}

/// The beginning of the rows of tokens.
pub(crate) fn tokens_start() -> Bytes {
    RowSpace::transfers().key(&[TOKENS])
}

/// Returns an id in DynamoDB's form. `turn` distinguishes ids that would be equal.
pub(crate) fn transfer_id(table_id: &str, sequence: u64, time_ms: u64, turn: u64) -> String {
    let seed = sequence.rotate_left(17) ^ turn;
    let hash = xxh3_64_with_seed(table_id.as_bytes(), seed) & 0xffff_ffff;
    format!("{time_ms:014}-{hash:08x}")
}

/// A transfer, and the hash of the request with which its token was used.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TransferRecord<T> {
    pub(crate) transfer: T,
    pub(crate) fingerprint: u128,
}

/// The common part of exports and imports.
pub(crate) trait Transfer: Clone + Sized {
    const KIND: TransferKind;
    fn id(&self) -> &str;
    fn arn(&self) -> &str;
    fn table_arn(&self) -> &str;
    fn token(&self) -> Option<&str>;
    fn status(&self) -> TransferStatus;
    fn ended_ms(&self) -> Option<u64>;
    fn started_ms(&self) -> u64;
    fn fail(&mut self, failure: TransferFailure, ended_ms: u64);
    fn write(&self, fields: &mut Fields);
    fn read(fields: &Fields) -> Option<Self>;
}

impl<T: Transfer> TransferRecord<T> {
    /// The row's key.
    pub(crate) fn row(&self) -> Bytes {
        T::KIND.row(self.transfer.id())
    }

    /// The row's value.
    pub(crate) fn encode(&self) -> Bytes {
        let mut fields = Fields(Item::new());
        fields.binary("fingerprint", self.fingerprint.to_be_bytes().to_vec());
        self.transfer.write(&mut fields);
        EncodedItem::encode(&fields.0).into_bytes()
    }

    /// Decodes a row; `None` if it is invalid.
    pub(crate) fn decode(row: Bytes) -> Option<Self> {
        let fields = Fields(EncodedItem::from_bytes(row).decode().ok()?);
        let fingerprint = u128::from_be_bytes(fields.get_binary("fingerprint")?.try_into().ok()?);
        Some(TransferRecord { transfer: T::read(&fields)?, fingerprint })
    }
}

/// The fields of a row.
pub(crate) struct Fields(Item);

impl Fields {
    fn number(&mut self, name: &'static str, value: u64) {
        self.0.insert(name, AttributeValue::N(Number::from(value)));
    }

    fn numbers(&mut self, values: &[(&'static str, u64)]) {
        values.iter().for_each(|(name, value)| self.number(name, *value));
    }

    fn text(&mut self, name: &'static str, value: &str) {
        self.0.insert(name, value);
    }

    fn option(&mut self, name: &'static str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    fn texts(&mut self, name: &'static str, values: &[String]) {
        let values = values.iter().map(|value| AttributeValue::S(value.clone())).collect();
        self.0.insert(name, AttributeValue::L(values));
    }

    fn binary(&mut self, name: &'static str, value: Vec<u8>) {
        self.0.insert(name, AttributeValue::B(value));
    }

    fn get_number(&self, name: &str) -> Option<u64> {
        match self.0.get(name)? {
            AttributeValue::N(number) => number.to_string().parse().ok(),
            _ => None,
        }
    }

    fn get_text(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            AttributeValue::S(text) => Some(text.clone()),
            _ => None,
        }
    }

    fn get_texts(&self, name: &str) -> Option<Vec<String>> {
        let AttributeValue::L(values) = self.0.get(name)? else { return None };
        values
            .iter()
            .map(|value| match value {
                AttributeValue::S(text) => Some(text.clone()),
                _ => None,
            })
            .collect()
    }

    fn get_binary(&self, name: &str) -> Option<Vec<u8>> {
        match self.0.get(name)? {
            AttributeValue::B(bytes) => Some(bytes.clone()),
            _ => None,
        }
    }

    fn place(&mut self, place: &BucketPlace) {
        self.text("bucket", &place.bucket);
        self.option("owner", place.owner.as_deref());
        self.option("prefix", place.prefix.as_deref());
    }

    fn get_place(&self) -> Option<BucketPlace> {
        Some(BucketPlace {
            bucket: self.get_text("bucket")?,
            owner: self.get_text("owner"),
            prefix: self.get_text("prefix"),
        })
    }

    /// Status, end and failure.
    fn end(&mut self, status: TransferStatus, ended_ms: Option<u64>, failure: Option<&TransferFailure>) {
        self.text("status", status_word(status));
        if let Some(ended_ms) = ended_ms {
            self.number("ended_ms", ended_ms);
        }
        if let Some(failure) = failure {
            self.text("failure_code", &failure.code);
            self.text("failure", &failure.message);
        }
    }

    fn get_status(&self) -> Option<TransferStatus> {
        match self.get_text("status")?.as_str() {
            "in progress" => Some(TransferStatus::InProgress),
            "completed" => Some(TransferStatus::Completed),
            "failed" => Some(TransferStatus::Failed),
            _ => None,
        }
    }

    fn get_failure(&self) -> Option<TransferFailure> {
        Some(TransferFailure::new(self.get_text("failure_code")?, self.get_text("failure")?))
    }
}

fn status_word(status: TransferStatus) -> &'static str {
    match status {
        TransferStatus::InProgress => "in progress",
        TransferStatus::Completed => "completed",
        TransferStatus::Failed => "failed",
    }
}

impl Transfer for ExportDescription {
    const KIND: TransferKind = TransferKind::Export;

    fn id(&self) -> &str {
        &self.id
    }

    fn arn(&self) -> &str {
        &self.arn
    }

    fn table_arn(&self) -> &str {
        &self.table_arn
    }

    fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    fn status(&self) -> TransferStatus {
        self.status
    }

    fn ended_ms(&self) -> Option<u64> {
        self.ended_ms
    }

    fn started_ms(&self) -> u64 {
        self.started_ms
    }

    fn fail(&mut self, failure: TransferFailure, ended_ms: u64) {
        self.status = TransferStatus::Failed;
        self.failure = Some(failure);
        self.ended_ms = Some(ended_ms);
    }

    fn write(&self, fields: &mut Fields) {
        fields.text("id", &self.id);
        fields.number("started_ms", self.started_ms);
        fields.end(self.status, self.ended_ms, self.failure.as_ref());
        fields.text("table_arn", &self.table_arn);
        fields.text("table_id", &self.table_id);
        fields.texts("key", &self.key_attributes);
        match self.kind {
            ExportKind::Full { time_ms } => fields.number("time_ms", time_ms.unwrap_or_default()),
            ExportKind::Incremental { from_ms, to_ms, view } => {
                fields.numbers(&[("from_ms", from_ms), ("to_ms", to_ms.unwrap_or_default())]);
                fields.text("view", view_word(view));
            }
        }
        fields.place(&self.destination);
        fields.option("encryption", self.encryption.as_deref());
        fields.option("token", self.token.as_deref());
        if let Some(ExportWritten { manifest, items, size_bytes }) = &self.written {
            fields.text("manifest", manifest);
            fields.numbers(&[("items", *items), ("size_bytes", *size_bytes)]);
        }
    }

    fn read(fields: &Fields) -> Option<Self> {
        let (id, table_arn) = (fields.get_text("id")?, fields.get_text("table_arn")?);
        let kind = match fields.get_number("time_ms") {
            Some(time_ms) => ExportKind::Full { time_ms: Some(time_ms) },
            None => ExportKind::Incremental {
                from_ms: fields.get_number("from_ms")?,
                to_ms: Some(fields.get_number("to_ms")?),
                view: match fields.get_text("view")?.as_str() {
                    NEW_IMAGE => ExportView::NewImage,
                    _ => ExportView::NewAndOldImages,
                },
            },
        };
        let written = match fields.get_text("manifest") {
            Some(manifest) => Some(ExportWritten {
                manifest,
                items: fields.get_number("items")?,
                size_bytes: fields.get_number("size_bytes")?,
            }),
            None => None,
        };
        Some(ExportDescription {
            arn: Self::KIND.arn(&table_arn, &id),
            id,
            status: fields.get_status()?,
            started_ms: fields.get_number("started_ms")?,
            ended_ms: fields.get_number("ended_ms"),
            table_arn,
            table_id: fields.get_text("table_id")?,
            key_attributes: fields.get_texts("key")?,
            kind,
            destination: fields.get_place()?,
            encryption: fields.get_text("encryption"),
            token: fields.get_text("token"),
            written,
            failure: fields.get_failure(),
        })
    }
}

const NEW_IMAGE: &str = "new";

fn view_word(view: ExportView) -> &'static str {
    match view {
        ExportView::NewImage => NEW_IMAGE,
        ExportView::NewAndOldImages => "new and old",
    }
}

/// An import as it is stored: with the table instead of its description.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Import {
    pub(crate) id: String,
    pub(crate) arn: String,
    pub(crate) status: TransferStatus,
    pub(crate) started_ms: u64,
    pub(crate) ended_ms: Option<u64>,
    pub(crate) table: Table,
    pub(crate) source: BucketPlace,
    pub(crate) format: ImportFormat,
    pub(crate) compression: ImportCompression,
    pub(crate) token: Option<String>,
    pub(crate) counts: ImportCounts,
    pub(crate) failure: Option<TransferFailure>,
}

impl Import {
    /// Describes the import for users.
    pub(crate) fn describe(&self, catalogue: &Catalogue) -> ImportDescription {
        ImportDescription {
            arn: self.arn.clone(),
            id: self.id.clone(),
            status: self.status,
            started_ms: self.started_ms,
            ended_ms: self.ended_ms,
            table: catalogue.describe(&self.table, |_| Tally::default()),
            source: self.source.clone(),
            format: self.format.clone(),
            compression: self.compression,
            token: self.token.clone(),
            counts: self.counts,
            failure: self.failure.clone(),
        }
    }
}

impl Transfer for Import {
    const KIND: TransferKind = TransferKind::Import;

    fn id(&self) -> &str {
        &self.id
    }

    fn arn(&self) -> &str {
        &self.arn
    }

    fn table_arn(&self) -> &str {
        &self.table.arn
    }

    fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    fn status(&self) -> TransferStatus {
        self.status
    }

    fn ended_ms(&self) -> Option<u64> {
        self.ended_ms
    }

    fn started_ms(&self) -> u64 {
        self.started_ms
    }

    fn fail(&mut self, failure: TransferFailure, ended_ms: u64) {
        self.status = TransferStatus::Failed;
        self.failure = Some(failure);
        self.ended_ms = Some(ended_ms);
    }

    fn write(&self, fields: &mut Fields) {
        fields.text("id", &self.id);
        fields.number("started_ms", self.started_ms);
        fields.end(self.status, self.ended_ms, self.failure.as_ref());
        fields.binary("table", self.table.encode().as_bytes().to_vec());
        fields.place(&self.source);
        match &self.format {
            ImportFormat::DynamoDbJson => fields.text("format", JSON),
            ImportFormat::Csv { delimiter, header } => {
                fields.text("format", CSV);
                if let Some(delimiter) = delimiter {
                    fields.number("delimiter", u64::from(*delimiter));
                }
                if let Some(header) = header {
                    fields.texts("header", header);
                }
            }
        }
        fields.text(
            "compression",
            match self.compression {
                ImportCompression::None => "none",
                ImportCompression::Gzip => GZIP,
                ImportCompression::Zstd => ZSTD,
            },
        );
        fields.option("token", self.token.as_deref());
        let ImportCounts { processed_bytes, processed_items, imported_items, errors } = self.counts;
        fields.numbers(&[
            ("processed_bytes", processed_bytes),
            ("processed_items", processed_items),
            ("imported_items", imported_items),
            ("errors", errors),
        ]);
    }

    fn read(fields: &Fields) -> Option<Self> {
        let id = fields.get_text("id")?;
        let table = Table::decode(&EncodedItem::from_bytes(fields.get_binary("table")?.into()))?;
        let format = match fields.get_text("format")?.as_str() {
            JSON => ImportFormat::DynamoDbJson,
            CSV => ImportFormat::Csv {
                delimiter: fields.get_number("delimiter").and_then(|byte| u8::try_from(byte).ok()),
                header: fields.get_texts("header"),
            },
            _ => return None,
        };
        let compression = match fields.get_text("compression")?.as_str() {
            GZIP => ImportCompression::Gzip,
            ZSTD => ImportCompression::Zstd,
            _ => ImportCompression::None,
        };
        Some(Import {
            arn: Self::KIND.arn(&table.arn, &id),
            id,
            status: fields.get_status()?,
            started_ms: fields.get_number("started_ms")?,
            ended_ms: fields.get_number("ended_ms"),
            table,
            source: fields.get_place()?,
            format,
            compression,
            token: fields.get_text("token"),
            counts: ImportCounts {
                processed_bytes: fields.get_number("processed_bytes")?,
                processed_items: fields.get_number("processed_items")?,
                imported_items: fields.get_number("imported_items")?,
                errors: fields.get_number("errors")?,
            },
            failure: fields.get_failure(),
        })
    }
}

const JSON: &str = "json";
const CSV: &str = "csv";
const GZIP: &str = "gzip";
const ZSTD: &str = "zstd";
