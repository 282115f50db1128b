//! `index-contention`: a key attribute that should hold two values at once.

use super::{Check, Rule};
use crate::model::{AskedKey, Entity, Index};
use crate::review::reads::{Read, reads};
use crate::review::{Context, Edit, Findings, Fix, Severity, Subject};
use crate::template::{Part, Template};

pub(super) static RULE: Rule = Rule {
    id: "index-contention",
    summary: "patterns that need different values in one key attribute of one entity",
    page: include_str!("index_contention.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for read in reads(context.design) {
        let Some(asked) = read.asked.filter(|asked| !reaches(&read, asked)) else { continue };
        let (pattern, entity) = (read.pattern, read.entity);
        let (partition, sort) = own_key(&read);
        let rival = reads(context.design).find(|other| {
            other.pattern.name != pattern.name
                && other.entity.name == entity.name
                && other.place_name() == read.place_name()
                && other.partition() != asked.partition
        });
        let also = rival.map(|rival| format!(", which {} needs", rival.pattern.name)).unwrap_or_default();
        let message = format!(
            "{} asks {} for {}, but the {} items there have {}{also}: an attribute holds one value, so nothing is found",
            pattern.name,
            read.place_name(),
            shown(&asked.partition, &asked.sort),
            entity.name,
            shown(partition, sort),
        );
        let mut subjects = vec![Subject::pattern(pattern), Subject::entity(entity)];
        subjects.extend(read.index.map(|index| Subject::index(&entity.table, index)));
        let place = context.place(&Subject::pattern(pattern), "key");
        findings.report(Severity::Error, place, subjects, message, Some(fix(context, &read, asked)));
    }
}

fn own_key<'a>(read: &Read<'a>) -> (&'a [Template], &'a [Template]) {
    let partition = read.entry().map(|entry| entry.partition.as_slice());
    (partition.unwrap_or(std::slice::from_ref(&read.entity.key.partition)), read.own_sort())
}

/// Whether items of the entity can lie under the key that is asked for.
fn reaches(read: &Read<'_>, asked: &AskedKey) -> bool {
    let (partition, sort) = own_key(read);
    let sorts = asked.sort.iter().zip(sort);
    asked.partition == partition && sorts.into_iter().all(|(asked, own)| begins(asked, own))
}

/// Whether a template is the beginning of another, which may go on inside its last constant.
fn begins(asked: &Template, own: &Template) -> bool {
    let Some((last, whole)) = asked.parts.split_last() else { return true };
    let meets = match (last, own.parts.get(whole.len())) {
        (Part::Literal(asked), Some(Part::Literal(own))) => own.starts_with(asked.as_str()),
        (asked, Some(own)) => asked == own,
        (_, None) => false,
    };
    meets && whole.iter().eq(own.parts.iter().take(whole.len()))
}

fn shown(partition: &[Template], sort: &[Template]) -> String {
    let sources: Vec<String> =
        partition.iter().chain(sort).map(|template| format!("`{}`", template.source)).collect();
    sources.join(" ")
}

/// Another index for the pattern: one that the entity isn't in yet, or a new one.
fn fix(context: &Context<'_>, read: &Read<'_>, asked: &AskedKey) -> Fix {
    let entity = read.entity;
    let same = entity.indexes.iter().find(|entry| entry.partition == asked.partition);
    if let Some(entry) = same {
        let name = &entry.index.name;
        let edits = vec![on(context, read, name)];
        return Fix::edits(format!("{name} has that key"), edits);
    }
    let free = entity.table.indexes.iter().find(|index| fits(entity, index, asked));
    let (name, new) = match free {
        Some(index) => (index.name.clone(), None),
        None => {
            let name = new_name(entity);
            let key = format!("{name} = [\"{name}PK\", \"{name}SK\"]");
            let last = entity.table.indexes.last().map(|last| Subject::index(&entity.table, last));
            let place = last.map(|last| context.value(&last));
            (name, Some(place.map(|place| Edit::line_after(context.source, place, &key))))
        }
    };
    let advice = format!("one index more, in which {} has that key", entity.name);
    let Some(new) = new.unwrap_or_default().map_or_else(|| free.map(|_| Vec::new()), |edit| Some(vec![edit]))
    else {
        return Fix::advice(advice);
    };
    if asked.partition.len() != 1 || asked.sort.len() > 1 || !context.has(&Subject::entity(entity), "key") {
        return Fix::advice(advice);
    }
    let partition = asked.partition.first().map_or("", |template| &template.source);
    let entry = format!("{name} = [\"{partition}\", \"{}\"]", sort_template(entity, asked));
    let place = context.place(&Subject::entity(entity), "key");
    let mut edits = new;
    edits.push(Edit::line_after(context.source, place, &entry));
    edits.push(on(context, read, &name));
    Fix::edits(format!("a key of its own in {name}"), edits)
}

/// An index with one text attribute for each part of the key, in which the entity isn't yet.
fn fits(entity: &Entity, index: &Index, asked: &AskedKey) -> bool {
    let is_field = index.key().any(|attribute| entity.field(&attribute.name).is_some());
    !index.local
        && !is_field
        && entity.entry(&index.name).is_none()
        && index.partition.len() == asked.partition.len()
        && index.sort.len() == 1
        && index.key().all(|attribute| attribute.kind == crate::model::KeyKind::Text)
}

fn new_name(entity: &Entity) -> String {
    let taken = |name: &String| entity.table.index(name).is_some();
    let mut names = (1..).map(|number| format!("GSI{number}"));
    names.find(|name| !taken(name)).unwrap_or_default()
}

/// The sort key that was asked for, and an id of the item behind it if it has no placeholder.
fn sort_template(entity: &Entity, asked: &AskedKey) -> String {
    let asked_sort = asked.sort.first().map_or("", |template| template.source.as_str());
    if asked_sort.contains('{') {
        return asked_sort.to_owned();
    }
    let key = entity.key.sort.iter().chain(std::iter::once(&entity.key.partition));
    let fields: Vec<&str> = key.flat_map(Template::fields).collect();
    let field = fields.first().copied().unwrap_or_default();
    format!("{asked_sort}{{{field}}}")
}

/// Lets the pattern read an index.
fn on(context: &Context<'_>, read: &Read<'_>, name: &str) -> Edit {
    let subject = Subject::pattern(read.pattern);
    if context.has(&subject, "on") {
        Edit { span: context.place(&subject, "on"), text: format!("\"{name}\"") }
    } else {
        Edit::line_after(context.source, context.place(&subject, "key"), &format!("on = \"{name}\""))
    }
}
