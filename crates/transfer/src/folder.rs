//! Folders that stand for buckets, and keeping what is asked for inside them.
//!
//! A key of an object is a path in the bucket's folder. Names and prefixes come from callers: a path is put together from
//! checked parts only, and symbolic links are not followed, so nothing outside the folder is reached. (Who may put links
//! into the folder while an export runs may do so anyway.)

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use singlet_engine::{
    BucketPlace, Buckets, ExportDescription, ExportWriter, ImportDescription, ImportReader, Invalid,
    TransferFailure,
};

use crate::export::Export;
use crate::import::Import;
use crate::objects::list;

/// A folder whose folders are the buckets, or one that is the only bucket.
#[derive(Debug, Clone)]
pub struct FolderBuckets {
    folder: PathBuf,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// Each folder in it is a bucket.
    Each,
    /// It is the bucket.
    One,
    /// It is the bucket, and this file the only object in it.
    File(String),
}

impl FolderBuckets {
    /// Each folder in this one is a bucket.
    pub fn open(folder: impl AsRef<Path>) -> io::Result<Self> {
        Ok(FolderBuckets { folder: existing(folder.as_ref())?, kind: Kind::Each })
    }

    /// This folder is the bucket, whatever name is asked for.
    pub fn open_one(folder: impl AsRef<Path>) -> io::Result<Self> {
        Ok(FolderBuckets { folder: existing(folder.as_ref())?, kind: Kind::One })
    }

    /// This file is the only object, whatever bucket is asked for; it is there to be imported.
    pub fn open_file(file: impl AsRef<Path>) -> io::Result<Self> {
        let file = file.as_ref().canonicalize()?;
        let name = file.file_name().and_then(|name| name.to_str()).ok_or(io::ErrorKind::InvalidFilename)?;
        let folder = existing(file.parent().unwrap_or(Path::new("/")))?;
        Ok(FolderBuckets { kind: Kind::File(name.to_owned()), folder })
    }

    /// The folder of a bucket, which must be there.
    fn bucket(&self, name: &str) -> Result<PathBuf, TransferFailure> {
        if self.kind != Kind::Each {
            return Ok(self.folder.clone());
        }
        let path = self.folder.join(name);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => Ok(path),
            Ok(_) => Err(TransferFailure::new(
                "S3AccessDenied",
                format!("{name} isn't a folder in the folder of the buckets, so it can't stand for a bucket"),
            )),
            Err(_) => Err(TransferFailure::new(
                "S3NoSuchBucket",
                format!(
                    "The specified bucket does not exist: make a folder {name} in the folder of the buckets"
                ),
            )),
        }
    }
}

fn existing(folder: &Path) -> io::Result<PathBuf> {
    let folder = folder.canonicalize()?;
    if folder.is_dir() { Ok(folder) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

impl Buckets for FolderBuckets {
    fn check(&self, place: &BucketPlace) -> Result<(), Invalid> {
        if self.kind == Kind::Each && !is_bucket_name(&place.bucket) {
            return Err(Invalid::Bucket(format!("{:?} is no name of a bucket", place.bucket)));
        }
        let prefix = place.prefix.as_deref().unwrap_or_default();
        if parts(prefix).is_none() {
            return Err(Invalid::Bucket(format!(
                "the prefix {prefix:?} is not a path inside a bucket: its parts must not be empty, . or .., or hold a \
                 backslash or control characters"
            )));
        }
        Ok(())
    }

    fn begin_export(&self, export: &ExportDescription) -> Result<Box<dyn ExportWriter>, TransferFailure> {
        let bucket = self.bucket(&export.destination.bucket)?;
        Ok(Box::new(Export::begin(&bucket, export)?))
    }

    fn open_import(&self, import: &ImportDescription) -> Result<Box<dyn ImportReader>, TransferFailure> {
        let bucket = self.bucket(&import.source.bucket)?;
        let objects = match &self.kind {
            Kind::File(name) => {
                let mut objects = list(&bucket, name)?;
                objects.retain(|object| object.key == *name);
                objects
            }
            Kind::Each | Kind::One => list(&bucket, import.source.prefix.as_deref().unwrap_or_default())?,
        };
        Ok(Box::new(Import::of(objects, import)))
    }
}

fn is_bucket_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    !name.is_empty() && name.len() <= 255 && name.bytes().all(is_part) && name.trim_matches('.') == name
}

/// The parts of a prefix. A slash at its end says nothing more; `None` if the prefix is no path inside a bucket.
pub(crate) fn parts(prefix: &str) -> Option<Vec<&str>> {
    let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
    if prefix.is_empty() {
        return Some(Vec::new());
    }
    let is_sound = |part: &&str| {
        let is_wrong = |character: char| {
            matches!(character, '\\') || character.is_control() || (cfg!(windows) && character == ':')
        };
        !part.is_empty() && *part != "." && *part != ".." && !part.contains(is_wrong)
    };
    let parts: Vec<&str> = prefix.split('/').collect();
    parts.iter().all(is_sound).then_some(parts)
}

/// Makes a folder in a bucket, and those above it, without following links.
pub(crate) fn make_folders(bucket: &Path, parts: &[&str]) -> io::Result<PathBuf> {
    let mut path = bucket.to_owned();
    for part in parts {
        let above = path.clone();
        path.push(part);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => {
                return Err(io::Error::new(io::ErrorKind::NotADirectory, "a part of the path is no folder"));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir(&path)?;
                sync_folder(&above)?;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(path)
}

/// Makes creations in a folder durable.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

/// Makes creations in a folder durable.
#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    // Elsewhere a folder can't be opened for syncing; the file system's journal orders its changes.
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_inside_a_bucket_are_prefixes() {
        for (prefix, expected) in [
            ("", vec![]),
            ("/", vec![]),
            ("a", vec!["a"]),
            ("a/b/", vec!["a", "b"]),
            ("..a/b..", vec!["..a", "b.."]),
        ] {
            assert_eq!(parts(prefix), Some(expected), "{prefix}");
        }
        for prefix in
            ["..", "../x", "a/../b", "a/..", "/a", "//", "a//b", ".", "a/./b", "a\\..\\b", "a\0b", "a/b//"]
        {
            assert_eq!(parts(prefix), None, "{prefix}");
        }
    }

    #[test]
    fn only_plain_names_are_buckets() {
        for name in ["exports", "a-b.c_D"] {
            assert!(is_bucket_name(name), "{name}");
        }
        for name in ["", ".", "..", "...", "a/b", "/a", "a\\b", "é", "a b", "a\0", ".hidden"] {
            assert!(!is_bucket_name(name), "{name}");
        }
    }
}
