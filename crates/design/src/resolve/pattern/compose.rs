//! Resolves composed patterns: transactions and parts.

use std::sync::Arc;

use super::super::name;
use super::super::parameters::stored_alike;
use super::super::template::find;
use super::source::{WrittenValue, written};
use super::{PatternDraft, Patterns};
use crate::limits::{READS_MAX, STEPS_MAX};
use crate::model::{
    Argument, Binding, Entity, FieldType, Operation, ParameterType, Parts, Pattern, ReadPart, Step,
    Transaction,
};
use crate::report::Span;
use crate::syntax::{Entry, Node};
use crate::value;

/// What `{name.field}` can refer to: earlier steps, or the list of a merge.
pub(super) struct Results<'r> {
    /// The steps with the entities that they write.
    pub(super) steps: Vec<(&'r str, &'r Entity)>,
    /// The steps that can't be used, and why.
    pub(super) closed: Vec<(&'r str, &'static str)>,
}

impl<'a> Patterns<'a> {
    /// Resolves `transaction`.
    pub(super) fn transaction(
        &mut self,
        draft: &mut PatternDraft<'a>,
        place: &'a Node,
    ) -> Option<Transaction> {
        let entries = place.table()?;
        if entries.is_empty() || entries.len() > STEPS_MAX {
            let message = format!("a transaction must have 1 to {STEPS_MAX} steps, not {}", entries.len());
            self.context.mistakes.add(place.span, message);
        }
        let mut steps: Vec<Step> = Vec::new();
        let mut whole = true;
        let mut unread: Vec<&str> = Vec::new();
        for entry in entries {
            name::check_word(self.context, "a step", &entry.name, entry.span);
            let Some(pattern) =
                self.run(&entry.node, is_write, "the steps of a transaction must be writes or checks")
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
        draft.one_step_for_each_item(&steps, entries);
        whole.then_some(Transaction { steps })
    }

    /// Resolves `parts`.
    pub(super) fn parts(&mut self, draft: &mut PatternDraft<'a>, place: &'a Node) -> Option<Parts> {
        let entries = place.table()?;
        if entries.is_empty() {
            let help = "add a part: `parts = { user = \"get_user\" }`";
            self.context.mistakes.add_with_help(place.span, "`parts` can't be empty", help);
        }
        let together = draft.flag("together");
        let mut parts: Vec<ReadPart> = Vec::new();
        let mut whole = true;
        for entry in entries {
            name::check_word(self.context, "a part", &entry.name, entry.span);
            let Some(pattern) = self.run(&entry.node, is_read, "parts must be reads") else {
                whole = false;
                continue;
            };
            if together && !is_get(&pattern.operation) {
                let message = format!(
                    "`{}` isn't a `get` by the table's key, so it can't be used with `together`",
                    pattern.name
                );
                self.context.mistakes.add_with_help(
                    entry.node.span,
                    message,
                    "remove `together`, or use only gets by the table's key",
                );
            }
            let closed = entries.iter().map(|other| {
                (other.name.as_str(), "all parts are read at once, so a part can't use the result of another")
            });
            let results = Results { steps: Vec::new(), closed: closed.collect() };
            let bindings = draft.bindings(&entry.node, &pattern, &results, None);
            draft.open_parameters(&pattern, &bindings, None, entry.span);
            parts.push(ReadPart { name: entry.name.clone(), pattern, bindings });
        }
        let reads = parts.iter().map(|part| reads(&part.pattern)).sum::<usize>();
        if reads > READS_MAX {
            let message = format!("the parts run {reads} reads, but a pattern can run at most {READS_MAX}");
            let help = "split the pattern, or leave out parts that are read twice";
            self.context.mistakes.add_with_help(place.span, message, help);
            return None;
        }
        whole.then_some(Parts { parts, together })
    }

    /// Returns the pattern that a step or part runs; `None` after a mistake.
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
                format!("`{}` is a `{}`, which can't be used here", pattern.name, word(&pattern.operation));
            self.context.mistakes.add_with_help(place.span, message, rule);
            return None;
        }
        Some(pattern)
    }
}

/// Returns the number of reads that a pattern runs.
fn reads(pattern: &Pattern) -> usize {
    match &pattern.operation {
        Operation::Parts(parts) => parts.parts.iter().map(|part| reads(&part.pattern)).sum(),
        _ => 1,
    }
}

