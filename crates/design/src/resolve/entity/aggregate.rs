//! Resolves fields that are derived from items of other entities: `count = "Like"`.

use super::relation::DraftsByName;
use super::{Context, EntityDraft};
use crate::condition::Condition;
use crate::model::{Aggregate, AggregateKind, AggregateSource, Field, FieldType, SUMS_ATTRIBUTE};
use crate::resolve::field::{DERIVED_WORDS, derived_word, kind_name};
use crate::resolve::key::EntryDraft;
use crate::resolve::name;
use crate::resolve::own_condition::{self, Known};
use crate::resolve::referral::{Linker, Party};
use crate::resolve::template::find;
use crate::syntax::{Entry, Node};
use crate::template::{Format, Part};

/// The decimals of an average that doesn't say how many.
const DECIMALS_USUAL: u8 = 2;
/// The words that summarise items.
const SUMMARISING_WORDS: &[&str] = &["count", "sum", "average", "exists", "highest", "lowest", "latest"];
/// The most fields of one design that are derived. A change of one item can touch as many others.
const AGGREGATES_MAX: usize = 20;

/// Resolves the derived fields of all entities, in the order of the drafts.
pub(super) fn aggregates(
    context: &Context<'_>,
    drafts: &[EntityDraft<'_>],
    by_name: &DraftsByName<'_, '_>,
) -> Vec<Vec<Aggregate>> {
    let all: Vec<Vec<Aggregate>> =
        drafts.iter().map(|draft| Resolver { context, draft, by_name }.all()).collect();
    not_in_keys(context, drafts);
    drafts.iter().zip(&all).for_each(|(draft, rules)| fit_in_keys(context, draft, rules));
    not_too_many(context, drafts, &all);
    all
}

/// Resolves the derived fields of one entity.
struct Resolver<'r, 'a> {
    context: &'r Context<'r>,
    draft: &'r EntityDraft<'a>,
    by_name: &'r DraftsByName<'r, 'a>,
}

/// An entity whose items count, and where the design names it.
struct NamedSource<'r, 'a> {
    draft: &'r EntityDraft<'a>,
    value: Option<String>,
    node: &'r Node,
}

impl<'r, 'a> Resolver<'r, 'a> {
    fn all(&self) -> Vec<Aggregate> {
        let entries = self.draft.node.entries("fields").iter();
        entries.filter_map(|entry| self.aggregate(entry)).collect()
    }

    fn aggregate(&self, entry: &'r Entry) -> Option<Aggregate> {
        if entry.name == SUMS_ATTRIBUTE {
            let message = format!("no field can be called `{SUMS_ATTRIBUTE}`");
            let help = "items keep what derived fields are made from in it: use another name";
            self.context.mistakes.add_with_help(entry.span, message, help);
            return None;
        }
        let Some(word) = derived_word(&entry.node) else {
            self.lonely_keys(entry);
            return None;
        };
        let field = self.draft.fields.list.iter().find(|field| field.name == entry.name)?;
        self.alone(entry, field, word);
        let kind = kind(&entry.node, word)?;
        let node = entry.node.get(word)?;
        let mut sources: Vec<AggregateSource> = Vec::new();
        for named in self.named(node, kind) {
            let Some(source) = self.source(entry, &named) else { continue };
            if sources.iter().any(|known| known.entity == source.entity) {
                let message = format!("`{}` appears twice", source.entity);
                self.context.mistakes.add(named.node.span, message);
                continue;
            }
            sources.push(source);
        }
        let span = entry.node.entry(word).map_or(entry.span, |place| place.span);
        (!sources.is_empty()).then(|| Aggregate { field: entry.name.clone(), kind, sources, span })
    }

    /// Checks that keys of a rule don't stand without one.
    fn lonely_keys(&self, entry: &Entry) {
        for key in ["via", "filter", "decimals"].iter().filter_map(|key| entry.node.entry(key)) {
            let words = match key.name.as_str() {
                "via" => &DERIVED_WORDS,
                "filter" => SUMMARISING_WORDS,
                _ => &["average"],
            };
            self.context.mistakes.add_with_help(
                key.span,
                format!("`{}` needs {}", key.name, name::list_or(words)),
                format!("add the entity that `{}` is derived from, or remove `{}`", entry.name, key.name),
            );
        }
    }

    /// Checks that nothing else gives the field a value.
    fn alone(&self, entry: &Entry, field: &Field, word: &str) {
        let has_nothing = !matches!(word, "count" | "sum" | "exists");
        let given = ["value", "default"].into_iter().filter(|key| *key != "default" || !has_nothing);
        let others = DERIVED_WORDS.into_iter().filter(|other| *other != word).chain(given);
        for other in others.filter_map(|key| entry.node.entry(key)) {
            let message = format!("`{}` can't be used with `{word}`", other.name);
            let help = match other.name.as_str() {
                "default" => format!("a {word} of nothing is known: remove `default`"),
                name => format!("remove `{name}` or `{word}`"),
            };
            self.context.mistakes.add_with_help(other.span, message, help);
        }
        if let (Some(decimals), false) = (entry.node.entry("decimals"), word == "average") {
            let message = "`decimals` can only be used with `average`";
            self.context.mistakes.add_with_help(decimals.span, message, "remove `decimals`");
        }
        if let (Some(filter), "copy") = (entry.node.entry("filter"), word) {
            let message = "`filter` can't be used with `copy`";
            self.context.mistakes.add_with_help(filter.span, message, "remove `filter`");
        }
        if word == "average" && !field.optional && field.default.is_none() {
            self.context.mistakes.add_with_help(
                entry.span,
                format!("`{}` is the average of nothing at first, and has no value then", entry.name),
                "add `optional = true`, or a `default` such as `default = 0`",
            );
        }
    }

    /// Returns the entities that a rule names, with the field of each that is summarised.
    fn named(&self, node: &'r Node, kind: AggregateKind) -> Vec<NamedSource<'r, 'a>> {
        let places = node.list().unwrap_or(std::slice::from_ref(node));
        let wants_value = matches!(kind, AggregateKind::Sum | AggregateKind::Average { .. });
        places.iter().filter_map(|place| self.named_source(place, wants_value)).collect()
    }

    fn named_source(&self, place: &'r Node, wants_value: bool) -> Option<NamedSource<'r, 'a>> {
        let text = place.text()?;
        let (entity, value) = match text.split_once('.') {
            Some((entity, value)) => (entity, Some(value)),
            None => (text, None),
        };
        let Some(draft) = self.by_name.get(entity).copied() else {
            let message = format!("there is no entity `{entity}`");
            let names = self.by_name.keys().copied();
            self.context.mistakes.add_with(place.span, message, name::help(entity, "entity", names));
            return None;
        };
        match (wants_value, value) {
            (true, None) => {
                let message = "this needs an entity and a field";
                let help = format!("write `{entity}.FIELD` with the field that is summarised");
                self.context.mistakes.add_with_help(place.span, message, help);
                None
            }
            (false, Some(_)) => {
                let message = "this needs an entity without a field";
                let help = format!("write `{entity}`; `filter` chooses among its items");
                self.context.mistakes.add_with_help(place.span, message, help);
                None
            }
            (true, Some(value)) => {
                self.summarised(place, draft, value)?;
                Some(NamedSource { draft, value: Some(value.to_owned()), node: place })
            }
            (false, None) => Some(NamedSource { draft, value: None, node: place }),
        }
    }

    /// Checks that a field can be summarised.
    fn summarised(&self, place: &Node, other: &EntityDraft<'_>, path: &str) -> Option<()> {
        let fields = &other.fields;
        if path.split('.').next().is_some_and(|first| fields.vague.contains(first)) {
            return None;
        }
        let Some(found) = find(&fields.list, path) else {
            let message = format!("`{}` has no field `{path}`", other.name);
            let help = name::help(path, "field", fields.list.iter().map(|field| field.name.as_str()));
            self.context.mistakes.add_with(place.span, message, help);
            return None;
        };
        if !matches!(found.kind, FieldType::Int { .. } | FieldType::Number { .. }) {
            let message =
                format!("`{path}` is of type `{}`, and only numbers are summarised", kind_name(found.kind));
            self.context.mistakes.add_with_help(
                place.span,
                message,
                "name a field of type `int` or `number`",
            );
            return None;
        }
        Some(())
    }

    fn source(&self, entry: &'r Entry, named: &NamedSource<'r, 'a>) -> Option<AggregateSource> {
        let (own, naming) = (Party::of_draft(self.draft), Party::of_draft(named.draft));
        let via = entry.node.get("via");
        let linker = Linker { context: self.context, named: &own, naming: &naming, via, place: named.node };
        let link = linker.link();
        let filter = entry.node.get("filter");
        let condition = filter.map(|node| self.filter(node, named.draft));
        let filter = match condition {
            Some(condition) => Some(condition?),
            None => None,
        };
        Some(AggregateSource {
            entity: named.draft.name.to_owned(),
            link: link?,
            value: named.value.clone(),
            filter,
        })
    }

    /// Resolves the condition on the items that count.
    fn filter(&self, node: &Node, other: &EntityDraft<'_>) -> Option<Condition> {
        let known = Known { fields: &other.fields.list, vague: &other.fields.vague, beyond: &|_| None };
        own_condition::condition(self.context, node, known)
    }
}

/// Returns how the word summarises items; `None` if it doesn't.
fn kind(node: &Node, word: &str) -> Option<AggregateKind> {
    let decimals = node.get("decimals").and_then(Node::whole).and_then(|count| u8::try_from(count).ok());
    Some(match word {
        "count" => AggregateKind::Count,
        "sum" => AggregateKind::Sum,
        "average" => AggregateKind::Average { decimals: decimals.unwrap_or(DECIMALS_USUAL) },
        "exists" => AggregateKind::Exists,
        _ => return None,
    })
}

/// Checks that no key of a table and no unique constraint uses a derived field: an item can't change its key, and a
/// derived value can't be refused.
fn not_in_keys(context: &Context<'_>, drafts: &[EntityDraft<'_>]) {
    for draft in drafts {
        let derived = |path: &str| {
            let first = path.split('.').next().unwrap_or(path);
            draft.fields.list.iter().find(|field| field.derived && field.name == first)
        };
        let Some(key) = &draft.key else { continue };
        let templates = std::iter::once(&key.partition).chain(&key.sort);
        for field in templates.flat_map(|template| template.fields()).filter_map(derived) {
            context.mistakes.add_with_help(
                field.span,
                format!("`{}` is derived from other items, so it can't be in the table's key", field.name),
                "the key of an item never changes; use the field in the key of an index",
            );
        }
        let unique = draft.node.get("unique").and_then(Node::list).unwrap_or_default();
        let places = unique.iter().flat_map(|group| group.list().unwrap_or(std::slice::from_ref(group)));
        for place in places {
            let names = draft.fields.list.iter().filter(|field| field.derived);
            let text = place.text().unwrap_or_default();
            let braced = |name: &str| text == name || text.contains(&format!("{{{name}"));
            if let Some(field) = names.into_iter().find(|field| braced(&field.name)) {
                context.mistakes.add_with_help(
                    place.span,
                    format!("`{}` is derived from other items, so it can't be unique", field.name),
                    "unique values are reserved when an item is written, and derived values come later",
                );
            }
        }
    }
}

