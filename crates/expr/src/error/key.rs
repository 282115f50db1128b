//! Why conditions don't select a range of keys.

/// Why conditions don't select a range of keys.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyConditionError {
    /// An operator that keys can't be searched by.
    #[error("Invalid operator used in KeyConditionExpression: {operator}")]
    Operator {
        /// The operator or function.
        operator: &'static str,
    },
    /// BETWEEN or `begins_with` whose first operand isn't an attribute.
    #[error(
        "Invalid condition in KeyConditionExpression: {operator} operator must have the key attribute \
         as its first operand"
    )]
    KeyNotFirst {
        /// The operator or function.
        operator: &'static str,
    },
    /// A function inside a condition.
    #[error("KeyConditionExpressions cannot contain nested operations")]
    NestedOperation,
    /// A path into an attribute.
    #[error("KeyConditionExpressions cannot have conditions on nested attributes")]
    NestedAttribute,
    /// One attribute compared with another.
    #[error("Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition")]
    TwoAttributes,
    /// A condition without an attribute.
    #[error("Invalid condition in KeyConditionExpression: No key attribute specified")]
    NoAttribute,
    /// Two conditions on one attribute.
    #[error(
        "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"
    )]
    TwoConditions,
    /// `KeyConditions` without a condition.
    #[error("Conditions can be of length 1 or 2 only")]
    ConditionCount,
    /// An operator of `KeyConditions` that keys can't be searched by.
    #[error("Attempted conditional constraint is not an indexable operation")]
    NotIndexable,
    /// More conditions than the key has attributes.
    #[error(
        "The number of query conditions ({conditions}) exceeds the number of key attributes defined \
         in the schema ({attributes})"
    )]
    TooManyConditions {
        /// How many conditions there are.
        conditions: usize,
        /// How many attributes the key has.
        attributes: usize,
    },
    /// A key attribute that needs a condition has none.
    #[error("Query condition missed key schema element: {attribute}")]
    Missing {
        /// The attribute.
        attribute: String,
    },
    /// Partition attributes of an index with several key attributes that aren't compared for equality.
    #[error("HASH key attributes {attributes} must have equality conditions specified in the query")]
    PartitionEquality {
        /// The attributes, joined by commas.
        attributes: String,
    },
    /// Sort attributes that aren't compared for equality, although a later one has a condition.
    #[error(
        "RANGE key attributes {attributes} must have equality conditions specified in the query because a \
         condition is present on key attribute {because}"
    )]
    SortEquality {
        /// The attributes, joined by commas.
        attributes: String,
        /// The later attribute.
        because: String,
    },
    /// Something other than equality where only equality can be served.
    #[error("Query key condition not supported")]
    NotSupported,
    /// A value of another kind than the key attribute.
    #[error("One or more parameter values were invalid: Condition parameter type does not match schema type")]
    KindMismatch,
    /// A value that no key attribute can have.
    #[error(
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain \
         an empty {kind} value. Key: {attribute}"
    )]
    EmptyValue {
        /// `string` or `binary`.
        kind: &'static str,
        /// The attribute.
        attribute: String,
    },
}
