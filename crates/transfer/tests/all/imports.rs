//! Imports: files from AWS, files from people, and invalid files.

use std::fs;
use std::io::Write as _;

use crate::support::{BUCKET, Scene, contents};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use singlet_engine::values::{AttributeValue, Item, Number};
use singlet_engine::{
    BucketPlace, CreateTable, Error, ExportTable, GetItem, ImportCompression, ImportFormat, ImportTable,
    IndexDefinition, ScalarType, TransferStatus,
};

const CSV: ImportFormat = ImportFormat::Csv { delimiter: None, header: None };

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A table of products by number.
fn products(name: &str) -> CreateTable {
    CreateTable::new(name, "Id", ScalarType::N)
}

/// An export as in DynamoDB's documentation: two data files, one of them empty, and manifests.
fn lay_out_as_aws(scene: &Scene) -> String {
    let folder = "2020-Nov/AWSDynamoDB/01234567890123-a1b2c3d4";
    let lines = concat!(
        r#"{"Item":{"Authors":{"SS":["Author1","Author2"]},"Dimensions":{"S":"8.5 x 11.0 x 1.5"},"ISBN":{"S":"333-3333333333"},"Id":{"N":"103"},"InPublication":{"BOOL":false},"PageCount":{"N":"600"},"Price":{"N":"2000"},"ProductCategory":{"S":"Book"},"Title":{"S":"Book 103 Title"}}}"#,
        "\n",
        r#"{"Item":{"Brand":{"S":"Brand-Company D"},"Color":{"SS":["Green","Red"]},"Description":{"S":"205 Description"},"Id":{"N":"205"},"Price":{"N":"500"},"Title":{"S":"20-Bike-205"}}}"#,
        "\n"
    );
    scene.put_object(&format!("{folder}/_started"), "");
    scene.put_object(&format!("{folder}/data/asdl123dasas.json.gz"), gzip(lines.as_bytes()));
    scene.put_object(&format!("{folder}/data/p4wvfhzncm5kzbrcnq6ecvdcoy.json.gz"), gzip(b""));
    scene.put_object(&format!("{folder}/manifest-summary.json"), r#"{"version":"2020-06-30","itemCount":2}"#);
    scene.put_object(&format!("{folder}/manifest-summary.md5"), "x");
    scene.put_object(&format!("{folder}/manifest-files.json"), "{}\n");
    scene.put_object(&format!("{folder}/manifest-files.md5"), "x");
    format!("{folder}/data/")
}

#[test]
fn an_export_laid_out_as_aws_does_is_imported() {
    let scene = Scene::new();
    let prefix = lay_out_as_aws(&scene);
    let done = scene.import(products("new"), &prefix, ImportFormat::DynamoDbJson, ImportCompression::Gzip);
    assert_eq!(
        (done.status, done.counts.imported_items, done.counts.errors),
        (TransferStatus::Completed, 2, 0)
    );
    let found = scene.database.get_item(&GetItem::new("new", Item::from([("Id", 103)]))).unwrap();
    let item = found.item.unwrap().decode().unwrap();
    assert_eq!(item.get("InPublication"), Some(&AttributeValue::Bool(false)));
    assert_eq!(
        item.get("Authors"),
        Some(&AttributeValue::Ss(["Author1".to_owned(), "Author2".to_owned()].into()))
    );
    assert_eq!(scene.database.describe_import(&done.arn).unwrap().counts, done.counts);
}

#[test]
fn every_compression_is_read_and_a_wrong_one_is_an_error_of_each_object() {
    let scene = Scene::new();
    let line = b"{\"Item\":{\"Id\":{\"N\":\"1\"}}}\r\n\r\n{\"Item\":{\"Id\":{\"N\":\"2\"}}}";
    scene.put_object("plain/a", line);
    scene.put_object("gzip/a", [gzip(line), gzip(b"\n{\"Item\":{\"Id\":{\"N\":\"3\"}}}")].concat());
    scene.put_object("zstd/a", compress_to_vec(&line[..], CompressionLevel::Fastest));
    for (prefix, compression, items) in [
        ("plain/", ImportCompression::None, 2),
        ("gzip/", ImportCompression::Gzip, 3),
        ("zstd/", ImportCompression::Zstd, 2),
    ] {
        let name = format!("from-{}", prefix.trim_end_matches('/'));
        let done = scene.import(products(&name), prefix, ImportFormat::DynamoDbJson, compression);
        assert_eq!((done.status, done.counts.imported_items), (TransferStatus::Completed, items), "{prefix}");
        assert_eq!(scene.database.describe_table(&name).unwrap().item_count, items);
    }
    for (prefix, compression) in [
        ("plain/", ImportCompression::Gzip),
        ("plain/", ImportCompression::Zstd),
        ("gzip/", ImportCompression::None),
        ("zstd/", ImportCompression::Gzip),
    ] {
        let done = scene.import(products("wrong"), prefix, ImportFormat::DynamoDbJson, compression);
        assert_eq!(done.status, TransferStatus::Failed, "{prefix} {compression:?}");
        assert_eq!(done.failure.unwrap().code, "ItemValidationError");
        assert!(done.counts.errors > 0);
        assert!(scene.database.describe_table("wrong").is_err(), "nothing is left, and the name is free");
    }
}

#[test]
fn a_zstandard_file_that_needs_a_huge_window_fails_the_import_and_says_what_to_do() {
    let scene = Scene::new();
    // A window of 3.75 TB, then 16,000 blocks of 128 KB in four bytes each.
    let mut bomb = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 0xFF];
    bomb.extend([0x02, 0x00, 0x10, b' '].repeat(16_000));
    scene.put_object(
        "good",
        compress_to_vec(&b"{\"Item\":{\"Id\":{\"N\":\"1\"}}}"[..], CompressionLevel::Fastest),
    );
    scene.put_object("bomb", &bomb);
    let done = scene.import(products("bomb"), "", ImportFormat::DynamoDbJson, ImportCompression::Zstd);
    assert_eq!(done.status, TransferStatus::Failed);
    let failure = done.failure.unwrap();
    assert_eq!(failure.code, "UnsupportedCompression");
    assert!(failure.message.starts_with("can't read the object bomb: "), "{failure}");
    assert!(failure.message.contains("zstd -19"), "{failure}");
    assert!(scene.database.describe_table("bomb").is_err(), "nothing is left, and the name is free");
}

