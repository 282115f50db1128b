//! Stored files: the input says what happens to the files of a database, which is then verified, opened, read and
//! written.
//!
//! The first byte chooses how the folder was left. Then come changes: what (a byte), which file (a byte), where (two
//! bytes), how many bytes follow (a byte), and those bytes. See [`Change`].
//!
//! Promises:
//! - whatever is in the files, verifying and opening end with an answer: nothing panics on any thread, and memory stays
//!   bounded;
//! - if verification finds nothing wrong, and nobody made checksums right, every item is one that was once written;
//! - a database that opens can be read and written, and closes.

mod checksums;

use singlet_engine::values::{EncodedItem, Item};
use singlet_engine::{
    Database, DescribeStream, Disk, Error, GetRecords, GetShardIterator, ListBackups, ListStreams,
    ListTables, PutItem, RestoreBackup, RestoreToTime, Scan, ShardStart, verify_on,
};

use crate::fixture::{Folder, HASH, NOW_MS, hash_items, options, range_items};

/// More changes say nothing new.
const CHANGES_MAX: usize = 16;
/// Pages of a table that are read.
const PAGES_MAX: usize = 64;

pub(crate) fn run(input: &[u8]) {
    let (folder, changes) = (folder_of(input), changes_of(input));
    // Opening repairs what a crash left, so each has a copy of its own.
    let (verified, opened) = (folder.disk(), folder.disk());
    for change in &changes {
        change.make(verified.as_ref());
        change.make(opened.as_ref());
    }
    let findings = verify_on(verified, folder.key().as_ref(), &mut |_| ());
    let is_sound = findings.is_ok_and(|verification| verification.findings.is_empty());
    let is_honest = !changes.iter().any(|change| change.what == What::Forge);
    match Database::open_on(opened, options(folder.key())) {
        Ok(database) => use_database(&database, is_sound && is_honest),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn folder_of(input: &[u8]) -> Folder {
    let first = input.first().copied().unwrap_or_default();
    [Folder::Closed, Folder::Killed, Folder::Sealed][usize::from(first) % 3]
}

fn changes_of(input: &[u8]) -> Vec<Change<'_>> {
    Change::all(input.get(1..).unwrap_or_default())
}

/// Memory that a run may take. The tree's library believes the sizes of its bitmaps of free pages, each up to 2^32
/// bits: a damaged tree may cost that once for verifying and once for opening. Everything else is bounded by what is in
/// the files.
pub(crate) fn memory_bytes_max(input: &[u8]) -> usize {
    const BITMAP_BYTES: usize = 512 << 20;
    let disk = folder_of(input).disk();
    let touches_tree =
        changes_of(input).iter().any(|change| change.make(disk.as_ref()).as_deref() == Some("tree"));
    (64 << 20) + if touches_tree { 2 * BITMAP_BYTES } else { 0 }
}

/// A change of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// Bytes are written over those that are there.
    Write,
    /// The same, and the checksums of the file are made right.
    Forge,
    /// The file is cut at the place.
    Cut,
    /// Bytes are put at the end.
    Append,
    /// The file is removed.
    Remove,
    /// The file becomes a copy of another.
    Copy,
    /// All is zero from the place on, as far as the next so many times 16 bytes.
    Zero,
}

/// One change of one file.
#[derive(Debug)]
struct Change<'a> {
    what: What,
    file: u8,
    place: u16,
    bytes: &'a [u8],
}

impl<'a> Change<'a> {
    fn all(mut rest: &'a [u8]) -> Vec<Self> {
        const KINDS: [What; 8] = [
            What::Write,
            What::Forge,
            What::Write,
            What::Cut,
            What::Append,
            What::Remove,
            What::Copy,
            What::Zero,
        ];
        let mut changes = Vec::new();
        while let [what, file, high, low, length, tail @ ..] = rest {
            let (bytes, tail) = tail.split_at(usize::from(*length).min(tail.len()));
            let place = u16::from_be_bytes([*high, *low]);
            changes.push(Change { what: KINDS[usize::from(*what) % 8], file: *file, place, bytes });
            rest = tail;
            if changes.len() == CHANGES_MAX {
                break;
            }
        }
        changes
    }

    /// Makes the change; the name of the file that it was made to.
    fn make(&self, disk: &dyn Disk) -> Option<String> {
        let mut names = disk.list().unwrap();
        names.retain(|name| !name.starts_with("spare-") && name != "lock");
        names.sort();
        let name = names.get(usize::from(self.file) % names.len().max(1))?;
        let file = disk.open(name).unwrap();
        let place = place(disk, name, self.place);
        match self.what {
            What::Write => file.write_all_at(place, self.bytes).unwrap(),
            What::Forge => {
                file.write_all_at(place, self.bytes).unwrap();
                checksums::make_right(disk, name);
            }
            What::Cut => file.set_len(place).unwrap(),
            What::Append => file.write_all_at(file.len().unwrap(), self.bytes).unwrap(),
            What::Remove => disk.remove(name).unwrap(),
            What::Copy => copy(disk, name, &names[self.bytes.len() % names.len()]),
            What::Zero => {
                let length = (16 * (1 + self.bytes.len() as u64)).min(file.len().unwrap() - place);
                file.write_all_at(place, &vec![0; length as usize]).unwrap();
            }
        }
        Some(name.clone())
    }
}

