//! Truncates times for keys: to the year, the month, the week…

use std::fmt::Write;

use jiff::civil::{DateTime, Time, date};
use singlet_values::ValueRef;

use super::Format;
use crate::instant;

/// The format of a stored time, with zeros for digits.
const TIME_SHAPE: &[u8; 24] = b"0000-00-00T00:00:00.000Z";
/// The length of a date.
const DATE_LEN: usize = 10;

/// Appends the truncated time. A stored time is truncated as text; other values are parsed first.
pub(super) fn write_cut(out: &mut String, value: ValueRef<'_>, format: Format) -> Result<(), String> {
    match value {
        ValueRef::S(text) if is_stored_time(text) && format != Format::Week => {
            out.push_str(text.get(..length(format)).unwrap_or(text));
        }
        ValueRef::S(text) if text.len() == DATE_LEN => {
            let date = instant::parse_date(text).ok_or_else(|| format!("{text:?} isn't a date"))?;
            if matches!(format, Format::Hour | Format::Minute) {
                return Err(format!("{text:?} is a date and has no hour"));
            }
            write_time(out, date.to_datetime(Time::midnight()), format);
        }
        ValueRef::S(text) => {
            let time = instant::parse(text).map_err(|_| format!("{text:?} isn't a time"))?;
            write_time(out, time, format);
        }
        ValueRef::N(seconds) => {
            let time = seconds.to_i64().and_then(instant::of_second);
            let time = time.ok_or_else(|| format!("{seconds} isn't a time in whole seconds since 1970"))?;
            write_time(out, time, format);
        }
        _ => return Err("it isn't a time".to_owned()),
    }
    Ok(())
}

fn is_stored_time(text: &str) -> bool {
    let shape = |(have, want): (u8, &u8)| if *want == b'0' { have.is_ascii_digit() } else { have == *want };
    text.len() == TIME_SHAPE.len() && text.bytes().zip(TIME_SHAPE).all(shape)
}

/// Returns the number of characters of a stored time that a format keeps.
fn length(format: Format) -> usize {
    match format {
        Format::Year => 4,
        Format::Month => 7,
        Format::Hour => 13,
        Format::Minute => 16,
        _ => DATE_LEN,
    }
}

fn write_time(out: &mut String, time: DateTime, format: Format) {
    let (year, month, day) = (time.year(), time.month(), time.day());
    // Writing to a string can't fail.
    let _ = match format {
        Format::Year => write!(out, "{year:04}"),
        Format::Month => write!(out, "{year:04}-{month:02}"),
        Format::Week => {
            let week = time.date().iso_week_date();
            write!(out, "{:04}-W{:02}", week.year(), week.week())
        }
        Format::Hour => write!(out, "{year:04}-{month:02}-{day:02}T{:02}", time.hour()),
        Format::Minute => {
            write!(out, "{year:04}-{month:02}-{day:02}T{:02}:{:02}", time.hour(), time.minute())
        }
        _ => write!(out, "{year:04}-{month:02}-{day:02}"),
    };
}

impl Format {
    /// Returns a number that is higher for shorter periods, and the highest for whole values.
    pub fn fineness(self) -> u8 {
        match self {
            Format::Year => 1,
            Format::Month => 2,
            Format::Week => 3,
            Format::Day => 4,
            Format::Hour => 5,
            Format::Minute => 6,
            _ => 7,
        }
    }

    /// Returns the beginning of the period that contains an instant, both in milliseconds since 1970. `None` if the format
    /// doesn't cut times, or if the period begins before the year 1.
    pub fn beginning_ms(self, ms: i64) -> Option<i64> {
        let time = instant::of_signed_ms(ms)?;
        let (year, month, day) = (time.year(), time.month(), time.day());
        let beginning = match self {
            Format::Year => date(year, 1, 1).at(0, 0, 0, 0),
            Format::Month => date(year, month, 1).at(0, 0, 0, 0),
            Format::Week => {
                let days = i64::from(time.weekday().to_monday_zero_offset());
                let monday = time.date().checked_sub(jiff::Span::new().try_days(days).ok()?).ok()?;
                monday.to_datetime(Time::midnight())
            }
            Format::Day => date(year, month, day).at(0, 0, 0, 0),
            Format::Hour => date(year, month, day).at(time.hour(), 0, 0, 0),
            Format::Minute => date(year, month, day).at(time.hour(), time.minute(), 0, 0),
            _ => return None,
        };
        (beginning.year() >= 1).then(|| instant::ms_of(beginning))
    }
}
