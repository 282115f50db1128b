//! The list of access patterns, each with its requests, rate and latency target.

use std::time::Duration;

use super::{Grid, key_condition};
use crate::condition::Condition;
use crate::model::{
    Design, EachList, Entity, Gather, Get, Index, Insert, ListWalk, Merge, Operation, Order, Pattern, Query,
    Rate, Reference, Resolve, Step, Transaction, WriteRequests,
};

/// Returns a table of every pattern, in the order of the file.
pub fn pattern_table(design: &Design) -> Grid {
    // The longest column is the last one, so that nothing has to be aligned after it.
    let columns =
        ["Pattern", "Does", "Request", "Key condition", "Condition", "Rate", "Within", "Tags", "About"];
    let mut grid = Grid::new("Access patterns".to_owned(), columns);
    for pattern in &design.patterns {
        let Access { does, request, keys, condition } = access(pattern);
        let does = if pattern.internal { format!("{does} (internal)") } else { does };
        grid.rows.push(vec![
            pattern.name.clone(),
            does,
            request,
            keys,
            condition,
            pattern.rate.map(rate).unwrap_or_default(),
            pattern.within.map(within).unwrap_or_default(),
            pattern.tags.join(", "),
            pattern.about.clone().unwrap_or_default(),
        ]);
    }
    grid.without_empty_columns()
}

/// A description of how a pattern accesses its items.
#[derive(Debug, Default)]
pub struct Access {
    /// The operation in the words of the design: `query Order, last first, 20 a page`.
    pub does: String,
    /// The requests to the database, in order: `Query GSI1`, `GetItem, UpdateItem`.
    pub request: String,
    /// The key condition; empty for composed patterns.
    pub keys: String,
    /// The condition or filter; empty if there is none.
    pub condition: String,
}

/// Describes how a pattern accesses its items.
pub fn access(pattern: &Pattern) -> Access {
    match &pattern.operation {
        Operation::Get(get) => read(pattern, get, "get"),
        Operation::Exists(get) => read(pattern, get, "exists"),
        Operation::BatchGet(batch) => Access {
            does: format!("batch_get {}", batch.entity.name),
            request: "BatchGetItem".to_owned(),
            keys: key_condition::of_batch(batch),
            condition: String::new(),
        },
        Operation::Query(query) => listed(query),
        Operation::Count(count) => {
            let listed = listed(&count.query);
            let does = listed.does.replacen("query", "count", 1);
            Access { does: format!("{does}, up to {}", count.max), ..listed }
        }
        Operation::Scan(scan) => {
            let index = scan.on.as_deref().map(|index| format!(" {}", index.name)).unwrap_or_default();
            let limit = scan.limit.map(|limit| format!(", {limit} a page")).unwrap_or_default();
            Access {
                does: format!("scan {}{limit}", scan.entity.name),
                request: format!("Scan{index}"),
                keys: String::new(),
                condition: source(scan.filter.as_ref()),
            }
        }
        Operation::Create(_)
        | Operation::Put(_)
        | Operation::Update(_)
        | Operation::Delete(_)
        | Operation::Check(_) => Access { request: write_request(pattern), ..written(&pattern.operation) },
        Operation::Transaction(transaction) => {
            let step = |step: &Step| match &step.each {
                Some(each) => format!("{} for each of {}", step.pattern.name, list_name(&each.list)),
                None => step.pattern.name.clone(),
            };
            composed("all or none", transaction.steps.iter().map(step), &transaction_request(transaction))
        }
        Operation::Parts(parts) => {
            let names = parts.parts.iter().map(|part| part.pattern.name.clone());
            let request = if parts.together { "TransactGetItems" } else { "those of its parts" };
            composed(if parts.together { "at one point" } else { "at once" }, names, request)
        }
        Operation::Merge(merge) => merged(merge),
        Operation::Gather(gather) => gathered(gather),
        Operation::Claim(walk) => walked(format!("the first possible {}", for_each(walk))),
        Operation::Bulk(walk) => walked(format!("in batches: {}", for_each(walk))),
    }
}

/// Describes a write without its request.
fn written(operation: &Operation) -> Access {
    match operation {
        Operation::Create(insert) => referring(create(insert), &insert.must_exist),
        Operation::Put(insert) => {
            referring(write("put", &insert.entity, source(insert.condition.as_ref())), &insert.must_exist)
        }
        Operation::Update(update) if update.first.is_some() => {
            referring(write("upsert", &update.entity, source(update.condition.as_ref())), &update.must_exist)
        }
        Operation::Update(update) => {
            let condition = there(&update.entity, update.condition.as_ref());
            referring(write("update", &update.entity, condition), &update.must_exist)
        }
        Operation::Delete(delete) => write("delete", &delete.entity, source(delete.condition.as_ref())),
        Operation::Check(check) => {
            write("check", &check.entity, there(&check.entity, check.condition.as_ref()))
        }
        _ => Access::default(),
    }
}

