//! Resolves `[caller]`, and who may run each pattern.

mod bound;
mod owned;
mod rule;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Context;
use super::name;
use crate::model::{CallerRelation, Callers, Entity, FieldType, Operation, Pattern};
use crate::report::Span;
use crate::syntax::{Entry, Node};
use rule::RuleReader;

/// The words of rules and of visibility, which can't be roles or relations.
const RESERVED: [&str; 7] = ["anyone", "caller", "self", "owner", "public", "private", "internal"];

/// Resolves the callers of a design; `None` if it names none, or after a mistake.
pub(super) fn callers(
    context: &Context<'_>,
    root: &Node,
    entities: &[Arc<Entity>],
    patterns: &[Arc<Pattern>],
) -> Option<Callers> {
    let Some(entry) = root.entry("caller") else {
        refuse_rules(context, root);
        return None;
    };
    // After a mistake, parts of the model may be missing, and rules would be refused because of them.
    if context.mistakes.count() > 0 {
        return None;
    }
    let mut callers = caller(context, &entry.node, entities)?;
    callers.roles = roles(context, &entry.node, &callers);
    for relation in entry.node.entries("relations") {
        callers.relations.extend(resolve_relation(context, relation, &callers, patterns));
    }
    if context.mistakes.count() > 0 {
        return None;
    }
    let mut rules = BTreeMap::new();
    for entry in root.entries("pattern") {
        let Some(pattern) = patterns.iter().find(|pattern| pattern.name == entry.name) else { continue };
        let reader = RuleReader { context, callers: &callers, pattern };
        if let Some(who) = reader.rule_of(entry) {
            rules.insert(pattern.name.clone(), who);
        }
    }
    callers.rules = rules;
    Some(callers)
}

/// Refuses rules in a design without callers.
fn refuse_rules(context: &Context<'_>, root: &Node) {
    let rule = |entry: &Entry| entry.node.entry("who").map(|who| who.span);
    for span in root.entries("pattern").iter().filter_map(rule) {
        context.mistakes.add_with_help(
            span,
            "`who` needs callers, and the design names none",
            "add a section such as `[caller]` with `is = \"User\"`, or remove `who`",
        );
    }
}

/// Resolves the entity of the callers.
fn caller(context: &Context<'_>, node: &Node, entities: &[Arc<Entity>]) -> Option<Callers> {
    let place = node.get("is")?;
    let written = place.text()?;
    let Some(entity) = entities.iter().find(|entity| entity.name == written) else {
        let names = entities.iter().map(|entity| entity.name.as_str());
        let message = format!("there is no entity `{written}`");
        context.mistakes.add_with(place.span, message, name::help(written, "entity", names));
        return None;
    };
    let templates = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    let mut fields: Vec<&str> = templates.flat_map(|template| template.fields()).collect();
    fields.sort_unstable();
    fields.dedup();
    let id = match fields.as_slice() {
        [id] => entity.field(id),
        _ => None,
    };
    let is_id =
        |kind: &FieldType| matches!(kind, FieldType::Id | FieldType::Text { .. } | FieldType::Int { .. });
    let Some(id) = id.filter(|field| is_id(&field.kind)) else {
        context.mistakes.add_with_help(
            place.span,
            format!("callers can't be of the entity `{written}`: its key must have one field, a string or an integer"),
            "choose the entity whose key is the subject of a token, such as a user id",
        );
        return None;
    };
    Some(Callers {
        entity: Arc::clone(entity),
        id: id.name.clone(),
        kind: id.kind.clone(),
        roles: Vec::new(),
        relations: Vec::new(),
        rules: BTreeMap::new(),
    })
}

/// Resolves the roles: the words of a field, or a list of words.
fn roles(context: &Context<'_>, node: &Node, callers: &Callers) -> Vec<String> {
    let Some(place) = node.get("roles") else { return Vec::new() };
    if let Some(words) = place.list() {
        let mut roles: Vec<String> = Vec::new();
        for word in words {
            let Some(text) = word.text() else { continue };
            check_new(context, text, word.span, roles.iter().map(String::as_str));
            roles.push(text.to_owned());
        }
        return roles;
    }
    let Some(written) = place.text() else { return Vec::new() };
    let kind = callers.entity.field(written).map(|field| &field.kind);
    let words = match kind {
        Some(FieldType::Choice(words)) => words,
        Some(FieldType::Set { of, .. }) => match &**of {
            FieldType::Choice(words) => words,
            _ => &Vec::new(),
        },
        _ => &Vec::new(),
    };
    if words.is_empty() {
        let entity = &callers.entity.name;
        context.mistakes.add_with_help(
            place.span,
            format!("`{written}` isn't a field of {entity} with the words of roles"),
            "name a field with `enum`, or write the roles as a list: `roles = [\"admin\"]`",
        );
    }
    for word in words {
        check_new(context, word, place.span, std::iter::empty());
    }
    words.clone()
}

/// Refuses a word that rules could understand in another way.
fn check_new<'w>(context: &Context<'_>, word: &str, span: Span, known: impl Iterator<Item = &'w str>) {
    if RESERVED.contains(&word) {
        context.mistakes.add_with_help(
            span,
            format!("`{word}` has a meaning of its own in rules"),
            "choose another word",
        );
    } else if { known }.any(|other| other == word) {
        context.mistakes.add_with_help(span, format!("`{word}` is there twice"), "remove one of them");
    }
}

/// Resolves a relation; `None` after a mistake.
fn resolve_relation(
    context: &Context<'_>,
    entry: &Entry,
    callers: &Callers,
    patterns: &[Arc<Pattern>],
) -> Option<CallerRelation> {
    name::check_word(context, "a relation", &entry.name, entry.span);
    let known = callers.roles.iter().map(String::as_str);
    check_new(context, &entry.name, entry.span, known);
    let node = &entry.node;
    let place = if node.text().is_some() { node } else { node.get("pattern")? };
    let written = place.text()?;
    let refuse = |span, message: String, help: &str| {
        context.mistakes.add_with_help(span, message, help);
        None
    };
    let Some(pattern) = patterns.iter().find(|pattern| pattern.name == written) else {
        let names = patterns.iter().filter(|pattern| !pattern.inline).map(|pattern| pattern.name.as_str());
        let message = format!("there is no pattern `{written}`");
        context.mistakes.add_with(place.span, message, name::help(written, "pattern", names));
        return None;
    };
    if !matches!(pattern.operation, Operation::Get(_) | Operation::Exists(_) | Operation::Query(_)) {
        return refuse(
            place.span,
            format!("`{written}` can't decide a relation: it must be a `get`, an `exists` or a `query`"),
            "name a pattern that finds something if the relation holds",
        );
    }
    let candidates = bound::candidates(callers, pattern);
    let caller = match node.get("caller").and_then(|place| Some((place, place.text()?))) {
        Some((_, given)) if pattern.parameter(given).is_some() => given.to_owned(),
        Some((place, given)) => {
            let names = pattern.parameters.iter().map(|parameter| parameter.name.as_str());
            let message = format!("`{written}` has no parameter `{given}`");
            context.mistakes.add_with(place.span, message, name::help(given, "parameter", names));
            return None;
        }
        None => match bound::chosen(callers, &candidates) {
            Some(name) => name.to_owned(),
            None => {
                return refuse(
                    place.span,
                    format!("it isn't clear which parameter of `{written}` is the caller"),
                    "name it: `{ pattern = \"…\", caller = \"…\" }`",
                );
            }
        },
    };
    Some(CallerRelation { name: entry.name.clone(), pattern: Arc::clone(pattern), caller })
}
