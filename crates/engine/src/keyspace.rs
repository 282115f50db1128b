//! The layout of the ordered keyspace of the store.
//!
//! Every key begins with a table number (4 bytes, big-endian) and a space number (2 bytes). Table 0 is the
//! database's own. Space 0 of a table has its items, space n has the entries of index number n, and the last spaces
//! have the sizes of item collections and the expiry times. `docs/format.md` describes every byte.

use bytes::{BufMut, Bytes, BytesMut};

use crate::store::Space;

/// Bytes of table and space number in front of every key.
pub(crate) const PREFIX_BYTES: usize = 6;
/// Bytes of the partition hash behind the prefix of every row.
pub(crate) const HASH_BYTES: usize = 4;
/// Where the key parts of a row begin.
pub(crate) const PARTS_AT: usize = PREFIX_BYTES + HASH_BYTES;
/// Bytes of the second behind the prefix of an expiring item's row.
pub(crate) const SECOND_BYTES: usize = 8;

/// The space of a table's items.
const ITEMS: u16 = 0;
/// The space of a table's item collection sizes.
const COLLECTIONS: u16 = u16::MAX;
/// The space of a table's expiring items, by the time at which they expire.
const EXPIRIES: u16 = u16::MAX - 1;
/// The largest number of an index. The numbers between it and the spaces above are reserved for new kinds of spaces.
pub(crate) const INDEX_NUMBER_MAX: u16 = 0xEFFF;

/// The number of the database's own table.
const SYSTEM: u32 = 0;
/// Table descriptors, by name.
const DESCRIPTORS: u16 = 1;
/// Idempotency tokens, by token.
const TOKENS: u16 = 2;
/// Idempotency tokens, by the time they end.
const TOKEN_ENDS: u16 = 3;
/// Single values: the next table number, and the turns of the clock.
const VALUES: u16 = 4;
/// Spaces whose rows are still to be removed.
const PURGES: u16 = 5;
/// Streams, by table number and label, including disabled ones.
const STREAMS: u16 = 6;
/// Shards of streams, by table number, label and shard.
const SHARDS: u16 = 7;
/// Backups, by their id.
const BACKUPS: u16 = 8;
/// Deleted tables that can still be recovered, by table number.
const DELETED: u16 = 9;
/// Exports and imports, by their id.
const TRANSFERS: u16 = 10;

/// One space of the keyspace: all rows of one table, of one index, or of one kind of bookkeeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RowSpace {
    table: u32,
    space: u16,
}

impl RowSpace {
    /// The items of a table.
    pub(crate) fn items(table: u32) -> Self {
        RowSpace { table, space: ITEMS }
    }

    /// The entries of an index.
    pub(crate) fn index(table: u32, index: u16) -> Self {
        RowSpace { table, space: index }
    }

    /// The item collection sizes of a table.
    pub(crate) fn collections(table: u32) -> Self {
        RowSpace { table, space: COLLECTIONS }
    }

    /// Table descriptors.
    pub(crate) fn descriptors() -> Self {
        RowSpace { table: SYSTEM, space: DESCRIPTORS }
    }

    /// Idempotency tokens.
    pub(crate) fn tokens() -> Self {
        RowSpace { table: SYSTEM, space: TOKENS }
    }

    /// Ends of idempotency tokens.
    pub(crate) fn token_ends() -> Self {
        RowSpace { table: SYSTEM, space: TOKEN_ENDS }
    }

    /// The expiring items of a table, by the time at which they expire.
    pub(crate) fn expiries(table: u32) -> Self {
        RowSpace { table, space: EXPIRIES }
    }

    /// Streams.
    pub(crate) fn streams() -> Self {
        RowSpace { table: SYSTEM, space: STREAMS }
    }

    /// Shards of streams.
    pub(crate) fn shards() -> Self {
        RowSpace { table: SYSTEM, space: SHARDS }
    }

    /// Backups.
    pub(crate) fn backups() -> Self {
        RowSpace { table: SYSTEM, space: BACKUPS }
    }

    /// Deleted tables that can still be recovered.
    pub(crate) fn deleted() -> Self {
        RowSpace { table: SYSTEM, space: DELETED }
    }

