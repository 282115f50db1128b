//! Parts of items, chosen by paths.

use singlet_values::{AttributeValue, Attributes, Item, ItemRef, ListRef, MapRef, ValueRef};

use crate::path::{Path, Step};

/// Paths that don't clash, as a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    fields: Fields,
}

type Fields = Vec<(String, Part)>;

/// The selected part of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    Fields(Fields),
    /// By ascending index, so that a selected part of a list keeps its order.
    Elements(Vec<(usize, Part)>),
}

impl Part {
    /// The selection at the beginning of these steps.
    fn leading(steps: &[Step]) -> Part {
        match steps.first() {
            None => Part::Whole,
            Some(Step::Field(_)) => Part::Fields(Vec::new()),
            Some(Step::Index(_)) => Part::Elements(Vec::new()),
        }
    }

    fn insert(&mut self, steps: &[Step]) {
        match (self, steps.split_first()) {
            (Part::Fields(fields), Some((Step::Field(name), rest))) => insert_field(fields, name, rest),
            (Part::Elements(elements), Some((Step::Index(index), rest))) => {
                let at = match elements.binary_search_by_key(index, |(index, _)| *index) {
                    Ok(at) => at,
                    Err(at) => {
                        elements.insert(at, (*index, Part::leading(rest)));
                        at
                    }
                };
                if let Some((_, part)) = elements.get_mut(at) {
                    part.insert(rest);
                }
            }
            // The path ends here. Paths that clash have been rejected before.
            _ => {}
        }
    }
}

fn insert_field(fields: &mut Fields, name: &str, steps: &[Step]) {
    let at = match fields.binary_search_by(|(have, _)| have.as_str().cmp(name)) {
        Ok(at) => at,
        Err(at) => {
            fields.insert(at, (name.to_owned(), Part::leading(steps)));
            at
        }
    };
    if let Some((_, part)) = fields.get_mut(at) {
        part.insert(steps);
    }
}

impl Selection {
    /// The selection by these paths, which must not clash.
    pub(crate) fn of<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Selection {
        let mut selection = Selection::default();
        for path in paths {
            insert_field(&mut selection.fields, &path.head, &path.steps);
        }
        selection
    }

    /// Whether only whole top-level attributes are selected.
    pub(crate) fn is_flat(&self) -> bool {
        self.fields.iter().all(|(_, part)| *part == Part::Whole)
    }

    /// Whether any part of this top-level attribute is selected.
    pub(crate) fn names(&self, name: &str) -> bool {
        self.fields.binary_search_by(|(have, _)| have.as_str().cmp(name)).is_ok()
    }

    /// The selected parts of an item, with only the maps and lists that lead to them.
    ///
    /// Stored bytes that can't be read count as missing, as in all views.
    pub(crate) fn select(&self, item: ItemRef<'_>) -> Item {
        select_fields(&self.fields, item.as_map())
    }
}

fn select_fields(fields: &Fields, map: MapRef<'_>) -> Attributes {
    let select = |(name, part): &(String, Part)| Some((name.clone(), select_part(part, map.get(name)?)?));
    fields.iter().filter_map(select).collect()
}

fn select_elements(elements: &[(usize, Part)], list: ListRef<'_>) -> Vec<AttributeValue> {
    elements.iter().filter_map(|(index, part)| select_part(part, list.get(*index)?)).collect()
}

/// A map or list without a selected part is left out.
fn select_part(part: &Part, value: ValueRef<'_>) -> Option<AttributeValue> {
    match (part, value) {
        (Part::Whole, value) => value.to_value().ok(),
        (Part::Fields(fields), ValueRef::M(map)) => {
            Some(select_fields(fields, map)).filter(|map| !map.is_empty()).map(AttributeValue::M)
        }
        (Part::Elements(elements), ValueRef::L(list)) => {
            Some(select_elements(elements, list)).filter(|list| !list.is_empty()).map(AttributeValue::L)
        }
        _ => None,
    }
}
