//! A folder on a read-only file system is verified, and what can't be done there says what to do instead.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod support;

use std::path::Path;
use std::process::Command;

use support::Serving;

const TABLE: &str = r#"{"TableName":"Music","BillingMode":"PAY_PER_REQUEST",
    "AttributeDefinitions":[{"AttributeName":"Artist","AttributeType":"S"}],
    "KeySchema":[{"AttributeName":"Artist","KeyType":"HASH"}]}"#;
/// Mounts the folder `$1` read-only for this command alone, and runs the rest.
const MOUNT: &str = r#"mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit 77
shift; exec "$@""#;
/// The exit code if this machine doesn't let its users mount anything.
const NOT_MOUNTED: i32 = 77;

/// Runs the command with the folder mounted read-only. Returns its exit code and everything that it said; `None` if
/// the folder can't be mounted here.
fn say_read_only(folder: &Path, arguments: &[&str]) -> Option<(i32, String)> {
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", MOUNT, "sh"])
        .arg(folder)
        .arg(env!("CARGO_BIN_EXE_singlet"))
        .args(arguments)
        .env_remove("SINGLET_KEY")
        .output()
        .ok()?;
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let is_mounted = output.status.code() != Some(NOT_MOUNTED) && !said.starts_with("unshare: ");
    is_mounted.then(|| (output.status.code().unwrap(), said))
}

#[test]
fn a_folder_that_can_not_be_written_is_verified_and_otherwise_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let path = data.to_str().unwrap();
    let server = Serving::start(&["--data", path]);
    server.call("CreateTable", TABLE);
    assert_eq!(server.terminate().code(), Some(0));

    let Some((code, said)) = say_read_only(&data, &["verify", path]) else {
        eprintln!("skipped: no folder can be mounted here");
        return;
    };
    assert!(code == 0 && said.contains("1 table") && said.contains("Nothing is wrong."), "{said}");
    let (code, said) = say_read_only(&data, &["backups", "--data", path]).unwrap();
    assert!(code == 1 && said.contains("can't be written") && said.contains("Copy the folder"), "{said}");
    // A copy of a folder may lack the lock.
    std::fs::remove_file(data.join("lock")).unwrap();
    let (code, said) = say_read_only(&data, &["verify", path]).unwrap();
    assert!(code == 0 && said.contains("Nothing is wrong."), "{said}");
}
