//! Planning updates: derived attributes are made anew in the same write, from given values if those suffice.

use singlet_design::{Entity, Part, Reference, Template, Unique, Update, default_of};
use singlet_store::{ReturnItem, Store, TransactAction, UpdateItem};
use singlet_values::{AttributeValue, Item};

use super::bounds::{self, SumBound};
use super::edit::{self, Edit, Verb};
use super::guard::Guard;
use super::list::{self, EntryBound};
use super::plan::{Answer, Planned, Presence, Purpose, WritePlan};
use super::planner::{Planner, calculates, guard_of};
use super::retry::Setback;
use super::{WriteStep, change, element};
use crate::derive::{self, Derived};
use crate::error::RunError;
use crate::expiry;
use crate::keys::table_key;

/// The values that an update relies on, once they are known.
struct Ground<'a> {
    before: Option<Item>,
    after: Item,
    edits: Vec<Edit>,
    guard: Guard,
    uniques: Vec<&'a Unique>,
    /// References that the update writes.
    references: Vec<&'a Reference>,
}

impl<S: Store> Planner<'_, S> {
    /// The plan of an update.
    pub(super) async fn update<'a>(
        &self,
        step: &WriteStep<'a, '_>,
        update: &'a Update,
    ) -> Result<WritePlan<'a>, Setback> {
        let entity = &update.entity;
        let source = self.source(step);
        let key = table_key(entity, step.bound)?;
        let edits = change::edits(update, &source)?;
        let derived = touched(entity, &edits);
        let mut ground = self.ground(step, update, &key, edits, &derived).await?;
        for derived in &derived {
            match derived.value(entity, &ground.after)? {
                Some(value) => {
                    ground.after.insert(derived.attribute, value.clone());
                    ground.edits.push(Edit { path: derived.attribute.to_owned(), verb: Verb::Set(value) });
                }
                None => {
                    ground.after.remove(derived.attribute);
                    ground.edits.push(Edit::remove(derived.attribute));
                }
            }
        }
        let mut expectation = self.expect(step, entity, Presence::Present, update.condition.as_ref());
        expectation.guard = ground.guard;
        self.decide(step, &mut expectation, ground.before.as_ref())?;
        expectation.parents = parents(&ground.edits);
        expectation.sums = SumBound::of(entity, &ground.edits);
        expectation.rooms = EntryBound::of(entity, &ground.edits);
        let mut actions = vec![Planned {
            action: TransactAction::Update(UpdateItem {
                table: self.site.table_name(&entity.table).to_owned(),
                key,
                update: edit::update(&ground.edits),
                condition: self.condition(step, &mut expectation)?,
                returned: ReturnItem::New,
            }),
            meaning: Purpose::Item(expectation),
        }];
        let after = Some(&ground.after);
        actions.extend(self.reserve(entity, &ground.uniques, ground.before.as_ref(), after).await?);
        let referring = derive::with_defaults(entity, &ground.after);
        self.check_references(ground.references, &referring, &mut actions)?;
        Ok(WritePlan { actions, entity, known: ground.after, answer: Answer::Stored })
    }

    /// Finds out what an update has to know, by reading the item only if the given values don't tell.
    async fn ground<'a>(
        &self,
        step: &WriteStep<'_, '_>,
        update: &'a Update,
        key: &Item,
        mut edits: Vec<Edit>,
        derived: &[Derived<'_>],
    ) -> Result<Ground<'a>, Setback> {
        let entity = &update.entity;
        let in_key = settled_by_key(entity);
        let is_computed = |path: &str| derived.iter().any(|one| one.is_computed() && one.attribute == path);
        let settled = |path: &str| {
            in_key.contains(&path) || is_computed(path) || edits.iter().any(|edit| edit.settles(path))
        };
        let references = written_references(update, &edits);
        let referred = references.iter().flat_map(|reference| reference.fields());
        let needed = derived.iter().flat_map(|derived| derived.fields()).chain(step.wanted.iter().copied());
        let needed = needed.chain(referred);
        let growing = bounds::growing_sets(entity, &edits);
        let needed = needed.chain(growing.iter().map(String::as_str));
        let unsettled: Vec<&str> = needed.filter(|path| !settled(path)).collect();
        let uniques = touched_uniques(entity, &edits, derived);
        let by_element = update.changes.iter().any(|change| change::is_element(entity, change));
        let lacks_map = self.is_repeated && !list::edited_maps(entity, &edits).is_empty();
        let mut after = Item::new();
        let reads = by_element || lacks_map || calculates(update.condition.as_ref());
        if unsettled.is_empty() && uniques.is_empty() && !reads {
            for path in in_key {
                if let Some(value) = step.bound.get(path) {
                    after.insert(path, value.clone());
                }
            }
            after.extend(key.iter().map(|(name, value)| (name, value.clone())));
            spread(&edits, &mut after)?;
            edits.extend(fill(entity, plain_keys(entity, &edits), &edits, &after));
            return Ok(Ground { before: None, after, edits, guard: Guard::default(), uniques, references });
        }
        let before = self.read(entity, key.clone()).await?;
        let before = before.filter(|item| !expiry::is_expired(&entity.table, item, self.now_ms / 1000));
        let before = before.ok_or_else(|| RunError::Missing { entity: entity.name.clone() })?;
        self.admit(step, entity, Some(&before))?;
        self.refuse(step, update, &before)?;
        let mut guard = guard_of(entity, &uniques, Some(&before));
        unsettled.iter().for_each(|path| guard.keep(&before, path));
        list::make_maps(entity, &mut edits, &before, &mut guard)?;
        after = before.clone();
        edits.iter().try_for_each(|edit| edit.apply(&mut after))?;
        bounds::check_sets(entity, &growing, &after)?;
        for change in update.changes.iter().filter(|change| change::is_element(entity, change)) {
            let source = self.source(step);
            let rest = list::without_elements(entity, change, &source, &before, &mut guard, &mut after)?;
            edits.extend(rest);
            edits.extend(element::edits(entity, change, &source, &before, &mut guard, &mut after)?);
        }
        let reserved = uniques.iter().flat_map(|unique| unique.fields.iter().map(String::as_str));
        let deciding = derived.iter().flat_map(|derived| derived.fields()).chain(reserved);
        let filled = fill(entity, deciding.chain(plain_keys(entity, &edits)), &edits, &after);
        filled.iter().try_for_each(|edit| edit.apply(&mut after))?;
        edits.extend(filled);
        Ok(Ground { before: Some(before), after, edits, guard, uniques, references })
    }

    /// Refuses an item for which the condition doesn't hold, before anything is said about values that don't fit.
    fn refuse(&self, step: &WriteStep<'_, '_>, update: &Update, before: &Item) -> Result<(), RunError> {
        let entity = &update.entity;
        let mut expectation = self.expect(step, entity, Presence::Present, update.condition.as_ref());
        self.decide(step, &mut expectation, Some(before))?;
        self.condition(step, &mut expectation)?;
        expectation.refused_by(before).map_or(Ok(()), Err)
    }
}

