//! The common part of operations with expressions: two generations of parameters that can't be mixed, and placeholders
//! that all expressions of a request share.

use std::collections::BTreeMap;

use singlet_expr::{Condition, ExpressionKind, Placeholders, Projection, Update};

use crate::error::Failure;
use crate::read::{AttributeMap, Map, Text};
use crate::text::RequestError;

/// A parameter, and whether the request has it.
pub(crate) type Given = (&'static str, bool);

/// The only expression without values.
const PROJECTION: &str = "ProjectionExpression";

/// Rejects requests that mix the generations, and placeholders without an expression that could use them.
pub(crate) fn check_generations(
    expressions: &[Given],
    legacy: &[Given],
    names: Option<&Map<Text<'_>>>,
    values: Option<&AttributeMap>,
) -> Result<(), RequestError> {
    let present = |parameters: &[Given]| -> Vec<&'static str> {
        parameters.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect()
    };
    let any = |parameters: &[Given]| parameters.iter().any(|(_, given)| *given);
    if any(expressions) && any(legacy) {
        return Err(RequestError::MixedParameters {
            legacy: present(legacy),
            expressions: present(expressions),
        });
    }
    if names.is_some() && !any(expressions) {
        return Err(RequestError::NamesWithoutExpression);
    }
    let takes_values = |(name, _): &&Given| *name != PROJECTION;
    if values.is_some() && !expressions.iter().filter(takes_values).any(|(_, given)| *given) {
        let missing = expressions.iter().filter(takes_values).map(|(name, _)| *name);
        return Err(RequestError::ValuesWithoutExpression(missing.collect()));
    }
    Ok(())
}

/// Takes the placeholders of a request.
pub(crate) fn placeholders(
    names: Option<Map<Text<'_>>>,
    values: Option<AttributeMap>,
) -> Result<Placeholders, Failure> {
    let names =
        names.map(|Map(names)| names.into_iter().map(|(key, name)| (key, name.into_string())).collect());
    let (values, problem) = match values.map(AttributeMap::into_parts) {
        Some((values, problem)) => (Some(values.into_iter().collect::<BTreeMap<_, _>>()), problem),
        None => (None, None),
    };
    // Placeholders are checked before their values.
    let placeholders = Placeholders::new(names, values)?;
    match problem {
        Some(problem) => {
            let (key, error) = *problem;
            Err(RequestError::ExpressionValue { key, error }.into())
        }
        None => Ok(placeholders),
    }
}

/// Reads a condition or filter.
pub(crate) fn parse_condition(
    kind: ExpressionKind,
    text: Option<&Text<'_>>,
    placeholders: &mut Placeholders,
) -> Result<Option<Condition>, Failure> {
    Ok(text.map(|text| Condition::parse(kind, text.as_str(), placeholders)).transpose()?)
}

/// Reads a projection.
pub(crate) fn parse_projection(
    text: Option<&Text<'_>>,
    placeholders: &mut Placeholders,
) -> Result<Option<Projection>, Failure> {
    Ok(text.map(|text| Projection::parse(text.as_str(), placeholders)).transpose()?)
}

/// Reads an update.
pub(crate) fn parse_update(
    text: Option<&Text<'_>>,
    placeholders: &mut Placeholders,
) -> Result<Option<Update>, Failure> {
    Ok(text.map(|text| Update::parse(text.as_str(), placeholders)).transpose()?)
}
