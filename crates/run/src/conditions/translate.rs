//! From a design's condition to a store's.

use singlet_design::{
    Comparison, Condition, FieldType, Operand, Tree, beginning_type, compared_type, contained_type, instant,
    to_attribute,
};
use singlet_expr::{self as expr, Comparator, Path};
use singlet_values::AttributeValue;

const ANY: FieldType = FieldType::Any { max_bytes: None };
const NUMBER: FieldType = FieldType::Number { min: None, max: None };

/// Translates a condition. `None` if it has an empty list of parts, which no loaded design has.
///
/// `argument` gives the value of a parameter, already of the field's type. A parameter without a value is compared as
/// the null value, which no field holds. `now_ms` is the time for `{now}`.
pub(super) fn translate(
    condition: &Condition,
    field: &dyn Fn(&str) -> Option<FieldType>,
    argument: &dyn Fn(&str) -> Option<AttributeValue>,
    now_ms: u64,
) -> Option<expr::Condition> {
    Translation { field, argument, now_ms }.tree(&condition.tree)
}

struct Translation<'a> {
    field: &'a dyn Fn(&str) -> Option<FieldType>,
    argument: &'a dyn Fn(&str) -> Option<AttributeValue>,
    now_ms: u64,
}

impl Translation<'_> {
    fn tree(&self, tree: &Tree) -> Option<expr::Condition> {
        Some(match tree {
            Tree::And(branches) => return expr::Condition::all(self.branches(branches)?),
            Tree::Or(branches) => return expr::Condition::any(self.branches(branches)?),
            Tree::Not(inner) => self.tree(inner)?.negated(),
            Tree::Compare(left, comparison, right) => {
                let kind = self.kind([left, right], *comparison);
                let (left, right) = (self.operand(left, &kind), self.operand(right, &kind));
                expr::Condition::compare(left, comparator(*comparison), right)
            }
            Tree::Between(value, low, high) => {
                let kind = self.kind([value, low, high], Comparison::AtLeast);
                let operand = |operand| self.operand(operand, &kind);
                expr::Condition::between(operand(value), operand(low), operand(high))
            }
            Tree::In(value, list) => {
                let kind = self.kind(std::iter::once(value).chain(list), Comparison::Equal);
                let candidates = list.iter().map(|operand| self.operand(operand, &kind));
                expr::Condition::one_of(self.operand(value, &kind), candidates)
            }
            Tree::Exists(path) => expr::Condition::exists(Path::dotted(path)),
            // Decided before ([`super::Asked::decided`]), so that no store sees it.
            Tree::Computed(..) => return None,
            Tree::Missing(path) => expr::Condition::missing(Path::dotted(path)),
            Tree::BeginsWith(path, value) => {
                let prefix = self.operand(value, &self.part_of(path, beginning_type));
                expr::Condition::begins_with(Path::dotted(path), prefix)
            }
            Tree::Contains(path, value) => {
                let part = self.operand(value, &self.part_of(path, contained_type));
                expr::Condition::contains(Path::dotted(path), part)
            }
        })
    }

    fn branches(&self, branches: &[Tree]) -> Option<Vec<expr::Condition>> {
        branches.iter().map(|branch| self.tree(branch)).collect()
    }

    fn part_of(&self, path: &str, part: fn(&FieldType) -> Option<FieldType>) -> FieldType {
        part_of(self.field, path, part)
    }

    fn kind<'o>(&self, operands: impl IntoIterator<Item = &'o Operand>, comparison: Comparison) -> FieldType {
        kind_of(self.field, operands, comparison)
    }

    fn operand(&self, operand: &Operand, kind: &FieldType) -> expr::Operand {
        let value = match operand {
            Operand::Path(path) => return Path::dotted(path).into(),
            Operand::Size(path) => return expr::Operand::size(Path::dotted(path)),
            // A checked constant fits its field. An unchecked one is taken as it is.
            Operand::Constant(json) => {
                to_attribute(kind, json).or_else(|_| to_attribute(&ANY, json)).unwrap_or(AttributeValue::Null)
            }
            Operand::Parameter(name) => (self.argument)(name).unwrap_or(AttributeValue::Null),
            Operand::Now => instant(kind, self.now_ms),
            // Values are computed before ([`super::Asked::computed`]).
            Operand::Computed(_) => AttributeValue::Null,
        };
        value.into()
    }
}

/// The type that the constants of a comparison have: the first field's.
pub(super) fn kind_of<'o>(
    field: &dyn Fn(&str) -> Option<FieldType>,
    operands: impl IntoIterator<Item = &'o Operand>,
    comparison: Comparison,
) -> FieldType {
    let kind = operands.into_iter().find_map(|operand| match operand {
        Operand::Path(path) => field(path),
        Operand::Size(_) => Some(NUMBER),
        _ => None,
    });
    kind.map_or(ANY, |kind| compared_type(&kind, comparison))
}

/// The type of what a function looks for in the field at a path.
pub(super) fn part_of(
    field: &dyn Fn(&str) -> Option<FieldType>,
    path: &str,
    part: fn(&FieldType) -> Option<FieldType>,
) -> FieldType {
    field(path).and_then(|kind| part(&kind)).unwrap_or(ANY)
}

pub(super) fn comparator(comparison: Comparison) -> Comparator {
    match comparison {
        Comparison::Equal => Comparator::Equal,
        Comparison::NotEqual => Comparator::NotEqual,
        Comparison::Less => Comparator::Less,
        Comparison::AtMost => Comparator::LessOrEqual,
        Comparison::Greater => Comparator::Greater,
        Comparison::AtLeast => Comparator::GreaterOrEqual,
    }
}