/// The derived attributes that edits can change, directly or through a computed field.
pub(super) fn touched<'a>(entity: &'a Entity, edits: &[Edit]) -> Vec<Derived<'a>> {
    let mut touched: Vec<Derived<'a>> = Vec::new();
    for derived in derive::derived(entity) {
        let by_edit = edits.iter().any(|edit| derived.touched_by(&edit.path));
        if by_edit || touched.iter().any(|one| one.is_computed() && derived.touched_by(one.attribute)) {
            touched.push(derived);
        }
    }
    touched
}

/// The unique constraints whose reservations edits can change. Reservations expire with their holder, so they follow
/// its time to live as well.
pub(super) fn touched_uniques<'a>(
    entity: &'a Entity,
    edits: &[Edit],
    derived: &[Derived<'_>],
) -> Vec<&'a Unique> {
    let ttl = entity.table.ttl.as_deref();
    let lifetime = derived.iter().any(|derived| Some(derived.attribute) == ttl)
        || edits.iter().any(|edit| Some(edit.path.as_str()) == ttl);
    let touches = |unique: &&Unique| {
        let field = |field: &String| {
            edits.iter().any(|edit| derive::paths_meet(field, &edit.path))
                || derived.iter().any(|derived| derived.is_computed() && derived.attribute == field)
        };
        lifetime || unique.fields.iter().any(field)
    };
    entity.unique.iter().filter(touches).collect()
}

