//! Where everything stands, and what it allows.

use crate::model::{Allowance, Layout, Places, Subject};
use crate::syntax::{Entry, Node, are_several};

/// Notes the places of all that has a name.
pub(super) fn layout(root: &Node, design: &str) -> Layout {
    let mut layout = Layout::default();
    if let Some(table) = root.entry("table") {
        if are_several(&table.node) {
            for table in root.entries("table") {
                layout.table(table, &table.name, table.node.entries("index"));
            }
        } else {
            layout.table(table, design, root.entries("index"));
        }
    }
    for entity in root.entries("entity") {
        layout.note(Subject::Entity(entity.name.clone()), entity);
        for field in entity.node.entries("fields") {
            layout.note(Subject::Field(entity.name.clone(), field.name.clone()), field);
        }
    }
    for pattern in root.entries("pattern") {
        layout.note(Subject::Pattern(pattern.name.clone()), pattern);
    }
    layout
}

impl Layout {
    fn table(&mut self, table: &Entry, label: &str, indexes: &[Entry]) {
        self.note(Subject::Table(label.to_owned()), table);
        for index in indexes {
            self.note(Subject::Index(label.to_owned(), index.name.clone()), index);
        }
    }

    fn note(&mut self, subject: Subject, entry: &Entry) {
        let node = &entry.node;
        let allowed = node.entries("allow").iter().map(|allowed| {
            let reason = allowed.node.text().unwrap_or_default().to_owned();
            (subject.clone(), Allowance { rule: allowed.name.clone(), reason, span: allowed.span })
        });
        self.allowances.extend(allowed);
        let keys = node.table().unwrap_or_default().iter();
        let keys = keys.map(|key| (key.name.clone(), key.node.span)).collect();
        self.places.insert(subject, Places { name: entry.span, value: node.span, keys });
    }
}
