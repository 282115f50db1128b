//! The requests to a server, and the checks of its answers.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::http::RequestWriter;
use crate::item::{
    ITEMS_PER_PARTITION, IndexKeys, ItemWriter, Write, is_item, item_json_bytes, write_key, write_partition,
};
use crate::load::{Source, Verdict};

/// Items in one batch write.
pub(crate) const BATCH_ITEMS: u64 = 25;
/// One answer in so many is read as JSON and compared with what was asked; the others are checked by status and length.
const SAMPLE_EVERY: u64 = 256;

/// The operations that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Get,
    Query,
    Put,
    Update,
    Transact,
    Batch,
}

impl Operation {
    /// All of them.
    pub(crate) const ALL: [Self; 6] =
        [Self::Get, Self::Query, Self::Put, Self::Update, Self::Transact, Self::Batch];

    /// The name that goes into `X-Amz-Target`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "GetItem",
            Self::Query => "Query",
            Self::Put => "PutItem",
            Self::Update => "UpdateItem",
            Self::Transact => "TransactWriteItems",
            Self::Batch => "BatchWriteItem",
        }
    }

    /// The length of the answer's body; the bare server is told to answer as much.
    pub(crate) fn answer_bytes(self) -> usize {
        match self {
            Self::Get => item_json_bytes() + r#"{"Item":}"#.len(),
            Self::Query => {
                let items = (item_json_bytes() + 1) * ITEMS_PER_PARTITION as usize - 1;
                items + r#"{"Items":[],"Count":25,"ScannedCount":25}"#.len()
            }
            Self::Put | Self::Update | Self::Transact => r"{}".len(),
            Self::Batch => r#"{"UnprocessedItems":{}}"#.len(),
        }
    }

    fn is_right(self, item: u64, answer: &Value) -> bool {
        match self {
            Self::Get => answer.get("Item").is_some_and(|found| is_item(found, item)),
            Self::Query => answer.get("Items").and_then(Value::as_array).is_some_and(|found| {
                let first = item - item % ITEMS_PER_PARTITION;
                found.len() as u64 == ITEMS_PER_PARTITION
                    && (first..).zip(found).all(|(item, found)| is_item(found, item))
                    && answer.get("Count") == Some(&Value::from(ITEMS_PER_PARTITION))
            }),
            // moto tells the capacity also to those who didn't ask.
            Self::Put | Self::Update | Self::Transact => answer.as_object().is_some_and(|members| {
                members.keys().all(|name| name == "ConsumedCapacity" || name == "ItemCollectionMetrics")
            }),
            Self::Batch => match answer.get("UnprocessedItems") {
                Some(left) => left.as_object().is_some_and(serde_json::Map::is_empty),
                None => answer.is_object(),
            },
        }
    }
}

/// A mix of operations over random items of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Workload {
    /// GetItem by the whole key
    Get,
    /// Query of a partition of 25 items
    Query,
    /// PutItem over an existing item; its index keys stay
    Put,
    /// PutItem over an existing item; its index keys change
    PutMove,
    /// UpdateItem: sets a text, counts up a number
    Update,
    /// TransactWriteItems of two puts
    Transact,
    /// BatchWriteItem of 25 puts
    Batch,
    /// Of 20 requests: 10 gets, 4 queries, 3 puts, 2 updates, 1 transaction
    Mixed,
}

impl Workload {
    /// The name on the command line and in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Query => "query",
            Self::Put => "put",
            Self::PutMove => "put-move",
            Self::Update => "update",
            Self::Transact => "transact",
            Self::Batch => "batch",
            Self::Mixed => "mixed",
        }
    }

    fn operation(self, dice: u64) -> Operation {
        match self {
            Self::Get => Operation::Get,
            Self::Query => Operation::Query,
            Self::Put | Self::PutMove => Operation::Put,
            Self::Update => Operation::Update,
            Self::Transact => Operation::Transact,
            Self::Batch => Operation::Batch,
            Self::Mixed => match dice % 20 {
                0..10 => Operation::Get,
                10..14 => Operation::Query,
                14..17 => Operation::Put,
                17..19 => Operation::Update,
                _ => Operation::Transact,
            },
        }
    }

    fn index_keys(self) -> IndexKeys {
        if self == Self::PutMove { IndexKeys::Move } else { IndexKeys::Stay }
    }
}

/// Remembers which request an answer belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket {
    operation: Operation,
    item: u64,
    request: u64,
}

