//! The memory of a database: which design was applied to a table last, kept in a table of Singlet's own.
//!
//! One item for each table and design holds the design's text, how it stores items, and which items were outdated when
//! it was applied. A record that doesn't fit into one item continues in others, under the hash of the whole, which are
//! written first. Each write expects the version that was read: of two applies at once, one is refused.

use sha2::{Digest, Sha256};
use singlet_design::Json;
use singlet_expr::{Condition, KeyCondition, KeyTerm, KeyTest, Path};
use singlet_store::{
    AttributeDefinition, DeleteItem, GetItem, PutItem, Query, ReturnItem, ScalarType, Store, StoreError,
    TableShape,
};
use singlet_values::{AttributeValue, Item};

use super::blueprint::{Blueprint, list, text, texts};
use super::outdated::Outdated;

/// The table that remembers designs.
pub const DESIGNS_TABLE: &str = "singlet-designs";
/// Its partition key: the name of a table.
const KEY: &str = "table";
/// Its sort key: the name of a design.
const SORT_KEY: &str = "design";
const VERSION: &str = "version";
const FORMAT: &str = "format";
const HASH: &str = "hash";
const PARTS: &str = "parts";
const CONTENT: &str = "content";
const STARTED: &str = "started_at";

/// How records are written. A record of a later format is left alone.
const FORMAT_NOW: u64 = 1;
/// Most bytes of the content in one item, which may have 400 KB.
const PART_BYTES_MAX: usize = 300_000;
/// Most parts of a content: 30 MB are no design.
const PARTS_MAX: u64 = 100;

/// The record of a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct DesignRecord {
    /// How often it was written.
    pub(super) version: u64,
    /// The design that was applied; `None` if the first one is still under way, or if it can't be read.
    pub(super) content: Option<Content>,
    /// When an apply began that has not finished.
    pub(super) started: Option<String>,
}

/// A design that was applied to a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Content {
    /// The design's file.
    pub(super) text: String,
    /// How it stores items.
    pub(super) blueprint: Blueprint,
    /// The entities whose items were outdated then.
    pub(super) outdated: Vec<Outdated>,
}

/// The owner of the record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Owner {
    /// Table name.
    pub(super) table: String,
    /// The design's name.
    pub(super) design: String,
    /// The environment's name.
    pub(super) environment: String,
}

/// The knowledge about a table.
pub(super) enum Recalled {
    /// The table of designs isn't there.
    NoMemory,
    /// The record; of version 0 if there is none.
    Record(DesignRecord),
}

/// The shape of the table that remembers designs.
pub(super) fn shape() -> TableShape {
    let key = |name: &str| AttributeDefinition { name: name.to_owned(), scalar: ScalarType::S };
    TableShape {
        name: DESIGNS_TABLE.to_owned(),
        partition: key(KEY),
        sort: Some(key(SORT_KEY)),
        indexes: Vec::new(),
        protected: false,
        ttl: None,
        stream: false,
        recovery_days: None,
        backup: None,
        throughput: None,
    }
}

impl Owner {
    /// The record of the table and design.
    pub(super) async fn read(&self, store: &impl Store) -> Result<Recalled, StoreError> {
        let head = match self.get(store, &self.design).await {
            Ok(head) => head,
            Err(StoreError::NotFound(_)) => return Ok(Recalled::NoMemory),
            Err(error) => return Err(in_memory(error)),
        };
        let Some(head) = head else { return Ok(Recalled::Record(DesignRecord::default())) };
        if number(&head, FORMAT).is_some_and(|format| format > FORMAT_NOW) {
            return Err(StoreError::Refused(format!(
                "the design {} was applied to {} by a later version of Singlet: use that version or a newer one",
                self.design, self.table
            )));
        }
        let content = self.content(store, &head).await.map_err(in_memory)?;
        Ok(Recalled::Record(DesignRecord {
            version: number(&head, VERSION).unwrap_or_default(),
            content: content.as_deref().and_then(|json| self.parse(json)),
            started: string(&head, STARTED).map(str::to_owned),
        }))
    }

