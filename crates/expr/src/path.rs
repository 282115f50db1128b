//! Document paths with their placeholders looked up.

use std::fmt;

use singlet_values::{ItemRef, Kind, ValueRef};

use crate::error::Problem;
use crate::placeholders::Placeholders;
use crate::syntax;

/// Elements that a path may have.
const LEVELS_MAX: usize = 32;

/// A document path: a top-level attribute and the way from there into its lists and maps.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    /// The top-level attribute.
    pub head: String,
    /// The way from there.
    pub steps: Vec<Step>,
}

/// One step into a map or a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Into a map, by the name of a member.
    Field(String),
    /// Into a list, by position.
    Index(usize),
}

impl Step {
    /// The kind of value that this step leads into.
    pub(crate) fn container(&self) -> Kind {
        match self {
            Step::Field(_) => Kind::M,
            Step::Index(_) => Kind::L,
        }
    }
}

impl Path {
    /// The path to a top-level attribute. The name is taken as it is, dots included.
    pub fn attribute(name: impl Into<String>) -> Path {
        Path { head: name.into(), steps: Vec::new() }
    }

    /// The path that a text such as `address.city` or `foods[2].name` means. Names can't contain dots.
    pub fn dotted(text: &str) -> Path {
        let mut names = text.split('.').map(split_indexes);
        let (head, indexes) = names.next().unwrap_or_default();
        let mut steps: Vec<Step> = indexes.into_iter().map(Step::Index).collect();
        for (name, indexes) in names {
            steps.push(Step::Field(name.to_owned()));
            steps.extend(indexes.into_iter().map(Step::Index));
        }
        Path { head: head.to_owned(), steps }
    }

    /// Looks up the placeholders of a path.
    pub(crate) fn bind(path: &syntax::Path<'_>, placeholders: &mut Placeholders) -> Result<Path, Problem> {
        let head = placeholders.name(path.head)?;
        let mut steps = Vec::with_capacity(path.steps.len());
        for step in &path.steps {
            steps.push(match step {
                syntax::Step::Field(name) => Step::Field(placeholders.name(name)?),
                // The range was checked already, and no list is as long as the fallback.
                syntax::Step::Index(digits) => Step::Index(digits.parse().unwrap_or(usize::MAX)),
            });
        }
        let path = Path { head, steps };
        path.check()?;
        Ok(path)
    }

    /// Rejects a path that is too deep.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        if self.levels() > LEVELS_MAX {
            return Err(Problem::PathTooDeep { levels: self.levels() });
        }
        Ok(())
    }

    /// How many elements the path has.
    pub(crate) fn levels(&self) -> usize {
        1 + self.steps.len()
    }

    /// The value that the path leads to in an item.
    pub(crate) fn find<'a>(&self, item: ItemRef<'a>) -> Option<ValueRef<'a>> {
        follow(item.get(&self.head)?, &self.steps)
    }

    /// Whether a value could be put at the end of the path: whether the list or map that holds it is there.
    pub(crate) fn has_place(&self, item: ItemRef<'_>) -> bool {
        let Some((last, steps)) = self.steps.split_last() else { return true };
        let parent = item.get(&self.head).and_then(|value| follow(value, steps));
        parent.is_some_and(|parent| parent.kind() == last.container())
    }

    /// How this path and another, written later, clash.
    pub(crate) fn clash(&self, later: &Path) -> Option<Clash> {
        if self.head != later.head {
            return None;
        }
        let differing = self.steps.iter().zip(&later.steps).find(|(mine, others)| mine != others);
        match differing {
            None => Some(Clash::Overlap),
            Some((mine, others)) if mine.container() != others.container() => Some(Clash::Conflict),
            Some(_) => None,
        }
    }
}

/// A name and the list indexes that follow it. Brackets without a number inside are part of the name.
fn split_indexes(text: &str) -> (&str, Vec<usize>) {
    let (name, brackets) = text.find('[').map_or((text, ""), |at| text.split_at(at));
    let index = |part: &str| part.strip_prefix('[')?.parse().ok();
    match brackets.split_terminator(']').map(index).collect() {
        Some(indexes) => (name, indexes),
        None => (text, Vec::new()),
    }
}

