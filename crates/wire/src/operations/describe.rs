//! `DescribeLimits` and `DescribeEndpoints`: answers that depend on no table.

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

/// Serves `DescribeEndpoints`; `address` is where clients find this server.
pub(crate) fn endpoints(address: &str, body: &[u8]) -> Result<Answer, Failure> {
    read(body)?;
    Ok(Answer::free(write_endpoints(address)))
}

#[derive(Deserialize)]
struct Body {}

/// Reads a request without members.
fn read(bytes: &[u8]) -> Result<(), Failure> {
    read::body::<Body>(bytes).map(|Body {}| ())
}

/// Writes DynamoDB's default quotas, which this server does not enforce.
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

/// Writes where clients find this server.
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
