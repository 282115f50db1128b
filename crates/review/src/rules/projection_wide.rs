//! `projection-wide`: an index that projects fields that nobody reads there.

use singlet_design::{Count, Design, Index, Operation, Projection, Resolve, Subject, Table};

use super::{Check, Rule};
use crate::context::{Context, Findings};
use crate::estimate::{entry_size, field_size};
use crate::finding::Severity;
use crate::fix::Fix;
use crate::text::{bytes, names};

pub(super) static RULE: Rule = Rule {
    id: "projection-wide",
    summary: "an index that projects everything for patterns that read little",
    page: include_str!("projection_wide.md"),
    check: Check::Review(check),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for table in &context.design.tables {
        for index in table.indexes.iter().filter(|index| index.projection == Projection::All && !index.local)
        {
            let Some(shown) = shown(context.design, table, index).filter(|shown| !shown.is_empty()) else {
                continue;
            };
            let (mut whole, mut read) = (0, 0);
            for entity in context.design.entities_of(table) {
                let Some(entry) = entity.entry(&index.name) else { continue };
                whole += entry_size(entity, entry).usual;
                let fields = entity.fields.iter().filter(|field| shown.contains(&field.name));
                read += fields.map(|field| field_size(field).usual).sum::<u64>();
            }
            if read * 2 >= whole {
                continue;
            }
            let message = format!(
                "`{}` projects whole items ({}), but its patterns read only {} ({}): storing and writing the rest is billed",
                index.name,
                bytes(whole),
                names(&shown),
                bytes(read),
            );
            let quoted: Vec<String> = shown.iter().map(|name| format!("\"{name}\"")).collect();
            let project = format!("project = [{}]", quoted.join(", "));
            let subject = Subject::index(table, index);
            let declared = context.has(&subject, "project");
            let edit =
                context.with_entry(context.value_span(&subject), "key", &project).filter(|_| !declared);
            let fix =
                Fix::edits_or("project only the fields that are read", edit.map(|edit| vec![edit]), project);
            findings.report(
                Severity::Warning,
                index.span,
                vec![Subject::index(table, index)],
                message,
                Some(fix),
            );
        }
    }
}

/// The fields that the patterns on an index read; `None` if one of them reads all.
fn shown(design: &Design, table: &Table, index: &Index) -> Option<Vec<String>> {
    let mut shown: Vec<String> = Vec::new();
    for pattern in &design.patterns {
        let mut further: Vec<&str> = Vec::new();
        let (reads, show): (bool, Option<&Vec<String>>) = match &pattern.operation {
            Operation::Get(get) => {
                (get.on.as_ref().is_some_and(|on| on.name == index.name), get.show.as_ref())
            }
            Operation::Query(query) | Operation::Count(Count { query, .. }) => {
                further.extend(query.filter.iter().flat_map(|filter| filter.tree.paths()));
                further.extend(query.resolve.iter().flat_map(Resolve::fields));
                (query.on.as_ref().is_some_and(|on| on.name == index.name), query.show.as_ref())
            }
            _ => continue,
        };
        if !reads || !table.indexes.iter().any(|own| own.name == index.name) {
            continue;
        }
        let further = further.iter().filter_map(|path| path.split('.').next());
        for name in show?.iter().map(String::as_str).chain(further) {
            if !shown.iter().any(|known| known == name) {
                shown.push(name.to_owned());
            }
        }
    }
    Some(shown)
}
