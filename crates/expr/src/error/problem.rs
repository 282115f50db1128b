//! Errors in the text of an expression.

/// An error in the text of an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The text is empty.
    #[error("The expression can not be empty;")]
    Empty,
    /// More than 4096 bytes.
    #[error("Expression size has exceeded the maximum allowed size; expression size: {bytes}")]
    TooLong {
        /// The length of the text.
        bytes: usize,
    },
    /// A token that can't follow the one before it.
    #[error("Syntax error; token: \"{token}\", near: \"{near}\"")]
    Syntax {
        /// The token, or `<EOF>`.
        token: String,
        /// The text from the token before to the token after.
        near: String,
    },
    /// A pair of parentheses directly inside another.
    #[error("The expression has redundant parentheses;")]
    RedundantParentheses,
    /// More than 300 operators and functions.
    #[error("The expression contains too many operators; operator count: {count}")]
    TooManyOperators {
        /// The count at which counting stopped.
        count: usize,
    },
    /// A reserved word, used without a placeholder.
    #[error("Attribute name is a reserved keyword; reserved keyword: {word}")]
    ReservedWord {
        /// The name as it was written.
        word: String,
    },
    /// A list index above 2^31 - 1.
    #[error("List index is not within the allowable range; index: [{index}]")]
    IndexOutOfRange {
        /// The index as it was written.
        index: String,
    },
    /// The function doesn't exist.
    #[error("Invalid function name; function: {function}")]
    UnknownFunction {
        /// Its name.
        function: String,
    },
    /// A function of update expressions in a condition.
    #[error("The function is not allowed in a condition expression; function: {function}")]
    FunctionNotInCondition {
        /// Its name.
        function: &'static str,
    },
    /// A function of conditions in an update expression.
    #[error("The function is not allowed in an update expression; function: {function}")]
    FunctionNotInUpdate {
        /// Its name.
        function: &'static str,
    },
    /// A condition used as a value, or a value as a condition.
    #[error("The function is not allowed to be used this way in an expression; function: {function}")]
    MisusedFunction {
        /// Its name.
        function: &'static str,
    },
    /// A `#name` that `ExpressionAttributeNames` doesn't have.
    #[error("An expression attribute name used in the document path is not defined; attribute name: {name}")]
    UndefinedName {
        /// The placeholder.
        name: String,
    },
    /// A `:value` that `ExpressionAttributeValues` doesn't have.
    #[error("An expression attribute value used in expression is not defined; attribute value: {value}")]
    UndefinedValue {
        /// The placeholder.
        value: String,
    },
    /// A path with more than 32 elements.
    #[error("The document path has too many nesting levels; nesting levels: {levels}")]
    PathTooDeep {
        /// How many it has.
        levels: usize,
    },
    /// A function with the wrong number of operands.
    #[error(
        "Incorrect number of operands for operator or function; operator or function: {function}, \
         number of operands: {count}"
    )]
    OperandCount {
        /// The function.
        function: &'static str,
        /// The number of operands.
        count: usize,
    },
    /// A value where only a path is allowed.
    #[error("Operator or function requires a document path; operator or function: {function}")]
    NeedsPath {
        /// The function.
        function: &'static str,
    },
    /// A literal of a kind that the operator can't take.
    #[error(
        "Incorrect operand type for operator or function; operator or function: {operator}, \
         operand type: {kind}"
    )]
    OperandKind {
        /// The operator or function.
        operator: &'static str,
        /// The code of the kind, such as `SS`.
        kind: &'static str,
    },
    /// A literal of a kind that ADD or DELETE can't take.
    #[error(
        "Incorrect operand type for operator or function; operator: {action}, operand type: {kind}, \
         typeSet: ALLOWED_FOR_{action}_OPERAND"
    )]
    ActionOperandKind {
        /// `ADD` or `DELETE`.
        action: &'static str,
        /// The long name of the kind, such as `STRING`.
        kind: &'static str,
    },
    /// The same path on both sides of an operator.
    #[error(
        "The first operand must be distinct from the remaining operands for this operator or function; \
         operator: {operator}, first operand: {path}"
    )]
    SameOperand {
        /// The operator or function.
        operator: &'static str,
        /// The path.
        path: String,
    },
    /// `attribute_type` with a type that doesn't exist.
    #[error("Invalid attribute type name found; type: {name}, valid types: {{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}")]
    UnknownKind {
        /// The name of the type.
        name: String,
    },
    /// BETWEEN with literals of two kinds.
    #[error(
        "The BETWEEN operator requires same data type for lower and upper bounds; \
         lower bound operand: AttributeValue: {low}, upper bound operand: AttributeValue: {high}"
    )]
    BetweenKinds {
        /// The lower bound.
        low: String,
        /// The upper bound.
        high: String,
    },
    /// BETWEEN with a lower literal above the upper one.
    #[error(
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; \
         lower bound operand: AttributeValue: {low}, upper bound operand: AttributeValue: {high}"
    )]
    BetweenOrder {
        /// The lower bound.
        low: String,
        /// The upper bound.
        high: String,
    },
    /// IN with more than 100 candidates.
    #[error("The IN operator is provided with too many operands; number of operands: {count}")]
    TooManyInOperands {
        /// How many candidates there are.
        count: usize,
    },
    /// One of SET, REMOVE, ADD and DELETE twice.
    #[error("The \"{section}\" section can only be used once in an update expression;")]
    RepeatedSection {
        /// Which one.
        section: &'static str,
    },
    /// A path that is, or contains, another path.
    #[error(
        "Two document paths overlap with each other; must remove or rewrite one of these paths; \
         path one: {one}, path two: {two}"
    )]
    PathsOverlap {
        /// The path that was written first.
        one: String,
        /// The path that was written second.
        two: String,
    },
    /// One attribute used both as a list and as a map.
    #[error(
        "Two document paths conflict with each other; must remove or rewrite one of these paths; \
         path one: {one}, path two: {two}"
    )]
    PathsConflict {
        /// The path that was written first.
        one: String,
        /// The path that was written second.
        two: String,
    },
}
