//! The hot paths, one at a time and always alike, so that a counter of instructions can tell what a call costs.
//!
//! Everything is in memory and in one process: no sync, no fold, no socket. A path is run with N and with 2 N calls;
//! what both have in common (start, filling, end) drops out of the difference.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use anyhow::{Context as _, Result, bail, ensure};
use singlet_engine::expr::{Condition, ExpressionKind, KeyCondition, Placeholders, Update};
use singlet_engine::values::{AttributeValue, EncodedItem};
use singlet_engine::{Database, Options, StoreOptions};
use singlet_wire::items::{read_item_line, write_item_line};
use singlet_wire::{Operation, Service};

use crate::calls::{Calls, Workload};
use crate::items::{ITEMS_PER_PARTITION, Maker, fill, key, partition, table_name};
use crate::posts::Posts;

/// Never full here: a fold in one run and not in the other would drown the difference.
const OVERLAY_BYTES: usize = 2 << 30;
/// From one post to the next: far enough that it is another user's.
const POST_STRIDE: usize = 641;

/// Arguments: the path to run, and how often.
#[derive(Debug, clap::Args)]
pub(crate) struct PathOptions {
    /// The path: one that `paths` names
    name: String,
    /// How many calls
    #[arg(long, default_value_t = 1000)]
    calls: u64,
    /// Items in the table: enough that keys differ, few enough that filling doesn't take long under callgrind
    #[arg(long, default_value_t = 2_500)]
    items: u64,
}

/// One path's call.
type Call = Box<dyn FnMut() -> Result<()>>;

/// A path: its name, and how its call is made ready on a table of so many items.
type Path = (&'static str, fn(u64) -> Result<Call>);

/// All of them, from the whole request to its parts.
const PATHS: [Path; 25] = [
    ("get", |items| protocol(items, 0, Operation::GetItem)),
    ("query of 25", |items| protocol(items, 0, Operation::Query)),
    ("put", |items| protocol(items, 0, Operation::PutItem)),
    ("put, 3 GSIs", |items| protocol(items, 3, Operation::PutItem)),
    ("update", |items| protocol(items, 0, Operation::UpdateItem)),
    ("transaction of 2", |items| protocol(items, 0, Operation::TransactWriteItems)),
    ("batch write of 25", |items| protocol(items, 0, Operation::BatchWriteItem)),
    ("engine: get", |items| engine(items, 0, Workload::Get)),
    ("engine: query of 25", |items| engine(items, 0, Workload::Query)),
    ("engine: put", |items| engine(items, 0, Workload::Put)),
    ("engine: put, 3 GSIs", |items| engine(items, 3, Workload::Put)),
    ("engine: update", |items| engine(items, 0, Workload::Update)),
    ("engine: transaction of 2", |items| engine(items, 0, Workload::Transact)),
    ("engine: batch write of 25", |items| engine(items, 0, Workload::Batch)),
    ("posts, engine: get", |items| read(items, Posts::engine_get)),
    ("posts, pattern: get", |items| read(items, |posts, post| at_once(posts.pattern_get(post)))),
    ("posts, engine: query of 20", |items| read(items, Posts::engine_query)),
    ("posts, pattern: query of 20", |items| read(items, |posts, post| at_once(posts.pattern_query(post)))),
    ("posts, engine: put", |items| write(items, Posts::engine_put)),
    ("posts, pattern: put", |items| write(items, Posts::pattern_put)),
    ("posts, engine: update", |items| write(items, Posts::engine_update)),
    ("posts, pattern: update", |items| write(items, Posts::pattern_update)),
    ("parse three expressions", |_| Ok(Box::new(parse_expressions))),
    ("JSON in, one item", |_| json_in()),
    ("JSON out, one item", |_| json_out()),
];

/// The names of all paths.
pub(crate) fn names() -> Vec<&'static str> {
    PATHS.iter().map(|(name, _)| *name).collect()
}

/// Makes the path ready, then makes the calls.
pub(crate) fn path(options: &PathOptions) -> Result<()> {
    let found = PATHS.iter().find(|(name, _)| *name == options.name);
    let (_, prepare) = found.with_context(|| format!("there is no path {:?}", options.name))?;
    let mut call = prepare(options.items)?;
    for _ in 0..options.calls {
        call()?;
    }
    Ok(())
}

fn database(items: u64, indexes: u8) -> Result<Database> {
    let database = empty()?;
    fill(&database, indexes, items)?;
    Ok(database)
}

fn empty() -> Result<Database> {
    let store = StoreOptions { overlay_bytes_max: OVERLAY_BYTES, ..StoreOptions::default() };
    Ok(Database::in_memory_with(Options { store, ..Options::default() })?)
}

/// Calls of the engine by its types.
fn engine(items: u64, indexes: u8, workload: Workload) -> Result<Call> {
    let calls = Calls { database: database(items, indexes)?, table: table_name(indexes), items };
    let mut maker = Maker::new(5);
    Ok(Box::new(move || calls.call(workload, &mut maker)))
}

/// Reads of posts, each of another one.
fn read(items: u64, call: fn(&Posts, usize) -> Result<()>) -> Result<Call> {
    let posts = Posts::fill(empty()?, usize::try_from(items)?)?;
    let mut post = 0;
    Ok(Box::new(move || {
        post = (post + POST_STRIDE) % posts.len();
        call(&posts, post)
    }))
}

/// Writes of posts, each of another one. Engine and pattern are waited for in the same way.
fn write(items: u64, call: impl AsyncFn(&Posts, usize) -> Result<()> + 'static) -> Result<Call> {
    let posts = Posts::fill(empty()?, usize::try_from(items)?)?;
    let mut post = 0;
    Ok(Box::new(move || {
        post = (post + POST_STRIDE) % posts.len();
        pollster::block_on(call(&posts, post))
    }))
}

