//! Recognizes the syntax of DynamoDB expressions, SQL and programming languages, and suggests what to write instead.

use std::ops::Range;

use super::ConditionError;

/// Functions of other languages and their equivalents; `{}` is replaced by the arguments.
const FUNCTIONS: [(&str, &str); 8] = [
    ("attribute_exists", "exists({})"),
    ("attribute_not_exists", "missing({})"),
    ("isnull", "missing({})"),
    ("startswith", "begins_with({})"),
    ("starts_with", "begins_with({})"),
    ("beginswith", "begins_with({})"),
    ("includes", "contains({})"),
    ("length", "size({})"),
];

/// Symbols of other languages, longest first, and how to replace them.
const SYMBOLS: [(&str, &str); 7] = [
    ("!==", "write `<>` for \"is not equal to\""),
    ("===", "write `=` for \"is equal to\""),
    ("==", "write `=` for \"is equal to\""),
    ("&&", "write `and`"),
    ("||", "write `or`"),
    ("&", "write `and`"),
    ("|", "write `or`"),
];

/// Replaces a parse error by a more helpful one if the text, up to the position of the error, uses the syntax of
/// another language.
pub(super) fn explain(text: &str, error: ConditionError) -> ConditionError {
    let mut at = 0;
    while at <= error.range.end {
        let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) else { break };
        if let Some(habit) = habit(text, at, rest) {
            return habit;
        }
        at += step(rest);
    }
    error
}

/// Returns the length of the next string, parameter, word or character.
fn step(rest: &str) -> usize {
    let first = rest.chars().next().map_or(1, char::len_utf8);
    let closing =
        |quote: char| rest.get(1..).and_then(|inner| inner.find(quote)).map_or(rest.len(), |end| end + 2);
    match rest.chars().next() {
        Some('\'') => closing('\''),
        Some('{') => closing('}'),
        Some(letter) if is_word(letter) => word(rest).len(),
        _ => first,
    }
}

fn habit(text: &str, at: usize, rest: &str) -> Option<ConditionError> {
    let wrong = |length: usize, message: String, help: String| {
        Some(ConditionError { range: at..at + length, message, help: Some(help) })
    };
    if let Some((symbol, help)) = SYMBOLS.into_iter().find(|(symbol, _)| rest.starts_with(symbol)) {
        return wrong(symbol.len(), format!("`{symbol}` isn't an operator"), help.to_owned());
    }
    let (first, after) = rest.split_at(rest.chars().next()?.len_utf8());
    let name = word(after);
    match first {
        "!" if !after.starts_with('=') => {
            let help = "write `not`, or `<>` for \"is not equal to\"";
            wrong(1, "`!` isn't an operator".to_owned(), help.to_owned())
        }
        "\"" => {
            let string = after.split('"').next().unwrap_or_default();
            let length = (string.len() + 2).min(rest.len());
            let message = "strings must be in single quotes".to_owned();
            wrong(length, message, format!("write `'{}'`", string.replace('\'', "''")))
        }
        ":" if !name.is_empty() => {
            let message = format!("`:{name}` is a placeholder of DynamoDB expressions");
            wrong(name.len() + 1, message, format!("write `{{{name}}}` for a parameter, or the value itself"))
        }
        "#" if !name.is_empty() => {
            let message = format!("`#{name}` is a placeholder of DynamoDB expressions");
            wrong(name.len() + 1, message, "write the name of the field itself".to_owned())
        }
        _ => in_words(text, at, word(rest)),
    }
}

/// Recognizes words of other languages.
fn in_words(text: &str, at: usize, name: &str) -> Option<ConditionError> {
    let after = text.get(at + name.len()..).unwrap_or_default();
    let lower = name.to_lowercase();
    let wrong = |range: Range<usize>, message: String, help: String| {
        Some(ConditionError { range, message, help: Some(help) })
    };
    if let Some(arguments) = after.trim_start().strip_prefix('(') {
        let (_, instead) = FUNCTIONS.into_iter().find(|(function, _)| *function == lower)?;
        let arguments = arguments.split(')').next().unwrap_or_default();
        let help = format!("write `{}`", instead.replace("{}", arguments.trim()));
        return wrong(at..at + name.len(), format!("`{name}` isn't a function"), help);
    }
    let before = text.get(..at).unwrap_or_default().trim_end();
    let field = before.rsplit(|letter: char| !is_word(letter) && letter != '.').next().unwrap_or_default();
    let following: Vec<String> = after.split_whitespace().take(2).map(str::to_lowercase).collect();
    let following: Vec<&str> = following.iter().map(String::as_str).collect();
    match (lower.as_str(), following.as_slice()) {
        (_, _) if field.is_empty() => None,
        ("is", ["null", ..]) => {
            wrong(at..at + 2, "`is null` isn't a comparison".to_owned(), format!("write `missing({field})`"))
        }
        ("is", ["not", "null"]) => wrong(
            at..at + 2,
            "`is not null` isn't a comparison".to_owned(),
            format!("write `exists({field})`"),
        ),
        ("like", _) => {
            let help = format!("write `begins_with({field}, 'text')` or `contains({field}, 'text')`");
            wrong(at..at + 4, "`like` isn't a comparison".to_owned(), help)
        }
        ("contains", _) => {
            let help = format!("write `contains({field}, 'value')`");
            wrong(at..at + name.len(), "`contains` is a function".to_owned(), help)
        }
        _ => None,
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '-'
}

/// Returns the word at the beginning of a text; empty if there is none.
fn word(text: &str) -> &str {
    let end = text.find(|letter: char| !is_word(letter)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}
