//! The `#names` and `:values` of a request, which all of its expressions share.

use std::collections::BTreeMap;

use singlet_values::AttributeValue;

use crate::error::{ExprError, Parameter, PlaceholderError, Problem};

/// The longest placeholder, with its `#` or `:`.
const PLACEHOLDER_BYTES_MAX: usize = 255;
/// The longest name of an attribute.
const NAME_BYTES_MAX: usize = 65_535;

/// The placeholders of one request. Every parsed expression marks those that it uses; [`Placeholders::finish`] rejects
/// the unused ones.
#[derive(Clone, Debug, Default)]
pub struct Placeholders {
    names: Vec<Placeholder<String>>,
    values: Vec<Placeholder<AttributeValue>>,
}

/// A placeholder, its meaning, and whether an expression used it. Kept sorted by the placeholder.
#[derive(Clone, Debug)]
struct Placeholder<T> {
    placeholder: String,
    meaning: T,
    used: bool,
}

impl Placeholders {
    /// Takes `ExpressionAttributeNames` and `ExpressionAttributeValues`. A parameter that is present must not be empty.
    pub fn new(
        names: Option<BTreeMap<String, String>>,
        values: Option<BTreeMap<String, AttributeValue>>,
    ) -> Result<Placeholders, ExprError> {
        let names = collect(Parameter::Names, b'#', names)?;
        for Placeholder { placeholder, meaning, .. } in &names {
            if meaning.is_empty() {
                return Err(PlaceholderError::EmptyName { placeholder: placeholder.clone() }.into());
            }
            if meaning.len() > NAME_BYTES_MAX {
                return Err(PlaceholderError::NameTooLong { placeholder: placeholder.clone() }.into());
            }
        }
        Ok(Placeholders { names, values: collect(Parameter::Values, b':', values)? })
    }

    /// The name that `written` means: itself, unless it begins with `#`.
    pub(crate) fn name(&mut self, written: &str) -> Result<String, Problem> {
        if !written.starts_with('#') {
            return Ok(written.to_owned());
        }
        match find(&mut self.names, written) {
            Some(name) => Ok(name.clone()),
            None => Err(Problem::UndefinedName { name: written.to_owned() }),
        }
    }

    /// The value that a placeholder stands for.
    pub(crate) fn value(&mut self, written: &str) -> Result<&AttributeValue, Problem> {
        find(&mut self.values, written).ok_or_else(|| Problem::UndefinedValue { value: written.to_owned() })
    }

    /// Rejects placeholders that no expression used. Call it after the last expression of the request.
    pub fn finish(&self) -> Result<(), ExprError> {
        refuse_unused(Parameter::Names, &self.names)?;
        refuse_unused(Parameter::Values, &self.values)
    }
}

fn collect<T>(
    parameter: Parameter,
    sigil: u8,
    placeholders: Option<BTreeMap<String, T>>,
) -> Result<Vec<Placeholder<T>>, ExprError> {
    let Some(placeholders) = placeholders else { return Ok(Vec::new()) };
    if placeholders.is_empty() {
        return Err(PlaceholderError::Empty { parameter }.into());
    }
    for placeholder in placeholders.keys() {
        if placeholder.len() > PLACEHOLDER_BYTES_MAX {
            return Err(PlaceholderError::TooLong { parameter, bytes: placeholder.len() }.into());
        }
        if !is_well_formed(placeholder, sigil) {
            return Err(PlaceholderError::Syntax { parameter, placeholder: placeholder.clone() }.into());
        }
    }
    let unused = |(placeholder, meaning)| Placeholder { placeholder, meaning, used: false };
    Ok(placeholders.into_iter().map(unused).collect())
}

fn is_well_formed(placeholder: &str, sigil: u8) -> bool {
    match placeholder.as_bytes().split_first() {
        Some((first, rest)) if *first == sigil && !rest.is_empty() => {
            rest.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        }
        _ => false,
    }
}

