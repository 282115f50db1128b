//! `projection-missing`: a pattern that needs what its index doesn't carry.

use singlet_design::{Count, Entity, Index, Operation, Part, Projection, Resolve, Subject};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::finding::Severity;
use crate::fix::{Edit, Fix};
use crate::text::names;

pub(super) static RULE: Rule = Rule {
    id: "projection-missing",
    summary: "a pattern that needs a field that its index doesn't project",
    page: include_str!("projection_missing.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for pattern in &context.design.patterns {
        let (entities, on, mut needed) = match &pattern.operation {
            Operation::Get(get) => {
                (std::slice::from_ref(&get.entity), &get.on, get.show.clone().unwrap_or_default())
            }
            Operation::Query(query) | Operation::Count(Count { query, .. }) => {
                let mut needed = query.show.clone().unwrap_or_default();
                let paths = query.filter.iter().flat_map(|filter| filter.tree.paths());
                needed.extend(paths.map(str::to_owned));
                needed.extend(query.resolve.iter().flat_map(Resolve::fields).map(str::to_owned));
                (query.entities.as_slice(), &query.on, needed)
            }
            _ => continue,
        };
        let Some((index, entity)) = on.as_ref().zip(entities.first()) else { continue };
        needed.retain(|path| !carries(entity, index, path.split('.').next().unwrap_or(path)));
        needed.dedup();
        if needed.is_empty() {
            continue;
        }
        let fields = names(&needed);
        let message = format!(
            "`{}` needs {fields} of `{}`, which `{}` doesn't project",
            pattern.name, entity.name, index.name
        );
        let about = format!("add {fields} to the projection of `{}`", index.name);
        let fix = Fix::edits_or(about.as_str(), project(context, entity, index, &needed), about.as_str());
        let subjects = vec![Subject::pattern(pattern), Subject::index(&entity.table, index)];
        findings.report(
            Severity::Error,
            context.span(&Subject::pattern(pattern), "on"),
            subjects,
            message,
            Some(fix),
        );
    }
}

/// Whether the entries of an index contain a field, either projected or in a key.
fn carries(entity: &Entity, index: &Index, field: &str) -> bool {
    let projected = match &index.projection {
        Projection::All => true,
        Projection::Keys => false,
        Projection::Include(names) => names.iter().any(|name| name == field),
    };
    // A whole field in a key is read back from it.
    let key = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    let entry = entity.entry(&index.name);
    let keys = key.chain(entry.into_iter().flat_map(|entry| entry.partition.iter().chain(&entry.sort)));
    let tells =
        |part: &Part| matches!(part, Part::Field { path, format } if format.keeps_all() && path == field);
    projected || keys.flat_map(|template| &template.parts).any(tells)
}

/// Appends fields to the projection.
fn project(context: &Context<'_>, entity: &Entity, index: &Index, needed: &[String]) -> Option<Vec<Edit>> {
    let subject = Subject::index(&entity.table, index);
    let span = context.has(&subject, "project").then(|| context.span(&subject, "project"))?;
    let names: Vec<String> = needed.iter().map(|name| format!("\"{name}\"")).collect();
    let names = names.join(", ");
    let text = match context.text(span).strip_suffix(']') {
        Some(open) => format!("{}, {names}]", open.trim_end().trim_end_matches(',')),
        None => format!("[{names}]"),
    };
    Some(vec![Edit { span, text }])
}
