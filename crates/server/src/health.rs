//! The health page.

/// What DynamoDB answers to a plain `GET /`.
pub(crate) fn page(region: &str) -> String {
    format!("healthy: dynamodb.{region}.amazonaws.com ")
}
