//! Exports and imports as a user of the command sees them.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::fs;

use support::Serving;
use support::music::{data, fails, wait_until, works};

#[test]
fn a_table_goes_into_a_folder_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    let to = folder.path().join("exported");
    let to = to.to_str().unwrap();
    let text = works(&["export", "--table", "Music", "--to", to], &data);
    assert!(text.contains("Music: 3 items") && text.contains("AWSDynamoDB"), "{text}");
    let import = ["import", "--from", to, "--table", "Again", "--key", "Artist:S"];
    let new_data = folder.path().join("new");
    assert!(works(&import, &new_data).contains("Again: 3 items imported"));
    assert!(fails(&import, &new_data).contains("Table already exists: Again"));

    let text = fails(&["export", "--table", "Nowhere", "--to", to], &data);
    assert!(text.contains("Table not found: Nowhere"), "{text}");
    let past = ["export", "--table", "Music", "--to", to, "--at", "2026-01-01T00:00:00Z"];
    assert!(fails(&past, &data).contains("Point in time recovery is not enabled"));
    works(&["export", "--table", "Music", "--to", to], &data);
    let import = ["import", "--from", to, "--table", "Which", "--key", "Artist:S"];
    assert!(fails(&import, &new_data).contains("several exports"));
}

#[test]
fn csv_is_imported_and_wrong_rows_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let (file, data) = (folder.path().join("songs.csv"), folder.path().join("data"));
    fs::write(&file, "id,title\n1,One\nx,Wrong\n3,\"Three, \"\"3\"\"\"\n").unwrap();
    let from = file.to_str().unwrap();
    let text = works(&["import", "--from", from, "--table", "Songs", "--key", "id:N"], &data);
    assert!(text.contains("Songs: 2 items imported") && text.contains("1 of 3 items was wrong"), "{text}");
    assert!(text.contains("left out: songs.csv, line 3: "), "{text}");
    assert!(!text.contains("WARN") && !text.contains("arn:"), "{text}");
    let text = fails(&["import", "--from", from, "--table", "Other", "--key", "missing:S"], &data);
    assert!(
        text.contains("None of the items could be imported. The first of them: songs.csv, line 2: "),
        "{text}"
    );
    assert!(!text.contains("server") && !text.contains("ERROR"), "{text}");
    assert!(text.contains("no column is the key `missing`; the columns are `id`, `title`"), "{text}");
    assert_eq!(text.matches("no column is the key").count(), 1, "{text}");
    let missing = folder.path().join("missing");
    let missing = missing.to_str().unwrap();
    assert!(
        fails(&["import", "--from", missing, "--table", "x-y", "--key", "id"], &data).contains("can't read")
    );
}

#[test]
fn items_with_the_key_of_another_one_are_counted_as_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (file, data) = (folder.path().join("q.csv"), folder.path().join("data"));
    fs::write(&file, "id,day\n17,a\n17,b\n17,c\n").unwrap();
    let import = |table| ["import", "--from", file.to_str().unwrap(), "--table", table, "--key", "id:N"];
    let text = works(&import("days"), &data);
    assert_eq!(text, "days: 1 item imported\n  2 had the same key as another item and were replaced\n");
    let text = works(&[&import("again")[..], &["--json"]].concat(), &data);
    assert!(text.starts_with(r#"{"table":"again","items":1,"replaced":2,"wrong":0,"#), "{text}");
}

#[test]
fn another_delimiter_is_noticed_when_the_key_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let (file, data) = (folder.path().join("q.csv"), folder.path().join("data"));
    fs::write(&file, "id;day\n1;a\n2;b\n").unwrap();
    let import = ["import", "--from", file.to_str().unwrap(), "--table", "days", "--key", "id:N"];
    let text = fails(&import, &data);
    assert!(text.contains("if `;` separates the values") && text.contains("`--delimiter`"), "{text}");
    let text = works(&[&import[..], &["--delimiter", ";"]].concat(), &data);
    assert_eq!(text, "days: 2 items imported\n");
}

#[test]
fn a_wrong_key_is_reported_once_and_other_faults_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let (file, data) = (folder.path().join("q.json"), folder.path().join("data"));
    let item = "{\"Item\":{\"id\":{\"S\":\"1\"}}}\n";
    fs::write(&file, [item.repeat(30), "no JSON\n".to_owned()].concat()).unwrap();
    let import = ["import", "--from", file.to_str().unwrap(), "--table", "days", "--key", "other:S"];
    let text = fails(&import, &data);
    assert_eq!(text.matches("Missing the key other in the item").count(), 1, "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn programs_read_what_was_exported_and_imported_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    let to = folder.path().join("exported");
    let text = works(&["export", "--table", "Music", "--to", to.to_str().unwrap(), "--json"], &data);
    assert!(text.starts_with(r#"{"table":"Music","path":""#) && text.contains(r#""items":3,"#), "{text}");

    let file = folder.path().join("songs.csv");
    fs::write(&file, "id\n1\nx\n").unwrap();
    let import = ["import", "--from", file.to_str().unwrap(), "--table", "Songs", "--key", "id:N", "--json"];
    let text = works(&import, &folder.path().join("new"));
    let expected = r#"{"table":"Songs","items":1,"replaced":0,"wrong":1,"reasons":["songs.csv, line 3: "#;
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn a_server_exports_into_its_buckets_or_says_that_it_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    let request = r#"{"TableArn":"arn:aws:dynamodb:us-east-1:000000000000:table/Music","S3Bucket":"mine"}"#;
    let server = Serving::on(&data);
    let refused = server.call("ExportTableToPointInTime", request);
    assert!(refused.contains("ValidationException") && refused.contains("--buckets DIR"), "{refused}");
    assert_eq!(server.terminate().code(), Some(0));

    let buckets = folder.path().join("buckets");
    let arguments = ["serve", "--buckets", buckets.to_str().unwrap()];
    assert!(fails(&arguments, &data).contains("--buckets"));
    fs::create_dir_all(buckets.join("mine")).unwrap();
    let server = Serving::start(&["--data", data.to_str().unwrap(), "--buckets", buckets.to_str().unwrap()]);
    let on =
        r#"{"TableName":"Music","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}}"#;
    assert!(server.call("UpdateContinuousBackups", on).contains("ENABLED"));
    let begun = server.call("ExportTableToPointInTime", request);
    assert!(begun.contains("IN_PROGRESS"), "{begun}");
    wait_until(|| server.call("ListExports", "{}").contains("COMPLETED"));
    assert_eq!(fs::read_dir(buckets.join("mine/AWSDynamoDB")).unwrap().count(), 1);
    let in_use = fails(&["export", "--table", "Music", "--to", folder.path().to_str().unwrap()], &data);
    assert!(in_use.contains("export-table-to-point-in-time"), "{in_use}");
}
