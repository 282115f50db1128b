//! Resolves derivations that lead out of the database: archives.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::{Archive, Event, Trigger};
use crate::names::nearest;
use crate::resolve::Context;
use crate::resolve::entity::{Entities, ResolvedEntity};
use crate::resolve::own_condition::{self, Known};
use crate::resolve::{name, template};
use crate::syntax::{Entry, Node};
use crate::template::{Part, Template};

/// The longest path of an archive in a design.
const PATH_BYTES_MAX: usize = 200;
/// The most folders that a path leads through.
const PARTS_MAX: usize = 8;

/// Resolves one derivation.
pub(super) struct OutletDraft<'r> {
    pub(super) context: &'r Context<'r>,
    pub(super) entities: &'r Entities,
    pub(super) entry: &'r Entry,
}

/// Events of the items of one entity, before the condition is known.
struct Events<'r> {
    of: &'r ResolvedEntity,
    events: BTreeSet<Event>,
}

impl OutletDraft<'_> {
    pub(super) fn archive(&self, file: &Node) -> Option<Archive> {
        let events = self.events(&[Event::Delete, Event::Expire])?;
        let mut found = None;
        for one in &events {
            found = Some(self.file(file, one.of)?);
        }
        Some(Archive { file: found?, triggers: self.triggers(events)? })
    }

    /// Resolves `on`.
    fn events(&self, known: &[Event]) -> Option<Vec<Events<'_>>> {
        let on = self.entry.node.get("on")?;
        let before = self.context.mistakes.count();
        let mut all: Vec<Events<'_>> = Vec::new();
        for place in on.list().unwrap_or(std::slice::from_ref(on)) {
            let Some((event, of)) = self.event(place, known) else { continue };
            let same = all.iter().position(|other| other.of.entity.name == of.entity.name);
            let is_new = match same.and_then(|at| all.get_mut(at)) {
                Some(other) => other.events.insert(event),
                None => {
                    all.push(Events { of, events: BTreeSet::from([event]) });
                    true
                }
            };
            if !is_new {
                let message = format!("`{} {}` appears twice", event.word(), of.entity.name);
                self.context.mistakes.add(place.span, message);
            }
        }
        (self.context.mistakes.count() == before && !all.is_empty()).then_some(all)
    }

    /// Resolves an event with its entity, such as `expire Session`.
    fn event(&self, place: &Node, known: &[Event]) -> Option<(Event, &ResolvedEntity)> {
        let text = place.text()?;
        let words = || known.iter().map(|event| event.word());
        let mut parts = text.split_ascii_whitespace();
        let (Some(word), Some(name), None) = (parts.next(), parts.next(), parts.next()) else {
            let example = words().next_back().unwrap_or_default();
            self.context.mistakes.add_with_help(
                place.span,
                format!("`{text}` isn't an event with an entity"),
                format!("write an event and the name of an entity, such as `{example} Session`"),
            );
            return None;
        };
        let Some(event) = Event::of_word(word).filter(|event| known.contains(event)) else {
            let help = match nearest(word, words()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the events are {}", name::list(&words().collect::<Vec<_>>())),
            };
            self.context.mistakes.add_with_help(
                place.span,
                format!("`{word}` isn't an event that can be used here"),
                help,
            );
            return None;
        };
        let of = self.entity(place, name)?;
        if event == Event::Expire && of.entity.ttl.is_none() {
            self.context.mistakes.add_with_help(
                place.span,
                format!("items of `{name}` never expire"),
                format!("give `{name}` an expiry, such as `ttl = \"365 days after created_at\"`"),
            );
            return None;
        }
        Some((event, of))
    }

    fn entity(&self, place: &Node, name: &str) -> Option<&ResolvedEntity> {
        let found = self.entities.find(name);
        if found.is_none() {
            let message = format!("there is no entity `{name}`");
            self.context.mistakes.add_with(
                place.span,
                message,
                name::help(name, "entity", self.entities.names()),
            );
        }
        found.filter(|known| known.sound)
    }

    fn triggers(&self, events: Vec<Events<'_>>) -> Option<Vec<Trigger>> {
        let when = self.entry.node.get("when");
        let trigger = |Events { of, events }: Events<'_>| {
            let fields = Known { fields: &of.entity.fields, vague: &of.vague, beyond: &|_| None };
            let condition = match when {
                Some(when) => Some(own_condition::condition(self.context, when, fields)?),
                None => None,
            };
            Some(Trigger { entity: Arc::clone(&of.entity), events, condition })
        };
        events.into_iter().map(trigger).collect()
    }

    /// Resolves the path of an archive for the items of an entity.
    fn file(&self, node: &Node, of: &ResolvedEntity) -> Option<Template> {
        let role = template::KeyRole { own: false, partition: true, separator: '/' };
        let entity = &of.entity;
        let file = template::template(self.context, node, &entity.name, &entity.fields, &of.vague, role)?;
        if let Some(reason) = wrong_path(&file) {
            self.context.mistakes.add_with_help(
                node.span,
                format!("`{file}` can't be the path of a file: {reason}"),
                "write parts between slashes, such as `sessions/{created_at:month}`",
            );
            return None;
        }
        Some(file)
    }
}

/// Returns why a template can't be a path.
fn wrong_path(file: &Template) -> Option<String> {
    // The values of fields are made harmless whenever a path is written: here, each stands for a letter.
    let text = |part: &Part| match part {
        Part::Literal(text) => text.clone(),
        Part::Field { .. } | Part::Shard { .. } => "x".to_owned(),
    };
    let path: String = file.parts.iter().map(text).collect();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.' | '=');
    if let Some(letter) = path.chars().find(|letter| *letter != '/' && !is_plain(*letter)) {
        return Some(format!("it has `{}` in it", letter.escape_default()));
    }
    let parts: Vec<&str> = path.split('/').collect();
    if parts.iter().any(|part| part.is_empty()) {
        return Some("a part is empty".to_owned());
    }
    if parts.iter().any(|part| part.starts_with('.')) {
        return Some("a part begins with a dot".to_owned());
    }
    if path.len() > PATH_BYTES_MAX || parts.len() > PARTS_MAX {
        return Some(format!("it has more than {PATH_BYTES_MAX} characters or {PARTS_MAX} parts"));
    }
    None
}
