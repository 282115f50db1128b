//! `unserved`: a pattern whose caller doesn't know the whole key.

use singlet_design::{Entity, IndexEntry, Subject, Template};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::{Edit, Fix};
use crate::reads::{Read, reads};
use crate::text::names;

pub(super) static RULE: Rule = Rule {
    id: "unserved",
    summary: "a pattern whose caller doesn't know the whole key",
    page: include_str!("unserved.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for read in reads(context.design) {
        let Some(by) = read.by else { continue };
        let unknown: Vec<&str> =
            read.given().into_iter().filter(|field| !by.iter().any(|known| known == field)).collect();
        if unknown.is_empty() {
            continue;
        }
        let (pattern, entity) = (read.pattern, read.entity);
        let sources: Vec<&str> = read.partition().iter().map(|template| template.source.as_str()).collect();
        let message = format!(
            "the caller of `{}` knows only {}, but the key `{}` of `{}` in {} also needs {}: there is no way to answer it",
            pattern.name,
            names(by),
            sources.join(" "),
            entity.name,
            read.table_or_index(),
            names(unknown),
        );
        let fix = fix(context, &read, by);
        let subjects = vec![Subject::pattern(pattern), Subject::entity(entity)];
        let span = context.span(&Subject::pattern(pattern), "knows");
        findings.report(Severity::Error, span, subjects, message, Some(fix));
    }
}

/// Reads an index with a key that the caller knows, if there is one.
fn fix(context: &Context<'_>, read: &Read<'_>, by: &[String]) -> Fix {
    let subject = Subject::pattern(read.pattern);
    let Some(entry) = read.entity.indexes.iter().find(|entry| serves(entry, by)) else {
        let names: Vec<String> = by.iter().map(|field| format!("{{{field}}}")).collect();
        let separator = read.entity.table.separator.to_string();
        let key = format!("{}{separator}{}", word(read.entity), names.join(&separator));
        return Fix::advice(format!(
            "give `{}` an index entry whose partition key the caller knows, such as `{key}`, and read it with `on`",
            read.entity.name,
        ));
    };
    let name = &entry.index.name;
    let about = format!("read `{name}`, whose key the caller knows");
    if context.has(&subject, "on") {
        return Fix::replace(about, context.span(&subject, "on"), format!("\"{name}\""));
    }
    let edit = Edit::line_after(context.source, context.span(&subject, "knows"), &format!("on = \"{name}\""));
    Fix::edits(about, vec![edit])
}

fn serves(entry: &IndexEntry, by: &[String]) -> bool {
    let mut fields = entry.partition.iter().flat_map(Template::fields).peekable();
    fields.peek().is_some() && fields.all(|field| by.iter().any(|known| known == field))
}

fn word(entity: &Entity) -> String {
    entity.name.to_uppercase()
}
