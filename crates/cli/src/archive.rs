//! The folders of archives, and the archivers of this process.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use singlet_derive::{Archiver, OutletThread, archive_status, has_archive};
use singlet_design::Design;
use singlet_run::Wait;
use singlet_store::Embedded;
use singlet_transfer::ArchiveFolder;

use crate::failure::Failure;

/// Where the folder of the archives is named, if no option does so.
const VARIABLE: &str = "SINGLET_ARCHIVE";

/// Returns the folder of all archives: the one that is given, or that the environment names, or the one beside the data.
pub(crate) fn base(given: Option<&Path>, data: Option<&Path>) -> Option<PathBuf> {
    let named = || std::env::var_os(VARIABLE).filter(|text| !text.is_empty()).map(PathBuf::from);
    given.map(Path::to_owned).or_else(named).or_else(|| beside(data?))
}

/// Returns the folder beside a data folder: `./singlet-data-archive`.
fn beside(data: &Path) -> Option<PathBuf> {
    let whole = data.canonicalize().unwrap_or_else(|_| data.to_owned());
    let mut name = whole.file_name()?.to_owned();
    name.push("-archive");
    // As short as the data folder was named, if that tells its name.
    Some(if data.file_name().is_some() { data.with_file_name(name) } else { whole.with_file_name(name) })
}

/// Returns the folder of one design's archive.
pub(crate) fn folder(base: &Path, design: &Design, environment: &str) -> PathBuf {
    base.join(&design.name).join(environment)
}

/// Opens the archiver of a design. `None` if it archives nothing, or if there is no folder for it.
pub(crate) async fn open(
    store: Embedded,
    design: &Arc<Design>,
    environment: &str,
    base: Option<&Path>,
) -> Result<Option<Archiver<Embedded, ArchiveFolder>>, Failure> {
    if !has_archive(design) {
        return Ok(None);
    }
    let Some(base) = base else {
        tracing::warn!(
            design = design.name,
            "nothing is archived, because the data is in memory: name a folder with --archive DIR"
        );
        return Ok(None);
    };
    let folder = folder(base, design, environment);
    let files = ArchiveFolder::open(&folder).map_err(|reason| {
        Failure::Refused(format!("can't open the archive in {}: {reason}", folder.display()))
    })?;
    Ok(Some(Archiver::open(store, Arc::clone(design), environment, files).await?))
}

/// Archives what was deleted so far, if the database is open here. Before the design is applied, there is nothing to do.
pub(crate) fn settle(
    store: Embedded,
    design: &Arc<Design>,
    environment: &str,
    base: Option<&Path>,
) -> Result<(), Failure> {
    if !has_archive(design) || !archive_status(&store, design, environment).wait()?.has_begun {
        return Ok(());
    }
    begin(store, design, environment, base)
}

/// The same for a design that was just applied: its archive begins now.
pub(crate) fn begin(
    store: Embedded,
    design: &Arc<Design>,
    environment: &str,
    base: Option<&Path>,
) -> Result<(), Failure> {
    if let Some(mut archiver) = open(store, design, environment, base).wait()? {
        archiver.catch_up().wait()?;
    }
    Ok(())
}

/// Starts the archiver of a design on a thread of its own.
pub(crate) async fn start(
    store: Embedded,
    design: &Arc<Design>,
    environment: &str,
    base: Option<&Path>,
) -> Result<Option<OutletThread>, Failure> {
    let Some(archiver) = open(store, design, environment, base).await? else { return Ok(None) };
    Ok(Some(OutletThread::start(archiver, &format!("archive of {}", design.name))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_beside_the_data() {
        let given = Path::new("x");
        assert_eq!(base(Some(given), Some(Path::new("data"))), Some("x".into()));
        assert_eq!(beside(Path::new("./singlet-data")), Some("./singlet-data-archive".into()));
        let here = std::env::current_dir().unwrap();
        let name = here.file_name().unwrap().to_str().unwrap();
        assert_eq!(beside(Path::new(".")), Some(here.with_file_name(format!("{name}-archive"))));
        assert_eq!(beside(Path::new("/")), None);
    }
}