/// Which items the requests name.
#[derive(Clone, Debug)]
pub(crate) enum Choice {
    /// Any of so many, for ever.
    Random { items: u64 },
    /// Each partition of the range once, then the source is dry.
    Each { items: std::ops::Range<u64> },
}

/// The server that answers; it decides what can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// A database: status, length and, for a sample, every attribute; after writes, what it has kept of them.
    Database,
    /// The bare server: status and length.
    Bare,
}

/// The requests of one client thread.
pub(crate) struct Traffic {
    requests: RequestWriter,
    items: ItemWriter,
    table: String,
    workload: Workload,
    choice: Choice,
    answers: Answers,
    /// Per operation the answer's length, learned from the first answer that was read in full.
    lengths: [Option<usize>; Operation::ALL.len()],
    answered: u64,
    sample_every: u64,
    /// Requests that were refused or answered wrongly: what they wrote may not be there.
    refused: HashSet<u64>,
}

impl Traffic {
    /// Traffic to `host`.
    pub(crate) fn new(host: &str, table: &str, workload: Workload, choice: Choice, answers: Answers) -> Self {
        let lengths = match answers {
            Answers::Database => [None; Operation::ALL.len()],
            Answers::Bare => Operation::ALL.map(|operation| Some(operation.answer_bytes())),
        };
        // A sweep is made to find what is missing, so it reads every answer.
        let sample_every = if matches!(choice, Choice::Each { .. }) { 1 } else { SAMPLE_EVERY };
        Self {
            requests: RequestWriter::new(host),
            items: ItemWriter::new(),
            table: table.to_owned(),
            workload,
            choice,
            answers,
            lengths,
            answered: 0,
            sample_every,
            refused: HashSet::new(),
        }
    }

    /// The last writes, newest first, and whether each was acknowledged.
    pub(crate) fn last_writes(&self) -> impl Iterator<Item = (&Write, bool)> {
        self.items.recent().rev().map(|write| (write, !self.refused.contains(&write.request)))
    }

    /// Whether `found` is what one of its writes made of an item.
    pub(crate) fn is_written(&self, found: &Value, write: &Write) -> bool {
        self.items.is_written(found, write)
    }

    /// The same traffic, whose items expire at a second.
    pub(crate) fn expiring_at(mut self, second: u64) -> Self {
        self.items.expire_at(second);
        self
    }

    /// The next item, and how many there are to choose companions from.
    fn choose(&mut self) -> Option<(u64, u64)> {
        match &mut self.choice {
            Choice::Random { items } => {
                let items = *items;
                Some((self.items.below(items), items))
            }
            Choice::Each { items } => {
                let item = items.start;
                if item >= items.end {
                    return None;
                }
                items.start = item + ITEMS_PER_PARTITION;
                Some((item, 0))
            }
        }
    }

    fn check_in_full(&self, ticket: Ticket, body: &[u8]) -> Result<(), String> {
        let answer = serde_json::from_slice(body).map_err(|_| "answer is not JSON".to_owned())?;
        if ticket.operation.is_right(ticket.item, &answer) {
            return Ok(());
        }
        let start: String = String::from_utf8_lossy(body).chars().take(200).collect();
        Err(format!("wrong answer to {}: {start}", ticket.operation.name()))
    }
}

impl Source for Traffic {
    type Ticket = Ticket;

    fn next(&mut self, out: &mut Vec<u8>) -> Option<Ticket> {
        let (item, among) = self.choose()?;
        let dice = if self.workload == Workload::Mixed { self.items.below(20) } else { 0 };
        let operation = self.workload.operation(dice);
        let keys = self.workload.index_keys();
        let Self { requests, items, table, .. } = self;
        let request = items.begin_request();
        requests.write(out, operation.name(), |body| match operation {
            Operation::Get => write_get(body, table, item),
            Operation::Query => write_query(body, table, item),
            Operation::Put => write_put(body, table, item, items, keys),
            Operation::Update => write_update(body, table, item, items),
            Operation::Transact => write_transaction(body, table, item, among, items, keys),
            Operation::Batch => write_batch(body, table, item, among, items, keys),
        });
        Some(Ticket { operation, item, request })
    }

    fn check(&mut self, ticket: Ticket, status: u16, body: &[u8]) -> Verdict {
        if status == 200 {
            return self.check_answer(ticket, body).map_or_else(Verdict::Wrong, |()| Verdict::Right);
        }
        self.refused.insert(ticket.request);
        if serde_json::from_slice(body).is_ok_and(|answer| is_conflict(&answer)) {
            return Verdict::Conflict;
        }
        let start: String = String::from_utf8_lossy(body).chars().take(200).collect();
        Verdict::Wrong(format!("{}: status {status}: {start}", ticket.operation.name()))
    }
}

