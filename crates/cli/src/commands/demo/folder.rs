//! The folder of a demo: `demo.json` marks it, `designs` has the design files, and `data` is the database.
//!
//! The database is filled under another name and then renamed. So `data` exists only if it is complete, and an
//! interrupted fill starts again.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use singlet_design::{Design, Json};
use tempfile::TempDir;

use super::DESIGNS;
use crate::design_file;
use crate::failure::Failure;

/// The file that marks a folder as a demo's.
const MARK: &str = "demo.json";

/// A call that shows something of the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) about: String,
    /// `run` or `explain`.
    pub(super) command: String,
    pub(super) design: String,
    pub(super) pattern: String,
    pub(super) arguments: Vec<String>,
}

/// The line of the greeting about the data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Summary {
    pub(super) items: u64,
    pub(super) calls: Vec<Call>,
}

/// The folder of a demo.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    temporary: Option<TempDir>,
}

impl Folder {
    /// A temporary folder, or the named one, which must be new, empty or a demo's already.
    pub(super) fn open(path: Option<&Path>) -> Result<Folder, Failure> {
        let folder = match path {
            None => {
                let temporary = tempfile::Builder::new().prefix("singlet-demo-").tempdir()?;
                Folder { path: temporary.path().to_owned(), temporary: Some(temporary) }
            }
            Some(path) => Folder { path: path.to_owned(), temporary: None },
        };
        let unusable =
            |reason: io::Error| Failure::Unwritable { file: folder.path.display().to_string(), reason };
        if folder.path.exists() && !folder.path.is_dir() {
            return Err(Failure::Refused(format!(
                "{} is a file; name a folder with --path",
                folder.path.display()
            )));
        }
        fs::create_dir_all(&folder.path).map_err(unusable)?;
        let is_empty = fs::read_dir(&folder.path).map_err(unusable)?.next().is_none();
        if !is_empty && !folder.mark().is_file() {
            return Err(Failure::Refused(format!(
                "{} has files in it that don't belong to a demo; name a new or an empty folder with --path",
                folder.path.display()
            )));
        }
        if is_empty {
            folder.write_summary(&Summary::default()).map_err(unusable)?;
        }
        fs::create_dir_all(folder.path.join("designs")).map_err(unusable)?;
        for design in &DESIGNS {
            // A design that was edited stays as it is.
            let file = folder.design_file(design.name);
            if !file.exists() {
                write_whole(&file, design.text)
                    .map_err(|reason| Failure::Unwritable { file: file.display().to_string(), reason })?;
            }
        }
        Ok(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }

    /// Whether the database is complete.
    pub(super) fn is_filled(&self) -> bool {
        self.data().exists()
    }

    /// The database.
    pub(super) fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    /// The database while it is being filled.
    pub(super) fn filling(&self) -> PathBuf {
        self.path.join("filling")
    }

    pub(super) fn design_file(&self, name: &str) -> PathBuf {
        self.path.join("designs").join(format!("{name}.toml"))
    }

    /// The designs as they are in the folder, by the names of their files.
    pub(super) fn designs(&self) -> Result<Vec<(&'static str, Arc<Design>)>, Failure> {
        let load = |name: &'static str| Ok((name, design_file::load(&self.design_file(name))?));
        DESIGNS.iter().map(|design| load(design.name)).collect()
    }

    fn mark(&self) -> PathBuf {
        self.path.join(MARK)
    }

    /// The summary that was written after the fill; an unreadable one says nothing.
    pub(super) fn summary(&self) -> Summary {
        let text = fs::read_to_string(self.mark()).unwrap_or_default();
        text.parse().map(|json: Json| Summary::of_json(&json)).unwrap_or_default()
    }

    pub(super) fn write_summary(&self, summary: &Summary) -> io::Result<()> {
        write_whole(&self.mark(), &format!("{:#}\n", summary.to_json()))
    }

    /// The message at the end.
    pub(super) fn end(&self) -> String {
        match self.temporary {
            Some(_) => format!("Stopped. {} is deleted.", self.path.display()),
            None => format!(
                "Stopped. `singlet demo --path {}` starts it again.",
                crate::shell::word(&self.path.display().to_string())
            ),
        }
    }

    /// Deletes the folder if it is temporary.
    pub(super) fn delete(self) -> Result<(), Failure> {
        let file = self.path.display().to_string();
        let deleted = self.temporary.map_or(Ok(()), TempDir::close);
        deleted.map_err(|reason| Failure::Unwritable { file, reason })
    }
}

/// Writes a file under another name and renames it, so that it is never half there.
fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    let new = file.with_extension("new");
    // An entry with this name is removed, because it could be a link to a file elsewhere.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    OpenOptions::new().write(true).create_new(true).open(&new)?.write_all(text.as_bytes())?;
    fs::rename(new, file)
}

