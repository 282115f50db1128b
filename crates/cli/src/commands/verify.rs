//! `singlet verify`.

use std::io::{self, Write};
use std::process::ExitCode;

use singlet_design::Json;
use singlet_engine::{Error, Verification, VerifiedCounts, VerifyProgress};

use crate::arguments::{OutputFormat, VerifyArguments};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::target::{has_data, in_turn};

/// Checks a folder and says what is wrong: 1 if anything is.
pub(crate) fn verify(arguments: &VerifyArguments) -> Result<ExitCode, Failure> {
    let key = arguments.key.key()?;
    has_data(&arguments.data)?;
    let mut progress = Progress::new();
    let verified = in_turn(&arguments.data, || {
        singlet_engine::verify(&arguments.data, key.as_ref(), &mut |now| show(&mut progress, now))
    });
    drop(progress);
    let verified = verified.map_err(|error| {
        let reason = match error {
            Error::FolderInUse { .. } => "it is in use by another process. Stop that one first".to_owned(),
            other => other.to_string(),
        };
        Failure::Refused(format!("can't check {}: {reason}", arguments.data.display()))
    })?;
    match arguments.format {
        OutputFormat::Text => write(&verified, &mut io::stdout().lock())?,
        OutputFormat::Json => writeln!(io::stdout().lock(), "{}", json(&verified))?,
    }
    let sound = verified.findings.is_empty();
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn show(progress: &mut Progress, now: VerifyProgress) {
    match now {
        VerifyProgress::Log { bytes, total } => progress.show(bytes, total, "bytes of the log"),
        VerifyProgress::Tree => progress.wait("checking the pages of the tree"),
        VerifyProgress::Rows { rows, total } => progress.show(rows, total, "rows"),
        VerifyProgress::Files => progress.wait("checking other files"),
    }
}

/// Prints the findings, then the counts.
fn write(verified: &Verification, out: &mut impl Write) -> io::Result<()> {
    for finding in &verified.findings {
        writeln!(out, "{finding}")?;
    }
    if verified.findings_left_off > 0 {
        writeln!(out, "… and {} more", verified.findings_left_off)?;
    }
    for note in &verified.notes {
        writeln!(out, "Note: {note}.")?;
    }
    writeln!(out, "Checked {}.", checked(&verified.counts))?;
    match verified.findings.len() as u64 + verified.findings_left_off {
        0 => writeln!(out, "Nothing is wrong."),
        1 => writeln!(out, "1 thing is wrong. Restore what it says from a backup."),
        count => writeln!(out, "{count} things are wrong. Restore what they say from a backup."),
    }
}

fn json(verified: &Verification) -> Json {
    let texts = |texts: Vec<String>| Json::from(texts);
    let counts =
        things(&verified.counts).map(|(count, _, many)| (many.replace(' ', "_"), Json::Number(count.into())));
    Json::from([
        ("sound", Json::Bool(verified.findings.is_empty())),
        ("findings", texts(verified.findings.iter().map(ToString::to_string).collect())),
        ("findings_left_off", Json::Number(verified.findings_left_off.into())),
        ("notes", texts(verified.notes.iter().map(ToString::to_string).collect())),
        ("checked", Json::Object(counts.to_vec())),
    ])
}

/// The counts that aren't zero.
fn checked(counts: &VerifiedCounts) -> String {
    let things = things(counts);
    let there = things.iter().filter(|(count, ..)| *count > 0);
    let there = there.map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }));
    there.collect::<Vec<_>>().join(", ")
}

/// All that is counted, with its names.
fn things(counts: &VerifiedCounts) -> [(u64, &'static str, &'static str); 10] {
    [
        (counts.tables, "table", "tables"),
        (counts.items, "item", "items"),
        (counts.index_entries, "index entry", "index entries"),
        (counts.item_collections, "item collection", "item collections"),
        (counts.expiries, "time of expiry", "times of expiry"),
        (counts.tokens, "idempotency token", "idempotency tokens"),
        (counts.commits, "commit in the log", "commits in the log"),
        (counts.past_changes, "kept change", "kept changes"),
        (counts.backups, "backup", "backups"),
        (counts.tree_bytes, "byte of the tree", "bytes of the tree"),
    ]
}
