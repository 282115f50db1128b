//! `singlet archive`.

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use singlet_derive::{PutBack, put_back};
use singlet_design::{Design, Json, time_of_ms};
use singlet_engine::{Clock, SystemClock};
use singlet_run::apply::choose_environment;
use singlet_run::{Record, Wait};
use singlet_transfer::{ArchiveLines, ArchivedFile, ArchivedLine, archive_files};

use crate::arguments::{
    ArchiveAction, ArchiveArguments, ArchiveListArguments, ArchiveReadArguments, OutputFormat, StoreArguments,
};
use crate::counted::counted;
use crate::derivations::settle;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::size::readable;
use crate::style::report;
use crate::table::{Fit, Table, terminal_width};
use crate::target::{Target, archive_base};
use crate::{archive, design_file};

/// Reasons why items can't be put back that are shown.
const REFUSED_SHOWN_MAX: usize = 10;

/// Lists, reads or restores an archive.
pub(crate) fn archive(arguments: &ArchiveArguments) -> Result<(), Failure> {
    match &arguments.action {
        ArchiveAction::List(arguments) => list(arguments),
        ArchiveAction::Read(arguments) => read(arguments),
        ArchiveAction::Restore(arguments) => restore(arguments),
    }
}

/// A design and the folder of its archive.
struct Shelf {
    design: Arc<Design>,
    environment: String,
    folder: PathBuf,
}

impl Shelf {
    fn of(file: &Path, store: &StoreArguments) -> Result<Shelf, Failure> {
        let design = design_file::load(file)?;
        let environment = choose_environment(&design, store.environment.as_deref())?.name;
        let base = archive_base(store).ok_or_else(|| {
            Failure::Arguments("name the folder of the archive with --archive DIR".to_owned())
        })?;
        let folder = archive::folder(&base, &design, &environment);
        Ok(Shelf { design, environment, folder })
    }

    fn files(&self) -> Result<Vec<ArchivedFile>, Failure> {
        archive_files(&self.folder).map_err(|reason| Failure::unreadable(&self.folder, reason))
    }
}

fn list(arguments: &ArchiveListArguments) -> Result<(), Failure> {
    let place = Shelf::of(&arguments.file, &arguments.store)?;
    let files = place.files()?;
    let mut out = anstream::stdout().lock();
    if arguments.format == OutputFormat::Json {
        writeln!(out, "{}", Json::List(files.iter().map(file_json).collect()))?;
        return Ok(());
    }
    if files.is_empty() {
        writeln!(out, "nothing is archived in {}", place.folder.display())?;
        return Ok(());
    }
    let head = ["file", "items", "size", "deleted from", "to"].map(str::to_owned).to_vec();
    let row = |file: &ArchivedFile| {
        let size = readable(file.packed_bytes);
        vec![
            file.path.clone(),
            file.items.to_string(),
            size,
            time_of_ms(file.from_ms),
            time_of_ms(file.to_ms),
        ]
    };
    let table = Table { head, rows: files.iter().map(row).collect(), fit: Fit::Wrap, is_ruled: false };
    write!(out, "{}", table.text(terminal_width()))?;
    let items = counted(files.iter().map(|file| file.items).sum(), "item");
    writeln!(out, "{items} in {}", place.folder.display())?;
    Ok(())
}

fn file_json(file: &ArchivedFile) -> Json {
    Json::from([
        ("file", Json::from(file.path.as_str())),
        ("items", Json::Number(file.items.into())),
        ("bytes", Json::Number(file.packed_bytes.into())),
        ("unpacked_bytes", Json::Number(file.bytes.into())),
        ("from", Json::from(time_of_ms(file.from_ms))),
        ("to", Json::from(time_of_ms(file.to_ms))),
    ])
}

/// Which items are wanted.
struct Wanted<'a> {
    arguments: &'a ArchiveReadArguments,
    /// Fields with the texts of their values.
    values: Vec<(&'a str, &'a str)>,
}

impl<'a> Wanted<'a> {
    fn of(arguments: &'a ArchiveReadArguments, design: &Design) -> Result<Wanted<'a>, Failure> {
        if let Some(name) = arguments.entity.as_deref().filter(|name| design.entity(name).is_none()) {
            return Err(Failure::Arguments(format!("{} has no entity `{name}`", design.name)));
        }
        let split = |text: &'a String| {
            text.split_once('=').ok_or_else(|| {
                Failure::Arguments(format!("`{text}` isn't a field with a value: write `field=value`"))
            })
        };
        let values = arguments.values.iter().map(split).collect::<Result<_, _>>()?;
        Ok(Wanted { arguments, values })
    }

