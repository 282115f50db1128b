//! Calls that show what was seeded: reads whose parameters are filled from the samples, and that answer something.

use std::sync::Arc;

use singlet_design::{
    Count, Entity, FieldType, Json, Operation, Parameter, ParameterType, Pattern, to_json, to_text,
};
use singlet_store::Store;
use singlet_values::{AttributeValue, EncodedValue, Item};

use super::Sample;
use crate::arguments::Arguments;
use crate::call::Paging;
use crate::outcome::Outcome;
use crate::runner::Runner;

/// Samples of each entity that calls are tried with. The first ones of an entity are the most popular.
const SAMPLES_MAX: usize = 6;
/// Calls that are suggested.
const SUGGESTIONS_MAX: usize = 5;
/// Calls that are tried.
const TRIES_MAX: usize = 200;
/// Items on the page of a call that is tried.
const PAGE_ITEMS: u32 = 1;

/// Samples to fill calls with.
#[derive(Debug, Default)]
pub struct Suggestions {
    noted: Vec<(Arc<Entity>, Vec<Item>)>,
}

/// A call that has an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The pattern.
    pub pattern: String,
    /// Its arguments, as a command line takes them: `customer_id=123`.
    pub arguments: Vec<String>,
}

/// The kind of a call: calls of different kinds show different things.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Item,
    Table,
    Index(String),
    Composed,
    Other,
}

impl Suggestions {
    /// Remembers a sample, if there are few of its entity.
    pub fn note(&mut self, sample: &Sample) {
        let position = self.noted.iter().position(|(entity, _)| entity.name == sample.entity.name);
        let position = position.unwrap_or_else(|| {
            self.noted.push((Arc::clone(&sample.entity), Vec::new()));
            self.noted.len() - 1
        });
        if let Some((_, items)) = self.noted.get_mut(position).filter(|(_, items)| items.len() < SAMPLES_MAX)
        {
            items.push(sample.item.clone());
        }
    }

    /// Up to five calls with an answer, as different from each other as the design allows.
    pub async fn find<S: Store>(&self, runner: &Runner<S>) -> Vec<Suggestion> {
        let reads: Vec<(&Pattern, Kind)> =
            runner.design().callable().filter_map(|pattern| Some((&**pattern, kind(pattern)?))).collect();
        let mut found: Vec<(Suggestion, Kind, String)> = Vec::new();
        let mut tries = 0;
        // First one of each kind, then what is about something new, then what is left.
        for round in 0..3 {
            for (pattern, kind) in &reads {
                let subject = subjects(pattern).first().map(|entity| entity.name.clone()).unwrap_or_default();
                let known = found.iter().any(|(call, _, _)| call.pattern == pattern.name);
                let same_kind = found.iter().any(|(_, other, _)| other == kind);
                let same_subject = found.iter().any(|(_, _, other)| *other == subject);
                if known || (round == 0 && same_kind) || (round == 1 && same_subject) {
                    continue;
                }
                if found.len() == SUGGESTIONS_MAX || tries >= TRIES_MAX {
                    break;
                }
                if let Some(call) = self.call(runner, pattern, &mut tries).await {
                    found.push((call, kind.clone(), subject));
                }
            }
        }
        found.into_iter().map(|(call, _, _)| call).collect()
    }

    /// The call of this pattern with the largest answer among the noted samples; `None` if all answers are empty.
    pub async fn richest<S: Store>(&self, runner: &Runner<S>, pattern: &str) -> Option<Suggestion> {
        let pattern = runner.design().pattern(pattern)?;
        let subject = subjects(pattern).into_iter().next()?;
        let (_, items) = self.noted.iter().find(|(entity, _)| entity.name == subject.name)?;
        let mut best: Option<(usize, Suggestion)> = None;
        for item in items {
            let Some(arguments) = self.arguments(pattern, item) else { continue };
            let answer = runner.run(&pattern.name, &arguments, &Paging::default()).await;
            let Ok(answer) = answer else { continue };
            let size = shown(&answer);
            if size > best.as_ref().map_or(0, |(size, _)| *size) {
                best = Some((size, suggestion(pattern, &arguments)));
            }
        }
        best.map(|(_, suggestion)| suggestion)
    }

    /// A call of the pattern with an answer.
    async fn call<S: Store>(
        &self,
        runner: &Runner<S>,
        pattern: &Pattern,
        tries: &mut usize,
    ) -> Option<Suggestion> {
        let subject = subjects(pattern).into_iter().next()?;
        let (_, items) = self.noted.iter().find(|(entity, _)| entity.name == subject.name)?;
        for item in items {
            *tries += 1;
            let Some(arguments) = self.arguments(pattern, item) else { continue };
            let limit = is_list(pattern).then_some(PAGE_ITEMS);
            let answer = runner.run(&pattern.name, &arguments, &Paging { limit, cursor: None }).await;
            if answer.is_ok_and(|answer| shown(&answer) > 0) {
                return Some(suggestion(pattern, &arguments));
            }
        }
        None
    }

