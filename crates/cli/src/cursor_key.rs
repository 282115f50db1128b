//! The keys that encrypt cursors: a cursor that one command gives is taken by the next.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use singlet_run::{Entropy, SystemEntropy};

use crate::failure::Failure;

/// Gives the key, as 64 hexadecimal digits: servers that share it take each other's cursors.
const VARIABLE: &str = "SINGLET_CURSOR_KEY";
/// The file of a folder or of a user.
const FILE: &str = "cursor.key";

/// A random key.
pub(crate) fn new_key() -> [u8; 32] {
    let mut key = [0; 32];
    SystemEntropy::default().fill(&mut key);
    key
}

/// The key of a data folder.
pub(crate) fn of_folder(folder: &Path) -> Result<[u8; 32], Failure> {
    match from_variable()? {
        Some(key) => Ok(key),
        None => of_file(&folder.join(FILE)),
    }
}

/// The key of the user, for databases elsewhere.
pub(crate) fn of_user() -> Result<[u8; 32], Failure> {
    if let Some(key) = from_variable()? {
        return Ok(key);
    }
    match state_folder() {
        Some(folder) => {
            fs::create_dir_all(&folder).map_err(|reason| unusable(&folder, &reason))?;
            of_file(&folder.join(FILE))
        }
        // Without a home, a cursor holds for this command only.
        None => Ok(new_key()),
    }
}

fn from_variable() -> Result<Option<[u8; 32]>, Failure> {
    match std::env::var(VARIABLE) {
        Ok(text) => match parse(&text) {
            Some(key) => Ok(Some(key)),
            None => Err(Failure::Arguments(format!("{VARIABLE} must be 64 hexadecimal digits"))),
        },
        Err(_) => Ok(None),
    }
}

/// Where programs keep what they remember for a user.
fn state_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|text| !text.is_empty()).map(PathBuf::from);
    let state =
        variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local").join("state")))?;
    Some(state.join("singlet"))
}

/// Reads the key of a file, which is made if it isn't there, readable by its owner only.
fn of_file(file: &Path) -> Result<[u8; 32], Failure> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => match create(file) {
            Ok(key) => return Ok(key),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => fs::read_to_string(file),
            Err(error) => Err(error),
        },
        read => read,
    };
    let text = text.map_err(|error| unusable(file, &error))?;
    parse(text.trim()).ok_or_else(|| {
        let file = file.display();
        Failure::Refused(format!(
            "{file} is damaged; delete it, and cursors that were given before are refused"
        ))
    })
}

/// Writes a new key. The file appears with its whole content, because another command may look for it at any moment.
fn create(file: &Path) -> io::Result<[u8; 32]> {
    let folder = file.parent().unwrap_or(Path::new("."));
    // Readable by its owner only, which is how temporary files are made.
    let mut unfinished = tempfile::Builder::new().prefix(".cursor.key.").tempfile_in(folder)?;
    let key = new_key();
    let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    writeln!(unfinished, "{digits}")?;
    unfinished.as_file().sync_all()?;
    unfinished.persist_noclobber(file).map_err(|refused| refused.error)?;
    Ok(key)
}

fn unusable(file: &Path, reason: &io::Error) -> Failure {
    Failure::Refused(format!(
        "can't use {}: {reason}. {VARIABLE} can give the key for cursors instead",
        file.display()
    ))
}

fn parse(digits: &str) -> Option<[u8; 32]> {
    let mut key = [0; 32];
    if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (position, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(position * 2..position * 2 + 2)?, 16).ok()?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_only_its_owner_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        let key = of_file(&file).unwrap();
        assert_eq!(of_file(&file).unwrap(), key);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::write(&file, "not a key").unwrap();
        assert!(of_file(&file).unwrap_err().to_string().contains("delete it"));
    }

    #[test]
    fn commands_that_start_together_agree_on_the_key() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join(FILE);
            let keys: Vec<[u8; 32]> = std::thread::scope(|scope| {
                let made: Vec<_> = (0..8).map(|_| scope.spawn(|| of_file(&file).unwrap())).collect();
                made.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert!(keys.iter().all(|key| *key == of_file(&file).unwrap()));
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "unfinished files stay behind");
        }
    }

    #[test]
    fn keys_are_64_hexadecimal_digits() {
        assert_eq!(parse(&"0f".repeat(32)), Some([15; 32]));
        for wrong in ["", "0f", &"0g".repeat(32), &"0f".repeat(33)] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
