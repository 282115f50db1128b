//! A disk in memory that knows what is durable, and tears, reorders, fails and lies as it is told.
//!
//! The fate of unsynced writes is drawn when the power is cut: each write is kept, lost, or torn at a sector or at any
//! byte, each independent of the others; a write within one sector is kept whole or not at all. When only the process
//! ends, all of it stays, and may still be lost by a later cut. Names follow a journal: what was not synced with the
//! folder is lost from some change on. After a sync of the folder that failed, either the next one that succeeds makes
//! all names durable, or the file system has given up its journal: then it takes no more changes until it is mounted
//! again.

mod faults;
mod file;
mod image;
mod lose;
mod rot;

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use singlet_engine_simulated::{Disk, DiskFile};
use singlet_scheduler::{Random, note, point};

pub use self::faults::Faults;
use self::faults::{Act, Fault};
use self::file::{Content, SimulatedFile};
pub use self::image::Loss;
pub use self::lose::Lost;

/// The name of the folder itself in notes.
const FOLDER: &str = "the folder";

/// A folder on a simulated disk. Clones are the same folder.
#[derive(Clone)]
pub struct SimulatedDisk(Arc<Mutex<State>>);

struct State {
    contents: Vec<Content>,
    names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    /// Changes of names that were not synced, in their order.
    changes: Vec<NameChange>,
    faults: Faults,
    random: Random,
    /// Operations so far that change something or make it durable.
    operations: u64,
    is_cut: bool,
    failures: u64,
    /// Files whose syncs lied.
    lies: Vec<String>,
    /// The file system has given up its journal and takes no changes any more.
    is_read_only: bool,
    /// When the last sync of the log made something durable.
    log_synced_ns: u64,
    /// When the last two syncs of the mark of how far the log reached were done, the last one behind.
    marks_synced_ns: (u64, u64),
}

#[derive(Clone, Debug)]
enum NameChange {
    Create(String, usize),
    Remove(String),
    Rename(String, String),
}

impl NameChange {
    fn apply(&self, names: &mut BTreeMap<String, usize>) {
        match self {
            NameChange::Create(name, content) => {
                names.insert(name.clone(), *content);
            }
            NameChange::Remove(name) => {
                names.remove(name);
            }
            NameChange::Rename(from, to) => {
                if let Some(content) = names.remove(from) {
                    names.insert(to.clone(), content);
                }
            }
        }
    }
}

impl SimulatedDisk {
    /// An empty folder.
    pub fn new(random: Random) -> Self {
        SimulatedDisk(Arc::new(Mutex::new(State {
            contents: Vec::new(),
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            changes: Vec::new(),
            faults: Faults::default(),
            random,
            operations: 0,
            is_cut: false,
            failures: 0,
            lies: Vec::new(),
            is_read_only: false,
            log_synced_ns: 0,
            marks_synced_ns: (0, 0),
        })))
    }

    /// The same folder for the engine.
    pub fn as_disk(&self) -> Arc<dyn Disk> {
        Arc::new(self.clone())
    }

    /// The faults from now on. Operations are counted from here.
    pub fn set_faults(&self, faults: Faults) {
        let mut state = self.state();
        state.faults = faults;
        state.operations = 0;
        state.failures = 0;
        state.lies.clear();
    }

    /// Whether the power is off.
    pub fn is_cut(&self) -> bool {
        self.state().is_cut
    }

    /// Whether anything has failed since the faults were set.
    pub fn has_failed(&self) -> bool {
        let state = self.state();
        state.is_cut || state.failures > 0
    }

    /// Whether a sync has lied since the faults were set.
    pub fn has_lied(&self) -> bool {
        !self.state().lies.is_empty()
    }

    /// Whether a sync of such a file, or of the folder, has lied since then.
    pub fn has_lied_about(&self, prefix: &str) -> bool {
        self.state().lies.iter().any(|name| name.starts_with(prefix) || name == FOLDER)
    }

