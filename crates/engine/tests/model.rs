//! Random sequences of operations: the engine answers like a simple reference, and ends with the same tables and
//! indexes, also after restarts.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod reference;
mod support;

use std::sync::Arc;

use proptest::prelude::*;
use reference::{
    Answer, Edit, IndexName, Key, Operation, Reason, Reference, Refusal, TableName, Test, Transacted,
    Written, operations,
};
use singlet_engine::expr::{Condition, Update};
use singlet_engine::values::{AttributeValue, Item};
use singlet_engine::{
    BatchWrite, BatchWriteAction, CancellationReason, CreateTable, Database, DeleteItem, Error, FileDisk,
    GetItem, InUse, IndexDefinition, Invalid, ListTables, ManualClock, MemoryDisk, Options,
    ProjectedAttributes, PutItem, Query, Result, ReturnValues, ScalarType, Scan, SchemaError, TransactAction,
    TransactWrite, UpdateItem, UpdateTable,
};
use support::{
    START_MS, assert_agreement, cases, condition, decode, derived_entries, item, key_condition, query_all,
    scan_all, small_options, sorted, update, wait_until_settled,
};

impl TableName {
    fn name(self) -> &'static str {
        match self {
            TableName::Sorted => "sorted",
            TableName::Plain => "plain",
        }
    }

    fn create(self) -> CreateTable {
        match self {
            TableName::Sorted => CreateTable::new(self.name(), "pk", ScalarType::S)
                .sort_key("sk", ScalarType::N)
                .attribute("l", ScalarType::S)
                .local_index(IndexName::Local.definition()),
            TableName::Plain => CreateTable::new(self.name(), "pk", ScalarType::S)
                .attribute("g", ScalarType::S)
                .global_index(IndexName::Born.definition()),
        }
    }
}

impl IndexName {
    fn definition(self) -> IndexDefinition {
        let include = ProjectedAttributes::Include(vec!["t".to_owned()]);
        match self {
            IndexName::Local => {
                IndexDefinition::new("local", &["pk"], &["l"]).projection(ProjectedAttributes::KeysOnly)
            }
            IndexName::Born => IndexDefinition::new("born", &["g"], &[]),
            IndexName::Group => IndexDefinition::new("group", &["g"], &[]),
            IndexName::GroupByNumber => IndexDefinition::new("group-by-number", &["g"], &["n"])
                .projection(ProjectedAttributes::KeysOnly),
            IndexName::Multi => IndexDefinition::new("multi", &["l", "g"], &["n"]).projection(include),
        }
    }

    fn create_on(self, table: TableName) -> UpdateTable {
        let definition = self.definition();
        let mut request = UpdateTable::new(table.name());
        for name in definition.key.partition.iter().chain(&definition.key.sort) {
            request = request.attribute(name, if name == "n" { ScalarType::N } else { ScalarType::S });
        }
        request.create_index(definition)
    }
}

impl Test {
    fn condition(self) -> Option<Condition> {
        match self {
            Test::Always => None,
            Test::Exists => Some(condition("attribute_exists(pk)", item! {})),
            Test::Absent => Some(condition("attribute_not_exists(pk)", item! {})),
            Test::Equals(n) => Some(condition("n = :n", item! { ":n" => n })),
            Test::AtLeast(n) => Some(condition("n >= :n", item! { ":n" => n })),
        }
    }
}

impl Edit {
    fn update(&self) -> Update {
        let tags = |tag: &String| AttributeValue::Ss([tag.clone()].into());
        match self {
            Edit::SetNumber(n) => update("SET n = :n", item! { ":n" => *n }),
            Edit::AddNumber(n) => update("ADD n :n", item! { ":n" => *n }),
            Edit::PlusNumber(n) => update("SET n = n + :n", item! { ":n" => *n }),
            Edit::DefaultNumber(n) => update("SET n = if_not_exists(n, :n)", item! { ":n" => *n }),
            Edit::SetGroup(g) => update("SET g = :g", item! { ":g" => g.clone() }),
            Edit::RemoveGroup => update("REMOVE g", item! {}),
            Edit::SetTexts(l, t) => {
                update("SET l = :l, t = :t", item! { ":l" => l.as_str(), ":t" => t.as_str() })
            }
            Edit::Append(n) => update(
                "SET trail = list_append(if_not_exists(trail, :none), :one)",
                item! { ":none" => Vec::<AttributeValue>::new(), ":one" => vec![AttributeValue::from(*n)] },
            ),
            Edit::AddTag(tag) => update("ADD tags :tags", item! { ":tags" => tags(tag) }),
            Edit::DeleteTag(tag) => update("DELETE tags :tags", item! { ":tags" => tags(tag) }),
        }
    }
}

