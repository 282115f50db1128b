//! The description of the language: every construct, its keys and what they take.
//!
//! It is data. The checks of a file, the schema for editors and the tables of the reference all use it, so they can't
//! contradict each other.

mod caller;
mod derivation;
mod entity;
#[cfg(test)]
mod examples;
mod field;
mod file;
mod pattern;
#[cfg(test)]
mod reference;

pub(crate) use entity::ENTITY;
pub(crate) use file::DESIGN;
pub(crate) use pattern::{PATTERN, STEP};

/// The values that a key takes.
#[derive(Debug)]
pub(crate) enum Shape {
    /// A string, and what it contains, with its article.
    Text(&'static str),
    /// A string of a fixed form: what it contains, with its article, and a regular expression for editors.
    Form(&'static str, &'static str),
    /// `true`, `false`
    Bool,
    /// An integer within these bounds, both inclusive.
    Whole(u64, u64),
    /// Any number.
    Number,
    /// One of these words, each with its description.
    Word(&'static [(&'static str, &'static str)]),
    /// Any constant.
    Constant,
    /// A list: the minimum number of entries, and their shape.
    List(usize, &'static Shape),
    /// A table whose keys are names that the design chooses: what they name, and the shape of the values.
    Named(&'static str, &'static Shape),
    /// A table with the keys of a construct.
    Table(&'static Construct),
    /// One of these, told apart by the kind of value.
    Either(&'static [Shape]),
}

/// A construct of the language: a table with certain keys.
#[derive(Debug)]
pub(crate) struct Construct {
    /// Its name in the schema and in the reference.
    pub(crate) id: &'static str,
    /// The keys that every kind of it may have.
    pub(crate) keys: &'static [Key],
    /// Its kinds, each with further keys.
    pub(crate) variants: Variants,
    /// The shape of further keys whose names the design chooses, such as the indexes of an entity; `None` forbids them.
    pub(crate) others: Option<&'static Shape>,
}

/// The kinds of a construct.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Variants {
    /// It has only one.
    None,
    /// Exactly one of these keys must be present, and decides.
    ByKey(&'static [Variant]),
    /// The value of the key `type` decides; a string instead of a table is that value.
    ByType(&'static [Variant]),
}

/// One kind of a construct.
#[derive(Debug)]
pub(crate) struct Variant {
    /// The key, or the value of `type`, that selects it.
    pub(crate) name: &'static str,
    /// Its description.
    pub(crate) about: &'static str,
    /// The value of the key, if a key selects it.
    pub(crate) takes: Shape,
    /// The further keys that this kind may have.
    pub(crate) keys: &'static [Key],
}

/// A key.
#[derive(Debug)]
pub(crate) struct Key {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its value.
    pub(crate) takes: Shape,
    /// Whether it must be present.
    pub(crate) required: bool,
    /// Its description: a phrase without a full stop, read after a colon or on its own.
    pub(crate) about: &'static str,
}

impl Construct {
    /// Returns the key of this name among those that every kind of the construct may have.
    pub(crate) fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// Returns its kinds.
    pub(crate) fn kinds(&self) -> &'static [Variant] {
        match self.variants {
            Variants::None => &[],
            Variants::ByKey(kinds) | Variants::ByType(kinds) => kinds,
        }
    }
}

const fn key(name: &'static str, takes: Shape, about: &'static str) -> Key {
    Key { name, takes, required: false, about }
}

const fn required(name: &'static str, takes: Shape, about: &'static str) -> Key {
    Key { name, takes, required: true, about }
}

const fn variant(name: &'static str, takes: Shape, about: &'static str, keys: &'static [Key]) -> Variant {
    Variant { name, about, takes, keys }
}

/// The description that nearly every construct may have.
const fn about() -> Key {
    key("about", Shape::Text("a sentence"), "its purpose, for people")
}

/// The findings of the review that the design accepts here.
const fn allow() -> Key {
    let reasons = Shape::Named("rule", &Shape::Text("a reason"));
    key("allow", reasons, "findings of the review to accept here: rule = reason")
}
