//! The stored form of instants: UTC with milliseconds, so that text order is time order.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use singlet_values::AttributeValue;

use crate::field::{FieldType, ParameterType};

/// 9999-12-30T22:00:00.000Z. In some time zones, later instants are after the year 9999.
const LAST_MS: u64 = 253_402_207_200_000;

/// Returns the stored form of an instant: `2025-01-20T15:30:00.000Z`.
pub fn time_of_ms(now_ms: u64) -> String {
    stored(civil(now_ms))
}

/// Returns the date of an instant: `2025-01-20`.
pub fn date_of_ms(now_ms: u64) -> String {
    let date = civil(now_ms);
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

/// Returns the stored form of a time with any offset, truncated to milliseconds. `None` if the text isn't a time with an
/// offset, or is before the year 0.
pub fn normal_time(text: &str) -> Option<String> {
    let instant: Timestamp = text.parse().ok()?;
    // Rounds toward the past, including instants before 1970.
    let milliseconds = instant.as_nanosecond().div_euclid(1_000_000);
    let instant = Timestamp::from_millisecond(i64::try_from(milliseconds).ok()?).ok()?;
    let time = Offset::UTC.to_datetime(instant);
    (time.year() >= 0).then(|| stored(time))
}

fn civil(now_ms: u64) -> DateTime {
    let milliseconds = i64::try_from(now_ms.min(LAST_MS)).unwrap_or_default();
    Offset::UTC.to_datetime(Timestamp::from_millisecond(milliseconds).unwrap_or_default())
}

fn stored(time: DateTime) -> String {
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    let (year, month, day, millisecond) = (time.year(), time.month(), time.day(), time.millisecond());
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z")
}