    /// When, in virtual time, the last sync of the log made something durable; lives before this one don't count.
    pub fn log_synced_ns(&self) -> u64 {
        self.state().log_synced_ns
    }

    /// Everything fails from now on.
    pub fn cut(&self) {
        self.state().is_cut = true;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether an operation goes well; notes it if not.
    fn check(&mut self, act: Act, name: &str) -> Result<(), Fault> {
        if act.changes() {
            self.operations += 1;
        }
        let fault = if self.is_cut {
            Some(Fault::Off)
        } else if self.is_read_only && act.changes() {
            Some(Fault::Failed(io::ErrorKind::ReadOnlyFilesystem))
        } else {
            self.faults.meet(act, name, self.operations, &mut self.random)
        };
        let Some(fault) = fault else { return Ok(()) };
        match fault {
            Fault::Off if !self.is_cut => {
                self.is_cut = true;
                note(format_args!("disk: the power goes at operation {}, {act:?} {name}", self.operations));
            }
            Fault::Off => {}
            Fault::Failed(kind) => {
                self.failures += 1;
                note(format_args!("disk: {act:?} {name} fails: {kind}"));
            }
            Fault::Lie => {
                self.lies.push(name.to_owned());
                note(format_args!("disk: {act:?} {name} lies"));
            }
        }
        Err(fault)
    }

    fn used_bytes(&self) -> u64 {
        let contents = self.names.values().filter_map(|content| self.contents.get(*content));
        contents.map(|content| content.current.len() as u64).sum()
    }

    fn change_name(&mut self, change: NameChange) {
        change.apply(&mut self.names);
        if let NameChange::Rename(_, to) = &change
            && let Some(content) = self.names.get(to)
            && let Some(content) = self.contents.get_mut(*content)
        {
            content.name.clone_from(to);
        }
        self.changes.push(change);
    }
}

impl Disk for SimulatedDisk {
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        point();
        let mut state = self.state();
        let content = match state.names.get(name) {
            Some(content) => {
                let content = *content;
                state.check(Act::Read, name).map_err(Fault::error)?;
                content
            }
            None => {
                state.check(Act::Name, name).map_err(Fault::error)?;
                note(format_args!("disk: creates {name}"));
                let content = state.contents.len();
                state.contents.push(Content::new(name));
                state.change_name(NameChange::Create(name.to_owned(), content));
                content
            }
        };
        Ok(Arc::new(SimulatedFile::new(self.clone(), content)))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut state = self.state();
        state.check(Act::Read, FOLDER).map_err(Fault::error)?;
        Ok(state.names.keys().cloned().collect())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        point();
        let mut state = self.state();
        if !state.names.contains_key(name) {
            return Err(io::ErrorKind::NotFound.into());
        }
        state.check(Act::Name, name).map_err(Fault::error)?;
        note(format_args!("disk: removes {name}"));
        state.change_name(NameChange::Remove(name.to_owned()));
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        point();
        let mut state = self.state();
        if !state.names.contains_key(from) {
            return Err(io::ErrorKind::NotFound.into());
        }
        state.check(Act::Name, from).map_err(Fault::error)?;
        note(format_args!("disk: renames {from} to {to}"));
        state.change_name(NameChange::Rename(from.to_owned(), to.to_owned()));
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        point();
        let mut state = self.state();
        match state.check(Act::Sync, FOLDER) {
            Ok(()) => {}
            Err(Fault::Lie) => return Ok(()),
            Err(fault) => {
                // As ext4, XFS and btrfs do it when their journal can't be written; a flush alone may fail without
                // that.
                if matches!(fault, Fault::Failed(_)) && state.random.one_in(2) {
                    note(format_args!("disk: takes no changes any more"));
                    state.is_read_only = true;
                }
                return Err(fault.error());
            }
        }
        note(format_args!("disk: syncs the folder"));
        state.durable_names = state.names.clone();
        state.changes.clear();
        Ok(())
    }
}
