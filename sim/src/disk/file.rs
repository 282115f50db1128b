//! One file: what it shows, what is durable, and what lies between.

use std::hash::{DefaultHasher, Hasher};
use std::io;

use singlet_engine_simulated::DiskFile;
use singlet_scheduler::{note, now_ns, point};

use super::faults::{Act, Fault};
use super::image::is_in_one_sector;
use super::{SimulatedDisk, State};

/// A file's bytes.
#[derive(Clone, Debug)]
pub(super) struct Content {
    pub(super) name: String,
    /// The content that readers see.
    pub(super) current: Vec<u8>,
    /// The content that is certain to be there after a power cut, without the writes below.
    pub(super) durable: Vec<u8>,
    pub(super) writes: Vec<Write>,
}

/// A change on top of what is durable.
#[derive(Clone, Debug)]
pub(super) struct Write {
    pub(super) change: Change,
    pub(super) state: Durability,
}

#[derive(Clone, Debug)]
pub(super) enum Change {
    Bytes(usize, Vec<u8>),
    Length(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Durability {
    Unsynced,
    /// A sync of it failed: it may be there or not, and no later sync tells.
    Doubtful,
    /// Durable, but above something doubtful.
    Synced,
}

impl Change {
    pub(super) fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Change::Length(length) => content.resize(*length, 0),
            Change::Bytes(offset, bytes) => put(content, *offset, bytes),
        }
    }
}

/// Writes bytes, growing the content if need be.
pub(super) fn put(content: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    let end = offset + bytes.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    if let Some(to) = content.get_mut(offset..end) {
        to.copy_from_slice(bytes);
    }
}

/// Tells bytes apart, so that two executions that write others have other digests.
fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

impl Content {
    pub(super) fn new(name: &str) -> Self {
        Content { name: name.to_owned(), current: Vec::new(), durable: Vec::new(), writes: Vec::new() }
    }

    fn change(&mut self, change: Change) {
        change.apply(&mut self.current);
        self.writes.push(Write { change, state: Durability::Unsynced });
    }

    fn sync(&mut self) {
        if self.writes.iter().any(|write| write.state == Durability::Doubtful) {
            self.settle(Durability::Synced);
        } else {
            let Content { durable, writes, .. } = self;
            writes.drain(..).for_each(|write| write.change.apply(durable));
        }
    }

    fn is_written(&self) -> bool {
        self.writes.iter().any(|write| write.state == Durability::Unsynced)
    }

    fn settle(&mut self, to: Durability) {
        self.unsynced().for_each(|write| write.state = to);
    }

    /// A sync has failed. The system takes pages that it could not write for written, but not the length: it keeps that
    /// in its journal, without which it writes nothing any more. A sync that ends with its process has not failed.
    fn doubt(&mut self, fault: Fault) {
        if fault != Fault::Off {
            let pages = self.unsynced().filter(|write| matches!(write.change, Change::Bytes(..)));
            pages.for_each(|write| write.state = Durability::Doubtful);
        }
    }

    fn unsynced(&mut self) -> impl Iterator<Item = &mut Write> {
        self.writes.iter_mut().filter(|write| write.state == Durability::Unsynced)
    }

    /// The tree library holds locks of its own while it uses its file: nobody else may go on meanwhile.
    fn may_pass_on(&self) -> bool {
        !self.name.starts_with("tree")
    }
}

/// An open file.
pub(super) struct SimulatedFile {
    disk: SimulatedDisk,
    content: usize,
}

impl SimulatedFile {
    pub(super) fn new(disk: SimulatedDisk, content: usize) -> Self {
        SimulatedFile { disk, content }
    }

    fn content<'a>(&self, state: &'a mut State) -> io::Result<&'a mut Content> {
        state.contents.get_mut(self.content).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Lets others go on, if they may.
    fn point(&self) -> io::Result<String> {
        let (name, may_pass_on) = {
            let mut state = self.disk.state();
            let content = self.content(&mut state)?;
            (content.name.clone(), content.may_pass_on())
        };
        if may_pass_on {
            point();
        }
        Ok(name)
    }

    /// Growing beyond the end of the disk fails.
    fn check_room(&self, state: &mut State, end: usize) -> io::Result<()> {
        let Some(bytes_max) = state.faults.bytes_max else { return Ok(()) };
        let growth = end.saturating_sub(self.content(state)?.current.len()) as u64;
        if growth > 0 && state.used_bytes() + growth > bytes_max {
            state.failures += 1;
            note(format_args!("disk: there is no room for {growth} bytes more"));
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }
}

impl DiskFile for SimulatedFile {
    fn len(&self) -> io::Result<u64> {
        let mut state = self.disk.state();
        if state.is_cut {
            return Err(Fault::Off.error());
        }
        Ok(self.content(&mut state)?.current.len() as u64)
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut state = self.disk.state();
        let name = self.content(&mut state)?.name.clone();
        state.check(Act::Read, &name).map_err(Fault::error)?;
        let content = self.content(&mut state)?;
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let from = content.current.get(start..start.saturating_add(buffer.len()));
        buffer.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_all_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let name = self.point()?;
        let mut state = self.disk.state();
        let start = usize::try_from(offset).unwrap_or(usize::MAX / 2);
        self.check_room(&mut state, start + bytes.len())?;
        if let Err(fault) = state.check(Act::Write, &name) {
            // Some of it may have been written, also when the power goes in the middle of it.
            let written = match is_in_one_sector(start, bytes) {
                true => [0, bytes.len()].get(state.random.index(2)).copied().unwrap_or_default(),
                false => state.random.index(bytes.len() + 1),
            };
            let part = bytes.get(..written).unwrap_or_default().to_vec();
            if !part.is_empty() && (fault != Fault::Off || state.faults.cut_at == Some(state.operations)) {
                self.content(&mut state)?.change(Change::Bytes(start, part));
            }
            return Err(fault.error());
        }
        let (length, hash) = (bytes.len(), hash(bytes));
        note(format_args!("disk: writes {name} at {offset}, {length} bytes, {hash:016x}"));
        self.content(&mut state)?.change(Change::Bytes(start, bytes.to_vec()));
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let name = self.point()?;
        let mut state = self.disk.state();
        let length = usize::try_from(len).unwrap_or(usize::MAX);
        self.check_room(&mut state, length)?;
        state.check(Act::Grow, &name).map_err(Fault::error)?;
        note(format_args!("disk: sets the length of {name} to {len}"));
        self.content(&mut state)?.change(Change::Length(length));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let name = self.point()?;
        let mut state = self.disk.state();
        match state.check(Act::Sync, &name) {
            Ok(()) => {}
            Err(Fault::Lie) => return Ok(()),
            Err(fault) => {
                self.content(&mut state)?.doubt(fault);
                return Err(fault.error());
            }
        }
        note(format_args!("disk: syncs {name}"));
        let content = self.content(&mut state)?;
        let is_log_written = name.starts_with("log-") && content.is_written();
        content.sync();
        if is_log_written {
            state.log_synced_ns = now_ns();
        }
        if name == "reach" {
            state.marks_synced_ns = (state.marks_synced_ns.1, now_ns());
        }
        Ok(())
    }
}
