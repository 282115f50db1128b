//! Views of maps, lists and sets, and their iterators.

use std::cmp::Ordering;
use std::fmt;

use super::{RawRef, ValueRef};
use crate::Kind;
use crate::stored::Corrupt;
use crate::stored::reader::{Reader, number, text};

/// A stored map, read in place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MapRef<'a> {
    pub(in crate::stored) body: &'a [u8],
}

impl<'a> MapRef<'a> {
    /// The value with this name.
    pub fn get(self, name: &str) -> Option<ValueRef<'a>> {
        let mut reader = Reader::new(self.body);
        for _ in 0..reader.varint().ok()? {
            let have = reader.delimited().ok()?;
            let raw = reader.value().ok()?;
            match have.cmp(name.as_bytes()) {
                Ordering::Less => {}
                Ordering::Equal => return ValueRef::from_raw(raw).ok(),
                Ordering::Greater => return None,
            }
        }
        None
    }

    /// Whether there is a value with this name.
    pub fn contains(self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Names and values, by ascending name.
    #[inline]
    pub fn iter(self) -> MapIter<'a> {
        MapIter(Elements::new(self.body))
    }

    /// Like `iter`, with names and strings as stored bytes.
    #[inline]
    pub fn iter_raw(self) -> impl Iterator<Item = (&'a [u8], RawRef<'a>)> {
        let mut elements = Elements::new(self.body);
        std::iter::from_fn(move || {
            elements.next(|reader| Ok((reader.delimited()?, RawRef::from_raw(reader.value()?)?)))
        })
    }

    /// Like `iter`, but only for the names to keep. The other values aren't decoded.
    pub(in crate::stored) fn iter_where(
        self,
        keep: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = (&'a str, ValueRef<'a>)> {
        let mut elements = Elements::new(self.body);
        std::iter::from_fn(move || {
            loop {
                let (name, raw) =
                    elements.next(|reader| Ok((text(reader.delimited()?)?, reader.value()?)))?;
                if keep(name) {
                    return Some((name, ValueRef::from_raw(raw).ok()?));
                }
            }
        })
    }

    /// How many entries the map has.
    pub fn len(self) -> usize {
        Elements::new(self.body).left
    }

    /// Whether the map has no entries.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// A stored list, read in place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListRef<'a> {
    pub(in crate::stored) body: &'a [u8],
}

impl<'a> ListRef<'a> {
    /// The element at this index, counted from zero.
    pub fn get(self, index: usize) -> Option<ValueRef<'a>> {
        let mut elements = Elements::new(self.body);
        for _ in 0..index {
            elements.next(|reader| reader.value())?;
        }
        elements.next(|reader| ValueRef::from_raw(reader.value()?))
    }

    /// The elements in their order.
    #[inline]
    pub fn iter(self) -> ListIter<'a> {
        ListIter(Elements::new(self.body))
    }

    /// Like `iter`, with strings as stored bytes.
    #[inline]
    pub fn iter_raw(self) -> impl Iterator<Item = RawRef<'a>> {
        let mut elements = Elements::new(self.body);
        std::iter::from_fn(move || elements.next(|reader| RawRef::from_raw(reader.value()?)))
    }

    /// How many elements the list has.
    pub fn len(self) -> usize {
        Elements::new(self.body).left
    }

    /// Whether the list has no elements.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// A stored set of strings, numbers or binaries, read in place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SetRef<'a> {
    pub(super) element: Kind,
    pub(in crate::stored) body: &'a [u8],
}

impl<'a> SetRef<'a> {
    /// The kind of the elements: S, N or B.
    pub fn element_kind(self) -> Kind {
        self.element
    }

    /// The elements in ascending order.
    #[inline]
    pub fn iter(self) -> SetIter<'a> {
        SetIter { element: self.element, elements: Elements::new(self.body) }
    }

    /// Whether the value is an element; a value of another kind never is.
    pub fn contains(self, value: ValueRef<'_>) -> bool {
        self.iter().any(|element| element == value)
    }

    /// How many elements the set has.
    pub fn len(self) -> usize {
        Elements::new(self.body).left
    }

    /// Whether the set has no elements.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// A counted run of elements. It ends at the first element that can't be read.
#[derive(Clone)]
struct Elements<'a> {
    reader: Reader<'a>,
    left: usize,
}

impl<'a> Elements<'a> {
    #[inline]
    fn new(body: &'a [u8]) -> Self {
        let mut reader = Reader::new(body);
        // Each element takes at least a byte, so a higher count is wrong and must not be reported as a length.
        let left = reader.varint().map_or(0, |count| count.min(reader.rest().len()));
        Elements { reader, left }
    }

    #[inline]
    fn next<T>(&mut self, read: impl FnOnce(&mut Reader<'a>) -> Result<T, Corrupt>) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        let element = read(&mut self.reader).ok();
        if element.is_none() {
            self.left = 0;
        }
        element
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left))
    }
}

/// Names and values of a stored map.
#[derive(Clone)]
pub struct MapIter<'a>(Elements<'a>);

impl<'a> Iterator for MapIter<'a> {
    type Item = (&'a str, ValueRef<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next(|reader| Ok((text(reader.delimited()?)?, ValueRef::from_raw(reader.value()?)?)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

/// Elements of a stored list.
#[derive(Clone)]
pub struct ListIter<'a>(Elements<'a>);

impl<'a> Iterator for ListIter<'a> {
    type Item = ValueRef<'a>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next(|reader| ValueRef::from_raw(reader.value()?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

/// Elements of a stored set.
#[derive(Clone)]
pub struct SetIter<'a> {
    element: Kind,
    elements: Elements<'a>,
}

impl<'a> Iterator for SetIter<'a> {
    type Item = ValueRef<'a>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let element = self.element;
        self.elements.next(|reader| match element {
            Kind::S => Ok(ValueRef::S(text(reader.delimited()?)?)),
            Kind::N => Ok(ValueRef::N(number(reader.number()?)?)),
            _ => Ok(ValueRef::B(reader.delimited()?)),
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.elements.size_hint()
    }
}

impl fmt::Debug for MapRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ValueRef::M(*self).fmt(f)
    }
}

impl fmt::Debug for ListRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ValueRef::L(*self).fmt(f)
    }
}

impl fmt::Debug for SetRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Decoding uses the kind of the elements, so any of the three set variants would do.
        ValueRef::Ss(*self).fmt(f)
    }
}
