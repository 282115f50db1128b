//! Time to live: the setting of a table, and the rows with the expiry times of its items.

use std::ops::RangeInclusive;

use bytes::Bytes;
use singlet_values::{EncodedItem, ValueRef};

use super::{Table, TtlSetting, TtlState};
use crate::error::{Result, SchemaError, TimeToLiveError};
use crate::keyspace::{PREFIX_BYTES, RowSpace, SECOND_BYTES};
use crate::request::{TimeToLive, TimeToLiveStatus, UpdateTimeToLive};

/// DynamoDB takes this long for a change, and refuses another one meanwhile.
const CHANGE_MS: u64 = 60 * 60 * 1000;
/// The most characters in the attribute's name.
const ATTRIBUTE_CHARACTERS_MAX: usize = 255;

/// Items that expired longer ago are ignored, because such a number was hardly meant as an expiry time.
const IGNORED_AFTER_SECONDS: u64 = 5 * 365 * 24 * 60 * 60;

/// Returns the expiry times of items that are expired at a second: up to that second, and less than five years
/// earlier.
pub fn expired_seconds(now_second: u64) -> RangeInclusive<u64> {
    now_second.saturating_sub(IGNORED_AFTER_SECONDS - 1)..=now_second
}

impl TtlSetting {
    /// Time to live of a table without items.
    pub(crate) fn enabled(attribute: String) -> Self {
        TtlSetting { attribute, state: TtlState::Enabled }
    }

    /// Returns the second at which an item expires, without its fraction. `None` if the attribute isn't a number, or
    /// is negative or too large. Then the item doesn't expire.
    pub(crate) fn second(&self, item: &EncodedItem) -> Option<u64> {
        match item.view().get(&self.attribute)? {
            ValueRef::N(number) => number.to_u64_cut(),
            _ => None,
        }
    }

    /// Whether the expiry time of the item in this row is recorded, if it has one.
    fn covers(&self, row: &[u8]) -> bool {
        match &self.state {
            TtlState::Enabled => true,
            TtlState::Enabling { filled_to } => row <= filled_to.as_slice(),
            TtlState::Disabling => false,
        }
    }
}

impl Table {
    /// The space of the table's expiring items.
    pub(crate) fn expiries(&self) -> RowSpace {
        RowSpace::expiries(self.number)
    }

    /// Returns the setting for the item in this row, if a write must maintain its expiry time.
    pub(crate) fn kept_ttl(&self, row: &[u8]) -> Option<&TtlSetting> {
        self.settings.ttl.as_ref().filter(|ttl| ttl.covers(row))
    }

    /// Returns the setting, if items are deleted now.
    pub(crate) fn active_ttl(&self) -> Option<&TtlSetting> {
        self.settings.ttl.as_ref().filter(|ttl| ttl.state == TtlState::Enabled)
    }

    /// Returns the row with the expiry time of the item in another row.
    pub(crate) fn expiry_row(&self, second: u64, row: &[u8]) -> Bytes {
        self.expiries().key_at(second, row.get(PREFIX_BYTES..).unwrap_or_default())
    }

    /// Decodes the second and the item's row from such a row.
    pub(crate) fn read_expiry_row(&self, expiry_row: &[u8]) -> Option<(u64, Bytes)> {
        let (second, item) = expiry_row.get(PREFIX_BYTES..)?.split_at_checked(SECOND_BYTES)?;
        Some((u64::from_be_bytes(second.try_into().ok()?), self.items().key(item)))
    }

    /// Describes the time to live.
    pub(crate) fn time_to_live(&self) -> TimeToLive {
        let status = match self.settings.ttl.as_ref().map(|ttl| &ttl.state) {
            Some(TtlState::Enabling { .. }) => TimeToLiveStatus::Enabling,
            Some(TtlState::Enabled) => TimeToLiveStatus::Enabled,
            Some(TtlState::Disabling) => TimeToLiveStatus::Disabling,
            None => TimeToLiveStatus::Disabled,
        };
        TimeToLive { status, attribute: self.settings.ttl.as_ref().map(|ttl| ttl.attribute.clone()) }
    }

