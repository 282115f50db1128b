//! Outlets: items that leave the database for an archive.
//!
//! Each outlet reads the change feeds with positions of its own. So a full disk holds up neither derived data nor
//! writers.

mod archiver;
mod intake;
mod matched;
mod path;
mod restore;
mod status;
mod thread;

pub use archiver::{ArchiveFiles, ArchivedItem, Archiver, Marks};
pub use intake::{Gap, OutletStatus};
pub use restore::{PutBack, put_back};
pub use status::{OutletRule, archive_status, has_archive, outlet_rules};
pub use thread::{Outlet, OutletThread};
