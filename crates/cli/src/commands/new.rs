//! `singlet new`.

use std::fs::{self, OpenOptions};
use std::io::{self, Write, stdout};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use singlet_design::is_design_name;

use crate::arguments::{NewArguments, Template};
use crate::failure::Failure;
use crate::shell::word;

/// The lengths of names: a table has at least three characters, and its environments need room.
const LENGTH: RangeInclusive<usize> = 3..=100;

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
    if is_design_name(name) && LENGTH.contains(&name.len()) {
        return Ok(name.to_owned());
    }
    let similar = similar(name);
    let such = if similar.is_empty() { String::new() } else { format!(", such as `{similar}`") };
    Err(Failure::Arguments(format!(
        "`{name}` can't be the name of a design and its table; write {} to {} lower-case letters, digits and \
         hyphens{such}",
        LENGTH.start(),
        LENGTH.end()
    )))
}

/// The name in the letters of a design's name; empty if too few of them are left.
fn similar(name: &str) -> String {
    let letter =
        |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
    let name: String = name.chars().map(letter).collect();
    let name = name.trim_matches('-');
    if LENGTH.contains(&name.len()) { name.to_owned() } else { String::new() }
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
        assert_eq!(name(&file("1st")).unwrap(), "1st");
        for wrong in ["", "a", "my shop", "Foo", "my_app", "x/..", "naïve"] {
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
