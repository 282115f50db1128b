//! Counters and sums that a design declares: a transaction that creates an item and adds to a field of another one. And
//! those that are named after what they count or average: `likeCount` of a post with likes, `average_rating`.
//!
//! Parents are made before their children, so the data is made twice: first to add up, then to be written. Both times it
//! is the same, because it follows from the seed.

use std::collections::HashMap;

use singlet_design::{
    Argument, Change, Design, Entity, Field, FieldType, Insert, Json, Operation, Step, ValueSource,
    to_attribute,
};
use singlet_values::{AttributeValue, Item, Number};

use super::names::words_of;
use super::references::{identity, text_of};

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

/// The amount that one child adds.
#[derive(Debug, Clone, PartialEq)]
enum Amount {
    Constant(Number),
    Field(String),
    /// The average of a field.
    Average(String),
    /// The product of two fields: price and quantity.
    Product(String, String),
}

/// The totals of a design, with what was counted so far.
#[derive(Debug, Default)]
pub(super) struct Totals {
    declared: Vec<Total>,
    /// By the total's place and the parent's key.
    sums: HashMap<(usize, String), Sum>,
}

/// The sum so far.
#[derive(Debug, Clone, Copy)]
struct Sum {
    total: Number,
    count: u64,
}

impl Totals {
    /// The totals that the design declares or names.
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
        for total in design.entities.iter().flat_map(|parent| named(design, parent)) {
            let same = |known: &Total| known.parent == total.parent && known.field == total.field;
            if !declared.iter().any(same) {
                declared.push(total);
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
            let number = |field: &String| match item.get(field) {
                Some(AttributeValue::N(number)) => Some(*number),
                _ => None,
            };
            let amount = match &total.amount {
                Amount::Constant(number) => Some(*number),
                Amount::Field(field) | Amount::Average(field) => number(field),
                Amount::Product(one, other) => {
                    number(one).zip(number(other)).and_then(|(one, other)| times(&one, &other))
                }
            };
            let key = key(item, total.links.iter().map(|(child, _)| child));
            let (Some(amount), Some(key)) = (amount, key) else { continue };
            let sum = self.sums.entry((place, key)).or_insert(Sum { total: Number::ZERO, count: 0 });
            sum.total = sum.total.checked_add(&amount).unwrap_or(sum.total);
            sum.count += 1;
        }
    }

    /// Gives a parent its totals, where the field's bounds allow them.
    pub(super) fn apply(&self, entity: &Entity, item: &mut Item) {
        for (place, total) in
            self.declared.iter().enumerate().filter(|(_, total)| total.parent == entity.name)
        {
            let Some(key) = key(item, total.links.iter().map(|(_, parent)| parent)) else { continue };
            let sum = self.sums.get(&(place, key)).copied().unwrap_or(Sum { total: Number::ZERO, count: 0 });
            let sum = match total.amount {
                Amount::Average(_) => sum.average(),
                _ => sum.total,
            };
            let fits = entity.field(&total.field).map(|field| to_attribute(&field.kind, &Json::Number(sum)));
            if let Some(Ok(value)) = fits {
                item.insert(total.field.as_str(), value);
            }
        }
    }
}

impl Sum {
    /// The average to one decimal; zero if there is nothing.
    fn average(&self) -> Number {
        let tenths =
            self.total.to_string().parse::<f64>().unwrap_or_default() * 10.0 / self.count.max(1) as f64;
        format!("{:.1}", tenths.round() / 10.0).parse().unwrap_or(Number::ZERO)
    }
}

/// The totals that fields are named after.
fn named(design: &Design, parent: &Entity) -> Vec<Total> {
    parent.fields.iter().filter_map(|field| named_by(design, parent, field)).collect()
}

