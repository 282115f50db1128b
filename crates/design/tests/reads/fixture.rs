//! A small social network, built by hand, and a database that holds it.

use std::sync::Arc;

use singlet_design::json::Json;
use singlet_design::model::*;
use singlet_design::report::Span;
use singlet_design::run::{Arguments, Outcome, Paging, Record, RunError, Runner, derive};
use singlet_design::store::{self, Embedded, IndexShape, Store, TableChange, TableShape};
use singlet_design::template::Template;
use singlet_engine::values::{AttributeValue, Item};
use singlet_engine::{Database, ManualClock};

pub(crate) const NOW_MS: u64 = 1_750_000_000_000;

fn text(name: &str) -> KeyAttribute {
    KeyAttribute { name: name.to_owned(), kind: KeyKind::Text }
}

fn template(source: &str) -> Template {
    Template::parse(source).unwrap()
}

fn index(name: &str, partition: &[&str], sort: &[&str], projection: Projection) -> Arc<Index> {
    let attributes = |names: &[&str]| names.iter().map(|name| text(name)).collect();
    Arc::new(Index {
        name: name.to_owned(),
        partition: attributes(partition),
        sort: attributes(sort),
        projection,
        local: false,
        span: Span::default(),
    })
}

fn table() -> Arc<Table> {
    let mut places = (*index("Places", &["tenant"], &["city", "rank"], Projection::All)).clone();
    places.sort[1].kind = KeyKind::Number;
    Arc::new(Table {
        label: "social".to_owned(),
        name: "Social-{environment}".to_owned(),
        partition: text("PK"),
        sort: Some(text("SK")),
        type_attribute: "type".to_owned(),
        ttl: Some("expires_at".to_owned()),
        stream: false,
        separator: '#',
        indexes: vec![
            index("GSI1", &["GSI1PK"], &["GSI1SK"], Projection::All),
            index("Feed", &["FeedPK"], &["FeedSK"], Projection::Keys),
            Arc::new(places),
        ],
        span: Span::default(),
    })
}

fn field(name: &str, kind: FieldType) -> Field {
    Field {
        name: name.to_owned(),
        about: None,
        kind,
        optional: true,
        default: None,
        made: None,
        refers_to: None,
        span: Span::default(),
    }
}

pub(crate) fn kind_of(name: &str) -> FieldType {
    match name {
        "rank" | "likes" | "least" => FieldType::Int { min: None, max: None },
        "friends" => FieldType::Set { of: Box::new(FieldType::Id), max: None },
        "readers" => FieldType::List { of: Box::new(FieldType::Id), max: None, key: None },
        "expires_at" => FieldType::Epoch,
        _ => FieldType::Text { min: None, max: None },
    }
}

fn entity(
    table: &Arc<Table>,
    name: &str,
    key: [&str; 2],
    entries: &[(&str, &[&str], &[&str])],
    fields: &str,
) -> Arc<Entity> {
    let templates = |sources: &[&str]| sources.iter().map(|source| template(source)).collect();
    let entry = |(index, partition, sort): &(&str, &[&str], &[&str])| IndexEntry {
        index: table.index(index).unwrap().clone(),
        partition: templates(partition),
        sort: templates(sort),
        when: Vec::new(),
        span: Span::default(),
    };
    Arc::new(Entity {
        name: name.to_owned(),
        about: None,
        type_name: name.to_uppercase(),
        table: table.clone(),
        key: KeyTemplates { partition: template(key[0]), sort: Some(template(key[1])) },
        indexes: entries.iter().map(entry).collect(),
        unique: Vec::new(),
        ttl: None,
        fields: fields.split(' ').map(|name| field(name, kind_of(name))).collect(),
        relations: Vec::new(),
        span: Span::default(),
    })
}

