//! Resolves items that are made for each item that a query finds.

use std::sync::Arc;

use super::maker::MakerDraft;
use super::value::Sources;
use super::{entity, first};
use crate::expression::{Composed, Expression};
use crate::model::{
    Entity, FAN_BACKFILL_DEFAULT, Fan, FieldType, KeyTemplates, Operation, Pattern, Query, Referral,
    ValueSource, plain_path,
};
use crate::resolve::Context;
use crate::resolve::entity::ResolvedEntity;
use crate::resolve::name;
use crate::resolve::parameters::stored_alike;
use crate::resolve::referral::Party;
use crate::resolve::template::find;
use crate::syntax::{Entry, Node};
use crate::template::{Format, Part};

/// Resolves one derivation.
pub(super) struct FanDraft<'r> {
    pub(super) maker: MakerDraft<'r>,
    pub(super) patterns: &'r [Arc<Pattern>],
}

/// The query that finds the matches, and where it is named.
struct Matches<'r> {
    place: &'r Node,
    pattern: &'r Arc<Pattern>,
    query: &'r Query,
    found: &'r Arc<Entity>,
}

/// The values of entries, with the fields that they come from.
struct Inverse<'r> {
    found: &'r str,
    set: &'r [(String, ValueSource)],
}

/// Fields of an item or a match, with the fields of an entry that have their values.
type Pairs = Vec<(String, String)>;

impl Inverse<'_> {
    /// Returns the field of an entry that has the value of a field of the item.
    fn of_item(&self, field: &str) -> Option<&str> {
        let mut set = self.set.iter();
        set.find(|(_, value)| plain_path(value) == Some(field)).map(|(name, _)| name.as_str())
    }

    /// Returns the field of an entry that has the value of a field of the match.
    fn of_match(&self, field: &str) -> Option<&str> {
        self.of_item(&format!("{}.{field}", self.found))
    }
}

