//! Resolves fields that have one value among those of related items: `highest = "Bid.amount"`.

use super::relation::DraftsByName;
use super::{Context, EntityDraft};
use crate::condition::Condition;
use crate::model::{Extreme, ExtremeKind, ExtremeSource, FieldType};
use crate::resolve::field::{derived_word, kind_name};
use crate::resolve::name;
use crate::resolve::ordered::Wanted;
use crate::resolve::own_condition::{self, Known};
use crate::resolve::parameters::stored_alike;
use crate::resolve::referral::{Linker, Party};
use crate::resolve::template::{self, find};
use crate::syntax::{Entry, Node};

/// The most such fields of one design, and the most entities of one field. Each is a query after a change.
const EXTREMES_MAX: usize = 16;
const SOURCES_MAX: usize = 4;

/// Resolves these fields of all entities, in the order of the drafts.
pub(super) fn extremes(
    context: &Context<'_>,
    drafts: &[EntityDraft<'_>],
    by_name: &DraftsByName<'_, '_>,
) -> Vec<Vec<Extreme>> {
    let of = |draft: &EntityDraft<'_>| -> Vec<Extreme> {
        let entries = draft.node.entries("fields").iter();
        entries.filter_map(|entry| Finder { context, draft, by_name, entry }.extreme()).collect()
    };
    let all: Vec<Vec<Extreme>> = drafts.iter().map(of).collect();
    if let Some(rule) = all.iter().flatten().nth(EXTREMES_MAX) {
        let message = format!("a design can have at most {EXTREMES_MAX} highest, lowest and latest values");
        context.mistakes.add(rule.span, message);
    }
    all
}

/// Resolves one field.
struct Finder<'r, 'a> {
    context: &'r Context<'r>,
    draft: &'r EntityDraft<'a>,
    by_name: &'r DraftsByName<'r, 'a>,
    entry: &'r Entry,
}

impl Finder<'_, '_> {
    fn extreme(&self) -> Option<Extreme> {
        let node = &self.entry.node;
        let word = derived_word(node)?;
        let kinds = [ExtremeKind::Highest, ExtremeKind::Lowest, ExtremeKind::Latest];
        let kind = kinds.into_iter().find(|kind| kind.word() == word)?;
        self.can_be_missing(kind);
        let place = node.get(word)?;
        if !self.is_possible(kind, place) {
            return None;
        }
        let mut sources: Vec<ExtremeSource> = Vec::new();
        for place in place.list().unwrap_or(std::slice::from_ref(place)) {
            let Some(source) = self.source(place, kind) else { continue };
            if sources.iter().any(|known| known.entity == source.entity) {
                let message = format!("`{}` appears twice", source.entity);
                self.context.mistakes.add(place.span, message);
            } else if sources.len() == SOURCES_MAX {
                let message = format!("a field can follow from at most {SOURCES_MAX} entities");
                self.context.mistakes.add(place.span, message);
            } else {
                sources.push(source);
            }
        }
        let span = node.entry(word).map_or(self.entry.span, |place| place.span);
        (!sources.is_empty()).then(|| Extreme { field: self.entry.name.clone(), kind, sources, span })
    }

    /// Returns whether the word can be used here. The syntax check has reported types without an order, and lists.
    fn is_possible(&self, kind: ExtremeKind, place: &Node) -> bool {
        use FieldType::{Date, Epoch, Int, Number, Time};
        if kind == ExtremeKind::Latest {
            return place.list().is_none();
        }
        let field = self.draft.fields.list.iter().find(|field| field.name == self.entry.name);
        field.is_some_and(|field| matches!(field.kind, Int { .. } | Number { .. } | Date | Time | Epoch))
    }

    /// Checks that the field can have no value: there may be no item.
    fn can_be_missing(&self, kind: ExtremeKind) {
        let field = self.draft.fields.list.iter().find(|field| field.name == self.entry.name);
        if field.is_some_and(|field| !field.optional && field.default.is_none()) {
            self.context.mistakes.add_with_help(
                self.entry.span,
                format!(
                    "`{}` is the {} value of nothing at first, and has no value then",
                    self.entry.name,
                    kind.word()
                ),
                "add `optional = true`, or a `default`",
            );
        }
    }

    fn source(&self, place: &Node, kind: ExtremeKind) -> Option<ExtremeSource> {
        let text = place.text()?;
        let Some((entity, value)) = text.split_once('.') else {
            let help = format!("write `{text}.FIELD` with the field whose value is taken");
            self.context.mistakes.add_with_help(place.span, "this needs an entity and a field", help);
            return None;
        };
        let Some(other) = self.by_name.get(entity).copied() else {
            let message = format!("there is no entity `{entity}`");
            let names = self.by_name.keys().copied();
            self.context.mistakes.add_with(place.span, message, name::help(entity, "entity", names));
            return None;
        };
        self.value(place, other, value)?;
        let (named, naming) = (Party::of_draft(self.draft), Party::of_draft(other));
        let via = self.entry.node.get("via");
        let linker = Linker { context: self.context, named: &named, naming: &naming, via, place };
        let wanted = match kind {
            ExtremeKind::Highest | ExtremeKind::Lowest => Wanted::By(value),
            ExtremeKind::Latest => Wanted::ByTime,
        };
        let ordered = linker.ordered(wanted)?;
        let filter = match self.entry.node.get("filter") {
            Some(node) => Some(self.filter(node, other)?),
            None => None,
        };
        Some(ExtremeSource {
            entity: entity.to_owned(),
            value: value.to_owned(),
            order: ordered.field,
            referral: ordered.referral,
            is_first: ordered.is_descending != (kind == ExtremeKind::Lowest),
            filter,
        })
    }

    /// Checks that the field can have values of another one.
    fn value(&self, place: &Node, other: &EntityDraft<'_>, path: &str) -> Option<()> {
        let is_vague = |draft: &EntityDraft<'_>, path: &str| {
            path.split('.').next().is_some_and(|first| draft.fields.vague.contains(first))
        };
        if is_vague(other, path) || is_vague(self.draft, &self.entry.name) {
            return None;
        }
        let Some(theirs) = find(&other.fields.list, path) else {
            let message = format!("`{}` has no field `{path}`", other.name);
            self.context.mistakes.add_with(place.span, message, template::help(&other.fields.list, path));
            return None;
        };
        let own = find(&self.draft.fields.list, &self.entry.name)?;
        if !stored_alike(own.kind, theirs.kind) {
            let (own, theirs) = (kind_name(own.kind), kind_name(theirs.kind));
            let (entity, name) = (other.name, &self.entry.name);
            let message = format!("`{entity}.{path}` is of type `{theirs}`, but `{name}` is of type `{own}`");
            self.context.mistakes.add_with_help(place.span, message, "both must be of one type");
            return None;
        }
        Some(())
    }

    /// Resolves the condition on the items that are candidates.
    fn filter(&self, node: &Node, other: &EntityDraft<'_>) -> Option<Condition> {
        let known = Known { fields: &other.fields.list, vague: &other.fields.vague, beyond: &|_| None };
        own_condition::condition(self.context, node, known)
    }
}
