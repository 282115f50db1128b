//! From trees and views to stored bytes.
//!
//! The first pass measures, so that the second can write into an allocation of exactly the right length.

use std::fmt;

use bytes::Bytes;

use super::reader::Reader;
use super::view::{ItemRef, ValueRef};
use super::{Corrupt, tag};
use crate::value::sort_keeping_last;
use crate::{AttributeValue, Attributes, Item};

/// The size of a body's length field.
const BODY_LENGTH_BYTES: usize = 4;

/// A stored item, owned; clones share the bytes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EncodedItem(Bytes);

impl EncodedItem {
    /// Encodes an item.
    pub fn encode(item: &Item) -> EncodedItem {
        let size_bytes = item.size_bytes();
        EncodedItem(write_exactly(varint_len(size_bytes) + map_len(item), |out| {
            write_varint(out, size_bytes);
            write_map(out, item);
        }))
    }

    /// Takes bytes that were encoded before.
    pub fn from_bytes(bytes: Bytes) -> EncodedItem {
        EncodedItem(bytes)
    }

    /// The stored bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The stored bytes, shared.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }

    /// Reads the item in place.
    pub fn view(&self) -> ItemRef<'_> {
        ItemRef::new(&self.0)
    }

    /// The item as an owned tree.
    pub fn decode(&self) -> Result<Item, Corrupt> {
        self.view().to_item()
    }

    /// The size that DynamoDB counts.
    pub fn size_bytes(&self) -> usize {
        self.view().size_bytes()
    }
}

impl Default for EncodedItem {
    fn default() -> Self {
        EncodedItem(Bytes::from_static(ItemRef::EMPTY.as_bytes()))
    }
}

impl From<&Item> for EncodedItem {
    fn from(item: &Item) -> Self {
        EncodedItem::encode(item)
    }
}

impl From<ItemRef<'_>> for EncodedItem {
    fn from(item: ItemRef<'_>) -> Self {
        EncodedItem(Bytes::copy_from_slice(item.as_bytes()))
    }
}

impl fmt::Debug for EncodedItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

/// One stored value, owned: a literal to compare stored values with.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EncodedValue(Bytes);

impl EncodedValue {
    /// Encodes a value.
    pub fn encode(value: &AttributeValue) -> EncodedValue {
        EncodedValue(write_exactly(value_len(value), |out| write_value(out, value)))
    }

    /// Reads the value in place.
    pub fn view(&self) -> ValueRef<'_> {
        // The bytes can only come from `encode`, so the fallback is never taken.
        Reader::new(&self.0).value().and_then(ValueRef::from_raw).unwrap_or(ValueRef::Null)
    }
}

impl From<&AttributeValue> for EncodedValue {
    fn from(value: &AttributeValue) -> Self {
        EncodedValue::encode(value)
    }
}

impl fmt::Debug for EncodedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

/// Builds an item from stored values, copying their bytes without decoding them.
#[derive(Clone, Debug, Default)]
pub struct ItemBuilder<'a> {
    entries: Vec<(&'a str, ValueRef<'a>)>,
}

impl<'a> ItemBuilder<'a> {
    /// An empty item.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets an attribute. If a name is set twice, the last value wins.
    pub fn insert(&mut self, name: &'a str, value: ValueRef<'a>) {
        self.entries.push((name, value));
    }

    /// The stored item.
    pub fn finish(mut self) -> EncodedItem {
        sort_keeping_last(&mut self.entries);
        let size_bytes = self.entries.iter().map(|(name, value)| name.len() + value.size_bytes()).sum();
        let entries_len: usize =
            self.entries.iter().map(|(name, value)| delimited_len(name.len()) + view_len(*value)).sum();
        let count = self.entries.len();
        EncodedItem(write_exactly(varint_len(size_bytes) + varint_len(count) + entries_len, |out| {
            write_varint(out, size_bytes);
            write_varint(out, count);
            for (name, value) in &self.entries {
                write_delimited(out, name.as_bytes());
                write_view(out, *value);
            }
        }))
    }
}

/// The item reduced to the top-level attributes whose names are kept.
pub fn encode_subset(item: ItemRef<'_>, keep: impl Fn(&str) -> bool) -> EncodedItem {
    ItemBuilder { entries: item.as_map().iter_where(keep).collect() }.finish()
}

/// Writes into a vector without spare capacity, which `Bytes` can share without another allocation.
fn write_exactly(len: usize, write: impl FnOnce(&mut Vec<u8>)) -> Bytes {
    let mut out = Vec::with_capacity(len);
    write(&mut out);
    debug_assert_eq!(out.len(), len, "what is measured is what is written");
    Bytes::from(out)
}

fn varint_len(value: usize) -> usize {
    let bits = usize::BITS - (value | 1).leading_zeros();
    bits.div_ceil(7) as usize
}

fn delimited_len(len: usize) -> usize {
    varint_len(len) + len
}

fn map_len(map: &Attributes) -> usize {
    let entries: usize = map.iter().map(|(name, value)| delimited_len(name.len()) + value_len(value)).sum();
    varint_len(map.len()) + entries
}

