//! Requirements of keys for the fields that they contain.

use singlet_design::{
    Change, Design, Entity, Field, FieldType, Format, Json, Operation, Part, Template, ValueSource,
};
use singlet_values::Number;

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
    /// Numbers that begin at zero and that only patterns change.
    counters: Vec<String>,
}

impl Rules {
    pub(super) fn new(design: &Design, entity: &Entity) -> Self {
        let mut rules = Rules {
            separator: entity.table.separator,
            in_key: Vec::new(),
            decisive: Vec::new(),
            padded: Vec::new(),
            counters: counters(design, entity),
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

    /// Whether a field counts what happens by patterns: without a source in the samples it stays at zero.
    pub(super) fn is_counter(&self, field: &str) -> bool {
        self.counters.iter().any(|known| known == field)
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

/// The numbers of an entity that begin at zero and are internal, or to which a pattern adds a constant.
fn counters(design: &Design, entity: &Entity) -> Vec<String> {
    let begins_at_zero = |field: &&Field| {
        let is_number = matches!(field.kind, FieldType::Int { .. } | FieldType::Number { .. });
        is_number && matches!(&field.default, Some(Json::Number(number)) if *number == Number::ZERO)
    };
    let is_counted = |field: &&Field| {
        let adds = |change: &Change| matches!(change, Change::Add { path, value: ValueSource::Constant(_) } if *path == field.name);
        design.patterns.iter().any(|pattern| match &pattern.operation {
            Operation::Update(update) if update.entity.name == entity.name => update.changes.iter().any(adds),
            _ => false,
        })
    };
    let fields = entity.fields.iter().filter(begins_at_zero);
    fields.filter(|field| field.internal || is_counted(field)).map(|field| field.name.clone()).collect()
}
