//! Paths inside a bucket's folder. They are built from checked parts, and links aren't followed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The parts of a prefix, without a final slash; `None` if the prefix isn't a path inside a bucket.
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

/// The folder in a bucket, if it exists and no part of its path is a link.
pub(crate) fn existing_folder(bucket: &Path, parts: &[&str]) -> Option<PathBuf> {
    let mut path = bucket.to_owned();
    for part in parts {
        path.push(part);
        fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_dir)?;
    }
    Some(path)
}

/// Creates a folder in a bucket, with its parents, without following links.
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

/// Makes new entries of a folder durable.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

/// Makes new entries of a folder durable.
#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    // On these systems a folder can't be opened for syncing. The file system's journal orders its changes.
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
}
