//! Checks that a database notices missing files and missing ends of files.

use singlet_engine_simulated::store::StoreOptions;
use singlet_engine_simulated::{Database, Error, Options};
use singlet_scheduler::note;

use super::Simulation;
use crate::audit::Trouble;
use crate::disk::{Lost, SimulatedDisk};

impl Simulation {
    /// A file goes missing, or the end of the log: opening or a verification says so, or everything that was
    /// acknowledged is there. Of the end of a log file only what the mark reached is promised; of a whole file,
    /// everything.
    pub(super) fn miss(&mut self, disk: &SimulatedDisk, before: &SimulatedDisk) -> Result<(), String> {
        let Some(lost) = disk.lose() else { return Ok(()) };
        let is_said = self.verification(disk).map_or(true, |verified| !verified.findings.is_empty());
        self.lived.damages += u64::from(is_said);
        let database = match Database::open_on(disk.as_disk(), self.options.clone()) {
            Ok(database) => database,
            Err(error) if is_said => {
                note(format_args!("it does not open: {error}"));
                return self.accept(disk);
            }
            Err(error) => return Err(format!("a verification finds nothing, but it does not open: {error}")),
        };
        if !is_said {
            if matches!(lost, Lost::End(_)) {
                self.world.take_back(before.mark_known_ns());
            }
            match self.audit(&database) {
                Ok(()) | Err(Trouble::Storage(_)) => {}
                Err(Trouble::Finding(finding)) => {
                    return Err(format!("{lost:?} is lost, without a word: {finding}"));
                }
            }
        }
        database.close().map_err(|error| format!("it does not close: {error}"))
    }

    /// The rest can be opened, unless it is damaged or can't be used without the missing part; and then nothing is
    /// missing any more.
    fn accept(&self, disk: &SimulatedDisk) -> Result<(), String> {
        let store = StoreOptions { accept_loss: true, ..self.options.store.clone() };
        match Database::open_on(disk.as_disk(), Options { store, ..self.options.clone() }) {
            Ok(database) => database.close().map_err(|error| format!("it does not close: {error}"))?,
            Err(Error::Loss(loss)) if loss.is_acceptable() => {
                return Err(format!("a loss that is accepted is refused: {loss}"));
            }
            Err(error) => {
                note(format_args!("what is left is damaged: {error}"));
                return Ok(());
            }
        }
        let again = Database::open_on(disk.as_disk(), self.options.clone());
        let again = again.map_err(|error| format!("a loss that was accepted is not forgotten: {error}"))?;
        again.close().map_err(|error| format!("it does not close: {error}"))
    }
}
