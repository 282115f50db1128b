//! `DescribeLimits` and `DescribeEndpoints`, which don't concern a table.

use serde::Deserialize;

use super::Answer;
use crate::error::Failure;
use crate::read;
use crate::write::JsonWriter;

const ACCOUNT_UNITS_MAX: u32 = 80_000;
const TABLE_UNITS_MAX: u32 = 40_000;
const ENDPOINT_CACHE_MINUTES: u32 = 1440;

/// Serves `DescribeLimits`.
pub(crate) fn limits(body: &[u8]) -> Result<Answer, Failure> {
    read(body)?;
    Ok(Answer::free(write_limits()))
}

/// Serves `DescribeEndpoints`. `address` is the server's address for clients.
pub(crate) fn endpoints(address: &str, body: &[u8]) -> Result<Answer, Failure> {
    read(body)?;
    Ok(Answer::free(write_endpoints(address)))
}

#[derive(Deserialize)]
struct EmptyBody {}

/// Reads a request without members.
fn read(bytes: &[u8]) -> Result<(), Failure> {
    read::body::<EmptyBody>(bytes).map(|EmptyBody {}| ())
}

/// Writes DynamoDB's default quotas, which this server doesn't enforce.
fn write_limits() -> Vec<u8> {
    let mut json = JsonWriter::with_capacity(256);
    json.object(|json| {
        json.key("AccountMaxReadCapacityUnits").integer(ACCOUNT_UNITS_MAX);
        json.key("AccountMaxWriteCapacityUnits").integer(ACCOUNT_UNITS_MAX);
        json.key("TableMaxReadCapacityUnits").integer(TABLE_UNITS_MAX);
        json.key("TableMaxWriteCapacityUnits").integer(TABLE_UNITS_MAX);
    });
    json.into_bytes()
}

/// Writes the server's address for clients.
fn write_endpoints(address: &str) -> Vec<u8> {
    let mut json = JsonWriter::with_capacity(128);
    json.object(|json| {
        json.key("Endpoints").array(|json| {
            json.object(|json| {
                json.key("Address").text(address);
                json.key("CachePeriodInMinutes").integer(ENDPOINT_CACHE_MINUTES);
            });
        });
    });
    json.into_bytes()
}
