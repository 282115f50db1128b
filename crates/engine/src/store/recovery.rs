//! Opening: the tree, and on top of it what the log has after it.

use std::sync::Arc;

use super::history::Archive;
use super::log::{Catalogue, replay};
use super::overlay::Overlay;
use super::seal::Sealing;
use super::tree::{OldTree, Tree};
use super::{Disk, StoreError, StoreOptions, View};

/// What opening finds.
pub(super) struct Recovered {
    pub(super) tree: Arc<Tree>,
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) archive: Arc<Archive>,
    pub(super) view: View<()>,
    pub(super) files: Files,
}

/// The folder for files that are neither log nor tree.
#[derive(Clone)]
pub(super) struct Files {
    /// Their disk: they are encrypted if the folder is.
    pub(super) disk: Arc<dyn Disk>,
    /// What the folder is encrypted with.
    pub(super) sealing: Option<Arc<Sealing>>,
}

/// Opens the tree and replays the frames after the point that it reaches.
pub(super) fn recover(
    disk: &Arc<dyn Disk>,
    options: &StoreOptions,
    old_tree: OldTree,
) -> Result<Recovered, StoreError> {
    let sealing = Sealing::unlock(disk, options.key.as_ref())?;
    let tree = Tree::open(disk, sealing.as_ref(), options.cache_bytes, old_tree)?;
    tree.settle()?;
    let point = tree.fold_point()?;
    let mut view = View {
        active: Overlay::default(),
        frozen: None,
        tree: Arc::new(tree.view()?),
        attachment: Arc::new(()),
        tallies: tree.tallies()?,
        sequence: point.sequence,
        time_ms: point.time_ms,
    };
    // As many files as the log of two full overlays takes, about.
    let spares_max = 2 * options.overlay_bytes_max as u64 / options.segment_bytes.max(1) + 1;
    let spares_max = usize::try_from(spares_max).unwrap_or(usize::MAX);
    let apply = |commits| view.apply_all(commits);
    let (catalogue, sequence) =
        replay(disk, sealing.clone(), options.segment_bytes, spares_max, point, apply)?;
    view.sequence = sequence;
    tree.check_reach(sequence)?;
    let files = sealing.as_ref().map_or_else(|| disk.clone(), |sealing| sealing.seal_files(disk));
    let live: Vec<u64> = catalogue.segments().iter().map(|segment| segment.id).collect();
    let archive = Archive::open(files.clone(), options.segment_bytes, |segment| live.contains(&segment))?;
    // Names, too, may be known to the system's memory only.
    disk.sync_directory().map_err(StoreError::io("sync", "the folder"))?;
    let files = Files { disk: files, sealing };
    Ok(Recovered { tree, catalogue: Arc::new(catalogue), archive: Arc::new(archive), view, files })
}