    /// Notes that an apply begins, and gives the version of that note.
    pub(super) async fn begin(
        &self,
        store: &impl Store,
        record: &DesignRecord,
        now: &str,
    ) -> Result<u64, StoreError> {
        let mut head = match record.version {
            0 => self.key(&self.design),
            _ => self.get(store, &self.design).await?.unwrap_or_else(|| self.key(&self.design)),
        };
        head.insert(STARTED, now);
        self.put_head(store, head, record.version).await
    }

    /// Remembers an applied design.
    pub(super) async fn remember(
        &self,
        store: &impl Store,
        content: &Content,
        version: u64,
        now: &str,
    ) -> Result<(), StoreError> {
        let before = self.get(store, &self.design).await?;
        let json = content.to_json().to_string();
        let digest = Sha256::digest(json.as_bytes());
        let hash: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let parts = split(&json);
        for (number, part) in parts.iter().enumerate().skip(1) {
            let mut item = self.key(&self.part_name(&hash, number as u64));
            item.insert(CONTENT, *part);
            self.put(store, item, None).await?;
        }
        let mut head = self.key(&self.design);
        head.insert("environment", self.environment.as_str());
        head.insert("applied_at", now);
        head.insert(HASH, hash.as_str());
        head.insert(PARTS, AttributeValue::N((parts.len() as u64).into()));
        head.insert(CONTENT, parts.first().copied().unwrap_or_default());
        self.put_head(store, head, version).await?;
        match before {
            Some(before) if string(&before, HASH) != Some(hash.as_str()) => {
                self.delete_parts(store, &before).await
            }
            _ => Ok(()),
        }
    }

    async fn put_head(&self, store: &impl Store, mut head: Item, expected: u64) -> Result<u64, StoreError> {
        let version = expected + 1;
        head.insert(VERSION, AttributeValue::N(version.into()));
        head.insert(FORMAT, AttributeValue::N(FORMAT_NOW.into()));
        self.put(store, head, Some(expected)).await.map(|()| version)
    }

    async fn put(&self, store: &impl Store, item: Item, expected: Option<u64>) -> Result<(), StoreError> {
        let condition = expected.map(|version| {
            let path = Path::attribute(VERSION);
            match version {
                0 => Condition::missing(path),
                _ => Condition::equal(path, AttributeValue::N(version.into())),
            }
        });
        let table = DESIGNS_TABLE.to_owned();
        store.put(PutItem { table, item, condition, returned: ReturnItem::None }).await.map(|_| ())
    }

    /// Deletes the items in which the content of a head goes on.
    async fn delete_parts(&self, store: &impl Store, head: &Item) -> Result<(), StoreError> {
        let (Some(hash), Some(parts)) = (string(head, HASH), number(head, PARTS)) else { return Ok(()) };
        for number in 1..parts.min(PARTS_MAX) {
            delete(store, self.key(&self.part_name(hash, number))).await?;
        }
        Ok(())
    }

    async fn content(&self, store: &impl Store, head: &Item) -> Result<Option<String>, StoreError> {
        let Some(mut json) = string(head, CONTENT).map(str::to_owned) else { return Ok(None) };
        let hash = string(head, HASH).unwrap_or_default();
        for number in 1..number(head, PARTS).unwrap_or(1).min(PARTS_MAX) {
            let part = self.get(store, &self.part_name(hash, number)).await?;
            let Some(part) = part.as_ref().and_then(|part| string(part, CONTENT)) else { return Ok(None) };
            json.push_str(part);
        }
        Ok(Some(json))
    }

    fn parse(&self, json: &str) -> Option<Content> {
        let json: Json = json.parse().ok()?;
        Some(Content {
            text: text(&json, "text")?,
            blueprint: Blueprint::from_json(json.get("blueprint")?)?,
            outdated: list(&json, "outdated", |one| self.mark(one))?,
        })
    }

