//! A design at a moment: the present, or a past one that the address names, as `social@2026-11-19T22:00:00.000Z`.

use std::borrow::Cow;

use singlet_design::{Design, FieldType, Json, Table, instant_ms, time_of_ms, to_attribute};
use singlet_store::{History, Past, PastItems, PastRange, ReadPast};
use singlet_values::Item;

use crate::console::{Console, Served};
use crate::failure::Failure;
use crate::figures::grouped;

/// The most changes of a table that a page goes back.
const CHANGES_MAX: u64 = 100_000;

/// The sign between the name of a design and a moment.
const AT: char = '@';

/// A design at a moment.
pub(crate) struct Visit<'c, S> {
    pub(crate) served: &'c Served<S>,
    /// The design. Its name contains the moment, so that every link stays at it.
    pub(crate) design: Cow<'c, Design>,
    /// The moment, in milliseconds since 1970; `None` is the present.
    pub(crate) at_ms: Option<u64>,
}

impl<'c, S: History> Visit<'c, S> {
    /// The design that an address names.
    pub(crate) fn of(console: &'c Console<S>, name: &str) -> Result<Self, Failure> {
        let Some((design, time)) = name.split_once(AT) else {
            let served = console.served(name)?;
            return Ok(Visit { served, design: Cow::Borrowed(served.design()), at_ms: None });
        };
        let at_ms = moment(time).ok_or_else(|| {
            Failure::wrong("The moment in the address must be a time such as 2026-11-17T10:00:00Z.")
        })?;
        let served = console.served(design)?;
        let mut design = served.design().as_ref().clone();
        design.name = named(served.name(), Some(at_ms));
        Ok(Visit { served, design: Cow::Owned(design), at_ms: Some(at_ms) })
    }

    /// The last moment of a table: the present.
    pub(crate) async fn latest_ms(&self, table: &Table) -> Result<u64, Failure> {
        let name = self.served.table_name(table);
        let window = self.served.runner().store().recovery_window(&name).await?;
        let off = || Failure::wrong("Recovery of the table is off, so its past isn’t kept.");
        window.map(|window| window.latest_ms).ok_or_else(off)
    }

    /// Reads items of a table as they were at the moment.
    pub(crate) async fn past(
        &self,
        table: &Table,
        range: PastRange,
        after: Option<Item>,
        items_max: usize,
        time_ms: u64,
    ) -> Result<PastItems, Failure> {
        let table = self.served.table_name(table);
        let request = ReadPast { table, range, time_ms, after, items_max, changes_max: CHANGES_MAX };
        match self.served.runner().store().read_past(request).await? {
            Past::Items(items) => Ok(items),
            Past::TooManyChanges { reached_ms } => Err(Failure::wrong(format!(
                "The table has changed more than {} times since then, and a page goes back no further. The earliest \
                 moment that a page reaches is about {}. To look further back, restore the table.",
                grouped(CHANGES_MAX),
                time_of_ms(reached_ms)
            ))),
        }
    }
}

/// The name of a design at a moment, as addresses have it.
pub(crate) fn named(design: &str, at_ms: Option<u64>) -> String {
    at_ms.map_or_else(|| design.to_owned(), |at_ms| format!("{design}{AT}{}", time_of_ms(at_ms)))
}

/// The moment of a text, in milliseconds since 1970. A time without a zone is in UTC, as forms send it.
pub(crate) fn moment(text: &str) -> Option<u64> {
    let text = text.trim();
    // A form leaves out seconds that are zero, and the zone.
    [text.to_owned(), format!("{text}Z"), format!("{text}:00Z")].into_iter().find_map(|text| {
        let time = to_attribute(&FieldType::Time, &Json::from(text)).ok()?;
        u64::try_from(instant_ms(&time)?).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_forms_and_people_write_them() {
        for text in [
            "2026-11-19T22:00:00Z",
            "2026-11-19T22:00:00",
            "2026-11-19T22:00",
            "2026-11-19T23:00:00+01:00",
            "2026-11-19T22:00:00.000",
        ] {
            assert_eq!(moment(text), Some(1_795_125_600_000), "{text}");
        }
        assert_eq!(moment("yesterday"), None);
        assert_eq!(named("social", Some(1_795_125_600_000)), "social@2026-11-19T22:00:00.000Z");
    }
}