    /// Values for the required parameters, from an item or from samples of other entities.
    fn arguments(&self, pattern: &Pattern, item: &Item) -> Option<Arguments> {
        let required = pattern.parameters.iter().filter(|parameter| parameter.required);
        let value = |parameter: &Parameter| {
            let others = self.noted.iter().filter_map(|(_, items)| items.first());
            let mut sources = std::iter::once(item).chain(others);
            let value = sources.find_map(|item| filled(&parameter.kind, &parameter.name, item))?;
            Some((parameter.name.clone(), value))
        };
        required.map(value).collect()
    }
}

/// The value of a parameter that is named like a field of the item.
fn filled(kind: &ParameterType, name: &str, item: &Item) -> Option<Json> {
    let field = |name: &str| item.get(name).map(json);
    match kind {
        ParameterType::Field(FieldType::List { .. } | FieldType::Set { .. }) => {
            field(name).filter(|value| value.as_list().is_some())
        }
        ParameterType::Field(_) => field(name).filter(is_plain),
        ParameterType::Prefix => {
            let text = field(name)?;
            let beginning: String = text.as_text()?.chars().take(2).collect();
            (!beginning.trim().is_empty()).then_some(Json::Text(beginning))
        }
        ParameterType::ListOf(of) => {
            let singular = name.strip_suffix('s').unwrap_or(name);
            let value = filled(of, name, item).or_else(|| filled(of, singular, item))?;
            Some(Json::List(vec![value]))
        }
        ParameterType::Keys(members) => {
            let member = |(name, _): &(String, FieldType)| Some((name.clone(), field(name)?));
            Some(Json::List(vec![Json::Object(members.iter().map(member).collect::<Option<_>>()?)]))
        }
    }
}

/// Whether people can read and write the value on a command line.
fn is_plain(value: &Json) -> bool {
    match value {
        Json::Text(text) => !text.is_empty() && !text.chars().any(char::is_control),
        Json::Number(_) | Json::Bool(_) => true,
        Json::Null | Json::List(_) | Json::Object(_) => false,
    }
}

fn json(value: &AttributeValue) -> Json {
    to_json(EncodedValue::encode(value).view())
}

/// An argument as a command line takes it: a value that begins with @ would be read from a file.
fn argument(parameter: &Parameter, arguments: &Arguments) -> Option<String> {
    let text = to_text(&parameter.kind, arguments.get(&parameter.name)?);
    let escape = if text.starts_with('@') { "@" } else { "" };
    Some(format!("{}={escape}{text}", parameter.name))
}

/// Returns the kind of a read; `None` for writes.
fn kind(pattern: &Pattern) -> Option<Kind> {
    match &pattern.operation {
        Operation::Get(get) => {
            Some(get.on.as_ref().map_or(Kind::Item, |index| Kind::Index(index.name.clone())))
        }
        Operation::Query(query) => {
            Some(query.on.as_ref().map_or(Kind::Table, |index| Kind::Index(index.name.clone())))
        }
        Operation::Parts(_) | Operation::Merge(_) | Operation::Gather(_) => Some(Kind::Composed),
        Operation::Exists(_) | Operation::BatchGet(_) | Operation::Count(_) => Some(Kind::Other),
        _ => None,
    }
}

fn is_list(pattern: &Pattern) -> bool {
    matches!(pattern.operation, Operation::Query(_) | Operation::Merge(_) | Operation::Gather(_))
}

/// The entities that a read is about; the parameters are mostly fields of the first.
fn subjects(pattern: &Pattern) -> Vec<&Arc<Entity>> {
    match &pattern.operation {
        Operation::Get(get) | Operation::Exists(get) => vec![&get.entity],
        Operation::BatchGet(batch) => vec![&batch.entity],
        Operation::Query(query) | Operation::Count(Count { query, .. }) => query.entities.iter().collect(),
        Operation::Parts(parts) => parts.parts.iter().flat_map(|part| subjects(&part.pattern)).collect(),
        Operation::Merge(_) | Operation::Gather(_) => {
            pattern.runs().first().map(|first| subjects(first)).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn suggestion(pattern: &Pattern, arguments: &Arguments) -> Suggestion {
    let arguments = pattern.parameters.iter().filter_map(|known| argument(known, arguments)).collect();
    Suggestion { pattern: pattern.name.clone(), arguments }
}

/// How many items an answer shows.
fn shown(answer: &Outcome) -> usize {
    match answer {
        Outcome::Item(record) => usize::from(record.is_some()),
        Outcome::Exists(there) => usize::from(*there),
        Outcome::Items { records, .. } | Outcome::Gathered { records, .. } => records.len(),
        Outcome::Count { count, .. } => usize::try_from(*count).unwrap_or(usize::MAX),
        Outcome::Parts(parts) => parts.iter().map(|(_, part)| shown(part)).sum(),
        _ => 0,
    }
}
