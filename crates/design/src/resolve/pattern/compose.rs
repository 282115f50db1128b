//! Composed patterns: transactions and parts.

use std::sync::Arc;

use super::super::name;
use super::super::parameters::stored_alike;
use super::super::template::find;
use super::source::{Written, written};
use super::{Draft, Patterns};
use crate::model::{
    Argument, Binding, Entity, FieldType, Operation, ParameterType, Parts, Pattern, ReadPart, Step,
    Transaction,
};
use crate::report::Span;
use crate::syntax::{Entry, Node};
use crate::value;

/// Most writes of a transaction.
const STEPS_MAX: usize = singlet_values::limits::TRANSACTION_ACTIONS_MAX;

/// What `{name.field}` may name: earlier steps, or the list of a merge.
pub(super) struct Results<'r> {
    /// The steps with what they write.
    pub(super) steps: Vec<(&'r str, &'r Entity)>,
    /// Steps that can't be named, and why.
    pub(super) closed: Vec<(&'r str, &'static str)>,
}

impl<'a> Patterns<'a> {
    /// `transaction`
    pub(super) fn transaction(&mut self, draft: &mut Draft<'a>, place: &'a Node) -> Option<Transaction> {
        let entries = place.table()?;
        if entries.is_empty() || entries.len() > STEPS_MAX {
            let message = format!("a transaction has 1 to {STEPS_MAX} steps, not {}", entries.len());
            self.context.mistakes.add(place.span, message);
        }
        let mut steps: Vec<Step> = Vec::new();
        let mut whole = true;
        let mut unread: Vec<&str> = Vec::new();
        for entry in entries {
            name::check_word(self.context, "a step", &entry.name, entry.span);
            let Some(pattern) = self.run(&entry.node, is_write, "a transaction is made of writes and checks")
            else {
                whole = false;
                unread.push(&entry.name);
                continue;
            };
            let each = draft.each(&entry.node, &pattern);
            let results = results(&steps, entries, &unread);
            let bindings =
                draft.bindings(&entry.node, &pattern, &results, each.as_ref().map(|(name, _)| name.as_str()));
            draft.open_parameters(&pattern, &bindings, each.as_ref(), entry.span);
            let each_max = draft.each_max(&entry.node);
            steps.push(Step { name: entry.name.clone(), pattern, bindings, each, each_max });
        }
        whole.then_some(Transaction { steps })
    }

    /// `parts`
    pub(super) fn parts(&mut self, draft: &mut Draft<'a>, place: &'a Node) -> Option<Parts> {
        let entries = place.table()?;
        if entries.is_empty() {
            self.context.mistakes.add(place.span, "there is no part in these parts");
        }
        let together = draft.flag("together");
        let mut parts: Vec<ReadPart> = Vec::new();
        let mut whole = true;
        for entry in entries {
            name::check_word(self.context, "a part", &entry.name, entry.span);
            let Some(pattern) = self.run(&entry.node, is_read, "parts are reads") else {
                whole = false;
                continue;
            };
            if together && !is_get(&pattern.operation) {
                let message = format!(
                    "`{}` is no `get` by the table's key, so it can't be read together with others",
                    pattern.name
                );
                self.context.mistakes.add_with_help(
                    entry.node.span,
                    message,
                    "take `together` away, or leave gets only",
                );
            }
            let closed = entries
                .iter()
                .map(|other| (other.name.as_str(), "parts are read at once, none knows another's answer"));
            let results = Results { steps: Vec::new(), closed: closed.collect() };
            let bindings = draft.bindings(&entry.node, &pattern, &results, None);
            draft.open_parameters(&pattern, &bindings, None, entry.span);
            parts.push(ReadPart { name: entry.name.clone(), pattern, bindings });
        }
        whole.then_some(Parts { parts, together })
    }

    /// The pattern that a step or part runs; `None` if it can't be known, or after a mistake.
    pub(super) fn run(
        &mut self,
        node: &Node,
        fits: fn(&Operation) -> bool,
        rule: &str,
    ) -> Option<Arc<Pattern>> {
        let place = if node.text().is_some() { node } else { node.get("run")? };
        let pattern = self.other(place)?;
        if !fits(&pattern.operation) {
            let message =
                format!("`{}` is a `{}`, which can't stand here", pattern.name, word(&pattern.operation));
            self.context.mistakes.add_with_help(place.span, message, rule);
            return None;
        }
        Some(pattern)
    }
}