#[test]
fn failures_tell_callers_no_paths_of_the_server() {
    let scene = Scene::new();
    let path = scene.folder.path().display().to_string();
    let import = |bucket: &str, prefix: &str| {
        let source = BucketPlace::new(bucket).prefix(prefix);
        let (format, compression) = (ImportFormat::DynamoDbJson, ImportCompression::None);
        let request = ImportTable { definition: products("t-1"), source, format, compression, token: None };
        let done = scene.database.import_whole_table(request, &mut |_| ()).unwrap();
        done.failure.unwrap().message
    };
    fs::write(scene.folder.path().join("file"), "").unwrap();
    // A bucket to which no export can be written.
    fs::create_dir(scene.folder.path().join("full")).unwrap();
    fs::write(scene.folder.path().join("full/AWSDynamoDB"), "").unwrap();
    scene.database.create_table(products("source")).unwrap();
    let export = |bucket: &str| {
        let request = ExportTable::new("source", BucketPlace::new(bucket));
        scene.database.export_whole_table(request, &mut |_| ()).unwrap().failure.unwrap().message
    };
    for message in [
        import("none", ""),
        import(BUCKET, "none"),
        import("file", ""),
        export("none"),
        export("file"),
        export("full"),
    ] {
        assert!(!message.contains(&path), "{message}");
    }
    assert!(export("full").starts_with("can't write in the bucket: "));
    assert!(import("none", "").contains("make a folder none"));
}