    fn has_file(&self, file: &ArchivedFile) -> bool {
        let ArchiveReadArguments { path, from, until, .. } = self.arguments;
        path.as_ref().is_none_or(|path| file.path.starts_with(path))
            && from.is_none_or(|from| file.to_ms >= from)
            && until.is_none_or(|until| file.from_ms < until)
    }

    fn has(&self, line: &ArchivedLine, shown: &Json) -> bool {
        let ArchiveReadArguments { entity, from, until, .. } = self.arguments;
        let is_equal = |(field, text): &(&str, &str)| match shown.get(field) {
            Some(Json::Text(value)) => value == text,
            Some(value) => value.to_string() == *text,
            None => false,
        };
        entity.as_ref().is_none_or(|name| *name == line.entity)
            && from.is_none_or(|from| line.time_ms >= from)
            && until.is_none_or(|until| line.time_ms < until)
            && self.values.iter().all(is_equal)
    }
}

/// Calls a function with every item that is wanted, and with the JSON in which it is shown.
fn each(
    place: &Shelf,
    wanted: &Wanted<'_>,
    visit: &mut dyn FnMut(ArchivedLine, Json) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for file in place.files()?.into_iter().filter(|file| wanted.has_file(file)) {
        let lines = ArchiveLines::open(&place.folder, &file);
        for line in lines.map_err(|reason| Failure::unreadable(&place.folder, reason))? {
            let line = line.map_err(|reason| Failure::unreadable(&place.folder, reason))?;
            let shown = match place.design.entity(&line.entity) {
                Some(entity) => Record::of(Arc::clone(entity), line.encoded()).to_json(),
                // The entity has left the design since.
                None => Json::Null,
            };
            if wanted.has(&line, &shown) {
                visit(line, shown)?;
            }
        }
    }
    Ok(())
}

fn read(arguments: &ArchiveReadArguments) -> Result<(), Failure> {
    let place = Shelf::of(&arguments.file, &arguments.store)?;
    let wanted = Wanted::of(arguments, &place.design)?;
    let mut out = stdout().lock();
    each(&place, &wanted, &mut |line, shown| {
        let json = Json::from([
            ("entity", Json::from(line.entity.as_str())),
            ("event", Json::from(line.event.as_str())),
            ("time", Json::from(time_of_ms(line.time_ms))),
            ("item", shown),
        ]);
        Ok(writeln!(out, "{json}")?)
    })
}

fn restore(arguments: &ArchiveReadArguments) -> Result<(), Failure> {
    let place = Shelf::of(&arguments.file, &arguments.store)?;
    let wanted = Wanted::of(arguments, &place.design)?;
    let target = Target::open(&arguments.store, false)?;
    settle(&target, &place.design, &place.environment)?;
    let (mut done, mut there, mut refused) = (0_u64, 0_u64, 0_u64);
    let mut line = Progress::new();
    let now_ms = SystemClock.now_ms();
    let mut reasons: Vec<String> = Vec::new();
    each(&place, &wanted, &mut |archived, shown| {
        let outcome = match place.design.entity(&archived.entity) {
            Some(entity) => {
                put_back(target.store(), entity, &place.environment, archived.item, now_ms).wait()?
            }
            None => PutBack::Refused(format!("the design has no entity `{}`", archived.entity)),
        };
        match outcome {
            PutBack::Done => done += 1,
            PutBack::IsThere => there += 1,
            PutBack::Refused(reason) => {
                refused += 1;
                if reasons.len() < REFUSED_SHOWN_MAX {
                    reasons.push(format!("{} {shown}: {reason}", archived.entity));
                }
            }
        }
        line.count(done + there + refused, "archived items put back");
        Ok(())
    })?;
    drop(line);
    settle(&target, &place.design, &place.environment)?;
    target.close()?;
    let mut text = format!("{} restored", counted(done, "item"));
    if there > 0 {
        text += &format!(
            ", {} left as they are, because there are items under their keys",
            counted(there, "item")
        );
    }
    writeln!(stdout().lock(), "{text}")?;
    for reason in &reasons {
        anstream::eprintln!("{}", report(&format!("warning: not restored: {reason}")));
    }
    match refused {
        0 => Ok(()),
        _ => Err(Failure::Refused(format!("{} can't be restored", counted(refused, "item")))),
    }
}
