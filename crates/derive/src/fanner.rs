//! Rules that make an entry for each pair of an item and a match.

use singlet_design::Fan;
use singlet_run::fan::{is_fanned, is_match};
use singlet_values::Item;

/// A rule that makes entries.
#[derive(Debug, Clone)]
pub(crate) struct Fanner {
    pub(crate) name: String,
    pub(crate) rule: Box<Fan>,
}

/// The work that a task of a rule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Goes through the matches of an item that has changed.
    Spread,
    /// Goes through the stored entries of a match that has changed.
    Clear,
    /// Goes through the newest items of a match.
    Fill,
    /// Marks all matches of a source that has too many of them.
    Rise,
    /// Fills the matches of a source that no longer has too many, and takes the marks away.
    Fall,
}

impl Work {
    const ALL: [Work; 5] = [Work::Spread, Work::Clear, Work::Fill, Work::Rise, Work::Fall];

    fn word(self) -> &'static str {
        match self {
            Work::Spread => "spread",
            Work::Clear => "clear",
            Work::Fill => "fill",
            Work::Rise => "rise",
            Work::Fall => "fall",
        }
    }
}

impl Fanner {
    /// Returns the name of the tasks for some work.
    pub(crate) fn subject(&self, work: Work) -> String {
        format!("{} {}", self.name, work.word())
    }

    /// Returns the work of a task. `None` if the task belongs to another rule.
    pub(crate) fn work(&self, subject: &str) -> Option<Work> {
        let word = subject.strip_prefix(&self.name)?.strip_prefix(' ')?;
        Work::ALL.into_iter().find(|work| work.word() == word)
    }

    /// Whether a task belongs to the rule.
    pub(crate) fn has(&self, subject: &str) -> bool {
        self.work(subject).is_some()
    }

    pub(crate) fn meaning(&self) -> String {
        let Fan { each, query, entity, condition, max, .. } = &*self.rule;
        let when =
            condition.as_ref().map(|condition| format!(" when {}", condition.source)).unwrap_or_default();
        format!("{} made for each {} and each of at most {max} {query}{when}", entity.name, each.name)
    }

    /// Returns everything that the entries depend on.
    pub(crate) fn definition(&self) -> String {
        let Fan { each, found, entity, condition, filter, set, matches, entries, .. } = &*self.rule;
        let condition = condition.as_ref().map(|condition| condition.source.as_str());
        let filter = filter.as_ref().map(|filter| filter.source.as_str());
        let names = (&each.name, &found.name, &entity.name, &entity.key);
        format!("fan {names:?} {condition:?} {filter:?} {set:?} {matches:?} {entries:?}")
    }

    /// Returns what the entries of an item follow from. `None` if it has none.
    pub(crate) fn item_state(&self, item: &Item) -> Option<Item> {
        is_fanned(&self.rule, item).then(|| state(item, self.rule.item_paths()))
    }

    /// Returns what the entries of a match follow from. `None` if it isn't one.
    pub(crate) fn match_state(&self, found: &Item) -> Option<Item> {
        is_match(&self.rule, found).then(|| state(found, self.rule.match_paths()))
    }
}

/// Returns the attributes that some paths lead into.
fn state(item: &Item, paths: Vec<&str>) -> Item {
    let names = paths.into_iter().map(|path| path.split('.').next().unwrap_or(path));
    names.filter_map(|name| Some((name, item.get(name)?.clone()))).collect()
}
