//! A disk whose syncs work, wait or fail as a test says, and which knows who reads.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use singlet_engine::{Disk, DiskFile};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syncs {
    Work,
    /// So many work, then they fail.
    WorkFor(usize),
    Wait,
    Fail,
}

struct Switch {
    syncs: Mutex<Syncs>,
    turned: Condvar,
    reads_of_writer: AtomicUsize,
    reads_of_others: AtomicUsize,
}

impl Switch {
    fn lock(&self) -> MutexGuard<'_, Syncs> {
        self.syncs.lock().expect("no test thread panics while it holds the switch")
    }

    fn turn(&self, to: Syncs) {
        *self.lock() = to;
        self.turned.notify_all();
    }

    fn pass(&self) -> io::Result<()> {
        let syncs = self.turned.wait_while(self.lock(), |syncs| *syncs == Syncs::Wait);
        let mut syncs = syncs.expect("no test thread panics while it holds the switch");
        match *syncs {
            Syncs::Work | Syncs::Wait => Ok(()),
            Syncs::WorkFor(left @ 1..) => {
                *syncs = Syncs::WorkFor(left - 1);
                Ok(())
            }
            Syncs::WorkFor(0) | Syncs::Fail => Err(io::Error::other("the disk is broken")),
        }
    }
}

/// A disk on top of another one. Clones share the switch.
#[derive(Clone)]
pub(crate) struct ControlledDisk {
    inner: Arc<dyn Disk>,
    switch: Arc<Switch>,
}

impl ControlledDisk {
    pub(crate) fn new(inner: Arc<dyn Disk>) -> Self {
        let switch = Switch {
            syncs: Mutex::new(Syncs::Work),
            turned: Condvar::new(),
            reads_of_writer: AtomicUsize::new(0),
            reads_of_others: AtomicUsize::new(0),
        };
        ControlledDisk { inner, switch: Arc::new(switch) }
    }

    pub(crate) fn as_disk(&self) -> Arc<dyn Disk> {
        Arc::new(self.clone())
    }

    /// Syncs do not return until [`ControlledDisk::mend`] or [`ControlledDisk::fail_syncs`].
    pub(crate) fn hold_syncs(&self) {
        self.switch.turn(Syncs::Wait);
    }

    /// Syncs fail, also those that wait.
    pub(crate) fn fail_syncs(&self) {
        self.switch.turn(Syncs::Fail);
    }

    /// This many more syncs work, the others fail.
    pub(crate) fn fail_after_syncs(&self, syncs: usize) {
        self.switch.turn(Syncs::WorkFor(syncs));
    }

    /// How often the writer has read a file, and how often all others.
    pub(crate) fn reads(&self) -> (usize, usize) {
        let Switch { reads_of_writer, reads_of_others, .. } = &*self.switch;
        (reads_of_writer.load(Ordering::Relaxed), reads_of_others.load(Ordering::Relaxed))
    }

    /// Syncs work again.
    pub(crate) fn mend(&self) {
        self.switch.turn(Syncs::Work);
    }
}

impl Disk for ControlledDisk {
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(ControlledFile { inner: self.inner.open(name)?, switch: self.switch.clone() }))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        self.inner.list()
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.inner.remove(name)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.inner.rename(from, to)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.switch.pass()?;
        self.inner.sync_directory()
    }
}

struct ControlledFile {
    inner: Arc<dyn DiskFile>,
    switch: Arc<Switch>,
}

impl DiskFile for ControlledFile {
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let is_writer = std::thread::current().name() == Some("singlet-writer");
        let Switch { reads_of_writer, reads_of_others, .. } = &*self.switch;
        let reads = if is_writer { reads_of_writer } else { reads_of_others };
        reads.fetch_add(1, Ordering::Relaxed);
        self.inner.read_exact_at(offset, buffer)
    }

    fn write_all_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.inner.write_all_at(offset, bytes)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.inner.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.switch.pass()?;
        self.inner.sync_data()
    }
}
