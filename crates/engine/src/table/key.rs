//! Key attributes of tables and indexes, and the row keys made from them.

use singlet_values::{Item, ItemRef, Kind, ValueRef, partition_hash, write_key_part};

use crate::error::Invalid;
use crate::keyspace::{HASH_BYTES, PARTS_AT, PREFIX_BYTES, RowSpace};
use crate::request::{KeySchema, ScalarType};

/// The most bytes of a partition key.
const PARTITION_BYTES_MAX: usize = singlet_values::limits::PARTITION_KEY_BYTES_MAX;
/// The most bytes of a sort key.
const SORT_BYTES_MAX: usize = singlet_values::limits::SORT_KEY_BYTES_MAX;
/// Capacity for the row keys of usual tables and indexes.
const ROW_BYTES_USUAL: usize = 128;

/// An attribute that is part of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyAttribute {
    /// Attribute name.
    pub(crate) name: String,
    /// Its declared type.
    pub(crate) scalar: ScalarType,
}

/// The key of a table or index with the types of its attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyShape {
    /// Partition attributes.
    pub(crate) partition: Vec<KeyAttribute>,
    /// Sort attributes.
    pub(crate) sort: Vec<KeyAttribute>,
}

/// Why an item has no valid key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeyProblem<'a> {
    Missing(&'a KeyAttribute),
    WrongType(&'a KeyAttribute, Kind),
    Empty(&'a KeyAttribute),
    PartitionTooLong,
    SortTooLong,
}

impl ScalarType {
    /// Returns the attribute kind of this key type.
    pub fn kind(self) -> Kind {
        match self {
            ScalarType::S => Kind::S,
            ScalarType::N => Kind::N,
            ScalarType::B => Kind::B,
        }
    }

    /// The type's letter.
    pub fn code(self) -> &'static str {
        self.kind().code()
    }
}

impl KeyShape {
    /// Partition attributes, then sort attributes.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.partition.iter().chain(&self.sort)
    }

    /// Whether an attribute is part of the key.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.attributes().any(|attribute| attribute.name == name)
    }

    /// Whether an item has every attribute of the key with its type.
    pub(crate) fn suits(&self, item: &Item) -> bool {
        let suits = |attribute: &KeyAttribute| {
            item.get(&attribute.name).is_some_and(|value| value.kind() == attribute.scalar.kind())
        };
        self.attributes().all(suits)
    }

    /// The names only.
    pub(crate) fn schema(&self) -> KeySchema {
        let names = |attributes: &[KeyAttribute]| attributes.iter().map(|a| a.name.clone()).collect();
        KeySchema { partition: names(&self.partition), sort: names(&self.sort) }
    }

    /// Checks the key attributes that an item has.
    pub(crate) fn check_present(&self, item: ItemRef<'_>) -> Result<(), KeyProblem<'_>> {
        for attribute in self.attributes() {
            if let Some(value) = item.get(&attribute.name) {
                attribute.check(value)?;
            }
        }
        Ok(())
    }

    /// Returns the row key of an item: space, partition hash, partition parts, sort parts.
    pub(crate) fn row_key(&self, space: RowSpace, item: ItemRef<'_>) -> Result<Vec<u8>, KeyProblem<'_>> {
        let mut row = self.partition_row(space, item)?;
        let mut bytes = 0;
        for attribute in &self.sort {
            bytes += attribute.write(item, &mut row)?;
        }
        if bytes > SORT_BYTES_MAX { Err(KeyProblem::SortTooLong) } else { Ok(row) }
    }

    /// Returns the common prefix of all row keys of an item's partition.
    pub(crate) fn partition_row(
        &self,
        space: RowSpace,
        item: ItemRef<'_>,
    ) -> Result<Vec<u8>, KeyProblem<'_>> {
        let mut row = Vec::with_capacity(ROW_BYTES_USUAL);
        row.extend_from_slice(&space.prefix());
        row.extend_from_slice(&[0; HASH_BYTES]);
        let mut bytes = 0;
        for attribute in &self.partition {
            bytes += attribute.write(item, &mut row)?;
        }
        if bytes > PARTITION_BYTES_MAX {
            return Err(KeyProblem::PartitionTooLong);
        }
        set_partition_hash(&mut row);
        Ok(row)
    }
}

/// Sets the hash in a row that ends with its partition parts.
pub(crate) fn set_partition_hash(row: &mut [u8]) {
    if let Some((head, parts)) = row.split_at_mut_checked(PARTS_AT)
        && let Some(hash) = head.get_mut(PREFIX_BYTES..)
    {
        hash.copy_from_slice(&partition_hash(parts).to_be_bytes());
    }
}

impl KeyAttribute {
    /// Appends this attribute's part and returns the bytes of its value.
    fn write(&self, item: ItemRef<'_>, row: &mut Vec<u8>) -> Result<usize, KeyProblem<'_>> {
        let value = item.get(&self.name).ok_or(KeyProblem::Missing(self))?;
        let bytes = self.check(value)?;
        write_key_part(row, value).map_err(|_| KeyProblem::WrongType(self, value.kind()))?;
        Ok(bytes)
    }

    /// Checks type and emptiness, and returns the bytes of the value.
    pub(crate) fn check(&self, value: ValueRef<'_>) -> Result<usize, KeyProblem<'_>> {
        if value.kind() != self.scalar.kind() {
            return Err(KeyProblem::WrongType(self, value.kind()));
        }
        let bytes = value.size_bytes();
        if bytes == 0 { Err(KeyProblem::Empty(self)) } else { Ok(bytes) }
    }

    /// Returns the word for an empty value of this attribute.
    pub(crate) fn empty_kind(&self) -> &'static str {
        if self.scalar == ScalarType::B { "binary" } else { "string" }
    }
}

impl KeyProblem<'_> {
    /// Returns the error for an item that is written.
    pub(crate) fn in_item(self) -> Invalid {
        match self {
            KeyProblem::Missing(attribute) => Invalid::MissingKey(attribute.name.clone()),
            KeyProblem::WrongType(attribute, actual) => Invalid::KeyType {
                name: attribute.name.clone(),
                expected: attribute.scalar.code(),
                actual: actual.code(),
            },
            other => other.in_key(),
        }
    }

