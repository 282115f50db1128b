//! Opening a store: the tree, and the commits in the log that aren't in the tree.

use std::sync::Arc;

use super::history::Archive;
use super::log::{SegmentCatalogue, first_sequence, replay};
use super::overlay::Overlay;
use super::reach::{FoundMark, Loss, Reach, ReachMark};
use super::seal::{Sealing, is_data};
use super::tree::{self, OldTree, Tree};
use super::{Disk, FrozenDisk, StoreError, StoreOptions, View};

/// The result of opening.
pub(super) struct Recovered {
    pub(super) tree: Arc<Tree>,
    pub(super) catalogue: Arc<SegmentCatalogue>,
    pub(super) reach: Arc<Reach>,
    pub(super) archive: Arc<Archive>,
    pub(super) view: View<()>,
    pub(super) files: OtherFiles,
    /// Missing data that was accepted.
    pub(super) lost: Vec<Loss>,
}

/// Access to files that are neither log nor tree.
#[derive(Clone)]
pub(super) struct OtherFiles {
    /// Their disk. The files are encrypted if the folder is.
    pub(super) disk: Arc<dyn Disk>,
    /// The folder's encryption.
    pub(super) sealing: Option<Arc<Sealing>>,
}

/// Opens the tree and replays the frames that aren't in it.
///
/// A missing tree is rebuilt from the log if its loss is accepted. This is tried in memory first: if it failed on the
/// disk, it would leave an empty tree, and the next opening wouldn't know that the tree was ever missing.
pub(super) fn recover(
    disk: &Arc<dyn Disk>,
    options: &StoreOptions,
    old_tree: OldTree,
) -> Result<Recovered, StoreError> {
    if options.accept_loss && !has_tree(disk.as_ref())? {
        let trial = FrozenDisk::new(disk.clone()).map_err(StoreError::io("list", "the folder"))?;
        recover_on(&(Arc::new(trial) as Arc<dyn Disk>), options, old_tree)?;
    }
    recover_on(disk, options, old_tree)
}

fn recover_on(
    disk: &Arc<dyn Disk>,
    options: &StoreOptions,
    old_tree: OldTree,
) -> Result<Recovered, StoreError> {
    let sealing = Sealing::unlock(disk, options.key.as_ref())?;
    let mut losses = Losses { are_accepted: options.accept_loss, lost: Vec::new() };
    let found = find_reach(disk, sealing.as_ref(), &mut losses)?;
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
        believed_jumps: 0,
    };
    // About as many files as the log of full overlays takes.
    let spares_max = options.overlay_bytes_max as u64 / options.segment_bytes.max(1) + 1;
    let spares_max = usize::try_from(spares_max).unwrap_or(usize::MAX);
    let apply = |commits| view.apply_all(commits);
    let (catalogue, sequence) =
        replay(disk, sealing.clone(), options.segment_bytes, spares_max, point, apply)?;
    view.sequence = sequence;
    check_loss(&found, &tree, &catalogue, sequence, &mut losses)?;
    tree.check_reach(sequence)?;
    let files = sealing.as_ref().map_or_else(|| disk.clone(), |sealing| sealing.seal_files(disk));
    let live: Vec<u64> = catalogue.segments().iter().map(|segment| segment.id).collect();
    let archive = Archive::open(files.clone(), options.segment_bytes, |segment| live.contains(&segment))?;
    // Names may exist only in the system's memory, too.
    disk.sync_directory().map_err(StoreError::io("sync", "the folder"))?;
    let reach = open_reach(disk, sealing.clone(), found, &tree, &catalogue, &view)?;
    let files = OtherFiles { disk: files, sealing };
    Ok(Recovered {
        tree,
        catalogue: Arc::new(catalogue),
        reach: Arc::new(reach),
        archive: Arc::new(archive),
        view,
        files,
        lost: losses.lost,
    })
}

/// The missing data of a folder.
struct Losses {
    are_accepted: bool,
    lost: Vec<Loss>,
}

