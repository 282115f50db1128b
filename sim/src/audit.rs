//! Laws that hold whenever nobody writes: items, indexes, counts, the stream and what was acknowledged agree.

use std::collections::BTreeMap;
use std::time::Duration;

use singlet_engine_simulated::values::{EncodedItem, Item, Kind};
use singlet_engine_simulated::{
    BackupStatus, Clock, Database, Error, GetItem, IndexDescription, ProjectedAttributes, RestoreBackup,
    RestoreToTime, Result, Scan, Subscribe, TableDescription, TableStatus,
};
use singlet_scheduler::{note, thread};

use crate::client::{EXPIRING, expiring_key, record_of};
use crate::model::Value;
use crate::simulated::perform::{TABLE, read_item};
use crate::world::{Backup, Moment, Record, World, lock};

/// How long background work may take, in looks.
const LOOKS_MAX: usize = 3_000;

/// Items are deleted for so long after their second.
const EXPIRES_FOR_SECONDS: u64 = 4 * 365 * 24 * 60 * 60;

/// A finding of an audit: something wrong, or that the database can't be asked.
pub(crate) enum Trouble {
    /// The database says that its disk failed.
    Storage(String),
    /// Something is wrong.
    Finding(String),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        match error {
            Error::Storage(_) | Error::Closed | Error::Backup(_) => Trouble::Storage(error.to_string()),
            other => Trouble::Finding(format!("an audit was refused: {other}")),
        }
    }
}

impl From<String> for Trouble {
    fn from(finding: String) -> Self {
        Trouble::Finding(finding)
    }
}

/// Compares the table with its indexes and counts.
pub(crate) fn indexes(database: &Database) -> Result<(), Trouble> {
    let description = settled(database, TABLE)?;
    let items = scan(database, Scan::new(TABLE))?;
    compare_indexes(database, &description, &items)
}

/// Compares all that is there with each other. Returns the items of the table and the records of its stream.
pub(crate) fn agreement(database: &Database) -> Result<(BTreeMap<u8, Value>, Vec<Record>), Trouble> {
    let description = settled(database, TABLE)?;
    let items = scan(database, Scan::new(TABLE))?;
    compare_indexes(database, &description, &items)?;
    let items = items.iter().map(read).collect::<Result<BTreeMap<u8, Value>, String>>()?;
    let records = all_records(database)?;
    let replayed = replay(&records)?;
    if replayed != items {
        return Err(format!("the stream makes {replayed:?}, the table has {items:?}").into());
    }
    Ok((items, records))
}

fn read(item: &Item) -> Result<(u8, Value), String> {
    read_item(&EncodedItem::encode(item))
}

/// Waits until no index is being made or deleted.
fn settled(database: &Database, table: &str) -> Result<TableDescription, Trouble> {
    for _ in 0..LOOKS_MAX {
        let description = database.describe_table(table)?;
        if description.status == TableStatus::Active {
            return Ok(description);
        }
        thread::sleep(Duration::from_millis(2));
    }
    // A database that takes no writes any more runs no maintenance either.
    Err(Trouble::Storage(format!("{table} does not settle")))
}

/// All items that a scan finds.
pub(crate) fn scan(database: &Database, mut request: Scan) -> Result<Vec<Item>, Trouble> {
    let mut items = Vec::new();
    loop {
        let page = database.scan(&request)?;
        for item in page.items.unwrap_or_default() {
            items.push(item.decode().map_err(|error| format!("an item can't be read: {error}"))?);
        }
        match page.last_key {
            Some(last) => request = request.start_key(Some(last)),
            None => return Ok(items),
        }
    }
}

fn compare_indexes(database: &Database, table: &TableDescription, items: &[Item]) -> Result<(), Trouble> {
    compare_counts("the table", items, table.item_count, table.size_bytes)?;
    for index in table.local_indexes.iter().chain(&table.global_indexes) {
        let name = &index.definition.name;
        let found = scan(database, Scan::new(&table.name).index(name))?;
        let derived: Vec<Item> = items.iter().filter_map(|item| entry(table, index, item)).collect();
        let (sorted_found, sorted_derived) = (sorted(&found), sorted(&derived));
        if sorted_found != sorted_derived {
            return Err(
                format!("index {name} has {sorted_found:?}, the items make {sorted_derived:?}").into()
            );
        }
        compare_counts(name, &found, index.item_count, index.size_bytes)?;
    }
    Ok(())
}