    /// Returns the error for a key that is looked up.
    pub(crate) fn in_key(self) -> Invalid {
        match self {
            KeyProblem::Missing(_) | KeyProblem::WrongType(..) => Invalid::KeyMismatch,
            KeyProblem::Empty(attribute) => {
                Invalid::EmptyKey { name: attribute.name.clone(), kind: attribute.empty_kind() }
            }
            KeyProblem::PartitionTooLong => Invalid::PartitionKeyTooLong,
            KeyProblem::SortTooLong => Invalid::SortKeyTooLong,
        }
    }

    /// Returns the error for an index entry.
    pub(crate) fn in_index(self, index: &str) -> Invalid {
        let index = index.to_owned();
        match self {
            missing @ KeyProblem::Missing(_) => missing.in_key(),
            KeyProblem::WrongType(attribute, actual) => Invalid::IndexKeyType {
                name: attribute.name.clone(),
                expected: attribute.scalar.code(),
                actual: actual.code(),
                index,
            },
            KeyProblem::Empty(attribute) => {
                Invalid::EmptyIndexKey { name: attribute.name.clone(), kind: attribute.empty_kind(), index }
            }
            KeyProblem::PartitionTooLong => {
                Invalid::IndexKeyTooLong { key: "hashkey", bytes_max: PARTITION_BYTES_MAX, index }
            }
            KeyProblem::SortTooLong => {
                Invalid::IndexKeyTooLong { key: "rangekey", bytes_max: SORT_BYTES_MAX, index }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use singlet_values::{AttributeValue, EncodedItem, Item, Number};

    use super::*;

    fn shape(partition: &[(&str, ScalarType)], sort: &[(&str, ScalarType)]) -> KeyShape {
        let attributes = |names: &[(&str, ScalarType)]| {
            names
                .iter()
                .map(|(name, scalar)| KeyAttribute { name: (*name).to_owned(), scalar: *scalar })
                .collect()
        };
        KeyShape { partition: attributes(partition), sort: attributes(sort) }
    }

    fn row(shape: &KeyShape, item: &Item) -> Vec<u8> {
        shape.row_key(RowSpace::items(1), EncodedItem::encode(item).view()).unwrap()
    }

    proptest! {
        #[test]
        fn rows_of_a_partition_sort_like_their_sort_keys(
            left in ("[\u{0}\u{1}ab]{1,3}", any::<i8>()),
            right in ("[\u{0}\u{1}ab]{1,3}", any::<i8>()),
        ) {
            let shape = shape(&[("p", ScalarType::S)], &[("s", ScalarType::S), ("n", ScalarType::N)]);
            let item = |(text, number): &(String, i8)| Item::from([
                ("p", AttributeValue::from("one")),
                ("s", text.as_str().into()),
                ("n", Number::from(i64::from(*number)).into()),
            ]);
            let order = row(&shape, &item(&left)).cmp(&row(&shape, &item(&right)));
            prop_assert_eq!(order, left.cmp(&right));
        }

        #[test]
        fn every_row_begins_with_its_partition_and_with_no_other(
            left in ("[ab\u{0}]{1,3}", "[ab\u{0}]{1,3}"),
            right in ("[ab\u{0}]{1,3}", "[ab\u{0}]{1,3}"),
        ) {
            // Two attributes: ("a", "ba") and ("ab", "a") must not run together.
            let shape = shape(&[("p", ScalarType::S), ("q", ScalarType::S)], &[]);
            let item = |(p, q): &(String, String)| Item::from([("p", p.as_str()), ("q", q.as_str())]);
            let partition = shape
                .partition_row(RowSpace::items(1), EncodedItem::encode(&item(&left)).view())
                .unwrap();
            prop_assert_eq!(row(&shape, &item(&right)).starts_with(&partition), left == right);
        }
    }

    #[test]
    fn a_key_that_can_not_be_made_is_told() {
        let shape = shape(&[("p", ScalarType::S)], &[("s", ScalarType::B)]);
        let key = |item: &Item| {
            let item = EncodedItem::encode(item);
            shape.row_key(RowSpace::items(1), item.view()).unwrap_err().in_item()
        };
        let binary = |length: usize| AttributeValue::from(vec![1u8; length]);
        let item = |p: AttributeValue, s: AttributeValue| Item::from([("p", p), ("s", s)]);
        assert_eq!(key(&Item::from([("p", "x")])), Invalid::MissingKey("s".to_owned()));
        let wrong = Invalid::KeyType { name: "p".to_owned(), expected: "S", actual: "N" };
        assert_eq!(key(&item(1.into(), binary(1))), wrong);
        assert_eq!(
            key(&item("x".into(), binary(0))),
            Invalid::EmptyKey { name: "s".to_owned(), kind: "binary" }
        );
        assert_eq!(key(&item("x".repeat(2049).into(), binary(1))), Invalid::PartitionKeyTooLong);
        assert_eq!(key(&item("x".into(), binary(1025))), Invalid::SortKeyTooLong);
    }
}
