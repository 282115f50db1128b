//! Resolves queries.

use std::sync::Arc;

use super::super::name;
use super::super::parameters::stored_alike;
use super::super::template::find;
use super::asked::Asked;
use super::order::order_word;
use super::overlap::KeyShape;
use super::read::ReadPath;
use super::{PatternDraft, ResolvedEntity};
use crate::model::{
    AskedKey, Buckets, Count, Entity, FieldType, Order, ParameterType, Projection, Query, ShardRead,
    SortRange,
};
use crate::paging::COUNT_ITEMS_DEFAULT;
use crate::report::Span;
use crate::syntax::Node;
use crate::template::{Format, Part, Template};

/// The key of an entity in the table or index that a query reads.
pub(super) struct QueryKey<'a> {
    pub(super) entity: &'a Entity,
    pub(super) partition: Vec<&'a Template>,
    sort: Vec<&'a Template>,
}

/// The conditions of a query on the key.
struct KeyConditions {
    key: Option<AskedKey>,
    shards: Option<ShardRead>,
    matched: Vec<String>,
    range: Option<SortRange>,
    buckets: Option<Buckets>,
    /// The number of parts of the first sort attribute that are given.
    given_parts: usize,
}

impl PatternDraft<'_> {
    /// `query`
    pub(super) fn query(&mut self, place: &Node) -> Option<Query> {
        let places = place.list().unwrap_or(std::slice::from_ref(place));
        let known: Option<Vec<&ResolvedEntity>> = places.iter().map(|place| self.entity(place)).collect();
        let known = known?;
        // Key, filter and fields are all checked, even after a mistake in one of them.
        let conditions = self.key_conditions(place, places, &known);
        let on = self.node.text_of("on").and_then(|name| known.first()?.entity.table.index(name)).cloned();
        let filter = self.node.get("filter").map(|filter| {
            let condition = self.filter(filter, &known, on.as_deref())?;
            self.filter_without_key(&condition, &known, on.as_deref(), filter).then_some(condition)
        });
        let (show, resolve) = (self.show(&known), self.resolve(&known));
        let KeyConditions { key, shards, matched, range, buckets, given_parts } = conditions?;
        self.empty_needs_buckets(buckets.as_ref())?;
        let orders = self.orders()?;
        let filter = match filter {
            Some(filter) => Some(filter?),
            None => None,
        };
        let mixed = key.is_some()
            || known.iter().any(|one| {
                let key = match on.as_ref().and_then(|index| one.entity.entry(&index.name)) {
                    Some(entry) => KeyShape::of_entry(&one.entity, entry, given_parts),
                    None => KeyShape::of_table(&one.entity, given_parts),
                };
                self.is_mixed(&known, &key, on.as_deref())
            });
        let mut query = Query {
            table: Arc::clone(&known.first()?.entity.table),
            on,
            key,
            by: self.by(&known),
            order: Order::Ascending,
            descends: false,
            order_word: order_word(self.node),
            orders,
            matched,
            range,
            shards,
            buckets,
            filter,
            limit: self.node.get("limit").and_then(Node::whole).and_then(|limit| u32::try_from(limit).ok()),
            consistent: self.flag("consistent"),
            show,
            resolve,
            show_expired: self.node.text_of("expired") == Some("show"),
            mixed,
            entities: known.iter().map(|known| Arc::clone(&known.entity)).collect(),
        };
        query.descends = ordered_by(&query).is_some_and(|(_, format)| format.is_descending());
        self.buckets_ascend(&query)?;
        query.order = query.order_word.map_or(Order::Ascending, |word| query.order_of(word));
        Some(query)
    }

    /// `count`
    pub(super) fn count(&mut self, place: &Node) -> Option<Count> {
        let max = self.node.get("max").and_then(Node::whole).and_then(|max| u32::try_from(max).ok());
        let query = Query { show: Some(Vec::new()), ..self.query(place)? };
        Some(Count { query, max: max.unwrap_or(COUNT_ITEMS_DEFAULT) })
    }

    /// Resolves the conditions on the key; `None` after a mistake.
    fn key_conditions(
        &mut self,
        place: &Node,
        places: &[Node],
        known: &[&ResolvedEntity],
    ) -> Option<KeyConditions> {
        let keys: Option<Vec<QueryKey<'_>>> = known.iter().map(|known| self.query_key(known)).collect();
        let keys = keys?;
        let (first, first_known) = (keys.first()?, *known.first()?);
        self.one_collection(places, known, &keys)?;
        match self.asked(first_known, &self.through(first_known)?)? {
            Asked::Nothing => self.own_condition(first, &keys, place.span),
            Asked::Own(asked) if asked.sort.iter().all(|sort| sort.fields().next().is_none()) => {
                self.own_condition(first, &keys, place.span)
            }
            Asked::Own(asked) => self.own_beginning(first_known, first, &asked, place.span),
            Asked::Other(asked) => self.other_condition(first_known, asked, place.span),
        }
    }

    /// Resolves conditions on the entity's own key, with `match`, `range` and `prefix`.
    fn own_condition(
        &mut self,
        first: &QueryKey<'_>,
        keys: &[QueryKey<'_>],
        span: Span,
    ) -> Option<KeyConditions> {
        let buckets = self.buckets(first);
        let shards = self.partition(first, buckets.as_ref(), span);
        let (matched, range, given_parts) = self.sort_conditions(first, keys)?;
        Some(KeyConditions { key: None, shards, matched, range, buckets, given_parts })
    }

    /// Resolves `key` if it is the beginning of the entity's own key.
    fn own_beginning(
        &mut self,
        known: &ResolvedEntity,
        first: &QueryKey<'_>,
        asked: &AskedKey,
        span: Span,
    ) -> Option<KeyConditions> {
        self.no_other_conditions()?;
        let shards = self.partition(first, None, span);
        self.template_parameters(known, &asked.sort, span);
        let matched = asked.sort.iter().flat_map(|sort| sort.fields()).map(str::to_owned).collect();
        let given_parts = match asked.sort.as_slice() {
            [only] => only.parts.len(),
            _ => usize::MAX,
        };
        Some(KeyConditions { key: None, shards, matched, range: None, buckets: None, given_parts })
    }

    /// Resolves `key` if it differs from the entity's own key.
    fn other_condition(
        &mut self,
        known: &ResolvedEntity,
        asked: AskedKey,
        span: Span,
    ) -> Option<KeyConditions> {
        self.no_other_conditions()?;
        let key = QueryKey {
            entity: &known.entity,
            partition: asked.partition.iter().collect(),
            sort: asked.sort.iter().collect(),
        };
        let shards = self.partition(&key, None, span);
        self.template_parameters(known, &asked.sort, span);
        Some(KeyConditions {
            key: Some(asked),
            shards,
            matched: Vec::new(),
            range: None,
            buckets: None,
            given_parts: 0,
        })
    }

    /// Checks that `match`, `range` and `prefix`, which use the entity's own sort key, are missing; `None` after a mistake.
    fn no_other_conditions(&self) -> Option<()> {
        let other = ["match", "range", "prefix"].into_iter().find_map(|word| self.node.entry(word));
        let Some(other) = other else { return Some(()) };
        let message = format!("`key` and `{}` can't be used together", other.name);
        let help = "give the beginning of the sort key in `key`, or remove `key`";
        self.context.mistakes.add_with_help(other.span, message, help);
        None
    }

    fn query_key<'k>(&self, known: &'k ResolvedEntity) -> Option<QueryKey<'k>> {
        let entity = known.entity.as_ref();
        let through = self.through(known)?;
        if !known.sound {
            return None;
        }
        match through {
            ReadPath::Table => Some(QueryKey {
                entity,
                partition: vec![&entity.key.partition],
                sort: entity.key.sort.iter().collect(),
            }),
            ReadPath::Index(_, entry) => Some(QueryKey {
                entity,
                partition: entry.partition.iter().collect(),
                sort: entry.sort.iter().collect(),
            }),
        }
    }

    /// Checks that several entities have the same partition key; `None` after a mistake.
    fn one_collection(
        &self,
        places: &[Node],
        known: &[&ResolvedEntity],
        keys: &[QueryKey<'_>],
    ) -> Option<()> {
        let (first, first_key) = (known.first()?, keys.first()?);
        let before = self.context.mistakes.count();
        for (position, ((place, one), key)) in places.iter().zip(known).zip(keys).enumerate().skip(1) {
            let name = &one.entity.name;
            if known.iter().take(position).any(|other| other.entity.name == *name) {
                self.context.mistakes.add(place.span, format!("`{name}` appears twice in this query"));
            } else if one.entity.table.label != first.entity.table.label {
                let message = format!("`{name}` and `{}` are in different tables", first.entity.name);
                self.context.mistakes.add_with_help(place.span, message, "use one query for each table");
            } else if !same_partition(first_key, key) {
                let sources = |key: &QueryKey<'_>| -> String {
                    key.partition
                        .iter()
                        .map(|template| template.source.as_str())
                        .collect::<Vec<_>>()
                        .join(", ")
                };
                self.context.mistakes.add_with_help(
                    place.span,
                    format!("`{name}` and `{}` don't have the same partition key", first.entity.name),
                    format!("their partition keys are `{}` and `{}`", sources(key), sources(first_key)),
                );
            }
        }
        (self.context.mistakes.count() == before).then_some(())
    }

    /// Adds the placeholders of the partition key to the parameters. If they don't determine the shard, all shards are
    /// read. The time of buckets is optional, and never determines a shard.
    fn partition(&mut self, key: &QueryKey<'_>, buckets: Option<&Buckets>, span: Span) -> Option<ShardRead> {
        let parts = || key.partition.iter().flat_map(|template| &template.parts);
        let is_time = |path: &str| buckets.is_some_and(|buckets| buckets.field == path);
        for part in parts() {
            if let (Part::Field { path, .. }, Some(found)) =
                (part, part.path().and_then(|path| find(&key.entity.fields, path)))
            {
                self.parameters.add_field(self.context, path, found.kind, !is_time(path), span);
            }
        }
        parts().find_map(|part| match part {
            Part::Shard { path, count } if is_time(path) || !self.parameters.contains(path) => {
                Some(ShardRead { count: *count })
            }
            _ => None,
        })
    }

    fn field_parameter(&mut self, entity: &Entity, path: &str, span: Span) {
        if let Some(found) = find(&entity.fields, path) {
            self.parameters.add_field(self.context, path, found.kind, true, span);
        }
    }

    /// Resolves `match`, `range` and `prefix`, which follow the sort key part by part. Also returns the number of parts of
    /// the first sort attribute that are given.
    fn sort_conditions(
        &mut self,
        key: &QueryKey<'_>,
        keys: &[QueryKey<'_>],
    ) -> Option<(Vec<String>, Option<SortRange>, usize)> {
        let mut walk = Walk::new(key);
        for place in self.node.get("match").and_then(Node::list).unwrap_or_default() {
            let wanted = place.text()?;
            self.next_part(&mut walk, wanted, place, "match")?;
            self.field_parameter(key.entity, wanted, place.span);
            walk.known.push(wanted.to_owned());
        }
        let range = self.range(key, &mut walk)?;
        if range.is_none() && keys.len() == 1 {
            walk.pass_given();
        }
        let given_parts = walk.given_parts();
        let conditions = self.node.get("match").or(self.node.get("range")).or(self.node.get("prefix"));
        if let Some(place) = conditions {
            self.same_sort_beginning(keys, &walk, place)?;
        }
        Some((walk.known, range, given_parts))
    }

    /// Resolves `range` and `prefix`; `None` after a mistake.
    fn range(&mut self, key: &QueryKey<'_>, walk: &mut Walk<'_>) -> Option<Option<SortRange>> {
        let (word, place) = match (self.node.entry("range"), self.node.entry("prefix")) {
            (None, None) => return Some(None),
            (Some(_), Some(prefix)) => {
                let message = "`range` and `prefix` can't be used together";
                self.context.mistakes.add_with_help(prefix.span, message, "remove one of them");
                return None;
            }
            (Some(range), None) => ("range", &range.node),
            (None, Some(prefix)) => ("prefix", &prefix.node),
        };
        let field = place.text()?;
        let format = self.next_part(walk, field, place, word)?;
        let kind = find(&key.entity.fields, field)?.kind;
        if word == "prefix" {
            self.prefix(field, kind, format, place)?;
            return Some(Some(SortRange::Prefix { field: field.to_owned() }));
        }
        for bound in ["from", "to"] {
            if self.parameters.contains(bound) {
                let message =
                    format!("`range` adds a parameter `{bound}`, but a field of the key has the same name");
                let help = format!("rename the field `{bound}`");
                self.context.mistakes.add_with_help(place.span, message, help);
                return None;
            }
            self.parameters.add_field(self.context, bound, kind, false, place.span);
        }
        self.whole_values(key.entity, field, (kind, format), place)?;
        Some(Some(SortRange::Between { field: field.to_owned() }))
    }

    /// Checks that a range can compare whole values if the texts in the key don't sort like them: an index may contain
    /// neither the field nor a key from which it is read. `None` after a mistake.
    fn whole_values(
        &self,
        entity: &Entity,
        field: &str,
        (kind, format): (&FieldType, Format),
        place: &Node,
    ) -> Option<()> {
        let index = self.node.text_of("on").and_then(|name| entity.table.index(name));
        // Only the fields of the item itself are read back from keys.
        let nested = field.contains('.');
        let number = matches!(kind, FieldType::Int { .. } | FieldType::Number { .. } | FieldType::Epoch);
        let Some(index) = index.filter(|_| format.cuts_time() || (nested && number)) else { return Some(()) };
        let entry = entity.entry(&index.name).into_iter().flat_map(|entry| entry.templates());
        let own = [&entity.key.partition].into_iter().chain(&entity.key.sort);
        let mut parts = entry.map(|(_, template)| template).chain(own).flat_map(|template| &template.parts);
        let in_a_key = !nested
            && parts.any(|part| match part {
                Part::Field { path, format } => path == field && format.is_whole(kind),
                Part::Literal(_) | Part::Shard { .. } => false,
            });
        let attribute = field.split('.').next().unwrap_or(field);
        let contained = match &index.projection {
            Projection::All => true,
            Projection::Keys => index.local,
            Projection::Include(names) => index.local || names.iter().any(|name| name == attribute),
        };
        if in_a_key || contained {
            return Some(());
        }
        let message = format!(
            "the index `{}` doesn't contain `{attribute}`, so `range` can't compare whole values",
            index.name
        );
        let help = format!("add `{attribute}` to `project` of the index");
        self.context.mistakes.add_with_help(place.span, message, help);
        None
    }

    fn prefix(&mut self, field: &str, kind: &FieldType, format: Format, place: &Node) -> Option<()> {
        use FieldType::{Choice, Date, Id, Text, Time};
        let is_text = matches!(kind, Text { .. } | Choice(_) | Id | Date | Time);
        if !is_text || matches!(format, Format::Padded { .. } | Format::First(_) | Format::Descending) {
            let message = format!("`{field}` isn't a string, so it can't be matched by prefix");
            self.context.mistakes.add_with_help(place.span, message, "use `range`");
            return None;
        }
        if self.parameters.contains(field) {
            let message = format!("`{field}` is already a parameter");
            self.context.mistakes.add_with_help(place.span, message, "remove `prefix`");
            return None;
        }
        self.parameters.add(self.context, field, ParameterType::Prefix, true, place.span);
        Some(())
    }

    /// Checks that the next part of the sort key is the wanted one, and returns its format.
    fn next_part(&self, walk: &mut Walk<'_>, wanted: &str, place: &Node, word: &str) -> Option<Format> {
        let sort: Vec<&str> = walk.sort.iter().map(|template| template.source.as_str()).collect();
        let sort = sort.join(", ");
        match walk.next() {
            Some((path, format)) if path == wanted => Some(format),
            Some((path, _)) => {
                let message = format!("`{word}` must name the next part of the sort key, which is `{path}`");
                let help = format!(
                    "the sort key is `{sort}`, and its parts must be given from the left without a gap"
                );
                self.context.mistakes.add_with_help(place.span, message, help);
                None
            }
            None if sort.is_empty() => {
                self.context
                    .mistakes
                    .add(place.span, format!("`{word}` needs a sort key, but this key has none"));
                None
            }
            None => {
                let message = format!("`{wanted}` isn't a further part of the sort key `{sort}`");
                let action = if word == "match" { "remove it from" } else { "remove" };
                let help = format!("{action} `{word}`: every part of the sort key is already given");
                self.context.mistakes.add_with_help(place.span, message, help);
                None
            }
        }
    }

    /// Checks that conditions on the sort key mean the same for all entities.
    fn same_sort_beginning(&self, keys: &[QueryKey<'_>], walk: &Walk<'_>, place: &Node) -> Option<()> {
        let first = keys.first()?;
        for other in keys.iter().skip(1) {
            let same = first.sort.iter().zip(&other.sort).enumerate().take(walk.template + 1).all(
                |(at, (one, other))| {
                    let parts = if at < walk.template { one.parts.len() } else { walk.part };
                    one.parts.iter().take(parts).eq(other.parts.iter().take(parts))
                },
            );
            if !same {
                let message = format!(
                    "the sort keys of `{}` and `{}` begin differently",
                    first.entity.name, other.entity.name
                );
                self.context.mistakes.add_with_help(
                    place.span,
                    message,
                    "query one entity, or remove the conditions on the sort key",
                );
                return None;
            }
        }
        Some(())
    }
}

/// An iterator over the placeholders of a sort key that skips those whose value is in the partition key.
struct Walk<'a> {
    partition: Vec<&'a Template>,
    sort: Vec<&'a Template>,
    /// The number of the current template.
    template: usize,
    /// The number of the next part.
    part: usize,
    /// The fields so far whose text in the key is known, in order.
    known: Vec<String>,
}

