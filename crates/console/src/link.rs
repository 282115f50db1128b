//! The addresses of pages.

use std::fmt;

use maud::Render;
use singlet_design::Table;
use singlet_values::{Item, ItemRef};

use crate::key_text;

/// The path under which the console is served.
pub const BASE: &str = "/console/";

/// The pairs of a query or a form, in their order.
pub(crate) type Pairs = Vec<(String, String)>;

/// The address of a page: its path below [`BASE`], and the pairs of its query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    path: String,
    pairs: Pairs,
}

impl Link {
    fn to<'s>(segments: impl IntoIterator<Item = &'s str>) -> Link {
        let mut path = String::new();
        for segment in segments {
            path.push_str(&encoded(segment));
            path.push('/');
        }
        Link { path, pairs: Vec::new() }
    }

    /// The same page with a pair more in the query.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Link {
        self.pairs.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn overview() -> Link {
        Link::to([])
    }

    pub(crate) fn search() -> Link {
        Link::to(["-", "search"])
    }

    pub(crate) fn design(design: &str) -> Link {
        Link::to([design])
    }

    pub(crate) fn diagram(design: &str) -> Link {
        Link::to([design, "diagram"])
    }

    pub(crate) fn diagram_file(design: &str) -> Link {
        let mut link = Link::to([design]);
        link.path.push_str("diagram.svg");
        link
    }

    pub(crate) fn file(design: &str) -> Link {
        Link::to([design, "file"])
    }

    pub(crate) fn patterns(design: &str) -> Link {
        Link::to([design, "patterns"])
    }

    pub(crate) fn pattern(design: &str, pattern: &str) -> Link {
        Link::to([design, "patterns", pattern])
    }

    pub(crate) fn changes(design: &str) -> Link {
        Link::to([design, "changes"])
    }

    pub(crate) fn derived(design: &str) -> Link {
        Link::to([design, "derived"])
    }

    pub(crate) fn statement(design: &str) -> Link {
        Link::to([design, "statement"])
    }

    pub(crate) fn recovery(design: &str) -> Link {
        Link::to([design, "recovery"])
    }

    /// The page that leads to another moment of a page.
    pub(crate) fn at(design: &str) -> Link {
        Link::to([design, "data", "at"])
    }

    /// The rest of the address after the design's name.
    pub(crate) fn below_design(&self) -> String {
        let text = self.to_string();
        let below = text.strip_prefix(BASE).and_then(|path| path.split_once('/')).map(|(_, rest)| rest);
        below.unwrap_or_default().to_owned()
    }

    /// The same page at another moment: below the name of a design, which may contain a moment.
    pub(crate) fn below(design: &str, page: &str) -> String {
        format!("{}{page}", Link::to([design]))
    }

    pub(crate) fn data(design: &str) -> Link {
        Link::to([design, "data"])
    }

    pub(crate) fn entity(design: &str, entity: &str) -> Link {
        Link::to([design, "data", "entity", entity])
    }

    pub(crate) fn table(design: &str, table: &Table) -> Link {
        Link::to([design, "data", "table", &table.label])
    }

    /// The items under one partition key of a table or index.
    pub(crate) fn collection(design: &str, table: &Table, index: Option<&str>, key: &[String]) -> Link {
        let link = Link::to([design, "data", "collection"]).with("table", &table.label);
        let link = index.map_or(link.clone(), |index| link.with("index", index));
        key.iter().fold(link, |link, part| link.with("key", part))
    }

    /// The page with the form that opens a collection.
    pub(crate) fn collections(design: &str) -> Link {
        Link::to([design, "data", "collection"])
    }

    /// The form that makes an item of an entity.
    pub(crate) fn create(design: &str, entity: &str) -> Link {
        Link::to([design, "data", "entity", entity, "new"])
    }

    /// A page about the same item, such as its form.
    pub(crate) fn of_item(&self, page: &str) -> Link {
        Link { path: format!("{}{page}/", self.path), pairs: self.pairs.clone() }
    }

    /// The page of an item; `None` if the attributes of its key aren't all there.
    pub(crate) fn item(design: &str, table: &Table, item: ItemRef<'_>) -> Option<Link> {
        let mut link = Link::to([design, "data", "item"]).with("table", &table.label);
        for attribute in table.key() {
            link = link.with("key", key_text::write(item.get(&attribute.name)?)?);
        }
        Some(link)
    }

    /// The page of the item with this key.
    pub(crate) fn item_with_key(design: &str, table: &Table, key: &Item) -> Option<Link> {
        let mut link = Link::to([design, "data", "item"]).with("table", &table.label);
        for attribute in table.key() {
            link = link.with("key", key_text::write(key.get(&attribute.name)?.as_scalar()?)?);
        }
        Some(link)
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{BASE}{}", self.path)?;
        for (position, (name, value)) in self.pairs.iter().enumerate() {
            let sign = if position == 0 { '?' } else { '&' };
            write!(f, "{sign}{}={}", encoded(name), encoded(value))?;
        }
        Ok(())
    }
}

impl Render for Link {
    fn render_to(&self, buffer: &mut String) {
        self.to_string().render_to(buffer);
    }
}

/// Text for a path or a query: everything but letters, digits and `-._~` is encoded.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_and_values_stay_in_their_place_of_an_address() {
        let link = Link::pattern("a", "../x?y#z").with("user id", "é&b=\"<\0");
        assert_eq!(link.to_string(), "/console/a/patterns/..%2Fx%3Fy%23z/?user%20id=%C3%A9%26b%3D%22%3C%00");
    }
}