/// The fields that are index keys as they are, beside those that edits change.
pub(super) fn plain_keys<'a>(entity: &'a Entity, edits: &[Edit]) -> Vec<&'a str> {
    edits.iter().flat_map(|edit| derive::plain_keys_touched_by(entity, &edit.path)).collect()
}

/// Writes the defaults of fields that an old item lacks and that keys and reservations are made from. So these follow
/// from what is stored, even if the default changes later.
pub(super) fn fill<'a>(
    entity: &Entity,
    paths: impl IntoIterator<Item = &'a str>,
    edits: &[Edit],
    after: &Item,
) -> Vec<Edit> {
    let mut filled: Vec<Edit> = Vec::new();
    for name in paths.into_iter().filter_map(|path| path.split('.').next()) {
        let is_known = after.contains(name)
            || edits.iter().chain(&filled).any(|edit| derive::paths_meet(name, &edit.path));
        if !is_known && let Some(default) = entity.field(name).and_then(default_of) {
            filled.push(Edit { path: name.to_owned(), verb: Verb::Fill(default) });
        }
    }
    filled
}

/// The references that edits give another value.
fn written_references<'a>(update: &'a Update, edits: &[Edit]) -> Vec<&'a Reference> {
    let is_set = |own: &str| edits.iter().any(|edit| derive::paths_meet(own, &edit.path));
    update.must_exist.iter().filter(|reference| reference.fields().any(is_set)).collect()
}

/// The objects that edits reach into. Without them, there is nothing to change.
fn parents(edits: &[Edit]) -> Vec<String> {
    let mut parents: Vec<String> = edits
        .iter()
        .filter(|edit| !edit.path.contains('['))
        .filter_map(|edit| edit.path.rsplit_once('.').map(|(parent, _)| parent.to_owned()))
        .collect();
    parents.sort_unstable();
    parents.dedup();
    parents
}

/// The part of the item that the edits alone determine; objects that they reach into are made up. The values that are
/// added to aren't known.
fn spread(edits: &[Edit], after: &mut Item) -> Result<(), RunError> {
    for edit in edits.iter().filter(|edit| matches!(edit.verb, Verb::Set(_) | Verb::Remove)) {
        let parents = edit.path.rsplit_once('.').map(|(parents, _)| parents);
        let mut target = &mut *after;
        for name in parents.into_iter().flat_map(|parents| parents.split('.')) {
            if !target.contains(name) {
                target.insert(name, Item::new());
            }
            match target.get_mut(name) {
                Some(AttributeValue::M(members)) => target = members,
                _ => break,
            }
        }
        edit.apply(after)?;
    }
    Ok(())
}

/// Fields whose values the table's key tells exactly: written as they are, and parted from each other by the
/// separator, which no value contains.
fn settled_by_key(entity: &Entity) -> Vec<&str> {
    let templates = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    templates.flat_map(|template| told_by(template, entity.table.separator)).collect()
}

fn told_by(template: &Template, separator: char) -> Vec<&str> {
    let mut told = Vec::new();
    let mut is_parted = true;
    for part in &template.parts {
        match part {
            Part::Literal(text) => is_parted |= text.contains(separator),
            _ if !is_parted => return Vec::new(),
            Part::Field { path, format } if format.keeps_all() && !path.contains('.') => {
                is_parted = false;
                told.push(path.as_str());
            }
            Part::Field { .. } | Part::Shard { .. } => is_parted = false,
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_tells_a_field_only_if_it_could_hold_no_other_value() {
        let told = |source: &str| -> Vec<String> {
            let template = Template::parse(source).unwrap();
            told_by(&template, '#').into_iter().map(str::to_owned).collect()
        };
        assert_eq!(told("{user_id}"), ["user_id"]);
        assert_eq!(told("A#{user_id}#B#{rank:06}"), ["user_id", "rank"]);
        assert_eq!(told("A#{name:fold}#{user_id}"), ["user_id"]);
        assert_eq!(told("A#{shard:user_id/4}"), [""; 0]);
        assert_eq!(told("{first}-{second}"), [""; 0], "a-b-c could be read in two ways");
    }
}
