//! The parameters that requests had before expressions: `Expected`, `AttributeUpdates`, `KeyConditions`, `QueryFilter`,
//! `ScanFilter`, `ConditionalOperator` and `AttributesToGet`.
//!
//! They are read in two steps, like all members. First they are checked against their constraints. When they become
//! trees, contradictions between them are found.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::Deserialize;
use singlet_expr::legacy::{
    self, AttributeCondition, AttributeUpdate, ComparisonOperator, ConditionalOperator, ExpectedAttribute,
    UpdateAction,
};
use singlet_expr::{Condition, KeyCondition, Projection, Update};
use singlet_values::AttributeValue;

use crate::choice::Choice;
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::expressions::Given;
use crate::read::{Element, Flag, List, Map, SingleValue, Structure, Text};
use crate::text::ValueError;

const ATTRIBUTES_TO_GET: (usize, usize) = (1, 255);
/// Names of this length and longer aren't attribute names.
const NAME_BYTES_MAX: usize = 65_536;

/// Checks `AttributesToGet` against its constraints.
pub(super) fn check_attributes_to_get(
    constraints: &mut Constraints,
    path: impl Display + Copy,
    member: Option<&List<Text<'_>>>,
) {
    let Some(List(names)) = member else {
        return;
    };
    if !(ATTRIBUTES_TO_GET.0..=ATTRIBUTES_TO_GET.1).contains(&names.len()) {
        let shown = names.iter().map(Text::as_str).collect::<Vec<_>>().join(", ");
        constraints.length(path, format_args!("[{shown}]"), names.len(), ATTRIBUTES_TO_GET);
    }
}

/// `AttributesToGet` as a projection.
pub(super) fn projection_of(member: Option<List<Text<'_>>>) -> Result<Option<Projection>, Failure> {
    match member {
        Some(List(names)) => {
            let names: Vec<String> = names.into_iter().map(Text::into_string).collect();
            names.iter().try_for_each(|name| check_name(name))?;
            Ok(Some(legacy::attributes_to_get(names)?))
        }
        None => Ok(None),
    }
}

/// Checks the name of an attribute.
fn check_name(name: &str) -> Result<(), ValueError> {
    match name.len() {
        0 => Err(ValueError::EmptyName),
        NAME_BYTES_MAX.. => Err(ValueError::NameTooLong),
        _ => Ok(()),
    }
}

/// `Expected` as it is read.
pub(super) type ExpectedMap<'a> = Map<Element<ExpectedMember<'a>>>;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ExpectedMember<'a> {
    attribute_value_list: Option<List<SingleValue<false>>>,
    #[serde(borrow)]
    comparison_operator: Option<Text<'a>>,
    exists: Option<Flag>,
    value: Option<SingleValue<true>>,
}

impl Structure for ExpectedMember<'_> {
    const NAME: &'static str = "ExpectedAttributeValue";
}

/// `Expected` and its `ConditionalOperator`, checked against their constraints.
pub(super) struct Expectations<'a> {
    members: Option<ExpectedMap<'a>>,
    joined_by: Joiner,
}

/// `ConditionalOperator`.
#[derive(Clone, Copy)]
struct Joiner {
    given: bool,
    operator: Option<ConditionalOperator>,
}

impl Joiner {
    fn read(constraints: &mut Constraints, member: Option<&Text<'_>>) -> Self {
        Joiner { given: member.is_some(), operator: constraints.choice("conditionalOperator", member) }
    }
}

impl<'a> Expectations<'a> {
    /// Checks the members against their constraints.
    pub(super) fn read(
        constraints: &mut Constraints,
        members: Option<ExpectedMap<'a>>,
        operator: Option<&Text<'_>>,
    ) -> Self {
        for (name, Element(member)) in members.iter().flat_map(|Map(members)| members) {
            let path = format_args!("expected.{name}.member.comparisonOperator");
            constraints.choice::<ComparisonOperator>(path, member.comparison_operator.as_ref());
        }
        Expectations { members, joined_by: Joiner::read(constraints, operator) }
    }

    /// The parameters, and whether the request has them.
    pub(super) fn given(&self) -> [Given; 2] {
        [("Expected", self.members.is_some()), ("ConditionalOperator", self.joined_by.given)]
    }

    /// The condition that they mean.
    pub(super) fn condition(self) -> Result<Option<Condition>, Failure> {
        if self.members.is_none() && !self.joined_by.given {
            return Ok(None);
        }
        let mut attributes = BTreeMap::new();
        for (name, Element(member)) in self.members.map(|Map(members)| members).unwrap_or_default() {
            check_name(&name)?;
            let expected = ExpectedAttribute {
                value: member.value.map(SingleValue::checked).transpose()?,
                exists: member.exists.map(|flag| flag.0),
                operator: known_operator(member.comparison_operator.as_ref()),
                values: member.attribute_value_list.map(checked_values).transpose()?,
            };
            attributes.insert(name, expected);
        }
        Ok(legacy::expected(attributes, self.joined_by.operator)?)
    }
}

