//! Resolves composed patterns: transactions and parts.

use std::sync::Arc;

use super::super::name;
use super::super::template::find;
use super::bindings::{StepResult, StepScope};
use super::each::{EachText, Element};
use super::{PatternDraft, Patterns};
use crate::limits::{READS_MAX, STEPS_MAX};
use crate::model::{
    Each, EachList, Entity, FieldType, Get, Operation, Parts, Pattern, ReadPart, Step, Transaction,
};
use crate::report::Span;
use crate::syntax::{Entry, Node};

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
            match self.step(draft, entry, scope(&steps, entries, &unread)) {
                Some(step) => steps.push(step),
                None => {
                    whole = false;
                    unread.push(&entry.name);
                }
            }
        }
        draft.one_step_for_each_item(&steps, entries);
        whole.then_some(Transaction { steps })
    }

    /// Resolves a step; `None` after a mistake in the pattern that it runs.
    fn step(
        &mut self,
        draft: &mut PatternDraft<'a>,
        entry: &'a Entry,
        mut scope: StepScope<'_>,
    ) -> Option<Step> {
        let each = entry.node.get("each");
        scope.element = each.and_then(|each| draft.each_of(each, &scope));
        let rule = "the steps of a transaction must be writes, checks, or gets by the table's key without `resolve` and \
                    `expired`";
        let pattern = self.run(&entry.node, &entry.name, scope.names(), is_step, rule)?;
        let mut bindings = Vec::new();
        if let Some(Entry { name, span, .. }) = each.and_then(Node::table).and_then(<[Entry]>::first)
            && draft.known_parameter(&pattern, name, *span).is_none()
        {
            scope.element = None;
        }
        if each.is_none() || scope.element.is_some() {
            bindings = draft.bindings(&entry.node, &pattern, &mut scope);
            if let Some(element) = &scope.element {
                element.open(self.context, &mut draft.parameters, entry.span);
            }
            draft.open_parameters(&pattern, &bindings, entry.span);
        }
        let each_max = draft.each_max(&entry.node);
        let each = scope.element.map(|element| element.each);
        Some(Step { name: entry.name.clone(), pattern, bindings, each, each_max })
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
            let names = entries.iter().map(|other| other.name.clone()).collect();
            let Some(pattern) = self.run(&entry.node, &entry.name, names, is_read, "parts must be reads")
            else {
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
            let mut scope = StepScope { closed: closed.collect(), ..StepScope::default() };
            let bindings = draft.bindings(&entry.node, &pattern, &mut scope);
            draft.open_parameters(&pattern, &bindings, entry.span);
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

    /// Returns the pattern that a step or part runs: one that it names, or one that is written in it, whose placeholders
    /// can begin with the names in `scope`. `None` after a mistake.
    pub(super) fn run(
        &mut self,
        node: &'a Node,
        label: &str,
        scope: Vec<String>,
        fits: fn(&Operation) -> bool,
        rule: &str,
    ) -> Option<Arc<Pattern>> {
        let place = node.get("run").unwrap_or(node);
        let pattern = match place.text() {
            Some(_) => self.other(place)?,
            None => self.inline(label, place, scope)?,
        };
        if !fits(&pattern.operation) {
            let message = match pattern.inline {
                true => format!("a `{}` can't be used here", word(&pattern.operation)),
                false => {
                    format!(
                        "`{}` is a `{}`, which can't be used here",
                        pattern.name,
                        word(&pattern.operation)
                    )
                }
            };
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
fn scope<'r>(steps: &'r [Step], entries: &'r [Entry], unread: &[&'r str]) -> StepScope<'r> {
    let mut scope = StepScope::default();
    for step in steps {
        match result_entity(&step.pattern.operation) {
            Some(entity) => {
                let list = step.each.as_ref().map(|each| &each.list);
                scope.steps.push(StepResult { name: &step.name, entity, list });
            }
            None => {
                let why = "the step deletes its item; read the item in a `get` step before";
                scope.closed.push((&step.name, why));
            }
        }
    }
    let later = entries.iter().map(|entry| entry.name.as_str());
    let later = later.filter(|name| !steps.iter().any(|step| step.name == *name) && !unread.contains(name));
    scope
        .closed
        .extend(later.map(|name| (name, "move the step before this one: a step can only use earlier steps")));
    scope.closed.extend(unread.iter().map(|name| (*name, "")));
    scope
}

impl PatternDraft<'_> {
    /// Resolves `each = "line in lines"` or `each = { sku = "skus" }`; `None` after a mistake.
    fn each_of(&self, place: &Node, scope: &StepScope<'_>) -> Option<Element> {
        if let Some(entries) = place.table() {
            let [Entry { name, node, .. }] = entries else {
                self.context.mistakes.add_with_help(
                    place.span,
                    "`each` must have exactly one entry",
                    "write an element and its list, such as `each = \"hashtag in hashtags\"`",
                );
                return None;
            };
            let list = EachList::Parameter(node.text()?.to_owned());
            return Some(Element::new(Each { element: name.clone(), list }, None, true));
        }
        let text = match EachText::parse(place.text()?) {
            Ok(text) => text,
            Err(error) => {
                let span = self.context.inside(place, error.range);
                self.context.mistakes.add_with_help(span, error.message, error.help);
                return None;
            }
        };
        if scope.names().contains(&text.element) {
            let message =
                format!("`{}` is the name of a step, so it can't be that of an element", text.element);
            self.context.mistakes.add_with_help(place.span, message, "use another name");
            return None;
        }
        let Some((step, field)) = text.source.split_once('.') else {
            let each = Each { element: text.element, list: EachList::Parameter(text.source) };
            return Some(Element::new(each, None, false));
        };
        let span = self.context.inside(place, text.source_range);
        let entity = self.step_entity(scope, step, None, span)?;
        let kind = self.list_field(entity, field, span)?;
        let list = EachList::Result(step.to_owned(), field.to_owned());
        Some(Element::new(Each { element: text.element, list }, Some(kind), false))
    }

    /// Returns the type of the elements of a step's list field; `None` after a mistake.
    fn list_field(&self, entity: &Entity, path: &str, span: Span) -> Option<FieldType> {
        match find(&entity.fields, path).map(|found| found.kind) {
            Some(FieldType::List { of, .. } | FieldType::Set { of, .. }) => return Some((**of).clone()),
            Some(_) => {
                let message = format!("`{path}` of `{}` isn't a list or set", entity.name);
                self.context.mistakes.add_with_help(span, message, "use a field of type `list` or `set`");
            }
            None => {
                let message = format!("`{}` has no field `{path}`", entity.name);
                let help = super::super::template::help(&entity.fields, path);
                self.context.mistakes.add_with(span, message, help);
            }
        }
        None
    }

    /// Resolves `max` of a step.
    fn each_max(&self, node: &Node) -> Option<u32> {
        // A pattern that is written in place of a step has been refused for such a key.
        let max = node.get("run").and_then(|_| node.get("max"))?;
        if node.get("each").is_none() {
            self.context.mistakes.add_with_help(
                max.span,
                "`max` can't be used without `each`",
                "add `each`, or remove `max`",
            );
        }
        max.whole().and_then(|max| u32::try_from(max).ok())
    }
}

