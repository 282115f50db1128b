//! Backups and restores as a user of the command sees them.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use support::music::{data, fails, said, wait_until, works};
use support::{Serving, run};

fn arn_in(text: &str) -> String {
    text.split_whitespace().find(|word| word.starts_with("arn:")).expect(text).to_owned()
}

#[test]
fn a_table_goes_into_a_backup_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    assert!(works(&["backups"], &data).starts_with("no backups in"));
    let text = works(&["backup", "--table", "Music", "--name", "before-upgrade"], &data);
    assert!(text.contains("Music: 3 items"), "{text}");
    let arn = arn_in(&text);
    let listed = works(&["backups", "--verify"], &data);
    for part in ["Music", "3 items", "before-upgrade", "verified", arn.as_str()] {
        assert!(listed.contains(part), "{part}: {listed}");
    }
    let json = works(&["backups", "--json"], &data);
    assert!(
        json.starts_with('[') && json.contains(r#""table":"Music""#) && json.contains(r#""items":3"#),
        "{json}"
    );
    assert!(works(&["backups", "--table", "Other"], &data).starts_with("no backups"));

    let text = works(&["restore", "--backup", &arn, "--table", "Music-2"], &data);
    assert!(text.contains("Music-2: 3 items of Music, as of 20"), "{text}");
    let server = Serving::on(&data);
    assert!(server.call("Scan", r#"{"TableName":"Music-2","Select":"COUNT"}"#).contains(r#""Count":3"#));
    assert!(server.call("ListBackups", "{}").contains("before-upgrade"));
    assert_eq!(server.terminate().code(), Some(0));

    assert!(works(&["backups", "--delete", &arn], &data).contains("is deleted"));
    assert!(works(&["backups"], &data).starts_with("no backups in"));
    let files = std::fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(files.filter(|name| name.to_string_lossy().starts_with("backup-")).count(), 0);
}

#[test]
fn a_file_elsewhere_makes_the_table_on_another_machine() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    let elsewhere = folder.path().join("usb/music");
    let place = elsewhere.to_str().unwrap();
    let text = works(&["backup", "--all", "--to", place], &data);
    assert!(text.contains("Music: 3 items") && text.contains("written and verified"), "{text}");
    let file = text.lines().last().unwrap().trim().to_owned();
    assert!(file.starts_with(place) && file.ends_with(".backup"), "{file}");
    let listed = run(&["backups", "--in", place, "--verify"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("Music") && listed.contains("verified") && listed.contains(&file), "{listed}");

    let other = folder.path().join("other");
    let text = works(&["restore", "--from", &file, "--table", "Music"], &other);
    assert!(text.contains("Music: 3 items of Music"), "{text}");
    let taken = fails(&["restore", "--from", &file, "--table", "Music"], &other);
    assert!(taken.contains("nothing was restored: Table already exists: Music"), "{taken}");

    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&file, bytes).unwrap();
    let damaged = fails(&["restore", "--from", &file, "--table", "Again"], &other);
    assert!(damaged.contains("nothing was restored") && damaged.contains("is damaged"), "{damaged}");
    let listed = run(&["backups", "--in", place, "--verify"]);
    assert_eq!(listed.status.code(), Some(1));
    let (out, err) = (String::from_utf8(listed.stdout).unwrap(), String::from_utf8(listed.stderr).unwrap());
    assert!(out.contains("DAMAGED") && out.contains("checksum"), "{out}");
    assert!(err.contains("1 of 1 backup can't be restored"), "{err}");
}

#[test]
fn mistakes_are_told_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    for arguments in [
        &["backup", "--table", "Music"][..],
        &["backups"],
        &["restore", "--backup", "arn:x", "--table", "New"],
    ] {
        let text = fails(arguments, &missing);
        assert!(text.contains("there is no data in") && text.contains("--data DIR"), "{text}");
        assert!(!missing.exists());
    }
    let data = data(folder.path());
    assert!(fails(&["backup", "--table", "Misuc"], &data).contains("Table not found: Misuc"));
    let unknown = "arn:aws:dynamodb:us-east-1:000000000000:table/Music/backup/01763280000000-1a2b3c4d";
    assert!(fails(&["backups", "--delete", unknown], &data).contains("Backup not found"));
    assert!(fails(&["restore", "--backup", unknown, "--table", "New"], &data).contains("Backup not found"));
    let none = folder.path().join("none.backup");
    let text = fails(&["restore", "--from", none.to_str().unwrap(), "--table", "New"], &data);
    assert!(text.contains("none.backup"), "{text}");
    for arguments in [
        &["backup"][..],
        &["backup", "--table", "a", "--all"],
        &["backup", "--table", "a", "--name", "no spaces"],
        &["restore", "--table", "x"],
        &["restore", "--table", "x", "--from", "a", "--backup", "b"],
        &["serve", "--backup", "now and then"],
    ] {
        assert_eq!(run(arguments).status.code(), Some(2), "{arguments:?}");
    }
    let _server = Serving::on(&data);
    let busy = fails(&["backup", "--table", "Music"], &data);
    assert!(busy.contains("in use") && busy.contains("aws dynamodb create-backup"), "{busy}");
}

