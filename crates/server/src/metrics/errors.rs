//! Errors by name.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// More names than the protocol has. Further names are counted as `Other`.
const NAMES_MAX: usize = 40;

/// Counts by name, without locks. A name takes the first free place and keeps it.
pub(super) struct ErrorCounts {
    places: [(OnceLock<&'static str>, AtomicU64); NAMES_MAX],
    others: AtomicU64,
}

impl Default for ErrorCounts {
    fn default() -> Self {
        Self { places: std::array::from_fn(|_| Default::default()), others: AtomicU64::new(0) }
    }
}

impl ErrorCounts {
    pub(super) fn count(&self, name: &'static str) {
        let place = self.places.iter().find(|(place, _)| *place.get_or_init(|| name) == name);
        place.map_or(&self.others, |(_, count)| count).fetch_add(1, Ordering::Relaxed);
    }

    /// The names that occurred, with their counts.
    pub(super) fn counted(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let others = Some(("Other", self.others.load(Ordering::Relaxed))).filter(|(_, count)| *count > 0);
        self.places
            .iter()
            .filter_map(|(name, count)| Some((*name.get()?, count.load(Ordering::Relaxed))))
            .chain(others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_its_own_count() {
        let counts = ErrorCounts::default();
        for name in ["A", "B", "A"] {
            counts.count(name);
        }
        assert_eq!(counts.counted().collect::<Vec<_>>(), [("A", 2), ("B", 1)]);
    }

    #[test]
    fn too_many_names_are_counted_together() {
        let counts = ErrorCounts::default();
        let names: Vec<&'static str> =
            (0..NAMES_MAX + 3).map(|number| &*Box::leak(number.to_string().into_boxed_str())).collect();
        names.iter().for_each(|name| counts.count(name));
        assert_eq!(counts.counted().last(), Some(("Other", 3)));
    }
}