/// What the steps so far give to later ones.
fn results<'r>(steps: &'r [Step], entries: &'r [Entry], unread: &[&'r str]) -> Results<'r> {
    let mut results = Results { steps: Vec::new(), closed: Vec::new() };
    for step in steps {
        match (&step.each, written_entity(&step.pattern.operation)) {
            (Some(_), _) => {
                results.closed.push((&step.name, "it runs several times, so its fields have no single value"))
            }
            (None, Some(entity)) => results.steps.push((&step.name, entity)),
            (None, None) => results.closed.push((&step.name, "it writes no fields")),
        }
    }
    let later = entries.iter().map(|entry| entry.name.as_str());
    let later = later.filter(|name| !steps.iter().any(|step| step.name == *name) && !unread.contains(name));
    results.closed.extend(later.map(|name| (name, "it doesn't come earlier")));
    results.closed.extend(unread.iter().map(|name| (*name, "")));
    results
}

impl Draft<'_> {
    /// `each = { hashtag = "hashtags" }`
    fn each(&mut self, node: &Node, pattern: &Pattern) -> Option<(String, String)> {
        let each = node.get("each")?;
        let [Entry { name, span, node }] = each.table()? else {
            self.context.mistakes.add_with_help(
                each.span,
                "`each` goes through one list",
                "name one parameter of the step and the parameter that holds the list",
            );
            return None;
        };
        let list = node.text()?;
        self.known_parameter(pattern, name, *span)?;
        Some((name.clone(), list.to_owned()))
    }

    /// `max` of a step, which bounds its list.
    fn each_max(&self, node: &Node) -> Option<u32> {
        let max = node.get("max")?;
        if node.get("each").is_none() {
            self.context.mistakes.add_with_help(
                max.span,
                "`max` bounds the list of `each`, and there is none here",
                "take `max` away",
            );
        }
        max.whole().and_then(|max| u32::try_from(max).ok())
    }

    /// Notes a mistake unless the pattern has the parameter.
    fn known_parameter<'p>(&self, pattern: &'p Pattern, name: &str, span: Span) -> Option<&'p ParameterType> {
        let found = pattern.parameter(name).map(|parameter| &parameter.kind);
        if found.is_none() {
            let names = pattern.parameters.iter().map(|parameter| parameter.name.as_str());
            let message = format!("`{}` has no parameter `{name}`", pattern.name);
            self.context.mistakes.add_with(span, message, name::help(name, "parameter", names));
        }
        found
    }

    /// `with`: where parameters of a step or part come from.
    pub(super) fn bindings(
        &mut self,
        node: &Node,
        pattern: &Pattern,
        results: &Results<'_>,
        each: Option<&str>,
    ) -> Vec<Binding> {
        let mut bindings = Vec::new();
        for Entry { name, span, node } in node.entries("with") {
            let Some(kind) = self.known_parameter(pattern, name, *span) else { continue };
            if each == Some(name) {
                let message = format!("`{name}` takes the elements of a list already");
                self.context.mistakes.add(*span, message);
            }
            if let Some(argument) = self.argument(node, kind, results) {
                bindings.push(Binding { parameter: name.clone(), argument });
            }
        }
        bindings
    }

    fn argument(&mut self, node: &Node, kind: &ParameterType, results: &Results<'_>) -> Option<Argument> {
        let json = match node.text().map(written) {
            Some(Written::Mixed) => {
                self.mixed_braces(node);
                return None;
            }
            Some(Written::Reference(path)) if path == "now" => {
                if !matches!(kind, ParameterType::Field(kind) if value::holds_instant(kind)) {
                    self.no_instant(node, "parameter");
                }
                return Some(Argument::Now);
            }
            Some(Written::Reference(path)) => return self.reference(node, &path, kind, results),
            Some(Written::Constant(text)) => text.into(),
            None => node.json(),
        };
        if let ParameterType::Field(kind) = kind
            && let Err(error) = value::to_attribute(kind, &json)
        {
            let message = format!("this value doesn't fit the parameter: {error}");
            self.context.mistakes.add(node.span, message);
            return None;
        }
        Some(Argument::Constant(json))
    }

    /// `{parameter}` or `{step.field}`
    fn reference(
        &mut self,
        node: &Node,
        path: &str,
        kind: &ParameterType,
        results: &Results<'_>,
    ) -> Option<Argument> {
        let Some((step, field)) = path.split_once('.') else {
            return Some(Argument::Parameter(path.to_owned()));
        };
        if let Some((_, why)) = results.closed.iter().find(|(name, _)| *name == step) {
            if !why.is_empty() {
                self.context.mistakes.add_with_help(node.span, format!("`{step}` can't be named here"), *why);
            }
            return None;
        }
        let Some((_, entity)) = results.steps.iter().find(|(name, _)| *name == step) else {
            let message = format!("there is no earlier step `{step}`");
            let help = name::help(step, "earlier step", results.steps.iter().map(|(name, _)| *name));
            self.context.mistakes.add_with(node.span, message, help);
            return None;
        };
        self.result_field(node, entity, field, kind)?;
        Some(Argument::Result(step.to_owned(), field.to_owned()))
    }

    /// A field of what a step writes, or of a list's item, must be there and fit.
    pub(super) fn result_field(
        &self,
        node: &Node,
        entity: &Entity,
        field: &str,
        kind: &ParameterType,
    ) -> Option<()> {
        if self.entities.find(&entity.name).is_some_and(|known| known.vague.contains(field)) {
            return None;
        }
        let Some(found) = find(&entity.fields, field) else {
            let message = format!("`{}` has no field `{field}`", entity.name);
            let help = super::super::template::help(&entity.fields, field);
            self.context.mistakes.add_with(node.span, message, help);
            return None;
        };
        let fits = match kind {
            ParameterType::Field(kind) => stored_alike(kind, found.kind),
            ParameterType::Prefix => {
                matches!(found.kind, FieldType::Text { .. } | FieldType::Choice(_) | FieldType::Id)
            }
            ParameterType::ListOf(_) | ParameterType::Keys(_) => {
                matches!(found.kind, FieldType::List { .. } | FieldType::Set { .. })
            }
        };
        if !fits {
            let message = format!("`{field}` of `{}` is of another type than the parameter", entity.name);
            self.context.mistakes.add(node.span, message);
        }
        Some(())
    }

    /// The parameters of a part that nothing gives are those of the composed pattern.
    pub(super) fn open_parameters(
        &mut self,
        pattern: &Pattern,
        bindings: &[Binding],
        each: Option<&(String, String)>,
        span: Span,
    ) {
        for parameter in &pattern.parameters {
            let binding = bindings.iter().find(|binding| binding.parameter == parameter.name);
            let kind = parameter.kind.clone();
            match (binding.map(|binding| &binding.argument), each) {
                // A list that another step writes as an optional field may be missing: then nothing is gone through.
                (_, Some((own, list))) if *own == parameter.name => {
                    let kind = ParameterType::ListOf(Box::new(kind));
                    let required = !self.parameters.contains(list);
                    self.parameters.add(self.context, list, kind, required, span);
                }
                (None, _) => {
                    self.parameters.add(self.context, &parameter.name, kind, parameter.required, span)
                }
                (Some(Argument::Parameter(name)), _) => {
                    self.parameters.add(self.context, name, kind, parameter.required, span);
                }
                (Some(Argument::Constant(_) | Argument::Now | Argument::Result(..)), _) => {}
            }
        }
    }
}

