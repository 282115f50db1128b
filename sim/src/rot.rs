//! Files that rot while the database uses them: whatever it shows is right, or it says what is damaged.

use singlet_engine_simulated::Database;
use singlet_scheduler::note;

use crate::audit::Trouble;
use crate::client;
use crate::disk::SimulatedDisk;
use crate::life::Simulation;

/// How often the database is opened on files that rot.
const OPENINGS: u64 = 3;
/// The bytes before the number of an item in its stored form: the name `n`, and the letter of numbers.
const BEFORE_NUMBER: &[u8] = &[1, b'n', b'N'];

impl Simulation {
    /// Turns bits while the database is closed and while it is open, and lets clients go on.
    pub(crate) fn rot(&mut self, disk: &SimulatedDisk) -> Result<(), String> {
        let mut disk = disk.clone();
        for opening in 0..OPENINGS {
            note(format_args!("opening {opening} of files that rot"));
            if self.random.one_in(2) {
                self.turn_bit(&disk);
            }
            self.live_with_rot(&disk)?;
            self.world.stop();
            self.world.check_history().map_err(|finding| format!("without a word of damage: {finding}"))?;
            disk = self.lose(&disk);
            if let Ok(verified) = self.verification(&disk) {
                note(format_args!("a verification finds {:?}", verified.findings));
            }
        }
        Ok(())
    }

    /// The tree, most of the time; else another file that is not the log: what the log lost is another matter.
    fn turn_bit(&mut self, disk: &SimulatedDisk) {
        let prefix = ["tree", "tree", "tree", "past-", "backup-"].get(self.random.index(5));
        disk.turn_bit(prefix.unwrap_or(&"tree"), BEFORE_NUMBER);
    }

    pub(crate) fn live_with_rot(&mut self, disk: &SimulatedDisk) -> Result<(), String> {
        let database = match Database::open_on(disk.as_disk(), self.options.clone()) {
            Ok(database) => database,
            Err(error) => return self.said(&error.to_string()),
        };
        self.turn_bit(disk);
        match self.audit(&database) {
            Ok(()) => {}
            Err(Trouble::Storage(reason)) => self.said(&reason)?,
            Err(Trouble::Finding(finding)) => return Err(format!("without a word of damage: {finding}")),
        }
        let world = self.world.clone();
        for client in client::start(&world, &database, &mut self.random) {
            client.join().map_err(|_| "a client returned nothing")??;
        }
        match database.close() {
            Ok(()) => Ok(()),
            Err(error) => self.said(&error.to_string()),
        }
    }

    /// An error must say what is damaged, unless it only says that something else can't go on.
    fn said(&mut self, reason: &str) -> Result<(), String> {
        note(format_args!("it says: {reason}"));
        self.lived.damages += 1;
        let is_clear = ["damaged", "is not a backup", "does not settle", "closed"]
            .iter()
            .any(|word| reason.contains(word));
        if is_clear { Ok(()) } else { Err(format!("it doesn't say what is damaged: {reason}")) }
    }
}