impl<'a> Walk<'a> {
    fn new(key: &QueryKey<'a>) -> Self {
        let (partition, sort) = (key.partition.clone(), key.sort.clone());
        Walk { partition, sort, template: 0, part: 0, known: Vec::new() }
    }

    /// Returns whether the partition key determines a part of the sort key. A truncated time or folded text determines
    /// only a part with the same format: items of one day still differ in their times.
    fn is_given(&self, path: &str, format: Format) -> bool {
        let mut parts = self.partition.iter().flat_map(|template| &template.parts);
        parts.any(|part| match part {
            Part::Field { path: given, format: how } => given == path && (*how == format || how.keeps_all()),
            _ => false,
        })
    }

    /// Skips parts that the partition key determines, and literals between them.
    fn pass_given(&mut self) {
        while let Some(template) = self.sort.get(self.template) {
            let rest = template.parts.iter().enumerate().skip(self.part);
            let mut fields = rest.filter(|(_, part)| !matches!(part, Part::Literal(_)));
            match fields.next() {
                Some((at, Part::Field { path, format })) if self.is_given(path, *format) => {
                    self.known.push(path.clone());
                    self.part = at + 1;
                }
                None if self.template + 1 < self.sort.len() => {
                    (self.template, self.part) = (self.template + 1, 0)
                }
                _ => return,
            }
        }
    }

