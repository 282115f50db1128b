//! Embedding against referencing: the five criteria by which documents are modelled.
//!
//! A part of an item can be embedded in it, as an object or a list of objects, or be an item of its own that refers to
//! it. Each criterion is for one of the two, or says nothing.

use crate::text::{bytes, number, whole};

/// Elements that are few, as in "1:few".
const ELEMENTS_FEW: u64 = 25;
/// Elements that are many.
const ELEMENTS_MANY: u64 = 100;
/// The share of reads with both above which both are always read together.
const TOGETHER_ALWAYS: f64 = 0.9;
/// The share of reads with both below which they are read apart.
const TOGETHER_SELDOM: f64 = 0.5;
/// Changes for each read: up to this, the part rarely changes.
const CHANGES_RARE: f64 = 0.1;
/// From this, it changes frequently.
const CHANGES_FREQUENT: f64 = 1.0;
/// Bytes of all elements that are small: a write of the whole item costs 16 units.
const BYTES_SMALL: u64 = 16 * 1024;
/// Bytes that are large.
const BYTES_LARGE: u64 = 64 * 1024;

/// Where a part belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the item.
    Embedded,
    /// In an item of its own.
    Referenced,
}

/// The facts of a design about an item and a part of it.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// The maximum number of elements; `None` without one.
    pub(super) elements_max: Option<u64>,
    /// Reads a second that return both.
    pub(super) reads_together: f64,
    /// Reads a second that return one of them.
    pub(super) reads_apart: f64,
    /// Changes of the part a second.
    pub(super) changes: f64,
    /// The largest size of all elements; `None` without a bound.
    pub(super) bytes_max: Option<u64>,
    /// A pattern that changes both at once.
    pub(super) changed_together: Option<String>,
    /// A pattern that changes only the part.
    pub(super) changed_alone: Option<String>,
}

/// A criterion and its reason.
#[derive(Debug)]
pub(super) struct Criterion {
    /// Where the part belongs; `None` if the design doesn't say enough, or nothing clear.
    pub(super) place: Option<Place>,
    /// Its name and its reason.
    pub(super) reason: String,
}

impl Criterion {
    fn new(name: &str, place: Option<Place>, reason: &str) -> Self {
        Criterion { place, reason: format!("{name} ({reason})") }
    }
}

impl Evidence {
    /// Weighs the five criteria.
    pub(super) fn criteria(&self) -> [Criterion; 5] {
        [self.relationship(), self.access(), self.update_frequency(), self.size(), self.consistency()]
    }

    fn relationship(&self) -> Criterion {
        let (place, reason) = match self.elements_max {
            None => (Some(Place::Referenced), "any number".to_owned()),
            Some(1) => (Some(Place::Embedded), "at most one".to_owned()),
            Some(max) => (side(max <= ELEMENTS_FEW, max > ELEMENTS_MANY), format!("up to {}", whole(max))),
        };
        Criterion::new("relationship", place, &reason)
    }

    fn access(&self) -> Criterion {
        let reads = self.reads_together + self.reads_apart;
        let share = if reads > 0.0 { Some(self.reads_together / reads) } else { None };
        let place = share.and_then(|share| side(share >= TOGETHER_ALWAYS, share <= TOGETHER_SELDOM));
        let reason = share.map_or_else(
            || "no rates".to_owned(),
            |share| format!("{} % of the reads return both", number((share * 100.0).round())),
        );
        Criterion::new("access", place, &reason)
    }

    fn update_frequency(&self) -> Criterion {
        let reads = self.reads_together + self.reads_apart;
        if reads + self.changes <= 0.0 {
            return Criterion::new("update frequency", None, "no rates");
        }
        let place = side(self.changes <= reads * CHANGES_RARE, self.changes >= reads * CHANGES_FREQUENT);
        let rate = |rate: f64| {
            let day = rate * 86_400.0;
            if day < 1000.0 { format!("{} a day", number(day)) } else { format!("{} a second", number(rate)) }
        };
        let reason = format!("{} changes and {} reads", rate(self.changes), rate(reads));
        Criterion::new("update frequency", place, &reason)
    }

    fn size(&self) -> Criterion {
        let (place, reason) = match self.bytes_max {
            None => (Some(Place::Referenced), "unbounded".to_owned()),
            Some(max) => (side(max <= BYTES_SMALL, max > BYTES_LARGE), format!("up to {}", bytes(max))),
        };
        Criterion::new("size", place, &reason)
    }

    fn consistency(&self) -> Criterion {
        let (place, reason) = match (&self.changed_together, &self.changed_alone) {
            (Some(pattern), _) => (Some(Place::Embedded), format!("`{pattern}` changes both at once")),
            (None, Some(pattern)) => (Some(Place::Referenced), format!("`{pattern}` changes it alone")),
            (None, None) => (None, "nothing changes it".to_owned()),
        };
        Criterion::new("consistency", place, &reason)
    }
}

fn side(embedded: bool, referenced: bool) -> Option<Place> {
    match (embedded, referenced) {
        (true, _) => Some(Place::Embedded),
        (false, true) => Some(Place::Referenced),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(evidence: &Evidence) -> [Option<Place>; 5] {
        evidence.criteria().map(|criterion| criterion.place)
    }

    const EMBEDDED: Option<Place> = Some(Place::Embedded);
    const REFERENCED: Option<Place> = Some(Place::Referenced);

    #[test]
    fn each_criterion_is_for_one_place_or_says_nothing() {
        let small = Evidence {
            elements_max: Some(20),
            reads_together: 95.0,
            reads_apart: 5.0,
            changes: 1.0,
            bytes_max: Some(4_000),
            changed_together: Some("save".to_owned()),
            changed_alone: Some("touch".to_owned()),
        };
        assert_eq!(places(&small), [EMBEDDED; 5]);
        let large = Evidence {
            reads_together: 10.0,
            reads_apart: 90.0,
            changes: 200.0,
            changed_alone: Some("add".to_owned()),
            ..Evidence::default()
        };
        assert_eq!(places(&large), [REFERENCED; 5]);
        let unclear = Evidence {
            elements_max: Some(50),
            reads_together: 70.0,
            reads_apart: 30.0,
            changes: 50.0,
            bytes_max: Some(30_000),
            ..Evidence::default()
        };
        assert_eq!(places(&unclear), [None; 5]);
        let silent = Evidence { elements_max: Some(50), bytes_max: Some(30_000), ..Evidence::default() };
        assert_eq!(places(&silent), [None; 5], "without rates");
    }
}
