//! Comparisons that calculate with fields: `sold + {n} <= 100`.
//!
//! DynamoDB compares an attribute with a value or with another attribute, but doesn't calculate. So a sum is rearranged
//! until one attribute stands alone. A comparison that can't be rearranged is computed from the item, which is read
//! before.

use super::{Comparison, Operand, Tree};
use crate::expression::{Expression, Name, Origin};

impl Tree {
    /// Returns a comparison of two expressions, at least one of which uses a field. The terms of a sum are rearranged if
    /// that leaves one field on a side of its own, or two fields to compare.
    pub(super) fn comparing(left: Expression, comparison: Comparison, right: Expression) -> Tree {
        let mut terms = Vec::new();
        terms_of(&left, false, &mut terms);
        terms_of(&right, true, &mut terms);
        let (fields, values): (Vec<Term<'_>>, Vec<Term<'_>>) =
            terms.into_iter().partition(|term| uses_field(term.expression));
        let rearranged = match (fields.as_slice(), values.as_slice()) {
            ([one], [_, ..]) => one.path().map(|path| {
                let value = Operand::of(sum(&values, !one.negative));
                Tree::Compare(Operand::Path(path), one.turned(comparison), value)
            }),
            ([one, other], []) if one.negative != other.negative => {
                one.path().zip(other.path()).map(|(first, second)| {
                    Tree::Compare(Operand::Path(first), one.turned(comparison), Operand::Path(second))
                })
            }
            _ => None,
        };
        rearranged.unwrap_or(Tree::Computed(left, comparison, right))
    }

    /// Returns the fields that comparisons are computed from, so that the item must be read before.
    pub fn computed_fields(&self) -> Vec<&str> {
        match self {
            Tree::And(trees) | Tree::Or(trees) => trees.iter().flat_map(Tree::computed_fields).collect(),
            Tree::Not(tree) => tree.computed_fields(),
            Tree::Computed(left, _, right) => fields_of(left, right),
            _ => Vec::new(),
        }
    }
}

/// Returns the fields that two expressions use, in order.
pub(super) fn fields_of<'e>(left: &'e Expression, right: &'e Expression) -> Vec<&'e str> {
    left.names().into_iter().chain(right.names()).filter_map(Name::field).collect()
}

impl Comparison {
    /// Returns the comparison with its sides exchanged.
    pub fn mirrored(self) -> Comparison {
        match self {
            Comparison::Equal | Comparison::NotEqual => self,
            Comparison::Less => Comparison::Greater,
            Comparison::AtMost => Comparison::AtLeast,
            Comparison::Greater => Comparison::Less,
            Comparison::AtLeast => Comparison::AtMost,
        }
    }
}

/// A term of a sum that is compared with zero.
struct Term<'e> {
    expression: &'e Expression,
    negative: bool,
}

fn terms_of<'e>(expression: &'e Expression, negative: bool, terms: &mut Vec<Term<'e>>) {
    match expression {
        Expression::Sum(left, right) => {
            terms_of(left, negative, terms);
            terms_of(right, negative, terms);
        }
        Expression::Difference(left, right) => {
            terms_of(left, negative, terms);
            terms_of(right, !negative, terms);
        }
        Expression::Negative(inner) => terms_of(inner, !negative, terms),
        expression => terms.push(Term { expression, negative }),
    }
}

fn uses_field(expression: &Expression) -> bool {
    expression.names().into_iter().any(|name| name.field().is_some())
}

impl Term<'_> {
    /// Returns the field, if the term is nothing else.
    fn path(&self) -> Option<String> {
        match self.expression {
            Expression::Name(Name { origin: Origin::Field(path), .. }) => Some(path.clone()),
            _ => None,
        }
    }

    /// Returns the comparison in which the term stands on the left, and the others on the right.
    fn turned(&self, comparison: Comparison) -> Comparison {
        if self.negative { comparison.mirrored() } else { comparison }
    }
}

/// Returns the sum of terms, or its negative.
fn sum(terms: &[Term<'_>], inverted: bool) -> Expression {
    // A positive term comes first, so that the sum doesn't begin with a minus.
    let is_negative = |term: &&Term<'_>| term.negative != inverted;
    let first = terms.iter().filter(|term| !is_negative(term)).chain(terms.iter().filter(is_negative));
    let mut sum: Option<Expression> = None;
    for term in first {
        let expression = Box::new(term.expression.clone());
        sum = Some(match (sum, is_negative(&term)) {
            (None, false) => *expression,
            (None, true) => Expression::Negative(expression),
            (Some(sum), false) => Expression::Sum(Box::new(sum), expression),
            (Some(sum), true) => Expression::Difference(Box::new(sum), expression),
        });
    }
    sum.unwrap_or(Expression::Number(singlet_values::Number::ZERO))
}
