//! A statement in the list of a batch or a transaction.

use std::fmt::Display;

use serde::Deserialize;
use singlet_values::AttributeValue;

use crate::choice::{Choice, ReturnValuesOnConditionCheckFailure};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{Flag, List, SingleValue, Structure, Text};

const STATEMENT_CHARACTERS: (usize, usize) = (1, 8192);
const PARAMETERS: (usize, usize) = (1, 50);

/// A statement, its parameters and its options.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct StatementMember<'a> {
    #[serde(borrow)]
    pub(crate) statement: Option<Text<'a>>,
    pub(crate) parameters: Option<List<SingleValue<false>>>,
    pub(crate) consistent_read: Option<Flag>,
    #[serde(borrow)]
    pub(crate) return_values_on_condition_check_failure: Option<Text<'a>>,
}

impl Structure for StatementMember<'_> {
    const NAME: &'static str = "Statement";
}

impl StatementMember<'_> {
    /// Whether a failed condition returns the existing item.
    pub(crate) fn returns_old_on_failure(&self) -> bool {
        let word = self.return_values_on_condition_check_failure.as_ref();
        let choice = word.and_then(|word| Choice::named(word.as_str()));
        choice == Some(ReturnValuesOnConditionCheckFailure::AllOld)
    }
}

/// Checks the members of a statement against their constraints. `path` leads to them, and ends with a dot if it isn't
/// empty.
pub(crate) fn check_member(
    constraints: &mut Constraints,
    path: impl Display + Copy,
    member: &StatementMember<'_>,
) {
    let statement_path = format_args!("{path}statement");
    if let Some(text) = constraints.required(statement_path, member.statement.as_ref()) {
        let text = text.as_str();
        constraints.length(statement_path, text, text.chars().count(), STATEMENT_CHARACTERS);
    }
    if let Some(List(parameters)) = &member.parameters {
        let shown = format!("[{} parameters]", parameters.len());
        constraints.length(format_args!("{path}parameters"), shown.as_str(), parameters.len(), PARAMETERS);
    }
    constraints.choice::<ReturnValuesOnConditionCheckFailure>(
        format_args!("{path}returnValuesOnConditionCheckFailure"),
        member.return_values_on_condition_check_failure.as_ref(),
    );
}

/// The values of the parameters.
pub(crate) fn parameters(member: Option<List<SingleValue<false>>>) -> Result<Vec<AttributeValue>, Failure> {
    let List(parameters) = member.unwrap_or(List(Vec::new()));
    Ok(parameters.into_iter().map(SingleValue::checked).collect::<Result<_, _>>()?)
}
