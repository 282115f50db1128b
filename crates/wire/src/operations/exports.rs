//! `DescribeExport` and `ListExports`.

use serde::Deserialize;
use singlet_engine::{Database, ExportDescription, ListTransfers};

use super::Answer;
use super::transfer_members::{LIMIT, read_arn};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Text, Whole};
use crate::write::{JsonWriter, write_export, write_export_summary};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DescribeExportBody<'a> {
    #[serde(borrow)]
    export_arn: Option<Text<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ListExportsBody<'a> {
    #[serde(borrow)]
    table_arn: Option<Text<'a>>,
    max_results: Option<Whole<false>>,
    #[serde(borrow)]
    next_token: Option<Text<'a>>,
}

/// Serves `DescribeExport`.
pub(crate) fn describe(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let body: DescribeExportBody<'_> = read::body(body)?;
    let mut constraints = Constraints::default();
    let arn = read_arn(&mut constraints, "exportArn", body.export_arn);
    Ok(answer(&database.describe_export(&constraints.take(arn)?)?))
}

/// The answer that describes an export.
pub(super) fn answer(export: &ExportDescription) -> Answer {
    let mut json = JsonWriter::with_capacity(1024);
    json.object(|json| write_export(json.key("ExportDescription"), export));
    Answer::free(json.into_bytes())
}

/// Serves `ListExports`.
pub(crate) fn list(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let body: ListExportsBody<'_> = read::body(body)?;
    let mut constraints = Constraints::default();
    if body.table_arn.is_some() {
        constraints.table_name("tableArn", body.table_arn.as_ref());
    }
    constraints.range("maxResults", body.max_results.map(|limit| limit.0), LIMIT);
    constraints.check()?;
    let request = ListTransfers {
        table_arn: body.table_arn.map(Text::into_string),
        start_after: body.next_token.map(Text::into_string),
        limit: body.max_results.and_then(|limit| usize::try_from(limit.0).ok()),
    };
    let outcome = database.list_exports(&request)?;
    let mut json = JsonWriter::with_capacity(1024);
    json.object(|json| {
        json.key("ExportSummaries").array(|json| {
            outcome.transfers.iter().for_each(|export| write_export_summary(json, export));
        });
        if let Some(last) = &outcome.last {
            json.key("NextToken").text(last);
        }
    });
    Ok(Answer::free(json.into_bytes()))
}