fn follow<'a>(mut value: ValueRef<'a>, steps: &[Step]) -> Option<ValueRef<'a>> {
    for step in steps {
        value = match (value, step) {
            (ValueRef::M(map), Step::Field(name)) => map.get(name)?,
            (ValueRef::L(list), Step::Index(index)) => list.get(*index)?,
            _ => return None,
        };
    }
    Some(value)
}

/// How two paths clash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clash {
    /// One equals the other, or leads into it.
    Overlap,
    /// One uses as a list what the other uses as a map.
    Conflict,
}

/// Rejects paths that overlap or, if none do, paths that conflict.
pub(crate) fn refuse_clashes<'p>(paths: impl Iterator<Item = &'p Path> + Clone) -> Result<(), Problem> {
    // In sorted order, every path between two that clash clashes as well.
    let mut sorted: Vec<&Path> = paths.clone().collect();
    sorted.sort_unstable();
    if sorted.windows(2).all(|pair| matches!(pair, [one, two] if one.clash(two).is_none())) {
        return Ok(());
    }
    let find = |clash| {
        paths.clone().enumerate().find_map(|(at, two)| {
            let one = paths.clone().take(at).find(|one| one.clash(two) == Some(clash))?;
            Some((one.to_string(), two.to_string()))
        })
    };
    if let Some((one, two)) = find(Clash::Overlap) {
        return Err(Problem::PathsOverlap { one, two });
    }
    match find(Clash::Conflict) {
        Some((one, two)) => Err(Problem::PathsConflict { one, two }),
        None => Ok(()),
    }
}

impl fmt::Display for Path {
    /// As DynamoDB names paths in errors: `[a, b, [0]]`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "[{}", self.head)?;
        for step in &self.steps {
            match step {
                Step::Field(name) => write!(out, ", {name}")?,
                Step::Index(index) => write!(out, ", [{index}]")?,
            }
        }
        out.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Path {
        let paths = syntax::parse_projection(text).unwrap();
        Path::bind(&paths[0], &mut Placeholders::default()).unwrap()
    }

    #[test]
    fn paths_clash_when_one_leads_into_the_other_or_they_disagree_about_lists_and_maps() {
        for (one, two, clash) in [
            ("a", "a", Some(Clash::Overlap)),
            ("a", "a.b", Some(Clash::Overlap)),
            ("a[1].b", "a[1]", Some(Clash::Overlap)),
            ("a.b", "a[1]", Some(Clash::Conflict)),
            ("a.b.c", "a.b[0]", Some(Clash::Conflict)),
            ("a[0]", "a[1]", None),
            ("a.b", "a.c", None),
            ("a", "b", None),
        ] {
            assert_eq!(path(one).clash(&path(two)), clash, "{one} {two}");
            assert_eq!(path(two).clash(&path(one)), clash, "{two} {one}");
        }
    }

    #[test]
    fn paths_that_clash_are_found_wherever_they_stand() {
        let paths = |texts: &[&str]| texts.iter().map(|text| path(text)).collect::<Vec<_>>();
        let refused = |texts: &[&str]| refuse_clashes(paths(texts).iter()).unwrap_err().to_string();
        let head = "with each other; must remove or rewrite one of these paths";
        assert_eq!(
            refused(&["z.x", "a.b.c", "m", "a.b", "q"]),
            format!("Two document paths overlap {head}; path one: [a, b, c], path two: [a, b]")
        );
        assert_eq!(
            refused(&["b.a", "m", "b[1]", "a"]),
            format!("Two document paths conflict {head}; path one: [b, a], path two: [b, [1]]")
        );
        // An overlap is reported before a conflict, even one that was written earlier.
        assert_eq!(
            refused(&["b[1]", "b.a", "a.b", "a"]),
            format!("Two document paths overlap {head}; path one: [a, b], path two: [a]")
        );
        assert_eq!(refuse_clashes(paths(&["a[1]", "a[0]", "b.a", "b.c.d", "b.c.e", "aa"]).iter()), Ok(()));
    }
}