/// Looks a placeholder up and marks it as used.
fn find<'p, T>(placeholders: &'p mut [Placeholder<T>], written: &str) -> Option<&'p T> {
    let at = placeholders.binary_search_by(|have| have.placeholder.as_str().cmp(written)).ok()?;
    let found = placeholders.get_mut(at)?;
    found.used = true;
    Some(&found.meaning)
}

fn refuse_unused<T>(parameter: Parameter, placeholders: &[Placeholder<T>]) -> Result<(), ExprError> {
    let unused = placeholders.iter().filter(|placeholder| !placeholder.used);
    let unused: Vec<String> = unused.map(|placeholder| placeholder.placeholder.clone()).collect();
    if unused.is_empty() {
        return Ok(());
    }
    Err(PlaceholderError::Unused { parameter, placeholders: unused }.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Condition, ExpressionKind, Projection};

    type Names<'a> = &'a [(&'a str, &'a str)];

    fn refused(names: Option<Names<'_>>, values: Option<&[&str]>) -> String {
        let names =
            names.map(|names| names.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect());
        let values =
            values.map(|values| values.iter().map(|k| ((*k).to_owned(), AttributeValue::Null)).collect());
        Placeholders::new(names, values).unwrap_err().to_string()
    }

    #[test]
    fn parameters_that_are_there_are_not_empty() {
        assert_eq!(refused(Some(&[]), Some(&[])), "ExpressionAttributeNames must not be empty");
        assert_eq!(refused(None, Some(&[])), "ExpressionAttributeValues must not be empty");
        assert!(Placeholders::new(None, None).unwrap().finish().is_ok());
    }

    #[test]
    fn placeholders_are_a_sign_and_a_word() {
        for placeholder in ["a", "#", "", "#a-b", "#!", ":a", "##a", "#ü", "# a"] {
            assert_eq!(
                refused(Some(&[(placeholder, "x")]), None),
                format!(
                    "ExpressionAttributeNames contains invalid key: Syntax error; key: \"{placeholder}\""
                )
            );
        }
        for placeholder in ["b", ":", "#b", ":hi!there"] {
            assert_eq!(
                refused(None, Some(&[":ok", placeholder])),
                format!(
                    "ExpressionAttributeValues contains invalid key: Syntax error; key: \"{placeholder}\""
                )
            );
        }
        let longest = format!("#{}", "a".repeat(254));
        assert!(Placeholders::new(Some([(longest.clone(), "x".to_owned())].into()), None).is_ok());
        assert_eq!(
            refused(Some(&[(&format!("{longest}a"), "x")]), None),
            "ExpressionAttributeNames contains invalid key: The expression attribute map contains a key \
             that is too long; size of key: 256"
        );
    }

    #[test]
    fn names_are_neither_empty_nor_endless() {
        assert_eq!(
            refused(Some(&[("#a", "")]), None),
            "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a"
        );
        let longest = "a".repeat(NAME_BYTES_MAX);
        assert!(Placeholders::new(Some([("#a".to_owned(), longest.clone())].into()), None).is_ok());
        assert!(refused(Some(&[("#a", &format!("{longest}a"))]), None).contains("65536"));
    }

    #[test]
    fn what_no_expression_used_is_refused_names_before_values() {
        let names = ["#b", "#a", "#c"].map(|name| (name.to_owned(), name.to_owned()));
        let values = [":v", ":u"].map(|value| (value.to_owned(), AttributeValue::from(1)));
        let mut placeholders = Placeholders::new(Some(names.into()), Some(values.into())).unwrap();
        let unused = |placeholders: &Placeholders| placeholders.finish().unwrap_err().to_string();
        Projection::parse("#c", &mut placeholders).unwrap();
        assert_eq!(
            unused(&placeholders),
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b}"
        );
        Condition::parse(ExpressionKind::Filter, "#a = :v OR #b = :v", &mut placeholders).unwrap();
        assert_eq!(
            unused(&placeholders),
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:u}"
        );
        Condition::parse(ExpressionKind::Filter, "x = :u", &mut placeholders).unwrap();
        assert_eq!(placeholders.finish(), Ok(()));
    }
}
