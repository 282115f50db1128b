//! A disk that knows what is durable: power can be cut at any sync, and then what was not synced is lost, kept or torn
//! by the sector. Single operations can be made to fail, too.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use super::fixture::Random;
use crate::store::{Disk, DiskFile, FileId};

const SECTOR_BYTES: usize = 512;

/// Which operation is to fail, and how often it may succeed before.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) operation: Operation,
    pub(crate) file_prefix: &'static str,
    pub(crate) after: usize,
    pub(crate) kind: io::ErrorKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Write,
    Sync,
    Grow,
    Rename,
}

#[derive(Clone)]
enum Unsynced {
    Write(u64, Vec<u8>),
    SetLen(u64),
}

#[derive(Default, Clone)]
struct Content {
    name: String,
    current: Vec<u8>,
    durable: Vec<u8>,
    unsynced: Vec<Unsynced>,
}

#[derive(Clone)]
enum DirectoryChange {
    Create(String, usize),
    Remove(String),
    Rename(String, String),
}

#[derive(Default)]
struct State {
    contents: Vec<Content>,
    names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    unsynced_names: Vec<DirectoryChange>,
    syncs: usize,
    syncs_max: Option<usize>,
    off: bool,
    fault: Option<Fault>,
}

impl State {
    fn check(&mut self, operation: Operation, file: &str) -> io::Result<()> {
        if self.off {
            return Err(io::Error::other("the power is off"));
        }
        if operation == Operation::Sync {
            self.syncs += 1;
            if self.syncs_max.is_some_and(|max| self.syncs > max) {
                self.off = true;
                return Err(io::Error::other("the power went off"));
            }
        }
        match &mut self.fault {
            Some(fault) if fault.operation == operation && file.starts_with(fault.file_prefix) => {
                if fault.after == 0 {
                    return Err(fault.kind.into());
                }
                fault.after -= 1;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

fn apply(content: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    if content.len() < offset + bytes.len() {
        content.resize(offset + bytes.len(), 0);
    }
    content[offset..offset + bytes.len()].copy_from_slice(bytes);
}

fn change(names: &mut BTreeMap<String, usize>, change: &DirectoryChange) {
    match change {
        DirectoryChange::Create(name, content) => drop(names.insert(name.clone(), *content)),
        DirectoryChange::Remove(name) => drop(names.remove(name)),
        DirectoryChange::Rename(from, to) => {
            if let Some(content) = names.remove(from) {
                names.insert(to.clone(), content);
            }
        }
    }
}

#[derive(Default, Clone)]
pub(crate) struct PowerDisk(Arc<Mutex<State>>);

impl PowerDisk {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn as_disk(&self) -> Arc<dyn Disk> {
        Arc::new(self.clone())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub(crate) fn cut_power_after_syncs(&self, syncs: usize) {
        let mut state = self.state();
        state.syncs_max = Some(state.syncs + syncs);
    }

    pub(crate) fn is_off(&self) -> bool {
        self.state().off
    }

    pub(crate) fn syncs(&self) -> usize {
        self.state().syncs
    }

    pub(crate) fn fail(&self, fault: Option<Fault>) {
        self.state().fault = fault;
    }

    /// Returns the content of the disk after a power failure.
    pub(crate) fn after_power_loss(&self, random: &mut Random) -> Self {
        let state = self.state();
        let mut names = state.durable_names.clone();
        // The journal keeps the order of changes to the folder; how far it got is chance.
        let kept = random.below(state.unsynced_names.len() as u64 + 1) as usize;
        state.unsynced_names[..kept].iter().for_each(|each| change(&mut names, each));
        let contents = state.contents.iter().map(|content| survivor(content, random)).collect();
        let after = State { contents, durable_names: names.clone(), names, ..State::default() };
        Self(Arc::new(Mutex::new(after)))
    }

    /// Returns the content of the disk after the process was killed: everything that it wrote.
    pub(crate) fn after_kill(&self) -> Self {
        let state = self.state();
        let contents = state.contents.iter().map(|content| Content {
            name: content.name.clone(),
            durable: content.current.clone(),
            current: content.current.clone(),
            unsynced: Vec::new(),
        });
        let names = state.names.clone();
        let after =
            State { contents: contents.collect(), durable_names: names.clone(), names, ..State::default() };
        Self(Arc::new(Mutex::new(after)))
    }

    /// Changes a file's bytes behind the store's back.
    pub(crate) fn tamper(&self, name: &str, tamper: impl FnOnce(&mut Vec<u8>)) {
        let mut state = self.state();
        let content = state.names[name];
        let content = &mut state.contents[content];
        tamper(&mut content.current);
        content.durable = content.current.clone();
    }

    pub(crate) fn content(&self, name: &str) -> Vec<u8> {
        let state = self.state();
        state.contents[state.names[name]].current.clone()
    }

    pub(crate) fn names(&self, prefix: &str) -> Vec<String> {
        self.state().names.keys().filter(|name| name.starts_with(prefix)).cloned().collect()
    }
}

/// Each sector of each write survives or not; mostly all or nothing, so that both are frequent.
fn survivor(content: &Content, random: &mut Random) -> Content {
    let mut durable = content.durable.clone();
    for write in &content.unsynced {
        let fate = random.below(4);
        match write {
            _ if fate == 0 => {}
            Unsynced::SetLen(len) => durable.resize(*len as usize, 0),
            Unsynced::Write(offset, bytes) => {
                let mut at = 0;
                while at < bytes.len() {
                    let position = *offset as usize + at;
                    let len = (SECTOR_BYTES - position % SECTOR_BYTES).min(bytes.len() - at);
                    if fate == 1 || random.below(2) == 0 {
                        apply(&mut durable, position, &bytes[at..at + len]);
                    }
                    at += len;
                }
            }
        }
    }
    Content { name: content.name.clone(), current: durable.clone(), durable, unsynced: Vec::new() }
}

impl Disk for PowerDisk {
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let mut state = self.state();
        if state.off {
            return Err(io::Error::other("the power is off"));
        }
        let content = match state.names.get(name) {
            Some(content) => *content,
            None => {
                let content = state.contents.len();
                state.contents.push(Content { name: name.into(), ..Content::default() });
                state.names.insert(name.into(), content);
                state.unsynced_names.push(DirectoryChange::Create(name.into(), content));
                content
            }
        };
        Ok(Arc::new(PowerFile { disk: self.clone(), content }))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.state().names.keys().cloned().collect())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut state = self.state();
        state.check(Operation::Rename, name)?;
        let removed = DirectoryChange::Remove(name.into());
        change(&mut state.names, &removed);
        state.unsynced_names.push(removed);
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut state = self.state();
        state.check(Operation::Rename, from)?;
        let renamed = DirectoryChange::Rename(from.into(), to.into());
        change(&mut state.names, &renamed);
        state.unsynced_names.push(renamed);
        if let Some(content) = state.names.get(to).copied() {
            state.contents[content].name = to.into();
        }
        Ok(())
    }

    fn identity(&self, name: &str) -> io::Result<Option<FileId>> {
        let number = *self.state().names.get(name).ok_or(io::ErrorKind::NotFound)? as u64;
        Ok(Some(FileId { device: 0, number }))
    }

    fn sync_directory(&self) -> io::Result<()> {
        let mut state = self.state();
        state.check(Operation::Sync, "")?;
        state.durable_names = state.names.clone();
        state.unsynced_names.clear();
        Ok(())
    }
}

struct PowerFile {
    disk: PowerDisk,
    content: usize,
}

impl PowerFile {
    fn with<T>(&self, operation: Option<Operation>, act: impl FnOnce(&mut Content) -> T) -> io::Result<T> {
        let mut state = self.disk.state();
        let name = state.contents[self.content].name.clone();
        match operation {
            Some(operation) => state.check(operation, &name)?,
            None if state.off => return Err(io::Error::other("the power is off")),
            None => {}
        }
        Ok(act(&mut state.contents[self.content]))
    }
}

impl DiskFile for PowerFile {
    fn len(&self) -> io::Result<u64> {
        self.with(None, |content| content.current.len() as u64)
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.with(None, |content| {
            let offset = offset as usize;
            let from = content.current.get(offset..offset + buffer.len());
            buffer.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
            Ok(())
        })?
    }

    fn write_all_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.with(Some(Operation::Write), |content| {
            apply(&mut content.current, offset as usize, bytes);
            content.unsynced.push(Unsynced::Write(offset, bytes.to_vec()));
        })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.with(Some(Operation::Grow), |content| {
            content.current.resize(len as usize, 0);
            content.unsynced.push(Unsynced::SetLen(len));
        })
    }

    fn sync_data(&self) -> io::Result<()> {
        self.with(Some(Operation::Sync), |content| {
            content.durable = content.current.clone();
            content.unsynced.clear();
        })
    }
}
