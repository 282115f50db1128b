//! Opening, creating and checking the tree's file.

use std::io;
use std::sync::Arc;

use redb::Builder;

use super::backend::{Backend, TreeFile};
use super::convert::convert;
use super::pages::PagedFile;
use super::{FORMAT_VERSION, META_FORMAT_VERSION, NAME, Tree};
use crate::store::error::Damage;
use crate::store::seal::Sealing;
use crate::store::{Disk, DiskFile, StoreError};

/// The name of an unfinished tree. It gets its real name when it can be opened.
pub(super) const NEW_NAME: &str = "tree.new";
/// Each page is read once, so a larger cache wouldn't help.
const CHECK_CACHE_BYTES: usize = 16 << 20;
const DOUBT: &str =
    "one of the two copies of the tree's first page can't be read, as after an interrupted write";
/// The first bytes of the library's files.
const LIBRARY_MAGIC: [u8; 9] = *b"redb\x1A\x0A\xA9\x0D\x0A";
/// The part of the library's first page with the length of its file.
const STATED_BYTES: usize = 32;

/// How to handle a tree from before pages had checksums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum OldTree {
    /// Convert it.
    Convert,
    /// Read it unconverted, after checking all of it. On a disk in memory a conversion would fill the memory.
    Leave,
}

/// The form of the library's pages in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Unchanged.
    Bare,
    /// Each with a slot that protects it.
    Paged,
}

/// The result of a check of a tree.
pub(in crate::store) struct TreeChecked {
    pub(in crate::store) file_bytes: u64,
    pub(in crate::store) note: Option<String>,
}

impl Tree {
    /// Opens the tree, and creates an empty one if there is none.
    pub(in crate::store) fn open(
        disk: &Arc<dyn Disk>,
        sealing: Option<&Arc<Sealing>>,
        cache_bytes: usize,
        old: OldTree,
    ) -> Result<Arc<Self>, StoreError> {
        let names = disk.list().map_err(StoreError::io("list", "the folder"))?;
        if names.iter().any(|name| name == NEW_NAME) {
            disk.remove(NEW_NAME).map_err(StoreError::io("remove", NEW_NAME))?;
        }
        let tree = if names.iter().any(|name| name == NAME) {
            Self::open_existing(disk, sealing, cache_bytes, old)?
        } else {
            Self::create(disk, sealing, cache_bytes)?
        };
        tree.file.set_in_use(true);
        Ok(Arc::new(tree))
    }

    fn open_existing(
        disk: &Arc<dyn Disk>,
        sealing: Option<&Arc<Sealing>>,
        cache_bytes: usize,
        old: OldTree,
    ) -> Result<Self, StoreError> {
        let form = form_of(disk, sealing)?;
        if form == Form::Bare && old == OldTree::Convert {
            return convert(disk, cache_bytes);
        }
        let mut tree = Self::load(disk, sealing, NAME, form, cache_bytes)?;
        tree.check_version()?;
        if form == Form::Bare {
            tree.require_whole()?;
        }
        Ok(tree)
    }

    fn create(
        disk: &Arc<dyn Disk>,
        sealing: Option<&Arc<Sealing>>,
        cache_bytes: usize,
    ) -> Result<Self, StoreError> {
        let tree = Self::load(disk, sealing, NEW_NAME, Form::Paged, cache_bytes)?;
        tree.initialise()?;
        tree.take_name(disk)?;
        Ok(tree)
    }

    /// Gives a new tree its name.
    pub(super) fn take_name(&self, disk: &Arc<dyn Disk>) -> Result<(), StoreError> {
        self.file.sync()?;
        disk.rename(NEW_NAME, NAME).map_err(StoreError::io("rename", NEW_NAME))?;
        disk.sync_directory().map_err(StoreError::io("sync", "the folder"))
    }

    pub(super) fn load(
        disk: &Arc<dyn Disk>,
        sealing: Option<&Arc<Sealing>>,
        name: &str,
        form: Form,
        cache_bytes: usize,
    ) -> Result<Self, StoreError> {
        let mut file = disk.open(name).map_err(StoreError::io("open", name))?;
        let mut is_doubtful = false;
        if form == Form::Paged {
            // Messages use its real name, which it gets once it can be opened.
            let pages = PagedFile::open(file, NAME, sealing)?;
            is_doubtful = pages.is_doubtful();
            file = Arc::new(pages);
        }
        refuse_cut(file.as_ref())?;
        let file = Arc::new(TreeFile::new(file, disk.clone()));
        let backend = Backend(file.clone());
        // A page in memory has a counter, and the allocator rounds both up by a quarter.
        let database = file.guarded(|| {
            Builder::new()
                .set_cache_size(cache_bytes / 5 * 4)
                .create_with_backend(backend)
                .map_err(StoreError::tree)
        })?;
        file.check()?;
        let mut tree = Self { database: Some(database), file, is_doubtful };
        if is_doubtful {
            tracing::warn!("{DOUBT}; the tree is checked");
            tree.check_pages()?;
        }
        Ok(tree)
    }

