//! Resolves fields that repeat a field of another item: `copy = "User.name"`.

use super::relation::DraftsByName;
use super::{Context, EntityDraft};
use crate::model::FieldCopy;
use crate::resolve::field::{derived_word, kind_name};
use crate::resolve::name;
use crate::resolve::parameters::stored_alike;
use crate::resolve::referral::{Linker, Party};
use crate::resolve::template::{self, find};
use crate::syntax::{Entry, Node};

/// The most references of a design along which fields are copied. A change of one item can start a task for each.
const REFERENCES_MAX: usize = 16;

/// The entity that refers, the one that is referred to, and the fields.
type Course<'a> = (&'a str, &'a str, &'a [(String, String)]);

/// Resolves the copied fields of all entities, in the order of the drafts.
pub(super) fn copies(
    context: &Context<'_>,
    drafts: &[EntityDraft<'_>],
    by_name: &DraftsByName<'_, '_>,
) -> Vec<Vec<FieldCopy>> {
    let of = |draft: &EntityDraft<'_>| -> Vec<FieldCopy> {
        let entries = draft.node.entries("fields").iter();
        entries.filter_map(|entry| Copier { context, draft, by_name, entry }.copy()).collect()
    };
    let all: Vec<Vec<FieldCopy>> = drafts.iter().map(of).collect();
    not_too_many(context, drafts, &all);
    all
}

/// Resolves one field.
struct Copier<'r, 'a> {
    context: &'r Context<'r>,
    draft: &'r EntityDraft<'a>,
    by_name: &'r DraftsByName<'r, 'a>,
    entry: &'r Entry,
}

impl Copier<'_, '_> {
    fn copy(&self) -> Option<FieldCopy> {
        let node = &self.entry.node;
        if derived_word(node) != Some("copy") {
            return None;
        }
        let place = node.get("copy")?;
        self.can_be_missing();
        let (source, value) = self.source(place)?;
        let (named, naming) = (Party::of_draft(source), Party::of_draft(self.draft));
        let via = node.get("via");
        let linker = Linker { context: self.context, named: &named, naming: &naming, via, place };
        for (_, field) in linker.link()? {
            self.is_given(via.unwrap_or(place), &field)?;
        }
        let referral = linker.referral()?;
        Some(FieldCopy {
            field: self.entry.name.clone(),
            source: source.name.to_owned(),
            value: value.to_owned(),
            referral,
            span: node.entry("copy").map_or(self.entry.span, |place| place.span),
        })
    }

    /// Checks that the field can have no value: the other item may be missing.
    fn can_be_missing(&self) {
        let field = self.draft.fields.list.iter().find(|field| field.name == self.entry.name);
        if field.is_some_and(|field| !field.optional && field.default.is_none()) {
            self.context.mistakes.add_with_help(
                self.entry.span,
                format!("`{}` has no value while there is nothing to copy", self.entry.name),
                "add `optional = true`, or a `default`",
            );
        }
    }

    /// Returns the entity and the field that are copied.
    fn source<'p>(&self, place: &'p Node) -> Option<(&EntityDraft<'_>, &'p str)> {
        let text = place.text()?;
        let Some((entity, value)) = text.split_once('.') else {
            let help = format!("write `{text}.FIELD` with the field that is copied");
            self.context.mistakes.add_with_help(place.span, "this needs an entity and a field", help);
            return None;
        };
        let Some(source) = self.by_name.get(entity).copied() else {
            let message = format!("there is no entity `{entity}`");
            let names = self.by_name.keys().copied();
            self.context.mistakes.add_with(place.span, message, name::help(entity, "entity", names));
            return None;
        };
        let is_vague = |draft: &EntityDraft<'_>, path: &str| {
            path.split('.').next().is_some_and(|first| draft.fields.vague.contains(first))
        };
        if is_vague(source, value) || is_vague(self.draft, &self.entry.name) {
            return None;
        }
        let Some(theirs) = find(&source.fields.list, value) else {
            let message = format!("`{entity}` has no field `{value}`");
            self.context.mistakes.add_with(place.span, message, template::help(&source.fields.list, value));
            return None;
        };
        let own = find(&self.draft.fields.list, &self.entry.name)?;
        if !stored_alike(own.kind, theirs.kind) {
            let (own, theirs) = (kind_name(own.kind), kind_name(theirs.kind));
            let name = &self.entry.name;
            let message = format!("`{text}` is of type `{theirs}`, but `{name}` is of type `{own}`");
            self.context.mistakes.add_with_help(place.span, message, "both must be of one type");
            return None;
        }
        Some((source, value))
    }

    /// Checks that a field that names the other item doesn't follow from other data.
    fn is_given(&self, place: &Node, path: &str) -> Option<()> {
        let first = path.split('.').next().unwrap_or(path);
        let field = self.draft.fields.list.iter().find(|field| field.name == first)?;
        if !field.computed && !field.derived {
            return Some(());
        }
        self.context.mistakes.add_with_help(
            place.span,
            format!("`{first}` follows from other data, so it can't name the item that is copied from"),
            "name the item by fields that callers give",
        );
        None
    }
}

fn not_too_many(context: &Context<'_>, drafts: &[EntityDraft<'_>], all: &[Vec<FieldCopy>]) {
    let mut known: Vec<Course<'_>> = Vec::new();
    for (draft, copies) in drafts.iter().zip(all) {
        for copy in copies {
            let reference = (draft.name, copy.source.as_str(), copy.referral.link.as_slice());
            if known.contains(&reference) {
                continue;
            }
            if known.len() == REFERENCES_MAX {
                let message =
                    format!("a design can copy fields along at most {REFERENCES_MAX} different references");
                context.mistakes.add(copy.span, message);
                return;
            }
            known.push(reference);
        }
    }
}
