//! The requests of a write: whether its item is read first, and whether it is a transaction.

use crate::condition::Condition;
use crate::field::{FieldType, Made};
use crate::model::{Change, EachList, Entity, Operation, Pattern, Step, Transaction, Update, ValueSource};
use crate::template::{Format, Part, Template};

/// The requests of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteRequests {
    /// The item is read before it is written.
    pub reads: bool,
    /// It is written together with reservations or checks of references, in a transaction.
    pub together: bool,
}

impl Pattern {
    /// Returns the different requests of a write of one item: with the fewest changes that a caller may give, and with all.
    pub fn write_variants(&self) -> Vec<WriteRequests> {
        let mut variants = Vec::new();
        if let Operation::Update(update) = &self.operation {
            let is_required = |value: &ValueSource| match value {
                ValueSource::Parameter(name) => {
                    self.parameters.iter().any(|one| one.name == *name && one.required)
                }
                _ => true,
            };
            let least = Changed::of(update, &is_required);
            match least.is_empty {
                false => variants.push(least.requests(update, &[])),
                // The caller gives at least one of them.
                true => variants.extend(update.changes.iter().filter_map(Change::value).map(|given| {
                    Changed::of(update, &|value| std::ptr::eq(value, given)).requests(update, &[])
                })),
            }
        }
        variants.push(self.write_requests());
        let mut different: Vec<WriteRequests> = Vec::new();
        variants.retain(|one| {
            let is_new = !different.contains(one);
            different.push(*one);
            is_new
        });
        variants
    }

    /// Returns the requests of a write of one item whose caller gives every change.
    pub fn write_requests(&self) -> WriteRequests {
        let refers = !self.checked_references().is_empty();
        let calculated = |condition: &Option<Condition>| calculates(condition.as_ref());
        match &self.operation {
            Operation::Create(insert) => {
                WriteRequests { reads: false, together: refers || !insert.entity.unique.is_empty() }
            }
            Operation::Put(insert) => {
                let reserves = !insert.entity.unique.is_empty();
                WriteRequests {
                    reads: reserves || calculated(&insert.condition),
                    together: refers || reserves,
                }
            }
            Operation::Update(update) => Changed::of(update, &|_| true).requests(update, &[]),
            Operation::Delete(delete) => {
                let reserves = !delete.entity.unique.is_empty();
                WriteRequests { reads: reserves || calculated(&delete.condition), together: reserves }
            }
            Operation::Check(check) => WriteRequests { reads: calculated(&check.condition), together: true },
            _ => WriteRequests::default(),
        }
    }
}

impl Transaction {
    /// Returns whether an item of a step is read before the transaction.
    pub fn reads_first(&self, step: &Step) -> bool {
        let wanted: Vec<&str> = self.steps.iter().flat_map(|other| other.taken_of(&step.name)).collect();
        match &step.pattern.operation {
            Operation::Get(_) | Operation::Delete(_) => true,
            Operation::Check(_) if !wanted.is_empty() => true,
            Operation::Update(update) => Changed::of(update, &|_| true).requests(update, &wanted).reads,
            _ => step.pattern.write_requests().reads,
        }
    }
}

impl Step {
    /// Returns the fields of another step that this one takes, its list included.
    fn taken_of<'s>(&'s self, step: &'s str) -> impl Iterator<Item = &'s str> {
        let list = self.each.as_ref().and_then(|each| match &each.list {
            EachList::Result(name, field) => Some((name.as_str(), field.as_str())),
            EachList::Parameter(_) => None,
        });
        let results = self.bindings.iter().flat_map(|binding| binding.argument.results()).chain(list);
        results.filter(move |(name, _)| *name == step).map(|(_, field)| field)
    }
}

/// The paths that an update changes.
struct Changed<'a> {
    entity: &'a Entity,
    paths: Vec<&'a str>,
    /// Those of them whose value is known afterwards, whatever it was.
    settled: Vec<&'a str>,
    /// Nothing is changed but the time of the last write.
    is_empty: bool,
}

