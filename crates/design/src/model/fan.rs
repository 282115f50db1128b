//! Items that are made for each item that a query finds: entries of feeds.

use std::sync::Arc;

use super::copied::Referral;
use super::entity::Entity;
use super::pattern::{Query, ValueSource};
use crate::condition::Condition;
use crate::expression::{Composed, Expression};

/// The most items that one item is fanned out to, unless a design says otherwise.
pub const FAN_MAX_LIMIT: u32 = 100_000;
/// The newest items of which a new match gets entries, unless a design says otherwise.
pub const FAN_BACKFILL_DEFAULT: u32 = 50;
/// The most newest items of which a new match gets entries.
pub const FAN_BACKFILL_MAX: u32 = 1_000;
/// The most sources whose items are merged into one list when it is read.
pub const FAN_MERGED_MAX: u32 = 100;

/// An entry is made for each pair of an item and a *match*, which a query finds for it: for each post and each follower
/// of its author.
#[derive(Debug, Clone)]
pub struct Fan {
    /// The entity whose items are fanned out: posts.
    pub each: Arc<Entity>,
    /// For which of its items entries are made. It doesn't depend on a call.
    pub condition: Option<Condition>,
    /// The name of the query that finds the matches.
    pub query: String,
    /// The entity of the matches: follows.
    pub found: Arc<Entity>,
    /// Which of the items under the key are matches.
    pub filter: Option<Condition>,
    /// The entity of the entries.
    pub entity: Arc<Entity>,
    /// The fields of an entry with their values. Names in composed values are fields of the item, or those of the match
    /// after the name of its entity: `Follow.followerId`.
    pub set: Vec<(String, ValueSource)>,
    /// Where the matches of an item are found: (field of the item, field of the match).
    pub matches: Referral,
    /// Where the items of a match are found: (field of the match, field of the item).
    pub items: Referral,
    /// Where the entries of a match are found: (field of the match, field of the entry).
    pub entries: Referral,
    /// Each field in the key of an item, with the field of an entry that has its value.
    pub item_key: Vec<(String, String)>,
    /// Each field in the key of a match, with the field of an entry that has its value.
    pub match_key: Vec<(String, String)>,
    /// Each field that tells with which matches an item goes, with the field of an entry that has its value: the author.
    pub author: Vec<(String, String)>,
    /// The field by which items are in order under their key, and the field of entries with its value.
    pub order: (String, String),
    /// Items with more matches than this aren't fanned out. They are merged when entries are read.
    pub max: u32,
    /// The newest items of which a new match gets entries.
    pub backfill: u32,
}

impl Fan {
    /// Returns the fields of items, or paths, that entries depend on; some may come twice.
    pub fn item_paths(&self) -> Vec<&str> {
        let condition = self.condition.iter().flat_map(|condition| condition.tree.paths());
        let values = self.value_paths().filter(|path| self.of_match(path).is_none());
        let key = self.item_key.iter().map(|(own, _)| own.as_str());
        let link = self.matches.link.iter().map(|(own, _)| own.as_str());
        condition.chain(values).chain(key).chain(link).collect()
    }

    /// Returns the fields of matches, or paths, that entries depend on; some may come twice.
    pub fn match_paths(&self) -> Vec<&str> {
        let filter = self.filter.iter().flat_map(|filter| filter.tree.paths());
        let values = self.value_paths().filter_map(|path| self.of_match(path));
        let key = self.match_key.iter().map(|(own, _)| own.as_str());
        let link = self.matches.link.iter().map(|(_, theirs)| theirs.as_str());
        filter.chain(values).chain(key).chain(link).collect()
    }

    /// Returns the path into a match, if a name in a value leads there.
    pub fn of_match<'p>(&self, path: &'p str) -> Option<&'p str> {
        of_match(&self.found.name, path)
    }

    /// Returns whether a query reads the entries of one match's owner in order, so that the items which aren't fanned out
    /// belong into it.
    pub fn is_read_by(&self, query: &Query) -> bool {
        let [entity] = query.entities.as_slice() else { return false };
        let index = query.on.as_ref().map(|index| index.name.as_str());
        entity.name == self.entity.name && index == self.entries.index.as_deref() && query.key.is_none()
    }

    fn value_paths(&self) -> impl Iterator<Item = &str> {
        let values = self.set.iter().filter_map(|(_, value)| match value {
            ValueSource::Composed(composed) => Some(composed.names()),
            _ => None,
        });
        values.flatten().filter_map(|name| name.field())
    }
}

/// Returns the path into an item of an entity, if a name leads there: `followerId` of `Follow.followerId`.
pub(crate) fn of_match<'p>(entity: &str, path: &'p str) -> Option<&'p str> {
    path.strip_prefix(entity)?.strip_prefix('.')
}

/// Returns the path that a value is, if it is nothing else.
pub(crate) fn plain_path(value: &ValueSource) -> Option<&str> {
    let ValueSource::Composed(composed) = value else { return None };
    match Composed::whole(composed)? {
        Expression::Name(name) => name.field(),
        _ => None,
    }
}