/// Files are long and mostly zero: places count the 16 bytes that are used, and their neighbours.
fn place(disk: &dyn Disk, name: &str, place: u16) -> u64 {
    let content = content(disk, name);
    let used: Vec<usize> = (0..content.len() / 16)
        .filter(|unit| content[unit * 16..unit * 16 + 16].iter().any(|byte| *byte != 0))
        .collect();
    let place = usize::from(place);
    let unit = used.get((place / 16) % used.len().max(1)).copied().unwrap_or(0);
    ((unit * 16 + place % 16) as u64).min(content.len() as u64)
}

fn content(disk: &dyn Disk, name: &str) -> Vec<u8> {
    let file = disk.open(name).unwrap();
    let mut content = vec![0; file.len().unwrap() as usize];
    file.read_exact_at(0, &mut content).unwrap();
    content
}

fn copy(disk: &dyn Disk, to: &str, from: &str) {
    let bytes = content(disk, from);
    let file = disk.open(to).unwrap();
    file.set_len(0).unwrap();
    file.write_all_at(0, &bytes).unwrap();
}

/// Reads everything that there is, writes a little, and closes.
fn use_database(database: &Database, must_be_true: bool) {
    let tables = database.list_tables(&ListTables::default()).names;
    for table in &tables {
        let Ok(description) = database.describe_table(table) else { continue };
        let indexes = description.local_indexes.iter().chain(&description.global_indexes);
        let indexes = indexes.map(|index| Some(index.definition.name.clone()));
        for index in std::iter::once(None).chain(indexes) {
            read_all(database, table, index, must_be_true);
        }
    }
    read_streams(database);
    for backup in database.list_backups(&ListBackups::default()).map(|list| list.backups).unwrap_or_default()
    {
        let _ = database.verify_backup(&backup.arn, &mut |_| ());
        let restored =
            database.restore_whole_backup(RestoreBackup::new(&backup.arn, "restored"), &mut |_| ());
        if restored.is_ok() {
            read_all(database, "restored", None, must_be_true);
        }
    }
    if database
        .restore_whole_to_time(RestoreToTime::new(HASH, "recovered").at_ms(NOW_MS), &mut |_| ())
        .is_ok()
    {
        read_all(database, "recovered", None, must_be_true);
    }
    for item in hash_items().into_iter().take(2) {
        let _ = database.put_item(PutItem::new(HASH, item));
    }
    let _ = database.expire_due();
    let _ = database.close();
}

fn read_all(database: &Database, table: &str, index: Option<String>, must_be_true: bool) {
    let mut start = None;
    for _ in 0..PAGES_MAX {
        let mut scan = Scan::new(table).limit(10).start_key(start);
        scan.index = index.clone();
        let page = match database.scan(&scan) {
            Ok(page) => page,
            Err(error) => return assert!(!must_be_true || matches!(error, Error::Invalid(_)), "{error}"),
        };
        if must_be_true {
            for item in page.items.unwrap_or_default() {
                assert!(was_written(&item), "{item:?}");
            }
        }
        start = page.last_key;
        if start.is_none() {
            return;
        }
    }
}

/// Whether this is a state that an item of the fixture had.
fn was_written(item: &EncodedItem) -> bool {
    let Ok(mut item) = item.decode() else { return false };
    let known: Vec<Item> = hash_items().into_iter().chain(range_items()).collect();
    if known.contains(&item) {
        return true;
    }
    // Between its first and its last state an item had a long text of one digit.
    let is_round =
        |text: &str| text.len() == 400 && (0..6).any(|round| text == round.to_string().repeat(400));
    let Some(singlet_engine::values::AttributeValue::S(text)) = item.remove("v") else { return false };
    is_round(&text) && hash_items().into_iter().any(|mut known| known.remove("v").is_some() && known == item)
}

fn read_streams(database: &Database) {
    for stream in database.list_streams(&ListStreams::default()).map(|list| list.streams).unwrap_or_default()
    {
        let Ok(description) = database.describe_stream(&DescribeStream::new(&stream.arn)) else { continue };
        for shard in description.shards.iter().take(8) {
            let request = GetShardIterator::new(&stream.arn, &shard.id, ShardStart::TrimHorizon);
            let Ok(iterator) = database.get_shard_iterator(&request) else { continue };
            let _ = database.get_records(&GetRecords::new(iterator));
        }
    }
}
