//! The file `keys`: a random data key, wrapped by the outer key. Changing the outer key rewrites nothing else.

use std::sync::Arc;

use singlet_cipher::{Cipher, KEY_BYTES, NONCE_BYTES, TAG_BYTES, derive};
use zeroize::Zeroizing;

use super::disk::SealedDisk;
use super::header::SEALED_MAGIC;
use super::key::{Key, KeyError, KeyId};
use crate::entropy::random;
use crate::store::{Disk, DiskFile, StoreError};

const NAME: &str = "keys";
/// The name of an unfinished file of keys. It gets its real name when it is durable.
const NEW_NAME: &str = "keys.new";

const MAGIC: [u8; 8] = *b"SNGLTKEY";
const FORMAT_VERSION: u32 = 1;
/// Magic, version, id of the outer key: readable, and authenticated.
const READABLE_BYTES: usize = 28;
const CHECKSUM_AT: usize = READABLE_BYTES + NONCE_BYTES + TAG_BYTES + KEY_BYTES;
const FILE_BYTES: usize = CHECKSUM_AT + 4;

/// The keys for the files of a folder.
pub(in crate::store) struct Sealing {
    pub(in crate::store) log: Cipher,
    pub(in crate::store) tree: Cipher,
    pub(in crate::store) files: Arc<Cipher>,
    pub(in crate::store) reach: Cipher,
    /// Kept to seal files elsewhere, so that a backup is protected like the data.
    outer: Key,
}

impl Sealing {
    fn new(data_key: &[u8; KEY_BYTES], outer: &Key) -> Self {
        let cipher = |purpose| Cipher::new(&derive(data_key, purpose));
        Self {
            log: cipher("singlet log"),
            tree: cipher("singlet tree"),
            files: Arc::new(cipher("singlet files")),
            reach: cipher("singlet reach"),
            outer: outer.clone(),
        }
    }

    /// Of a fixed key, for examples.
    #[cfg(test)]
    pub(in crate::store) fn example() -> Arc<Self> {
        Arc::new(Self::new(&std::array::from_fn(|place| place as u8), &Key::from_bytes([0; KEY_BYTES])))
    }

    /// The outer key.
    pub(in crate::store) fn outer(&self) -> &Key {
        &self.outer
    }

    /// Returns the same folder with sealed files.
    pub(in crate::store) fn seal_files(&self, disk: &Arc<dyn Disk>) -> Arc<dyn Disk> {
        Arc::new(SealedDisk::new(disk.clone(), self.files.clone()))
    }

    /// Unlocks a folder. A folder without data becomes encrypted if there is a key.
    pub(in crate::store) fn unlock(
        disk: &Arc<dyn Disk>,
        key: Option<&Key>,
    ) -> Result<Option<Arc<Self>>, StoreError> {
        let names = disk.list().map_err(StoreError::io("list", "the folder"))?;
        if names.iter().any(|name| name == NAME) {
            let stored = Stored::read(disk.as_ref())?;
            if names.iter().any(|name| name == NEW_NAME) {
                // An interrupted change of the key that was never reported as done.
                disk.remove(NEW_NAME).map_err(StoreError::io("remove", NEW_NAME))?;
            }
            let key = key.ok_or(KeyError::Missing { id: stored.id })?;
            return Ok(Some(Arc::new(stored.open(key)?)));
        }
        refuse_sealed_files(disk.as_ref(), &names)?;
        let Some(key) = key else { return Ok(None) };
        if names.iter().any(|name| is_data(name)) {
            return Err(KeyError::NotEncrypted.into());
        }
        let (stored, sealing) = Self::make(key)?;
        stored.write(disk.as_ref())?;
        Ok(Some(Arc::new(sealing)))
    }

    /// Creates a data key: its stored form, and the keys to seal with.
    pub(super) fn make(outer: &Key) -> Result<(Stored, Self), StoreError> {
        let data_key = Zeroizing::new(random().map_err(StoreError::io("make", NAME))?);
        Ok((Stored::wrap(&data_key, outer)?, Self::new(&data_key, outer)))
    }
}

