//! A disk that gets full: a small file system in memory, where the machine lets us mount one (`unshare --user --map-root-user
//! --mount` does).

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::scene::{Finding, Row, Scene, TABLE, get};
use super::{LeftOut, LimitsOptions};
use crate::call::{call, exchange};
use crate::target::Programs;

const SMALL: &str = "size=400m";
const LARGE: &str = "size=900m";
const FIRST: usize = 1_000_000;

pub(super) fn run(options: &LimitsOptions, rows: &mut Vec<Row>, left_out: &mut Vec<LeftOut>) -> Result<()> {
    let (reserved, full) = ("a disk of 400 MB that gets full", "the same without a reserve");
    if !options.wants(reserved) && !options.wants(full) {
        return Ok(());
    }
    let folder = options.programs.scratch.join("limits-disk");
    std::fs::create_dir_all(&folder)?;
    let Some(_mounted) = Mounted::new(&folder) else {
        let why = "no right to mount a small disk: run it under unshare --user --map-root-user --mount";
        eprintln!("left out: {why}");
        let wanted = [reserved, full].into_iter().filter(|name| options.wants(name));
        left_out.extend(wanted.map(|name| LeftOut { attack: name.to_owned(), why: why.to_owned() }));
        return Ok(());
    };
    let programs = Programs { scratch: folder.clone(), ..options.programs.clone() };
    let options = LimitsOptions { only: options.only.clone(), programs, ..*options };
    if options.wants(reserved) {
        let scene = Scene::start(&options, &["--overlay-size", "16MB", "--disk-reserve", "100MB"])?;
        rows.push(scene.attack(reserved, |scene| fill_and_free(scene, &folder))?);
    }
    if options.wants(full) {
        mount(&folder, &["-o", &format!("remount,{SMALL}")])?;
        let mut scene = Scene::start(&options, &["--overlay-size", "16MB", "--disk-reserve", "0"])?;
        let mut taken = 0;
        let mut row = scene.attack(full, |scene| {
            let (count, refusal) = fill(scene, FIRST)?;
            taken = count;
            // Reads go on.
            call(scene.address(), "GetItem", &get(FIRST))?;
            Ok(Finding { outcome: format!("{count} puts, then 500: “{refusal}”; reads go on"), count: 0 })
        })?;
        mount(&folder, &["-o", &format!("remount,{LARGE}")])?;
        scene.target.restart_after_kill(&options.programs)?;
        for number in FIRST..FIRST + taken {
            let found = call(scene.address(), "GetItem", &get(number))?;
            ensure!(found.get("Item").is_some(), "item {number} was acknowledged and is gone");
        }
        fill_some(&scene, FIRST + taken, 100)?;
        row.outcome += "; started again with more room: all of them are there, puts go on";
        rows.push(row);
    }
    Ok(())
}

/// Fills the disk to its reserve, deletes, and gives it more room.
fn fill_and_free(scene: &Scene, folder: &Path) -> Result<Finding> {
    let (taken, refusal) = fill(scene, FIRST)?;
    let reserve = scene.metric("singlet_storage_disk_reserve_bytes")?;
    let free = scene.metric("singlet_storage_disk_free_bytes")?;
    ensure!(
        scene.metric("singlet_storage_disk_short")? > 0.0,
        "the metrics don't show that the disk is short"
    );
    for number in FIRST..FIRST + taken / 2 {
        call(scene.address(), "DeleteItem", &get(number))?;
    }
    call(scene.address(), "GetItem", &get(FIRST))?;
    let (again, _) = fill(scene, FIRST + taken)?;
    mount(folder, &["-o", &format!("remount,{LARGE}")])?;
    fill_some(scene, FIRST + 2 * taken, taken / 2)?;
    Ok(Finding {
        outcome: format!(
            "{taken} puts of 100 KB, then 500: “{refusal}” ({:.0} MB free of {:.0} MB reserve); {} deletions, {again} more puts; \
             with more room puts go on",
            free / 1e6,
            reserve / 1e6,
            taken / 2
        ),
        count: 0,
    })
}

fn put(number: usize) -> Value {
    let text: String = std::iter::repeat_with(|| fastrand::char('a'..='z')).take(100 << 10).collect();
    json!({"TableName": TABLE, "Item": {"id": {"S": format!("{number:08}")}, "text": {"S": text}}})
}

/// Puts items of 100 KB until one is refused; says how many were taken and the error.
fn fill(scene: &Scene, first: usize) -> Result<(usize, String)> {
    for number in first.. {
        let (status, body) = exchange(scene.address(), "PutItem", &put(number))?;
        if status != 200 {
            let error: Value = serde_json::from_slice(&body)?;
            let text = error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
            return Ok((number - first, text));
        }
        ensure!(number - first < 20_000, "the disk never gets full");
    }
    Ok((0, String::new()))
}

fn fill_some(scene: &Scene, first: usize, count: usize) -> Result<()> {
    (first..first + count).try_for_each(|number| call(scene.address(), "PutItem", &put(number)).map(drop))
}

/// A small file system, gone when this is dropped.
struct Mounted(PathBuf);

impl Mounted {
    fn new(folder: &Path) -> Option<Self> {
        mount(folder, &["-t", "tmpfs", "-o", SMALL, "none"]).ok()?;
        Some(Self(folder.to_owned()))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Whatever still has a file open keeps it until then.
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

fn mount(folder: &Path, arguments: &[&str]) -> Result<()> {
    let output = Command::new("mount").args(arguments).arg(folder).output().context("mount")?;
    ensure!(output.status.success(), "mount: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
