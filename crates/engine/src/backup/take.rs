//! Taking a backup.

use std::ops::Bound;

use super::file::FileWriter;
use super::{Backup, Backups, NEW_SUFFIX, file_name};
use crate::background::Stop;
use crate::catalogue::Catalogue;
use crate::error::{Error, Result};
use crate::pending::Pending;
use crate::request::BackupProgress;
use crate::store::{Direction, View};
use crate::write::{BackupStart, BegunBackup, Job};

/// The number of items between two checks for a stop, and between two reports of progress.
const LOOK_ITEMS: u64 = 256;

impl Backups {
    /// Fixes the moment. From then on the backup will exist: [`Backups::write`] or the next opening completes it.
    pub(crate) fn begin(&self, start: BackupStart) -> Result<BegunBackup> {
        if let BackupStart::New { table, .. } = &start
            && let Ok(table) = self.shared.background.view()?.catalogue().resource(table)
        {
            let bytes = self.shared.background.view()?.tally(table.items().tally()).bytes;
            self.shared.background.check_room_for(bytes)?;
        }
        let (answer, pending) = Pending::channel();
        self.shared.background.submit(Job::BeginBackup { start, answer })?;
        pending.wait()
    }

    /// Writes the items of the moment. If this fails, the backup is removed. If the database closes, it is taken
    /// again later.
    pub(crate) fn write(
        &self,
        begun: BegunBackup,
        stop: &Stop,
        look: &mut dyn FnMut(BackupProgress),
    ) -> Result<Backup> {
        let id = begun.backup.id.clone();
        let written = self.write_file(begun, stop, look).and_then(|()| self.end(&id));
        if let Err(error) = &written
            && !matches!(error, Error::Closed)
        {
            tracing::error!(backup = id, %error, "the backup failed");
            let forgotten = self.forget(&id);
            self.remove_file(&format!("{}{NEW_SUFFIX}", file_name(&id)));
            if let Err(error) = forgotten {
                tracing::warn!(backup = id, %error, "the backup will be taken again at the next opening");
            }
        }
        written
    }

    /// The snapshot is dropped as soon as it is read, so that the tree can reuse its pages.
    fn write_file(
        &self,
        begun: BegunBackup,
        stop: &Stop,
        look: &mut dyn FnMut(BackupProgress),
    ) -> Result<()> {
        let disk = &self.shared.disk;
        let name = file_name(&begun.backup.id);
        let new_name = format!("{name}{NEW_SUFFIX}");
        let failed = |error: std::io::Error| Error::Backup(format!("can't write {name}: {error}"));
        let file = disk.create(&new_name).map_err(failed)?;
        let mut writer = FileWriter::create(file, &name, &begun.backup)?;
        let mut look = |progress: BackupProgress| {
            look(progress);
            // Other writes take space meanwhile, too.
            self.shared.background.check_room_for(0)
        };
        copy_items(&begun.view, &begun.backup, &mut writer, stop, &mut look)?;
        drop(begun);
        writer.finish()?;
        disk.rename(&new_name, &name).map_err(failed)?;
        disk.sync_directory().map_err(failed)
    }

    fn end(&self, id: &str) -> Result<Backup> {
        let (answer, pending) = Pending::channel();
        self.shared.background.submit(Job::EndBackup { id: id.to_owned(), answer })?;
        pending.wait()
    }
}

/// Copies the items of a table from a snapshot, in the order of their row keys.
pub(super) fn copy_items(
    view: &View<Catalogue>,
    backup: &Backup,
    writer: &mut FileWriter,
    stop: &Stop,
    look: &mut dyn FnMut(BackupProgress) -> Result<()>,
) -> Result<()> {
    let space = backup.table.items();
    let (start, end) = (space.prefix(), space.end());
    let mut rows = view.range(Bound::Included(&start), Bound::Excluded(&end), Direction::Forward);
    let mut items = 0;
    while let Some(pushed) = rows.read_next(|_, item| writer.push(item))? {
        pushed?;
        items += 1;
        if items % LOOK_ITEMS == 0 {
            stop.check()?;
            look(BackupProgress { items, items_total: backup.tally.count })?;
        }
    }
    look(BackupProgress { items, items_total: items })
}