/// Whether an error says that a transaction on the same item was under way, and nothing else.
fn is_conflict(answer: &Value) -> bool {
    let name = answer.get("__type").and_then(Value::as_str).unwrap_or_default();
    let code = |reason: &Value| reason.get("Code").and_then(Value::as_str).map(str::to_owned);
    match name.rsplit('#').next() {
        Some("TransactionConflictException") => true,
        Some("TransactionCanceledException") => {
            let reasons = answer.get("CancellationReasons").and_then(Value::as_array);
            let codes: Vec<_> = reasons.into_iter().flatten().filter_map(code).collect();
            codes.iter().any(|code| code == "TransactionConflict")
                && codes.iter().all(|code| code == "None" || code == "TransactionConflict")
        }
        _ => false,
    }
}

impl Traffic {
    fn check_answer(&mut self, ticket: Ticket, body: &[u8]) -> Result<(), String> {
        self.answered += 1;
        let known = self.lengths.get(ticket.operation as usize).copied().flatten();
        let sampled = self.answers == Answers::Database && self.answered.is_multiple_of(self.sample_every);
        if sampled || known.is_none() {
            self.check_in_full(ticket, body)?;
        }
        if known.is_some_and(|length| length != body.len()) {
            return Err(format!("{}: {} bytes, not {known:?}", ticket.operation.name(), body.len()));
        }
        if let Some(length) = self.lengths.get_mut(ticket.operation as usize) {
            *length = Some(body.len());
        }
        Ok(())
    }
}

fn write_table_name(out: &mut Vec<u8>, table: &str) {
    out.extend_from_slice(b"{\"TableName\":\"");
    out.extend_from_slice(table.as_bytes());
    out.extend_from_slice(b"\",");
}

fn write_get(out: &mut Vec<u8>, table: &str, item: u64) {
    write_table_name(out, table);
    out.extend_from_slice(b"\"Key\":");
    write_key(out, item);
    out.push(b'}');
}

fn write_query(out: &mut Vec<u8>, table: &str, item: u64) {
    write_table_name(out, table);
    out.extend_from_slice(
        b"\"KeyConditionExpression\":\"pk = :p\",\"ExpressionAttributeValues\":{\":p\":{\"S\":\"",
    );
    write_partition(out, item);
    out.extend_from_slice(b"\"}}}");
}

fn write_put(out: &mut Vec<u8>, table: &str, item: u64, items: &mut ItemWriter, keys: IndexKeys) {
    write_table_name(out, table);
    out.extend_from_slice(b"\"Item\":");
    items.write_item(out, item, keys);
    out.push(b'}');
}

fn write_update(out: &mut Vec<u8>, table: &str, item: u64, items: &mut ItemWriter) {
    write_table_name(out, table);
    out.extend_from_slice(b"\"Key\":");
    write_key(out, item);
    out.extend_from_slice(b",\"UpdateExpression\":\"SET title = :t, visits = visits + :one\"");
    out.extend_from_slice(b",\"ExpressionAttributeValues\":{\":one\":{\"N\":\"1\"},\":t\":{\"S\":\"");
    items.write_title(out, item);
    out.extend_from_slice(b"\"}}}");
}

fn write_transaction(
    out: &mut Vec<u8>,
    table: &str,
    item: u64,
    among: u64,
    items: &mut ItemWriter,
    keys: IndexKeys,
) {
    let other = companion(item, 1, among, items.below(among));
    out.extend_from_slice(b"{\"TransactItems\":[{\"Put\":");
    write_put(out, table, item, items, keys);
    out.extend_from_slice(b"},{\"Put\":");
    write_put(out, table, other, items, keys);
    out.extend_from_slice(b"}]}");
}

fn write_batch(
    out: &mut Vec<u8>,
    table: &str,
    item: u64,
    among: u64,
    items: &mut ItemWriter,
    keys: IndexKeys,
) {
    let stride = items.below(among);
    out.extend_from_slice(b"{\"RequestItems\":{\"");
    out.extend_from_slice(table.as_bytes());
    out.extend_from_slice(b"\":[");
    for place in 0..BATCH_ITEMS {
        out.extend_from_slice(if place == 0 { b"" } else { b"," });
        out.extend_from_slice(b"{\"PutRequest\":{\"Item\":");
        items.write_item(out, companion(item, place, among, stride), keys);
        out.extend_from_slice(b"}}");
    }
    out.extend_from_slice(b"]}}");
}