fn value_len(value: &AttributeValue) -> usize {
    let body = |count: usize, elements: usize| BODY_LENGTH_BYTES + varint_len(count) + elements;
    1 + match value {
        AttributeValue::S(text) => delimited_len(text.len()),
        AttributeValue::N(number) => number.as_bytes().len(),
        AttributeValue::B(bytes) => delimited_len(bytes.len()),
        AttributeValue::Bool(_) | AttributeValue::Null => 0,
        AttributeValue::M(map) => BODY_LENGTH_BYTES + map_len(map),
        AttributeValue::L(list) => body(list.len(), list.iter().map(value_len).sum()),
        AttributeValue::Ss(set) => body(set.len(), set.iter().map(|text| delimited_len(text.len())).sum()),
        AttributeValue::Ns(set) => body(set.len(), set.iter().map(|number| number.as_bytes().len()).sum()),
        AttributeValue::Bs(set) => body(set.len(), set.iter().map(|bytes| delimited_len(bytes.len())).sum()),
    }
}

fn view_len(value: ValueRef<'_>) -> usize {
    1 + match value {
        ValueRef::S(text) => delimited_len(text.len()),
        ValueRef::N(number) => number.as_bytes().len(),
        ValueRef::B(bytes) => delimited_len(bytes.len()),
        ValueRef::Bool(_) | ValueRef::Null => 0,
        ValueRef::M(map) => BODY_LENGTH_BYTES + map.body.len(),
        ValueRef::L(list) => BODY_LENGTH_BYTES + list.body.len(),
        ValueRef::Ss(set) | ValueRef::Ns(set) | ValueRef::Bs(set) => BODY_LENGTH_BYTES + set.body.len(),
    }
}

fn write_varint(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn write_delimited(out: &mut Vec<u8>, bytes: &[u8]) {
    write_varint(out, bytes.len());
    out.extend_from_slice(bytes);
}

fn write_map(out: &mut Vec<u8>, map: &Attributes) {
    write_varint(out, map.len());
    for (name, value) in map.iter() {
        write_delimited(out, name.as_bytes());
        write_value(out, value);
    }
}

fn write_value(out: &mut Vec<u8>, value: &AttributeValue) {
    match value {
        AttributeValue::S(text) => write_tagged(out, tag::S, text.as_bytes()),
        AttributeValue::N(number) => write_number(out, number.as_bytes()),
        AttributeValue::B(bytes) => write_tagged(out, tag::B, bytes),
        AttributeValue::Bool(truth) => out.push(if *truth { tag::TRUE } else { tag::FALSE }),
        AttributeValue::Null => out.push(tag::NULL),
        AttributeValue::M(map) => write_body(out, tag::M, |out| write_map(out, map)),
        AttributeValue::L(list) => write_elements(out, tag::L, list, write_value),
        AttributeValue::Ss(set) => {
            write_elements(out, tag::SS, set, |out, text| write_delimited(out, text.as_bytes()));
        }
        AttributeValue::Ns(set) => {
            write_elements(out, tag::NS, set, |out, number| out.extend_from_slice(number.as_bytes()));
        }
        AttributeValue::Bs(set) => {
            write_elements(out, tag::BS, set, |out, bytes| write_delimited(out, bytes))
        }
    }
}

fn write_tagged(out: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    out.push(tag);
    write_delimited(out, bytes);
}

fn write_number(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(tag::N);
    out.extend_from_slice(bytes);
}

fn write_elements<'a, T: 'a, I>(out: &mut Vec<u8>, tag: u8, elements: I, write: impl Fn(&mut Vec<u8>, &'a T))
where
    I: IntoIterator<Item = &'a T, IntoIter: ExactSizeIterator>,
{
    let elements = elements.into_iter();
    write_body(out, tag, |out| {
        write_varint(out, elements.len());
        elements.for_each(|element| write(out, element));
    });
}

/// Writes a tag, the length of the bytes that `write` appends, and these bytes.
fn write_body(out: &mut Vec<u8>, tag: u8, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(tag);
    let length_at = out.len();
    out.extend_from_slice(&[0; BODY_LENGTH_BYTES]);
    let start = out.len();
    write(out);
    let length = body_length(out.len() - start);
    if let Some(slot) = out.get_mut(length_at..start) {
        slot.copy_from_slice(&length);
    }
}

/// Requests are limited to megabytes, so a body never approaches 4 GB. If one did, it wouldn't decode.
fn body_length(len: usize) -> [u8; BODY_LENGTH_BYTES] {
    u32::try_from(len).unwrap_or(u32::MAX).to_le_bytes()
}

fn write_view(out: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::S(text) => write_tagged(out, tag::S, text.as_bytes()),
        ValueRef::N(number) => write_number(out, number.as_bytes()),
        ValueRef::B(bytes) => write_tagged(out, tag::B, bytes),
        ValueRef::Bool(truth) => out.push(if truth { tag::TRUE } else { tag::FALSE }),
        ValueRef::Null => out.push(tag::NULL),
        ValueRef::M(map) => copy_body(out, tag::M, map.body),
        ValueRef::L(list) => copy_body(out, tag::L, list.body),
        ValueRef::Ss(set) => copy_body(out, tag::SS, set.body),
        ValueRef::Ns(set) => copy_body(out, tag::NS, set.body),
        ValueRef::Bs(set) => copy_body(out, tag::BS, set.body),
    }
}

fn copy_body(out: &mut Vec<u8>, tag: u8, body: &[u8]) {
    out.push(tag);
    out.extend_from_slice(&body_length(body.len()));
    out.extend_from_slice(body);
}
