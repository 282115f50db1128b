//! Lives of a database, one after the other, on what the one before left on the disk.

mod miss;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use singlet_engine_simulated::{
    Clock, Database, Error, InUse, Options, UpdateRecovery, Verification, verify_on,
};
use singlet_scheduler::{Random, note};

use crate::audit::{self, Trouble};
use crate::client::{self, expiring_definition};
use crate::clock::{Clocks, SETTLE_MS};
use crate::disk::{Faults, Loss, SimulatedDisk};
use crate::model::Operation;
use crate::plan::{Plan, Scenario};
use crate::simulated::perform::{TABLE, definition};
use crate::world::{Moment, World, lock};

/// The caller of an audit.
const AUDITOR: u64 = 99;

/// Statistics of a simulation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lived {
    /// Calls of clients.
    pub calls: usize,
    /// How often the power went or something failed.
    pub losses: u64,
    /// How often damage was found and said.
    pub damages: u64,
}

pub(crate) struct Simulation {
    pub(crate) world: Arc<World>,
    pub(crate) random: Random,
    pub(crate) options: Options,
    /// Whether this life ends by killing the process, not by cutting the power.
    is_killed: bool,
    pub(crate) lived: Lived,
}

/// Lives all lives of a plan.
pub(crate) fn simulate(plan: Plan, mut random: Random) -> Result<Lived, String> {
    let clock = Arc::new(Clocks::new(random.fork()));
    let mut options = Options { clock: clock.clone(), ..plan.options() };
    options.store.clock_settle_ms = SETTLE_MS;
    let mut disk = SimulatedDisk::new(random.fork());
    let world = Arc::new(World::new(plan, clock));
    let mut simulation = Simulation { world, random, options, is_killed: false, lived: Lived::default() };
    for life in 0..simulation.world.plan.lives {
        note(format_args!("life {life} begins"));
        disk.set_faults(simulation.faults(life));
        simulation.live(&disk).map_err(|finding| format!("in life {life}: {finding}"))?;
        simulation.world.stop();
        let before = disk;
        disk = simulation.lose(&before);
        if simulation.is_last(life, Scenario::Losses) {
            simulation.miss(&disk, &before)?;
            simulation.lived.calls = simulation.world.calls();
            return Ok(simulation.lived);
        }
        if simulation.is_last(life, Scenario::Flips) || before.has_lied() {
            simulation.doubt(&disk, &before)?;
            simulation.lived.calls = simulation.world.calls();
            return Ok(simulation.lived);
        }
        simulation.verify(&disk).map_err(|finding| format!("after life {life}: {finding}"))?;
        if simulation.is_last(life, Scenario::Rot) {
            simulation.rot(&disk)?;
            simulation.lived.calls = simulation.world.calls();
            return Ok(simulation.lived);
        }
    }
    simulation.rest(&disk).map_err(|finding| format!("at rest: {finding}"))?;
    simulation.lived.calls = simulation.world.calls();
    Ok(simulation.lived)
}

impl Simulation {
    fn faults(&mut self, life: u64) -> Faults {
        let operations = self.world.plan.disk_operations;
        let random = &mut self.random;
        let was_killed = self.is_killed;
        self.is_killed = self.world.plan.scenario == Scenario::Cuts && random.one_in(3);
        match self.world.plan.scenario {
            Scenario::Calm | Scenario::Flips | Scenario::Rot | Scenario::Losses => Faults::default(),
            Scenario::Cuts => {
                // A process that was killed leaves what is not durable. Whether that is trusted shows if it is lost
                // soon.
                let is_early = was_killed && random.one_in(2);
                self.is_killed &= !is_early;
                let operations = if is_early { operations / 16 + 1 } else { operations };
                let cuts_log_sync = self.is_killed && random.one_in(2);
                Faults { cut_at: Some(1 + random.below(operations)), cuts_log_sync, ..Faults::default() }
            }
            Scenario::Lies => Faults {
                cut_at: Some(1 + random.below(operations)),
                lie_one_in: 2 + random.below(10),
                ..Faults::default()
            },
            Scenario::Failures => match random.below(4) {
                0 => Faults { fail_at: Some(1 + random.below(operations)), ..Faults::default() },
                1 => Faults { fail_one_in: 20 + random.below(operations), ..Faults::default() },
                2 => Faults { fail_reads_one_in: 20 + random.below(operations), ..Faults::default() },
                // A tree alone takes about a megabyte. Each life has more room than the one before.
                _ => Faults {
                    bytes_max: Some((1_100_000 + random.below(300_000)) * (life + 1)),
                    ..Faults::default()
                },
            },
        }
    }

    /// Whether it is the last life of this scenario.
    fn is_last(&self, life: u64, scenario: Scenario) -> bool {
        self.world.plan.scenario == scenario && life + 1 == self.world.plan.lives
    }

