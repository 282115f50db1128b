//! `singlet new-key`.

use std::fs::OpenOptions;
use std::io::{self, Write};

use singlet_engine::Key;

use crate::arguments::NewKeyArguments;
use crate::failure::Failure;

/// Makes a key file, for its owner alone.
pub(crate) fn new_key(arguments: &NewKeyArguments) -> Result<(), Failure> {
    let file = &arguments.file;
    let failed = |reason: io::Error| match reason.kind() {
        io::ErrorKind::AlreadyExists => Failure::Refused(format!(
            "{} is there already. A key is never overwritten: what it encrypted could not be read any more.",
            file.display()
        )),
        _ => Failure::Refused(format!("can't make {}: {reason}", file.display())),
    };
    let key = Key::generate().map_err(|error| Failure::Refused(error.to_string()))?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut made = options.open(file).map_err(failed)?;
    let text = key.to_hex();
    made.write_all(text.as_bytes())
        .and_then(|()| made.write_all(b"\n"))
        .and_then(|()| made.sync_all())
        .map_err(failed)?;
    writeln!(
        io::stdout(),
        "Key {} is in {}. Keep a copy of it, apart from the data.",
        key.id(),
        file.display()
    )?;
    Ok(())
}