/// Returns the steps that a later one can use.
fn results<'r>(steps: &'r [Step], entries: &'r [Entry], unread: &[&'r str]) -> Results<'r> {
    let mut results = Results { steps: Vec::new(), closed: Vec::new() };
    for step in steps {
        match (&step.each, written_entity(&step.pattern.operation)) {
            (Some(_), _) => results
                .closed
                .push((&step.name, "the step runs several times, so its fields have several values")),
            (None, Some(entity)) => results.steps.push((&step.name, entity)),
            (None, None) => results.closed.push((&step.name, "the step doesn't write any fields")),
        }
    }
    let later = entries.iter().map(|entry| entry.name.as_str());
    let later = later.filter(|name| !steps.iter().any(|step| step.name == *name) && !unread.contains(name));
    results
        .closed
        .extend(later.map(|name| (name, "move the step before this one: a step can only use earlier steps")));
    results.closed.extend(unread.iter().map(|name| (*name, "")));
    results
}

impl PatternDraft<'_> {
    /// Resolves `each = { hashtag = "hashtags" }`.
    fn each(&mut self, node: &Node, pattern: &Pattern) -> Option<(String, String)> {
        let each = node.get("each")?;
        let [Entry { name, span, node }] = each.table()? else {
            self.context.mistakes.add_with_help(
                each.span,
                "`each` must have exactly one entry",
                "write one parameter of the step and the parameter with the list: `each = { hashtag = \"hashtags\" }`",
            );
            return None;
        };
        let list = node.text()?;
        self.known_parameter(pattern, name, *span)?;
        Some((name.clone(), list.to_owned()))
    }

    /// Resolves `max` of a step.
    fn each_max(&self, node: &Node) -> Option<u32> {
        let max = node.get("max")?;
        if node.get("each").is_none() {
            self.context.mistakes.add_with_help(
                max.span,
                "`max` can't be used without `each`",
                "add `each`, or remove `max`",
            );
        }
        max.whole().and_then(|max| u32::try_from(max).ok())
    }

    /// Checks that the pattern has the parameter.
    fn known_parameter<'p>(&self, pattern: &'p Pattern, name: &str, span: Span) -> Option<&'p ParameterType> {
        let found = pattern.parameter(name).map(|parameter| &parameter.kind);
        if found.is_none() {
            let names = pattern.parameters.iter().map(|parameter| parameter.name.as_str());
            let message = format!("`{}` has no parameter `{name}`", pattern.name);
            self.context.mistakes.add_with(span, message, name::help(name, "parameter", names));
        }
        found
    }

    /// Resolves `with`, the sources of parameters of a step or part.
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
                let message = format!("`{name}` can't be in both `each` and `with`");
                self.context.mistakes.add_with_help(*span, message, "remove one of them");
            }
            if let Some(argument) = self.argument(node, kind, results) {
                bindings.push(Binding { parameter: name.clone(), argument });
            }
        }
        bindings
    }

    fn argument(&mut self, node: &Node, kind: &ParameterType, results: &Results<'_>) -> Option<Argument> {
        let json = match node.text().map(written) {
            Some(WrittenValue::Mixed) => {
                self.mixed_braces(node);
                return None;
            }
            Some(WrittenValue::Reference(path)) if path == "now" => {
                if !matches!(kind, ParameterType::Field(kind) if value::holds_instant(kind)) {
                    self.no_instant(node, "parameter");
                }
                return Some(Argument::Now);
            }
            Some(WrittenValue::Reference(path)) => return self.reference(node, &path, kind, results),
            Some(WrittenValue::Constant(text)) => text.into(),
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

    /// Resolves `{parameter}` or `{step.field}`.
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
                self.context.mistakes.add_with_help(
                    node.span,
                    format!("the result of `{step}` can't be used here"),
                    *why,
                );
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

    /// Checks that a field of a step's result, or of a list's item, exists and fits.
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
            let message = format!("`{field}` of `{}` and the parameter have different types", entity.name);
            self.context.mistakes.add_with_help(node.span, message, "use a field of the parameter's type");
        }
        Some(())
    }

    /// Adds the parameters of a part that have no other source to those of the composed pattern.
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
                // A list that is also an optional field of another step may be missing; the step then doesn't run.
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
    use Operation::{BatchGet, Count, Exists, Get, Merge, Parts, Query};
    matches!(operation, Get(_) | Exists(_) | BatchGet(_) | Query(_) | Count(_) | Parts(_) | Merge(_))
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

/// Returns the word for an operation.
pub(super) fn word(operation: &Operation) -> &'static str {
    match operation {
        Operation::Get(_) => "get",
        Operation::Exists(_) => "exists",
        Operation::BatchGet(_) => "batch_get",
        Operation::Query(_) => "query",
        Operation::Count(_) => "count",
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