/// The output of a future that is ready at its first poll, as reads of the embedded store are.
fn at_once<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => bail!("a read of the embedded store must be ready at once"),
    }
}

/// Whole requests: the bytes of a body in, the bytes of the answer out. All that HTTP and signatures add is left out.
fn protocol(items: u64, indexes: u8, operation: Operation) -> Result<Call> {
    let service = Service::new(database(items, indexes)?);
    let table = table_name(indexes);
    let mut maker = Maker::new(5);
    // Made before the calls, so that only a copy of them is counted.
    let bodies: Vec<String> = (0..64).map(|_| body(operation, &table, items, &mut maker)).collect();
    let mut number = 0_usize;
    Ok(Box::new(move || {
        let body = bodies.get(number % bodies.len()).context("there are bodies")?;
        number += 1;
        let reply = pollster::block_on(service.perform(operation, black_box(body.as_bytes())));
        ensure!(reply.status == 200, "status {}: {}", reply.status, String::from_utf8_lossy(&reply.body));
        black_box(reply);
        Ok(())
    }))
}

/// A body as clients send it.
fn body(operation: Operation, table: &str, items: u64, maker: &mut Maker) -> String {
    let number = maker.below(items);
    let key = key_json(number);
    match operation {
        Operation::GetItem => format!(r#"{{"TableName":"{table}","Key":{key}}}"#),
        Operation::Query => format!(
            r#"{{"TableName":"{table}","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{{":p":{{"S":"{}"}}}}}}"#,
            partition(number)
        ),
        Operation::PutItem => put(table, number, maker),
        Operation::UpdateItem => format!(
            r#"{{"TableName":"{table}","Key":{key},"UpdateExpression":"SET title = :t, visits = visits + :one","ExpressionAttributeValues":{{":one":{{"N":"1"}},":t":{{"S":"{}"}}}}}}"#,
            maker.title()
        ),
        Operation::TransactWriteItems => {
            let other = (number + 1) % items;
            let puts = [number, other].map(|number| format!(r#"{{"Put":{}}}"#, put(table, number, maker)));
            format!(r#"{{"TransactItems":[{}]}}"#, puts.join(","))
        }
        _ => {
            let puts: Vec<String> = (0..ITEMS_PER_PARTITION)
                .map(|place| item_json((number + place * 7) % items, maker))
                .map(|item| format!(r#"{{"PutRequest":{{"Item":{item}}}}}"#))
                .collect();
            format!(r#"{{"RequestItems":{{"{table}":[{}]}}}}"#, puts.join(","))
        }
    }
}

fn put(table: &str, number: u64, maker: &mut Maker) -> String {
    format!(r#"{{"TableName":"{table}","Item":{}}}"#, item_json(number, maker))
}

fn item_json(number: u64, maker: &mut Maker) -> String {
    json_of(&EncodedItem::encode(&maker.item(number, false)))
}

fn key_json(number: u64) -> String {
    json_of(&EncodedItem::encode(&key(number)))
}

/// An item's own JSON, without the line around it.
fn json_of(item: &EncodedItem) -> String {
    let mut line = Vec::new();
    write_item_line(&mut line, item.view());
    let line = String::from_utf8_lossy(&line).into_owned();
    line.strip_prefix(r#"{"Item":"#).and_then(|rest| rest.strip_suffix('}')).unwrap_or_default().to_owned()
}

/// A condition, a key condition and an update with their placeholders, as a request brings them.
fn parse_expressions() -> Result<()> {
    let names = BTreeMap::from([("#s".to_owned(), "status".to_owned())]);
    let values = [(":p", "part-00000001"), (":a", "item-01"), (":z", "item-20"), (":t", "open")]
        .map(|(name, value)| (name.to_owned(), AttributeValue::from(value)));
    let mut values = BTreeMap::from(values);
    values.insert(":one".to_owned(), 1.into());
    let mut placeholders = Placeholders::new(Some(names), Some(values))?;
    let condition = "attribute_exists(pk) AND (#s = :t OR size(title) > :one)";
    black_box(Condition::parse(ExpressionKind::Condition, condition, &mut placeholders)?);
    black_box(KeyCondition::parse("pk = :p AND sk BETWEEN :a AND :z", &mut placeholders)?);
    black_box(Update::parse("SET title = :t, visits = visits + :one REMOVE draft", &mut placeholders)?);
    placeholders.finish()?;
    Ok(())
}

fn json_in() -> Result<Call> {
    let line = format!(r#"{{"Item":{}}}"#, item_json(17, &mut Maker::new(5)));
    Ok(Box::new(move || {
        let item = read_item_line(black_box(line.as_bytes())).map_err(anyhow::Error::msg)?;
        black_box(item);
        Ok(())
    }))
}

fn json_out() -> Result<Call> {
    let item = EncodedItem::encode(&Maker::new(5).item(17, false));
    let mut out = Vec::new();
    Ok(Box::new(move || {
        out.clear();
        write_item_line(&mut out, black_box(item.view()));
        black_box(&out);
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use super::{PathOptions, names, path};

    #[test]
    fn every_path_runs() {
        for name in names() {
            path(&PathOptions { name: name.to_owned(), calls: 3, items: 200 }).unwrap();
        }
    }

    #[test]
    fn an_unknown_path_is_refused() {
        assert!(path(&PathOptions { name: "nothing".to_owned(), calls: 1, items: 200 }).is_err());
    }
}