pub(crate) fn pattern(name: &str, parameters: &[&str], operation: Operation) -> Arc<Pattern> {
    let parameter = |written: &&str| {
        let (name, required) = match written.strip_suffix('?') {
            Some(name) => (name, false),
            None => (*written, true),
        };
        let kind = match name.strip_suffix('*') {
            Some(_) => ParameterType::Prefix,
            None if name == "keys" => ParameterType::ListOf(Box::new(ParameterType::Field(FieldType::Id))),
            None => ParameterType::Field(kind_of(name)),
        };
        Parameter { name: name.trim_end_matches('*').to_owned(), kind, required, about: None }
    };
    Arc::new(Pattern {
        name: name.to_owned(),
        about: None,
        tags: Vec::new(),
        rate: None,
        within: None,
        parameters: parameters.iter().map(parameter).collect(),
        operation,
        span: Span::default(),
    })
}

pub(crate) struct Social {
    pub(crate) table: Arc<Table>,
    pub(crate) entities: Vec<Arc<Entity>>,
    pub(crate) patterns: Vec<Arc<Pattern>>,
}

impl Social {
    pub(crate) fn new() -> Self {
        let table = table();
        let entities = vec![
            entity(
                &table,
                "User",
                ["USER#{user_id}", "PROFILE"],
                &[("GSI1", &["NAME#{name}"], &["USER"])],
                "user_id name city expires_at friends",
            ),
            entity(
                &table,
                "Post",
                ["POST#{post_id}", "METADATA"],
                &[
                    ("GSI1", &["USER#{user_id}"], &["POST#{created_at}#{post_id}"]),
                    ("Feed", &["FEED#{shard:post_id/4}"], &["{created_at}"]),
                ],
                "post_id user_id created_at title likes expires_at readers",
            ),
            entity(
                &table,
                "Comment",
                ["POST#{post_id}", "COMMENT#{created_at}#{comment_id}"],
                &[],
                "post_id comment_id created_at words likes",
            ),
            entity(
                &table,
                "Note",
                ["POST#{post_id}", "COMMENT#{created_at}#NOTE#{note_id}"],
                &[],
                "post_id note_id created_at words",
            ),
            entity(
                &table,
                "Follow",
                ["USER#{user_id}", "FOLLOWING#{following_id}"],
                &[],
                "user_id following_id",
            ),
            entity(&table, "Dish", ["DISH#{kitchen}", "NAME#{name}#{dish_id}"], &[], "kitchen name dish_id"),
            entity(
                &table,
                "Place",
                ["PLACE#{place_id}", "PLACE"],
                &[("Places", &["{tenant}"], &["{city}", "{rank}"])],
                "place_id tenant city rank",
            ),
        ];
        Social { table, entities, patterns: Vec::new() }
    }

    pub(crate) fn entity(&self, name: &str) -> Arc<Entity> {
        self.entities.iter().find(|entity| entity.name == name).unwrap().clone()
    }

    pub(crate) fn get(&self, entity: &str, on: Option<&str>) -> Get {
        Get {
            entity: self.entity(entity),
            on: on.map(|on| self.table.index(on).unwrap().clone()),
            consistent: false,
            show: None,
            resolve: Vec::new(),
            show_expired: false,
        }
    }

    pub(crate) fn query(&self, entities: &[&str], on: Option<&str>) -> Query {
        Query {
            entities: entities.iter().map(|name| self.entity(name)).collect(),
            table: self.table.clone(),
            on: on.map(|on| self.table.index(on).unwrap().clone()),
            order: Order::Ascending,
            matched: Vec::new(),
            range: None,
            shards: None,
            filter: None,
            limit: Some(5),
            consistent: false,
            show: None,
            resolve: Vec::new(),
            show_expired: false,
        }
    }

    pub(crate) fn add(&mut self, name: &str, parameters: &[&str], operation: Operation) -> Arc<Pattern> {
        let pattern = pattern(name, parameters, operation);
        self.patterns.push(pattern.clone());
        pattern
    }