    /// Reads every used page and compares it with the checksum in its parent. Returns whether everything was intact.
    /// Repairs what can be repaired without loss.
    fn check_pages(&mut self) -> Result<bool, StoreError> {
        let file = self.file.clone();
        file.guarded(|| {
            let database =
                self.database.as_mut().ok_or_else(|| StoreError::tree(redb::Error::DatabaseClosed))?;
            database.check_integrity().map_err(StoreError::tree)
        })
    }

    /// Refuses a damaged tree.
    pub(super) fn require_whole(&mut self) -> Result<(), StoreError> {
        match self.check_pages()? {
            true => Ok(()),
            false => Err(StoreError::corrupt(NAME, 0, "the tree's own record of its pages is wrong")),
        }
    }

    /// Checks the tree of a folder, page by page. A folder without a tree is intact.
    pub(in crate::store) fn check(
        disk: &Arc<dyn Disk>,
        sealing: Option<&Arc<Sealing>>,
    ) -> Result<TreeChecked, StoreError> {
        let names = disk.list().map_err(StoreError::io("list", "the folder"))?;
        if !names.iter().any(|name| name == NAME) {
            return Ok(TreeChecked { file_bytes: 0, note: None });
        }
        let form = form_of(disk, sealing)?;
        let mut tree = Self::load(disk, sealing, NAME, form, CHECK_CACHE_BYTES)?;
        tree.check_version()?;
        tree.require_whole()?;
        let note = match form {
            Form::Bare => Some(
                "the tree has the format from before pages had checksums; the next opening converts it"
                    .to_owned(),
            ),
            Form::Paged => tree
                .is_doubtful
                .then(|| format!("{DOUBT}; the other one is right, and the next write mends it")),
        };
        Ok(TreeChecked { file_bytes: tree.file_bytes(), note })
    }

    pub(super) fn check_version(&self) -> Result<(), StoreError> {
        let found = self.meta(META_FORMAT_VERSION)?;
        if found != FORMAT_VERSION {
            return Err(StoreError::UnknownVersion { file: NAME.into(), found, known: FORMAT_VERSION });
        }
        Ok(())
    }
}

/// Returns the form of the existing tree. Encrypted trees have always had slots.
fn form_of(disk: &Arc<dyn Disk>, sealing: Option<&Arc<Sealing>>) -> Result<Form, StoreError> {
    let file = disk.open(NAME).map_err(StoreError::io("open", NAME))?;
    let length = file.len().map_err(StoreError::io("measure", NAME))?;
    let mut magic = [0; LIBRARY_MAGIC.len()];
    if length < magic.len() as u64 {
        // It has its real name, so it was complete.
        return Err(Damage::new(NAME, length, "the file has been cut").into());
    }
    file.read_exact_at(0, &mut magic).map_err(StoreError::io("read", NAME))?;
    Ok(if sealing.is_none() && magic == LIBRARY_MAGIC { Form::Bare } else { Form::Paged })
}

/// Refuses a file that is shorter than its first page says. The library extends a file before it records the new
/// length, and truncates it after. It would take a shorter file for a smaller tree.
pub(super) fn refuse_cut(file: &dyn DiskFile) -> Result<(), StoreError> {
    let length = file.len().map_err(StoreError::io("measure", NAME))?;
    let mut start = [0; STATED_BYTES];
    match file.read_exact_at(0, &mut start) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(Damage::new(NAME, length, "the file has been cut").into());
        }
        read => read.map_err(StoreError::io("read", NAME))?,
    }
    match stated_bytes(&start) {
        Some(stated) if length < stated => {
            let reason = format!("the file has been cut: {length} of {stated} bytes of its pages are left");
            Err(Damage::new(NAME, length, reason).into())
        }
        _ => Ok(()),
    }
}

/// Returns the length of the library's file according to its first page; `None` if that page isn't written yet.
fn stated_bytes(start: &[u8; STATED_BYTES]) -> Option<u64> {
    if !start.starts_with(&LIBRARY_MAGIC) {
        return None;
    }
    let field =
        |at: usize| start.get(at..).and_then(<[u8]>::first_chunk).map(|field| u32::from_le_bytes(*field));
    let [page_bytes, header_pages, region_pages, full_regions, last_pages] =
        [12, 16, 20, 24, 28].map(|at| u64::from(field(at).unwrap_or_default()));
    let full_pages = full_regions.saturating_mul(header_pages + region_pages);
    let last_pages = if last_pages > 0 { header_pages + last_pages } else { 0 };
    Some(page_bytes.saturating_mul(full_pages.saturating_add(last_pages).saturating_add(1)))
}
