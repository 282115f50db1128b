//! References to one of several entities: sample data refers to the first of them.

use std::borrow::Cow;
use std::sync::Arc;

use singlet_design::{Design, Entity, FieldType};

/// The design with one entity for each reference to several, and only the value that names it in the field that tells
/// which. Such a reference then agrees with the rest like any other.
pub(super) fn chosen(design: &Design) -> Cow<'_, Design> {
    let is_open = |entity: &Entity| entity.fields.iter().any(|field| !field.refers_to_one_of.is_empty());
    if !design.entities.iter().any(|entity| is_open(entity)) {
        return Cow::Borrowed(design);
    }
    let entities = design.entities.iter().map(|entity| Arc::new(chosen_in(design, entity))).collect();
    Cow::Owned(Design { entities, ..design.clone() })
}

fn chosen_in(design: &Design, entity: &Entity) -> Entity {
    let mut chosen = entity.clone();
    for field in entity.fields.iter() {
        let Some(chooser) = design.chooser(entity, field) else { continue };
        for own in &mut chosen.fields {
            if own.name == field.name {
                own.refers_to = field.refers_to_one_of.first().cloned();
            }
            if own.name == chooser.field {
                own.kind = FieldType::Choice(chooser.words.iter().take(1).cloned().collect());
                own.default = None;
            }
        }
    }
    chosen
}
