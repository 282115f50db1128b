//! Faults, and when they occur.

use std::io;

use singlet_scheduler::Random;

/// A fault of a disk. Numbers of operations count those that change something or make it durable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults {
    /// At this operation the power goes; everything fails from then on.
    pub cut_at: Option<u64>,
    /// The power waits for the next sync of the log, and goes before it.
    pub cuts_log_sync: bool,
    /// This operation fails.
    pub fail_at: Option<u64>,
    /// One in so many operations fails; 0 is never.
    pub fail_one_in: u64,
    /// One in so many reads fails; 0 is never.
    pub fail_reads_one_in: u64,
    /// One in so many syncs says that it succeeded and does nothing; 0 is never.
    pub lie_one_in: u64,
    /// The disk has room for so many bytes.
    pub bytes_max: Option<u64>,
}

/// An attempted operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Read,
    Write,
    Grow,
    Sync,
    Name,
}

impl Act {
    pub(super) fn changes(self) -> bool {
        self != Act::Read
    }
}

/// How an operation goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// There is no power.
    Off,
    Failed(io::ErrorKind),
    /// The sync says that it succeeded.
    Lie,
}

impl Fault {
    pub(super) fn error(self) -> io::Error {
        match self {
            Fault::Off => io::Error::other("the power is off"),
            Fault::Failed(kind) => kind.into(),
            Fault::Lie => io::Error::other("a lie is no error"),
        }
    }
}

impl Faults {
    pub(super) fn meet(&self, act: Act, name: &str, operation: u64, random: &mut Random) -> Option<Fault> {
        let is_met = !self.cuts_log_sync || (act == Act::Sync && name.starts_with("log-"));
        if act.changes() && is_met && self.cut_at.is_some_and(|cut_at| operation >= cut_at) {
            return Some(Fault::Off);
        }
        let fails = match act {
            Act::Read => random.one_in(self.fail_reads_one_in),
            _ => self.fail_at == Some(operation) || random.one_in(self.fail_one_in),
        };
        if fails {
            let is_full = matches!(act, Act::Write | Act::Grow | Act::Name) && random.one_in(2);
            // Whatever it is called, nobody may rely on what it left behind.
            let kind = if is_full { io::ErrorKind::StorageFull } else { io::ErrorKind::Other };
            return Some(Fault::Failed(kind));
        }
        (act == Act::Sync && random.one_in(self.lie_one_in)).then_some(Fault::Lie)
    }
}
