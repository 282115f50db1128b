//! The memory that a request takes once it is read, estimated from its bytes.
//!
//! A value of a few bytes in JSON takes many more as a part of a tree: an empty list is nine bytes in a request, and
//! several dozen in a growing list of values. A server with a limit for its memory has to know this before it reads.

use std::mem::size_of;

use memchr::memchr2;
use singlet_values::{AttributeValue, Kind};

/// A growing list is copied to one of twice its size, so at its worst moment it takes three times its elements.
const GROWTH: usize = 3;
/// The allocator rounds a short string up to this much.
const ROUNDING_BYTES: usize = 16;
/// An element of a list: a value, or a structure of a request.
const ELEMENT_BYTES: usize = GROWTH * size_of::<AttributeValue>() + ROUNDING_BYTES;
/// A name with its value.
const ENTRY_BYTES: usize = GROWTH * size_of::<(String, AttributeValue)>() + ROUNDING_BYTES;
/// An element of a set: in the list of the request, and in the nodes of the sorted set.
const MEMBER_BYTES: usize = (GROWTH + 3) * size_of::<String>() + ROUNDING_BYTES;
/// The first node of a sorted set, which has space for several elements.
const SET_BYTES: usize = 12 * size_of::<String>() + ROUNDING_BYTES;
/// The members of a request and its short lists of structures.
const REQUEST_BYTES: usize = 64 << 10;
/// Deeper levels are skipped by every reader.
const LEVELS_MAX: u32 = u128::BITS;

/// Returns an upper bound of the memory that reading this body takes, besides the body itself.
///
/// ```
/// let dense = format!(r#"{{"Item": {{"a": {{"L": [{}]}}}}}}"#, vec![r#"{"L":[]}"#; 100_000].join(","));
/// assert!(singlet_wire::parsed_bytes_max(dense.as_bytes()) > 10 * dense.len());
/// let text = format!(r#"{{"Item": {{"a": {{"S": "{}"}}}}}}"#, "x".repeat(1_000_000));
/// assert!(singlet_wire::parsed_bytes_max(text.as_bytes()) < 3 * text.len());
/// ```
pub fn parsed_bytes_max(body: &[u8]) -> usize {
    let mut scan = Scan::default();
    let mut rest = body;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'"' => {
                let (text, after) = split_string(rest);
                scan.string(text);
                rest = after;
            }
            b'{' => scan.begin_object(),
            b'[' => scan.begin_list(),
            b'}' | b']' => scan.end(),
            b',' => scan.expects_name = !scan.is_in_list(),
            b':' => scan.expects_name = false,
            _ => {}
        }
    }
    // The reader may hold a string with escapes twice.
    REQUEST_BYTES + 2 * body.len() + scan.bytes
}

/// Divides the bytes after a quotation mark at the end of the string.
fn split_string(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut end = 0;
    while let Some(found) = bytes.get(end..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        end += found;
        if bytes.get(end) == Some(&b'"') {
            return (bytes.get(..end).unwrap_or_default(), bytes.get(end + 1..).unwrap_or_default());
        }
        end += 2;
    }
    (bytes, &[])
}

/// The position in a body, and the memory for what came before.
#[derive(Default)]
struct Scan {
    bytes: usize,
    level: u32,
    /// For each level, whether it is a list, and whether it is an object that has had a name.
    lists: u128,
    named: u128,
    /// Whether the next string is a name.
    expects_name: bool,
    /// The last name, if it may be the datatype of a value.
    datatype: Option<Kind>,
}

impl Scan {
    /// The bit of the present level; none if it is skipped by readers.
    fn bit(&self) -> u128 {
        if self.level < LEVELS_MAX { 1 << self.level } else { 0 }
    }

    fn is_in_list(&self) -> bool {
        self.lists & self.bit() != 0
    }

    fn begin(&mut self, is_list: bool) {
        self.level = self.level.saturating_add(1);
        let bit = self.bit();
        self.named &= !bit;
        self.lists = if is_list { self.lists | bit } else { self.lists & !bit };
        self.expects_name = !is_list;
        self.datatype = None;
    }

    fn begin_object(&mut self) {
        if self.is_in_list() {
            self.bytes += ELEMENT_BYTES;
        } else if self.datatype.is_some() {
            // The name was an attribute's, or it is a map.
            self.bytes += ENTRY_BYTES;
        }
        self.begin(false);
    }

    fn begin_list(&mut self) {
        if matches!(self.datatype, Some(Kind::Ss | Kind::Ns | Kind::Bs)) {
            self.bytes += SET_BYTES;
        }
        self.begin(true);
    }

    fn end(&mut self) {
        self.level = self.level.saturating_sub(1);
        self.expects_name = false;
        self.datatype = None;
    }

    fn string(&mut self, text: &[u8]) {
        if self.is_in_list() {
            self.bytes += MEMBER_BYTES;
        } else if self.expects_name {
            // A value has one name, its datatype, which isn't kept.
            let is_first = self.named & self.bit() == 0;
            let code = str::from_utf8(text).ok().filter(|_| is_first);
            self.datatype = code.and_then(Kind::from_code);
            self.named |= self.bit();
            self.bytes += if self.datatype.is_some() { 0 } else { ENTRY_BYTES };
        } else {
            self.bytes += ROUNDING_BYTES;
        }
    }
}
