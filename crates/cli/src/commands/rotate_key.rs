//! `singlet rotate-key`.

use std::io::{self, Write};

use singlet_engine::store::{FileDisk, StoreError};
use singlet_engine::{Error, Key};

use crate::arguments::RotateKeyArguments;
use crate::failure::Failure;
use crate::target::has_data;

/// Gives an encrypted folder another key.
pub(crate) fn rotate_key(arguments: &RotateKeyArguments) -> Result<(), Failure> {
    let folder = &arguments.data;
    let refused = |reason: String| Failure::Refused(format!("{}: {reason}", folder.display()));
    let new = Key::from_file(&arguments.new_key_file).map_err(|error| {
        Failure::Refused(format!("--new-key-file {}: {error}", arguments.new_key_file.display()))
    })?;
    if !has_data(folder)? {
        return Err(refused("there is no data in the folder".to_owned()));
    }
    let Some(old) = arguments.key.key()? else {
        return Err(refused(
            "the key that it has now is needed, with --key-file FILE or in SINGLET_KEY".to_owned(),
        ));
    };
    let rotated =
        FileDisk::open(folder).and_then(|disk| singlet_engine::store::rotate_key(&disk, &old, &new));
    rotated.map_err(|error| match error {
        StoreError::Locked { .. } => refused(
            "it is in use by another process. Stop that one first; changing the key takes no time".to_owned(),
        ),
        other => refused(Error::from(other).to_string()),
    })?;
    writeln!(
        io::stdout(),
        "{} opens with key {} now, and no longer with {}.",
        folder.display(),
        new.id(),
        old.id()
    )?;
    Ok(())
}