fn is_write(operation: &Operation) -> bool {
    use Operation::{Check, Create, Delete, Put, Update};
    matches!(operation, Create(_) | Put(_) | Update(_) | Delete(_) | Check(_))
}

fn is_read(operation: &Operation) -> bool {
    use Operation::{BatchGet, Exists, Get, Merge, Parts, Query};
    matches!(operation, Get(_) | Exists(_) | BatchGet(_) | Query(_) | Parts(_) | Merge(_))
}

fn is_get(operation: &Operation) -> bool {
    matches!(operation, Operation::Get(get) | Operation::Exists(get) if get.on.is_none())
}

fn written_entity(operation: &Operation) -> Option<&Entity> {
    match operation {
        Operation::Create(insert) | Operation::Put(insert) => Some(&insert.entity),
        Operation::Update(update) => Some(&update.entity),
        _ => None,
    }
}

/// The word for an operation.
pub(super) fn word(operation: &Operation) -> &'static str {
    match operation {
        Operation::Get(_) => "get",
        Operation::Exists(_) => "exists",
        Operation::BatchGet(_) => "batch_get",
        Operation::Query(_) => "query",
        Operation::Scan(_) => "scan",
        Operation::Create(_) => "create",
        Operation::Put(_) => "put",
        Operation::Update(_) => "update",
        Operation::Delete(_) => "delete",
        Operation::Check(_) => "check",
        Operation::Transaction(_) => "transaction",
        Operation::Parts(_) => "parts",
        Operation::Merge(_) => "merge",
    }
}