/// Whether a file with this name contains data.
pub(crate) fn is_data(name: &str) -> bool {
    name == "tree" || ["log-", "past-", "backup-"].iter().any(|prefix| name.starts_with(prefix))
}

/// Returns whether a file of this name shows that its folder has a database.
pub(crate) fn is_database_file(name: &str) -> bool {
    is_data(name) || ["keys", "reach"].contains(&name)
}

/// Without `keys` no file may be sealed: it couldn't be read, and must not be taken for damage. Either all files are
/// sealed or none, so one file is enough to decide.
fn refuse_sealed_files(disk: &dyn Disk, names: &[String]) -> Result<(), StoreError> {
    let tree = names.iter().find(|name| *name == "tree");
    if let Some(name) = tree.or_else(|| names.iter().find(|name| is_data(name))) {
        let file = disk.open(name).map_err(StoreError::io("open", name))?;
        let mut magic = [0; SEALED_MAGIC.len()];
        let length = file.len().map_err(StoreError::io("measure", name))?;
        if length >= magic.len() as u64 {
            file.read_exact_at(0, &mut magic).map_err(StoreError::io("read", name))?;
        }
        if magic == SEALED_MAGIC {
            return Err(KeyError::KeysGone { file: name.clone() }.into());
        }
    }
    Ok(())
}

/// Returns the id of a folder's key; `None` if it isn't encrypted.
pub fn key_of(disk: &dyn Disk) -> Result<Option<KeyId>, StoreError> {
    let names = disk.list().map_err(StoreError::io("list", "the folder"))?;
    if names.iter().any(|name| name == NAME) {
        Stored::read(disk).map(|stored| Some(stored.id))
    } else {
        Ok(None)
    }
}

/// Changes the outer key of a folder. The data doesn't change, and the old key no longer opens it. After an
/// interruption it can be repeated.
pub fn rotate_key(disk: &dyn Disk, old: &Key, new: &Key) -> Result<(), StoreError> {
    let names = disk.list().map_err(StoreError::io("list", "the folder"))?;
    if !names.iter().any(|name| name == NAME) {
        refuse_sealed_files(disk, &names)?;
        return Err(KeyError::NotEncrypted.into());
    }
    let stored = Stored::read(disk)?;
    if stored.id == new.id() {
        // An earlier call got this far. The rename may not have been durable.
        stored.unwrap(new)?;
        return disk.sync_directory().map_err(StoreError::io("sync", "the folder"));
    }
    let data_key = stored.unwrap(old)?;
    Stored::wrap(&data_key, new)?.write(disk)
}

/// The content of the file.
pub(super) struct Stored {
    id: KeyId,
    bytes: [u8; FILE_BYTES],
}

impl Stored {
    fn wrap(data_key: &[u8; KEY_BYTES], key: &Key) -> Result<Self, StoreError> {
        let id = key.id();
        let mut file = Vec::with_capacity(FILE_BYTES);
        file.extend_from_slice(&MAGIC);
        file.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
        file.extend_from_slice(&id.0);
        let nonce = random().map_err(StoreError::io("make", NAME))?;
        let mut wrapped = Zeroizing::new(*data_key);
        let tag = Cipher::new(&key.wrapping()).seal(&nonce, &file, wrapped.as_mut_slice());
        file.extend_from_slice(&nonce);
        file.extend_from_slice(&tag);
        file.extend_from_slice(wrapped.as_slice());
        file.extend_from_slice(&crc32fast::hash(&file).to_le_bytes());
        let bytes = file.try_into().map_err(|_| damaged("it has the wrong length"))?;
        Ok(Self { id, bytes })
    }

    fn read(disk: &dyn Disk) -> Result<Self, StoreError> {
        let file = disk.open(NAME).map_err(StoreError::io("open", NAME))?;
        let length = file.len().map_err(StoreError::io("measure", NAME))?;
        if length != FILE_BYTES as u64 {
            return Err(damaged(&format!("it has {length} bytes instead of {FILE_BYTES}")).into());
        }
        Self::read_from(file.as_ref(), NAME)
    }

