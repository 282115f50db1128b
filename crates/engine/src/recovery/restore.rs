//! Creating a table with the state of another table at a moment.

use std::ops::Bound;
use std::sync::Arc;

use singlet_values::EncodedItem;

use super::{Pin, Recovery};
use crate::background::Stop;
use crate::backup::MomentBackup;
use crate::catalogue::Catalogue;
use crate::error::Result;
use crate::load::{LoadProgress, LoadRow, Loader};
use crate::request::{RecoveryProgress, RestoreToTime, TableDescription};
use crate::store::{Direction, Logged, Position, View};
use crate::table::{LoadSource, Table};

/// The number of rows between two checks for a stop, and between two reports of progress.
const LOOK_EVERY: u64 = 256;

/// A recovery whose table exists and is empty, with status CREATING.
pub(crate) struct BegunRecovery {
    source: Arc<Table>,
    time_ms: u64,
    base: Base,
    loader: Loader,
    _pin: Pin,
}

/// The starting point of a recovery.
enum Base {
    /// The present items, or the items of the deleted table.
    Now(Arc<View<Catalogue>>),
    /// A backup from before the moment.
    Backup(Box<MomentBackup>),
}

impl BegunRecovery {
    /// The table at the beginning.
    pub(crate) fn description(&self) -> &TableDescription {
        self.loader.description()
    }
}

impl Recovery {
    /// Creates the table of a recovery.
    pub(crate) fn begin(&self, request: RestoreToTime) -> Result<BegunRecovery> {
        let RestoreToTime { source, target, time_ms, overrides } = request;
        let view = self.shared.background.view()?;
        let (source, time_ms) = self.source(&view, &source, time_ms)?;
        let pin = self.pin(source.number, time_ms);
        view.catalogue().check_encryption(overrides.encryption.as_ref())?;
        let definition = source.definition(target, overrides)?;
        let load_source = LoadSource::PointInTime { table_arn: source.arn.clone(), time_ms };
        let loader = Loader::begin(&self.shared.background, definition, load_source)
            .map_err(|error| self.shared.backups.name_is_taken(error))?;
        let base = self.nearer_base(view, &source, time_ms);
        Ok(BegunRecovery { source, time_ms, base, loader, _pin: pin })
    }

    /// Returns a backup from before the moment, if it is nearer than the present and every change since is recorded.
    fn nearer_base(&self, view: Arc<View<Catalogue>>, source: &Table, time_ms: u64) -> Base {
        let now = self.now(&view);
        let since_ms = source
            .settings
            .recovery
            .map_or(u64::MAX, |recovery| recovery.recorded_since_ms(&now).max(recovery.kept_from_ms(now.ms)));
        // The commit that turns recovery on has exactly that time and isn't recorded.
        let is_recorded_since = |backup_ms: u64| backup_ms > since_ms && backup_ms <= time_ms;
        let backup = self.shared.backups.latest_before(&source.id, time_ms, &now);
        let is_nearer = |backup_ms: u64| time_ms - backup_ms < now.ms.saturating_sub(time_ms);
        match backup {
            Some(backup) if is_recorded_since(backup.time_ms()) && is_nearer(backup.time_ms()) => {
                Base::Backup(Box::new(backup))
            }
            _ => Base::Now(view),
        }
    }

    /// Fills the table and opens it. If this fails, the table is removed.
    pub(crate) fn fill(
        &self,
        begun: BegunRecovery,
        stop: &Stop,
        look: &mut dyn FnMut(RecoveryProgress),
    ) -> Result<TableDescription> {
        let BegunRecovery { source, time_ms, base, loader, _pin } = begun;
        let progress = loader.progress();
        let mut walk = LogWalk { loader, progress, read: 0, stop, look };
        match base {
            Base::Now(view) => self.undo(&mut walk, view, source.number, time_ms)?,
            Base::Backup(backup) => self.redo(&mut walk, *backup, source.number, time_ms)?,
        }
        let LogWalk { loader, progress, read, look, .. } = walk;
        let description = loader.finish()?;
        look(RecoveryProgress { read, written: progress.rows() });
        Ok(description)
    }

    /// Goes back from the present items to the moment.
    fn undo(
        &self,
        walk: &mut LogWalk<'_>,
        view: Arc<View<Catalogue>>,
        table: u32,
        time_ms: u64,
    ) -> Result<()> {
        let space = crate::keyspace::RowSpace::items(table);
        let (start, end) = (space.prefix(), space.end());
        for row in view.range(Bound::Included(&start), Bound::Excluded(&end), Direction::Forward) {
            walk.push(LoadRow::Put(EncodedItem::from_bytes(row?.1)))?;
        }
        let last = Position::end_of(view.sequence());
        let now = self.now(&view);
        // A snapshot prevents the tree from reusing its pages.
        drop(view);
        for change in self.shared.background.store()?.changes_before(table, last) {
            let Logged { position, key, before, after, time_ms: changed_ms, .. } = change?;
            if now.effective_ms(position.sequence, changed_ms) <= time_ms {
                break;
            }
            walk.push(LoadRow::replace(&key, after, before))?;
        }
        Ok(())
    }

    /// Goes forward from a backup to the moment.
    fn redo(&self, walk: &mut LogWalk<'_>, backup: MomentBackup, table: u32, time_ms: u64) -> Result<()> {
        let last = Position::end_of(backup.sequence());
        let now = self.now(&*self.shared.background.view()?);
        backup.read(|item| walk.push(LoadRow::Put(item)))?;
        for change in self.shared.background.store()?.changes_after(table, last) {
            let Logged { position, key, before, after, time_ms: changed_ms, .. } = change?;
            if now.effective_ms(position.sequence, changed_ms) > time_ms {
                break;
            }
            walk.push(LoadRow::replace(&key, before, after))?;
        }
        Ok(())
    }
}

/// The way through the log to the moment, with its progress.
struct LogWalk<'a> {
    loader: Loader,
    progress: Arc<LoadProgress>,
    read: u64,
    stop: &'a Stop,
    look: &'a mut dyn FnMut(RecoveryProgress),
}

impl LogWalk<'_> {
    fn push(&mut self, row: LoadRow) -> Result<()> {
        if self.read.is_multiple_of(LOOK_EVERY) {
            self.stop.check()?;
            (self.look)(RecoveryProgress { read: self.read, written: self.progress.rows() });
        }
        self.read += 1;
        self.loader.push(row)
    }
}