/// The requests of a write, and others if they depend on the values that the caller gives.
fn write_request(pattern: &Pattern) -> String {
    let variants = pattern.write_variants().into_iter().map(|variant| requests(pattern, variant));
    variants.collect::<Vec<_>>().join("; or ")
}

fn requests(pattern: &Pattern, WriteRequests { reads, together }: WriteRequests) -> String {
    let single = match &pattern.operation {
        Operation::Delete(_) => "DeleteItem",
        Operation::Check(_) => "ConditionCheck",
        Operation::Update(update) if update.first.is_none() => "UpdateItem",
        Operation::Update(update) if update.entity.unique.is_empty() => "UpdateItem or PutItem",
        Operation::Update(_) => "UpdateItem or TransactWriteItems",
        _ => "PutItem",
    };
    let is_update = matches!(pattern.operation, Operation::Update(_));
    let is_check = matches!(pattern.operation, Operation::Check(_));
    let mut requests: Vec<&str> = reads.then_some("GetItem").into_iter().collect();
    match together && !is_check {
        true => requests.push("TransactWriteItems"),
        false => requests.push(single),
    }
    // A transaction returns no item.
    requests.extend((together && is_update).then_some("BatchGetItem"));
    requests.join(", ")
}

/// The requests of a transaction: reads of items that it relies on come first, and what was only changed is read again.
fn transaction_request(transaction: &Transaction) -> String {
    let reading = |step: &&Step| transaction.reads_first(step);
    let is_listed = |step: &Step| step.each.is_some() && matches!(step.pattern.operation, Operation::Get(_));
    let (mut requests, steps) = (Vec::new(), &transaction.steps);
    requests.extend(steps.iter().filter(reading).any(|step| !is_listed(step)).then_some("GetItem"));
    requests.extend(steps.iter().any(is_listed).then_some("BatchGetItem"));
    requests.push("TransactWriteItems");
    let is_changed = |step: &Step| matches!(step.pattern.operation, Operation::Update(_));
    requests.extend(steps.iter().any(is_changed).then_some("BatchGetItem"));
    requests.join(", ")
}

fn list_name(list: &EachList) -> String {
    match list {
        EachList::Parameter(name) => format!("{{{name}}}"),
        EachList::Result(step, field) => format!("{{{step}.{field}}}"),
    }
}

fn read(pattern: &Pattern, get: &Get, word: &str) -> Access {
    let (request, keys) = match &get.on {
        Some(index) => (format!("Query {}", index.name), key_condition::of_get(get, index, pattern)),
        None => {
            let key = get.key.as_ref();
            let own = || key_condition::of_item(&get.entity);
            (
                "GetItem".to_owned(),
                key.map_or_else(own, |asked| key_condition::of_asked_item(&get.entity, asked)),
            )
        }
    };
    let (with, request) = resolving(&get.resolve, request);
    let does = format!("{word} {}{}{with}", get.entity.name, consistently(get.consistent));
    Access { does, request, keys: keys.text(), condition: String::new() }
}

fn listed(query: &Query) -> Access {
    let names: Vec<&str> = query.entities.iter().map(|entity| entity.name.as_str()).collect();
    let order = match (query.orders.as_slice(), query.order) {
        ([one, other], _) => format!(", {} or {} first", one.word(), other.word()),
        (_, Order::Ascending) => String::new(),
        (_, Order::Descending) => ", last first".to_owned(),
    };
    let limit = query.limit.map(|limit| format!(", {limit} a page")).unwrap_or_default();
    let buckets =
        query.buckets.as_ref().map(|buckets| format!(", {0} by {0}", buckets.format)).unwrap_or_default();
    let times = query.shards.map(|shards| format!(" × {}", shards.count)).unwrap_or_default();
    let index = query.on.as_deref().map(|index: &Index| format!(" {}", index.name)).unwrap_or_default();
    let (with, request) = resolving(&query.resolve, format!("Query{index}{times}"));
    let consistent = consistently(query.consistent);
    Access {
        does: format!("query {}{order}{limit}{buckets}{consistent}{with}", names.join(", ")),
        request,
        keys: key_condition::of_query(query).text(),
        condition: source(query.filter.as_ref()),
    }
}

