//! Every error of a statement. The `Display` of each variant is the text that DynamoDB's clients see.

use std::fmt;

use singlet_expr::{ExprError, Problem};
use singlet_values::NumberError;

/// Where a token stands: its line and column, counted in characters from 1, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column of the first character.
    pub column: usize,
    /// The number of characters.
    pub length: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.line, self.column, self.length)
    }
}

/// Why a statement was rejected. All of them are answered with a `ValidationException`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StatementError {
    /// The text isn't a statement.
    #[error("Statement wasn't well formed, can't be processed: {detail}")]
    Malformed {
        /// The expected word. Empty if the text has a character or literal that can't be read.
        detail: String,
    },
    /// More or fewer `?` than parameters.
    #[error("Number of parameters in request and statement don't match.")]
    ParameterCount,
    /// A clause of SQL that DynamoDB doesn't have.
    #[error("Unsupported clause: {clause} at {position}")]
    UnsupportedClause {
        /// Its first word.
        clause: String,
        /// Where it stands.
        position: Position,
    },
    /// `SELECT VALUE`.
    #[error("Select projection doesn't support value or pivot keywords")]
    SelectValue,
    /// `SELECT DISTINCT`.
    #[error("Unsupported token in expression: DISTINCT")]
    Distinct,
    /// A literal or function where a path is required.
    #[error("Unexpected path component at {position}")]
    UnexpectedComponent {
        /// Where it stands.
        position: Position,
    },
    /// A name in quotes without a character.
    #[error("Path component cannot be an empty string")]
    EmptyComponent,
    /// `SELECT m.*`.
    #[error("Changing item's hierarchy while reading isn't supported")]
    Hierarchy,
    /// Two columns with one name.
    #[error("Duplicate identifiers in select clause: {name}")]
    DuplicateColumn {
        /// The name.
        name: String,
    },
    /// `*` and other columns.
    #[error("Other attributes should not be present in the projection when '*' is used.")]
    StarAndOthers,
    /// `AS`, or a second name after a table.
    #[error("Aliasing is not supported")]
    Alias,
    /// A literal in place of a table.
    #[error("Unexpected from source")]
    UnexpectedSource,
    /// Two tables.
    #[error("Only select from a single table or index is supported.")]
    SeveralSources,
    /// More than a table and an index.
    #[error("A path may contain at most 2 components in the FROM clause")]
    SourceTooLong,
    /// An index in a statement that writes.
    #[error("This operation is not supported on an index")]
    WriteToIndex,
    /// An index in an `INSERT`.
    #[error("FROM clause may only contain a single table name in data manipulation statements")]
    InsertIntoIndex,
    /// A value where a condition is required.
    #[error("WHERE clause must contain an expression that resolves to a boolean")]
    NotBoolean,
    /// `MISSING` as a value.
    #[error("MISSING must be compared using IS operator")]
    MissingAsValue,
    /// `IS` after something other than a path.
    #[error("The left hand side argument to IS must be a Variable Reference, Literal, or Path")]
    IsOperand,
    /// `IS` in an assignment.
    #[error("IS operator is not supported in update expressions")]
    IsInUpdate,
    /// `IN` without candidates.
    #[error(
        "IN operator must have a left hand argument of type Variable Reference and right hand argument of type Seq \
         with at least one member"
    )]
    InOperand,
    /// An operator that conditions don't have.
    #[error("Unsupported operator in Condition Expression. Operator: {operator}")]
    ConditionOperator {
        /// The operator.
        operator: String,
    },
    /// An operator that assignments don't have.
    #[error("Unsupported operator in Update Expression. Operator: {operator}")]
    UpdateOperator {
        /// The operator.
        operator: String,
    },
    /// A function that doesn't exist, or not here.
    #[error("Unrecognized function: {function} at {position}")]
    UnknownFunction {
        /// Its name in lower case.
        function: String,
        /// Where it stands.
        position: Position,
    },
    /// `set_add` or `set_delete` without exactly two arguments.
    #[error("{function} must have exactly two arguments at {position}")]
    SetArguments {
        /// `SET_ADD` or `SET_DELETE`.
        function: &'static str,
        /// Where it stands.
        position: Position,
    },
    /// `set_add` or `set_delete` on another attribute than the assigned one.
    #[error("The first argument to {function} must equal the assignment value at {position}")]
    SetTarget {
        /// `SET_ADD` or `SET_DELETE`.
        function: &'static str,
        /// Where the function stands.
        position: Position,
    },
    /// `set_add` or `set_delete` with something other than a set.
    #[error("The second argument to {function} must be a value with type SET at {position}")]
    SetOperand {
        /// `SET_ADD` or `SET_DELETE`.
        function: &'static str,
        /// Where the first argument stands.
        position: Position,
    },
    /// A list index that isn't a whole number from 0 to 2^31 - 1.
    #[error("List index is not within the allowable range; index: [{index}] at {position}")]
    IndexRange {
        /// The index as it was written.
        index: String,
        /// Where it stands.
        position: Position,
    },
    /// `INSERT` with several items.
    #[error(
        "Unsupported operation: Inserting multiple items in a single statement is not supported, use \
         \"INSERT INTO tableName VALUE item\" instead"
    )]
    SeveralItems,
    /// `INSERT` of something other than `{…}`.
    #[error(
        "Unsupported format in item expression. Please use struct format {{...}} to express item values for insert \
         statement. at {position}"
    )]
    NotAnItem {
        /// Where it stands.
        position: Position,
    },
    /// `INSERT … RETURNING`.
    #[error("RETURNING is not supported in INSERT")]
    InsertReturning,
    /// `DELETE … RETURNING` with anything but `ALL OLD *`.
    #[error(
        "Invalid returning clause: RETURNING {returning} *. Only RETURNING ALL OLD * is allowed in DELETE statements."
    )]
    DeleteReturning {
        /// The words before the star.
        returning: &'static str,
    },
    /// `RETURNING` without a star.
    #[error("Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause")]
    ReturningStar,
    /// One name twice in `{…}`.
    #[error("Duplicate keys in tuple. Key: {key} under {under} at {position}")]
    DuplicateKey {
        /// The name.
        key: String,
        /// The path of the map.
        under: String,
        /// Where the second one stands.
        position: Position,
    },
    /// A name in `{…}` that isn't a string.
    #[error("Tuple keys must be of type String. Actual type: VariableReference under {under} at {position}")]
    KeyNotString {
        /// The path of the map.
        under: String,
        /// Where it stands.
        position: Position,
    },
    /// Something other than a literal inside a value.
    #[error("Unsupported data type: {found} under key {under} at {position}")]
    NotALiteral {
        /// The word or symbol.
        found: String,
        /// The path of the value around it.
        under: String,
        /// Where it stands.
        position: Position,
    },
    /// `<<>>`.
    #[error("Empty bags are not supported")]
    EmptySet,
    /// A set of anything but numbers or strings.
    #[error("Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags")]
    SetElement,
    /// One string twice in a set.
    #[error("One or more parameter values were invalid: Input collection [{}] contains duplicates.", .0.join(", "))]
    DuplicateStrings(Vec<String>),
    /// One number twice in a set.
    #[error("Input collection contains duplicates")]
    DuplicateNumbers,
    /// A number that DynamoDB can't store.
    #[error("{error} under {under}")]
    Number {
        /// Why not.
        error: NumberError,
        /// The path of the value.
        under: String,
    },
    /// A value nested too deeply.
    #[error(
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported \
         limit"
    )]
    ValueTooDeep,
    /// A write whose `WHERE` doesn't name one item.
    #[error("Where clause does not contain a mandatory equality on all key attributes")]
    IncompleteKey,
    /// A write with two equalities on one key attribute.
    #[error(
        "Multiple conditions on same key {attribute}. Only single item Update/Insert/Delete are supported"
    )]
    KeyTwice {
        /// The attribute.
        attribute: String,
    },
    /// A key value of another kind than the table's.
    #[error("Key attribute's data type should match its data type in table's schema: Key {attribute}")]
    KeyKind {
        /// The attribute.
        attribute: String,
    },
    /// An item without a key attribute.
    #[error("Key attribute should be present in the item: Key {attribute}")]
    KeyMissing {
        /// The attribute.
        attribute: String,
    },
    /// A path into a key attribute.
    #[error(
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: {attribute}"
    )]
    NestedKey {
        /// The attribute.
        attribute: String,
    },
    /// `ORDER BY` without `WHERE`.
    #[error("Must have WHERE clause in the statement when using ORDER BY clause.")]
    OrderWithoutWhere,
    /// `ORDER BY` in a scan.
    #[error(
        "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause."
    )]
    OrderWithoutKey,
    /// `ORDER BY` on an attribute that isn't part of the key.
    #[error("Variable reference {attribute} in ORDER BY clause must be part of the primary key")]
    OrderAttribute {
        /// The attribute.
        attribute: String,
    },
    /// `ORDER BY` on the sort key over several partitions.
    #[error(
        "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause."
    )]
    OrderAcrossPartitions,
    /// More partitions than one statement may read.
    #[error("Too many decomposed read operations for a given query.")]
    TooManyPartitions,
    /// A condition, update or projection that is wrong for every item.
    #[error(transparent)]
    Expression(#[from] Problem),
}

impl StatementError {
    /// The text can't be read as a statement; `detail` says what was expected.
    pub(crate) fn malformed(detail: impl Into<String>) -> StatementError {
        StatementError::Malformed { detail: detail.into() }
    }
}

impl From<ExprError> for StatementError {
    /// Errors of expressions lose the name of the parameter, which statements don't have.
    fn from(error: ExprError) -> Self {
        match error {
            ExprError::Invalid { problem, .. } => StatementError::Expression(problem),
            other => StatementError::malformed(other.to_string()),
        }
    }
}
