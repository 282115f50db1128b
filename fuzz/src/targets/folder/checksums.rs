//! Checksums made right again after a change, as `docs/format.md` describes the files, so that what lies behind them is reached.

use singlet_engine::Disk;
use xxhash_rust::xxh3::Xxh3Default;

use super::content;

/// Makes the checksums of a segment, a file of the past or a backup right, as far as its parts can be found.
pub(super) fn make_right(disk: &dyn Disk, name: &str) {
    let mut bytes = content(disk, name);
    match name.split_once('-').map(|(kind, _)| kind) {
        Some("log") => segment(&mut bytes),
        Some("past") => past(&mut bytes),
        Some("backup") => backup(&mut bytes),
        _ => return,
    }
    disk.open(name).unwrap().write_all_at(0, &bytes).unwrap();
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let number = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes(number.try_into().unwrap()) as usize)
}

fn put(bytes: &mut [u8], at: usize, sum: u32) {
    if let Some(place) = bytes.get_mut(at..at + 4) {
        place.copy_from_slice(&sum.to_le_bytes());
    }
}

fn sum(parts: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize()
}

/// Header of 28 bytes and its checksum; frames from 4096 on: length, checksum, and the rest.
fn segment(bytes: &mut [u8]) {
    if bytes.len() < 4096 {
        return;
    }
    put(bytes, 28, sum(&[&bytes[..28]]));
    chain(bytes, 4096, 44);
}

/// Header of 20 bytes and its checksum; blocks from 24 on.
fn past(bytes: &mut [u8]) {
    if bytes.len() < 24 {
        return;
    }
    put(bytes, 20, sum(&[&bytes[..20]]));
    chain(bytes, 24, 48);
}

/// Frames or blocks, each with its length and its checksum over the file's id and what follows.
fn chain(bytes: &mut [u8], mut at: usize, least: usize) {
    let id: [u8; 8] = bytes[12..20].try_into().unwrap();
    while let Some(length) = number(bytes, at).filter(|length| *length >= least && at + length <= bytes.len())
    {
        let right = sum(&[&id, &bytes[at + 8..at + length]]);
        put(bytes, at + 4, right);
        at += length;
    }
}

/// Head, blocks, foot: see the page.
fn backup(bytes: &mut [u8]) {
    let Some(head) = number(bytes, 12).filter(|head| 20 + head <= bytes.len()) else { return };
    put(bytes, 16 + head, sum(&[&bytes[..16 + head]]));
    let mut at = 20 + head;
    let mut place = 0_u64;
    while let Some(length) = number(bytes, at).filter(|length| *length > 0 && at + 12 + length <= bytes.len())
    {
        let right = sum(&[&place.to_le_bytes(), &bytes[at..at + 8], &bytes[at + 12..at + 12 + length]]);
        put(bytes, at + 8, right);
        at += 12 + length;
        place += 1;
    }
    if at + 44 == bytes.len() {
        let mut hash = Xxh3Default::new();
        hash.update(&bytes[..at + 28]);
        let sum = hash.digest128().to_le_bytes();
        bytes[at + 28..].copy_from_slice(&sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Folder;

    /// Without this the target would never get past a checksum.
    #[test]
    fn files_that_are_right_stay_as_they_are() {
        for folder in [Folder::Closed, Folder::Killed] {
            let disk = folder.disk();
            let mut names = disk.list().unwrap();
            names.retain(|name| ["log-", "past-", "backup-"].iter().any(|kind| name.starts_with(kind)));
            for kind in ["log-", "past-", "backup-"] {
                assert!(names.iter().any(|name| name.starts_with(kind)), "{kind} {names:?}");
            }
            for name in names {
                let before = content(disk.as_ref(), &name);
                make_right(disk.as_ref(), &name);
                assert!(content(disk.as_ref(), &name) == before, "{name}");
            }
        }
    }
}
