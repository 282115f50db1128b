//! Resolves access patterns.

mod asked;
mod bindings;
mod buckets;
mod change;
mod compose;
mod condition;
mod each;
mod gather;
mod insert;
mod item;
mod merge;
mod order;
mod overlap;
mod query;
mod read;
mod same_item;
mod source;
mod upsert;
mod usage;
mod walk;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Context;
use super::entity::{Entities, ResolvedEntity};
use super::name;
use super::parameters::Parameters;
use super::template::find;
use crate::limits::{PARAMETERS_MAX, PATTERN_LEVELS_MAX, number};
use crate::model::{Operation, Pattern};
use crate::report::Span;
use crate::syntax::{Entry, Node, language};
use overlap::KeyShapes;
pub(super) use read::key_members;

/// Resolves the patterns of a design, in the order of the file.
pub(super) fn patterns(context: &Context<'_>, root: &Node, entities: &Entities) -> Vec<Arc<Pattern>> {
    let entries = root.entries("pattern");
    let by_name = entries.iter().map(|entry| (entry.name.as_str(), entry)).collect();
    let key_shapes = KeyShapes::of(entities);
    let mut patterns = Patterns {
        context,
        entities,
        key_shapes: &key_shapes,
        by_name,
        done: BTreeMap::new(),
        inline: Vec::new(),
        open: Vec::new(),
    };
    let mut parameters = 0;
    for entry in entries {
        name::check_word(context, "a pattern", &entry.name, entry.span);
        parameters += patterns.resolve(entry).pattern.parameters.len();
        if parameters > PARAMETERS_MAX {
            let most = number(PARAMETERS_MAX);
            let message = format!("with `{}`, the patterns have more than {most} parameters", entry.name);
            context.mistakes.add_with_help(entry.span, message, "split the design into several ones");
            break;
        }
        if context.mistakes.is_full() {
            break;
        }
    }
    patterns.in_order(entries)
}

/// The patterns during resolution. A composed pattern resolves the patterns that it runs first.
struct Patterns<'a> {
    context: &'a Context<'a>,
    entities: &'a Entities,
    key_shapes: &'a KeyShapes<'a>,
    by_name: BTreeMap<&'a str, &'a Entry>,
    done: BTreeMap<&'a str, ResolvedPattern>,
    /// The patterns that are written inside others.
    inline: Vec<Arc<Pattern>>,
    /// The composed patterns that led to this one.
    open: Vec<String>,
}

/// A resolved pattern.
#[derive(Debug, Clone)]
struct ResolvedPattern {
    pattern: Arc<Pattern>,
    /// Whether its parameters and operation are known. If they aren't, its uses aren't checked.
    sound: bool,
}

/// A pattern during resolution.
struct PatternDraft<'a> {
    context: &'a Context<'a>,
    entities: &'a Entities,
    key_shapes: &'a KeyShapes<'a>,
    node: &'a Node,
    parameters: Parameters,
    /// The names before a point that placeholders can have, such as `order` in `{order.total}`: those of steps and of an
    /// element. `None` for a pattern that isn't written inside another one.
    scope: Option<Vec<String>>,
}

impl<'a> Patterns<'a> {
    fn resolve(&mut self, entry: &'a Entry) -> ResolvedPattern {
        if let Some(done) = self.done.get(entry.name.as_str()) {
            return done.clone();
        }
        let done = self.written(entry.name.clone(), &entry.node, entry.span, None);
        self.done.insert(&entry.name, done.clone());
        done
    }

    /// Resolves a pattern that is written inside the current one, under a name that it gets from both; `None` after a
    /// mistake.
    fn inline(&mut self, label: &str, node: &'a Node, scope: Vec<String>) -> Option<Arc<Pattern>> {
        let owner = self.open.last().cloned().unwrap_or_default();
        let done = self.written(format!("{owner}.{label}"), node, node.span, Some(scope));
        self.inline.push(Arc::clone(&done.pattern));
        done.sound.then_some(done.pattern)
    }

    /// Resolves a pattern as it is written.
    fn written(
        &mut self,
        name: String,
        node: &'a Node,
        span: Span,
        scope: Option<Vec<String>>,
    ) -> ResolvedPattern {
        let before = self.context.mistakes.count();
        let inline = scope.is_some();
        let mut draft = PatternDraft {
            context: self.context,
            entities: self.entities,
            key_shapes: self.key_shapes,
            node,
            parameters: Parameters::default(),
            scope,
        };
        self.open.push(name.clone());
        let operation = self.operation(&mut draft, span);
        self.open.pop();
        let sound = operation.is_some() && self.context.mistakes.count() == before;
        let pattern = Pattern {
            name,
            about: node.text_of("about").map(str::to_owned),
            tags: usage::tags(node),
            rate: usage::rate(self.context, node),
            busiest: usage::busiest(self.context, node),
            owner: node.text_of("owner").map(str::to_owned),
            path: node.text_of("path").map(str::to_owned),
            internal: inline || is_true(node, "internal"),
            inline,
            within: usage::within(self.context, node),
            parameters: draft.parameters.into_list(),
            operation: operation.unwrap_or_else(nothing),
            span,
        };
        ResolvedPattern { pattern: Arc::new(pattern), sound }
    }

