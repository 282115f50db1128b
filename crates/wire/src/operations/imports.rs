//! `DescribeImport` and `ListImports`.

use serde::Deserialize;
use singlet_engine::{Database, ImportDescription, ListTransfers};

use super::Answer;
use super::transfer_members::{LIMIT, read_arn};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Text, Whole};
use crate::write::{JsonWriter, write_import, write_import_summary};

/// The length of the text in a token of `ListImports`. Clients require at least 112 hexadecimal digits, in groups of
/// 16.
const TOKEN_BYTES_MIN: usize = 56;
const TOKEN_GROUP_BYTES: usize = 8;
const TOKEN_DIGITS: (usize, usize) = (112, 1024);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DescribeImportBody<'a> {
    #[serde(borrow)]
    import_arn: Option<Text<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ListImportsBody<'a> {
    #[serde(borrow)]
    table_arn: Option<Text<'a>>,
    page_size: Option<Whole<false>>,
    #[serde(borrow)]
    next_token: Option<Text<'a>>,
}

/// Serves `DescribeImport`.
pub(crate) fn describe(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let body: DescribeImportBody<'_> = read::body(body)?;
    let mut constraints = Constraints::default();
    let arn = read_arn(&mut constraints, "importArn", body.import_arn);
    Ok(answer(&database.describe_import(&constraints.take(arn)?)?))
}

/// The answer that describes an import.
pub(super) fn answer(import: &ImportDescription) -> Answer {
    let mut json = JsonWriter::with_capacity(1024);
    json.object(|json| write_import(json.key("ImportTableDescription"), import));
    Answer::free(json.into_bytes())
}

/// Serves `ListImports`.
pub(crate) fn list(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let body: ListImportsBody<'_> = read::body(body)?;
    let mut constraints = Constraints::default();
    if body.table_arn.is_some() {
        constraints.table_name("tableArn", body.table_arn.as_ref());
    }
    constraints.range("pageSize", body.page_size.map(|limit| limit.0), LIMIT);
    let start_after = body.next_token.map(|token| {
        let (token, path) = (token.into_string(), "nextToken");
        constraints.length(path, token.as_str(), token.len(), TOKEN_DIGITS);
        let arn = read_token(&token);
        if arn.is_none() {
            constraints.violation(
                &token,
                path,
                "Member must satisfy regular expression pattern: ([0-9a-f]{16})+",
            );
        }
        arn.unwrap_or_default()
    });
    constraints.check()?;
    let request = ListTransfers {
        table_arn: body.table_arn.map(Text::into_string),
        start_after,
        limit: body.page_size.and_then(|limit| usize::try_from(limit.0).ok()),
    };
    let outcome = database.list_imports(&request)?;
    let mut json = JsonWriter::with_capacity(1024);
    json.object(|json| {
        json.key("ImportSummaryList").array(|json| {
            outcome.transfers.iter().for_each(|import| write_import_summary(json, import));
        });
        if let Some(last) = &outcome.last {
            json.key("NextToken").text(&write_token(last));
        }
    });
    Ok(Answer::free(json.into_bytes()))
}

fn write_token(arn: &str) -> String {
    let mut bytes = arn.as_bytes().to_vec();
    bytes.resize(bytes.len().max(TOKEN_BYTES_MIN).next_multiple_of(TOKEN_GROUP_BYTES), 0);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read_token(token: &str) -> Option<String> {
    let digits: Option<Vec<u8>> =
        token.chars().map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2 * TOKEN_GROUP_BYTES))?;
    let bytes = digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect();
    Some(String::from_utf8(bytes).ok()?.trim_end_matches('\0').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_back_and_as_long_as_clients_insist() {
        for arn in ["short", "arn:aws:dynamodb:us-east-1:000000000000:table/x/import/01693685827463-2d8752fd"]
        {
            let token = write_token(arn);
            assert!(token.len() >= 112 && token.len().is_multiple_of(16), "{token}");
            assert_eq!(read_token(&token).as_deref(), Some(arn));
        }
        for wrong in ["x", "ab", "zz00000000000000", "ff00000000000000"] {
            assert_eq!(read_token(wrong), None, "{wrong}");
        }
    }
}