/// A write as one action of a transaction, from which single writes are taken as well.
fn action(table: TableName, written: &Written) -> TransactAction {
    let name = table.name();
    let (test, return_old_on_failure) = written.condition();
    let (condition, key) = (test.condition(), table.key(written.key()));
    match written {
        Written::Put { .. } => {
            let item = written.item(table).expect("a put has an item");
            PutItem { condition, return_old_on_failure, ..PutItem::new(name, item) }.into()
        }
        Written::Update { edit, .. } => {
            UpdateItem { condition, return_old_on_failure, ..UpdateItem::new(name, key, edit.update()) }
                .into()
        }
        Written::Delete { .. } => {
            DeleteItem { condition, return_old_on_failure, ..DeleteItem::new(name, key) }.into()
        }
        Written::Check { .. } => TransactAction::Check {
            table: name.to_owned(),
            key,
            condition: condition.unwrap_or_else(always),
            return_old_on_failure,
        },
    }
}

/// A check must have a condition; this one holds for every item and for none.
fn always() -> Condition {
    condition("attribute_not_exists(pk) OR attribute_exists(pk)", item! {})
}

/// An engine that is asked the same as the reference, and its disk, which outlives it.
struct Engine {
    /// Gone only while the database restarts.
    database: Option<Database>,
    open: Box<dyn Fn() -> Database>,
    clock: Arc<ManualClock>,
}

impl Engine {
    fn new(open: impl Fn(Options) -> Database + 'static) -> Self {
        let clock = Arc::new(ManualClock::new(START_MS));
        let options = Options { clock: clock.clone(), ..small_options() };
        let open = Box::new(move || open(options.clone()));
        Engine { database: Some(open()), open, clock }
    }

    fn database(&self) -> &Database {
        self.database.as_ref().expect("the database is open between operations")
    }

    fn answer(&mut self, operation: &Operation) -> Answer {
        self.perform(operation).unwrap_or_else(answer_of)
    }

    fn perform(&mut self, operation: &Operation) -> Result<Answer> {
        let database = self.database();
        let done = Answer::Done(None);
        match operation {
            Operation::Write { table, written, values } => write(database, *table, written, *values),
            Operation::Batch(batch) => {
                let actions = batch.iter().map(|(table, written)| batch_action(*table, written)).collect();
                database.batch_write(BatchWrite::new(actions)).map(|_| done)
            }
            Operation::Transact { actions, token } => transact(database, actions, *token),
            Operation::Get(table, key) => {
                let found = database.get_item(&GetItem::new(table.name(), table.key(*key)))?;
                Ok(Answer::Done(found.item.as_ref().map(decode)))
            }
            Operation::Query(table, key) => query(database, *table, *key),
            Operation::CreateTable(table) => database.create_table(table.create()).map(|_| done),
            Operation::DeleteTable(table) => database.delete_table(table.name()).map(|_| done),
            Operation::CreateIndex(table, index) => {
                self.settle(*table);
                database.update_table(index.create_on(*table)).map(|_| done)
            }
            Operation::DeleteIndex(table, index) => {
                self.settle(*table);
                let request = UpdateTable::new(table.name()).delete_index(index.definition().name);
                database.update_table(request).map(|_| done)
            }
            Operation::Advance { by_ms } => {
                self.clock.advance_ms(*by_ms);
                Ok(done)
            }
            Operation::Restart { closes } => {
                if *closes {
                    database.close()?;
                }
                self.database = None;
                self.database = Some((self.open)());
                Ok(done)
            }
        }
    }

    /// One index is made at a time. Items are written while it is; only the next index waits.
    fn settle(&self, table: TableName) {
        if self.database().describe_table(table.name()).is_ok() {
            wait_until_settled(self.database(), table.name());
        }
    }

    /// Both have the same tables, and each table the same items and indexes.
    fn assert_equals(&self, reference: &Reference) {
        let database = self.database();
        let mut expected: Vec<&str> = reference.tables().keys().map(|table| table.name()).collect();
        expected.sort_unstable();
        assert_eq!(database.list_tables(&ListTables::default()).names, expected);
        for (name, table) in reference.tables() {
            let items: Vec<Item> = table.items.values().cloned().collect();
            assert_eq!(sorted(assert_agreement(database, name.name())), sorted(items.clone()), "{name:?}");
            let description = database.describe_table(name.name()).expect("the table is there");
            let indexes = table.indexes.iter().copied().chain(name.indexes_from_birth());
            let mut expected: Vec<String> = indexes.map(|index| index.definition().name).collect();
            expected.sort_unstable();
            let described = || description.local_indexes.iter().chain(&description.global_indexes);
            let mut found: Vec<&str> = described().map(|index| index.definition.name.as_str()).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "indexes of {name:?}");
            for index in described() {
                let entries = scan_all(database, &Scan::new(name.name()).index(&index.definition.name));
                let derived = derived_entries(&description, index, &items);
                assert_eq!(sorted(entries), sorted(derived), "index {} of {name:?}", index.definition.name);
            }
        }
    }
}