    pub(crate) fn open(self) -> Data {
        let store = Embedded::new(Database::in_memory().unwrap(), "memory");
        let shape = TableShape {
            name: self.table.name_in("test"),
            partition: self.table.partition.clone(),
            sort: self.table.sort.clone(),
            indexes: self
                .table
                .indexes
                .iter()
                .map(|index| IndexShape {
                    name: index.name.clone(),
                    partition: index.partition.clone(),
                    sort: index.sort.clone(),
                    projection: index.projection.clone(),
                    local: index.local,
                })
                .collect(),
            protected: false,
            ttl: None,
            stream: false,
        };
        store.change_table(&TableChange::Create(shape)).unwrap();
        let design = Arc::new(Design {
            name: "social".to_owned(),
            about: None,
            environments: Vec::new(),
            tables: vec![self.table],
            entities: self.entities,
            patterns: self.patterns,
        });
        let runner = Runner::new(design, store, "test").with_clock(Arc::new(ManualClock::new(NOW_MS)));
        Data { runner: runner.with_cursor_key([7; 32]) }
    }
}

/// A database with items of the design.
pub(crate) struct Data {
    pub(crate) runner: Runner<Embedded>,
}

impl Data {
    pub(crate) fn put(&self, entity: &str, fields: &[(&str, &str)]) {
        let value = |name: &str, text: &str| match kind_of(name) {
            FieldType::Int { .. } | FieldType::Epoch => AttributeValue::N(text.parse().unwrap()),
            FieldType::Set { .. } => AttributeValue::Ss(text.split(' ').map(str::to_owned).collect()),
            FieldType::List { .. } => AttributeValue::L(text.split(' ').map(AttributeValue::from).collect()),
            _ => AttributeValue::from(text),
        };
        let mut item: Item = fields.iter().map(|(name, text)| (*name, value(name, text))).collect();
        let expires = item.get("expires_at").cloned();
        let entity = self.runner.design().entity(entity).unwrap().clone();
        derive::complete(&entity, &mut item).unwrap();
        expires.map(|expires| item.insert("expires_at", expires));
        let table = entity.table.name_in("test");
        self.runner
            .store()
            .put(&store::Put { table, item, condition: None, returned: Default::default() })
            .unwrap();
    }

    pub(crate) fn run(&self, pattern: &str, arguments: &[(&str, &str)]) -> Result<Outcome, RunError> {
        self.runner.run(pattern, &given(arguments), &Paging::default())
    }

    pub(crate) fn json(&self, pattern: &str, arguments: &[(&str, &str)]) -> String {
        self.run(pattern, arguments).unwrap().to_json().to_string()
    }

    /// Runs through all pages of a list and gives a field of its items.
    pub(crate) fn pages(
        &self,
        pattern: &str,
        arguments: &[(&str, &str)],
        limit: u32,
        field: &str,
    ) -> Vec<String> {
        let mut cursor = None;
        let mut values = Vec::new();
        for _ in 0..10_000 {
            let paging = Paging { limit: Some(limit), cursor: cursor.take() };
            let (records, next) = items(self.runner.run(pattern, &given(arguments), &paging).unwrap());
            assert!(records.len() <= limit as usize);
            assert!(
                next.is_none() || records.len() == limit as usize,
                "a page is full unless it is the last"
            );
            values.extend(records.iter().map(|record| member(record, field)));
            match next {
                Some(next) => cursor = Some(next),
                None => return values,
            }
        }
        panic!("the list doesn't end");
    }
}

pub(crate) fn given(arguments: &[(&str, &str)]) -> Arguments {
    arguments
        .iter()
        .map(|(name, text)| ((*name).to_owned(), text.parse().unwrap_or_else(|_| Json::from(*text))))
        .collect()
}

pub(crate) fn items(outcome: Outcome) -> (Vec<Record>, Option<String>) {
    match outcome {
        Outcome::Items { records, cursor } => (records, cursor),
        other => panic!("no list: {other:?}"),
    }
}

pub(crate) fn member(record: &Record, field: &str) -> String {
    match record.to_json().get(field) {
        Some(Json::Text(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => match record.item.view().get(field) {
            Some(value) => singlet_design::value::to_json(value).as_text().unwrap_or_default().to_owned(),
            None => String::new(),
        },
    }
}
