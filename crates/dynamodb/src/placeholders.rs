//! The names and values of a request's expressions, joined.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue as SdkValue;
use singlet_store::Expression;

use crate::values::sdk_value;

/// `ExpressionAttributeNames` and `ExpressionAttributeValues`; `None` where there are none, because an empty map is
/// refused.
#[derive(Debug, Default)]
pub(crate) struct Placeholders {
    pub(crate) names: Option<HashMap<String, String>>,
    pub(crate) values: Option<HashMap<String, SdkValue>>,
}

impl Placeholders {
    pub(crate) fn of<'a>(expressions: impl IntoIterator<Item = Option<&'a Expression>>) -> Self {
        let (mut names, mut values) = (HashMap::new(), HashMap::new());
        for expression in expressions.into_iter().flatten() {
            names.extend(expression.names.iter().map(|(key, name)| (key.clone(), name.clone())));
            values.extend(expression.values.iter().map(|(key, value)| (key.clone(), sdk_value(value))));
        }
        Placeholders {
            names: (!names.is_empty()).then_some(names),
            values: (!values.is_empty()).then_some(values),
        }
    }
}

/// The text of an expression that may not be there.
pub(crate) fn text(expression: Option<&Expression>) -> Option<String> {
    expression.map(|expression| expression.text.clone())
}
