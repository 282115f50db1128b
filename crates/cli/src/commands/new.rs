//! `singlet new`.

use std::fs::{self, OpenOptions};
use std::io::{self, Write, stdout};
use std::path::{Path, PathBuf};

use crate::arguments::{NewArguments, Template};
use crate::failure::Failure;
use crate::shell::word;

/// Writes a design to start from, and shows what to do next.
pub(crate) fn new(arguments: &NewArguments) -> Result<(), Failure> {
    let file = file(&arguments.name);
    let name = name(&file)?;
    let (template, first) = match arguments.from {
        Template::Todo => (include_str!("../../templates/todo.toml"), "user_lists"),
        Template::Shop => (include_str!("../../templates/shop.toml"), "orders_by_status"),
        Template::Chat => (include_str!("../../templates/chat.toml"), "room_members"),
    };
    let shown = file.display().to_string();
    let text = template.replace("{{name}}", &name).replace("{{file}}", &word(&shown));
    write(&file, &text)?;
    let shown = word(&shown);
    writeln!(
        stdout().lock(),
        "{shown} is a design to start from. Its comments explain it. Next:\n  singlet review {shown}\n  singlet apply \
         {shown} && singlet seed {shown}\n  singlet run {shown} {first} --help"
    )?;
    Ok(())
}

/// The file: `NAME.toml`, whether or not the name says so.
fn file(name: &str) -> PathBuf {
    PathBuf::from(format!("{}.toml", name.strip_suffix(".toml").unwrap_or(name)))
}

/// The name of the design and of its table.
fn name(file: &Path) -> Result<String, Failure> {
    let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let begins = name.chars().next().is_some_and(|letter| letter.is_ascii_alphabetic());
    if begins && (3..=100).contains(&name.len()) && name.chars().all(fits) {
        return Ok(name.to_owned());
    }
    Err(Failure::Arguments(format!(
        "`{name}` can't be the name of a design and its table; write 3 to 100 letters, digits, hyphens and underscores, \
         beginning with a letter"
    )))
}

/// Creates the file, never over another one.
fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let name = file.display();
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)
            .map_err(|reason| Failure::Unwritable { file: folder.display().to_string(), reason })?;
    }
    let created = OpenOptions::new().write(true).create_new(true).open(file);
    created.and_then(|mut created| created.write_all(text.as_bytes())).map_err(|reason| match reason.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::Refused(format!("{name} exists and is left as it is; choose another name"))
        }
        _ => Failure::Unwritable { file: name.to_string(), reason },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_from_files() {
        assert_eq!(name(&file("tasks")).unwrap(), "tasks");
        assert_eq!(name(&file("designs/my-shop.toml")).unwrap(), "my-shop");
        for wrong in ["", "a", "my shop", "1st", "x/..", "naïve"] {
            assert!(name(&file(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_existing_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tasks.toml");
        write(&file, "mine").unwrap();
        assert!(write(&file, "new").unwrap_err().to_string().contains("left as it is"));
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    }
}
