//! The field that tells to which of several entities a reference leads.

use super::entity::Entity;
use crate::field::{Field, FieldType};

/// A field that tells to which entity a reference leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chooser {
    /// Its name.
    pub field: String,
    /// Its value for each of the entities, in their order.
    pub words: Vec<String>,
}

/// The reason why no field tells to which entity a reference leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoChooser {
    /// No field has exactly the entities' names as values.
    Missing,
    /// These two fields have, and neither name is more like that of the reference.
    Ambiguous(String, String),
}

impl Chooser {
    /// Finds the field of an entity whose values are the names of the entities that another field refers to. Of several
    /// such fields, it is the one whose name has the most letters in common with the beginning of the reference's name.
    pub(crate) fn find(
        entity: &Entity,
        reference: &Field,
        targets: &[&Entity],
    ) -> Result<Chooser, NoChooser> {
        let mut found: Vec<(usize, Chooser)> = Vec::new();
        for field in &entity.fields {
            let FieldType::Choice(choices) = &field.kind else { continue };
            let word = |target: &&Entity| choices.iter().find(|choice| is_name_of(choice, target)).cloned();
            let words: Option<Vec<String>> = targets.iter().map(word).collect();
            if let Some(words) = words.filter(|words| words.len() == choices.len()) {
                let letters = field.name.chars().zip(reference.name.chars());
                let alike = letters.take_while(|(one, other)| one == other).count();
                found.push((alike, Chooser { field: field.name.clone(), words }));
            }
        }
        found.sort_by_key(|(alike, _)| std::cmp::Reverse(*alike));
        let mut found = found.into_iter();
        match (found.next(), found.next()) {
            (Some((first, one)), Some((second, other))) if first == second => {
                Err(NoChooser::Ambiguous(one.field, other.field))
            }
            (Some((_, chooser)), _) => Ok(chooser),
            (None, _) => Err(NoChooser::Missing),
        }
    }
}

/// Returns whether a value names an entity: by its name or its type, with letters of any case and any separators.
fn is_name_of(value: &str, entity: &Entity) -> bool {
    let plain = |text: &str| -> String {
        text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    plain(value) == plain(&entity.name) || plain(value) == plain(&entity.type_name)
}
