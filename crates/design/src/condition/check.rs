//! Checks conditions against fields.

use std::ops::Range;

use super::given::GivenComparison;
use super::parse::{Parsed, parse};
use super::{Comparison, Condition, ConditionError, Operand, Tree};
use crate::expression::{Expression, Name, Origin, Quantity};
use crate::field::FieldType;
use crate::json::Json;
use crate::value::{holds_instant, to_attribute};

pub(super) const TEXT: FieldType = FieldType::Text { min: None, max: None };
const NUMBER: FieldType = FieldType::Number { min: None, max: None };
const BINARY: FieldType = FieldType::Binary { max: None };

/// A group of types whose values can be compared with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Text,
    Number,
    Bool,
    Binary,
    Date,
    Time,
    Epoch,
    Several,
    Any,
}

impl Family {
    fn of(kind: &FieldType) -> Family {
        match kind {
            FieldType::Text { .. } | FieldType::Choice(_) | FieldType::Id => Family::Text,
            FieldType::Int { .. } | FieldType::Number { .. } => Family::Number,
            FieldType::Bool => Family::Bool,
            FieldType::Binary { .. } => Family::Binary,
            FieldType::Date => Family::Date,
            FieldType::Time => Family::Time,
            FieldType::Epoch => Family::Epoch,
            FieldType::List { .. } | FieldType::Set { .. } | FieldType::Map { .. } | FieldType::Object(_) => {
                Family::Several
            }
            FieldType::Any { .. } => Family::Any,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Family::Text => "a string",
            Family::Number => "a number",
            Family::Bool => "a boolean",
            Family::Binary => "bytes",
            Family::Date => "a date",
            Family::Time => "a time",
            Family::Epoch => "a time in seconds",
            Family::Several => "a list, set, map or object",
            Family::Any => "any value",
        }
    }
}

impl Condition {
    /// Checks that every path exists and every constant fits. Returns the parameters in order of first use, each with
    /// the type of the field that it is compared with. The types have no bounds, because comparing with a value outside
    /// the bounds of a field is allowed.
    pub fn check(
        &self,
        field: &dyn Fn(&str) -> Option<FieldType>,
    ) -> Result<Vec<(String, FieldType)>, ConditionError> {
        self.check_naming(field, &|_| None)
    }

    /// Like [`Condition::check`], with `nearest` to suggest a known field for an unknown one.
    pub fn check_naming(
        &self,
        field: &dyn Fn(&str) -> Option<FieldType>,
        nearest: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Vec<(String, FieldType)>, ConditionError> {
        // The tree has no positions. Parsing again gives them in the order in which the tree is visited.
        let Parsed { tree, places, .. } = parse(&self.source)?;
        let mut checker = ConditionChecker {
            field,
            nearest,
            places: places.into_iter(),
            parameters: Vec::new(),
            given: Vec::new(),
        };
        checker.tree(&tree)?;
        checker.check_given()?;
        Ok(checker.parameters)
    }
}

/// Returns the type that a constant or parameter must have to be compared with a field of this type.
pub fn compared_type(kind: &FieldType, comparison: Comparison) -> FieldType {
    let equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
    match kind {
        FieldType::Choice(choices) if equality => FieldType::Choice(choices.clone()),
        FieldType::Text { .. } | FieldType::Choice(_) | FieldType::Id => TEXT,
        FieldType::Int { .. } | FieldType::Number { .. } => NUMBER,
        FieldType::Binary { .. } => BINARY,
        other => other.clone(),
    }
}

/// Returns the type of values that a field of this type can contain.
pub fn contained_type(kind: &FieldType) -> Option<FieldType> {
    match kind {
        FieldType::List { of, .. } | FieldType::Set { of, .. } => Some(compared_type(of, Comparison::Equal)),
        FieldType::Any { .. } => Some(kind.clone()),
        _ => beginning_type(kind),
    }
}

/// Returns the type of values that a field of this type can begin with.
pub fn beginning_type(kind: &FieldType) -> Option<FieldType> {
    match Family::of(kind) {
        Family::Text | Family::Date | Family::Time | Family::Any => Some(TEXT),
        Family::Binary => Some(BINARY),
        _ => None,
    }
}

pub(super) struct ConditionChecker<'a> {
    pub(super) field: &'a dyn Fn(&str) -> Option<FieldType>,
    nearest: &'a dyn Fn(&str) -> Option<String>,
    places: std::vec::IntoIter<Range<usize>>,
    pub(super) parameters: Vec<(String, FieldType)>,
    /// Comparisons of parameters that are checked at the end.
    pub(super) given: Vec<GivenComparison>,
}

/// An operand with its position and, if it is a path or a size, its type.
pub(super) struct Side<'a> {
    pub(super) operand: &'a Operand,
    pub(super) place: Range<usize>,
    pub(super) kind: Option<FieldType>,
}