fn compare_counts(name: &str, items: &[Item], count: u64, size_bytes: u64) -> Result<(), Trouble> {
    let bytes: usize = items.iter().map(Item::size_bytes).sum();
    if (items.len() as u64, bytes as u64) == (count, size_bytes) {
        return Ok(());
    }
    let there = items.len();
    Err(format!("{name} counts {count} items of {size_bytes} bytes, there are {there} of {bytes} bytes")
        .into())
}

/// The entry that an item makes in an index.
fn entry(table: &TableDescription, index: &IndexDescription, item: &Item) -> Option<Item> {
    let definition = &index.definition;
    let mut index_key = definition.key.partition.iter().chain(&definition.key.sort);
    let fits = index_key.all(|name| {
        let declared = table.attributes.iter().find(|attribute| attribute.name == *name);
        let kind: Option<Kind> = declared.map(|attribute| attribute.scalar.kind());
        item.get(name).is_some_and(|value| Some(value.kind()) == kind)
    });
    let keys = [&table.key.partition, &table.key.sort, &definition.key.partition, &definition.key.sort];
    let is_key = |name: &str| keys.iter().any(|key| key.iter().any(|part| part == name));
    let carries = |name: &str| match &definition.projection {
        ProjectedAttributes::All => true,
        ProjectedAttributes::KeysOnly => is_key(name),
        ProjectedAttributes::Include(names) => is_key(name) || names.iter().any(|included| included == name),
    };
    let carried = item.iter().filter(|(name, _)| carries(name)).map(|(name, value)| (name, value.clone()));
    fits.then(|| carried.collect())
}

fn sorted(items: &[Item]) -> Vec<String> {
    let mut sorted: Vec<String> = items.iter().map(|item| format!("{item:?}")).collect();
    sorted.sort_unstable();
    sorted
}

/// Everything that the stream tells, from its beginning.
fn all_records(database: &Database) -> Result<Vec<Record>, Trouble> {
    let mut subscription = database.subscribe(Subscribe::new(TABLE).from_oldest())?;
    let mut records = Vec::new();
    loop {
        let page = subscription.next(Duration::ZERO)?;
        if page.is_empty() {
            return Ok(records);
        }
        for record in &page {
            records.push(record_of(record)?);
        }
    }
}

/// The state that the records make from an empty table. Each must find what the ones before it left.
fn replay(records: &[Record]) -> Result<BTreeMap<u8, Value>, String> {
    let mut items = BTreeMap::new();
    let mut last: Option<&Record> = None;
    for record in records {
        if last.is_some_and(|last| last.number >= record.number) {
            return Err(format!("the stream has {last:?} before {record:?}"));
        }
        last = Some(record);
        if items.get(&record.key).copied() != record.old {
            return Err(format!("{record:?} comes to {:?}", items.get(&record.key)));
        }
        match record.new {
            Some(new) => items.insert(record.key, new),
            None => items.remove(&record.key),
        };
    }
    // The same backward ends with nothing.
    let mut undone = items.clone();
    for record in records.iter().rev() {
        match record.old {
            Some(old) => undone.insert(record.key, old),
            None => undone.remove(&record.key),
        };
    }
    if undone.is_empty() { Ok(items) } else { Err(format!("undoing all changes leaves {undone:?}")) }
}

/// The records that a reader of the stream has seen are still there, in the same order and with the same numbers, and
/// the stream goes on where it was left.
pub(crate) fn positions(world: &World, database: &Database, records: &[Record]) -> Result<(), Trouble> {
    let followed = lock(&world.followed);
    let seen = &followed.records;
    if records.get(..seen.len()) != Some(seen.as_slice()) {
        let differs = seen.iter().zip(records).find(|(seen, now)| seen != now);
        return Err(format!(
            "of {} records that were read, {} are there; {differs:?}",
            seen.len(),
            records.len()
        )
        .into());
    }
    let Some(position) = followed.position.clone() else { return Ok(()) };
    drop(followed);
    let mut subscription = database.subscribe(Subscribe::new(TABLE).after(position))?;
    let mut rest = Vec::new();
    loop {
        let page = subscription.next(Duration::ZERO)?;
        if page.is_empty() {
            break;
        }
        for record in &page {
            rest.push(record_of(record)?);
        }
    }
    let seen = lock(&world.followed).records.len();
    if records.get(seen..) != Some(rest.as_slice()) {
        return Err(format!("after its place, a reader is given {rest:?}").into());
    }
    Ok(())
}

