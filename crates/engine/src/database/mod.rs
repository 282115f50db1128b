//! The public interface: opening, closing and calling a database.

mod backups;
mod expiry;
mod open;
mod recovery;
mod streams;
mod subscription;
mod tables;
#[cfg(test)]
mod tests;
mod transfers;
mod writes;

pub use subscription::{StreamPosition, Subscribe, SubscribeFrom, Subscription};

use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::{fs, io};

use crate::background::{Background, Tasks};
use crate::backup::Backups;
use crate::catalogue::Catalogue;
use crate::error::Result;
use crate::maintenance::{ExpiryThread, StreamMaintenance, TableMaintenance};
use crate::options::{Conflicts, Options};
use crate::pending::Pending;
use crate::read;
use crate::recovery::Recovery;
use crate::request::{
    BatchGet, BatchGetOutcome, GetItem, GetOutcome, KeyDescription, PageOutcome, Query, Scan, TransactGet,
    TransactGetOutcome,
};
use crate::store::{Disk, FileDisk, Loss, MemoryDisk, Store, StoreStats, View, is_database_file};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::transfer::Transfers;
use crate::write::{EngineStore, InFlight, Job};

/// A database, embedded in the program. Clones share it. It closes when the last one is dropped.
///
/// ```
/// use singlet_engine::{CreateTable, Database, GetItem, PutItem, ScalarType};
/// use singlet_engine::values::{AttributeValue, Item};
///
/// let database = Database::in_memory()?;
/// database.create_table(CreateTable::new("recipes", "id", ScalarType::S))?;
///
/// let item: Item = [("id", "17"), ("name", "Phở bò")].into_iter().collect();
/// database.put_item(PutItem::new("recipes", item))?;
///
/// let key: Item = [("id", "17")].into_iter().collect();
/// let found = database.get_item(&GetItem::new("recipes", key))?.item.expect("it was just put");
/// assert_eq!(found.decode()?.get("name"), Some(&AttributeValue::from("Phở bò")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Database {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<EngineStore>,
    maintenance: Mutex<Option<TableMaintenance>>,
    expiry: Mutex<Option<ExpiryThread>>,
    /// For tests of background work.
    #[cfg(test)]
    background: Background,
    tasks: Tasks,
    backups: Backups,
    recovery: Recovery,
    transfers: Transfers,
    in_flight: Arc<InFlight>,
    streams: StreamMaintenance,
    closed: AtomicBool,
    lost: Vec<Loss>,
    conflicts: Conflicts,
    region: String,
    account_id: String,
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").finish_non_exhaustive()
    }
}

impl Database {
    /// Opens the database in a folder with the default options. Creates the folder if it doesn't exist.
    pub fn open(folder: impl AsRef<Path>) -> Result<Database> {
        Database::open_with(folder, Options::default())
    }

    /// Opens the database in a folder. Creates the folder if it doesn't exist.
    pub fn open_with(folder: impl AsRef<Path>, options: Options) -> Result<Database> {
        let disk = FileDisk::open(folder)?;
        Database::open_on(Arc::new(disk), options)
    }