impl FanDraft<'_> {
    pub(super) fn fan(&self) -> Option<Fan> {
        let MakerDraft { context, entities, entry } = self.maker;
        let node = &entry.node;
        let place = node.get("make")?;
        let source = entity(context, entities, node.get("each")?)?;
        let made = entity(context, entities, place)?;
        let matches = self.matches(node.get("for")?)?;
        self.are_different(place, [&source.entity, matches.found, &made.entity])?;
        self.is_plain(place, made)?;
        let max = self.bound(node)?;
        let link = self.link(&matches, source)?;
        let sources = Sources {
            entity: &source.entity,
            vague: &source.vague,
            references: &[],
            found: Some(matches.found),
        };
        let condition = match node.get("when") {
            Some(when) => Some(self.maker.condition(when, &sources)?),
            None => None,
        };
        let set = self.maker.values(place.span, made, &sources)?;
        if set.iter().any(|(_, value)| uses_now(value)) {
            let help = "take a time from the item or from the match";
            context.mistakes.add_with_help(place.span, "the fields of entries can't depend on `{now}`", help);
            return None;
        }
        let inverse = Inverse { found: &matches.found.name, set: &set };
        let keys = self.keys(place, (&source.entity, &made.entity), &matches, &link, &inverse)?;
        let index = matches.query.on.as_ref().map(|index| index.name.clone());
        let backfill = number(node, "backfill").unwrap_or(FAN_BACKFILL_DEFAULT);
        Some(Fan {
            condition,
            query: matches.pattern.name.clone(),
            filter: matches.query.filter.clone(),
            matches: Referral { link, index },
            max,
            backfill,
            set,
            ..keys
        })
    }

    /// Returns the query that `for` names, if its items can be matches.
    fn matches<'s>(&'s self, node: &'s Node) -> Option<Matches<'s>> {
        let context = self.maker.context;
        let place = node.get("run").unwrap_or(node);
        let wanted = place.text()?;
        let Some(pattern) = self.patterns.iter().find(|pattern| pattern.name == wanted) else {
            let names = self.patterns.iter().map(|pattern| pattern.name.as_str());
            let message = format!("there is no pattern `{wanted}`");
            context.mistakes.add_with(place.span, message, name::help(wanted, "pattern", names));
            return None;
        };
        let refuse = |message: String, help: &str| {
            context.mistakes.add_with_help(place.span, message, help);
        };
        let Operation::Query(query) = &pattern.operation else {
            refuse(format!("`{wanted}` isn't a `query`"), "name a query that finds the matches of an item");
            return None;
        };
        let [found] = query.entities.as_slice() else {
            // A query with mistakes has none, and is reported itself.
            if !query.entities.is_empty() {
                refuse(format!("`{wanted}` returns several entities"), "name a query of one entity");
            }
            return None;
        };
        let is_whole = query.key.is_none()
            && query.shards.is_none()
            && query.buckets.is_none()
            && query.range.is_none()
            && query.orders.is_empty();
        if !is_whole {
            let help = "name a query of all items under one key, without `key`, `range`, `prefix`, shards and buckets";
            refuse(format!("`{wanted}` doesn't find all matches at once"), help);
            return None;
        }
        if query.filter.as_ref().is_some_and(|filter| filter.tree.uses_the_call()) {
            refuse(format!("the filter of `{wanted}` depends on the time"), "compare fields with constants");
            return None;
        }
        Some(Matches { place: node, pattern, query, found })
    }

    fn are_different(&self, place: &Node, all: [&Arc<Entity>; 3]) -> Option<()> {
        let [each, found, made] = all.map(|entity| entity.name.as_str());
        if each != found && found != made && each != made {
            return Some(());
        }
        self.maker.context.mistakes.add_with_help(
            place.span,
            "the item, its matches and the entries must be of three entities",
            "an entry is made for each pair of an item of `each` and one that `for` finds",
        );
        None
    }

    /// Checks that entries can be made again at any time.
    fn is_plain(&self, place: &Node, made: &ResolvedEntity) -> Option<()> {
        let entity = &made.entity;
        let mistake = |message: String, help: &str| {
            self.maker.context.mistakes.add_with_help(place.span, message, help);
        };
        if !entity.unique.is_empty() {
            mistake(
                format!("items of `{}` can't be made, because they have unique values", entity.name),
                "unique values are reserved by patterns; make items of an entity without `unique`",
            );
            return None;
        }
        if let Some(field) = entity.fields.iter().find(|field| field.made.is_some()) {
            mistake(
                format!(
                    "`{}` of `{}` is generated, and entries are made again when they are read",
                    field.name, entity.name
                ),
                "use a field of the item or of the match, for example of type `time`",
            );
            return None;
        }
        Some(())
    }

    fn bound(&self, node: &Node) -> Option<u32> {
        let max = number(node, "max");
        if max.is_none() {
            self.maker.context.mistakes.add_with_help(
                node.get("for")?.span,
                "this derivation has no bound",
                "add `max = 5000`: items with more matches aren't fanned out, but merged when entries are read",
            );
        }
        max
    }

    /// Returns the fields of the item that fill the parameters of the query.
    fn link(&self, matches: &Matches<'_>, source: &ResolvedEntity) -> Option<Vec<(String, String)>> {
        let context = self.maker.context;
        let (each, found) = (&*source.entity, &**matches.found);
        let with = matches.place.entries("with");
        for Entry { name, span, .. } in with {
            if matches.pattern.parameter(name).is_none() {
                let message = format!("`{}` has no parameter `{name}`", matches.pattern.name);
                let names = matches.pattern.parameters.iter().map(|parameter| parameter.name.as_str());
                context.mistakes.add_with(*span, message, name::help(name, "parameter", names));
                return None;
            }
        }
        let mut link = Vec::new();
        for parameter in &matches.pattern.parameters {
            let given = with.iter().find(|entry| entry.name == parameter.name);
            if !parameter.required && given.is_none() {
                continue;
            }
            let span = given.map_or(matches.place.span, |entry| entry.node.span);
            let Some(theirs) = find(&found.fields, &parameter.name) else {
                let message =
                    format!("`{}` isn't in the key that `{}` reads", parameter.name, matches.pattern.name);
                let help = "name a query whose parameters are fields in its key";
                context.mistakes.add_with_help(span, message, help);
                return None;
            };
            let path = match given {
                Some(entry) => self.placeholder(entry, each)?,
                None => parameter.name.clone(),
            };
            if source.vague.contains(first(&path)) {
                return None;
            }
            let Some(own) = find(&each.fields, &path) else {
                let message =
                    format!("`{}` has no field `{path}` for the parameter `{}`", each.name, parameter.name);
                let help = format!(
                    "write `for = {{ run = \"{}\", with = {{ {} = \"{{…}}\" }} }}` with a field of `{}`",
                    matches.pattern.name, parameter.name, each.name
                );
                context.mistakes.add_with_help(span, message, help);
                return None;
            };
            if !stored_alike(own.kind, theirs.kind) {
                let message = format!(
                    "`{}.{path}` and `{}.{}` have different types",
                    each.name, found.name, parameter.name
                );
                context.mistakes.add_with_help(span, message, "use a field of the parameter's type");
                return None;
            }
            link.push((path, parameter.name.clone()));
        }
        if link.is_empty() {
            let message = format!("`{}` finds the same items for each `{}`", matches.pattern.name, each.name);
            context.mistakes.add_with_help(matches.place.span, message, "name a query with a parameter");
            return None;
        }
        Some(link)
    }

    /// Returns the field of the item that an entry of `with` names.
    fn placeholder(&self, entry: &Entry, each: &Entity) -> Option<String> {
        let composed = entry.node.text().and_then(|text| Composed::parse(text).ok());
        let path = composed.as_ref().and_then(Composed::whole).and_then(|whole| match whole {
            Expression::Name(name) => Some(name.to_string()),
            _ => None,
        });
        if path.is_none() {
            let help =
                format!("write `{} = \"{{…}}\"` with a field of `{}` in braces", entry.name, each.name);
            let message = "a parameter of `for` must be one field of the item";
            self.maker.context.mistakes.add_with_help(entry.node.span, message, help);
        }
        path
    }

    /// Finds where items, matches and entries are found, and by which fields an entry tells its item and its match. The other
    /// members aren't filled in yet.
    fn keys(
        &self,
        place: &Node,
        (each, made): (&Arc<Entity>, &Arc<Entity>),
        matches: &Matches<'_>,
        link: &[(String, String)],
        inverse: &Inverse<'_>,
    ) -> Option<Fan> {
        let found = matches.found;
        let (author, item_key, match_key) = self.told_by(place, (each, made), found, link, inverse)?;
        let is_author = |field: &str| author.iter().any(|(_, known)| known == field);
        let owner: Vec<(String, String)> =
            match_key.iter().filter(|(_, field)| !is_author(field)).cloned().collect();
        self.key_has_both(place, made, &item_key, &owner)?;
        let items = self.items(place, each, link)?;
        let entries = self.entries(place, made, found, &owner)?;
        let order =
            self.order(place, (each, items.index.as_deref()), (made, entries.index.as_deref()), inverse)?;
        Some(Fan {
            each: Arc::clone(each),
            condition: None,
            query: String::new(),
            found: Arc::clone(found),
            filter: None,
            entity: Arc::clone(made),
            set: Vec::new(),
            matches: Referral { link: Vec::new(), index: None },
            items,
            entries,
            item_key,
            match_key,
            author,
            order,
            max: 0,
            backfill: 0,
        })
    }

    /// Returns the fields by which an entry tells the source, the item and the match.
    fn told_by(
        &self,
        place: &Node,
        (each, made): (&Entity, &Entity),
        found: &Entity,
        link: &[(String, String)],
        inverse: &Inverse<'_>,
    ) -> Option<(Pairs, Pairs, Pairs)> {
        let lacks = |what: &str, entity: &Entity, field: &str, written: String| {
            let message =
                format!("`{}` has no field with `{field}` of the {what} `{}`", made.name, entity.name);
            self.maker.context.mistakes.add_with_help(place.span, message, written);
        };
        let mut author = Vec::new();
        for (own, theirs) in link {
            let field = inverse.of_item(own).or_else(|| inverse.of_match(theirs));
            if field.is_none() {
                lacks(
                    "item",
                    each,
                    own,
                    format!("add a field to `{}` whose value is `{{{own}}}`", made.name),
                );
            }
            author.push((own.clone(), field?.to_owned()));
        }
        let mut item_key = Vec::new();
        for own in key_fields(&each.key) {
            let field = inverse.of_item(own);
            if field.is_none() {
                lacks(
                    "item",
                    each,
                    own,
                    format!("add a field to `{}` whose value is `{{{own}}}`", made.name),
                );
            }
            item_key.push((own.to_owned(), field?.to_owned()));
        }
        let mut match_key = Vec::new();
        for own in key_fields(&found.key) {
            let linked = link.iter().position(|(_, theirs)| theirs == own).and_then(|at| author.get(at));
            let field = inverse.of_match(own).or(linked.map(|(_, field)| field.as_str()));
            if field.is_none() {
                let written =
                    format!("add a field to `{}` whose value is `{{{}.{own}}}`", made.name, found.name);
                lacks("match", found, own, written);
            }
            match_key.push((own.to_owned(), field?.to_owned()));
        }
        Some((author, item_key, match_key))
    }

    /// Checks that no two pairs have one entry.
    fn key_has_both(
        &self,
        place: &Node,
        made: &Entity,
        item_key: &[(String, String)],
        owner: &[(String, String)],
    ) -> Option<()> {
        let own = key_fields(&made.key);
        let missing = item_key.iter().chain(owner).find(|(_, field)| !own.contains(&field.as_str()));
        let Some((_, field)) = missing else { return Some(()) };
        self.maker.context.mistakes.add_with_help(
            place.span,
            format!(
                "the key of `{}` doesn't contain `{field}`, so several entries would be one item",
                made.name
            ),
            "its key must contain the keys of the item and of the match",
        );
        None
    }

    /// Returns where the items of a match are found.
    fn items(&self, place: &Node, each: &Entity, link: &[(String, String)]) -> Option<Referral> {
        let fields: Vec<&str> = link.iter().map(|(own, _)| own.as_str()).collect();
        let Some(index) = Party::of_entity(each).finding(&fields) else {
            self.maker.context.mistakes.add_with_help(
                place.span,
                format!("no key finds the items of `{}` that go with one match", each.name),
                format!(
                    "add an index entry to `{}` whose partition key is made of {} alone, without `when`",
                    each.name,
                    name::list(&fields)
                ),
            );
            return None;
        };
        let link = link.iter().map(|(own, theirs)| (theirs.clone(), own.clone())).collect();
        Some(Referral { link, index: index.map(str::to_owned) })
    }

    /// Returns where the entries of a match are found.
    fn entries(
        &self,
        place: &Node,
        made: &Entity,
        found: &Entity,
        owner: &[(String, String)],
    ) -> Option<Referral> {
        let fields: Vec<&str> = owner.iter().map(|(_, field)| field.as_str()).collect();
        let Some(index) = Party::of_entity(made).finding(&fields).filter(|_| !fields.is_empty()) else {
            self.maker.context.mistakes.add_with_help(
                place.span,
                format!("no key finds the entries of one `{}`", found.name),
                format!(
                    "give `{}` a key or an index entry whose partition key is made of {} alone",
                    made.name,
                    if fields.is_empty() { "fields of the match".to_owned() } else { name::list(&fields) }
                ),
            );
            return None;
        };
        Some(Referral { link: owner.to_vec(), index: index.map(str::to_owned) })
    }

    /// Returns the field by which items and entries are in one order.
    fn order(
        &self,
        place: &Node,
        (each, items): (&Entity, Option<&str>),
        (made, entries): (&Entity, Option<&str>),
        inverse: &Inverse<'_>,
    ) -> Option<(String, String)> {
        let own = ordering(each, items);
        let theirs = ordering(made, entries);
        if let (Some((own, format)), Some((theirs, other))) = (own, theirs)
            && inverse.of_item(own) == Some(theirs)
            && format == other
            && format.keeps_all()
            && !format.is_descending()
            && is_fixed(each, own, format)
        {
            return Some((own.to_owned(), theirs.to_owned()));
        }
        let known = |order: Option<(&str, Format)>| match order {
            Some((field, _)) => format!("by `{field}`"),
            None => "by nothing".to_owned(),
        };
        self.maker.context.mistakes.add_with_help(
            place.span,
            format!(
                "`{}` is ordered {}, and `{}` {}: they can't be merged into one list",
                each.name,
                known(own),
                made.name,
                known(theirs)
            ),
            "both sort keys must begin with constant text and the same field: a time, or a number of a fixed width",
        );
        None
    }
}