    /// One life: opening, auditing, clients, closing. A fault of the disk isn't a finding.
    fn live(&mut self, disk: &SimulatedDisk) -> Result<(), String> {
        let database = match Database::open_on(disk.as_disk(), self.options.clone()) {
            Ok(database) => database,
            Err(error) if disk.has_failed() => {
                note(format_args!("it does not open: {error}"));
                return Ok(());
            }
            Err(error) => return Err(format!("it does not open: {error}")),
        };
        let prepared = self.prepare(&database);
        if self.allow(prepared, disk)? {
            let clients = client::start(&self.world, &database, &mut self.random);
            for client in clients {
                client.join().map_err(|_| "a client returned nothing")??;
            }
        }
        self.close(&database, disk)
    }

    /// Says whether it went well. The database may say that its disk failed, if it did.
    fn allow<T>(&self, result: Result<T, Trouble>, disk: &SimulatedDisk) -> Result<bool, String> {
        match result {
            Ok(_) => Ok(true),
            Err(Trouble::Storage(reason)) if disk.has_failed() => {
                note(format_args!("it fails with its disk: {reason}"));
                Ok(false)
            }
            Err(Trouble::Storage(reason)) => Err(format!("it fails without its disk: {reason}")),
            Err(Trouble::Finding(finding)) => Err(finding),
        }
    }

    /// Makes the tables if there are none; audits them if there are, and now and then what can be made of the past.
    fn prepare(&mut self, database: &Database) -> Result<(), Trouble> {
        let is_there = |name: &str| database.describe_table(name).is_ok();
        let world = self.world.clone();
        if world.has_tables() || is_there(TABLE) {
            self.audit(database)?;
            if self.random.one_in(3) {
                audit::moments(&world, database)?;
                audit::restoring(&world, database)?;
            }
        }
        for definition in [definition(), expiring_definition()] {
            match database.create_table(definition) {
                Ok(_) | Err(Error::ResourceInUse(InUse::TableExists(_))) => {}
                Err(error) => return Err(error.into()),
            }
        }
        world.note_tables();
        if !world.has_recovery.load(Ordering::Relaxed) {
            database.update_recovery(UpdateRecovery::on(TABLE))?;
            world.has_recovery.store(true, Ordering::Relaxed);
        }
        self.remember(database)
    }

    pub(crate) fn audit(&self, database: &Database) -> Result<(), Trouble> {
        if !self.world.has_tables() && database.describe_table(TABLE).is_err() {
            return Ok(());
        }
        let (_, records) = audit::agreement(database)?;
        audit::positions(&self.world, database, &records)?;
        if database.describe_table(client::EXPIRING).is_ok() {
            audit::expiry(&self.world, database)?;
        } else if self.world.has_tables() {
            return Err(Trouble::Finding("the table of what expires is gone".to_owned()));
        }
        audit::backups(&self.world, database)?;
        // The present state is an answer like others.
        client::call(&self.world, database, AUDITOR, &Operation::Scan)?;
        self.world.check_history()?;
        Ok(())
    }

    /// The wall clock is right when a life begins: nothing could tell that it isn't.
    fn set_clock(&mut self) {
        self.world.clock.come_right();
        if self.world.clock.prove() {
            // Commits of the last life look as if they had been before that; nothing can tell that either.
            lock(&self.world.moments).clear();
        }
    }

    /// Waits until the database believes a wall clock that is right; then everything must go by the right time.
    fn settle(&mut self, database: &Database) -> Result<bool, Trouble> {
        let clock = self.world.clock.clone();
        clock.come_right();
        for _ in 0..2 {
            // A write looks at the clock, and has a time.
            let due_second = clock.now_ms() / 1000 + 10_000;
            if !client::put_expiring(&self.world, database, due_second)? {
                return Ok(false);
            }
            clock.pass(SETTLE_MS);
        }
        clock.prove();
        audit::expired(&self.world, database)?;
        Ok(true)
    }

    /// Keeps what the table is like at a moment between two commits.
    fn remember(&mut self, database: &Database) -> Result<(), Trouble> {
        if !self.settle(database)? {
            return Ok(());
        }
        let clock = self.world.clock.clone();
        let time_ms = clock.now_ms();
        let (items, _) = audit::agreement(database)?;
        clock.pass(1_000);
        let after_ms = clock.now_ms();
        // Whatever comes now has a later time.
        let is_kept = client::put_expiring(&self.world, database, after_ms / 1000 + 10_000)?;
        if is_kept && after_ms > time_ms {
            lock(&self.world.moments).push(Moment { time_ms, items });
        }
        Ok(())
    }

    fn close(&mut self, database: &Database, disk: &SimulatedDisk) -> Result<(), String> {
        let goes_first = !matches!(self.world.plan.scenario, Scenario::Calm | Scenario::Failures);
        if goes_first && self.random.one_in(2) {
            note(format_args!("it is cut off before the end"));
            disk.cut();
        }
        match database.close() {
            Ok(()) => Ok(()),
            Err(error) if disk.has_failed() => {
                note(format_args!("it does not close well: {error}"));
                Ok(())
            }
            Err(error) => Err(format!("it does not close: {error}")),
        }
    }