    /// Returns whether a folder has the files of a database, whole or damaged. A folder that doesn't exist has none.
    pub fn is_in(folder: impl AsRef<Path>) -> io::Result<bool> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            entries => entries?,
        };
        for entry in entries {
            if entry?.file_name().to_str().is_some_and(is_database_file) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Creates a database in memory. Its data is lost when it is closed.
    pub fn in_memory() -> Result<Database> {
        Database::in_memory_with(Options::default())
    }

    /// Creates a database in memory with the given options.
    pub fn in_memory_with(options: Options) -> Result<Database> {
        Database::open_on(Arc::new(MemoryDisk::new()), options)
    }

    /// Returns the region in this database's ARNs.
    pub fn region(&self) -> &str {
        &self.inner.region
    }

    /// Returns the account in this database's ARNs.
    pub fn account_id(&self) -> &str {
        &self.inner.account_id
    }

    /// Returns the ARN of the encryption key, as table descriptions show it.
    pub fn key_arn(&self) -> Option<String> {
        self.view().catalogue().key_arn().map(str::to_owned)
    }

    /// Returns the losses that were found when the database was opened and accepted with
    /// [`StoreOptions::accept_loss`](crate::StoreOptions::accept_loss).
    pub fn lost(&self) -> &[Loss] {
        &self.inner.lost
    }

    /// Returns statistics of the storage.
    pub fn stats(&self) -> StoreStats {
        self.inner.store.stats()
    }

    /// Finishes all writes and closes the files. Later writes fail with [`Error::Closed`](crate::Error::Closed).
    pub fn close(&self) -> Result<()> {
        self.inner.closed.store(true, Ordering::Release);
        self.inner.stop();
        Ok(self.inner.store.close()?)
    }

    /// Reads one item.
    pub fn get_item(&self, request: &GetItem) -> Result<GetOutcome> {
        read::get_item(&self.view(), request)
    }

    /// The key of a table or of one of its indexes.
    pub fn key_of(&self, table: &str, index: Option<&str>) -> Result<KeyDescription> {
        read::key_of(&self.view(), table, index)
    }

    /// Reads a page of the items under one partition key.
    pub fn query(&self, request: &Query) -> Result<PageOutcome> {
        read::query(&self.view(), request)
    }

    /// Reads a page of all items.
    pub fn scan(&self, request: &Scan) -> Result<PageOutcome> {
        read::scan(&self.view(), request)
    }

    /// Returns the place of an item in the order in which [`Database::scan`] visits its table, by its key. Places are
    /// compared as bytes, and hold while the table exists.
    pub fn scan_place(&self, table: &str, key: &crate::values::Item) -> Result<Vec<u8>> {
        read::scan_place(&self.view(), table, key)
    }

    /// Reads a page of the items under one partition key. The task regularly lets other tasks of its thread run,
    /// because a page of a megabyte of small items takes many milliseconds.
    pub async fn query_in_parts(&self, request: &Query) -> Result<PageOutcome> {
        read::query_in_parts(&self.view(), request).await
    }

    /// Reads a page of all items. The task regularly lets other tasks of its thread run.
    pub async fn scan_in_parts(&self, request: &Scan) -> Result<PageOutcome> {
        read::scan_in_parts(&self.view(), request).await
    }

    /// Reads several items by key.
    pub fn batch_get(&self, request: &BatchGet) -> Result<BatchGetOutcome> {
        read::batch_get(&self.view(), request)
    }

    /// Reads several items at one point of the commit order.
    pub fn transact_get(&self, request: &TransactGet) -> Result<TransactGetOutcome> {
        read::transact_get(&self.view(), request)
    }

    /// Returns the access for threads that must not keep the database open.
    #[cfg(test)]
    pub(crate) fn background(&self) -> &Background {
        &self.inner.background
    }

    pub(crate) fn view(&self) -> Arc<View<Catalogue>> {
        self.inner.store.view()
    }

    /// Submits a job to the writer.
    fn submit<T>(&self, job: Job, pending: Pending<T>) -> Pending<T> {
        match job.submit(&self.inner.store) {
            Ok(()) => pending,
            Err(error) => Pending::ready(Err(error)),
        }
    }
}

impl Inner {
    /// Stops the background threads. Jobs are still accepted meanwhile.
    fn stop(&self) {
        self.tasks.stop();
        let maintenance = self.maintenance.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(maintenance) = maintenance {
            maintenance.stop();
        }
        let expiry = self.expiry.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(expiry) = expiry {
            expiry.stop();
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Database {
    /// Opens the database on a given disk.
    pub fn open_on(disk: Arc<dyn Disk>, options: Options) -> Result<Database> {
        let opened = Store::open(disk, options.store.clone(), options.clock.clone())?;
        let lost = opened.lost().to_vec();
        let (catalogue, writer) = open::read_catalogue(&opened, &options)?;
        let streams = StreamMaintenance::new(options.streams, writer.counts.busy());
        let store = Arc::new(opened.start(Arc::new(catalogue), writer)?);
        open::abandon_loads(&store)?;
        let maintenance = TableMaintenance::start(&store, streams.clone())?;
        let expiry = ExpiryThread::start(&store)?;
        let background = Background::new(&store, maintenance.waker());
        let tasks = Tasks::default();
        let backups =
            Backups::new(background.clone(), store.files().clone(), store.time().clone(), options.backups);
        let interrupted = backups.tidy()?;
        backups.start_timer(&tasks, interrupted)?;
        let recovery = Recovery::new(background.clone(), backups.clone(), store.time().clone());
        recovery.start_maintenance(&tasks)?;
        let transfers =
            Transfers::new(background.clone(), recovery.clone(), store.time().clone(), options.buckets);
        transfers.end_interrupted()?;
        let inner = Inner {
            store,
            maintenance: Mutex::new(Some(maintenance)),
            expiry: Mutex::new(Some(expiry)),
            #[cfg(test)]
            background,
            tasks,
            backups,
            recovery,
            transfers,
            in_flight: Arc::default(),
            streams,
            closed: AtomicBool::new(false),
            lost,
            conflicts: options.conflicts,
            region: options.region,
            account_id: options.account_id,
        };
        Ok(Database { inner: Arc::new(inner) })
    }

    fn wake_maintenance(&self) {
        if let Some(maintenance) = &*self.inner.maintenance.lock().unwrap_or_else(PoisonError::into_inner) {
            maintenance.wake();
        }
    }
}
