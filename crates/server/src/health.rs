//! The health page.

/// DynamoDB's answer to a plain `GET /`.
pub(crate) fn page(region: &str) -> String {
    format!("healthy: dynamodb.{region}.amazonaws.com ")
}
