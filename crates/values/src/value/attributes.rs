//! A map from attribute names to values, sorted by name: an item, or a map inside one.

use super::AttributeValue;

/// A table's item. The same type as a nested map; only its size is counted differently.
pub type Item = Attributes;

/// Names and values, sorted by the bytes of the name, each name once.
///
/// A sorted vector: items have tens of attributes, are built once and are read in order when they are encoded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attributes {
    entries: Vec<(String, AttributeValue)>,
}

impl Attributes {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty map with room for `capacity` attributes.
    pub fn with_capacity(capacity: usize) -> Self {
        Attributes { entries: Vec::with_capacity(capacity) }
    }

    /// Takes entries that are already in strictly ascending order of name.
    pub(crate) fn from_sorted(entries: Vec<(String, AttributeValue)>) -> Self {
        debug_assert!(entries.is_sorted_by(|a, b| a.0 < b.0));
        Attributes { entries }
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        self.entries.binary_search_by(|(have, _)| have.as_str().cmp(name))
    }

    /// The value with this name.
    pub fn get(&self, name: &str) -> Option<&AttributeValue> {
        let at = self.position(name).ok()?;
        self.entries.get(at).map(|(_, value)| value)
    }

    /// The value with this name, for a change in place.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut AttributeValue> {
        let at = self.position(name).ok()?;
        self.entries.get_mut(at).map(|(_, value)| value)
    }

    /// Whether there is a value with this name.
    pub fn contains(&self, name: &str) -> bool {
        self.position(name).is_ok()
    }

    /// Sets a value and returns the one it replaces. To build a whole item, collect it: that sorts only once.
    pub fn insert(
        &mut self,
        name: impl Into<String>,
        value: impl Into<AttributeValue>,
    ) -> Option<AttributeValue> {
        let (name, value) = (name.into(), value.into());
        // Names mostly arrive in order, from the stored form or from a client that sorts.
        if self.entries.last().is_none_or(|(last, _)| *last < name) {
            self.entries.push((name, value));
            return None;
        }
        match self.position(&name) {
            Ok(at) => self.entries.get_mut(at).map(|(_, old)| std::mem::replace(old, value)),
            Err(at) => {
                self.entries.insert(at, (name, value));
                None
            }
        }
    }

    /// Removes and returns a value.
    pub fn remove(&mut self, name: &str) -> Option<AttributeValue> {
        let at = self.position(name).ok()?;
        Some(self.entries.remove(at).1)
    }

    /// Keeps the attributes for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &AttributeValue) -> bool) {
        self.entries.retain(|(name, value)| keep(name, value));
    }

    /// How many attributes there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The size of an item with these attributes, as DynamoDB counts it: all names and all values.
    pub fn size_bytes(&self) -> usize {
        self.iter().map(|(name, value)| name.len() + value.size_bytes()).sum()
    }

    /// Names and values, by ascending name.
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = (&str, &AttributeValue)> + DoubleEndedIterator + Clone {
        self.entries.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl<N: Into<String>, V: Into<AttributeValue>> FromIterator<(N, V)> for Attributes {
    /// If a name appears twice, the last value wins.
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        let mut attributes = Attributes::new();
        attributes.extend(pairs);
        attributes
    }
}

impl<N: Into<String>, V: Into<AttributeValue>> Extend<(N, V)> for Attributes {
    fn extend<I: IntoIterator<Item = (N, V)>>(&mut self, pairs: I) {
        self.entries.extend(pairs.into_iter().map(|(name, value)| (name.into(), value.into())));
        sort_keeping_last(&mut self.entries);
    }
}

/// Sorts by name. Among entries with the same name it keeps the last.
///
/// An item can have a hundred thousand attributes. Inserting each in its place would move the others every time, so the
/// whole item is sorted once.
pub(crate) fn sort_keeping_last<N: Ord, V>(entries: &mut Vec<(N, V)>) {
    if entries.is_sorted_by(|a, b| a.0 < b.0) {
        return;
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    entries.dedup_by(|later, kept| {
        let repeated = later.0 == kept.0;
        if repeated {
            std::mem::swap(&mut later.1, &mut kept.1);
        }
        repeated
    });
}

impl<N: Into<String>, V: Into<AttributeValue>, const LEN: usize> From<[(N, V); LEN]> for Attributes {
    fn from(pairs: [(N, V); LEN]) -> Self {
        pairs.into_iter().collect()
    }
}

impl IntoIterator for Attributes {
    type Item = (String, AttributeValue);
    type IntoIter = std::vec::IntoIter<(String, AttributeValue)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_sorted_and_single_whatever_the_order_of_insertion() {
        let mut attributes = Attributes::new();
        for name in ["m", "a", "z", "b", "m"] {
            attributes.insert(name, name);
        }
        let names: Vec<&str> = attributes.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b", "m", "z"]);
    }

    #[test]
    fn insert_returns_what_it_replaces() {
        let mut attributes = Attributes::from([("a", 1), ("b", 2)]);
        assert_eq!(attributes.insert("a", 3), Some(AttributeValue::from(1)));
        assert_eq!(attributes.insert("c", 4), None);
        assert_eq!(attributes.get("a"), Some(&AttributeValue::from(3)));
        assert_eq!(attributes.remove("a"), Some(AttributeValue::from(3)));
        assert_eq!(attributes.remove("a"), None);
        assert_eq!(attributes.len(), 2);
    }

    #[test]
    fn the_last_of_two_equal_names_wins_when_collected() {
        let mut attributes = Attributes::from([("b", 1), ("a", 2), ("b", 3), ("b", 4)]);
        assert_eq!(attributes.get("b"), Some(&AttributeValue::from(4)));
        assert_eq!(attributes.len(), 2);
        attributes.extend([("a", 5)]);
        assert_eq!(attributes.get("a"), Some(&AttributeValue::from(5)));
        assert_eq!(attributes.len(), 2);
    }
}