/// Checks that no pattern reads a part of a feed: the items that are merged into it would come all the same.
pub(super) fn read_whole(context: &Context<'_>, fan: &Fan, patterns: &[Arc<Pattern>]) {
    for pattern in patterns {
        let Operation::Query(query) = &pattern.operation else { continue };
        if fan.is_read_by(query) && (query.range.is_some() || !query.matched.is_empty()) {
            context.mistakes.add_with_help(
                pattern.span,
                format!(
                    "`{}` reads a part of the entries of a match, and items with more than {} matches are merged into all",
                    pattern.name, fan.max
                ),
                "remove `match`, `range` and `prefix`: a feed is read from its beginning, page by page",
            );
        }
    }
}

/// Returns the fields of a key, each once.
fn key_fields(key: &KeyTemplates) -> Vec<&str> {
    let mut fields: Vec<&str> = Vec::new();
    for path in std::iter::once(&key.partition).chain(&key.sort).flat_map(|template| template.fields()) {
        if !fields.contains(&path) {
            fields.push(path);
        }
    }
    fields
}

/// Returns the first field in the sort key of an entity, with its format.
fn ordering<'e>(entity: &'e Entity, index: Option<&str>) -> Option<(&'e str, Format)> {
    let first = match index {
        Some(name) => entity.indexes.iter().find(|entry| entry.index.name == name)?.sort.first()?,
        None => entity.key.sort.as_ref()?,
    };
    // The value alone has another form than one in a text.
    if first.plain_field().is_some() {
        return None;
    }
    first.parts.iter().find_map(|part| match part {
        Part::Field { path, format } => Some((path.as_str(), *format)),
        _ => None,
    })
}

/// Returns whether no value begins another one, so that texts sort alike whatever follows them.
fn is_fixed(entity: &Entity, field: &str, format: Format) -> bool {
    let kind = find(&entity.fields, field).map(|found| found.kind);
    matches!(kind, Some(FieldType::Time | FieldType::Date)) || matches!(format, Format::Padded { .. })
}

fn uses_now(value: &ValueSource) -> bool {
    match value {
        ValueSource::Now => true,
        ValueSource::Composed(composed) => composed.uses_now(),
        ValueSource::Constant(_) | ValueSource::Parameter(_) => false,
    }
}

fn number(node: &Node, key: &str) -> Option<u32> {
    node.get(key).and_then(Node::whole).and_then(|number| u32::try_from(number).ok())
}
