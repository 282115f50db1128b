//! Keys from templates, when every value must be there.

use singlet_engine::values::AttributeValue;

use super::RunError;
use crate::template::{RenderError, Template, Values};

/// The key that a template makes, when every value must be there.
pub(crate) fn whole(
    template: &Template,
    separator: char,
    values: &impl Values,
) -> Result<AttributeValue, RunError> {
    template.render(separator, values).map_err(refused)?.ok_or_else(|| lacking(template, values))
}

/// A value that can't stand in a key is the caller's to mend.
pub(crate) fn refused(error: RenderError) -> RunError {
    RunError::Parameter { parameter: error.field, reason: error.reason }
}

/// Names the first value that a template needs and nobody gave.
pub(crate) fn lacking(template: &Template, values: &impl Values) -> RunError {
    let field = template.fields().find(|field| values.value(field).is_none());
    RunError::Parameter {
        parameter: field.unwrap_or(&template.source).to_owned(),
        reason: format!("is missing, and the key {} needs it", template.source),
    }
}