#[test]
fn wrong_lines_are_counted_and_the_others_imported() {
    let scene = Scene::new();
    let long = format!(r#"{{"Item":{{"Id":{{"N":"8"}},"x":{{"S":"{}"}}}}}}"#, "x".repeat(500_000));
    let endless = format!(r#"{{"Item":{{"Id":{{"N":"9"}},"x":{{"S":"{}"}}}}}}"#, "x".repeat(9 << 20));
    let lines = [
        r#"{"Item":{"Id":{"N":"1"}}}"#,
        "not json",
        r#"{"Item":{"Id":{"S":"a string"}}}"#,
        r#"{"Item":{"Other":{"N":"1"}}}"#,
        r#"{"Item":{"Id":{"N":"2"},"group":{"N":"1"}}}"#,
        r#"{"Item":{"Id":{"N":"3"},"group":{"S":""}}}"#,
        r#"{"Keys":{"Id":{"N":"4"}}}"#,
        &long,
        &endless,
        "\u{FEFF}",
        r#"{"Item":{"Id":{"N":"5"},"group":{"S":"g"}}}"#,
        r#"{"Item":{"Id":{"N":"1.0"},"group":{"S":"again"}}}"#,
    ];
    scene.put_object("a.json", lines.join("\n"));
    let table = products("new").attribute("group", ScalarType::S).global_index(IndexDefinition::new(
        "groups",
        &["group"],
        &[],
    ));
    let done = scene.import(table, "a.json", ImportFormat::DynamoDbJson, ImportCompression::None);
    assert_eq!(done.status, TransferStatus::Completed);
    let counts = done.counts;
    assert_eq!((counts.processed_items, counts.imported_items, counts.errors), (12, 3, 9));
    assert_eq!(counts.processed_bytes as usize, lines.join("\n").len());
    assert_eq!(contents(&scene.database, "new", None).len(), 2, "a key that comes again replaces");
    assert_eq!(contents(&scene.database, "new", Some("groups")).len(), 2);
}

#[test]
fn csv_becomes_items_with_typed_keys() {
    let scene = Scene::new();
    scene.put_object("one.csv", "Id,Title,Price\r\n1,\"Book, \"\"thick\"\"\",20\r\n2,,\r\n3\r\n");
    scene.put_object("two.csv", "Title,Id\nother order,4\nnot a number,x\ntoo,5,many\n");
    let done = scene.import(products("new"), "", CSV, ImportCompression::None);
    assert_eq!((done.counts.processed_items, done.counts.imported_items, done.counts.errors), (6, 4, 2));
    let get = |id: i64| {
        let found = scene.database.get_item(&GetItem::new("new", Item::from([("Id", id)]))).unwrap();
        found.item.unwrap().decode().unwrap()
    };
    let with = |id: i64, members: &[(&str, &str)]| {
        let mut item = Item::from([("Id", id)]);
        members.iter().for_each(|(name, value)| _ = item.insert(*name, *value));
        item
    };
    assert_eq!(get(1), with(1, &[("Title", "Book, \"thick\""), ("Price", "20")]));
    assert_eq!(get(2), with(2, &[("Title", ""), ("Price", "")]));
    assert_eq!(get(3), with(3, &[]));
    assert_eq!(get(4), with(4, &[("Title", "other order")]));
    assert_eq!(get(1).get("Id"), Some(&AttributeValue::N("1".parse::<Number>().unwrap())));
}

#[test]
fn names_and_delimiter_of_csv_can_be_given() {
    let scene = Scene::new();
    scene.put_object("a.csv", gzip(b"1|x\n2|y\n"));
    let header = Some(vec!["Id".to_owned(), "v".to_owned()]);
    let format = ImportFormat::Csv { delimiter: Some(b'|'), header };
    let done = scene.import(products("new"), "a", format, ImportCompression::Gzip);
    assert_eq!((done.counts.imported_items, done.counts.errors), (2, 0));
}

fn start(scene: &Scene, source: BucketPlace) -> Result<singlet_engine::ImportDescription, Error> {
    let (format, compression) = (ImportFormat::DynamoDbJson, ImportCompression::None);
    let request = ImportTable { definition: products("new"), source, format, compression, token: None };
    scene.database.import_whole_table(request, &mut |_| ())
}

#[test]
fn nothing_outside_the_buckets_is_read_or_written() {
    let scene = Scene::new();
    std::fs::write(scene.folder.path().join("secret"), "{\"Item\":{\"Id\":{\"N\":\"1\"}}}").unwrap();
    let hostile = ["..", ".", "", "exports/../..", "/etc", "a/b", "a\\b", "exports\0"];
    for bucket in hostile {
        let refused = start(&scene, BucketPlace::new(bucket));
        assert!(matches!(refused, Err(Error::Invalid(_))), "{bucket:?} {refused:?}");
    }
    for prefix in ["..", "../secret", "a/../../secret", "/etc/passwd", "a//b", "./x", "a\\..\\b", "a\0"] {
        let refused = start(&scene, BucketPlace::new(BUCKET).prefix(prefix));
        assert!(matches!(refused, Err(Error::Invalid(_))), "{prefix:?} {refused:?}");
        let export = singlet_engine::ExportTable::new("new", BucketPlace::new(BUCKET).prefix(prefix));
        let refused = scene.database.export_table(export);
        assert!(matches!(refused, Err(Error::Invalid(_))), "{prefix:?} {refused:?}");
    }
    let done = start(&scene, BucketPlace::new("no-such-bucket")).unwrap();
    assert_eq!(done.failure.unwrap().code, "S3NoSuchBucket");
    let done = start(&scene, BucketPlace::new("secret")).unwrap();
    assert_eq!(done.failure.unwrap().code, "S3AccessDenied", "a file is no bucket");
    let done = start(&scene, BucketPlace::new(BUCKET).prefix("nothing/")).unwrap();
    assert_eq!(done.failure.unwrap().code, "S3NoSuchKey");
    assert!(scene.database.describe_table("new").is_err());
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(scene.folder.path(), scene.folder.path().join("link")).unwrap();
        let done = start(&scene, BucketPlace::new("link").prefix("secret")).unwrap();
        assert_eq!(done.failure.unwrap().code, "S3AccessDenied", "a link is no bucket");
    }
}

#[test]
fn a_name_that_is_taken_and_a_wrong_definition_are_refused_at_once() {
    let scene = Scene::new();
    scene.put_object("a", "{\"Item\":{\"Id\":{\"N\":\"1\"}}}");
    start(&scene, BucketPlace::new(BUCKET)).unwrap();
    let taken = start(&scene, BucketPlace::new(BUCKET));
    assert!(matches!(taken, Err(Error::ResourceInUse(_))), "{taken:?}");
    let definition = products("other").global_index(IndexDefinition::new("index", &["undefined"], &[]));
    let (format, compression) = (ImportFormat::DynamoDbJson, ImportCompression::None);
    let source = BucketPlace::new(BUCKET);
    let request = ImportTable { definition, source, format, compression, token: None };
    assert!(matches!(scene.database.import_table(request), Err(Error::Invalid(_))));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn any_bytes_end_an_import_one_way_or_the_other(
        parts in proptest::collection::vec(
            prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..60),
                Just(b"{\"Item\":{\"Id\":{\"N\":\"1\"}}}\n".to_vec()),
                Just(b"{\"Item\":{\"Id\":{\"N\":\"".to_vec()),
                Just(b"\"".to_vec()),
                Just(b"\n".to_vec()),
                Just(b",".to_vec()),
                Just(b"\x28\xb5\x2f\xfd".to_vec()),
                Just(gzip(b"{\"Item\":{\"Id\":{\"N\":\"2\"}}}\n")),
                Just(compress_to_vec(&b"{\"Item\":{\"Id\":{\"N\":\"3\"}}}\n"[..], CompressionLevel::Fastest)),
            ],
            0..12,
        ),
        is_csv in any::<bool>(),
        compression in prop_oneof![
            Just(ImportCompression::None),
            Just(ImportCompression::Gzip),
            Just(ImportCompression::Zstd),
        ],
    ) {
        let scene = Scene::new();
        scene.put_object("a", parts.concat());
        let format = if is_csv { CSV } else { ImportFormat::DynamoDbJson };
        let done = scene.import(products("new"), "", format, compression);
        prop_assert_ne!(done.status, TransferStatus::InProgress);
        let counts = done.counts;
        prop_assert_eq!(counts.processed_items, counts.imported_items + counts.errors);
        let is_there = scene.database.describe_table("new").is_ok();
        prop_assert_eq!(is_there, done.status == TransferStatus::Completed);
    }
}