fn write(database: &Database, table: TableName, written: &Written, values: ReturnValues) -> Result<Answer> {
    let outcome = match action(table, written) {
        TransactAction::Put(put) => database.put_item(put.return_values(values)),
        TransactAction::Update(update) => database.update_item(update.return_values(values)),
        TransactAction::Delete(delete) => database.delete_item(delete.return_values(values)),
        TransactAction::Check { .. } => unreachable!("a check is part of a transaction"),
    }?;
    Ok(Answer::Done(outcome.attributes.as_ref().map(decode)))
}

fn batch_action(table: TableName, written: &Written) -> BatchWriteAction {
    let name = table.name().to_owned();
    match written.item(table) {
        Some(item) => BatchWriteAction::Put { table: name, item },
        None => BatchWriteAction::Delete { table: name, key: table.key(written.key()) },
    }
}

fn transact(database: &Database, actions: &[Transacted], token: Option<u8>) -> Result<Answer> {
    let actions = actions.iter().map(|(table, written)| action(*table, written)).collect();
    let mut request = TransactWrite::new(actions);
    request.token = token.map(|token| format!("token {token}"));
    database.transact_write(request).map(|_| Answer::Done(None))
}

fn query(database: &Database, table: TableName, key: Key) -> Result<Answer> {
    database.describe_table(table.name()).map_err(|_| Error::TableNotFound)?;
    let partition = table.key(key).get("pk").cloned().expect("a key has a partition key");
    let of_partition = key_condition("pk = :pk", item! { ":pk" => partition });
    Ok(Answer::Items(query_all(database, &Query::new(table.name(), of_partition).limit(2))))
}

/// The engine's errors as answers.
fn answer_of(error: Error) -> Answer {
    let refusal = match error {
        Error::ConditionFailed { item } => return Answer::ConditionFailed(item.as_ref().map(decode)),
        Error::TransactionCanceled { reasons } => {
            return Answer::Canceled(reasons.iter().map(reason_of).collect());
        }
        Error::TableNotFound => Refusal::TableNotFound,
        Error::ResourceNotFound(_) => Refusal::ResourceNotFound,
        Error::ResourceInUse(InUse::TableExists(_)) => Refusal::TableExists,
        Error::TokenMismatch => Refusal::TokenMismatch,
        Error::Invalid(Invalid::Schema(SchemaError::IndexExists(_))) => Refusal::IndexExists,
        Error::Invalid(Invalid::IndexKeyType { .. }) => Refusal::IndexKeyType,
        Error::Invalid(Invalid::DuplicateKeys | Invalid::DuplicateTransactionItems) => Refusal::Duplicate,
        Error::Invalid(Invalid::Expression(_)) => Refusal::Expression,
        other => return Answer::Unexpected(other.to_string()),
    };
    Answer::Refused(refusal)
}

fn reason_of(reason: &CancellationReason) -> Reason {
    match reason {
        CancellationReason::None => Reason::None,
        CancellationReason::ConditionFailed { item } => Reason::ConditionFailed(item.as_ref().map(decode)),
        _ => Reason::Invalid,
    }
}

fn assert_alike(mut engine: Engine, operations: &[Operation]) {
    let mut reference = Reference::new(START_MS);
    for (number, operation) in operations.iter().enumerate() {
        let expected = reference.answer(operation);
        assert_eq!(engine.answer(operation), expected, "operation {number}: {operation:?}");
        if matches!(operation, Operation::Restart { .. }) {
            engine.assert_equals(&reference);
        }
    }
    engine.assert_equals(&reference);
    engine.answer(&Operation::Restart { closes: true });
    engine.assert_equals(&reference);
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn a_database_in_memory_behaves_like_the_reference(operations in operations(1..120)) {
        let disk = Arc::new(MemoryDisk::new());
        let open = move |options| Database::open_on(disk.clone(), options).expect("the disk is in order");
        assert_alike(Engine::new(open), &operations);
    }
}

proptest! {
    #![proptest_config(cases(25))]

    #[test]
    fn an_encrypted_database_behaves_like_the_reference(operations in operations(1..120)) {
        let disk = Arc::new(MemoryDisk::new());
        let open = move |mut options: Options| {
            options.store.key = Some(singlet_engine::Key::from_bytes([5; 32]));
            Database::open_on(disk.clone(), options).expect("the disk is in order")
        };
        assert_alike(Engine::new(open), &operations);
    }
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn a_database_in_files_behaves_like_the_reference(operations in operations(1..120)) {
        let folder = tempfile::tempdir().expect("a folder");
        let open = move |options| {
            let disk = FileDisk::open(folder.path()).expect("nobody else has the folder");
            Database::open_on(Arc::new(disk), options).expect("the folder is in order")
        };
        assert_alike(Engine::new(open), &operations);
    }
}