/// Adds the references that a read follows: the words for them, and the request.
fn resolving(resolve: &[Resolve], request: String) -> (String, String) {
    if resolve.is_empty() {
        return (String::new(), request);
    }
    let names: Vec<&str> = resolve.iter().map(|resolve| resolve.name.as_str()).collect();
    (format!(", with {}", names.join(", ")), format!("{request}, BatchGetItem"))
}

fn create(insert: &Insert) -> Access {
    let entity = &insert.entity;
    let absent = format!("attribute_not_exists({})", entity.table.partition.name);
    let condition = match &insert.condition {
        Some(condition) => format!("{absent} and {}", condition.source),
        None => absent,
    };
    write("create", entity, condition)
}

fn write(word: &str, entity: &Entity, condition: String) -> Access {
    Access {
        does: format!("{word} {}", entity.name),
        request: String::new(),
        keys: key_condition::of_item(entity).text(),
        condition,
    }
}

/// Adds the checks of references.
fn referring(access: Access, references: &[Reference]) -> Access {
    if references.is_empty() {
        return access;
    }
    let exists = |reference: &Reference| {
        let Reference { field, entity, .. } = reference;
        format!("attribute_exists({}) of {} by {field}", entity.table.partition.name, entity.name)
    };
    let conditions = Some(access.condition).filter(|condition| !condition.is_empty()).into_iter();
    let conditions: Vec<String> = conditions.chain(references.iter().map(exists)).collect();
    Access { condition: conditions.join(" and "), ..access }
}

fn composed(how: &str, names: impl Iterator<Item = String>, request: &str) -> Access {
    let names: Vec<String> = names.collect();
    Access { does: format!("{how}: {}", names.join(", ")), request: request.to_owned(), ..Access::default() }
}

fn merged(merge: &Merge) -> Access {
    let descends = matches!(&merge.walk.run.operation, Operation::Query(query) if query.descends);
    let order = match (merge.order == Order::Descending) != descends {
        false => "lowest",
        true => "highest",
    };
    walked(format!("{}, {order} {} first, {} a page", for_each(&merge.walk), merge.by, merge.limit))
}

fn gathered(gather: &Gather) -> Access {
    walked(format!(
        "{}, grouped by {}, most hits first, {} a page",
        for_each(&gather.walk),
        gather.by,
        gather.limit
    ))
}

fn walked(does: String) -> Access {
    Access { does, request: "those of its parts".to_owned(), ..Access::default() }
}

/// Describes a walk: `user_posts for each of following (at most 200)`.
fn for_each(walk: &ListWalk) -> String {
    let source = match walk.query() {
        Some(query) => query.name.clone(),
        None => format!("{{{}}}", walk.source_name()),
    };
    let bound = walk.max.map(|max| format!(" (at most {max})")).unwrap_or_default();
    format!("{} for each of {source}{bound}", walk.run.name)
}

/// Returns the condition of a write that requires an existing item.
fn there(entity: &Entity, condition: Option<&Condition>) -> String {
    let present = format!("attribute_exists({})", entity.table.partition.name);
    match condition {
        Some(condition) => format!("{present} and {}", condition.source),
        None => present,
    }
}

fn source(condition: Option<&Condition>) -> String {
    condition.map(|condition| condition.source.clone()).unwrap_or_default()
}

fn consistently(consistent: bool) -> &'static str {
    if consistent { ", consistent" } else { "" }
}

/// Prints a rate in the first unit in which it is an integer or at least one.
fn rate(rate: Rate) -> String {
    const UNITS: [(f64, &str); 4] = [(1.0, "s"), (60.0, "minute"), (3_600.0, "hour"), (86_400.0, "day")];
    let in_units = || UNITS.iter().map(|(seconds, unit)| (rate.per_second * seconds, *unit));
    let is_whole = |number: f64| number >= 0.999 && (number - number.round()).abs() < 1e-6 * number;
    let (number, unit) = in_units()
        .find(|(number, _)| is_whole(*number))
        .or_else(|| in_units().find(|(number, _)| *number >= 0.999))
        .unwrap_or((rate.per_second * 86_400.0, "day"));
    let rounded = (number * 100.0).round() / 100.0;
    format!("{rounded}/{unit}")
}

fn within(bound: Duration) -> String {
    let milliseconds = bound.as_millis();
    if milliseconds >= 1000 && milliseconds.is_multiple_of(1000) {
        format!("{} s", milliseconds / 1000)
    } else {
        format!("{milliseconds} ms")
    }
}
