//! The expressions of a request: their texts, and the names and values that they share.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue as SdkValue;
use singlet_expr::{Condition, Printer, Projection};

use crate::values::sdk_value;

/// The expressions of one request, printed so far.
#[derive(Debug, Default)]
pub(crate) struct Expressions(pub(crate) Printer);

impl Expressions {
    /// `ConditionExpression`.
    pub(crate) fn condition(&mut self, condition: Option<&Condition>) -> Option<String> {
        condition.map(|condition| self.0.condition(condition))
    }

    /// `FilterExpression`.
    pub(crate) fn filter(&mut self, filter: Option<&Condition>) -> Option<String> {
        filter.map(|filter| self.0.filter(filter))
    }

    /// `ProjectionExpression`.
    pub(crate) fn projection(&mut self, projection: Option<&Projection>) -> Option<String> {
        projection.map(|projection| self.0.projection(projection))
    }

    /// `ExpressionAttributeNames`. `None` if there are none, because DynamoDB rejects an empty map.
    pub(crate) fn names(&self) -> Option<HashMap<String, String>> {
        let names = self.0.names();
        let pair = |(placeholder, name): (&String, &String)| (placeholder.clone(), name.clone());
        (!names.is_empty()).then(|| names.iter().map(pair).collect())
    }

    /// `ExpressionAttributeValues`. `None` if there are none, because DynamoDB rejects an empty map.
    pub(crate) fn values(&self) -> Option<HashMap<String, SdkValue>> {
        let values = self.0.values();
        let pair = |(placeholder, value): (&String, _)| (placeholder.clone(), sdk_value(value));
        (!values.is_empty()).then(|| values.iter().map(pair).collect())
    }
}
