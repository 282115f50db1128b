//! A client that talks to the service without HTTP.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use singlet_engine::{Database, Key, Options, StoreOptions};
use singlet_wire::{Reply, Service};

/// A service on a database in memory.
pub(crate) struct Client(Service);

impl Client {
    /// A service on a database of the caller's.
    pub(crate) fn on(database: Database) -> Self {
        Client(Service::new(database))
    }

    /// A service without tables.
    pub(crate) fn new() -> Self {
        Client(Service::new(Database::in_memory().expect("a database in memory opens")))
    }

    /// A service on an encrypted database, without tables.
    pub(crate) fn encrypted(key: &Key) -> Self {
        let store = StoreOptions { key: Some(key.clone()), ..StoreOptions::default() };
        let options = Options { store, ..Options::default() };
        Client(Service::new(Database::in_memory_with(options).expect("a database in memory opens")))
    }

    /// A service with two tables. `hash` has the partition key `a`. `range` has the partition key `a`, the sort key
    /// `b`, the local index `local` on `c`, and the global index `global` on `c` and `d`.
    pub(crate) fn with_tables() -> Self {
        let client = Client::new();
        client.call("CreateTable", hash_table("hash"));
        client.call(
            "CreateTable",
            json!({
                "TableName": "range",
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": definitions(&["a", "b", "c", "d"]),
                "KeySchema": key_schema(&["a"], &["b"]),
                "LocalSecondaryIndexes": [{
                    "IndexName": "local",
                    "KeySchema": key_schema(&["a"], &["c"]),
                    "Projection": {"ProjectionType": "ALL"},
                }],
                "GlobalSecondaryIndexes": [{
                    "IndexName": "global",
                    "KeySchema": key_schema(&["c"], &["d"]),
                    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["e"]},
                }],
            }),
        );
        client
    }

    /// The answer to any bytes.
    pub(crate) fn raw(&self, operation: &str, body: &[u8]) -> Reply {
        let is_of_streams =
            ["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"].contains(&operation);
        let service = if is_of_streams { "DynamoDBStreams" } else { "DynamoDB" };
        pollster::block_on(self.0.call(&format!("{service}_20120810.{operation}"), body))
    }

    /// The answer to a request that must succeed.
    pub(crate) fn call(&self, operation: &str, body: Value) -> Value {
        let reply = self.raw(operation, body.to_string().as_bytes());
        let answer = parse(&reply);
        assert_eq!(reply.status, 200, "{operation} {body} -> {answer}");
        answer
    }

    /// The error of a request that must be refused.
    pub(crate) fn error(&self, operation: &str, body: Value) -> Value {
        let reply = self.raw(operation, body.to_string().as_bytes());
        let answer = parse(&reply);
        assert_eq!(reply.status, 400, "{operation} {body} -> {answer}");
        answer
    }

    /// The text of a request that must be refused as invalid.
    pub(crate) fn invalid(&self, operation: &str, body: Value) -> String {
        let error = self.error(operation, body);
        assert_eq!(error["__type"], "com.amazon.coral.validate#ValidationException", "{error}");
        text(&error["message"])
    }

    /// The text of a request that must be refused because its JSON has the wrong shape.
    pub(crate) fn misshapen(&self, operation: &str, body: Value) -> String {
        let error = self.error(operation, body);
        assert_eq!(error["__type"], "com.amazon.coral.service#SerializationException", "{error}");
        text(&error["Message"])
    }

    /// Puts an item into a table.
    pub(crate) fn put(&self, table: &str, item: Value) {
        self.call("PutItem", json!({"TableName": table, "Item": item}));
    }

    /// The item with this key, or null.
    pub(crate) fn get(&self, table: &str, key: Value) -> Value {
        self.call("GetItem", json!({"TableName": table, "Key": key}))["Item"].clone()
    }
}

/// A `CreateTable` request for an on-demand table with the partition key `a`.
pub(crate) fn hash_table(name: &str) -> Value {
    json!({
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": definitions(&["a"]),
        "KeySchema": key_schema(&["a"], &[]),
    })
}

/// Definitions of string attributes.
pub(crate) fn definitions(names: &[&str]) -> Value {
    names.iter().map(|name| json!({"AttributeName": name, "AttributeType": "S"})).collect()
}

/// A key schema.
pub(crate) fn key_schema(partition: &[&str], sort: &[&str]) -> Value {
    let element = |name: &&str, role: &str| json!({"AttributeName": name, "KeyType": role});
    let partition = partition.iter().map(|name| element(name, "HASH"));
    partition.chain(sort.iter().map(|name| element(name, "RANGE"))).collect()
}

/// A JSON text.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

/// The JSON of an answer. Some answers have no body.
pub(crate) fn parse(reply: &Reply) -> Value {
    if reply.status == 200 && reply.body.is_empty() {
        return json!({});
    }
    serde_json::from_slice(&reply.body).unwrap_or_else(|error| panic!("{error}: {:?}", reply.body))
}

/// A request with other members besides, or instead of, its own.
pub(crate) fn with(mut request: Value, members: Value) -> Value {
    for (name, value) in members.as_object().expect("members are an object") {
        request[name] = value.clone();
    }
    request
}

/// Sets a member deep inside a request; a number is a place in a list.
pub(crate) fn set(body: &mut Value, path: &str, value: Value) {
    let mut at = body;
    for step in path.split('.') {
        at = match step.parse::<usize>() {
            Ok(place) => {
                if !at.is_array() {
                    *at = json!([]);
                }
                let list = at.as_array_mut().expect("it was just made one");
                while list.len() <= place {
                    list.push(json!({}));
                }
                &mut list[place]
            }
            Err(_) => {
                if !at.is_object() {
                    *at = json!({});
                }
                &mut at[step]
            }
        };
    }
    *at = value;
}

/// Waits until background work has come to an end.
pub(crate) fn wait_until(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(30), "it does not come to an end");
        std::thread::park_timeout(Duration::from_millis(1));
    }
}

/// Waits until a table is active, and returns its description.
pub(crate) fn wait_until_active(client: &Client, table: &str) -> Value {
    let describe = || client.call("DescribeTable", json!({"TableName": table}))["Table"].clone();
    wait_until(|| describe()["TableStatus"] == "ACTIVE");
    describe()
}
