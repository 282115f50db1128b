//! The state in which a writer has seen an item.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};
use singlet_design::{DerivationKind, Design, Entity, SUMS_ATTRIBUTE};
use singlet_values::{EncodedItem, Item};

use crate::derive;

/// Bytes of the fingerprint of an item.
const FINGERPRINT_BYTES: usize = 16;

/// The state in which a writer has seen an item, as a fingerprint that a form can carry. Attributes that a worker keeps
/// current, such as the number of likes, are no part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemVersion([u8; FINGERPRINT_BYTES]);

impl ItemVersion {
    /// Returns the version of an item of an entity; `None` is a missing item.
    pub fn of(design: &Design, entity: &Entity, item: Option<&Item>) -> ItemVersion {
        let Some(item) = item else { return ItemVersion([0; FINGERPRINT_BYTES]) };
        let followed = followed_fields(design, entity);
        let mut steady = item.clone();
        steady.retain(|name, _| !followed.contains(&name));
        ItemVersion::whole(&steady)
    }

    /// Returns the version of an item that belongs to no entity.
    pub fn whole(item: &Item) -> ItemVersion {
        let digest = Sha256::digest(EncodedItem::encode(item).as_bytes());
        let mut version = [0; FINGERPRINT_BYTES];
        version.iter_mut().zip(digest).for_each(|(slot, byte)| *slot = byte);
        ItemVersion(version)
    }
}

impl fmt::Display for ItemVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for ItemVersion {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let bytes = u128::from_str_radix(text, 16).map_err(drop)?;
        (text.len() == 2 * FINGERPRINT_BYTES).then(|| ItemVersion(bytes.to_be_bytes())).ok_or(())
    }
}

/// Returns the attributes of an entity's items that a worker keeps current, and those that follow from them.
pub fn followed_fields<'d>(design: &'d Design, entity: &'d Entity) -> Vec<&'d str> {
    let of_rules = entity.fields.iter().filter(|field| field.derived).map(|field| field.name.as_str());
    let mut followed: Vec<&str> = of_rules.collect();
    for derivation in &design.derivations {
        if let DerivationKind::Set(set) = &derivation.kind
            && set.entity.name == entity.name
        {
            followed.extend(set.set.iter().map(|(name, _)| name.as_str()));
        }
    }
    followed.push(SUMS_ATTRIBUTE);
    for derived in derive::derived(entity) {
        if followed.iter().any(|field| derived.touched_by(field)) {
            followed.push(derived.attribute);
        }
    }
    followed
}