    /// Exports and imports.
    pub(crate) fn transfers() -> Self {
        RowSpace { table: SYSTEM, space: TRANSFERS }
    }

    /// Spaces to be purged.
    pub(crate) fn purges() -> Self {
        RowSpace { table: SYSTEM, space: PURGES }
    }

    /// The number of the table that the space belongs to.
    pub(crate) fn table_number(self) -> u32 {
        self.table
    }

    /// The space's number in its table.
    pub(crate) fn number(self) -> u16 {
        self.space
    }

    /// Whether this space belongs to the database itself.
    pub(crate) fn is_own(self) -> bool {
        self.table == SYSTEM
    }

    /// The prefix of every key in this space.
    pub(crate) fn prefix(self) -> [u8; PREFIX_BYTES] {
        let mut prefix = [0; PREFIX_BYTES];
        let (table, space) = prefix.split_at_mut(4);
        table.copy_from_slice(&self.table.to_be_bytes());
        space.copy_from_slice(&self.space.to_be_bytes());
        prefix
    }

    /// Reads a space back from its prefix.
    pub(crate) fn from_prefix(prefix: &[u8]) -> Option<Self> {
        let table = u32::from_be_bytes(prefix.get(..4)?.try_into().ok()?);
        let space = u16::from_be_bytes(prefix.get(4..PREFIX_BYTES)?.try_into().ok()?);
        Some(RowSpace { table, space })
    }

    /// A key of this space.
    pub(crate) fn key(self, rest: &[u8]) -> Bytes {
        let mut key = BytesMut::with_capacity(PREFIX_BYTES + rest.len());
        key.put_slice(&self.prefix());
        key.put_slice(rest);
        key.freeze()
    }

    /// A key of this space that sorts by a second first.
    pub(crate) fn key_at(self, second: u64, rest: &[u8]) -> Bytes {
        let mut key = BytesMut::with_capacity(PREFIX_BYTES + SECOND_BYTES + rest.len());
        key.put_slice(&self.prefix());
        key.put_slice(&second.to_be_bytes());
        key.put_slice(rest);
        key.freeze()
    }

    /// The smallest key above every key of this space.
    pub(crate) fn end(self) -> Vec<u8> {
        let number = (u64::from(self.table) << 16 | u64::from(self.space)) + 1;
        number.to_be_bytes().get(2..).unwrap_or_default().to_vec()
    }

    /// The number under which rows and bytes of this space are counted.
    pub(crate) fn tally(self) -> Space {
        Space(u64::from(self.table) << 16 | u64::from(self.space))
    }
}

/// The key of the turns of the clock.
pub(crate) fn turns_key() -> Bytes {
    RowSpace { table: SYSTEM, space: VALUES }.key(b"turns")
}

/// The key of the next table number.
pub(crate) fn next_table_number_key() -> Bytes {
    RowSpace { table: SYSTEM, space: VALUES }.key(b"next table number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_ends_where_the_next_one_begins() {
        assert_eq!(RowSpace::items(7).end(), RowSpace::index(7, 1).prefix());
        assert_eq!(RowSpace::collections(7).end(), RowSpace::items(8).prefix());
    }

    proptest::proptest! {
        #[test]
        fn every_key_of_a_space_lies_between_its_prefix_and_its_end(
            table in proptest::prelude::any::<u32>(),
            space in proptest::prelude::any::<u16>(),
            rest in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..9),
        ) {
            let space = RowSpace { table, space };
            let key = space.key(&rest);
            proptest::prop_assert!(space.prefix().as_slice() <= key.as_ref());
            // The very last space has no successor; its table number is never used.
            proptest::prop_assert!(key.as_ref() < space.end().as_slice() || space.end() == [0; PREFIX_BYTES]);
        }
    }

    #[test]
    fn a_space_is_read_back_from_its_prefix() {
        let space = RowSpace::index(70_000, 300);
        assert_eq!(RowSpace::from_prefix(&space.prefix()), Some(space));
        assert_eq!(RowSpace::from_prefix(b"short"), None);
    }
}
