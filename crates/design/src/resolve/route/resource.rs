//! The paths of entities, from their keys.

use std::sync::Arc;

use super::words::{joined, plural, words};
use crate::model::{Entity, PathSegment};
use crate::template::{Part, Template};

/// Gives the parameter that has the value of a field; `None` if a caller doesn't give it in the path.
pub(super) type FieldSource<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The entities of a design, as the owners of paths.
pub(super) struct Resources<'a> {
    entities: &'a [Arc<Entity>],
}

/// The resource that a partition key identifies: `/users/{user_id}`.
pub(super) struct Parent<'a> {
    /// Its path.
    pub(super) path: Vec<PathSegment>,
    /// The entity whose items have this partition key and nothing else.
    pub(super) root: Option<&'a Entity>,
    /// Whether the key continues after the fields, and so contains some of the items only: `USER#{user_id}#UNREAD`.
    pub(super) is_subset: bool,
    /// The noun of its path.
    noun: String,
}

impl<'a> Resources<'a> {
    pub(super) fn new(entities: &'a [Arc<Entity>]) -> Self {
        Self { entities }
    }

    /// The path of an item by a key; `None` if a field of the key isn't given.
    pub(super) fn item(
        &self,
        entity: &Entity,
        partition: &[&Template],
        sort: &[&Template],
        given: &FieldSource<'_>,
    ) -> Option<Vec<PathSegment>> {
        let own = own_fields(partition, sort);
        let mut path = self.members(entity, partition, own.is_empty(), given)?;
        for field in own {
            path.push(PathSegment::Parameter(given(field)?));
        }
        Some(path)
    }

    /// The path of the items of an entity under a partition key. `is_one` if there is a single one.
    pub(super) fn members(
        &self,
        entity: &Entity,
        partition: &[&Template],
        is_one: bool,
        given: &FieldSource<'_>,
    ) -> Option<Vec<PathSegment>> {
        let own = words(&entity.name);
        if fields(partition).is_empty() {
            return Some(vec![PathSegment::Literal(plural(&own))]);
        }
        let parent = self.parent(partition, given)?;
        let is_itself =
            parent.root.is_some_and(|root| root.name == entity.name) || parent.noun == plural(&own);
        let mut path = parent.path;
        if !(is_one && is_itself) {
            path.push(PathSegment::Literal(self.noun(parent.root, &own, is_one)));
        }
        Some(path)
    }

    /// The collection to which a new item of an entity belongs: its path without its own id.
    pub(super) fn collection(&self, entity: &Entity, given: &FieldSource<'_>) -> Option<Vec<PathSegment>> {
        let (partition, sort) = table_key(entity);
        let own = own_fields(&partition, &sort);
        let is_root = self.root(&shape(&partition), &partition).is_some_and(|root| root.name == entity.name);
        if is_root {
            return Some(vec![PathSegment::Literal(plural(&words(&entity.name)))]);
        }
        self.members(entity, &partition, own.is_empty(), given)
    }

    /// The resource of a partition key that has fields; `None` if one of them isn't given.
    pub(super) fn parent(&self, partition: &[&Template], given: &FieldSource<'_>) -> Option<Parent<'a>> {
        let whole = shape(partition);
        let end = whole.rfind(HOLE).map_or(whole.len(), |at| at + HOLE.len());
        let cut = whole.get(..end).unwrap_or(&whole);
        let names = fields(partition);
        let root = self.root(cut, partition);
        let head = words(whole.split(HOLE).next().unwrap_or_default());
        let noun = match (root, head.is_empty()) {
            (Some(root), _) => plural(&words(&root.name)),
            (None, false) => plural(&head),
            (None, true) => plural(&without_id(words(names.first()?))),
        };
        let mut path = vec![PathSegment::Literal(noun.clone())];
        for (at, name) in names.into_iter().enumerate() {
            // Fields that nothing else tells apart have a noun each.
            if at > 0 && root.is_none() && head.is_empty() {
                path.push(PathSegment::Literal(plural(&without_id(words(name)))));
            }
            path.push(PathSegment::Parameter(given(name)?));
        }
        Some(Parent { path, root, is_subset: cut.len() < whole.len(), noun })
    }

    /// The entity whose items a partition key of this shape identifies. If there are several, it is the one that the key
    /// is named after, or the first.
    fn root(&self, wanted: &str, partition: &[&Template]) -> Option<&'a Entity> {
        let names = fields(partition);
        let named = wanted.chars().any(char::is_alphabetic);
        let last = names.last().map(|name| without_id(words(name))).unwrap_or_default();
        let head = words(wanted.split(HOLE).next().unwrap_or_default());
        let all_words = |names: &[&str]| names.iter().map(|name| words(name)).collect::<Vec<_>>();
        let fits = |entity: &&'a Arc<Entity>| {
            let (own, sort) = table_key(entity);
            own_fields(&own, &sort).is_empty()
                && shape(&own) == wanted
                // A key without text says nothing but the names of its fields.
                && (named || all_words(&fields(&own)) == all_words(&names))
        };
        let is_named_after = |entity: &&'a Arc<Entity>| {
            let own = words(&entity.name);
            own == last || own == head
        };
        let candidates = || self.entities.iter().filter(fits);
        candidates().find(is_named_after).or_else(|| candidates().next()).map(Arc::as_ref)
    }

    /// The noun of an entity below its parent, without the parent's words: `items` for `OrderItem`.
    fn noun(&self, root: Option<&Entity>, own: &[String], is_one: bool) -> String {
        let above = root.map(|root| words(&root.name)).unwrap_or_default();
        let rest = own.strip_prefix(above.as_slice()).filter(|rest| !rest.is_empty()).unwrap_or(own);
        if is_one { joined(rest) } else { plural(rest) }
    }
}

/// The templates of an entity's key in its table.
pub(super) fn table_key(entity: &Entity) -> (Vec<&Template>, Vec<&Template>) {
    (vec![&entity.key.partition], entity.key.sort.iter().collect())
}

/// The fields of templates, each once.
pub(super) fn fields<'t>(templates: &[&'t Template]) -> Vec<&'t str> {
    let mut names: Vec<&str> = Vec::new();
    for name in templates.iter().flat_map(|template| template.parts.iter().filter_map(plain)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The fields of a sort key that aren't in the partition key, with those that only choose a shard.
fn own_fields<'t>(partition: &[&'t Template], sort: &[&'t Template]) -> Vec<&'t str> {
    let above = fields(partition);
    fields(sort).into_iter().filter(|field| !above.contains(field)).collect()
}

/// The field of a part; a shard follows from a field that stands elsewhere.
fn plain(part: &Part) -> Option<&str> {
    match part {
        Part::Field { path, .. } => Some(path),
        Part::Literal(_) | Part::Shard { .. } => None,
    }
}

/// Stands for a field in a shape.
const HOLE: &str = "{}";

/// The text of a partition key without the names of its fields and without shards: `POST#{}`.
fn shape(partition: &[&Template]) -> String {
    let mut text = String::new();
    for template in partition {
        for part in &template.parts {
            match part {
                Part::Literal(literal) => text.push_str(literal),
                Part::Field { .. } => text.push_str(HOLE),
                Part::Shard { .. } => {}
            }
        }
        text.push('\n');
    }
    let end = |letter: char| !letter.is_alphanumeric() && letter != '}';
    text.trim_end_matches(end).to_owned()
}

/// The words of a field without `id` at the end.
fn without_id(mut words: Vec<String>) -> Vec<String> {
    if words.len() > 1 && words.last().is_some_and(|word| word == "id") {
        words.pop();
    }
    words
}