impl Losses {
    /// Refuses a folder with missing data, unless it is accepted.
    fn meet(&mut self, loss: Loss) -> Result<(), StoreError> {
        #[cfg(simulated)]
        if crate::planted::Bug::IgnoresReach.is_planted() {
            return Ok(());
        }
        if !self.are_accepted || !loss.is_acceptable() {
            return Err(loss.into());
        }
        tracing::error!(missing = %loss.missing(), "the folder is opened without the missing data");
        self.lost.push(loss);
        Ok(())
    }
}

/// Reads how far the log reached. In an empty folder, the file is created before the tree, which records that it
/// exists.
fn find_reach(
    disk: &Arc<dyn Disk>,
    sealing: Option<&Arc<Sealing>>,
    losses: &mut Losses,
) -> Result<FoundMark, StoreError> {
    let look = || FoundMark::look(disk.as_ref(), sealing.map(Arc::as_ref));
    let found = look()?;
    if has_tree(disk.as_ref())? {
        return Ok(found);
    }
    if let Some(loss) = missing_tree(disk.as_ref(), sealing, &found)? {
        losses.meet(loss)?;
        return Ok(found);
    }
    match found {
        FoundMark::Missing | FoundMark::Damaged => {
            Reach::begin(disk.as_ref(), sealing.cloned())?;
            look()
        }
        found => Ok(found),
    }
}

fn has_tree(disk: &dyn Disk) -> Result<bool, StoreError> {
    let names = disk.list().map_err(StoreError::io("list", "the folder"))?;
    Ok(names.iter().any(|name| name == tree::NAME))
}

/// Returns the loss of a folder that had a tree and has none. A tree has its durable name before any other data
/// exists, and before the mark names a segment or a commit.
pub(super) fn missing_tree(
    disk: &dyn Disk,
    sealing: Option<&Arc<Sealing>>,
    found: &FoundMark,
) -> Result<Option<Loss>, StoreError> {
    let names = disk.list().map_err(StoreError::io("list", "the folder"))?;
    let had_tree = names.iter().any(|name| is_data(name))
        || found.mark().is_some_and(|mark| *mark != ReachMark::default());
    if names.iter().any(|name| name == tree::NAME) || !had_tree {
        return Ok(None);
    }
    Ok(Some(Loss::Tree { log_start: first_sequence(disk, sealing)? }))
}

/// Compares the end of the log with the recorded one.
fn check_loss(
    found: &FoundMark,
    tree: &Tree,
    catalogue: &SegmentCatalogue,
    sequence: u64,
    losses: &mut Losses,
) -> Result<(), StoreError> {
    let last_segment = catalogue.segments().last().map_or(0, |last| last.id);
    if let Some(loss) = found.loss(tree.has_reach_file()?, last_segment, sequence) {
        return losses.meet(loss);
    }
    if last_segment == 0 && sequence > 0 && found.mark().is_none() {
        // A folder of an earlier version, without the mark.
        let reason = format!("the log doesn't reach back to commit {}", sequence + 1);
        return Err(StoreError::corrupt("the log", 0, reason));
    }
    Ok(())
}

/// Records how far the log reaches now. All of it is durable, including the names of its files.
fn open_reach(
    disk: &Arc<dyn Disk>,
    sealing: Option<Arc<Sealing>>,
    found: FoundMark,
    tree: &Tree,
    catalogue: &SegmentCatalogue,
    view: &View<()>,
) -> Result<Reach, StoreError> {
    let segments = catalogue.segments();
    let last = segments.last().map(|last| (last.id, last.first_sequence));
    let (segment, first_sequence) = last.unwrap_or_default();
    if let Some(mark) = found.mark() {
        // The id of a lost segment isn't used again.
        catalogue.skip_ids(mark.segment);
    }
    let mark = ReachMark { segment, first_sequence, sequence: view.sequence, time_ms: view.time_ms };
    let reach = Reach::open(disk.as_ref(), sealing, found, mark)?;
    if !tree.has_reach_file()? {
        tree.set_has_reach_file()?;
    }
    Ok(reach)
}
