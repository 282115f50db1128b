//! From a step to its plan: one function for each operation. (Updates stand in their own file.)

use std::sync::Arc;

use singlet_design::{Condition, Entity, Insert, Operation, Unique, default_of};
use singlet_expr::{self as expr, Path};
use singlet_store::{DeleteItem, GetItem, PutItem, ReturnItem, Store, TransactAction};
use singlet_values::{EncodedItem, Item};

use super::bounds::SumBound;
use super::guard::Guard;
use super::list::EntryBound;
use super::plan::{Answer, Expectation, Planned, Presence, Purpose, WritePlan};
use super::retry::Setback;
use super::supplier::Supplier;
use super::{WriteStep, unique};
use crate::call::Site;
use crate::conditions::Asked;
use crate::error::RunError;
use crate::keys::table_key;
use crate::rights::Rights;
use crate::{derive, expiry};

/// Plans the writes of one call.
pub(super) struct Planner<'r, S> {
    pub(super) site: &'r Site<S>,
    pub(super) now_ms: u64,
    /// Whether an earlier attempt met another write.
    pub(super) is_repeated: bool,
    /// The rights of the one who calls.
    pub(super) rights: &'r Rights,
}

impl<S: Store> Planner<'_, S> {
    /// The plan of a step, with the present items of the table.
    pub(super) async fn plan<'a>(&self, step: &WriteStep<'a, '_>) -> Result<WritePlan<'a>, Setback> {
        match &step.pattern.operation {
            Operation::Create(insert) => self.create(step, insert).await,
            Operation::Put(insert) => self.put(step, insert).await,
            Operation::Update(update) => match &update.first {
                Some(first) => self.upsert(step, update, first).await,
                None => self.update(step, update).await,
            },
            Operation::Delete(delete) => self.delete(step, &delete.entity, delete.condition.as_ref()).await,
            Operation::Check(check) => self.check(step, &check.entity, check.condition.as_ref()).await,
            Operation::Get(get) => self.look(step, get).await,
            _ => Err(Setback::Failed(RunError::Limit(format!(
                "{} reads several items, which can't stand in a transaction",
                step.pattern.name
            )))),
        }
    }

    async fn create<'a>(
        &self,
        step: &WriteStep<'a, '_>,
        insert: &'a Insert,
    ) -> Result<WritePlan<'a>, Setback> {
        let entity = &insert.entity;
        let item = self.whole(step, insert)?;
        let expectation = self.expect(step, entity, Presence::Absent, insert.condition.as_ref());
        let uniques: Vec<&Unique> = entity.unique.iter().collect();
        let mut actions = vec![self.put_action(step, item.clone(), expectation)?];
        actions.extend(self.reserve(entity, &uniques, None, Some(&item)).await?);
        self.check_references(&insert.must_exist, &item, &mut actions)?;
        Ok(WritePlan { actions, entity, known: item, answer: Answer::Planned })
    }

    async fn put<'a>(&self, step: &WriteStep<'a, '_>, insert: &'a Insert) -> Result<WritePlan<'a>, Setback> {
        let entity = &insert.entity;
        let item = self.whole(step, insert)?;
        let mut expectation = self.expect(step, entity, Presence::Any, insert.condition.as_ref());
        let uniques: Vec<&Unique> = entity.unique.iter().collect();
        let mut before = None;
        if !uniques.is_empty() || calculates(insert.condition.as_ref()) {
            before = self.read(entity, unique::key_of(&entity.table, &item)).await?;
            self.admit(step, entity, before.as_ref())?;
            expectation.guard = guard_of(entity, &uniques, before.as_ref());
            self.decide(step, &mut expectation, before.as_ref())?;
        }
        let mut actions = vec![self.put_action(step, item.clone(), expectation)?];
        actions.extend(self.reserve(entity, &uniques, before.as_ref(), Some(&item)).await?);
        self.check_references(&insert.must_exist, &item, &mut actions)?;
        Ok(WritePlan { actions, entity, known: item, answer: Answer::Planned })
    }

    async fn delete<'a>(
        &self,
        step: &WriteStep<'a, '_>,
        entity: &'a Arc<Entity>,
        condition: Option<&'a Condition>,
    ) -> Result<WritePlan<'a>, Setback> {
        let key = table_key(entity, step.bound)?;
        let uniques: Vec<&Unique> = entity.unique.iter().collect();
        let mut expectation = self.expect(step, entity, Presence::Any, condition);
        let looks = !uniques.is_empty() || step.composed || calculates(condition);
        let before = if looks { self.read(entity, key.clone()).await? } else { None };
        if looks {
            self.admit(step, entity, before.as_ref())?;
            expectation.guard = guard_of(entity, &uniques, before.as_ref());
            self.decide(step, &mut expectation, before.as_ref())?;
        }
        if let Some(before) = &before {
            step.wanted.iter().for_each(|path| expectation.guard.keep(before, path));
        }
        let mut actions = vec![Planned {
            action: TransactAction::Delete(DeleteItem {
                table: self.site.table_name(&entity.table).to_owned(),
                key,
                condition: self.condition(step, &mut expectation)?,
                returned: ReturnItem::Old,
            }),
            meaning: Purpose::Item(expectation),
        }];
        actions.extend(self.reserve(entity, &uniques, before.as_ref(), None).await?);
        Ok(WritePlan {
            actions,
            entity,
            known: before.unwrap_or_default(),
            answer: Answer::Deleted { now_ms: self.now_ms },
        })
    }

    async fn check<'a>(
        &self,
        step: &WriteStep<'a, '_>,
        entity: &'a Arc<Entity>,
        condition: Option<&'a Condition>,
    ) -> Result<WritePlan<'a>, Setback> {
        let key = table_key(entity, step.bound)?;
        let mut expectation = self.expect(step, entity, Presence::Present, condition);
        let mut known = key.clone();
        if !step.wanted.is_empty() || calculates(condition) {
            known = self
                .read(entity, key.clone())
                .await?
                .ok_or_else(|| RunError::Missing { entity: entity.name.clone() })?;
            self.admit(step, entity, Some(&known))?;
            step.wanted.iter().for_each(|path| expectation.guard.keep(&known, path));
            self.decide(step, &mut expectation, Some(&known))?;
        }
        let condition = self.condition(step, &mut expectation)?;
        let action = TransactAction::Check {
            table: self.site.table_name(&entity.table).to_owned(),
            key,
            condition: condition.unwrap_or_else(|| expiry::present(&entity.table, self.now_ms / 1000)),
        };
        let actions = vec![Planned { action, meaning: Purpose::Item(expectation) }];
        Ok(WritePlan { actions, entity, known, answer: Answer::Checked })
    }

    /// The whole item of a create or put.
    fn whole(&self, step: &WriteStep<'_, '_>, insert: &Insert) -> Result<Item, RunError> {
        let mut item = self.source(step).fields(insert)?;
        derive::complete(&insert.entity, &mut item)?;
        Ok(item)
    }

    pub(super) fn source<'s>(&'s self, step: &'s WriteStep<'_, '_>) -> Supplier<'s> {
        Supplier { bound: step.bound, entropy: &*self.site.entropy, now_ms: self.now_ms }
    }

    /// The item under a key, as it is now.
    pub(super) async fn read(&self, entity: &Entity, key: Item) -> Result<Option<Item>, Setback> {
        let table = self.site.table_name(&entity.table).to_owned();
        let get = GetItem { table, key, consistent: true, projection: None };
        self.site
            .store
            .get(get)
            .await?
            .item
            .map(|item| item.decode().map_err(|_| super::unreadable().into()))
            .transpose()
    }

    pub(super) fn expect<'a>(
        &self,
        step: &WriteStep<'a, '_>,
        entity: &'a Entity,
        presence: Presence,
        condition: Option<&'a Condition>,
    ) -> Expectation<'a> {
        let rule = self.rule(step).cloned();
        Expectation { rule, ..self.expectation(step.label, entity, presence, condition) }
    }

    /// The same for a write of this name.
    pub(super) fn expectation<'a>(
        &self,
        label: &'a str,
        entity: &'a Entity,
        presence: Presence,
        condition: Option<&'a Condition>,
    ) -> Expectation<'a> {
        let now_second = self.now_ms / 1000;
        let (guard, parents, sums) = (Guard::default(), Vec::new(), Vec::new());
        Expectation {
            entity,
            label,
            presence,
            either_way: false,
            guard,
            parents,
            sums,
            rooms: Vec::new(),
            condition,
            decided: None,
            bound: None,
            rule: None,
            now_second,
        }
    }

    /// The condition under which the caller reaches the item of a step.
    fn rule(&self, step: &WriteStep<'_, '_>) -> Option<&expr::Condition> {
        self.rights.of_step(step.composed.then_some(step.label))
    }

    /// Refuses an item that the caller may not reach, before anything is said about it. It is the same as a missing one.
    pub(super) fn admit(
        &self,
        step: &WriteStep<'_, '_>,
        entity: &Entity,
        before: Option<&Item>,
    ) -> Result<(), RunError> {
        let Some((rule, before)) = self.rule(step).zip(before) else { return Ok(()) };
        if expiry::is_expired(&entity.table, before, self.now_ms / 1000)
            || rule.matches(EncodedItem::encode(before).view())
        {
            return Ok(());
        }
        Err(RunError::Missing { entity: entity.name.clone() })
    }

    pub(super) fn put_action<'a>(
        &self,
        step: &WriteStep<'_, '_>,
        item: Item,
        mut expectation: Expectation<'a>,
    ) -> Result<Planned<'a>, RunError> {
        Ok(Planned {
            action: TransactAction::Put(PutItem {
                table: self.site.table_name(&expectation.entity.table).to_owned(),
                item,
                condition: self.condition(step, &mut expectation)?,
                returned: ReturnItem::None,
            }),
            meaning: Purpose::Item(expectation),
        })
    }

    /// Returns the actions on the reservations of an item.
    pub(super) async fn reserve<'a>(
        &self,
        entity: &'a Entity,
        uniques: &[&'a Unique],
        before: Option<&Item>,
        after: Option<&Item>,
    ) -> Result<Vec<Planned<'a>>, Setback> {
        let table = self.site.table_name(&entity.table);
        let mut actions = unique::moves(entity, uniques, table, self.now_ms / 1000, before, after);
        if self.is_repeated {
            for planned in &mut actions {
                self.leave_to_holder(entity, planned).await?;
            }
        }
        Ok(actions)
    }

    /// Leaves a value where it is, instead of giving it back, if another item holds it: it was taken over after this
    /// item had expired. That is rare, so it is looked at only after an attempt to give the value back.
    async fn leave_to_holder(&self, entity: &Entity, planned: &mut Planned<'_>) -> Result<(), Setback> {
        let TransactAction::Delete(DeleteItem { table, key, condition: Some(own), .. }) = &planned.action
        else {
            return Ok(());
        };
        let there = self.read(entity, key.clone()).await?;
        if there.is_some_and(|item| !own.matches(EncodedItem::encode(&item).view())) {
            let (table, key, condition) = (table.clone(), key.clone(), own.clone().negated());
            planned.action = TransactAction::Check { table, key, condition };
        }
        Ok(())
    }

    /// Everything that an expectation demands, as one condition. Keeps the pattern's own part of it.
    pub(super) fn condition(
        &self,
        step: &WriteStep<'_, '_>,
        expectation: &mut Expectation<'_>,
    ) -> Result<Option<expr::Condition>, RunError> {
        let entity = expectation.entity;
        let asked = expectation.decided.as_ref().or(expectation.condition);
        let own = asked.map(|condition| self.asking(step, entity, &mut |asked| asked.bind(condition)));
        expectation.bound = own.transpose()?.flatten();
        let own = expectation.bound.clone();
        let presence = match expectation.presence {
            Presence::Absent => Some(expiry::absent(&entity.table, expectation.now_second)),
            Presence::Present => Some(expiry::present(&entity.table, expectation.now_second)),
            Presence::Any => None,
        };
        let rule =
            expectation.rule.clone().and_then(|rule| match (expectation.presence, &step.pattern.operation) {
                (Presence::Absent, _) => None,
                // A put creates an item that isn't there.
                (_, Operation::Put(_)) => {
                    Some(expiry::absent(&entity.table, expectation.now_second).or(rule))
                }
                _ => Some(rule),
            });
        let parents = expectation.parents.iter().map(|parent| expr::Condition::exists(Path::dotted(parent)));
        let sums = expectation.sums.iter().filter_map(SumBound::condition);
        let rooms = expectation.rooms.iter().map(EntryBound::condition);
        let guards = expectation.guard.conditions(&entity.table.partition.name);
        Ok(expr::Condition::all(
            presence.into_iter().chain(rule).chain(parents).chain(sums).chain(rooms).chain(guards).chain(own),
        ))
    }

    /// Gives the values and types of a condition of this step.
    fn asking<T>(
        &self,
        step: &WriteStep<'_, '_>,
        entity: &Entity,
        ask: &mut dyn FnMut(&Asked<'_>) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        ask(&Asked {
            field: &|path| entity.field_at(path).cloned(),
            argument: &|parameter| step.bound.get(parameter).cloned(),
            default: &|name| default_of(entity.field(name)?),
            now_ms: self.now_ms,
            key: Some(&entity.table.partition.name),
        })
    }

    /// Decides the comparisons of a condition that calculate with fields by the item that was read. The fields must then
    /// stay as they are.
    pub(super) fn decide(
        &self,
        step: &WriteStep<'_, '_>,
        expectation: &mut Expectation<'_>,
        before: Option<&Item>,
    ) -> Result<(), RunError> {
        let (Some(condition), entity) = (expectation.condition, expectation.entity) else { return Ok(()) };
        let fields = condition.tree.computed_fields();
        if fields.is_empty() {
            return Ok(());
        }
        match before {
            Some(before) => fields.iter().for_each(|path| expectation.guard.keep(before, path)),
            None => expectation.guard = Guard::absent(),
        }
        let whole = before.map(|before| derive::with_defaults(entity, before));
        expectation.decided =
            self.asking(step, entity, &mut |asked| asked.decided(condition, whole.as_deref()))?;
        Ok(())
    }
}

/// Whether a condition has a comparison that calculates with fields, so that the item must be read before.
pub(super) fn calculates(condition: Option<&Condition>) -> bool {
    condition.is_some_and(|condition| !condition.tree.computed_fields().is_empty())
}

/// Unique fields must stay as they were read: the reservations that are given back are those of these values. So must
/// the time to live, which reservations share with their holder.
pub(super) fn guard_of(entity: &Entity, uniques: &[&Unique], before: Option<&Item>) -> Guard {
    let Some(before) = before else { return Guard::absent() };
    let mut guard = Guard::default();
    for field in uniques.iter().flat_map(|unique| &unique.fields) {
        guard.keep(before, field);
    }
    if let (Some(attribute), false) = (&entity.table.ttl, uniques.is_empty()) {
        guard.keep(before, attribute);
    }
    guard
}
