//! Numbers in text keys: whether they sort correctly as text, and the placeholder with which they do.

use singlet_design::FieldType;

/// Digits of a whole number without a declared maximum.
const DIGITS_USUAL: usize = 10;
/// Digits before the decimal point of a number without a declared maximum.
const WHOLE_DIGITS_USUAL: usize = 5;
/// Digits after the decimal point, which designs don't declare.
const DECIMALS_USUAL: usize = 2;

/// How a number sorts in a text key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sortable {
    /// Correctly as plain text, because every value has the same number of digits.
    Plain,
    /// Correctly with this format.
    Padded(String),
    /// Never correctly, because it can be negative.
    Negative,
}

/// How a number sorts as text; `None` if the type isn't a number.
pub(super) fn sortable(kind: &FieldType) -> Option<Sortable> {
    let (min, max, decimals) = match kind {
        FieldType::Int { min, max } => (min, max, false),
        FieldType::Number { min, max } => (min, max, true),
        // Ten digits reach from 2001 to 2286, and zeros in front make earlier seconds as long.
        FieldType::Epoch => return Some(Sortable::Padded(format!("0{DIGITS_USUAL}"))),
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

/// Digits before the decimal point of a printed number.
fn whole_digits(number: &str) -> usize {
    number.split('.').next().unwrap_or(number).len().max(1)
}

/// The placeholder with which a field sorts correctly in a text key; `None` if there isn't one.
pub(super) fn placeholder(path: &str, kind: &FieldType) -> Option<String> {
    match sortable(kind) {
        None | Some(Sortable::Plain) => Some(format!("{{{path}}}")),
        Some(Sortable::Padded(format)) => Some(format!("{{{path}:{format}}}")),
        Some(Sortable::Negative) => None,
    }
}