    /// Returns the table with time to live turned on or off. An invalid change is refused before one that comes too
    /// early, as in DynamoDB.
    pub(crate) fn with_time_to_live(&self, request: UpdateTimeToLive, time_ms: u64) -> Result<Table> {
        check_attribute(&request.attribute)?;
        let active = self.settings.ttl.as_ref().filter(|ttl| ttl.state != TtlState::Disabling);
        match (active, request.enabled) {
            (Some(ttl), _) if ttl.attribute != request.attribute => {
                return Err(TimeToLiveError::OtherAttribute(ttl.attribute.clone()).into());
            }
            (Some(_), true) => return Err(TimeToLiveError::AlreadyEnabled.into()),
            (None, false) => return Err(TimeToLiveError::AlreadyDisabled.into()),
            (Some(_), false) | (None, true) => {}
        }
        // The expiry times by the earlier attribute must be removed first.
        let disabling = active.is_none() && self.settings.ttl.is_some();
        // A change in the future was recorded by a clock that was ahead.
        let is_lately = |last: u64| (last..last.saturating_add(CHANGE_MS)).contains(&time_ms);
        let lately = self.settings.ttl_changed_ms.is_some_and(is_lately);
        if disabling || (lately && !request.at_any_time) {
            return Err(TimeToLiveError::ChangedLately.into());
        }
        let state = match request.enabled {
            true => TtlState::Enabling { filled_to: Vec::new() },
            false => TtlState::Disabling,
        };
        let mut table = self.with_ttl(Some(TtlSetting { attribute: request.attribute, state }));
        table.settings.ttl_changed_ms = Some(time_ms);
        Ok(table)
    }

    /// Returns the table with another setting.
    pub(crate) fn with_ttl(&self, ttl: Option<TtlSetting>) -> Table {
        let mut table = self.clone();
        table.settings.ttl = ttl;
        table
    }
}

/// Refuses an invalid attribute name.
pub(super) fn check_attribute(name: &str) -> Result<(), SchemaError> {
    let is_sound = (1..=ATTRIBUTE_CHARACTERS_MAX).contains(&name.chars().count());
    if is_sound { Ok(()) } else { Err(SchemaError::TimeToLiveAttribute) }
}

#[cfg(test)]
mod tests {
    use singlet_values::{AttributeValue, Item, Number};

    use super::*;

    fn second(value: impl Into<AttributeValue>) -> Option<u64> {
        let ttl = TtlSetting::enabled("expires_at".to_owned());
        ttl.second(&EncodedItem::encode(&Item::from([("expires_at", value.into())])))
    }

    #[test]
    fn only_a_number_that_a_clock_can_show_is_a_time() {
        let number = |text: &str| second(text.parse::<Number>().unwrap());
        assert_eq!(number("1700000000"), Some(1_700_000_000));
        assert_eq!(number("1700000000.999"), Some(1_700_000_000), "fractions are cut");
        assert_eq!(number("1.7E+9"), Some(1_700_000_000));
        assert_eq!(number("0"), Some(0));
        assert_eq!(number("0.5"), Some(0));
        assert_eq!(number("1E-130"), Some(0));
        assert_eq!(number(&u64::MAX.to_string()), Some(u64::MAX));
        for never in ["-1", "-0.5", "18446744073709551616", "1E+40", "9.9E+125", "-9.9E+125"] {
            assert_eq!(number(never), None, "{never}");
        }
        assert_eq!(second("1700000000"), None, "a text is no time");
        assert_eq!(second(true), None);
        let list = AttributeValue::L(vec![AttributeValue::from(1_700_000_000)]);
        assert_eq!(second(list), None);
        let ttl = TtlSetting::enabled("expires_at".to_owned());
        assert_eq!(ttl.second(&EncodedItem::encode(&Item::from([("other", 1)]))), None);
    }

    #[test]
    fn an_item_is_over_from_its_second_on_and_for_less_than_five_years() {
        let now = 1_700_000_000;
        let expired = expired_seconds(now);
        assert!(expired.contains(&now) && !expired.contains(&(now + 1)));
        let years_5 = 5 * 365 * 24 * 60 * 60;
        assert!(expired.contains(&(now - years_5 + 1)) && !expired.contains(&(now - years_5)));
        assert_eq!(expired_seconds(10), 0..=10);
    }
}
