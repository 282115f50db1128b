//! The address of a running server, left in its data folder: a command that finds the folder in use can name it.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The file in the folder.
const FILE: &str = "endpoint";
/// The longest address that is read.
const ADDRESS_BYTES_MAX: u64 = 1 << 10;
/// The address of a server that was started without options.
pub(crate) const USUAL: &str = "http://127.0.0.1:8000";

/// An address that stands in a data folder until this is dropped.
#[derive(Debug)]
pub(crate) struct Announced {
    file: PathBuf,
}

impl Announced {
    /// Writes the address of the server that has the folder open.
    pub(crate) fn write(folder: &Path, address: &str) -> io::Result<Announced> {
        let file = folder.join(FILE);
        // A link in its place isn't followed but removed: it could lead to a file that isn't ours.
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        writeln!(options.open(&file)?, "{address}")?;
        Ok(Announced { file })
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        // A file that stays is harmless: it is read only while a process has the folder, and the next one that opens the
        // folder removes it.
        let _ = fs::remove_file(&self.file);
    }
}

/// Removes the address of a server that was killed. The caller has the folder open.
pub(crate) fn forget(folder: &Path) {
    // As above: a file that stays is harmless.
    let _ = fs::remove_file(folder.join(FILE));
}

/// The address of the server that has a folder open, if it left one. A server that was killed leaves its address
/// behind, so this is a hint for people and nothing to connect to unasked.
pub(crate) fn of_folder(folder: &Path) -> Option<String> {
    let file = folder.join(FILE);
    // Opening a pipe would wait for a writer.
    fs::symlink_metadata(&file).ok().filter(fs::Metadata::is_file)?;
    let mut text = String::new();
    fs::File::open(file).ok()?.take(ADDRESS_BYTES_MAX).read_to_string(&mut text).ok()?;
    let address = text.strip_suffix('\n')?;
    let is_address = address.starts_with("http://") || address.starts_with("https://");
    (is_address && !address.contains(char::is_whitespace)).then(|| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_stays_as_long_as_its_server() {
        let folder = tempfile::tempdir().unwrap();
        let announced = Announced::write(folder.path(), "http://127.0.0.1:9000").unwrap();
        assert_eq!(of_folder(folder.path()).as_deref(), Some("http://127.0.0.1:9000"));
        drop(announced);
        assert_eq!(of_folder(folder.path()), None);
        std::mem::forget(Announced::write(folder.path(), "http://127.0.0.1:9000").unwrap());
        forget(folder.path());
        assert_eq!(of_folder(folder.path()), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_the_file_is_replaced_and_its_target_stays() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
        fs::write(elsewhere.path(), "http://127.0.0.1:1\n").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join(FILE)).unwrap();
        assert_eq!(of_folder(folder.path()), None);
        let announced = Announced::write(folder.path(), "http://127.0.0.1:9000").unwrap();
        assert_eq!(of_folder(folder.path()).as_deref(), Some("http://127.0.0.1:9000"));
        drop(announced);
        assert_eq!(fs::read_to_string(elsewhere.path()).unwrap(), "http://127.0.0.1:1\n");
    }

    #[test]
    fn half_a_file_is_no_address() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["", "http://127.0.0.1:80", "127.0.0.1:8000\n", "http://a b\n"] {
            fs::write(folder.path().join(FILE), text).unwrap();
            assert_eq!(of_folder(folder.path()), None, "{text:?}");
        }
    }
}
