//! Files that go missing while nobody looks, and files that lose their end.

use singlet_scheduler::note;

use super::{NameChange, SimulatedDisk};

/// Frames of the log begin behind its header.
const LOG_FRAMES_START: usize = 4096;

/// The missing part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lost {
    /// A whole file.
    File(String),
    /// The end of the last log file.
    End(String),
}

impl SimulatedDisk {
    /// Deletes a file, or cuts off or zeroes the end of the last log file; says which. Of files of the past nothing
    /// tells that they were there, and of log files only the last is sure to be needed, so the others stay.
    pub fn lose(&self) -> Option<Lost> {
        let last_log = self.state().names.keys().rfind(|name| name.starts_with("log-")).cloned();
        if self.state().random.one_in(2)
            && let Some(name) = &last_log
        {
            return self.lose_end(name);
        }
        let mut state = self.state();
        let can_go = |name: &String| match name.starts_with("log-") {
            true => Some(name) == last_log.as_ref(),
            false => !name.starts_with("past-") && !name.ends_with(".new"),
        };
        let names: Vec<String> = state.names.keys().filter(|name| can_go(name)).cloned().collect();
        // Log and mark are what most is to be learned from.
        let telling: Vec<String> =
            names.iter().filter(|name| name.starts_with("log-") || *name == "reach").cloned().collect();
        let names = if state.random.one_in(2) { telling } else { names };
        let name = state.random.pick(&names)?;
        note(format_args!("disk: {name} is gone"));
        state.change_name(NameChange::Remove(name.clone()));
        state.durable_names = state.names.clone();
        state.changes.clear();
        Some(Lost::File(name))
    }

    fn lose_end(&self, name: &str) -> Option<Lost> {
        let mut state = self.state();
        let content = *state.names.get(name)?;
        let bytes = &state.contents.get(content)?.current;
        let written = bytes.iter().rposition(|byte| *byte != 0)? + 1;
        let from = LOG_FRAMES_START + state.random.index(written.checked_sub(LOG_FRAMES_START)?.max(1));
        let is_cut = state.random.one_in(2);
        let content = state.contents.get_mut(content)?;
        match is_cut {
            true => content.current.truncate(from),
            false => content.current.get_mut(from..)?.fill(0),
        }
        content.durable.clone_from(&content.current);
        content.writes.clear();
        note(format_args!("disk: {name} has lost its end from {from} on, cut off: {is_cut}"));
        Some(Lost::End(name.to_owned()))
    }

    /// The last mark of how far the log reached was put together after this moment of virtual time, in this life.
    pub fn mark_known_ns(&self) -> u64 {
        self.state().marks_synced_ns.0
    }
}
