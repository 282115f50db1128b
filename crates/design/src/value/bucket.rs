//! The periods of a time that is truncated in a key: buckets that follow each other without a gap.

use jiff::ToSpan;
use jiff::civil::{Date, DateTime, Time, date};
use singlet_values::{AttributeValue, ValueRef};

use super::time::stored;
use crate::field::FieldType;
use crate::instant;
use crate::template::Format;

/// A period of the calendar, such as a day or an ISO week, to which a template truncates a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bucket {
    start: DateTime,
    unit: Unit,
}

/// The length of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    /// Returns the unit of a format, or `None` if the format doesn't truncate times.
    fn of(format: Format) -> Option<Unit> {
        Some(match format {
            Format::Minute => Unit::Minute,
            Format::Hour => Unit::Hour,
            Format::Day => Unit::Day,
            Format::Week => Unit::Week,
            Format::Month => Unit::Month,
            Format::Year => Unit::Year,
            Format::Plain
            | Format::Padded { .. }
            | Format::Fold
            | Format::Lower
            | Format::Upper
            | Format::First(_)
            | Format::Descending => {
                return None;
            }
        })
    }

    fn start_of(self, instant: DateTime) -> Option<DateTime> {
        let day = instant.date();
        let midnight = |day: Date| day.to_datetime(Time::midnight());
        Some(match self {
            Unit::Minute => day.at(instant.hour(), instant.minute(), 0, 0),
            Unit::Hour => day.at(instant.hour(), 0, 0, 0),
            Unit::Day => midnight(day),
            Unit::Week => {
                let monday = day.checked_sub(day.weekday().to_monday_zero_offset().days()).ok()?;
                midnight(monday)
            }
            Unit::Month => midnight(date(day.year(), day.month(), 1)),
            Unit::Year => midnight(date(day.year(), 1, 1)),
        })
    }
}

impl Bucket {
    /// Returns the bucket that contains a stored time, date or epoch second. `None` if the value is none of these, or if
    /// the format doesn't truncate times.
    pub fn of(value: ValueRef<'_>, format: Format) -> Option<Bucket> {
        let instant = match value {
            ValueRef::S(text) => {
                let midnight = || Some(instant::parse_date(text)?.to_datetime(Time::midnight()));
                instant::parse(text).ok().or_else(midnight)?
            }
            ValueRef::N(second) => instant::of_second(second.to_i64()?)?,
            _ => return None,
        };
        Bucket::at(instant, format)
    }

    /// Returns the bucket that contains a number of milliseconds since 1970.
    pub fn of_ms(ms: u64, format: Format) -> Option<Bucket> {
        Bucket::at(instant::of_ms(ms), format)
    }

    /// Returns the bucket that begins at a number of seconds since 1970, or `None` if none begins there.
    pub fn beginning_at(second: i64, format: Format) -> Option<Bucket> {
        let bucket = Bucket::at(instant::of_second(second)?, format)?;
        (bucket.second() == second).then_some(bucket)
    }

    fn at(instant: DateTime, format: Format) -> Option<Bucket> {
        let unit = Unit::of(format)?;
        Some(Bucket { start: unit.start_of(instant)?, unit })
    }

    /// Returns the bucket after this one, or `None` after the year 9999.
    pub fn next(self) -> Option<Bucket> {
        self.moved(1)
    }

    /// Returns the bucket before this one, or `None` before the year 1.
    pub fn previous(self) -> Option<Bucket> {
        self.moved(-1).filter(|bucket| bucket.start.year() >= 1)
    }

    fn moved(self, by: i64) -> Option<Bucket> {
        let span = match self.unit {
            Unit::Minute => by.minutes(),
            Unit::Hour => by.hours(),
            Unit::Day => by.days(),
            Unit::Week => by.weeks(),
            Unit::Month => by.months(),
            Unit::Year => by.years(),
        };
        Some(Bucket { start: self.start.checked_add(span).ok()?, unit: self.unit })
    }

    /// Returns the second since 1970 at which it begins; negative before.
    pub fn second(self) -> i64 {
        instant::second_of(self.start)
    }

    /// Returns its beginning as the value of a field of this type.
    pub fn value(self, kind: &FieldType) -> AttributeValue {
        match kind {
            FieldType::Epoch => AttributeValue::N(self.second().into()),
            FieldType::Date => {
                let day = self.start.date();
                AttributeValue::S(format!("{:04}-{:02}-{:02}", day.year(), day.month(), day.day()))
            }
            _ => AttributeValue::S(stored(self.start)),
        }
    }
}

/// Returns the format that decides which bucket an item is in, of those to which one template truncates a time: the one
/// with the shortest period. `None` if there is none, or if the periods don't nest, such as weeks in months.
pub(crate) fn bucket_format(formats: impl Iterator<Item = Format>) -> Option<Format> {
    let units: Vec<(Unit, Format)> = formats.filter_map(|format| Some((Unit::of(format)?, format))).collect();
    let (shortest, format) = units.iter().copied().min_by_key(|(unit, _)| *unit)?;
    let nests = shortest != Unit::Week || units.iter().all(|(unit, _)| *unit == Unit::Week);
    nests.then_some(format)
}
