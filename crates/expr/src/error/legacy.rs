//! Errors in the parameters that requests had before expressions.

/// An error in a parameter of the interface before expressions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LegacyError {
    /// Both ways to give the value of one expectation.
    #[error(
        "One or more parameter values were invalid: Value and AttributeValueList cannot be used together \
         for Attribute: {attribute}"
    )]
    ValueAndList {
        /// The attribute.
        attribute: String,
    },
    /// Both ways to say what is expected.
    #[error(
        "One or more parameter values were invalid: Exists and ComparisonOperator cannot be used together \
         for Attribute: {attribute}"
    )]
    ExistsAndOperator {
        /// The attribute.
        attribute: String,
    },
    /// An operator without anything to compare with.
    #[error(
        "One or more parameter values were invalid: Value or AttributeValueList must be used with \
         ComparisonOperator: {operator} for Attribute: {attribute}"
    )]
    OperatorWithoutValue {
        /// The operator.
        operator: &'static str,
        /// The attribute.
        attribute: String,
    },
    /// Values without an operator.
    #[error(
        "One or more parameter values were invalid: AttributeValueList can only be used with a \
         ComparisonOperator for Attribute: {attribute}"
    )]
    ListWithoutOperator {
        /// The attribute.
        attribute: String,
    },
    /// An attribute that must exist, without its value.
    #[error(
        "One or more parameter values were invalid: Value must be provided when Exists is {exists} \
         for Attribute: {attribute}"
    )]
    ExistsWithoutValue {
        /// `true`, or `null` if it wasn't given.
        exists: &'static str,
        /// The attribute.
        attribute: String,
    },
    /// An attribute that must not exist, with a value.
    #[error(
        "One or more parameter values were invalid: Value cannot be used when Exists is false \
         for Attribute: {attribute}"
    )]
    ValueWithoutExists {
        /// The attribute.
        attribute: String,
    },
    /// An operator with the wrong number of values.
    #[error(
        "One or more parameter values were invalid: Invalid number of argument(s) for the {operator} \
         ComparisonOperator"
    )]
    ArgumentCount {
        /// The operator.
        operator: &'static str,
    },
    /// Values of two kinds.
    #[error(
        "One or more parameter values were invalid: AttributeValues inside AttributeValueList must be \
         of same type"
    )]
    MixedKinds,
    /// A value of a kind that the operator can't take.
    #[error(
        "One or more parameter values were invalid: ComparisonOperator {operator} is not valid for {kind} \
         AttributeValue type"
    )]
    ArgumentKind {
        /// The operator.
        operator: &'static str,
        /// The code of the kind.
        kind: &'static str,
    },
    /// BETWEEN with a lower bound above the upper one.
    #[error(
        "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
    )]
    BetweenOrder,
    /// `ConditionalOperator` without conditions.
    #[error("ConditionalOperator cannot be used without Filter or Expected")]
    OperatorWithoutConditions,
    /// `ConditionalOperator` with one condition.
    #[error("ConditionalOperator can only be used when Filter or Expected has two or more elements")]
    OperatorWithOneCondition,
    /// An update without a value that isn't DELETE.
    #[error(
        "One or more parameter values were invalid: Only DELETE action is allowed when no attribute value \
         is specified"
    )]
    UpdateWithoutValue,
    /// DELETE with a value that isn't a set.
    #[error(
        "One or more parameter values were invalid: DELETE action with value is not supported for the type \
         {kind}"
    )]
    DeleteKind {
        /// The code of the kind.
        kind: &'static str,
    },
    /// ADD with a value that can't be added.
    #[error("One or more parameter values were invalid: ADD action is not supported for the type {kind}")]
    AddKind {
        /// The code of the kind.
        kind: &'static str,
    },
    /// `AttributesToGet` with the same name twice.
    #[error("One or more parameter values were invalid: Duplicate value in attribute name: {attribute}")]
    DuplicateAttribute {
        /// The name.
        attribute: String,
    },
}
