//! The row of a backup, under its id.

use singlet_values::{AttributeValue, EncodedItem, Item, Number};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::keyspace::RowSpace;
use crate::moment::Moment;
use crate::request::{BackupDescription, BackupStatus};
use crate::store::Tally;
use crate::table::Table;
use crate::turns::Now;

/// A backup that is being taken or is complete.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Backup {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) state: BackupState,
    /// The last commit that it contains, and its time.
    pub(crate) moment: Moment,
    /// When it is deleted, if a schedule took it.
    pub(crate) expires_ms: Option<u64>,
    /// The table at that moment.
    pub(crate) table: Table,
    /// The number and size of its items.
    pub(crate) tally: Tally,
}

/// The state of a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BackupState {
    Creating,
    Available,
}

const ARN_PART: &str = "/backup/";

/// Returns an id in DynamoDB's form, from the moment and the table. `turn` distinguishes ids that would be equal.
pub(crate) fn backup_id(table: &Table, moment: Moment, turn: u64) -> String {
    let seed = moment.sequence.rotate_left(17) ^ turn;
    let hash = xxh3_64_with_seed(table.id.as_bytes(), seed) & 0xffff_ffff;
    format!("0{:013}-{hash:08x}", moment.time_ms)
}

/// The id in a backup's ARN.
pub(crate) fn id_in(arn: &str) -> Option<&str> {
    arn.rsplit_once(ARN_PART).map(|(_, id)| id).filter(|id| !id.is_empty())
}

impl Backup {
    /// Returns when it is deleted, if a schedule took it.
    pub(crate) fn expires_ms(&self, now: &Now) -> Option<u64> {
        let keep_ms = self.expires_ms?.saturating_sub(self.moment.time_ms);
        Some(self.effective_ms(now).saturating_add(keep_ms))
    }

    /// Returns the best estimate of the backup's true time, in case the clock was wrong then.
    pub(crate) fn effective_ms(&self, now: &Now) -> u64 {
        // The moment has the time of the job that takes it, which is the next commit.
        Moment { sequence: self.moment.sequence.saturating_add(1), ..self.moment }.effective_ms(now)
    }

    /// Resource name.
    pub(crate) fn arn(&self) -> String {
        format!("{}{ARN_PART}{}", self.table.arn, self.id)
    }

    /// The row's key.
    pub(crate) fn row(id: &str) -> bytes::Bytes {
        RowSpace::backups().key(id.as_bytes())
    }

    /// Describes the backup for users.
    pub(crate) fn describe(&self, status: BackupStatus) -> BackupDescription {
        let items = self.table.items();
        BackupDescription {
            arn: self.arn(),
            name: self.name.clone(),
            status,
            created_ms: self.moment.time_ms,
            expires_ms: self.expires_ms,
            source: self.table.describe(|space| if space == items { self.tally } else { Tally::default() }),
        }
    }

    /// Its status.
    pub(crate) fn status(&self) -> BackupStatus {
        match self.state {
            BackupState::Creating => BackupStatus::Creating,
            BackupState::Available => BackupStatus::Available,
        }
    }

    /// Encodes the row, which is also the head of the backup's file.
    pub(crate) fn encode(&self) -> EncodedItem {
        let number = |value: u64| AttributeValue::N(Number::from(value));
        let mut item = Item::new();
        item.insert("id", self.id.clone());
        item.insert("name", self.name.clone());
        item.insert("available", AttributeValue::Bool(self.state == BackupState::Available));
        item.insert("sequence", number(self.moment.sequence));
        item.insert("created_ms", number(self.moment.time_ms));
        if let Some(expires_ms) = self.expires_ms {
            item.insert("expires_ms", number(expires_ms));
        }
        item.insert("table", AttributeValue::B(self.table.encode().as_bytes().to_vec()));
        item.insert("item_count", number(self.tally.count));
        item.insert("size_bytes", number(self.tally.bytes));
        EncodedItem::encode(&item)
    }

    /// Decodes a row; `None` if it is invalid.
    pub(crate) fn decode(row: &EncodedItem) -> Option<Backup> {
        let item = row.decode().ok()?;
        let text = |name: &str| match item.get(name)? {
            AttributeValue::S(text) => Some(text.clone()),
            _ => None,
        };
        let number = |name: &str| match item.get(name)? {
            AttributeValue::N(number) => number.to_string().parse::<u64>().ok(),
            _ => None,
        };
        let AttributeValue::B(table) = item.get("table")? else { return None };
        let available = matches!(item.get("available")?, AttributeValue::Bool(true));
        Some(Backup {
            id: text("id")?,
            name: text("name")?,
            state: if available { BackupState::Available } else { BackupState::Creating },
            moment: Moment { sequence: number("sequence")?, time_ms: number("created_ms")? },
            expires_ms: number("expires_ms"),
            table: Table::decode(&EncodedItem::from_bytes(table.clone().into()))?,
            tally: Tally { count: number("item_count")?, bytes: number("size_bytes")? },
        })
    }
}
