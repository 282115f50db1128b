//! Those who use the database: they read and write, follow the stream, let items expire, and make indexes.

use std::sync::Arc;
use std::time::Duration;

use singlet_engine_simulated::values::Item;
use singlet_engine_simulated::{
    Clock, CreateBackup, CreateTable, Database, Error, IndexDefinition, ProjectedAttributes, PutItem,
    ScalarType, StreamRecord, Subscribe, Subscription, UpdateTable,
};
use singlet_scheduler::{Random, note, now_ns, thread};

use crate::model::{Change, KEYS_PER_PARTITION, Operation, Test, Value, Write};
use crate::simulated::perform::{Performed, TABLE, perform, read_item};
use crate::world::{Backup, Expiring, Record, World, lock};

/// The table whose items expire.
pub(crate) const EXPIRING: &str = "expiring";
const EXTRA: &str = "extra";

/// Reads and writes for a while, or until the database fails.
pub(crate) fn read_and_write(
    world: &World,
    database: &Database,
    caller: u64,
    mut random: Random,
) -> Result<(), String> {
    let mut drawer = Drawer { keys: world.plan.keys, padding_max: world.plan.padding_max, again: None };
    for _ in 0..world.plan.operations {
        if random.one_in(10) {
            world.clock.jump();
        }
        let operation = drawer.draw(world, &mut random);
        if !call(world, database, caller, &operation)? {
            return Ok(());
        }
    }
    Ok(())
}

/// Performs an operation and keeps what came of it. Says whether the database works.
pub(crate) fn call(
    world: &World,
    database: &Database,
    caller: u64,
    operation: &Operation,
) -> Result<bool, String> {
    let call = world.begin(caller, operation);
    match perform(database, operation) {
        Performed::Answered(answer) => world.end(call, answer),
        Performed::Refused => world.refuse(call),
        Performed::Wrong(wrong) => return Err(format!("client {caller}: {wrong}")),
        Performed::Unknown(reason) => {
            note(format_args!("call {call} has no answer: {reason}"));
            return Ok(false);
        }
    }
    Ok(true)
}

/// Chooses operations.
struct Drawer {
    keys: u8,
    padding_max: u16,
    /// A transaction with a token, to be sent again.
    again: Option<Operation>,
}

impl Drawer {
    fn draw(&mut self, world: &World, random: &mut Random) -> Operation {
        match random.below(20) {
            0..7 => Operation::Write(self.write(random, false)),
            7..11 => self.transaction(world, random),
            11..14 => Operation::Get(self.key(random)),
            14 | 15 => Operation::TransactGet(self.keys(random)),
            16 => Operation::Query(self.key(random) / KEYS_PER_PARTITION),
            17 => Operation::QueryGroup(u8::try_from(random.below(3)).unwrap_or_default()),
            18 => self.again.clone().unwrap_or(Operation::Scan),
            _ => Operation::Scan,
        }
    }

    fn key(&self, random: &mut Random) -> u8 {
        u8::try_from(random.below(u64::from(self.keys))).unwrap_or_default()
    }

