//! Rows in which the database keeps track of its own work: backups, exports and imports, and deleted tables.
//!
//! The writer stores them ([`crate::write`]), and the modules that do the work read them.

mod backup;
mod deleted;
mod transfer;

pub(crate) use backup::{Backup, BackupState, backup_id, id_in};
pub(crate) use deleted::DeletedTable;
pub(crate) use transfer::{Import, Transfer, TransferKind, TransferRecord, tokens_start, transfer_id};
