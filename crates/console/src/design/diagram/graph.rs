//! The boxes of a diagram and the edges between them.

use singlet_design::{Cardinality, Design, Entity, Field, FieldType};

use crate::figures::grouped;
use crate::parts::key_fields;

/// Lines of a box below its name.
const LINES_MAX: usize = 7;

/// An entity.
#[derive(Debug, Clone)]
pub(super) struct EntityBox {
    pub(super) entity: String,
    pub(super) lines: Vec<Line>,
    /// Fields that aren't among the lines.
    pub(super) left_out: usize,
}

/// A line of a box: a field that identifies the item or refers to another one.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) field: String,
    pub(super) role: &'static str,
}

/// A relation of one item to items of another entity, or of the same.
#[derive(Debug, Clone)]
pub(super) struct Edge {
    pub(super) one: usize,
    pub(super) many: usize,
    pub(super) label: String,
    /// How many there are on the other end, in words.
    pub(super) count: String,
    /// Whether there is at most one on the other end.
    pub(super) is_single: bool,
}

/// The entities of a design with their edges, in the order of the file.
#[derive(Debug, Clone)]
pub(super) struct Graph {
    pub(super) boxes: Vec<EntityBox>,
    pub(super) edges: Vec<Edge>,
}

impl Graph {
    pub(super) fn of(design: &Design) -> Graph {
        let position = |name: &str| design.entities.iter().position(|entity| entity.name == name);
        let mut edges = Vec::new();
        for (one, entity) in design.entities.iter().enumerate() {
            for relation in &entity.relations {
                let Some(many) = position(&relation.entity) else { continue };
                let is_single = relation.cardinality == Cardinality::One;
                let count = in_words(&relation.cardinality);
                edges.push(Edge { one, many, label: relation.name.clone(), count, is_single });
            }
        }
        for (many, entity) in design.entities.iter().enumerate() {
            for field in entity.fields.iter().filter(|field| !is_told(design, entity, field)) {
                for one in
                    field.refers_to.iter().chain(&field.refers_to_one_of).filter_map(|name| position(name))
                {
                    let (label, count) = (field.name.clone(), String::new());
                    edges.push(Edge { one, many, label, count, is_single: false });
                }
            }
        }
        Graph { boxes: design.entities.iter().map(|entity| EntityBox::of(entity)).collect(), edges }
    }
}

impl EntityBox {
    fn of(entity: &Entity) -> EntityBox {
        let key = key_fields(entity);
        let role = |field: &Field| match field {
            _ if key.contains(&field.name.as_str()) => Some("key"),
            _ if field.refers_to.is_some() || !field.refers_to_one_of.is_empty() => Some("ref"),
            _ if entity.unique.iter().any(|unique| unique.fields.contains(&field.name)) => Some("unique"),
            _ => None,
        };
        let line = |field: &Field| Some(Line { field: field.name.clone(), role: role(field)? });
        let lines: Vec<Line> = entity.fields.iter().filter_map(line).take(LINES_MAX).collect();
        EntityBox { entity: entity.name.clone(), left_out: entity.fields.len() - lines.len(), lines }
    }
}

/// Whether a relation already shows the reference of a field.
fn is_told(design: &Design, entity: &Entity, field: &Field) -> bool {
    let target = field.refers_to.as_ref().and_then(|name| design.entity(name));
    let tells = |by: Option<&str>| by.is_none_or(|by| by == field.name);
    let is_list = matches!(field.kind, FieldType::List { .. } | FieldType::Set { .. });
    target.is_some_and(|target| {
        let mut relations = target.relations.iter();
        relations.any(|relation| {
            relation.entity == entity.name
                && tells(relation.by.as_deref())
                && (!is_list || relation.by.is_some())
        })
    })
}

fn in_words(cardinality: &Cardinality) -> String {
    match cardinality {
        Cardinality::One => "≤ 1".to_owned(),
        Cardinality::Many { max: Some(max), .. } => format!("≤ {}", grouped(*max)),
        Cardinality::Many { usual: Some(usual), .. } => format!("≈ {}", grouped(*usual)),
        Cardinality::Many { .. } => "any".to_owned(),
    }
}
