//! Collects the positions of all named parts, and what they allow.

use crate::model::{Allowance, Layout, Places, Subject};
use crate::report::Span;
use crate::syntax::{Entry, Node, are_several};

/// Returns the positions of all named parts of a design.
pub(super) fn layout(root: &Node, design: &str) -> Layout {
    let mut layout = Layout::default();
    if let Some(table) = root.entry("table") {
        if are_several(&table.node) {
            for table in root.entries("table") {
                note_table(&mut layout, table, &table.name, table.node.entries("index"));
            }
        } else {
            note_table(&mut layout, table, design, root.entries("index"));
        }
    }
    for entity in root.entries("entity") {
        note(&mut layout, Subject::Entity(entity.name.clone()), entity);
        for field in entity.node.entries("fields") {
            note(&mut layout, Subject::Field(entity.name.clone(), field.name.clone()), field);
        }
    }
    for pattern in root.entries("pattern") {
        note(&mut layout, Subject::Pattern(pattern.name.clone()), pattern);
        note_inline(&mut layout, pattern);
    }
    layout
}

/// Notes the patterns that are written inside a pattern, under the names that they get.
fn note_inline(layout: &mut Layout, pattern: &Entry) {
    let mut inline = |label: &str, span: Span, node: &Node| {
        let place = node.get("run").unwrap_or(node);
        if place.table().is_some() {
            note_at(layout, Subject::Pattern(format!("{}.{label}", pattern.name)), span, place);
        }
    };
    for entry in pattern.node.table().unwrap_or_default() {
        match entry.name.as_str() {
            "transaction" | "parts" => {
                let steps = entry.node.table().unwrap_or_default();
                steps.iter().for_each(|step| inline(&step.name, step.span, &step.node));
            }
            _ => {
                for key in ["each", "run"] {
                    if let Some(run) = entry.node.entry(key).filter(|run| run.node.table().is_some()) {
                        inline(key, run.span, &run.node);
                    }
                }
            }
        }
    }
}

fn note_table(layout: &mut Layout, table: &Entry, label: &str, indexes: &[Entry]) {
    note(layout, Subject::Table(label.to_owned()), table);
    for index in indexes {
        note(layout, Subject::Index(label.to_owned(), index.name.clone()), index);
    }
}

fn note(layout: &mut Layout, subject: Subject, entry: &Entry) {
    note_at(layout, subject, entry.span, &entry.node);
}

fn note_at(layout: &mut Layout, subject: Subject, name: Span, node: &Node) {
    let allowed = node.entries("allow").iter().map(|allowed| {
        let reason = allowed.node.text().unwrap_or_default().to_owned();
        (subject.clone(), Allowance { rule: allowed.name.clone(), reason, span: allowed.span })
    });
    layout.allowances.extend(allowed);
    let keys = node.table().unwrap_or_default().iter();
    let keys = keys.map(|key| (key.name.clone(), key.node.span)).collect();
    layout.places.insert(subject, Places { name, value: node.span, keys });
}