impl<'a> Changed<'a> {
    fn of(update: &'a Update, is_given: &dyn Fn(&ValueSource) -> bool) -> Changed<'a> {
        let entity = &*update.entity;
        let mut changed = Changed { entity, paths: Vec::new(), settled: Vec::new(), is_empty: false };
        for change in &update.changes {
            match change {
                Change::Set { path, value } if is_given(value) => changed.settle(path),
                Change::Remove { path } => changed.settle(path),
                Change::Add { path, value } | Change::Subtract { path, value } if is_given(value) => {
                    changed.paths.push(path);
                }
                Change::InsertElement(one) | Change::ChangeElement(one) | Change::DropElement(one) => {
                    changed.paths.push(&one.field);
                }
                Change::Set { .. } | Change::Add { .. } | Change::Subtract { .. } => {}
            }
        }
        changed.is_empty = changed.paths.is_empty();
        let updated = entity.fields.iter().filter(|field| field.made == Some(Made::Updated));
        updated.for_each(|field| changed.settle(&field.name));
        changed
    }

    fn settle(&mut self, path: &'a str) {
        self.paths.push(path);
        self.settled.push(path);
    }

    fn requests(mut self, update: &'a Update, wanted: &[&str]) -> WriteRequests {
        let entity = self.entity;
        let mut needed: Vec<&str> = Vec::new();
        for (name, _) in &entity.computed {
            if entity.sources(name).any(|source| self.meets(source)) {
                needed.extend(entity.sources(name));
                self.settle(name);
            }
        }
        for entry in &entity.indexes {
            let templates = entry.partition.iter().chain(&entry.sort).flat_map(Template::fields);
            let fields: Vec<&str> =
                templates.chain(entry.when.iter().map(|when| when.field.as_str())).collect();
            if fields.iter().any(|field| self.meets(field)) {
                needed.extend(fields);
            }
        }
        let expires = entity.ttl.as_ref().filter(|ttl| self.meets(&ttl.field)).is_some();
        let unique = |fields: &[String]| fields.iter().any(|field| self.meets(field));
        let reserves = entity.unique.iter().any(|unique_value| expires || unique(&unique_value.fields));
        let written = update.must_exist.iter().filter(|one| one.fields().any(|field| self.meets(field)));
        let written: Vec<_> = written.collect();
        needed.extend(written.iter().flat_map(|one| one.fields()));
        needed.extend(wanted);
        let looks = update.changes.iter().any(|change| looks(entity, change));
        let unsettled = needed.iter().any(|path| !self.settles(path));
        WriteRequests {
            reads: reserves || looks || unsettled || calculates(update.condition.as_ref()),
            together: reserves || !written.is_empty(),
        }
    }

    /// Whether a change reaches what a path leads to.
    fn meets(&self, field: &str) -> bool {
        self.paths.iter().any(|path| leads_into(path, field) || leads_into(field, path))
    }

    fn settles(&self, field: &str) -> bool {
        self.settled.iter().any(|path| leads_into(path, field)) || in_key(self.entity, field)
    }
}

/// Whether a path is another one or leads into it.
fn leads_into(outer: &str, inner: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether the item's key tells the value of a field.
fn in_key(entity: &Entity, field: &str) -> bool {
    let templates = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    templates.flat_map(|template| &template.parts).any(|part| match part {
        Part::Field { path, format: Format::Plain | Format::Padded { .. } } => path == field,
        _ => false,
    })
}

/// Whether a change must see the item: single elements of a list, and sets with a bound.
fn looks(entity: &Entity, change: &Change) -> bool {
    match change {
        Change::InsertElement(_) | Change::ChangeElement(_) | Change::DropElement(_) => true,
        Change::Subtract { path, .. } => matches!(entity.field_at(path), Some(FieldType::List { .. })),
        Change::Add { path, .. } => {
            matches!(entity.field_at(path), Some(FieldType::Set { max: Some(_), .. }))
        }
        Change::Set { .. } | Change::Remove { .. } => false,
    }
}

/// Whether a condition has a comparison that calculates with fields.
fn calculates(condition: Option<&Condition>) -> bool {
    condition.is_some_and(|condition| !condition.tree.computed_fields().is_empty())
}
