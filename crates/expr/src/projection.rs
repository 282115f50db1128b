//! Projections: the parts of an item that a read returns.

use singlet_values::{EncodedItem, Item, ItemRef, encode_subset};

use crate::check::check_projection;
use crate::error::{ExprError, ExpressionKind, Problem, Within};
use crate::path::{Path, Step, refuse_clashes};
use crate::placeholders::Placeholders;
use crate::selection::Selection;
use crate::syntax;

/// The parts of an item that a read returns: a `ProjectionExpression`, `AttributesToGet`, or the columns of a PartiQL
/// statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    paths: Vec<Path>,
    shape: Shape,
}

/// The shape of a projected item.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    /// The maps and lists that lead to the selected values stay around them.
    Nested(Selection),
    /// Every path becomes a top-level attribute.
    Columns,
}

impl Projection {
    /// Parses an expression.
    pub fn parse(text: &str, placeholders: &mut Placeholders) -> Result<Projection, ExprError> {
        parse_paths(text, placeholders).map(Projection::of).within(ExpressionKind::Projection)
    }

    /// The projection to these paths, which must not clash: [`Projection::check`] says whether they do.
    pub fn of(paths: Vec<Path>) -> Projection {
        let shape = Shape::Nested(Selection::of(&paths));
        Projection { paths, shape }
    }

    /// The projection to these paths, each as a top-level attribute: `a.b` becomes `b`, and `a.b[0]` becomes `b[0]`.
    /// [`Projection::repeated_column`] says whether two of them have one name.
    pub fn columns(paths: Vec<Path>) -> Projection {
        Projection { paths, shape: Shape::Columns }
    }

    /// The first name that two columns share.
    pub fn repeated_column(&self) -> Option<String> {
        let names: Vec<String> = self.paths.iter().map(column_name).collect();
        let earlier = |at: usize| names.iter().take(at);
        names.iter().enumerate().find_map(|(at, name)| earlier(at).find(|other| *other == name).cloned())
    }

    /// Rejects a projection that DynamoDB would reject. A parsed projection has been checked already.
    pub fn check(&self) -> Result<(), ExprError> {
        match self.shape {
            Shape::Nested(_) => check_paths(&self.paths),
            Shape::Columns => self.paths.iter().try_for_each(Path::check),
        }
        .within(ExpressionKind::Projection)
    }

    /// The paths, in the order they are written.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// The part of an item that the projection keeps. Elements of a list keep their order.
    pub fn project(&self, item: ItemRef<'_>) -> EncodedItem {
        match &self.shape {
            Shape::Nested(selection) if selection.is_flat() => {
                encode_subset(item, |name| selection.names(name))
            }
            Shape::Nested(selection) => EncodedItem::encode(&selection.select(item)),
            Shape::Columns => EncodedItem::encode(&self.select_columns(item)),
        }
    }

    /// Stored bytes that can't be read count as missing, as in all views.
    fn select_columns(&self, item: ItemRef<'_>) -> Item {
        let column = |path: &Path| Some((column_name(path), path.find(item)?.to_value().ok()?));
        self.paths.iter().filter_map(column).collect()
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

/// The last name of a path and the list indexes after it.
fn column_name(path: &Path) -> String {
    let mut name = path.head.clone();
    for step in &path.steps {
        match step {
            Step::Field(field) => name.clone_from(field),
            Step::Index(index) => name.push_str(&format!("[{index}]")),
        }
    }
    name
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
    fn columns_are_named_after_the_end_of_their_paths() {
        let item = stored(&[("a", m(&[("b", l(&[n("2"), n("4")])), ("c", n("5"))])), ("d", s("hi"))]);
        let columns =
            |texts: &[&str]| Projection::columns(texts.iter().map(|text| Path::dotted(text)).collect());
        let projection = columns(&["a.b[1]", "a.c", "d", "a.q", "a.b"]);
        assert_eq!(projection.check(), Ok(()));
        let expected =
            stored(&[("b", l(&[n("2"), n("4")])), ("b[1]", n("4")), ("c", n("5")), ("d", s("hi"))]);
        assert_eq!(projection.project(item.view()), expected);
        assert_eq!(projection.repeated_column(), None);
        assert_eq!(columns(&["d", "a.c", "c", "d"]).repeated_column().as_deref(), Some("c"));
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