    /// Returns the number of parts of the first sort attribute that are given.
    fn given_parts(&self) -> usize {
        if self.template > 0 { usize::MAX } else { self.part }
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = (&'a str, Format);

    fn next(&mut self) -> Option<(&'a str, Format)> {
        loop {
            let template: &'a Template = self.sort.get(self.template)?;
            let part = template.parts.get(self.part);
            self.part += 1;
            match part {
                None => (self.template, self.part) = (self.template + 1, 0),
                Some(Part::Field { path, format }) if self.is_given(path, *format) => {
                    self.known.push(path.clone());
                }
                Some(Part::Field { path, format }) => return Some((path, *format)),
                Some(_) => {}
            }
        }
    }
}

/// Returns the field that orders the items of a query: the first part of the sort key that isn't given.
pub(super) fn ordered_by(query: &Query) -> Option<(&str, Format)> {
    let entity = query.entities.first()?;
    let sort: Vec<&Template> = match query.on.as_ref().and_then(|index| entity.entry(&index.name)) {
        Some(entry) => entry.sort.iter().collect(),
        None => entity.key.sort.iter().collect(),
    };
    let mut known = query.matched.iter().peekable();
    let parts = sort.into_iter().flat_map(|template| &template.parts);
    let mut open = parts.filter_map(|part| match part {
        Part::Field { path, format } if known.next_if(|known| *known == path).is_none() => {
            Some((path.as_str(), *format))
        }
        _ => None,
    });
    open.next()
}

/// Returns whether the partition keys of two entities have the same structure; the names of fields may differ.
fn same_partition(one: &QueryKey<'_>, other: &QueryKey<'_>) -> bool {
    let kind =
        |key: &QueryKey<'_>, path: &str| find(&key.entity.fields, path).map(|found| found.kind.clone());
    let same_part = |pair: (&Part, &Part)| match pair {
        (Part::Literal(a), Part::Literal(b)) => a == b,
        (Part::Field { path: a, format }, Part::Field { path: b, format: other_format }) => {
            let alike = kind(one, a).zip(kind(other, b)).is_some_and(|(a, b)| stored_alike(&a, &b));
            format == other_format && alike
        }
        (Part::Shard { count: a, .. }, Part::Shard { count: b, .. }) => a == b,
        _ => false,
    };
    one.partition.len() == other.partition.len()
        && one
            .partition
            .iter()
            .zip(&other.partition)
            .all(|(a, b)| a.parts.len() == b.parts.len() && a.parts.iter().zip(&b.parts).all(same_part))
}

/// Names the entities of a query in messages.
pub(super) fn entity_names(query: &Query) -> String {
    let names: Vec<&str> = query.entities.iter().map(|entity| entity.name.as_str()).collect();
    name::list_or(&names)
}
