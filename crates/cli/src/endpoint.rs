//! The address of a running server, left in its data folder: a command that finds the folder in use can name it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file in the folder.
const FILE: &str = "endpoint";
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
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        writeln!(options.open(&file)?, "{address}")?;
        Ok(Announced { file })
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        // A file that stays is harmless: it is read only while a process has the folder, and the next server writes it anew.
        let _ = fs::remove_file(&self.file);
    }
}

/// The address of the server that has a folder open, if it left one. A server that was killed leaves its address
/// behind, so this is a hint for people and nothing to connect to unasked.
pub(crate) fn of_folder(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join(FILE)).ok()?;
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