fn named_by(design: &Design, parent: &Entity, field: &Field) -> Option<Total> {
    // A worker keeps derived fields.
    if field.derived || !matches!(field.kind, FieldType::Int { .. } | FieldType::Number { .. }) {
        return None;
    }
    let words = words_of(&field.name);
    let is = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    let (counts, averages) = (is(&["count", "counter"]), is(&["average", "avg", "mean"]));
    let rest: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !matches!(*word, "count" | "counter" | "total" | "average" | "avg" | "mean"))
        .collect();
    if is(&["total"]) && rest.iter().all(|word| matches!(*word, "price" | "amount" | "sum" | "order")) {
        return total_of_lines(design, parent, field);
    }
    let stem = singular(&rest.concat()).to_owned();
    if stem.is_empty() || counts == averages {
        return None;
    }
    for child in design.entities.iter().filter(|child| child.name != parent.name) {
        let Some(by) = link(parent, child, &stem) else { continue };
        let amount = match counts {
            true => Amount::Constant(Number::from(1)),
            false => Amount::Average(child.field(&stem).filter(|field| is_number(&field.kind))?.name.clone()),
        };
        let (parent_name, child_name) = (parent.name.clone(), child.name.clone());
        let links = vec![(by, identity(parent))];
        return Some(Total {
            parent: parent_name,
            field: field.name.clone(),
            child: child_name,
            links,
            amount,
        });
    }
    None
}

/// The total of an order's lines: price times quantity.
fn total_of_lines(design: &Design, parent: &Entity, field: &Field) -> Option<Total> {
    let relations = parent.relations.iter().filter_map(|relation| Some((relation, relation.by.clone()?)));
    relations.into_iter().find_map(|(relation, by)| {
        let line = design.entities.iter().find(|entity| entity.name == relation.entity)?;
        let number = |name: &str| {
            line.field(name).filter(|field| is_number(&field.kind)).map(|field| field.name.clone())
        };
        let price = number("price").or_else(|| number("unit_price")).or_else(|| number("unitPrice"))?;
        let amount = match number("quantity") {
            Some(quantity) => Amount::Product(price, quantity),
            None => Amount::Field(price),
        };
        Some(Total {
            parent: parent.name.clone(),
            field: field.name.clone(),
            child: line.name.clone(),
            links: vec![(by, identity(parent))],
            amount,
        })
    })
}

/// A price times a whole number.
fn times(price: &Number, quantity: &Number) -> Option<Number> {
    let count = quantity.to_i64().filter(|count| (0..=10_000).contains(count))?;
    let mut total = Number::ZERO;
    for _ in 0..count {
        total = total.checked_add(price).ok()?;
    }
    Some(total)
}

/// The field of a child by which it is counted in a field of this name: `postId` of Like for `likeCount` of Post.
fn link(parent: &Entity, child: &Entity, stem: &str) -> Option<String> {
    let refers = |field: &&Field| {
        field.refers_to.as_deref() == Some(parent.name.as_str()) && field.kind == FieldType::Id
    };
    let references: Vec<&Field> = child.fields.iter().filter(refers).collect();
    let relation = parent.relations.iter().find(|relation| {
        relation.entity == child.name && singular(&words_of(&relation.name).concat()) == stem
    });
    if let Some(by) = relation.and_then(|relation| relation.by.clone()) {
        return Some(by);
    }
    if singular(&words_of(&child.name).concat()) == stem {
        return references.first().map(|field| field.name.clone());
    }
    // A follower is counted by whom it follows.
    let role = |field: &&&Field| words_of(&field.name).first().is_some_and(|word| word == stem);
    let other = |field: &&&Field| !role(field);
    (references.len() == 2 && references.iter().any(|field| role(&field)))
        .then(|| references.iter().find(other).map(|field| field.name.clone()))?
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
}

fn is_number(kind: &FieldType) -> bool {
    matches!(kind, FieldType::Int { .. } | FieldType::Number { .. })
}

fn key<'n>(item: &Item, fields: impl Iterator<Item = &'n String>) -> Option<String> {
    let parts: Option<Vec<String>> = fields.map(|field| item.get(field).map(text_of)).collect();
    parts.map(|parts| parts.join("\0"))
}

/// The totals that an update adds to for each item that another step of the transaction creates.
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
        parent.field_at(path)?;
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
