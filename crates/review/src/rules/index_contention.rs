//! `index-contention`: a key attribute that would need two values at once.

use singlet_design::{AskedKey, Entity, FieldType, Index, Made, OrderWord, Subject, Template};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{Distinct, distinct_keys};
use crate::finding::Severity;
use crate::fix::{Edit, Fix};
use crate::partition::{SHARDS_USUAL, find};
use crate::reads::{Read, read as read_of, reads};
use crate::sortable::placeholder;

pub(super) static RULE: Rule = Rule {
    id: "index-contention",
    summary: "patterns that need different values in one key attribute",
    page: include_str!("index_contention.md"),
    check: Check::Review(check),
};

/// Names that are proposed for a new index. Several patterns of one file can each need one.
const NEW_NAMES_MAX: usize = 4;

fn check(context: &Context<'_>, findings: &mut Findings) {
    for read in reads(context.design) {
        let Some(asked) = read.asked.filter(|_| !read.reaches()) else { continue };
        let (pattern, entity) = (read.pattern, read.entity);
        let rival = context.directory.patterns_of(entity).filter_map(|other| read_of(other)).find(|other| {
            other.pattern.name != pattern.name
                && other.entity.name == entity.name
                && other.table_or_index() == read.table_or_index()
                && other.partition() != asked.partition
        });
        let also = rival.map(|rival| format!(", which `{}` needs", rival.pattern.name)).unwrap_or_default();
        let message = format!(
            "`{}` asks {} for {}, but `{}` items there have {}{also}: an attribute holds one value, so nothing is found",
            pattern.name,
            read.table_or_index(),
            shown(&asked.partition, &asked.sort),
            entity.name,
            shown(read.own_partition(), read.own_sort()),
        );
        let mut subjects = vec![Subject::pattern(pattern), Subject::entity(entity)];
        subjects.extend(read.index.map(|index| Subject::index(&entity.table, index)));
        let span = context.span(&Subject::pattern(pattern), "key");
        findings.report(Severity::Error, span, subjects, message, fixes(context, &read, asked));
    }
}

fn shown(partition: &[Template], sort: &[Template]) -> String {
    let sources: Vec<String> =
        partition.iter().chain(sort).map(|template| format!("`{}`", template.source)).collect();
    sources.join(" ")
}

/// Another index for the pattern: one that has the key, one that the entity isn't in yet, or a new one.
fn fixes(context: &Context<'_>, read: &Read<'_>, asked: &AskedKey) -> Vec<Fix> {
    let entity = read.entity;
    let same = entity.indexes.iter().filter(|entry| entry.partition == asked.partition);
    let same = same.map(|entry| {
        let name = &entry.index.name;
        Fix::edits(format!("read `{name}`, which has that key"), vec![on(context, read, name)])
    });
    let free = entity.table.indexes.iter().filter(|index| fits(entity, index, asked));
    let mut candidates: Vec<(String, Option<Edit>)> = free.map(|index| (index.name.clone(), None)).collect();
    let last =
        entity.table.indexes.last().map(|last| context.value_span(&Subject::index(&entity.table, last)));
    for name in last.into_iter().flat_map(|_| new_names(entity)) {
        let key = format!("{name} = [\"{name}PK\", \"{name}SK\"]");
        let line = last.map(|last| Edit::line_after(context.source, last, &key));
        candidates.push((name, line));
    }
    let mut fixes: Vec<Fix> = same.chain(instead(context, read, asked)).collect();
    for (name, definition) in candidates {
        fixes.extend(sort_templates(read, asked).iter().flat_map(|sort| {
            let entries =
                [entry(context, read, asked, &name, sort), sharded_entry(context, read, asked, &name, sort)];
            let about = format!("add that key in `{name}`");
            let edits = |edits: Vec<Edit>| definition.iter().cloned().chain(edits).collect();
            entries
                .into_iter()
                .flatten()
                .map(|entry| Fix::edits(about.as_str(), edits(entry)))
                .collect::<Vec<_>>()
        }));
    }
    fixes.push(Fix::advice(format!("add an index in which `{}` has that key", entity.name)));
    fixes
}

/// Replaces a key that no other pattern asks for.
fn instead(context: &Context<'_>, read: &Read<'_>, asked: &AskedKey) -> Vec<Fix> {
    let rivals = context.directory.patterns_of(read.entity).filter_map(|other| read_of(other));
    let needed = rivals.into_iter().any(|other| {
        other.pattern.name != read.pattern.name
            && other.entity.name == read.entity.name
            && other.table_or_index() == read.table_or_index()
    });
    let Some(entry) = read.entry().filter(|_| !needed) else { return Vec::new() };
    let written = context.span(&Subject::entity(read.entity), &entry.index.name);
    let span = |template: &Template| find(context, written, &template.source);
    let ([own, ..], [own_sort, ..], [partition]) =
        (entry.partition.as_slice(), entry.sort.as_slice(), asked.partition.as_slice())
    else {
        return Vec::new();
    };
    let Some((own, own_sort)) = span(own).zip(span(own_sort)) else { return Vec::new() };
    let about = format!(
        "replace the key of `{}` in `{}`, which no other pattern reads",
        read.entity.name, entry.index.name
    );
    let replaced = |sort: String| {
        let edits = [(own, partition.source.clone()), (own_sort, sort)];
        Fix::edits(about.as_str(), edits.map(|(span, text)| Edit { span, text }).to_vec())
    };
    sort_templates(read, asked).into_iter().map(replaced).collect()
}