    fn read_from(file: &dyn DiskFile, name: &str) -> Result<Self, StoreError> {
        let mut bytes = [0; FILE_BYTES];
        file.read_exact_at(0, &mut bytes).map_err(StoreError::io("read", name))?;
        let stored = Self { id: KeyId(field(&bytes, 12)), bytes };
        stored.check()?;
        Ok(stored)
    }

    /// Returns the beginning of a file that contains its own key; `None` for other files.
    pub(super) fn at_start(file: &dyn DiskFile, name: &str) -> Result<Option<Self>, StoreError> {
        let mut magic = [0; MAGIC.len()];
        let length = file.len().map_err(StoreError::io("measure", name))?;
        if length >= FILE_BYTES as u64 {
            file.read_exact_at(0, &mut magic).map_err(StoreError::io("read", name))?;
        }
        if magic == MAGIC { Self::read_from(file, name).map(Some) } else { Ok(None) }
    }

    pub(super) fn id(&self) -> KeyId {
        self.id
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the keys to open files with, if this is the right outer key.
    pub(super) fn open(&self, key: &Key) -> Result<Sealing, StoreError> {
        Ok(Sealing::new(&*self.unwrap(key)?, key))
    }

    fn check(&self) -> Result<(), StoreError> {
        if !self.bytes.starts_with(&MAGIC) {
            return Err(damaged("it doesn't begin as it should").into());
        }
        let covered = self.bytes.get(..CHECKSUM_AT).unwrap_or_default();
        let checksum_is_right =
            u32::from_le_bytes(field(&self.bytes, CHECKSUM_AT)) == crc32fast::hash(covered);
        let version = u32::from_le_bytes(field(&self.bytes, 8));
        match (checksum_is_right, version) {
            (true, FORMAT_VERSION) => Ok(()),
            (true, found) => {
                let (found, known) = (found.into(), FORMAT_VERSION.into());
                Err(StoreError::UnknownVersion { file: NAME.to_owned(), found, known })
            }
            (false, _) => Err(damaged("its checksum is wrong").into()),
        }
    }

    /// Returns the data key, if this is the right outer key.
    fn unwrap(&self, key: &Key) -> Result<Zeroizing<[u8; KEY_BYTES]>, StoreError> {
        let given = key.id();
        if given != self.id {
            return Err(KeyError::Wrong { expected: self.id, given }.into());
        }
        let nonce = field(&self.bytes, READABLE_BYTES);
        let tag = field(&self.bytes, READABLE_BYTES + NONCE_BYTES);
        let mut data_key = Zeroizing::new(field(&self.bytes, READABLE_BYTES + NONCE_BYTES + TAG_BYTES));
        let readable = self.bytes.get(..READABLE_BYTES).unwrap_or_default();
        if Cipher::new(&key.wrapping()).open(&nonce, readable, data_key.as_mut_slice(), &tag) {
            Ok(data_key)
        } else {
            Err(damaged("the key in it is not what was written").into())
        }
    }

    /// Writes the file under another name, and renames it when it is durable. So there is always a complete one.
    fn write(&self, disk: &dyn Disk) -> Result<(), StoreError> {
        let file: Arc<dyn DiskFile> = disk.create(NEW_NAME).map_err(StoreError::io("create", NEW_NAME))?;
        file.set_len(0).map_err(StoreError::io("cut", NEW_NAME))?;
        file.write_all_at(0, &self.bytes).map_err(StoreError::io("write", NEW_NAME))?;
        file.sync_data().map_err(StoreError::io("sync", NEW_NAME))?;
        disk.rename(NEW_NAME, NAME).map_err(StoreError::io("rename", NEW_NAME))?;
        disk.sync_directory().map_err(StoreError::io("sync", "the folder"))
    }
}

fn damaged(reason: &str) -> KeyError {
    KeyError::Damaged { reason: reason.to_owned() }
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..).and_then(<[u8]>::first_chunk).copied().unwrap_or([0; N])
}
