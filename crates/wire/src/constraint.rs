//! The constraints of the service model: the rules for each single member, checked before anything is looked up.
//!
//! Violations are collected and reported together, as DynamoDB does.

use std::fmt::{Display, Write as _};

use crate::choice::Choice;
use crate::error::Failure;
use crate::read::Text;

/// The maximum number of violations in one answer. DynamoDB stops there.
const VIOLATIONS_MAX: usize = 10;

/// The length of a table's name or ARN, in bytes.
const ARN_BYTES: (usize, usize) = (1, 1024);

/// The violations found so far.
#[derive(Debug, Default)]
pub(crate) struct Constraints {
    text: String,
    count: usize,
}

impl Constraints {
    /// Returns an error if there are violations.
    pub(crate) fn check(self) -> Result<(), Failure> {
        self.take(Some(()))
    }

    /// Returns an error if there are violations. Otherwise every required member is present.
    pub(crate) fn take<T>(self, members: Option<T>) -> Result<T, Failure> {
        match members {
            Some(members) if self.count == 0 => Ok(members),
            _ => {
                let (count, plural) = (self.count, if self.count == 1 { "" } else { "s" });
                Err(Failure::Constraints(format!("{count} validation error{plural} detected: {}", self.text)))
            }
        }
    }

    /// Adds a violation: the value at `path` breaks a rule.
    pub(crate) fn violation(&mut self, value: impl Display, path: impl Display, rule: impl Display) {
        self.note(format_args!("Value '{value}'"), path, rule);
    }

    /// Adds a violation in the form of newer parts of DynamoDB, which doesn't repeat the value.
    pub(crate) fn silent_violation(&mut self, path: impl Display, rule: impl Display) {
        self.note("Value", path, rule);
    }

    fn note(&mut self, value: impl Display, path: impl Display, rule: impl Display) {
        if self.count == VIOLATIONS_MAX {
            return;
        }
        let separator = if self.count == 0 { "" } else { "; " };
        self.count += 1;
        // Writing to a string can't fail.
        let _ = write!(self.text, "{separator}{value} at '{path}' failed to satisfy constraint: {rule}");
    }

    /// Checks a required member.
    pub(crate) fn required<T>(&mut self, path: impl Display, member: Option<T>) -> Option<T> {
        if member.is_none() {
            self.note("Value null", path, "Member must not be null");
        }
        member
    }

    /// Checks a member with a fixed list of values.
    pub(crate) fn choice<C: Choice>(&mut self, path: impl Display, member: Option<&Text<'_>>) -> Option<C> {
        let word = member?.as_str();
        let choice = C::named(word);
        if choice.is_none() {
            let words: Vec<&str> = C::WORDS.iter().map(|(known, _)| *known).collect();
            self.violation(
                word,
                path,
                format_args!("Member must satisfy enum value set: [{}]", words.join(", ")),
            );
        }
        choice
    }

    /// Checks the length of a member. `shown` is the value as the error repeats it.
    pub(crate) fn length(
        &mut self,
        path: impl Display + Copy,
        shown: impl Display + Copy,
        length: usize,
        bounds: (usize, usize),
    ) {
        if length < bounds.0 {
            self.violation(
                shown,
                path,
                format_args!("Member must have length greater than or equal to {}", bounds.0),
            );
        }
        if length > bounds.1 {
            self.violation(
                shown,
                path,
                format_args!("Member must have length less than or equal to {}", bounds.1),
            );
        }
    }

    /// Checks the length of a member, and reports it in the form that doesn't repeat the value.
    pub(crate) fn silent_length(&mut self, path: impl Display + Copy, length: usize, bounds: (usize, usize)) {
        if length < bounds.0 {
            self.silent_violation(
                path,
                format_args!("Member must have length greater than or equal to {}", bounds.0),
            );
        }
        if length > bounds.1 {
            self.silent_violation(
                path,
                format_args!("Member must have length less than or equal to {}", bounds.1),
            );
        }
    }

    /// Checks the range of a number.
    pub(crate) fn range(&mut self, path: impl Display + Copy, member: Option<i64>, bounds: (i64, i64)) {
        let Some(number) = member else {
            return;
        };
        if number < bounds.0 {
            self.violation(
                number,
                path,
                format_args!("Member must have value greater than or equal to {}", bounds.0),
            );
        }
        if number > bounds.1 {
            self.violation(
                number,
                path,
                format_args!("Member must have value less than or equal to {}", bounds.1),
            );
        }
    }

    /// Checks a table's name or ARN, which is required. `table_name` decides whether it names a table.
    pub(crate) fn table_name<'t>(
        &mut self,
        path: impl Display + Copy,
        member: Option<&'t Text<'_>>,
    ) -> Option<&'t str> {
        let name = self.required(path, member)?.as_str();
        self.length(path, name, name.len(), ARN_BYTES);
        Some(name)
    }

    /// Checks the name of an index, or of a table where an ARN isn't allowed.
    pub(crate) fn name(&mut self, path: impl Display + Copy, member: Option<&Text<'_>>) {
        let Some(name) = member.map(Text::as_str) else {
            return;
        };
        if !is_name(name) {
            self.violation(name, path, NAME_PATTERN);
        }
        self.length(path, name, name.len(), (3, 255));
    }
}

/// The rule for names of tables and indexes.
pub(crate) const NAME_PATTERN: &str = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+";

/// Whether a string matches [`NAME_PATTERN`].
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::ReturnConsumedCapacity;

    fn text(constraints: Constraints) -> String {
        match constraints.check() {
            Err(Failure::Constraints(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn violations_are_listed_together_with_their_count() {
        let mut constraints = Constraints::default();
        assert_eq!(constraints.required("key", None::<()>), None);
        let choice =
            constraints.choice::<ReturnConsumedCapacity>("returnConsumedCapacity", Some(&Text("hi".into())));
        assert_eq!(choice, None);
        assert_eq!(
            text(constraints),
            "2 validation errors detected: \
             Value null at 'key' failed to satisfy constraint: Member must not be null; \
             Value 'hi' at 'returnConsumedCapacity' failed to satisfy constraint: \
             Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
        );
    }

    #[test]
    fn no_more_than_ten_violations_are_listed() {
        let mut constraints = Constraints::default();
        for _ in 0..100 {
            constraints.range("limit", Some(0), (1, 10));
        }
        assert!(text(constraints).starts_with("10 validation errors detected: "));
    }

    #[test]
    fn what_is_within_its_bounds_is_no_violation() {
        let mut constraints = Constraints::default();
        constraints.range("limit", Some(1), (1, 10));
        constraints.range("limit", None, (1, 10));
        constraints.length("list", "[]", 3, (3, 3));
        constraints.name("indexName", Some(&Text("a-Z.0_9".into())));
        assert!(constraints.check().is_ok());
    }
}
