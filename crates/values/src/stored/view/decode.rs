//! From stored bytes to owned trees, rejecting everything that [`encode`](crate::stored::encode) can't have written.

use std::collections::BTreeSet;

use super::ValueRef;
use super::containers::SetRef;
use crate::stored::reader::{Reader, number, text};
use crate::stored::{Corrupt, DEPTH_MAX};
use crate::{AttributeValue, Attributes, Item, Kind, NumberRef};

/// The item stored in exactly these bytes.
pub(super) fn item(bytes: &[u8]) -> Result<Item, Corrupt> {
    let mut reader = Reader::new(bytes);
    let size_bytes = reader.varint()?;
    let item = map(reader.rest(), DEPTH_MAX)?;
    if item.size_bytes() == size_bytes { Ok(item) } else { Err(Corrupt) }
}

/// The value behind a view, with at most `depth` nested lists and maps.
pub(super) fn value(value: ValueRef<'_>, depth: usize) -> Result<AttributeValue, Corrupt> {
    Ok(match value {
        ValueRef::S(text) => AttributeValue::S(text.to_owned()),
        ValueRef::N(number) => AttributeValue::N(number.to_number()),
        ValueRef::B(bytes) => AttributeValue::B(bytes.to_vec()),
        ValueRef::Bool(truth) => AttributeValue::Bool(truth),
        ValueRef::Null => AttributeValue::Null,
        ValueRef::M(view) => AttributeValue::M(map(view.body, depth.checked_sub(1).ok_or(Corrupt)?)?),
        ValueRef::L(view) => AttributeValue::L(list(view.body, depth.checked_sub(1).ok_or(Corrupt)?)?),
        ValueRef::Ss(view) | ValueRef::Ns(view) | ValueRef::Bs(view) => set(view)?,
    })
}

fn map(body: &[u8], depth: usize) -> Result<Attributes, Corrupt> {
    let mut last = None;
    let entries = elements(body, |reader| {
        let name = text(reader.delimited()?)?;
        ascend(&mut last, name)?;
        Ok((name.to_owned(), value(ValueRef::from_raw(reader.value()?)?, depth)?))
    })?;
    Ok(Attributes::from_sorted(entries))
}

fn list(body: &[u8], depth: usize) -> Result<Vec<AttributeValue>, Corrupt> {
    elements(body, |reader| value(ValueRef::from_raw(reader.value()?)?, depth))
}

fn set(set: SetRef<'_>) -> Result<AttributeValue, Corrupt> {
    let body = set.body;
    Ok(match set.element {
        Kind::S => AttributeValue::Ss(ascending(body, |reader| text(reader.delimited()?), str::to_owned)?),
        Kind::N => {
            AttributeValue::Ns(ascending(body, |reader| number(reader.number()?), NumberRef::to_number)?)
        }
        _ => AttributeValue::Bs(ascending(body, Reader::delimited, <[u8]>::to_vec)?),
    })
}

/// The elements of a set, which must be distinct and in order.
fn ascending<'a, V: PartialOrd + Copy, T: Ord>(
    body: &'a [u8],
    read: impl Fn(&mut Reader<'a>) -> Result<V, Corrupt>,
    own: impl Fn(V) -> T,
) -> Result<BTreeSet<T>, Corrupt> {
    let mut last = None;
    let owned = elements(body, |reader| Ok(own(ascend(&mut last, read(reader)?)?)))?;
    Ok(owned.into_iter().collect())
}

/// Reads a count and that many elements, up to the end of the body.
fn elements<'a, T>(
    body: &'a [u8],
    mut read: impl FnMut(&mut Reader<'a>) -> Result<T, Corrupt>,
) -> Result<Vec<T>, Corrupt> {
    let mut reader = Reader::new(body);
    let count = reader.varint()?;
    // Each element takes at least a byte. A count above that must not cause an allocation.
    if count > reader.rest().len() {
        return Err(Corrupt);
    }
    let mut elements = Vec::with_capacity(count);
    for _ in 0..count {
        elements.push(read(&mut reader)?);
    }
    if reader.is_empty() { Ok(elements) } else { Err(Corrupt) }
}

/// Checks that elements are strictly ascending.
fn ascend<T: PartialOrd + Copy>(last: &mut Option<T>, next: T) -> Result<T, Corrupt> {
    if last.is_some_and(|last| last >= next) {
        return Err(Corrupt);
    }
    *last = Some(next);
    Ok(next)
}