    /// The disk that the next life finds, with a clock that is right.
    pub(crate) fn lose(&mut self, disk: &SimulatedDisk) -> SimulatedDisk {
        self.lived.losses += u64::from(disk.has_failed());
        self.set_clock();
        let loss = match self.world.plan.scenario {
            Scenario::Cuts if self.is_killed => Loss::Process,
            Scenario::Cuts | Scenario::Lies => Loss::Power,
            Scenario::Calm | Scenario::Failures | Scenario::Flips | Scenario::Rot | Scenario::Losses
                if self.random.one_in(2) =>
            {
                Loss::Power
            }
            _ => Loss::Process,
        };
        note(format_args!("it ends with the loss of its {loss:?}"));
        disk.after(loss)
    }

    pub(crate) fn verification(&self, disk: &SimulatedDisk) -> Result<Verification, Error> {
        verify_on(disk.as_disk(), self.world.plan.store.key.as_ref(), &mut |_| ())
    }

    /// A verification finds nothing.
    fn verify(&self, disk: &SimulatedDisk) -> Result<(), String> {
        match self.verification(disk) {
            Ok(verified) if verified.findings.is_empty() => Ok(()),
            Ok(verified) => Err(format!("a verification finds {:?}", verified.findings)),
            // A life that was cut short at its very beginning has left nothing.
            Err(Error::Storage(reason)) if reason.contains("no data") && !self.world.has_tables() => Ok(()),
            Err(Error::Key(_)) if !self.world.has_tables() => Ok(()),
            Err(error) => Err(format!("a verification fails: {error}")),
        }
    }

    /// After all faults: it opens, and opens again after it was closed.
    fn rest(&mut self, disk: &SimulatedDisk) -> Result<(), String> {
        for _ in 0..2 {
            let database = Database::open_on(disk.as_disk(), self.options.clone())
                .map_err(|error| format!("it does not open: {error}"))?;
            let prepared = self.prepare(&database);
            self.allow(prepared, disk)?;
            database.close().map_err(|error| format!("it does not close: {error}"))?;
        }
        self.verify(disk)
    }

    /// After the disk has lied, or else a bit turns: it says so, or what it shows was there once; and if the disk
    /// didn't lie, it is the same as before, but for what shared the last sync.
    fn doubt(&mut self, disk: &SimulatedDisk, before: &SimulatedDisk) -> Result<(), String> {
        let whole = !before.has_lied();
        let mut flipped = None;
        if whole {
            flipped = disk.flip_bit();
            if flipped.is_none() {
                return Ok(());
            }
        }
        let is_damaged = match self.verification(disk) {
            Ok(verified) => !verified.findings.is_empty(),
            Err(_) => true,
        };
        if is_damaged {
            note(format_args!("the verification says that there is damage"));
            self.lived.damages += 1;
            // Commits that the log or a lying disk lost are lost. Of other files nothing wrong may be shown, whoever
            // verified it or not.
            let is_of_log = flipped.is_none_or(|flipped| flipped.contains(" of log-"));
            return if is_of_log { Ok(()) } else { self.live_with_rot(disk) };
        }
        let database = match Database::open_on(disk.as_disk(), self.options.clone()) {
            Ok(database) => database,
            Err(error) => {
                note(format_args!("it does not open: {error}"));
                self.lived.damages += 1;
                return Ok(());
            }
        };
        let audited = match whole {
            true => {
                self.audit(&database).or_else(|trouble| self.without_last_sync(&database, before, trouble))
            }
            false => self.was_once(&database, before),
        };
        match audited {
            Ok(()) | Err(Trouble::Storage(_)) => {}
            Err(Trouble::Finding(finding)) => return Err(format!("without a word of damage: {finding}")),
        }
        database.close().map_err(|error| format!("it does not close: {error}"))
    }

    /// A bit that turns in what the last sync of the log wrote makes it look like a write that was interrupted: what
    /// shared that sync may then be missing, and nothing else.
    fn without_last_sync(
        &self,
        database: &Database,
        before: &SimulatedDisk,
        trouble: Trouble,
    ) -> Result<(), Trouble> {
        let Trouble::Finding(finding) = trouble else { return Err(trouble) };
        note(format_args!("what shared the last sync is missing, or more: {finding}"));
        self.world.take_back(before.log_synced_ns());
        self.audit(database)
    }

    /// The state is one that the table was in, at some moment.
    fn was_once(&self, database: &Database, lied: &SimulatedDisk) -> Result<(), Trouble> {
        if database.describe_table(TABLE).is_err() {
            return Ok(());
        }
        let records = match audit::agreement(database) {
            Ok((_, records)) => records,
            // The past is kept in files of its own, and nothing tells that one of them ends too early.
            Err(Trouble::Finding(finding)) if lied.has_lied_about("past-") => {
                note(format_args!("the past has a gap: {finding}"));
                return audit::indexes(database);
            }
            Err(trouble) => return Err(trouble),
        };
        let seen = &lock(&self.world.followed).records;
        match seen.iter().zip(&records).find(|(seen, now)| seen != now) {
            None => Ok(()),
            Some(differs) => Err(Trouble::Finding(format!("another past: {differs:?}"))),
        }
    }
}
