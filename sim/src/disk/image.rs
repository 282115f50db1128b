//! The content of the disk afterwards, drawn by the seed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use singlet_scheduler::{Random, note};

use super::file::{Change, Content, Durability, put};
use super::{Faults, NameChange, SimulatedDisk, State};

const SECTOR_BYTES: usize = 512;

/// How the database lost its disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// The process ended; what it wrote is there, and durable as far as it was synced.
    Process,
    /// The power went; what was not synced is kept, lost or torn.
    Power,
}

/// The rest after a loss.
struct Left {
    contents: Vec<Content>,
    names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    changes: Vec<NameChange>,
}

/// The fate of the writes that were not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Lost,
    Kept,
    /// Each by itself.
    Drawn,
}

impl SimulatedDisk {
    /// The disk that the database finds when it is started again. This one is of no use any more.
    pub fn after(&self, loss: Loss) -> SimulatedDisk {
        let mut state = self.state();
        let mut random = state.random.fork();
        // An entry that the journal did not get is gone when the file system is mounted again.
        let loss = if state.is_read_only { Loss::Power } else { loss };
        let left = match loss {
            Loss::Process => Left {
                contents: state.contents.clone(),
                names: state.names.clone(),
                durable_names: state.durable_names.clone(),
                changes: state.changes.clone(),
            },
            Loss::Power => {
                let names = surviving_names(&state, &mut random);
                let fate = [Fate::Lost, Fate::Kept, Fate::Drawn, Fate::Drawn];
                let fate = random.pick(&fate).unwrap_or(Fate::Drawn);
                note(format_args!("disk: after the loss of power, unsynced writes are {fate:?}"));
                let contents = state.contents.iter().map(|content| survivor(content, fate, &mut random));
                let (contents, names) = renumber(contents.collect(), &names);
                Left { contents, durable_names: names.clone(), names, changes: Vec::new() }
            }
        };
        let Left { contents, names, durable_names, changes } = left;
        SimulatedDisk(Arc::new(Mutex::new(State {
            contents,
            names,
            durable_names,
            changes,
            faults: Faults::default(),
            random: random.fork(),
            operations: 0,
            is_cut: false,
            failures: 0,
            lies: Vec::new(),
            is_read_only: false,
            log_synced_ns: 0,
            marks_synced_ns: (0, 0),
        })))
    }

    /// Turns one bit of one file, half of the time near the end of what is written there; says which.
    pub fn flip_bit(&self) -> Option<String> {
        let mut state = self.state();
        let files: Vec<(String, usize)> =
            state.names.iter().map(|(name, content)| (name.clone(), *content)).collect();
        let (name, content) = state.random.pick(&files)?;
        let bytes = &state.contents.get(content)?.current;
        let length = bytes.len();
        let written = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let from = if state.random.one_in(2) { written.saturating_sub(SECTOR_BYTES) } else { 0 };
        let until = if length < SECTOR_BYTES { length } else { written };
        // Most of a file may be empty: look some times for a place where something is.
        for _ in 0..16 {
            let at = from + state.random.index(until.saturating_sub(from));
            let bit = state.random.index(8);
            let content = state.contents.get_mut(content)?;
            let byte = content.current.get_mut(at)?;
            if *byte != 0 || length < SECTOR_BYTES {
                *byte ^= 1 << bit;
                content.durable.clone_from(&content.current);
                note(format_args!("disk: bit {bit} of byte {at} of {name} turns"));
                return Some(format!("bit {bit} of byte {at} of {name}"));
            }
        }
        None
    }
}

fn survivor(content: &Content, fate: Fate, random: &mut Random) -> Content {
    let mut durable = content.durable.clone();
    for write in &content.writes {
        let fate = match (write.state, fate) {
            (Durability::Synced, _) => Fate::Kept,
            (_, Fate::Drawn) => random.pick(&[Fate::Lost, Fate::Kept, Fate::Drawn]).unwrap_or(Fate::Lost),
            (_, fate) => fate,
        };
        match (fate, &write.change) {
            (Fate::Lost, _) => {}
            (Fate::Kept, change) | (Fate::Drawn, change @ Change::Length(_)) => change.apply(&mut durable),
            (Fate::Drawn, Change::Bytes(offset, bytes)) => tear(&mut durable, *offset, bytes, random),
        }
    }
    let name = content.name.clone();
    Content { name, current: durable.clone(), durable, writes: Vec::new() }
}

/// Writes some sectors of it, or all up to some byte; what lies within one sector as a whole or not at all.
fn tear(durable: &mut Vec<u8>, offset: usize, bytes: &[u8], random: &mut Random) {
    if !is_in_one_sector(offset, bytes) && random.one_in(2) {
        let kept = random.index(bytes.len() + 1);
        return put(durable, offset, bytes.get(..kept).unwrap_or_default());
    }
    let mut at = 0;
    while at < bytes.len() {
        let length = (SECTOR_BYTES - (offset + at) % SECTOR_BYTES).min(bytes.len() - at);
        if random.one_in(2) {
            put(durable, offset + at, bytes.get(at..at + length).unwrap_or_default());
        }
        at += length;
    }
}

pub(super) fn is_in_one_sector(offset: usize, bytes: &[u8]) -> bool {
    offset / SECTOR_BYTES == (offset + bytes.len()).saturating_sub(1) / SECTOR_BYTES
}

/// Names as a journal brings them back: every change up to some point.
fn surviving_names(state: &State, random: &mut Random) -> BTreeMap<String, usize> {
    let mut names = state.durable_names.clone();
    let kept = random.index(state.changes.len() + 1);
    for change in state.changes.iter().take(kept) {
        change.apply(&mut names);
    }
    let lost: Vec<&NameChange> = state.changes.iter().skip(kept).collect();
    if !lost.is_empty() {
        note(format_args!("disk: these changes of names are lost: {lost:?}"));
    }
    names
}

/// Leaves out what has no name any more.
fn renumber(
    contents: Vec<Content>,
    names: &BTreeMap<String, usize>,
) -> (Vec<Content>, BTreeMap<String, usize>) {
    let mut contents: Vec<Option<Content>> = contents.into_iter().map(Some).collect();
    let mut kept = Vec::new();
    let mut kept_names = BTreeMap::new();
    for (name, content) in names {
        if let Some(mut content) = contents.get_mut(*content).and_then(Option::take) {
            content.name.clone_from(name);
            kept_names.insert(name.clone(), kept.len());
            kept.push(content);
        }
    }
    (kept, kept_names)
}