/// Adds the entity to an index under the key that is asked for, and lets the pattern read that index.
fn entry(
    context: &Context<'_>,
    read: &Read<'_>,
    asked: &AskedKey,
    index: &str,
    sort: &str,
) -> Option<Vec<Edit>> {
    let [partition] = asked.partition.as_slice() else { return None };
    Some(vec![line(context, read.entity, index, &partition.source, sort)?, on(context, read, index)])
}

/// The same with shards, if the key that is asked for has few values. The pattern then asks for the entity's own key.
fn sharded_entry(
    context: &Context<'_>,
    read: &Read<'_>,
    asked: &AskedKey,
    index: &str,
    sort: &str,
) -> Option<Vec<Edit>> {
    let [partition] = asked.partition.as_slice() else { return None };
    if distinct_keys(read.entity, [partition]) == Distinct::Many {
        return None;
    }
    let own: Vec<&str> = partition.fields().collect();
    let ids = read.entity.fields.iter().filter(|field| field.kind == FieldType::Id && !field.optional);
    let id = ids.map(|field| field.name.as_str()).find(|name| !own.contains(name))?;
    let partition =
        format!("{}{}{{shard:{id}/{SHARDS_USUAL}}}", partition.source, read.entity.table.separator);
    let without_key = context.without_key(&Subject::pattern(read.pattern), "key")?;
    Some(vec![line(context, read.entity, index, &partition, sort)?, on(context, read, index), without_key])
}

/// The entity's line for an index.
fn line(context: &Context<'_>, entity: &Entity, index: &str, partition: &str, sort: &str) -> Option<Edit> {
    let subject = Subject::entity(entity);
    let span = context.has(&subject, "key").then(|| context.span(&subject, "key"))?;
    Some(Edit::line_after(context.source, span, &format!("{index} = [\"{partition}\", \"{sort}\"]")))
}

/// Whether the entity isn't in an index yet and the index has one string attribute for each part of the key.
fn fits(entity: &Entity, index: &Index, asked: &AskedKey) -> bool {
    let is_field = index.key().any(|attribute| entity.field(&attribute.name).is_some());
    !index.local
        && !is_field
        && entity.entry(&index.name).is_none()
        && index.partition.len() == asked.partition.len()
        && index.sort.len() == 1
        && index.key().all(|attribute| attribute.kind == singlet_design::KeyKind::Text)
}

fn new_names(entity: &Entity) -> Vec<String> {
    let names = (1..).map(|number| format!("GSI{number}"));
    names.filter(|name| entity.table.index(name).is_none()).take(NEW_NAMES_MAX).collect()
}

/// Sort keys with the beginning and the order that the pattern asks for, the most likely first.
fn sort_templates(read: &Read<'_>, asked: &AskedKey) -> Vec<String> {
    let entity = read.entity;
    let head = match asked.sort.as_slice() {
        [] => "",
        [only] if only.source.contains('{') => return vec![only.source.clone()],
        [only] => only.source.as_str(),
        _ => return Vec::new(),
    };
    let key = entity.key.sort.iter().chain(std::iter::once(&entity.key.partition));
    let id = key.flat_map(Template::fields).find(|name| {
        let field = entity.field(name);
        field.is_some_and(|field| field.kind == FieldType::Id && !field.optional)
    });
    let separator = entity.table.separator;
    let behind = id.map(|id| format!("{separator}{{{id}}}")).unwrap_or_default();
    let by_order = read.order().into_iter().flat_map(|word| ordering_fields(entity, word));
    let mut sorts: Vec<String> = by_order.map(|field| format!("{head}{field}{behind}")).collect();
    sorts.extend(id.map(|id| format!("{head}{{{id}}}")));
    sorts
}

/// Placeholders of the fields that every item has and that sort in this order. The time of creation comes first.
fn ordering_fields(entity: &Entity, word: OrderWord) -> Vec<String> {
    let sorts = |kind: &FieldType| match kind {
        FieldType::Time | FieldType::Date => word.is_of_time(),
        FieldType::Int { .. } | FieldType::Number { .. } => !word.is_of_time(),
        _ => false,
    };
    let mut fields: Vec<_> =
        entity.fields.iter().filter(|field| sorts(&field.kind) && !field.optional).collect();
    fields.sort_by_key(|field| field.made != Some(Made::Created));
    fields.into_iter().filter_map(|field| placeholder(&field.name, &field.kind)).collect()
}

/// Lets the pattern read an index.
fn on(context: &Context<'_>, read: &Read<'_>, name: &str) -> Edit {
    let subject = Subject::pattern(read.pattern);
    if context.has(&subject, "on") {
        Edit { span: context.span(&subject, "on"), text: format!("\"{name}\"") }
    } else {
        Edit::line_after(context.source, context.span(&subject, "key"), &format!("on = \"{name}\""))
    }
}
