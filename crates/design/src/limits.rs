//! The limits of the design language. They are far above any design that people write, and keep the time and memory for
//! a hostile file small.
//!
//! Each limit is written here only. `docs/design-language.md` lists them, from [`LIMITS`].

/// Bytes of a design file.
pub const FILE_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Lines of a design file. The parser notes an error for each broken line before a report is cut.
pub(crate) const LINES_MAX: usize = 100_000;

/// Tables of a design.
pub(crate) const TABLES_MAX: usize = 100;

/// Indexes of a table. DynamoDB allows fewer, which the review reports.
pub(crate) const INDEXES_MAX: usize = 100;

/// Entities of a design.
pub(crate) const ENTITIES_MAX: usize = 2_000;

/// Patterns of a design.
pub(crate) const PATTERNS_MAX: usize = 10_000;

/// Fields of an entity, including those of nested objects.
pub(crate) const FIELDS_MAX: usize = 1_000;

/// Levels of objects, lists, sets and maps in the type of a field, as in DynamoDB's items.
pub(crate) const FIELD_LEVELS_MAX: usize = 32;

/// Values of an enum, and of any other list.
pub(crate) const LIST_VALUES_MAX: usize = 1_000;

/// Keys of a table of the file other than those with a limit of their own.
pub(crate) const KEYS_MAX: usize = 1_000;

/// Bytes of a name.
pub(crate) const NAME_BYTES_MAX: usize = 255;

/// Bytes of a template. A key value can't be longer in DynamoDB.
pub(crate) const TEMPLATE_BYTES_MAX: usize = singlet_values::limits::PARTITION_KEY_BYTES_MAX;

/// Parameters of all patterns together.
pub(crate) const PARAMETERS_MAX: usize = 100_000;

/// Steps of a transaction.
pub(crate) const STEPS_MAX: usize = singlet_values::limits::TRANSACTION_ACTIONS_MAX;

/// Reads of a pattern with parts, including the parts of its parts.
pub(crate) const READS_MAX: usize = 100;

/// Levels of composed patterns.
pub(crate) const PATTERN_LEVELS_MAX: usize = 8;

/// Mistakes in one report.
pub(crate) const MISTAKES_MAX: usize = 100;

/// All limits with their names, for the reference.
#[cfg(test)]
pub(crate) const LIMITS: &[(&str, usize)] = &[
    ("bytes of a file", FILE_BYTES_MAX),
    ("lines of a file", LINES_MAX),
    ("tables", TABLES_MAX),
    ("indexes of a table", INDEXES_MAX),
    ("entities", ENTITIES_MAX),
    ("patterns", PATTERNS_MAX),
    ("fields of an entity, including those of nested objects", FIELDS_MAX),
    ("levels of objects, lists, sets and maps in a field", FIELD_LEVELS_MAX),
    ("values of an enum or of another list", LIST_VALUES_MAX),
    ("keys of another table of the file", KEYS_MAX),
    ("bytes of a name", NAME_BYTES_MAX),
    ("bytes of a template", TEMPLATE_BYTES_MAX),
    ("parameters of all patterns together", PARAMETERS_MAX),
    ("steps of a transaction", STEPS_MAX),
    ("reads of a pattern with parts, including the parts of its parts", READS_MAX),
    ("levels of composed patterns", PATTERN_LEVELS_MAX),
    ("errors that are reported at once", MISTAKES_MAX),
];

/// Returns a number with commas: `10,000`.
pub(crate) fn number(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
