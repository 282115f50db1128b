//! The description of the language: every construct, its keys and what they take.
//!
//! It is data. The checks of a file, the schema for editors and the tables of the reference are all made from it, so
//! that none of them can say something else than the others.

mod entity;
mod field;
mod file;
mod pattern;
#[cfg(test)]
mod reference;

pub(crate) use entity::ENTITY;
pub(crate) use file::DESIGN;
pub(crate) use pattern::PATTERN;

/// What a value may be.
#[derive(Debug)]
pub(crate) enum Shape {
    /// A text; the first word says what is in it, the second shows one.
    Text(&'static str),
    /// A text of a fixed form: what it is, and the regular expression for editors.
    Form(&'static str, &'static str),
    /// `true`, `false`
    Bool,
    /// A whole number within these bounds, both included.
    Whole(u64, u64),
    /// Any number.
    Number,
    /// One of these words.
    Word(&'static [(&'static str, &'static str)]),
    /// Any value: a constant of the design.
    Constant,
    /// A list, its fewest entries, and what they are.
    List(usize, &'static Shape),
    /// A table whose keys are names that the design chooses: what they name, and what stands under each.
    Named(&'static str, &'static Shape),
    /// A table with the keys of a construct.
    Table(&'static Construct),
    /// One of these; each is of another kind of value.
    Either(&'static [Shape]),
}

/// A construct of the language: a table with keys of its own.
#[derive(Debug)]
pub(crate) struct Construct {
    /// Its name in messages, with its article.
    pub(crate) name: &'static str,
    /// Its name in the schema.
    pub(crate) id: &'static str,
    /// The keys that it may always have.
    pub(crate) keys: &'static [Key],
    /// Further keys, by what it is.
    pub(crate) variants: Variants,
    /// Whether it may have keys that are names of the design (an entity's indexes), and what stands under them.
    pub(crate) others: Option<&'static Shape>,
}

/// How a construct comes in several kinds.
#[derive(Debug)]
pub(crate) enum Variants {
    /// It doesn't.
    None,
    /// Exactly one of these keys must be there.
    ByKey(&'static [Variant]),
    /// The value of the key `type` tells; a text alone is that value.
    ByType(&'static [Variant]),
}

/// One kind of a construct.
#[derive(Debug)]
pub(crate) struct Variant {
    /// The key, or the value of `type`, that stands for it.
    pub(crate) name: &'static str,
    /// What it is.
    pub(crate) about: &'static str,
    /// What the key takes, if it is told by a key.
    pub(crate) takes: Shape,
    /// The further keys that it may have.
    pub(crate) keys: &'static [Key],
}

/// A key.
#[derive(Debug)]
pub(crate) struct Key {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it takes.
    pub(crate) takes: Shape,
    /// Whether it must be there.
    pub(crate) required: bool,
    /// What it says, in a line.
    pub(crate) about: &'static str,
}

impl Construct {
    /// The key of this name that every kind of the construct may have.
    pub(crate) fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The kinds.
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

/// What nearly every construct may say about itself.
const fn about() -> Key {
    key("about", Shape::Text("a sentence"), "what it is for, in a sentence")
}

/// The findings of the review that are fine where this stands.
const fn allow() -> Key {
    let reasons = Shape::Named("rule", &Shape::Text("a reason"));
    key("allow", reasons, "findings of the review that are fine here: rule = reason")
}
