//! Requirements of keys for the fields that they contain.

use singlet_design::{Entity, Format, Part, Template};

/// Requirements of one entity's keys for its fields.
#[derive(Debug)]
pub(super) struct Rules {
    separator: char,
    /// Fields, or paths, that stand in a key.
    in_key: Vec<String>,
    /// Fields that decide whether an item is in an index.
    decisive: Vec<String>,
    /// Numbers with a fixed width: (path, digits before the point, digits after it).
    padded: Vec<(String, u8, u8)>,
}

impl Rules {
    pub(super) fn new(entity: &Entity) -> Self {
        let mut rules = Rules {
            separator: entity.table.separator,
            in_key: Vec::new(),
            decisive: Vec::new(),
            padded: Vec::new(),
        };
        std::iter::once(&entity.key.partition)
            .chain(&entity.key.sort)
            .for_each(|template| rules.read(template));
        for entry in &entity.indexes {
            entry.partition.iter().chain(&entry.sort).for_each(|template| rules.read(template));
            rules.decisive.extend(entry.when.iter().map(|when| when.field.clone()));
        }
        rules
    }

    fn read(&mut self, template: &Template) {
        for part in &template.parts {
            if let Part::Field { path, format: Format::Padded { width, decimals, signed, .. } } = part {
                let others = u8::from(*decimals > 0) + u8::from(*signed);
                self.padded.push((path.clone(), width.saturating_sub(decimals + others), *decimals));
            }
        }
        self.in_key.extend(template.fields().map(str::to_owned));
    }

    /// Whether the field stands in a key.
    pub(super) fn is_in_key(&self, path: &str) -> bool {
        self.in_key.iter().any(|known| known == path)
    }

    /// Whether an item without the field, or with another value in it, is missing from an index.
    pub(super) fn is_decisive(&self, path: &str) -> bool {
        self.is_in_key(path) || self.decisive.iter().any(|known| known == path)
    }

    /// The text without what a key could not hold.
    pub(super) fn for_key(&self, path: &str, text: String) -> String {
        let substitute = if self.separator == '-' { "_" } else { "-" };
        if self.is_in_key(path) { text.replace(self.separator, substitute) } else { text }
    }

    /// The largest whole part and the decimals of a number that stands in a key with a fixed width.
    pub(super) fn fixed_width(&self, path: &str) -> Option<(i64, u8)> {
        let all = self.padded.iter().filter(|(known, _, _)| known == path);
        let largest = |digits: u8| 10_i64.checked_pow(u32::from(digits)).map_or(i64::MAX, |power| power - 1);
        all.map(|(_, whole, decimals)| (largest(*whole), *decimals))
            .reduce(|one, other| (one.0.min(other.0), one.1.min(other.1)))
    }
}
