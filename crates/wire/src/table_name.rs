//! Table names in requests: a name or an ARN.

use std::fmt::Display;

use singlet_engine::Database;

use crate::constraint::{Constraints, NAME_PATTERN, is_name};
use crate::error::Failure;
use crate::read::Text;
use crate::text::RequestError;

const NAME_BYTES_MAX: usize = 255;
const CREATED_NAME_BYTES_MIN: usize = 3;

/// Region and account of this database, which the ARNs of its tables begin with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Home<'a> {
    /// The region.
    pub(crate) region: &'a str,
    /// The account.
    pub(crate) account_id: &'a str,
}

impl<'a> Home<'a> {
    /// Region and account of a database.
    pub(crate) fn of(database: &'a Database) -> Self {
        Home { region: database.region(), account_id: database.account_id() }
    }
}

/// A table in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableName {
    /// Its name.
    pub(crate) name: String,
    /// The ARN, if the request has one instead of a name. Answers repeat it.
    pub(crate) label: Option<String>,
}

impl TableName {
    /// The table as the request wrote it.
    pub(crate) fn as_written(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }
}

/// Reads the table of an operation on items, found at `path`.
pub(crate) fn parse(text: &str, path: impl Display + Copy, home: Home<'_>) -> Result<TableName, Failure> {
    parse_name(text, path, home, 1)
}

/// Reads the table of an operation on tables. It comes before all other members.
pub(crate) fn require(member: Option<&Text<'_>>, home: Home<'_>) -> Result<TableName, Failure> {
    let member = member.ok_or(RequestError::MissingTableName)?;
    let mut constraints = Constraints::default();
    let name = constraints.table_name("tableName", Some(member));
    parse_name(constraints.take(name)?, "tableName", home, CREATED_NAME_BYTES_MIN)
}

fn parse_name(
    text: &str,
    path: impl Display + Copy,
    home: Home<'_>,
    bytes_min: usize,
) -> Result<TableName, Failure> {
    if text.starts_with("arn:") {
        let name = name_in_arn(text, home)?;
        return Ok(TableName { name: name.to_owned(), label: Some(text.to_owned()) });
    }
    // A name is reported with the first rule that it breaks.
    let mut constraints = Constraints::default();
    constraints.length(path, text, text.len(), (bytes_min, NAME_BYTES_MAX));
    constraints.check()?;
    let mut constraints = Constraints::default();
    if !is_name(text) {
        constraints.violation(text, path, NAME_PATTERN);
    }
    constraints.check()?;
    Ok(TableName { name: text.to_owned(), label: None })
}

/// Checks a table of a batch, which is a key of its `RequestItems`. `shown` is the map as the error repeats it.
pub(crate) fn check_map_key(constraints: &mut Constraints, table: &str, shown: impl Display) {
    let is_sound = (CREATED_NAME_BYTES_MIN..=NAME_BYTES_MAX).contains(&table.len()) && is_name(table);
    if !is_sound && !table.starts_with("arn:") {
        let rule = format_args!(
            "Map keys must satisfy constraint: [Member must have length less than or equal to {NAME_BYTES_MAX}, \
             Member must have length greater than or equal to {CREATED_NAME_BYTES_MIN}, {NAME_PATTERN}]"
        );
        constraints.violation(shown, "requestItems", rule);
    }
}

/// The table's name in an ARN. Tables of other regions and accounts don't exist here.
fn name_in_arn<'a>(arn: &'a str, home: Home<'_>) -> Result<&'a str, Failure> {
    let invalid = || RequestError::InvalidArn(arn.to_owned());
    let mut parts = arn.splitn(6, ':');
    let mut part = || parts.next().ok_or_else(invalid);
    let (_arn, partition, service, region, account) = (part()?, part()?, part()?, part()?, part()?);
    let name = part()?.strip_prefix("table/").ok_or_else(invalid)?;
    if !partition.starts_with("aws")
        || service != "dynamodb"
        || name.len() < CREATED_NAME_BYTES_MIN
        || !is_name(name)
    {
        return Err(invalid().into());
    }
    if region != home.region || account != home.account_id {
        return Err(singlet_engine::Error::TableNotFound.into());
    }
    Ok(name)
}

/// Reads the ARN of a table for an operation on its tags.
pub(crate) fn table_in_arn(arn: &str, home: Home<'_>) -> Result<String, Failure> {
    if !arn.starts_with("arn:") {
        return Err(RequestError::NotAnArn(arn.to_owned()).into());
    }
    name_in_arn(arn, home).map(str::to_owned)
}

/// Reads the ARN of a table or of its stream for an operation on its policy. Returns the table's name.
pub(crate) fn resource_in_arn(arn: &str, home: Home<'_>) -> Result<String, Failure> {
    if arn.contains("/index/") {
        return Err(RequestError::IndexArn(arn.to_owned()).into());
    }
    let table = arn.split_once("/stream/").map_or(arn, |(table, _)| table);
    table_in_arn(table, home)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: Home<'_> = Home { region: "eu-central-1", account_id: "000000000000" };

    #[test]
    fn a_name_is_taken_as_it_is() {
        let table = parse("Music.2024_a-b", "tableName", HOME).unwrap();
        assert_eq!(table, TableName { name: "Music.2024_a-b".into(), label: None });
    }

    #[test]
    fn an_arn_of_this_database_names_its_table_and_is_repeated() {
        let arn = "arn:aws:dynamodb:eu-central-1:000000000000:table/Music";
        let table = parse(arn, "tableName", HOME).unwrap();
        assert_eq!((table.name.as_str(), table.as_written()), ("Music", arn));
    }

    #[test]
    fn an_arn_of_another_place_names_nothing_here() {
        for arn in [
            "arn:aws:dynamodb:us-east-1:000000000000:table/Music",
            "arn:aws:dynamodb:eu-central-1:123456789012:table/Music",
        ] {
            assert!(matches!(
                parse(arn, "tableName", HOME),
                Err(Failure::Engine(singlet_engine::Error::TableNotFound))
            ));
        }
    }

    #[test]
    fn what_is_no_table_arn_is_refused() {
        for arn in
            ["arn:", "arn:aws:s3:::bucket", "arn:aws:dynamodb:eu-central-1:000000000000:table/a/index/b"]
        {
            assert!(
                matches!(parse(arn, "tableName", HOME), Err(Failure::Request(RequestError::InvalidArn(_)))),
                "{arn}"
            );
        }
    }

    #[test]
    fn a_name_is_reported_with_the_first_rule_that_it_breaks() {
        let long = "a".repeat(256);
        let cases = [
            ("ab", 3, "Member must have length greater than or equal to 3"),
            (long.as_str(), 1, "Member must have length less than or equal to 255"),
            ("x!", 1, NAME_PATTERN),
        ];
        for (name, bytes_min, rule) in cases {
            let Err(Failure::Constraints(text)) = parse_name(name, "tableName", HOME, bytes_min) else {
                panic!("{name}")
            };
            assert_eq!(
                text,
                format!(
                    "1 validation error detected: Value '{name}' at 'tableName' failed to satisfy constraint: {rule}"
                )
            );
        }
        assert!(parse("ab", "tableName", HOME).is_ok());
        assert!(require(Some(&Text("ab".into())), HOME).is_err());
    }
}