impl ConditionChecker<'_> {
    fn tree(&mut self, tree: &Tree) -> Result<(), ConditionError> {
        match tree {
            Tree::And(branches) | Tree::Or(branches) => {
                branches.iter().try_for_each(|branch| self.tree(branch))
            }
            Tree::Not(inner) => self.tree(inner),
            Tree::Compare(left, comparison, right) if tree.compares_parameters() => {
                self.note_given(left, *comparison, right);
                Ok(())
            }
            Tree::Compare(left, comparison, right) => self.sides(left, &[right], *comparison),
            Tree::Between(value, low, high) => self.sides(value, &[low, high], Comparison::AtLeast),
            Tree::In(value, list) => self.sides(value, &list.iter().collect::<Vec<_>>(), Comparison::Equal),
            Tree::Exists(path) | Tree::Missing(path) => self.path(path).map(|_| ()),
            Tree::Computed(left, _, right) => self.both_computed(left.clone(), right.clone()),
            Tree::BeginsWith(path, value) => self.function(path, value, beginning_type, "begins_with"),
            Tree::Contains(path, value) => self.function(path, value, contained_type, "contains"),
        }
    }

    /// Checks the comparison of the first operand with each of the others.
    fn sides(
        &mut self,
        first: &Operand,
        others: &[&Operand],
        comparison: Comparison,
    ) -> Result<(), ConditionError> {
        let first = self.side(first)?;
        let others = others.iter().map(|other| self.side(other)).collect::<Result<Vec<_>, _>>()?;
        for other in &others {
            match (&first.kind, &other.kind) {
                (Some(kind), Some(other_kind)) => same_family(kind, other_kind, &other.place)?,
                (Some(kind), None) => self.fit(other, kind, comparison)?,
                (None, Some(kind)) => self.fit(&first, kind, comparison)?,
                (None, None) => {
                    let help = "one side must be a field of the entity";
                    return Err(ConditionError::new(
                        first.place.clone(),
                        "this comparison doesn't depend on the item",
                        help,
                    ));
                }
            }
        }
        // A constant before `between` or `in` has the type of the first field that follows.
        let kinds =
            std::iter::once(&first).chain(&others).filter_map(|side| Some((side.kind.as_ref()?, side)));
        kinds.into_iter().try_for_each(|(kind, side)| orderable(kind, comparison, &side.place))
    }

    fn side<'o>(&mut self, operand: &'o Operand) -> Result<Side<'o>, ConditionError> {
        let (place, kind) = match operand {
            Operand::Path(path) => {
                let (kind, place) = self.path(path)?;
                (place, Some(kind))
            }
            Operand::Size(path) => {
                let (kind, place) = self.path(path)?;
                if matches!(Family::of(&kind), Family::Number | Family::Bool | Family::Epoch) {
                    let message = format!("`{path}` is {} and has no size", Family::of(&kind).name());
                    let help = "strings, bytes, lists, sets, maps and objects have a size";
                    return Err(ConditionError::new(place, message, help));
                }
                (place, Some(NUMBER))
            }
            Operand::Constant(_) | Operand::Parameter(_) | Operand::Now | Operand::Computed(_) => {
                (self.place(), None)
            }
        };
        Ok(Side { operand, place, kind })
    }

    fn function(
        &mut self,
        path: &str,
        value: &Operand,
        wanted: fn(&FieldType) -> Option<FieldType>,
        name: &str,
    ) -> Result<(), ConditionError> {
        let (kind, place) = self.path(path)?;
        let value = self.side(value)?;
        let Some(wanted) = wanted(&kind) else {
            let kind = Family::of(&kind).name();
            let message = format!("`{name}` can't be used on `{path}`, which is {kind}");
            return Err(ConditionError { range: place, message, help: None });
        };
        match &value.kind {
            Some(kind) => same_family(&wanted, kind, &value.place),
            None => self.fit(&value, &wanted, Comparison::Equal),
        }
    }

    /// Checks that a constant is a value of the type, or gives a parameter that type.
    pub(super) fn fit(
        &mut self,
        side: &Side<'_>,
        kind: &FieldType,
        comparison: Comparison,
    ) -> Result<(), ConditionError> {
        let kind = compared_type(kind, comparison);
        match side.operand {
            Operand::Constant(json) => fit_constant(json, &kind, &side.place),
            Operand::Now if holds_instant(&kind) => Ok(()),
            Operand::Now => {
                let message =
                    format!("`{{now}}` is a time and can't be compared with {}", Family::of(&kind).name());
                let help = "compare it with a field of type `time`, `created`, `updated`, `date` or `epoch`";
                Err(ConditionError::new(side.place.clone(), message, help))
            }
            Operand::Parameter(name) => self.parameter(name, kind, &side.place),
            Operand::Computed(expression) => self.computed(expression.clone(), &kind, &side.place),
            Operand::Path(_) | Operand::Size(_) => Ok(()),
        }
    }

    /// Checks a comparison of two expressions with fields: both must be numbers, or both times.
    fn both_computed(&mut self, mut left: Expression, mut right: Expression) -> Result<(), ConditionError> {
        let mut kinds = Vec::new();
        for path in super::arithmetic::fields_of(&left, &right) {
            let (kind, place) = self.path(path)?;
            if Quantity::of(&kind).is_none() && !matches!(kind, FieldType::Any { .. }) {
                let message =
                    format!("`{path}` is {} and can't be calculated with", Family::of(&kind).name());
                return Err(ConditionError::new(place, message, "use fields that are numbers or times"));
            }
            kinds.push((path.to_owned(), kind));
        }
        let place = self.place();
        let known = |origin: &Origin| {
            let kinds = match origin {
                Origin::Field(_) => &kinds,
                _ => &self.parameters,
            };
            let (Origin::Parameter(name) | Origin::Field(name)) = origin else { return None };
            let (_, kind) = kinds.iter().find(|(known, _)| known == name)?;
            Some(Name { origin: origin.clone(), kind: Some(kind.clone()) })
        };
        Expression::check_compared(&mut left, &mut right, &place, &known).map_err(ConditionError::from)?;
        self.name_parameters(&left, &place)?;
        self.name_parameters(&right, &place)
    }

    /// Checks that a computed value has the type, and adds its parameters.
    fn computed(
        &mut self,
        mut expression: Expression,
        kind: &FieldType,
        place: &Range<usize>,
    ) -> Result<(), ConditionError> {
        let known = |origin: &Origin| {
            let Origin::Parameter(name) = origin else { return None };
            let kind = self.parameters.iter().find(|(known, _)| known == name).map(|(_, kind)| kind)?;
            Some(Name { origin: origin.clone(), kind: Some(kind.clone()) })
        };
        expression.check(kind, place, &known).map_err(ConditionError::from)?;
        self.name_parameters(&expression, place)
    }

    /// Adds the parameters of an expression.
    fn name_parameters(
        &mut self,
        expression: &Expression,
        place: &Range<usize>,
    ) -> Result<(), ConditionError> {
        for Name { origin, kind } in expression.names() {
            if let (Origin::Parameter(name), Some(kind)) = (origin, kind) {
                self.parameter(name, kind.clone(), place)?;
            }
        }
        Ok(())
    }

    fn parameter(&mut self, name: &str, kind: FieldType, place: &Range<usize>) -> Result<(), ConditionError> {
        match self.parameters.iter().find(|(known, _)| known == name) {
            None => self.parameters.push((name.to_owned(), kind)),
            Some((_, known)) if Family::of(known) == Family::of(&kind) => {}
            Some((_, known)) => {
                let (before, here) = (Family::of(known).name(), Family::of(&kind).name());
                let message = format!("`{{{name}}}` is compared with {here} here, but with {before} before");
                return Err(ConditionError::new(place.clone(), message, "use two parameters"));
            }
        }
        Ok(())
    }

    fn path(&mut self, path: &str) -> Result<(FieldType, Range<usize>), ConditionError> {
        let place = self.place();
        match (self.field)(path) {
            Some(kind) => Ok((kind, place)),
            None => {
                let help = (self.nearest)(path).map(|name| format!("did you mean `{name}`?"));
                Err(ConditionError { range: place, message: format!("there is no field `{path}`"), help })
            }
        }
    }

    pub(super) fn place(&mut self) -> Range<usize> {
        self.places.next().unwrap_or_default()
    }
}

fn fit_constant(json: &Json, kind: &FieldType, place: &Range<usize>) -> Result<(), ConditionError> {
    match to_attribute(kind, json) {
        Ok(_) => Ok(()),
        Err(error) => {
            let message = format!("this value {}", error.reason);
            Err(ConditionError { range: place.clone(), message, help: None })
        }
    }
}

fn same_family(kind: &FieldType, other: &FieldType, place: &Range<usize>) -> Result<(), ConditionError> {
    let (left, right) = (Family::of(kind), Family::of(other));
    if left == right || left == Family::Any || right == Family::Any {
        return Ok(());
    }
    let message = format!("this is {} and can't be compared with {}", right.name(), left.name());
    Err(ConditionError::new(place.clone(), message, "both sides must have the same type"))
}

pub(super) fn orderable(
    kind: &FieldType,
    comparison: Comparison,
    place: &Range<usize>,
) -> Result<(), ConditionError> {
    let equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
    let family = Family::of(kind);
    if equality || !matches!(family, Family::Bool | Family::Several) {
        return Ok(());
    }
    let message = format!("this is {}, which has no order", family.name());
    Err(ConditionError::new(place.clone(), message, "compare it with `=` or `<>`"))
}
