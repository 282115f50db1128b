//! The tasks that changes of items and matches leave for their entries.

use singlet_design::Fan;
use singlet_run::derive::with_defaults;
use singlet_run::fan::{is_match, key_paths, match_paths, only};
use singlet_values::Item;

use crate::effects::Effects;
use crate::fanner::{Fanner, Work};
use crate::reads::encode;
use crate::rules::{Member, Rules};
use crate::task::TaskCause;

impl Effects {
    /// Leaves tasks for the entries of a changed item or match.
    pub(crate) fn fanned(
        &mut self,
        rules: &Rules,
        before: Option<&(&Member, Item)>,
        after: Option<&(&Member, Item)>,
        time_ms: u64,
    ) {
        for (_, fanner) in rules.fanners() {
            let Fan { each, found, .. } = &*fanner.rule;
            let image = |image: Option<&(&Member, Item)>, entity: &str| {
                let (member, item) = image.filter(|(member, _)| member.entity.name == entity)?;
                Some(with_defaults(&member.entity, item).into_owned())
            };
            let items = [before, after].map(|one| image(one, &each.name));
            let states = items.each_ref().map(|item| item.as_ref().and_then(|item| fanner.item_state(item)));
            if states[0] != states[1] {
                let names = key_paths(&fanner.rule);
                let sources = states.iter().flatten().filter_map(|state| only(state, &names));
                sources.for_each(|source| self.leave(fanner, Work::Spread, source, time_ms));
            }
            let matches = [before, after].map(|one| image(one, &found.name));
            let states =
                matches.each_ref().map(|item| item.as_ref().and_then(|item| fanner.match_state(item)));
            if states[0] != states[1] {
                let names = match_paths(&fanner.rule);
                let sources = states.iter().flatten().filter_map(|state| only(state, &names));
                sources.for_each(|source| self.leave(fanner, Work::Clear, source, time_ms));
            }
        }
    }

    /// Leaves a task for a match that a sweep has found.
    pub(crate) fn unfilled(
        &mut self,
        rules: &Rules,
        member: &Member,
        item: &Item,
        filling: &dyn Fn(usize) -> bool,
    ) {
        for (at, fanner) in rules.fanners() {
            if fanner.rule.found.name != member.entity.name || !filling(at) || !is_match(&fanner.rule, item) {
                continue;
            }
            if let Some(source) = only(item, &match_paths(&fanner.rule)) {
                self.leave(fanner, Work::Clear, source, 0);
            }
        }
    }

    /// Leaves one task.
    pub(crate) fn leave(&mut self, fanner: &Fanner, work: Work, source: Item, time_ms: u64) {
        let id = (fanner.subject(work), encode(&source));
        self.tasks.insert(id, TaskCause { source, time_ms });
    }
}
