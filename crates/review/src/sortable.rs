//! Numbers in text keys: whether their order as text is their order as numbers, and the placeholder that makes it so.

use singlet_design::FieldType;

/// Digits of a whole number whose maximum isn't declared.
const DIGITS_USUAL: usize = 10;
/// Digits before the point of a number whose maximum isn't declared.
const WHOLE_DIGITS_USUAL: usize = 5;
/// Digits after the point, which nothing declares.
const DECIMALS_USUAL: usize = 2;

/// A number as it stands in a text key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sortable {
    /// Every value has the same number of digits, so that plain text sorts right.
    Plain,
    /// It sorts right with this format.
    Padded(String),
    /// It can be negative, which no padding sorts.
    Negative,
}

/// How a number sorts as text; `None` if the type isn't a number.
pub(super) fn sortable(kind: &FieldType) -> Option<Sortable> {
    let (min, max, decimals) = match kind {
        FieldType::Int { min, max } => (min, max, false),
        FieldType::Number { min, max } => (min, max, true),
        _ => return None,
    };
    let [min, max] = [min, max].map(|bound| bound.as_ref().map(|bound| bound.to_string()));
    if min.as_deref().is_some_and(|min| min.starts_with('-')) {
        return Some(Sortable::Negative);
    }
    let [least, most] = [&min, &max].map(|bound| bound.as_deref().map(whole_digits));
    Some(if decimals {
        let width = most.unwrap_or(WHOLE_DIGITS_USUAL) + 1 + DECIMALS_USUAL;
        Sortable::Padded(format!("0{width}.{DECIMALS_USUAL}"))
    } else if least.is_some() && least == most {
        Sortable::Plain
    } else {
        Sortable::Padded(format!("0{}", most.unwrap_or(DIGITS_USUAL)))
    })
}

/// Digits before the point of a number as it is printed.
fn whole_digits(number: &str) -> usize {
    number.split('.').next().unwrap_or(number).len().max(1)
}

/// The placeholder of a field that sorts right in a text key, if one does.
pub(super) fn placeholder(path: &str, kind: &FieldType) -> Option<String> {
    match sortable(kind) {
        None | Some(Sortable::Plain) => Some(format!("{{{path}}}")),
        Some(Sortable::Padded(format)) => Some(format!("{{{path}:{format}}}")),
        Some(Sortable::Negative) => None,
    }
}