impl Summary {
    fn to_json(&self) -> Json {
        let text = |text: &str| Json::from(text);
        let call = |call: &Call| {
            Json::from([
                ("about", text(&call.about)),
                ("command", text(&call.command)),
                ("design", text(&call.design)),
                ("pattern", text(&call.pattern)),
                ("arguments", Json::List(call.arguments.iter().map(|word| text(word)).collect())),
            ])
        };
        Json::from([
            ("items", Json::from(i64::try_from(self.items).unwrap_or(i64::MAX))),
            ("calls", Json::List(self.calls.iter().map(call).collect())),
        ])
    }

    fn of_json(json: &Json) -> Summary {
        let list = |json: Option<&Json>| json.and_then(Json::as_list).unwrap_or_default().to_vec();
        let call = |json: &Json| {
            let text = |name: &str| json.get(name).and_then(Json::as_text).map(str::to_owned);
            Some(Call {
                about: text("about")?,
                command: text("command")?,
                design: text("design")?,
                pattern: text("pattern")?,
                arguments: list(json.get("arguments"))
                    .iter()
                    .filter_map(Json::as_text)
                    .map(str::to_owned)
                    .collect(),
            })
        };
        let items = match json.get("items") {
            Some(Json::Number(number)) => number.to_i64().and_then(|items| u64::try_from(items).ok()),
            _ => None,
        };
        Summary {
            items: items.unwrap_or_default(),
            calls: list(json.get("calls")).iter().filter_map(call).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_read_as_it_was_written() {
        let folder = Folder::open(None).unwrap();
        assert_eq!(folder.summary(), Summary::default());
        let call = Call {
            about: "An order".to_owned(),
            command: "run".to_owned(),
            design: "shop".to_owned(),
            pattern: "get_order".to_owned(),
            arguments: vec!["order_id=1".to_owned(), "a='b'".to_owned()],
        };
        let summary = Summary { items: 1600, calls: vec![call] };
        folder.write_summary(&summary).unwrap();
        assert_eq!(folder.summary(), summary);
        fs::write(folder.mark(), "{").unwrap();
        assert_eq!(folder.summary(), Summary::default());
    }

    #[test]
    fn a_folder_with_other_files_is_refused_and_left_alone() {
        let other = tempfile::tempdir().unwrap();
        fs::write(other.path().join("thesis.txt"), "years of work").unwrap();
        let refused = Folder::open(Some(other.path())).unwrap_err().to_string();
        assert!(refused.contains("don't belong to a demo"), "{refused}");
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 1);
        let file = other.path().join("thesis.txt");
        assert!(Folder::open(Some(&file)).unwrap_err().to_string().contains("is a file"));
    }

    #[test]
    fn an_edited_design_stays_as_it_is() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(Some(place.path())).unwrap();
        fs::write(folder.design_file("shop"), "edited").unwrap();
        let folder = Folder::open(Some(place.path())).unwrap();
        assert_eq!(fs::read_to_string(folder.design_file("shop")).unwrap(), "edited");
    }
}
