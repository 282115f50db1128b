//! Counters and sums that a design declares: a transaction that creates an item and adds to a field of another one.
//!
//! Parents are made before their children, so the data is made twice: first to add up, then to be written. Both times it
//! is the same, because it follows from the seed.

use std::collections::HashMap;

use singlet_design::{
    Argument, Change, Design, Entity, Insert, Json, Operation, Step, ValueSource, to_attribute,
};
use singlet_values::{AttributeValue, Item, Number};

use super::references::text_of;

/// A field that follows from how many items of another entity there are, or from one of their fields.
#[derive(Debug, Clone, PartialEq)]
struct Total {
    parent: String,
    field: String,
    child: String,
    /// The fields that lead from a child to its parent: (of the child, of the parent's key).
    links: Vec<(String, String)>,
    amount: Amount,
}

/// What one child adds.
#[derive(Debug, Clone, PartialEq)]
enum Amount {
    Constant(Number),
    Field(String),
}

/// The totals of a design, with what was counted so far.
#[derive(Debug, Default)]
pub(super) struct Totals {
    declared: Vec<Total>,
    /// By the total's place and the parent's key.
    sums: HashMap<(usize, String), Number>,
}

impl Totals {
    /// What the design's transactions declare.
    pub(super) fn of(design: &Design) -> Totals {
        let mut declared: Vec<Total> = Vec::new();
        for pattern in &design.patterns {
            let Operation::Transaction(transaction) = &pattern.operation else { continue };
            for update in &transaction.steps {
                for create in &transaction.steps {
                    for total in totals(update, create) {
                        let same = |known: &Total| known.parent == total.parent && known.field == total.field;
                        if !declared.iter().any(same) {
                            declared.push(total);
                        }
                    }
                }
            }
        }
        Totals { declared, sums: HashMap::new() }
    }

    /// Whether there is anything to add up.
    pub(super) fn is_empty(&self) -> bool {
        self.declared.is_empty()
    }

    /// Counts an item among the children of its parents.
    pub(super) fn count(&mut self, entity: &Entity, item: &Item) {
        for (place, total) in self.declared.iter().enumerate().filter(|(_, total)| total.child == entity.name)
        {
            let amount = match &total.amount {
                Amount::Constant(number) => Some(*number),
                Amount::Field(field) => match item.get(field) {
                    Some(AttributeValue::N(number)) => Some(*number),
                    _ => None,
                },
            };
            let key = key(item, total.links.iter().map(|(child, _)| child));
            let (Some(amount), Some(key)) = (amount, key) else { continue };
            let sum = self.sums.entry((place, key)).or_insert(Number::ZERO);
            *sum = sum.checked_add(&amount).unwrap_or(*sum);
        }
    }

    /// Gives a parent its totals, where the field's bounds allow them.
    pub(super) fn apply(&self, entity: &Entity, item: &mut Item) {
        for (place, total) in
            self.declared.iter().enumerate().filter(|(_, total)| total.parent == entity.name)
        {
            let Some(key) = key(item, total.links.iter().map(|(_, parent)| parent)) else { continue };
            let sum = self.sums.get(&(place, key)).copied().unwrap_or(Number::ZERO);
            let fits = entity.field(&total.field).map(|field| to_attribute(&field.kind, &Json::Number(sum)));
            if let Some(Ok(value)) = fits {
                item.insert(total.field.as_str(), value);
            }
        }
    }
}

fn key<'n>(item: &Item, fields: impl Iterator<Item = &'n String>) -> Option<String> {
    let parts: Option<Vec<String>> = fields.map(|field| item.get(field).map(text_of)).collect();
    parts.map(|parts| parts.join("\0"))
}

/// What an update adds for each item that another step of the same transaction creates.
fn totals(update: &Step, create: &Step) -> Vec<Total> {
    let (Operation::Update(change), Operation::Create(insert) | Operation::Put(insert)) =
        (&update.pattern.operation, &create.pattern.operation)
    else {
        return Vec::new();
    };
    let parent = &change.entity;
    let child_field = |argument: &Argument| match argument {
        Argument::Result(step, field) if *step == create.name => Some(field.clone()),
        Argument::Parameter(name) => field_of(create, insert, name),
        _ => None,
    };
    let templates = std::iter::once(&parent.key.partition).chain(&parent.key.sort);
    let links: Option<Vec<(String, String)>> = templates
        .flat_map(|template| template.fields())
        .map(|field| Some((child_field(&argument_of(update, field))?, field.to_owned())))
        .collect();
    let Some(links) = links.filter(|_| parent.name != insert.entity.name && update.each.is_none()) else {
        return Vec::new();
    };
    let total = |change: &Change| {
        let Change::Add { path, value } = change else { return None };
        let amount = match value {
            ValueSource::Constant(Json::Number(number)) if !number.is_negative() => Amount::Constant(*number),
            ValueSource::Parameter(name) => Amount::Field(child_field(&argument_of(update, name))?),
            _ => return None,
        };
        Some(Total {
            parent: parent.name.clone(),
            field: path.clone(),
            child: insert.entity.name.clone(),
            links: links.clone(),
            amount,
        })
    };
    change.changes.iter().filter_map(total).collect()
}

/// Where the value of a step's parameter comes from.
fn argument_of(step: &Step, parameter: &str) -> Argument {
    let binding = step.bindings.iter().find(|binding| binding.parameter == parameter);
    binding.map_or_else(|| Argument::Parameter(parameter.to_owned()), |binding| binding.argument.clone())
}

/// The field of the new item that takes the caller's parameter.
fn field_of(create: &Step, insert: &Insert, caller: &str) -> Option<String> {
    let parameters = create.pattern.parameters.iter();
    let mut fed =
        parameters.filter(|inner| argument_of(create, &inner.name) == Argument::Parameter(caller.to_owned()));
    fed.find_map(|inner| {
        let set = insert.set.iter().find(|(_, source)| *source == ValueSource::Parameter(inner.name.clone()));
        let field = set.map_or(&inner.name, |(field, _)| field);
        insert.entity.field(field).map(|field| field.name.clone())
    })
}