    /// Some keys, none twice.
    fn keys(&self, random: &mut Random) -> Vec<u8> {
        let mut keys: Vec<u8> = (0..=random.below(3)).map(|_| self.key(random)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    fn write(&self, random: &mut Random, may_test_only: bool) -> Write {
        let change = match random.below(8) {
            0..4 => Change::Put(self.value(random)),
            4 | 5 => Change::Add(1 + random.below(3).cast_signed()),
            6 if may_test_only => Change::Nothing,
            _ => Change::Delete,
        };
        let test = match random.below(8) {
            0 => Test::Exists,
            1 => Test::Absent,
            2 => Test::NumberIs(random.below(5).cast_signed()),
            _ => Test::Always,
        };
        Write { key: self.key(random), change, test }
    }

    fn value(&self, random: &mut Random) -> Value {
        // Mostly numbers that come only once, so that everybody can tell whose write it was.
        let number = if random.one_in(3) { random.below(5) } else { random.below(1 << 40) };
        let group = random.below(4);
        Value {
            number: number.cast_signed(),
            group: (group < 3).then(|| u8::try_from(group).unwrap_or_default()),
            padding: u16::try_from(random.below(u64::from(self.padding_max) + 1)).unwrap_or_default(),
        }
    }

    fn transaction(&mut self, world: &World, random: &mut Random) -> Operation {
        let keys = self.keys(random);
        let writes = keys.into_iter().map(|key| Write { key, ..self.write(random, true) }).collect();
        let token = random.one_in(2).then(|| world.new_token());
        let operation = Operation::Transact(writes, token);
        if token.is_some() {
            self.again = Some(operation.clone());
        }
        operation
    }
}

/// Follows the stream from where it was left, for a while or until the database fails.
pub(crate) fn follow(world: &World, database: &Database, mut random: Random) -> Result<(), String> {
    let request = match lock(&world.followed).position.clone() {
        Some(position) => Subscribe::new(TABLE).after(position),
        None => Subscribe::new(TABLE).from_oldest(),
    };
    let mut subscription = match database.subscribe(request) {
        Ok(subscription) => subscription,
        Err(Error::Storage(_) | Error::Closed) => return Ok(()),
        Err(error) => return Err(format!("the stream can't be followed: {error}")),
    };
    for _ in 0..1 + random.below(10) {
        match subscription.next(Duration::from_millis(random.below(50))) {
            Ok(records) => keep(world, &subscription, &records)?,
            Err(Error::Storage(_) | Error::Closed) => return Ok(()),
            Err(error) => return Err(format!("the stream can't be read on: {error}")),
        }
    }
    Ok(())
}

fn keep(world: &World, subscription: &Subscription, records: &[StreamRecord]) -> Result<(), String> {
    let records = records.iter().map(record_of).collect::<Result<Vec<_>, _>>()?;
    for record in &records {
        note(format_args!("the stream tells of {} of item {}", record.number, record.key));
    }
    // A reader stores its place as text.
    let text = subscription.position().to_string();
    let position = text.parse().map_err(|error| format!("{text} is no place in a stream: {error}"))?;
    let mut followed = lock(&world.followed);
    followed.read_ns.extend(records.iter().map(|_| now_ns()));
    followed.records.extend(records);
    followed.position = Some(position);
    Ok(())
}

/// A record as the simulation keeps it.
pub(crate) fn record_of(record: &StreamRecord) -> Result<Record, String> {
    let read = |image: &Option<_>| image.as_ref().map(read_item).transpose();
    let (old, new) = (read(&record.old_image)?, read(&record.new_image)?);
    let key = new.or(old).ok_or("a record has no image")?.0;
    Ok(Record {
        number: record.sequence_number.to_string(),
        key,
        old: old.map(|(_, value)| value),
        new: new.map(|(_, value)| value),
    })
}

/// The table whose items expire.
pub(crate) fn expiring_definition() -> CreateTable {
    CreateTable::new(EXPIRING, "id", ScalarType::N).time_to_live("due")
}

/// The key of an item that expires.
pub(crate) fn expiring_key(id: u32) -> Item {
    let mut item = Item::new();
    item.insert("id", i64::from(id));
    item
}

/// Puts items that expire, for a while or until the database fails.
pub(crate) fn let_expire(world: &World, database: &Database, mut random: Random) -> Result<(), String> {
    for _ in 0..random.below(8) {
        let now_second = world.clock.now_ms() / 1000;
        if !put_expiring(world, database, now_second + random.below(60))? {
            return Ok(());
        }
    }
    Ok(())
}

/// Puts an item that expires; says whether the database works.
pub(crate) fn put_expiring(world: &World, database: &Database, due_second: u64) -> Result<bool, String> {
    let id = {
        let mut expiring = lock(&world.expiring);
        let id = u32::try_from(expiring.len()).unwrap_or_default();
        expiring.insert(id, Expiring { due_second, acknowledged_ns: None });
        id
    };
    let mut item = expiring_key(id);
    item.insert("due", due_second.cast_signed());
    match database.put_item(PutItem::new(EXPIRING, item)) {
        Ok(_) => {
            note(format_args!("item {id}, due at {due_second}, is acknowledged"));
            if let Some(item) = lock(&world.expiring).get_mut(&id) {
                item.acknowledged_ns = Some(now_ns());
            }
            Ok(true)
        }
        Err(Error::Storage(_) | Error::Closed) => Ok(false),
        Err(error) => Err(format!("an item that expires was refused: {error}")),
    }
}

/// Makes an index and deletes it again, so that background work is under way when something happens.
pub(crate) fn make_indexes(database: &Database, mut random: Random) -> Result<(), String> {
    for _ in 0..random.below(3) {
        thread::sleep(Duration::from_micros(random.below(3_000)));
        let index = IndexDefinition::new(EXTRA, &["n"], &[]).projection(ProjectedAttributes::KeysOnly);
        let requests = [
            UpdateTable::new(TABLE).attribute("n", ScalarType::N).create_index(index),
            UpdateTable::new(TABLE).delete_index(EXTRA),
        ];
        let request = requests.get(random.index(2)).cloned().unwrap_or_else(|| UpdateTable::new(TABLE));
        match database.update_table(request) {
            Ok(_) => note(format_args!("the index {EXTRA} is made or deleted")),
            Err(Error::Storage(_) | Error::Closed) => return Ok(()),
            // It is there already, or not there, or still being made or deleted.
            Err(error) => note(format_args!("no change of the index {EXTRA}: {error}")),
        }
    }
    Ok(())
}

/// Takes a backup now and then, until the database fails.
pub(crate) fn back_up(world: &World, database: &Database, mut random: Random) -> Result<(), String> {
    for number in 0..random.below(3) {
        thread::sleep(Duration::from_micros(random.below(3_000)));
        let request = CreateBackup::new(TABLE, format!("backup-{number}"));
        match database.create_whole_backup(request, &mut |_| ()) {
            Ok(backup) => {
                note(format_args!("the backup {} is acknowledged", backup.arn));
                lock(&world.backups).push(Backup { arn: backup.arn, acknowledged_ns: now_ns() });
            }
            Err(Error::Storage(_) | Error::Closed | Error::Backup(_)) => return Ok(()),
            Err(error) => note(format_args!("no backup: {error}")),
        }
    }
    Ok(())
}

/// A client on a thread of its own.
pub(crate) type Client = thread::JoinHandle<Result<(), String>>;

/// Starts all clients of a life.
pub(crate) fn start(world: &Arc<World>, database: &Database, random: &mut Random) -> Vec<Client> {
    let mut clients = Vec::new();
    for caller in 0..world.plan.clients {
        let (world, database, random) = (world.clone(), database.clone(), random.fork());
        let name = format!("client {caller}");
        clients.push(thread::spawn(name, move || read_and_write(&world, &database, caller, random)));
    }
    let (shared, own, forked) = (world.clone(), database.clone(), random.fork());
    clients.push(thread::spawn("follower", move || follow(&shared, &own, forked)));
    let (shared, own, forked) = (world.clone(), database.clone(), random.fork());
    clients.push(thread::spawn("expiring", move || let_expire(&shared, &own, forked)));
    let (shared, own, forked) = (world.clone(), database.clone(), random.fork());
    clients.push(thread::spawn("backups", move || back_up(&shared, &own, forked)));
    let (own, forked) = (database.clone(), random.fork());
    clients.push(thread::spawn("indexes", move || make_indexes(&own, forked)));
    clients
}