    /// Returns the resolved patterns: those of the file in its order, each followed by those that are written inside it.
    fn in_order(mut self, entries: &[Entry]) -> Vec<Arc<Pattern>> {
        let mut patterns = Vec::with_capacity(entries.len() + self.inline.len());
        for entry in entries {
            let Some(done) = self.done.remove(entry.name.as_str()) else { continue };
            patterns.push(done.pattern);
            let within = |pattern: &&Arc<Pattern>| {
                pattern.name.strip_prefix(entry.name.as_str()).is_some_and(|rest| rest.starts_with('.'))
            };
            patterns.extend(self.inline.iter().filter(within).cloned());
        }
        patterns
    }

    /// Resolves the operation; `None` after a mistake.
    fn operation(&mut self, draft: &mut PatternDraft<'a>, span: Span) -> Option<Operation> {
        let words = language::PATTERN.kinds().iter();
        let given: Vec<_> = words.filter_map(|word| Some((word.name, draft.node.get(word.name)?))).collect();
        // The syntax check has reported patterns with no operation or several.
        let [(word, place)] = given.as_slice() else { return None };
        match *word {
            "get" => draft.get(place).map(Operation::Get),
            "exists" => draft.get(place).map(Operation::Exists),
            "batch_get" => draft.batch_get(place).map(Operation::BatchGet),
            "query" => draft.query(place).map(Operation::Query),
            "count" => draft.count(place).map(Operation::Count),
            "scan" => draft.scan(place).map(Operation::Scan),
            "create" => draft.insert(place, word).map(Operation::Create),
            "put" => draft.insert(place, word).map(Operation::Put),
            "update" | "upsert" => draft.update(place, word).map(Operation::Update),
            "delete" => draft.delete(place).map(Operation::Delete),
            "check" => draft.check(place).map(Operation::Check),
            "transaction" => self.transaction(draft, place).map(Operation::Transaction),
            "parts" => self.parts(draft, place).map(Operation::Parts),
            "merge" => self.merge(draft, place, span).map(Operation::Merge),
            "gather" => self.gather(draft, place, span).map(Operation::Gather),
            "claim" => self.claim(draft, place, span).map(Operation::Claim),
            "bulk" => self.bulk(draft, place, span).map(Operation::Bulk),
            _ => None,
        }
    }

    /// Returns the pattern that a composed one names; `None` after a mistake.
    fn other(&mut self, place: &Node) -> Option<Arc<Pattern>> {
        let name = place.text()?;
        let Some(entry) = self.by_name.get(name).copied() else {
            let message = format!("there is no pattern `{name}`");
            let help = name::help(name, "pattern", self.by_name.keys().copied());
            self.context.mistakes.add_with(place.span, message, help);
            return None;
        };
        if let Some(start) = self.open.iter().position(|open| open == name) {
            let way: Vec<&str> = self.open.iter().skip(start).map(String::as_str).collect();
            let message = format!("`{name}` runs itself");
            let help = format!("remove one of these steps: {} → {name}", way.join(" → "));
            self.context.mistakes.add_with_help(place.span, message, help);
            return None;
        }
        if self.open.len() > PATTERN_LEVELS_MAX {
            let message = format!("patterns are nested more than {PATTERN_LEVELS_MAX} levels deep here");
            self.context.mistakes.add(place.span, message);
            return None;
        }
        let done = self.resolve(entry);
        done.sound.then_some(done.pattern)
    }
}

impl<'a> PatternDraft<'a> {
    /// Returns the entity of this name; `None` after a mistake.
    fn entity(&self, place: &Node) -> Option<&'a ResolvedEntity> {
        let name = place.text()?;
        let found = self.entities.find(name);
        if found.is_none() {
            let message = format!("there is no entity `{name}`");
            self.context.mistakes.add_with(
                place.span,
                message,
                name::help(name, "entity", self.entities.names()),
            );
        }
        found
    }

    /// Adds the fields of the table's key to the parameters.
    fn key_parameters(&mut self, known: &ResolvedEntity, span: Span) {
        let entity = &known.entity;
        let templates = [Some(&entity.key.partition), entity.key.sort.as_ref()];
        let paths = templates.into_iter().flatten().flat_map(|template| template.fields());
        for path in paths {
            if let Some(found) = find(&entity.fields, path) {
                self.parameters.add_field(self.context, path, found.kind, true, span);
            }
        }
    }

    /// Returns whether a key is present and true.
    fn flag(&self, key: &str) -> bool {
        is_true(self.node, key)
    }
}

/// Returns whether a key is present and true.
fn is_true(node: &Node, key: &str) -> bool {
    node.get(key).and_then(Node::truth).unwrap_or(false)
}

/// Returns a placeholder for an operation with mistakes. [`super::load`] never returns a design that contains it.
fn nothing() -> Operation {
    Operation::Parts(crate::model::Parts { parts: Vec::new(), together: false })
}
