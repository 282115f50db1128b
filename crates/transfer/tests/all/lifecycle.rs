//! The life of exports and imports: tokens, lists, rejections, and interruptions.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use crate::support::{BUCKET, Scene, TABLE, to_bucket};
use singlet_engine::values::{Item, ItemRef};
use singlet_engine::{
    BucketPlace, Buckets, ClientToken, CreateTable, Database, Error, ExportDescription, ExportTable,
    ExportWriter, ExportWritten, ImportCompression, ImportDescription, ImportFormat, ImportReader,
    ImportStep, ImportTable, Invalid, ItemChange, ListTransfers, Options, PutItem, ScalarType, TableStatus,
    TransferFailure, TransferStatus, verify,
};

const READY_WITHIN: Duration = Duration::from_secs(30);
const HOUR_MS: u64 = 3_600_000;

fn table(name: &str) -> CreateTable {
    CreateTable::new(name, "id", ScalarType::S)
}

fn token(text: &str, fingerprint: u128) -> Option<ClientToken> {
    Some(ClientToken { text: text.to_owned(), fingerprint })
}

fn import_of(name: &str, token: Option<ClientToken>) -> ImportTable {
    ImportTable {
        definition: table(name),
        source: BucketPlace::new(BUCKET),
        format: ImportFormat::DynamoDbJson,
        compression: ImportCompression::None,
        token,
    }
}

fn wait_until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < READY_WITHIN, "it does not come to an end");
        std::thread::park_timeout(Duration::from_millis(1));
    }
}

fn ended_export(database: &Database, arn: &str) -> ExportDescription {
    wait_until(|| {
        database.describe_export(arn).ok().filter(|export| export.status != TransferStatus::InProgress)
    })
}

fn ended_import(database: &Database, arn: &str) -> ImportDescription {
    wait_until(|| {
        database.describe_import(arn).ok().filter(|import| import.status != TransferStatus::InProgress)
    })
}

