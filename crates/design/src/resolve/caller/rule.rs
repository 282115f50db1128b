//! Resolves `who`.

use std::sync::Arc;

use super::bound::{candidates, chosen, protects};
use super::owned::{is_returned, is_several, owned, owner_field};
use crate::model::{Callers, Entity, Operation, Pattern, Who};
use crate::report::Span;
use crate::resolve::{Context, name};
use crate::syntax::{Entry, Node};

/// Reads the rule of one pattern.
pub(super) struct RuleReader<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) callers: &'a Callers,
    pub(super) pattern: &'a Arc<Pattern>,
}

impl RuleReader<'_> {
    /// Returns the rule that a pattern gives; `None` after a mistake, and for internal patterns.
    pub(super) fn rule_of(&self, entry: &Entry) -> Option<Who> {
        let given = entry.node.entry("who");
        match (given, self.pattern.internal) {
            (None, true) => None,
            (Some(who), true) => self.refuse(
                who.span,
                format!("`{}` is internal, so callers can't run it", self.pattern.name),
                "remove `who`, or remove `internal`".to_owned(),
            ),
            (None, false) => self.refuse(
                entry.span,
                format!("`{}` doesn't say who may run it", self.pattern.name),
                format!("add `who = \"{}\"`, for example", self.proposal()),
            ),
            (Some(who), false) => self.rule(&who.node),
        }
    }

    fn rule(&self, node: &Node) -> Option<Who> {
        if let Some(rules) = node.list() {
            let rules: Option<Vec<Who>> = rules.iter().map(|rule| self.rule(rule)).collect();
            return rules.map(Who::Any);
        }
        if let Some(word) = node.text() {
            return self.word(node.span, word);
        }
        let [entry, ..] = node.table()? else { return None };
        if let Some(place) = node.get("self") {
            return self.own(place.span, place.text());
        }
        if let Some(place) = node.get("owner") {
            return self.owner(place.span, place.text());
        }
        if let Some(place) = node.get("relation") {
            return self.related(place.span, place.text()?, node.entries("with"));
        }
        let rules = entry.node.list()?;
        let rules: Option<Vec<Who>> = rules.iter().map(|rule| self.rule(rule)).collect();
        rules.map(Who::All)
    }

    fn word(&self, span: Span, word: &str) -> Option<Who> {
        match word {
            "anyone" => Some(Who::Anyone),
            "caller" => Some(Who::Caller),
            "self" => self.own(span, None),
            "owner" => self.owner(span, None),
            role if self.callers.roles.iter().any(|known| known == role) => Some(Who::Role(role.to_owned())),
            relation if self.callers.relation(relation).is_some() => self.related(span, relation, &[]),
            unknown => {
                let relations = self.callers.relations.iter().map(|relation| relation.name.as_str());
                let roles = self.callers.roles.iter().map(String::as_str);
                let words = ["anyone", "caller", "self", "owner"].into_iter().chain(roles).chain(relations);
                let message = format!("`{unknown}` isn't a rule, a role or a relation");
                self.context.mistakes.add_with(span, message, name::help(unknown, "rule", words));
                None
            }
        }
    }

    /// The parameter that is the caller.
    fn own(&self, span: Span, given: Option<&str>) -> Option<Who> {
        let pattern = &self.pattern.name;
        let id = format!("the id of a {}", self.callers.entity.name);
        let candidates = candidates(self.callers, self.pattern);
        let parameter = match given {
            Some(given) => candidates.iter().find(|name| **name == given).copied(),
            None => chosen(self.callers, &candidates),
        };
        let Some(parameter) = parameter else {
            let (message, help) = match (given, candidates.as_slice()) {
                (Some(given), []) => (
                    format!("`{given}` isn't a parameter of `{pattern}` that is {id}"),
                    "the pattern has none".to_owned(),
                ),
                (Some(given), several) => (
                    format!("`{given}` isn't a parameter of `{pattern}` that is {id}"),
                    format!("choose one of {}", name::list(several)),
                ),
                (None, []) => (
                    format!("no parameter of `{pattern}` is {id}"),
                    "use `owner` if a field of the item is the caller".to_owned(),
                ),
                (None, several) => (
                    format!("several parameters of `{pattern}` are {id}: {}", name::list(several)),
                    format!("say which: `who = {{ self = \"{}\" }}`", several.first().unwrap_or(&"")),
                ),
            };
            return self.refuse(span, message, help);
        };
        if !protects(self.pattern, parameter) {
            return self.refuse(
                span,
                format!("`{parameter}` doesn't determine which items `{pattern}` reads or changes"),
                format!(
                    "demand it in the condition, such as `if = \"owner = {{{parameter}}}\"`, or use `owner`"
                ),
            );
        }
        Some(Who::Own { parameter: parameter.to_owned() })
    }

    /// The field in which the caller is.
    fn owner(&self, span: Span, given: Option<&str>) -> Option<Who> {
        if let Operation::Transaction(_) = self.pattern.operation {
            return self.owner_of_step(span, given);
        }
        let entities = owned(self.pattern);
        if entities.is_empty() {
            return self.refuse(
                span,
                format!("`{}` neither shows nor changes an item with an owner", self.pattern.name),
                "use `self`, a role or a relation".to_owned(),
            );
        }
        let field = self.field(span, &entities, given)?;
        if !is_returned(self.pattern, field) {
            return self.refuse(
                span,
                format!("the items that `{}` reads don't have `{field}`", self.pattern.name),
                format!("add `{field}` to `show`, or to the attributes of the index"),
            );
        }
        let several = entities.first().and_then(|entity| is_several(self.callers, entity, field));
        Some(Who::Owner { step: None, field: field.to_owned(), is_several: several.unwrap_or(false) })
    }

    /// The field of a step's item. Without a name, the first step that changes an item with an owner is meant.
    fn owner_of_step(&self, span: Span, given: Option<&str>) -> Option<Who> {
        let Operation::Transaction(transaction) = &self.pattern.operation else { return None };
        let (step, field) = match given.map(|given| given.split_once('.').unwrap_or((given, ""))) {
            Some((step, field)) => (Some(step), Some(field).filter(|field| !field.is_empty())),
            None => (None, None),
        };
        let found = transaction.steps.iter().find_map(|one| {
            let entity = match &one.pattern.operation {
                Operation::Update(update) => &update.entity,
                Operation::Delete(delete) => &delete.entity,
                Operation::Check(check) => &check.entity,
                Operation::Put(insert) => &insert.entity,
                _ => return None,
            };
            let is_meant = match step {
                Some(step) => one.name == step,
                None => owner_field(self.callers, entity).is_some(),
            };
            is_meant.then_some((&one.name, entity))
        });
        let Some((step, entity)) = found else {
            return self.refuse(
                span,
                format!("no such step of `{}` changes or checks an item with an owner", self.pattern.name),
                "name the step and the field: `who = { owner = \"step.field\" }`".to_owned(),
            );
        };
        let field = self.field(span, &[entity], field)?;
        let is_several = is_several(self.callers, entity, field).unwrap_or(false);
        Some(Who::Owner { step: Some(step.clone()), field: field.to_owned(), is_several })
    }

    /// The field in which the owner of items of these entities is.
    fn field<'e>(&self, span: Span, entities: &[&'e Arc<Entity>], given: Option<&str>) -> Option<&'e str> {
        let callers = &self.callers.entity.name;
        let mut found: Option<&'e str> = None;
        for entity in entities {
            let field = match given {
                Some(given) => entity.field(given).map(|field| field.name.as_str()),
                None => owner_field(self.callers, entity),
            };
            let field = field.filter(|field| is_several(self.callers, entity, field).is_some());
            let Some(field) = field.filter(|field| found.is_none_or(|found| found == *field)) else {
                let help = format!("name a field that refers to a {callers}: `who = {{ owner = \"…\" }}`");
                let message = match given {
                    Some(given) => format!("`{given}` of {} doesn't refer to a {callers}", entity.name),
                    None => format!("it isn't clear in which field of {} its owner is", entity.name),
                };
                return self.refuse(span, message, help);
            };
            found = Some(field);
        }
        found
    }

    /// A relation, whose parameters other than the caller are parameters of the pattern.
    fn related(&self, span: Span, word: &str, renamed: &[Entry]) -> Option<Who> {
        let Some(relation) = self.callers.relation(word) else {
            let names = self.callers.relations.iter().map(|relation| relation.name.as_str());
            let message = format!("there is no relation `{word}`");
            self.context.mistakes.add_with(span, message, name::help(word, "relation", names));
            return None;
        };
        if let Some(entry) = renamed.iter().find(|entry| !relation.others().any(|name| name == entry.name)) {
            let message = format!("`{}` has no parameter `{}`", relation.pattern.name, entry.name);
            let help = name::help(&entry.name, "parameter", relation.others());
            self.context.mistakes.add_with(entry.span, message, help);
            return None;
        }
        let mut with = Vec::new();
        for name in relation.others() {
            let given = renamed.iter().find(|entry| entry.name == name);
            let source = given.and_then(|entry| entry.node.text()).unwrap_or(name);
            let required = relation.pattern.parameter(name).is_some_and(|parameter| parameter.required);
            match self.pattern.parameter(source).filter(|parameter| parameter.required) {
                Some(_) => with.push((name.to_owned(), source.to_owned())),
                None if !required && given.is_none() => {}
                None => {
                    return self.refuse(
                        given.map_or(span, |entry| entry.node.span),
                        format!(
                            "`{word}` needs `{source}`, which callers of `{}` don't always give",
                            self.pattern.name
                        ),
                        format!(
                            "say which parameter it is: \
                             `who = {{ relation = \"{word}\", with = {{ {name} = \"…\" }} }}`"
                        ),
                    );
                }
            }
        }
        Some(Who::Related { relation: word.to_owned(), with })
    }

    /// A rule that fits the pattern.
    fn proposal(&self) -> &'static str {
        let own = chosen(self.callers, &candidates(self.callers, self.pattern));
        if own.is_some_and(|parameter| protects(self.pattern, parameter)) {
            return "self";
        }
        let has_owner = |entity: &&Arc<Entity>| owner_field(self.callers, entity).is_some();
        match owned(self.pattern) {
            entities if !self.pattern.reads() && entities.first().is_some_and(has_owner) => "owner",
            _ => "caller",
        }
    }

    fn refuse<T>(&self, span: Span, message: String, help: String) -> Option<T> {
        self.context.mistakes.add_with_help(span, message, help);
        None
    }
}
