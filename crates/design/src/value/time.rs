//! The stored form of instants: UTC with milliseconds, so that text order is time order.

use jiff::civil::{DateTime, Time};
use singlet_values::{AttributeValue, Number};

use crate::field::{FieldType, ParameterType};
use crate::instant::{self, InstantError};

/// Returns the stored form of an instant: `2025-01-20T15:30:00.000Z`.
pub fn time_of_ms(now_ms: u64) -> String {
    stored(instant::of_ms(now_ms))
}

/// Returns the date of an instant: `2025-01-20`.
pub fn date_of_ms(now_ms: u64) -> String {
    let date = instant::of_ms(now_ms);
    format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
}

/// Returns an instant as the value of a field of this type: seconds, a date or a time.
pub fn instant(kind: &FieldType, now_ms: u64) -> AttributeValue {
    match kind {
        FieldType::Epoch => AttributeValue::from(now_ms / 1000),
        FieldType::Date => AttributeValue::S(date_of_ms(now_ms)),
        _ => AttributeValue::S(time_of_ms(now_ms)),
    }
}

/// Returns an instant as the value of a parameter of this type.
pub fn instant_for(kind: &ParameterType, now_ms: u64) -> AttributeValue {
    match kind {
        ParameterType::Field(kind) => instant(kind, now_ms),
        ParameterType::Prefix | ParameterType::ListOf(_) | ParameterType::Keys(_) => {
            AttributeValue::S(time_of_ms(now_ms))
        }
    }
}

/// Returns whether a field of this type can hold an instant.
pub fn holds_instant(kind: &FieldType) -> bool {
    matches!(kind, FieldType::Time | FieldType::Date | FieldType::Epoch | FieldType::Any { .. })
}

/// Returns the stored form of a time with any offset, truncated to milliseconds.
pub(super) fn normal_time(text: &str) -> Result<String, InstantError> {
    instant::parse(text).map(stored)
}

/// Returns the epoch second of a stored time, or of the beginning of a stored date.
pub fn epoch_second(text: &str) -> Option<i64> {
    let midnight = || Some(instant::parse_date(text)?.to_datetime(Time::midnight()));
    instant::parse(text).ok().or_else(midnight).map(instant::second_of)
}

/// Returns the milliseconds since 1970 of a stored time, of the beginning of a stored date, or of an epoch second.
pub fn instant_ms(value: &AttributeValue) -> Option<i64> {
    match value {
        AttributeValue::N(second) => second.to_i64()?.checked_mul(1000),
        AttributeValue::S(text) => {
            let midnight = || Some(instant::parse_date(text)?.to_datetime(Time::midnight()));
            instant::parse(text).ok().or_else(midnight).map(instant::ms_of)
        }
        _ => None,
    }
}

/// Returns an instant, in milliseconds since 1970, as the value of a field of this type. `None` before the year 1 and
/// after the year 9999.
pub fn instant_at(kind: &FieldType, ms: i64) -> Option<AttributeValue> {
    let time = instant::of_signed_ms(ms)?;
    Some(match kind {
        FieldType::Epoch => AttributeValue::from(Number::from(ms.div_euclid(1000))),
        FieldType::Date => {
            AttributeValue::S(format!("{:04}-{:02}-{:02}", time.year(), time.month(), time.day()))
        }
        _ => AttributeValue::S(stored(time)),
    })
}

pub(super) fn stored(time: DateTime) -> String {
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    let (year, month, day, millisecond) = (time.year(), time.month(), time.day(), time.millisecond());
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z")
}
