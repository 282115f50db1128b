//! A Mermaid diagram of entities and relations.

use std::fmt::Write;

use crate::model::{Cardinality, Design, Entity, Field, FieldType};

/// Returns an entity-relationship diagram in Mermaid syntax: relations with their cardinality, references without a
/// relation, and the fields with their types.
pub fn er_diagram(design: &Design) -> String {
    let mut out = String::from("erDiagram\n");
    for entity in &design.entities {
        for relation in &entity.relations {
            let (end, bound) = match relation.cardinality {
                Cardinality::One => ("o|", String::new()),
                Cardinality::Many { max: Some(max), .. } => ("o{", format!(" (at most {max})")),
                Cardinality::Many { usual: Some(usual), .. } => ("o{", format!(" (about {usual})")),
                Cardinality::Many { .. } => ("o{", String::new()),
            };
            let label = format!("{}{bound}", relation.name);
            write_line(&mut out, &entity.name, &format!("||--{end}"), &relation.entity, &label);
        }
    }
    for entity in &design.entities {
        for field in entity.fields.iter().filter(|field| !is_told(design, entity, field)) {
            let beginning = match field.kind {
                FieldType::List { .. } | FieldType::Set { .. } => "}o",
                _ if field.optional => "|o",
                _ => "||",
            };
            for target in field.refers_to.iter().chain(&field.refers_to_one_of) {
                write_line(&mut out, target, &format!("{beginning}--o{{"), &entity.name, &field.name);
            }
        }
    }
    design.entities.iter().for_each(|entity| write_fields(&mut out, entity));
    out
}

/// Returns whether a relation already shows the reference of a field.
fn is_told(design: &Design, entity: &Entity, field: &Field) -> bool {
    let target = field.refers_to.as_ref().and_then(|name| design.entity(name));
    target.is_some_and(|target| {
        let tells = |by: Option<&str>| by.is_none_or(|by| by == field.name);
        target
            .relations
            .iter()
            .any(|relation| relation.entity == entity.name && tells(relation.by.as_deref()))
    })
}

fn write_line(out: &mut String, from: &str, line: &str, to: &str, label: &str) {
    // Writing to a string can't fail.
    let _ = writeln!(out, "    {} {line} {} : \"{}\"", word(from), word(to), label.replace('"', "'"));
}

fn write_fields(out: &mut String, entity: &Entity) {
    // Writing to a string can't fail.
    let _ = writeln!(out, "    {} {{", word(&entity.name));
    for field in &entity.fields {
        let keys = keys(entity, field);
        let comment = field.about.as_ref().map(|about| format!(" \"{}\"", about.replace(['"', '`'], "'")));
        let keys = if keys.is_empty() { String::new() } else { format!(" {}", keys.join(", ")) };
        let kind = type_name(&field.kind);
        let _ = writeln!(out, "        {kind} {}{keys}{}", word(&field.name), comment.unwrap_or_default());
    }
    let _ = writeln!(out, "    }}");
}

fn keys(entity: &Entity, field: &Field) -> Vec<&'static str> {
    let mut keys = Vec::new();
    let templates = std::iter::once(&entity.key.partition).chain(&entity.key.sort);
    if templates.flat_map(|template| template.fields()).any(|name| name == field.name) {
        keys.push("PK");
    }
    if field.refers_to.is_some() || !field.refers_to_one_of.is_empty() {
        keys.push("FK");
    }
    if entity.unique.iter().any(|unique| unique.labels().eq([field.name.as_str()])) {
        keys.push("UK");
    }
    keys
}

fn type_name(kind: &FieldType) -> String {
    match kind {
        FieldType::Text { .. } | FieldType::Choice(_) => "string".to_owned(),
        FieldType::Int { .. } => "int".to_owned(),
        FieldType::Number { .. } => "number".to_owned(),
        FieldType::Bool => "bool".to_owned(),
        FieldType::Binary { .. } => "binary".to_owned(),
        FieldType::Date => "date".to_owned(),
        FieldType::Time => "time".to_owned(),
        FieldType::Epoch => "epoch".to_owned(),
        FieldType::Id => "id".to_owned(),
        FieldType::List { of, .. } => format!("{}[]", type_name(of)),
        FieldType::Set { of, .. } => format!("set({})", type_name(of)),
        FieldType::Map { of, .. } => format!("map({})", type_name(of)),
        FieldType::Object(_) => "object".to_owned(),
        FieldType::Any { .. } => "any".to_owned(),
    }
}

/// Turns a name into a single word for Mermaid.
fn word(name: &str) -> String {
    name.chars()
        .map(|character| if character.is_alphanumeric() || character == '-' { character } else { '_' })
        .collect()
}