/// The operator, which has been checked.
fn known_operator(member: Option<&Text<'_>>) -> Option<ComparisonOperator> {
    Choice::named(member?.as_str())
}

fn checked_values(List(values): List<SingleValue<false>>) -> Result<Vec<AttributeValue>, ValueError> {
    values.into_iter().map(SingleValue::checked).collect()
}

/// `QueryFilter`, `ScanFilter` or `KeyConditions` as it is read.
pub(super) type ConditionMap<'a> = Map<Element<ConditionMember<'a>>>;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ConditionMember<'a> {
    attribute_value_list: Option<List<SingleValue<false>>>,
    #[serde(borrow)]
    comparison_operator: Option<Text<'a>>,
}

impl Structure for ConditionMember<'_> {
    const NAME: &'static str = "Condition";
}

/// A filter or key conditions, checked against their constraints.
pub(super) struct Conditions<'a> {
    members: Option<ConditionMap<'a>>,
    joined_by: Joiner,
}

impl<'a> Conditions<'a> {
    /// Checks the members against their constraints.
    pub(super) fn read(
        constraints: &mut Constraints,
        path: &'static str,
        members: Option<ConditionMap<'a>>,
        operator: Option<&Text<'_>>,
    ) -> Self {
        for (name, Element(member)) in members.iter().flat_map(|Map(members)| members) {
            let path = format_args!("{path}.{name}.member.comparisonOperator");
            let operator = constraints.required(path, member.comparison_operator.as_ref());
            constraints.choice::<ComparisonOperator>(path, operator);
        }
        Conditions { members, joined_by: Joiner::read(constraints, operator) }
    }

    /// Whether the request has the parameter.
    pub(super) fn is_given(&self) -> bool {
        self.members.is_some()
    }

    /// The filter that they mean.
    pub(super) fn condition(self) -> Result<Option<Condition>, Failure> {
        if self.members.is_none() && !self.joined_by.given {
            return Ok(None);
        }
        let operator = self.joined_by.operator;
        Ok(legacy::filter(self.into_attributes()?, operator)?)
    }

    /// The key condition that they mean.
    pub(super) fn key_condition(self) -> Result<KeyCondition, Failure> {
        Ok(legacy::key_conditions(self.into_attributes()?)?)
    }

    fn into_attributes(self) -> Result<BTreeMap<String, AttributeCondition>, ValueError> {
        let mut attributes = BTreeMap::new();
        for (name, Element(member)) in self.members.map(|Map(members)| members).unwrap_or_default() {
            check_name(&name)?;
            let values = member.attribute_value_list.map(checked_values).transpose()?.unwrap_or_default();
            if let Some(operator) = known_operator(member.comparison_operator.as_ref()) {
                attributes.insert(name, AttributeCondition { operator, values });
            }
        }
        Ok(attributes)
    }
}

/// `AttributeUpdates` as it is read.
pub(super) type AttributeUpdateMap<'a> = Map<Element<AttributeUpdateMember<'a>>>;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct AttributeUpdateMember<'a> {
    #[serde(borrow)]
    action: Option<Text<'a>>,
    value: Option<SingleValue<true>>,
}

impl Structure for AttributeUpdateMember<'_> {
    const NAME: &'static str = "AttributeValueUpdate";
}

/// `AttributeUpdates`, checked against its constraints.
pub(super) struct AttributeUpdates {
    members: Option<Vec<AskedAttributeUpdate>>,
}

struct AskedAttributeUpdate {
    name: String,
    action: UpdateAction,
    value: Option<SingleValue<true>>,
}

impl AttributeUpdates {
    /// Checks the members against their constraints.
    pub(super) fn read(constraints: &mut Constraints, members: Option<AttributeUpdateMap<'_>>) -> Self {
        let read = |(name, Element(member)): (String, Element<AttributeUpdateMember<'_>>)| {
            let path = format_args!("attributeUpdates.{name}.member.action");
            let action = constraints.choice(path, member.action.as_ref());
            AskedAttributeUpdate { name, action: action.unwrap_or_default(), value: member.value }
        };
        AttributeUpdates { members: members.map(|Map(members)| members.into_iter().map(read).collect()) }
    }

    /// Whether the request has the parameter.
    pub(super) fn is_given(&self) -> bool {
        self.members.is_some()
    }

    /// The update that they mean.
    pub(super) fn update(self) -> Result<Option<Update>, Failure> {
        let Some(members) = self.members else {
            return Ok(None);
        };
        let mut attributes = BTreeMap::new();
        for AskedAttributeUpdate { name, action, value } in members {
            check_name(&name)?;
            let value = value.map(SingleValue::checked).transpose()?;
            attributes.insert(name, AttributeUpdate { action, value });
        }
        Ok(Some(legacy::attribute_updates(attributes)?))
    }
}