    fn mark(&self, json: &Json) -> Option<Outdated> {
        Some(Outdated {
            table: self.table.clone(),
            entity: text(json, "entity")?,
            items: json.get("items")?.as_number()?.to_i64()?.try_into().ok()?,
            complete: json.get("complete")?.as_bool()?,
            reasons: texts(json, "reasons")?,
            accepted: true,
            old_type: text(json, "type")?,
        })
    }

    async fn get(&self, store: &impl Store, sort: &str) -> Result<Option<Item>, StoreError> {
        let (table, key) = (DESIGNS_TABLE.to_owned(), self.key(sort));
        let found = store.get(GetItem { table, key, consistent: true, projection: None }).await?;
        Ok(found.item.and_then(|item| item.decode().ok()))
    }

    fn key(&self, sort: &str) -> Item {
        Item::from([(KEY, self.table.as_str()), (SORT_KEY, sort)])
    }

    /// The sort key of a further part. No design has a space in its name.
    fn part_name(&self, hash: &str, number: u64) -> String {
        format!("{} {hash} {number}", self.design)
    }
}

impl Content {
    fn to_json(&self) -> Json {
        let mark = |one: &Outdated| {
            Json::from([
                ("entity", Json::from(one.entity.as_str())),
                ("type", Json::from(one.old_type.as_str())),
                ("items", Json::Number(one.items.into())),
                ("complete", Json::from(one.complete)),
                ("reasons", Json::from(one.reasons.clone())),
            ])
        };
        Json::from([
            ("text", Json::from(self.text.as_str())),
            ("blueprint", self.blueprint.to_json()),
            ("outdated", Json::List(self.outdated.iter().map(mark).collect())),
        ])
    }
}

/// Forgets every design of a table that was deleted.
pub(super) async fn forget(store: &impl Store, table: &str) -> Result<(), StoreError> {
    let mut next = Some(Query {
        table: DESIGNS_TABLE.to_owned(),
        index: None,
        key: KeyCondition::from_terms(vec![KeyTerm {
            attribute: KEY.to_owned(),
            test: KeyTest::Equal(AttributeValue::from(table)),
        }]),
        filter: None,
        projection: None,
        limit: None,
        forward: true,
        consistent: true,
        start_key: None,
    });
    while let Some(query) = next {
        let page = match store.query(query).await {
            Err(StoreError::NotFound(_)) => return Ok(()),
            page => page?,
        };
        for item in page.items.iter().filter_map(|item| item.decode().ok()) {
            let key = [KEY, SORT_KEY].into_iter().filter_map(|name| Some((name, item.get(name)?.clone())));
            delete(store, key.collect()).await?;
        }
        next = page.next;
    }
    Ok(())
}

async fn delete(store: &impl Store, key: Item) -> Result<(), StoreError> {
    let table = DESIGNS_TABLE.to_owned();
    store.delete(DeleteItem { table, key, condition: None, returned: ReturnItem::None }).await.map(|_| ())
}

/// Cuts a text into parts that fit into items; the first may be empty, and there is always one.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while rest.len() > PART_BYTES_MAX {
        let mut end = PART_BYTES_MAX;
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (part, tail) = rest.split_at(end);
        parts.push(part);
        rest = tail;
    }
    parts.push(rest);
    parts
}

fn string<'a>(item: &'a Item, name: &str) -> Option<&'a str> {
    match item.get(name)? {
        AttributeValue::S(text) => Some(text),
        _ => None,
    }
}

fn number(item: &Item, name: &str) -> Option<u64> {
    match item.get(name)? {
        AttributeValue::N(number) => number.to_i64()?.try_into().ok(),
        _ => None,
    }
}

/// Says what an error is about: most people have never heard of the table.
fn in_memory(error: StoreError) -> StoreError {
    let words = |reason: String| {
        format!("can't read the table {DESIGNS_TABLE}, in which Singlet remembers applied designs: {reason}")
    };
    match error {
        StoreError::Refused(reason) => StoreError::Refused(words(reason)),
        StoreError::Unavailable(reason) => StoreError::Unavailable(words(reason)),
        other => other,
    }
}
