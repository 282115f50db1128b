//! Projections: the parts of an item that a read returns.

use singlet_values::{EncodedItem, ItemRef, encode_subset};

use crate::check::check_projection;
use crate::error::{ExprError, ExpressionKind, Problem, Within};
use crate::path::{Path, refuse_clashes};
use crate::placeholders::Placeholders;
use crate::selection::Selection;
use crate::syntax;

/// The parts of an item that a read returns: a `ProjectionExpression`, or `AttributesToGet`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    paths: Vec<Path>,
    selection: Selection,
}

impl Projection {
    /// Parses an expression.
    pub fn parse(text: &str, placeholders: &mut Placeholders) -> Result<Projection, ExprError> {
        parse_paths(text, placeholders).map(Projection::of).within(ExpressionKind::Projection)
    }

    /// The projection to these paths, which must not clash: [`Projection::check`] says whether they do.
    pub fn of(paths: Vec<Path>) -> Projection {
        let selection = Selection::of(&paths);
        Projection { paths, selection }
    }

    /// Rejects a projection that DynamoDB would reject. A parsed projection has been checked already.
    pub fn check(&self) -> Result<(), ExprError> {
        check_paths(&self.paths).within(ExpressionKind::Projection)
    }

    /// The paths, in the order they are written.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// The part of an item that the projection keeps. Elements of a list keep their order.
    pub fn project(&self, item: ItemRef<'_>) -> EncodedItem {
        if self.selection.is_flat() {
            return encode_subset(item, |name| self.selection.names(name));
        }
        EncodedItem::encode(&self.selection.select(item))
    }

    /// The top-level attributes that the projection names, in the order they are written, with repeats.
    pub fn top_level_attributes(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(|path| path.head.as_str())
    }

    /// The top-level attributes that the projection enters with `.` or `[]`. A key attribute doesn't allow that.
    pub fn nested_attributes(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().filter(|path| !path.steps.is_empty()).map(|path| path.head.as_str())
    }
}

fn parse_paths(text: &str, placeholders: &mut Placeholders) -> Result<Vec<Path>, Problem> {
    let paths = syntax::parse_projection(text)?;
    check_projection(&paths)?;
    let paths: Vec<Path> =
        paths.iter().map(|path| Path::bind(path, placeholders)).collect::<Result<_, _>>()?;
    refuse_clashes(paths.iter())?;
    Ok(paths)
}

fn check_paths(paths: &[Path]) -> Result<(), Problem> {
    if paths.is_empty() {
        return Err(Problem::Empty);
    }
    paths.iter().try_for_each(Path::check)?;
    refuse_clashes(paths.iter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{l, m, n, placeholders, s, stored};

    fn parse(text: &str) -> Result<Projection, ExprError> {
        Projection::parse(text, &mut placeholders(&[("#a", "a"), ("#b", "[3]"), ("#x", "x.y")], &[]))
    }

    #[test]
    fn what_is_wrong_with_a_projection_is_found() {
        let overlap = "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: ";
        let conflict = "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: ";
        for (text, expected) in [
            ("", "The expression can not be empty;".to_owned()),
            ("a.abORt", "Attribute name is a reserved keyword; reserved keyword: abORt".to_owned()),
            ("#q,ABSoLUTE", "Attribute name is a reserved keyword; reserved keyword: ABSoLUTE".to_owned()),
            (
                "a,b,a,#q",
                "An expression attribute name used in the document path is not defined; attribute name: #q"
                    .to_owned(),
            ),
            ("b[1], b.a, #a.b, a", format!("{overlap}[a, b], path two: [a]")),
            ("a, #a[1]", format!("{overlap}[a], path two: [a, [1]]")),
            ("a.b[0],a.b[0]", format!("{overlap}[a, b, [0]], path two: [a, b, [0]]")),
            ("a.b[1], #a[1], #b", format!("{conflict}[a, b, [1]], path two: [a, [1]]")),
            ("a[3].b, #a.#b.b", format!("{conflict}[a, [3], b], path two: [a, [3], b]")),
        ] {
            assert_eq!(
                parse(text).unwrap_err().to_string(),
                format!("Invalid ProjectionExpression: {expected}")
            );
        }
        let deep = format!("a{}", ".b".repeat(32));
        assert_eq!(
            parse(&deep).unwrap_err().to_string(),
            "Invalid ProjectionExpression: The document path has too many nesting levels; nesting levels: 33"
        );
    }

    #[test]
    fn a_projection_keeps_what_its_paths_lead_to_in_the_shape_of_the_item() {
        let inner = m(&[("x", s("hi")), ("y", s("yo"))]);
        let item = stored(&[
            ("a", m(&[("b", l(&[n("2"), n("4"), inner.clone()])), ("c", n("5"))])),
            ("b", s("hello")),
            ("x.y", s("dot")),
        ]);
        let b_of = |elements: &[_]| stored(&[("a", m(&[("b", l(elements))]))]);
        for (text, expected) in [
            ("b", stored(&[("b", s("hello"))])),
            ("nonexistent", stored(&[])),
            ("#x, b", stored(&[("b", s("hello")), ("x.y", s("dot"))])),
            ("a.b", b_of(&[n("2"), n("4"), inner.clone()])),
            ("a.b[0]", b_of(&[n("2")])),
            ("a.b[2].y", b_of(&[m(&[("y", s("yo"))])])),
            ("a.b[2], a.b[0]", b_of(&[n("2"), inner])),
            ("a.b[1],a.c", stored(&[("a", m(&[("b", l(&[n("4")])), ("c", n("5"))]))])),
            ("a.c,b", stored(&[("a", m(&[("c", n("5"))])), ("b", s("hello"))])),
            ("a.q, a.b[3]", stored(&[])),
            ("a.b.x", stored(&[])),
            ("a[0]", stored(&[])),
            ("b.x", stored(&[])),
            ("a.q.r, a.b[0], q, a.b[3].x", b_of(&[n("2")])),
        ] {
            assert_eq!(parse(text).unwrap().project(item.view()), expected, "{text}");
        }
    }

    #[test]
    fn the_attributes_that_a_projection_names_are_listed() {
        let projection = parse("c, #a.b, d[0], #x").unwrap();
        assert_eq!(projection.top_level_attributes().collect::<Vec<_>>(), ["c", "a", "d", "x.y"]);
        assert_eq!(projection.nested_attributes().collect::<Vec<_>>(), ["a", "d"]);
    }
}