/// An acknowledged item that isn't due is there; a due one may be gone.
pub(crate) fn expiry(world: &World, database: &Database) -> Result<(), Trouble> {
    let latest_second = world.clock.latest_ms() / 1000;
    let expiring = lock(&world.expiring).clone();
    for (id, item) in expiring {
        let found = database.get_item(&GetItem::new(EXPIRING, expiring_key(id)))?.item;
        if found.is_none() && item.acknowledged_ns.is_some() && item.due_second > latest_second {
            return Err(format!("item {id} is gone before its time, {item:?}").into());
        }
    }
    Ok(())
}

/// By a clock that is right and believed, what is due goes.
pub(crate) fn expired(world: &World, database: &Database) -> Result<(), Trouble> {
    let now_second = world.clock.now_ms() / 1000;
    database.expire_due()?;
    let due = now_second.saturating_sub(EXPIRES_FOR_SECONDS)..now_second;
    let expiring = lock(&world.expiring).clone();
    for (id, item) in expiring.iter().filter(|(_, item)| due.contains(&item.due_second)) {
        if database.get_item(&GetItem::new(EXPIRING, expiring_key(*id)))?.item.is_some() {
            return Err(format!("item {id} is still there after its time, {item:?}").into());
        }
    }
    Ok(())
}

/// Backups that were acknowledged are there and whole.
pub(crate) fn backups(world: &World, database: &Database) -> Result<(), Trouble> {
    let backups = lock(&world.backups).clone();
    for Backup { arn, .. } in backups {
        let backup = database.verify_backup(&arn, &mut |_| ())?;
        if backup.status != BackupStatus::Available {
            return Err(format!("{arn} was acknowledged and is {:?}", backup.status).into());
        }
    }
    Ok(())
}

/// The latest backup makes a table that agrees with its indexes and with what the backup says of it.
pub(crate) fn restoring(world: &World, database: &Database) -> Result<(), Trouble> {
    let Some(Backup { arn, .. }) = lock(&world.backups).last().cloned() else { return Ok(()) };
    discard(database, "restored")?;
    let backup = database.describe_backup(&arn)?;
    database.restore_whole_backup(RestoreBackup::new(&arn, "restored"), &mut |_| ())?;
    let description = settled(database, "restored")?;
    let items = scan(database, Scan::new("restored"))?;
    compare_indexes(database, &description, &items)?;
    compare_counts("the backup", &items, backup.source.item_count, backup.source.size_bytes)?;
    note(format_args!("the backup {arn} is restored"));
    discard(database, "restored")
}

/// Deletes a table that was made here, now or in an earlier life.
fn discard(database: &Database, table: &str) -> Result<(), Trouble> {
    if database.describe_table(table).is_ok() {
        database.delete_table(table)?;
    }
    Ok(())
}

/// Recovering earlier moments gives what was there.
pub(crate) fn moments(world: &World, database: &Database) -> Result<(), Trouble> {
    let moments = lock(&world.moments).clone();
    for moment in moments {
        discard(database, "recovered")?;
        note(format_args!("the moment {} is recovered", moment.time_ms));
        let request = RestoreToTime::new(TABLE, "recovered").at_ms(moment.time_ms);
        database.restore_whole_to_time(request, &mut |_| ())?;
        let items = scan(database, Scan::new("recovered"))?;
        let items = items.iter().map(read).collect::<Result<BTreeMap<u8, Value>, String>>()?;
        if items != moment.items {
            let Moment { time_ms, items: expected } = &moment;
            return Err(format!("at {time_ms} there was {expected:?}, recovered was {items:?}").into());
        }
    }
    discard(database, "recovered")
}