fn is_step(operation: &Operation) -> bool {
    use Operation::{Check, Create, Delete, Put, Update};
    let is_plain = |get: &Get| get.on.is_none() && get.resolve.is_empty() && !get.show_expired;
    match operation {
        Create(_) | Put(_) | Update(_) | Delete(_) | Check(_) => true,
        Operation::Get(get) => is_plain(get),
        _ => false,
    }
}

fn is_read(operation: &Operation) -> bool {
    use Operation::{BatchGet, Count, Exists, Gather, Get, Merge, Parts, Query};
    matches!(
        operation,
        Get(_) | Exists(_) | BatchGet(_) | Query(_) | Count(_) | Parts(_) | Merge(_) | Gather(_)
    )
}

fn is_get(operation: &Operation) -> bool {
    matches!(operation, Operation::Get(get) | Operation::Exists(get) if get.on.is_none())
}

/// Returns the entity whose fields later steps can use.
fn result_entity(operation: &Operation) -> Option<&Entity> {
    match operation {
        Operation::Create(insert) | Operation::Put(insert) => Some(&insert.entity),
        Operation::Update(update) => Some(&update.entity),
        Operation::Check(check) => Some(&check.entity),
        Operation::Get(get) => Some(&get.entity),
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
        Operation::Update(update) if update.first.is_some() => "upsert",
        Operation::Update(_) => "update",
        Operation::Delete(_) => "delete",
        Operation::Check(_) => "check",
        Operation::Transaction(_) => "transaction",
        Operation::Parts(_) => "parts",
        Operation::Merge(_) => "merge",
        Operation::Gather(_) => "gather",
        Operation::Claim(_) => "claim",
        Operation::Bulk(_) => "bulk",
    }
}