/// The item at `place` in a request that begins with `item`: all different, as DynamoDB demands, and spread over all
/// items; or its neighbours if `among` is 0.
fn companion(item: u64, place: u64, among: u64, random: u64) -> u64 {
    if among < BATCH_ITEMS * 2 {
        return item + place;
    }
    // The range is cut into as many parts as a request has places; each place stays in its own part.
    let part = among / BATCH_ITEMS;
    let step = part * place + if place == 0 { 0 } else { random.wrapping_mul(place) % part };
    (item + step) % among
}

#[cfg(test)]
mod tests {
    use super::{Answers, BATCH_ITEMS, Choice, Operation, Traffic, Workload, companion, is_conflict};
    use crate::load::{Source, Verdict};
    use serde_json::{Value, json};

    fn traffic(workload: Workload, choice: Choice) -> Traffic {
        Traffic::new("localhost:1", "t", workload, choice, Answers::Database)
    }

    fn body(request: &[u8]) -> Value {
        let text = std::str::from_utf8(request).unwrap();
        serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    #[test]
    fn items_of_one_request_are_all_different() {
        for seed in 0..2000_u64 {
            let random = seed.wrapping_mul(6_364_136_223_846_793_005);
            let mut found: Vec<_> =
                (0..BATCH_ITEMS).map(|place| companion(seed * 37 % 1000, place, 1000, random)).collect();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len() as u64, BATCH_ITEMS);
            assert!(found.iter().all(|item| *item < 1000));
        }
    }

    #[test]
    fn every_workload_writes_json() {
        for workload in [Workload::Get, Workload::Query, Workload::Put, Workload::Update, Workload::Transact]
        {
            let mut out = Vec::new();
            traffic(workload, Choice::Random { items: 1000 }).next(&mut out).unwrap();
            assert!(body(&out).is_object());
        }
    }

    #[test]
    fn a_sweep_names_each_partition_once() {
        let mut source = traffic(Workload::Batch, Choice::Each { items: 0..100 });
        let mut out = Vec::new();
        let mut count = 0;
        while source.next(&mut out).is_some() {
            assert_eq!(body(&out)["RequestItems"]["t"].as_array().unwrap().len() as u64, BATCH_ITEMS);
            count += 1;
        }
        assert_eq!(count, 4);
    }

    #[test]
    fn wrong_status_length_and_content_are_all_noticed() {
        let mut source = traffic(Workload::Put, Choice::Random { items: 1000 });
        let ticket = source.next(&mut Vec::new()).unwrap();
        let wrong = |verdict| matches!(verdict, Verdict::Wrong(_));
        assert!(wrong(source.check(ticket, 400, b"{}")));
        assert!(wrong(source.check(ticket, 200, b"{\"a\":1}")));
        assert_eq!(source.check(ticket, 200, b"{}"), Verdict::Right);
        assert!(wrong(source.check(ticket, 200, b"{} ")));
        let mut source = traffic(Workload::Put, Choice::Random { items: 1000 });
        let ticket = source.next(&mut Vec::new()).unwrap();
        assert_eq!(source.check(ticket, 200, b"{\"ConsumedCapacity\": []}"), Verdict::Right);

        let mut source = traffic(Workload::Get, Choice::Random { items: 1000 });
        let ticket = source.next(&mut Vec::new()).unwrap();
        assert!(wrong(source.check(ticket, 200, b"{}")));
    }

    #[test]
    fn only_a_refusal_for_conflict_alone_is_a_conflict() {
        let cancelled = |codes: [&str; 2]| {
            let reasons = codes.map(|code| json!({"Code": code}));
            json!({"__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException", "CancellationReasons": reasons})
        };
        assert!(is_conflict(&cancelled(["None", "TransactionConflict"])));
        assert!(!is_conflict(&cancelled(["ConditionalCheckFailed", "TransactionConflict"])));
        assert!(!is_conflict(&cancelled(["None", "None"])));
        assert!(is_conflict(&json!({"__type": "x#TransactionConflictException"})));
        assert!(!is_conflict(&json!({"__type": "x#ThrottlingException"})));
    }

    #[test]
    fn bare_answers_have_the_length_of_real_ones() {
        let mut put = Vec::new();
        let ticket = traffic(Workload::Put, Choice::Each { items: 50..75 }).next(&mut put).unwrap();
        let item = body(&put)["Item"].to_string();
        let answer = format!(r#"{{"Item":{item}}}"#);
        assert_eq!(answer.len(), Operation::Get.answer_bytes());
        assert!(Operation::Get.is_right(ticket.item, &serde_json::from_str(&answer).unwrap()));
    }
}