#[test]
fn a_server_has_a_schedule_and_takes_backups_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    let help = String::from_utf8(run(&["serve", "--help"]).stdout).unwrap();
    assert!(help.contains("--backup") && help.contains("weekly, keep 3 months"), "{help}");
    let server = Serving::start(&["--data", data.to_str().unwrap(), "--backup", "hourly, keep 2 days"]);
    let taken = server.call("CreateBackup", r#"{"TableName":"Music","BackupName":"by-hand"}"#);
    assert!(taken.contains("CREATING"), "{taken}");
    wait_until(|| server.call("ListBackups", "{}").contains("AVAILABLE"));
    assert_eq!(server.terminate().code(), Some(0));
}

#[test]
fn the_help_teaches_with_examples() {
    for (command, example) in [
        ("backup", "singlet backup --all --to /mnt/usb/shop"),
        ("backups", "singlet backups --in /mnt/usb/shop --verify"),
        ("restore", "singlet restore --from /mnt/usb/shop/"),
    ] {
        let help = String::from_utf8(run(&[command, "--help"]).stdout).unwrap();
        assert!(help.contains(example), "{command}: {help}");
    }
}

#[test]
fn an_encrypted_folder_is_backed_up_with_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (key, other_key) = (path("a.key"), path("b.key"));
    assert!(run(&["new-key", &key]).status.success() && run(&["new-key", &other_key]).status.success());
    let plain = data(folder.path());
    let file = works(&["backup", "--table", "Music", "--to", &path("plain")], &plain);
    let file = file.lines().last().unwrap().trim().to_owned();
    let sealed = folder.path().join("sealed");
    works(&["restore", "--from", &file, "--table", "Music", "--key-file", &key], &sealed);

    let inside = arn_in(&works(&["backup", "--table", "Music", "--key-file", &key], &sealed));
    works(&["restore", "--backup", &inside, "--table", "Music-2", "--key-file", &key], &sealed);
    let outside = works(&["backup", "--table", "Music", "--to", &path("usb"), "--key-file", &key], &sealed);
    let file = outside.lines().last().unwrap().trim().to_owned();
    assert!(!std::fs::read(&file).unwrap().windows(6).any(|bytes| bytes == b"Artist"));
    let listed = run(&["backups", "--in", &path("usb"), "--verify", "--key-file", &key]);
    assert!(listed.status.success(), "{listed:?}");
    works(&["restore", "--from", &file, "--table", "Music-3", "--key-file", &key], &sealed);

    assert!(fails(&["backups"], &sealed).contains("no key was given"));
    assert!(fails(&["backups", "--key-file", &other_key], &sealed).contains("encrypted with key"));
    let text = fails(&["restore", "--from", &file, "--table", "Music-4"], &plain);
    assert!(text.contains("no key was given"), "{text}");
}

#[test]
fn a_table_comes_back_as_it_was_even_when_it_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    assert_eq!(works(&["recovery"], &data).trim(), "Music  off");
    assert!(
        fails(&["restore", "--of", "Music", "--table", "Again"], &data)
            .contains("not enabled for table 'Music'")
    );
    let on = works(&["recovery", "--table", "Music", "--on", "--days", "7"], &data);
    let window = on.trim().strip_prefix("Music  7 days: from ").unwrap_or_else(|| panic!("{on}"));
    let (from, to) = window.split_once(" to ").unwrap_or_else(|| panic!("{on}"));
    assert!(from <= to && from.len() == "2026-11-17T09:28:53.412Z".len(), "{on}");

    let server = Serving::on(&data);
    assert!(server.call("DeleteTable", r#"{"TableName":"Music"}"#).contains("DELETING"));
    assert_eq!(server.terminate().code(), Some(0));
    let restored = works(&["restore", "--of", "Music", "--table", "Again"], &data);
    assert!(restored.starts_with("Again: 3 items of Music, as of "), "{restored}");

    let early =
        fails(&["restore", "--of", "Music", "--at", "1999-01-01T00:00:00Z", "--table", "Early"], &data);
    assert!(early.contains("outside of the recovery window, which reaches from 20"), "{early}");
    let (code, wrong) = said(&["restore", "--of", "Music", "--at", "yesterday", "--table", "Wrong"], &data);
    assert!(code == Some(2) && wrong.contains("2026-11-16T08:00:00Z"), "{wrong}");
}

#[test]
fn programs_read_the_results_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    assert_eq!(works(&["recovery", "--json"], &data), "[{\"table\":\"Music\",\"on\":false}]\n");
    let on = works(&["recovery", "--table", "Music", "--on", "--days", "7", "--json"], &data);
    assert!(on.starts_with(r#"[{"table":"Music","on":true,"days":7,"earliest":"20"#), "{on}");

    let taken = works(&["backup", "--all", "--json"], &data);
    let arn = taken.strip_prefix(r#"[{"place":""#).and_then(|rest| rest.split('"').next());
    let arn = arn.unwrap_or_else(|| panic!("{taken}"));
    assert!(taken.contains(r#""table":"Music""#) && taken.contains(r#""items":3"#), "{taken}");
    let restored = works(&["restore", "--backup", arn, "--table", "Again", "--json"], &data);
    assert!(restored.starts_with(r#"{"table":"Again","source":"Music","at":"20"#), "{restored}");
    assert!(restored.ends_with("\"items\":3}\n"), "{restored}");
}
