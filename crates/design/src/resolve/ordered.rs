//! Finds keys that have the items that belong to one item in the order of a field.

use singlet_values::Number;

use super::name;
use super::referral::{KeyOf, Linker, Party};
use super::template::find;
use crate::field::{FieldType, Made};
use crate::model::Referral;
use crate::template::{Format, Part, Template};

/// A key that has items in order.
#[derive(Debug, Clone)]
pub(super) struct Ordered {
    pub(super) referral: Referral,
    /// The field that orders them.
    pub(super) field: String,
    /// Whether the highest value comes first.
    pub(super) is_descending: bool,
}

/// The order that is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted<'a> {
    /// By the value of this field.
    By(&'a str),
    /// By any field that tells when an item was made.
    ByTime,
}

impl Linker<'_> {
    /// Returns how items name an item, and a key that has those of one item in order; `None` after a mistake.
    pub(super) fn ordered(&self, wanted: Wanted<'_>) -> Option<Ordered> {
        let link = self.link()?;
        let fields: Vec<&str> = link.iter().map(|(_, field)| field.as_str()).collect();
        let found = self.naming.keys.iter().find_map(|key| {
            let (field, is_descending) = ordering(self.naming, key, &fields, wanted)?;
            let is_found = self.finds(key, &[fields.as_slice(), &[field]].concat());
            is_found.then(|| (key.index.map(str::to_owned), field.to_owned(), is_descending))
        });
        if let Some((index, field, is_descending)) = found {
            return Some(Ordered { referral: Referral { link, index }, field, is_descending });
        }
        let (named, naming) = (self.named.name, self.naming.name);
        let (order, part) = match wanted {
            Wanted::By(path) => (format!("`{path}`"), suggested(self.naming, path)),
            Wanted::ByTime => ("time".to_owned(), suggested_time(self.naming)),
        };
        let template: Vec<String> = fields.iter().map(|field| format!("{{{field}}}")).collect();
        let template = format!("{}#{}", named.to_uppercase(), template.join("#"));
        self.context.mistakes.add_with_help(
            self.place.span,
            format!("no key has the items of `{naming}` that belong to one `{named}` in the order of {order}"),
            format!(
                "add an index entry to `{naming}` whose partition key is made of {} and whose sort key begins with \
                 {order}, such as `GSI1 = [\"{template}\", \"{part}\"]`, without `when`",
                name::list(&fields)
            ),
        );
        None
    }
}

/// Returns the field that orders the items with certain values of other fields in a key, and whether it does so from the
/// highest to the lowest. `None` if the key has another order.
fn ordering<'k>(
    party: &Party<'_>,
    key: &'k KeyOf<'_>,
    fields: &[&str],
    wanted: Wanted<'_>,
) -> Option<(&'k str, bool)> {
    let is_known = |part: &&Part| match part {
        Part::Literal(_) => true,
        Part::Field { path, .. } => fields.contains(&path.as_str()),
        Part::Shard { .. } => false,
    };
    let mut parts = key.sort.iter().flat_map(|template| {
        let parts = template.parts.iter();
        parts.map(move |part| (*template, part))
    });
    let (template, part) = parts.find(|(_, part)| !is_known(part))?;
    let Part::Field { path, format } = part else { return None };
    let is_meant = match wanted {
        Wanted::By(wanted) => path == wanted,
        Wanted::ByTime => tells_the_time(party, path),
    };
    // A value in the partition key as well would divide the items.
    let divides = key.partition.iter().any(|template| template.fields().any(|used| used == path));
    let is_ordered = is_meant && !divides && sorts(find(party.fields, path)?.kind, *format, template);
    is_ordered.then_some((path.as_str(), format.is_descending()))
}

/// Whether texts of this format sort like the values.
fn sorts(kind: &FieldType, format: Format, template: &Template) -> bool {
    match kind {
        FieldType::Int { .. } | FieldType::Number { .. } | FieldType::Epoch => {
            matches!(format, Format::Padded { .. }) || template.plain_field().is_some()
        }
        FieldType::Date | FieldType::Time => matches!(format, Format::Plain | Format::Descending),
        FieldType::Id => format == Format::Plain,
        _ => false,
    }
}

/// Whether a later item has a higher value.
fn tells_the_time(party: &Party<'_>, path: &str) -> bool {
    match find(party.fields, path).map(|found| found.kind) {
        Some(FieldType::Time | FieldType::Date | FieldType::Epoch) => true,
        Some(FieldType::Id) => {
            let field = party.fields.iter().find(|field| field.name == path);
            field.is_some_and(|field| matches!(field.made, Some(Made::Uuid7 | Made::Ulid)))
        }
        _ => false,
    }
}

/// Returns the part of a sort key that orders items by a field.
fn suggested(party: &Party<'_>, path: &str) -> String {
    let sign = |min: &Option<Number>| if min.is_some_and(|min| !min.is_negative()) { "" } else { "+" };
    match find(party.fields, path).map(|found| found.kind) {
        Some(FieldType::Int { min, .. }) => format!("{{{path}:{}010}}", sign(min)),
        Some(FieldType::Number { min, .. }) => format!("{{{path}:{}013.2}}", sign(min)),
        Some(FieldType::Epoch) => format!("{{{path}:010}}"),
        _ => format!("{{{path}}}"),
    }
}

fn suggested_time(party: &Party<'_>) -> String {
    let is_time = |name: &&str| {
        let kind = find(party.fields, name).map(|found| found.kind);
        matches!(kind, Some(FieldType::Time | FieldType::Date))
    };
    let mut names = party.fields.iter().map(|field| field.name.as_str());
    format!("{{{}}}", names.find(is_time).unwrap_or("created_at"))
}