#[test]
fn a_request_that_is_sent_again_begins_nothing_for_eight_hours() {
    let scene = Scene::new();
    let database = &scene.database;
    database.create_table(table(TABLE)).unwrap();
    let request =
        |fingerprint| ExportTable { token: token("t", fingerprint), ..ExportTable::new(TABLE, to_bucket()) };
    let first = database.export_table(request(1)).unwrap();
    assert_eq!(first.status, TransferStatus::InProgress);
    let done = ended_export(database, &first.arn);
    assert_eq!(done.status, TransferStatus::Completed);
    assert_eq!(database.export_table(request(1)).unwrap(), done);
    assert!(matches!(database.export_table(request(2)), Err(Error::ExportConflict)));

    scene.put_object("a", r#"{"Item":{"id":{"S":"x"}}}"#);
    let import = database.import_table(import_of("new", token("t", 1))).unwrap();
    assert_eq!(import.table.status, TableStatus::Creating);
    let again = database.import_table(import_of("new", token("t", 1))).unwrap();
    assert_eq!(again.arn, import.arn);
    let other = database.import_table(import_of("new-2", token("t", 2)));
    assert!(matches!(other, Err(Error::ImportTokenMismatch)), "{other:?}");
    assert_eq!(ended_import(database, &import.arn).counts.imported_items, 1);

    scene.clock.advance_ms(8 * HOUR_MS + 1);
    let later = database.export_table(request(2)).unwrap();
    assert_ne!(later.arn, first.arn);
}

#[test]
fn exports_and_imports_are_listed_the_last_first_and_forgotten_after_ninety_days() {
    let scene = Scene::new();
    let database = &scene.database;
    for name in ["first", "second"] {
        database.create_table(table(name)).unwrap();
    }
    let mut arns = Vec::new();
    for turn in 0..5 {
        let name = if turn % 2 == 0 { "first" } else { "second" };
        let done = database.export_whole_table(ExportTable::new(name, to_bucket()), &mut |_| ()).unwrap();
        arns.push(done.arn);
        scene.clock.advance_ms(1);
    }
    arns.sort();
    arns.reverse();
    let mut page = ListTransfers { limit: Some(2), ..ListTransfers::default() };
    let mut listed = Vec::new();
    loop {
        let outcome = database.list_exports(&page).unwrap();
        listed.extend(outcome.transfers.into_iter().map(|export| export.arn));
        match outcome.last {
            Some(last) => page.start_after = Some(last),
            None => break,
        }
    }
    assert_eq!(listed, arns);
    let table_arn = database.describe_table("second").unwrap().arn;
    let of_second = ListTransfers { table_arn: Some(table_arn), ..ListTransfers::default() };
    assert_eq!(database.list_exports(&of_second).unwrap().transfers.len(), 2);
    assert_eq!(database.list_imports(&ListTransfers::default()).unwrap().transfers, []);
    let missing = database.describe_export(&format!("{}x", arns[0]));
    assert!(matches!(missing, Err(Error::ExportNotFound(_))));
    assert!(matches!(database.describe_import(&arns[0]), Err(Error::ImportNotFound(_))));

    scene.clock.advance_ms(91 * 24 * HOUR_MS);
    for _ in 0..2 {
        database.export_whole_table(ExportTable::new("first", to_bucket()), &mut |_| ()).unwrap();
    }
    assert_eq!(database.list_exports(&ListTransfers::default()).unwrap().transfers.len(), 2);
}

#[test]
fn without_buckets_the_error_names_the_option() {
    let database = Database::in_memory().unwrap();
    database.create_table(table(TABLE)).unwrap();
    let exported = database.export_table(ExportTable::new(TABLE, to_bucket())).unwrap_err();
    let imported = database.import_table(import_of("new", None)).unwrap_err();
    for refused in [exported, imported] {
        assert!(matches!(refused, Error::Invalid(Invalid::NoBuckets)), "{refused:?}");
        assert!(refused.to_string().contains("--buckets DIR"), "{refused}");
    }
    assert_eq!(database.list_exports(&ListTransfers::default()).unwrap().transfers, []);
}

#[test]
fn an_export_into_a_bucket_that_is_not_there_fails_and_says_what_to_do() {
    let scene = Scene::new();
    scene.database.create_table(table(TABLE)).unwrap();
    let request = ExportTable::new(TABLE, BucketPlace::new("missing"));
    let begun = scene.database.export_table(request).unwrap();
    let failure = ended_export(&scene.database, &begun.arn).failure.unwrap();
    assert_eq!(failure.code, "S3NoSuchBucket");
    assert!(failure.message.contains("make a folder missing"), "{failure}");
}

/// Buckets in which everything waits until it is released.
#[derive(Clone, Default)]
struct Waiting(Arc<(Mutex<bool>, Condvar)>);

impl Waiting {
    fn let_go(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    fn wait(&self) {
        drop(self.0.1.wait_while(self.0.0.lock().unwrap(), |gone| !*gone).unwrap());
    }
}

impl Buckets for Waiting {
    fn check(&self, _: &BucketPlace) -> Result<(), Invalid> {
        Ok(())
    }

    fn begin_export(&self, _: &ExportDescription) -> Result<Box<dyn ExportWriter>, TransferFailure> {
        Ok(Box::new(self.clone()))
    }

    fn open_import(&self, _: &ImportDescription) -> Result<Box<dyn ImportReader>, TransferFailure> {
        Ok(Box::new(self.clone()))
    }
}

impl ExportWriter for Waiting {
    fn item(&mut self, _: ItemRef<'_>) -> Result<(), TransferFailure> {
        self.wait();
        Ok(())
    }

    fn change(&mut self, _: &ItemChange<'_>) -> Result<(), TransferFailure> {
        self.wait();
        Ok(())
    }

    fn finish(self: Box<Self>, _: u64) -> Result<ExportWritten, TransferFailure> {
        Ok(ExportWritten::default())
    }
}

impl ImportReader for Waiting {
    fn step(&mut self) -> Result<Option<ImportStep>, TransferFailure> {
        self.wait();
        Ok(Some(ImportStep::Item(Item::from([("id", "x")]))))
    }

    fn place(&self) -> String {
        String::new()
    }

    fn read_bytes(&self) -> u64 {
        0
    }

    fn stored_bytes(&self) -> (u64, u64) {
        (0, 0)
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn what_was_interrupted_has_failed_after_the_restart_and_the_table_of_an_import_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let (data, copied) = (folder.path().join("data"), folder.path().join("copied"));
    let waiting = Waiting::default();
    let options = Options { buckets: Some(Arc::new(waiting.clone())), ..Options::default() };
    let database = Database::open_with(&data, options.clone()).unwrap();
    database.create_table(table(TABLE)).unwrap();
    for id in 0..1_000 {
        database.put_item(PutItem::new(TABLE, Item::from([("id", id.to_string())]))).unwrap();
    }
    let export = database.export_table(ExportTable::new(TABLE, to_bucket())).unwrap();
    let import = database.import_table(import_of("new", None)).unwrap();
    assert_eq!(database.describe_export(&export.arn).unwrap().status, TransferStatus::InProgress);
    assert_eq!(database.describe_table("new").unwrap().status, TableStatus::Creating);

    // The power fails now.
    copy(&data, &copied);
    let after = Database::open_with(&copied, options.clone()).unwrap();
    check_interrupted(&after, &export.arn, &import.arn);
    after.close().unwrap();
    drop(after);
    let verified = verify(&copied, None, &mut |_| ()).unwrap();
    assert_eq!(verified.findings, []);

    // An orderly shutdown is announced before it closes.
    let closing = std::thread::spawn({
        let database = database.clone();
        move || database.close().unwrap()
    });
    wait_until(|| database.export_table(ExportTable::new(TABLE, to_bucket())).is_err().then_some(()));
    waiting.let_go();
    closing.join().unwrap();
    drop(database);
    let database = Database::open_with(&data, options).unwrap();
    check_interrupted(&database, &export.arn, &import.arn);
}

fn check_interrupted(database: &Database, export: &str, import: &str) {
    let (export, import) =
        (database.describe_export(export).unwrap(), database.describe_import(import).unwrap());
    assert_eq!((export.status, import.status), (TransferStatus::Failed, TransferStatus::Failed));
    for failure in [export.failure, import.failure] {
        assert_eq!(failure.unwrap().code, "Interrupted");
    }
    assert!(database.describe_table("new").is_err());
    assert_eq!(database.describe_table(TABLE).unwrap().item_count, 1_000);
}

/// A bucket with an unexpected fault.
#[derive(Debug)]
struct Faulty;

impl Buckets for Faulty {
    fn check(&self, _: &BucketPlace) -> Result<(), Invalid> {
        Ok(())
    }

    fn begin_export(&self, _: &ExportDescription) -> Result<Box<dyn ExportWriter>, TransferFailure> {
        panic!("a fault in the writer")
    }

    fn open_import(&self, _: &ImportDescription) -> Result<Box<dyn ImportReader>, TransferFailure> {
        panic!("a fault in the reader")
    }
}

#[test]
fn a_panic_fails_an_export_or_import_instead_of_leaving_it_under_way() {
    let options = Options { buckets: Some(Arc::new(Faulty)), ..Options::default() };
    let database = Database::in_memory_with(options).unwrap();
    database.create_table(table(TABLE)).unwrap();

    let export = database.export_whole_table(ExportTable::new(TABLE, to_bucket()), &mut |_| ()).unwrap();
    assert_eq!(export.status, TransferStatus::Failed);
    assert_eq!(database.describe_export(&export.arn).unwrap().status, TransferStatus::Failed);

    let import = database.import_whole_table(import_of("imported", None), &mut |_| ()).unwrap();
    assert_eq!(import.status, TransferStatus::Failed);
    assert_eq!(database.describe_import(&import.arn).unwrap().failure.unwrap().code, "InternalServerError");
    assert!(database.describe_table("imported").is_err(), "nothing is left");
    let again = database.import_whole_table(import_of("imported", None), &mut |_| ()).unwrap();
    assert_ne!(again.arn, import.arn, "the name is free for another import");
}
