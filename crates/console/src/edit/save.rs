//! Working out and doing the write of a form.

use std::sync::Arc;

use singlet_design::Entity;
use singlet_run::explain::{Recorded, Recording};
use singlet_run::{ItemAction, ItemDifference, ItemError, ItemVersion, ItemWrite};
use singlet_store::Store;

use crate::console::Served;
use crate::failure::Failure;

/// The name of the button that sends a form.
pub(super) const STEP: &str = ".step";
/// The name of the version of the item that a form was made from.
pub(crate) const VERSION: &str = ".version";

/// The next step that a form asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// To be changed further.
    Edit,
    /// To show what it would write.
    Preview,
    /// To write.
    Save,
}

impl Step {
    pub(super) fn of(form: &[(String, String)]) -> Step {
        match form.iter().find(|(name, _)| name == STEP).map(|(_, word)| word.as_str()) {
            Some("save") => Step::Save,
            Some("edit") => Step::Edit,
            _ => Step::Preview,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Step::Edit => "edit",
            Step::Preview => "preview",
            Step::Save => "save",
        }
    }
}

/// The version of the item that a form was made from.
pub(crate) fn seen(form: &[(String, String)]) -> Result<ItemVersion, Failure> {
    let text = form.iter().find(|(name, _)| name == VERSION).map(|(_, text)| text);
    let version = text.and_then(|text| text.parse().ok());
    version.ok_or_else(|| Failure::wrong("The form is damaged: open the item again."))
}

/// A write that was done or worked out.
pub(crate) struct Written {
    pub(crate) outcome: Result<ItemDifference, ItemError>,
    /// Its requests.
    pub(crate) recorded: Vec<Recorded>,
}

/// Writes an item, or works out what would be written.
pub(crate) async fn save<S: Store>(
    served: &Served<S>,
    entity: &Arc<Entity>,
    action: ItemAction,
    step: Step,
) -> Written {
    let mut recording = Recording::new(served.runner().store());
    if step == Step::Save {
        recording = recording.with_writes();
    }
    let runner = served.runner().on(recording);
    let outcome = runner.write_item(&ItemWrite { entity: Arc::clone(entity), action }).await;
    Written { outcome, recorded: runner.store().recorded() }
}