/// Checks that the keys of indexes have room for all decimals of an average. An item whose average has more couldn't take it.
fn fit_in_keys(context: &Context<'_>, draft: &EntityDraft<'_>, rules: &[Aggregate]) {
    for rule in rules {
        let AggregateKind::Average { decimals } = rule.kind else { continue };
        let parts = |entry: &EntryDraft| -> Vec<Part> {
            let templates = entry.partition.iter().chain(&entry.sort);
            templates.flat_map(|template| template.parts.iter().cloned()).collect()
        };
        let narrow = draft.entries.iter().find_map(|entry| {
            parts(entry).into_iter().find_map(|part| match part.format_of(&rule.field) {
                Some(Format::Padded { width, decimals: kept, .. }) if kept < decimals => {
                    Some((entry.index.as_str(), width, kept))
                }
                _ => None,
            })
        });
        if let Some((index, width, kept)) = narrow {
            let (field, point) = (&rule.field, u8::from(kept == 0));
            let wide = width.saturating_add(decimals - kept).saturating_add(point);
            context.mistakes.add_with_help(
                rule.span,
                format!("`{field}` is kept with `decimals = {decimals}`, but the key of `{index}` has room for {kept}"),
                format!("add `decimals = {kept}`, or write `{{{field}:0{wide}.{decimals}}}` in the key"),
            );
        }
    }
}

fn not_too_many(context: &Context<'_>, drafts: &[EntityDraft<'_>], all: &[Vec<Aggregate>]) {
    let mut rules = drafts.iter().zip(all).flat_map(|(_, aggregates)| aggregates).skip(AGGREGATES_MAX);
    if let Some(rule) = rules.next() {
        let message = format!("a design can have at most {AGGREGATES_MAX} derived fields");
        context.mistakes.add(rule.span, message);
    }
}
