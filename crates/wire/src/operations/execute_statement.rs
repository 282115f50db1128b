//! `ExecuteStatement`.

use serde::Deserialize;
use singlet_engine::{Database, WriteOutcome};
use singlet_partiql::Statement;

use super::{Answer, TableReport};
use crate::choice::ReturnConsumedCapacity;
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Flag, List, SingleValue, Text, Whole};
use crate::room::{self, AnswerRoom};
use crate::statements::{
    NextToken, PageOptions, Prepared, SelectedPage, StatementMember, StatementWrite, check_member,
    fingerprint, parameters, read_page,
};
use crate::text::RequestError;
use crate::write::{JsonWriter, write_attributes, write_item};

const TOKEN_CHARACTERS: (usize, usize) = (1, 32_768);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ExecuteStatementBody<'a> {
    #[serde(borrow)]
    statement: Option<Text<'a>>,
    parameters: Option<List<SingleValue<false>>>,
    consistent_read: Option<Flag>,
    #[serde(borrow)]
    next_token: Option<Text<'a>>,
    #[serde(borrow)]
    return_consumed_capacity: Option<Text<'a>>,
    limit: Option<Whole<false>>,
    #[serde(borrow)]
    return_values_on_condition_check_failure: Option<Text<'a>>,
}

/// A statement, and the data that its answer needs.
struct StatementCall {
    prepared: Prepared,
    options: PageOptions,
    capacity: ReturnConsumedCapacity,
    return_old_on_failure: bool,
    fingerprint: u128,
}

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8], room: &dyn AnswerRoom) -> Result<Answer, Failure> {
    let StatementCall { prepared, options, capacity, return_old_on_failure, fingerprint } =
        read(database, body)?;
    let report = TableReport { capacity, label: prepared.table.label.clone() };
    if let Some(request) = StatementWrite::of(&prepared, return_old_on_failure)? {
        room::for_written_item(room, request.returns_item()).await?;
        let outcome = request.submit(database).outcome().await?;
        return Ok(answer_write(outcome, &report));
    }
    match &prepared.statement {
        Statement::Select(select) => {
            let page = read_page(database, room, &prepared, select, options).await?;
            Ok(answer_page(page, &report, fingerprint))
        }
        _ => Err(RequestError::ExistsOutsideTransaction.into()),
    }
}

/// Reads the request.
fn read(database: &Database, bytes: &[u8]) -> Result<StatementCall, Failure> {
    let body: ExecuteStatementBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let capacity = constraints.choice("returnConsumedCapacity", body.return_consumed_capacity.as_ref());
    let member = StatementMember {
        statement: body.statement,
        parameters: body.parameters,
        consistent_read: body.consistent_read,
        return_values_on_condition_check_failure: body.return_values_on_condition_check_failure,
    };
    check_member(&mut constraints, "", &member);
    constraints.range("limit", body.limit.map(|limit| limit.0), (1, i64::MAX));
    if let Some(token) = body.next_token.as_ref().map(Text::as_str) {
        constraints.length("nextToken", token, token.len(), TOKEN_CHARACTERS);
    }
    constraints.check()?;

    let return_old_on_failure = member.returns_old_on_failure();
    let text = member.statement.as_ref().map_or("", Text::as_str);
    let parameters = parameters(member.parameters)?;
    let fingerprint = fingerprint(text, &parameters);
    let prepared = Prepared::new(database, text, parameters)?;
    let token = body.next_token.as_ref().filter(|_| prepared.statement.is_read());
    let start = token.map(|token| NextToken::read(token.as_str(), fingerprint)).transpose()?;
    let options = PageOptions {
        limit: body.limit.and_then(|limit| usize::try_from(limit.0).ok()),
        consistent: member.consistent_read.is_some_and(|flag| flag.0),
        start: start.unwrap_or_default(),
    };
    Ok(StatementCall {
        prepared,
        options,
        capacity: capacity.unwrap_or_default(),
        return_old_on_failure,
        fingerprint,
    })
}

/// The answer to a `SELECT`.
fn answer_page(page: SelectedPage, report: &TableReport, fingerprint: u128) -> Answer {
    let stored_bytes: usize = page.items.iter().map(|item| item.as_bytes().len()).sum();
    let mut json = JsonWriter::with_capacity(256 + stored_bytes * 2);
    json.object(|json| {
        json.key("Items").array(|json| page.items.iter().for_each(|item| write_item(json, item.view())));
        if let Some(next) = &page.next {
            json.key("NextToken").text(&next.write(fingerprint));
            if let Some(key) = &next.last_key {
                write_attributes(json.key("LastEvaluatedKey"), key);
            }
        }
        report.write(json, &page.consumed);
    });
    Answer::of_table(json.into_bytes(), page.consumed)
}

/// The answer to a write: the attributes that it returns, if there are any, as a list of one.
fn answer_write(outcome: WriteOutcome, report: &TableReport) -> Answer {
    let attributes = outcome.attributes.as_ref().filter(|item| !item.view().is_empty());
    let mut json = JsonWriter::with_capacity(attributes.map_or(64, |item| 256 + item.as_bytes().len() * 2));
    json.object(|json| {
        json.key("Items").array(|json| attributes.into_iter().for_each(|item| write_item(json, item.view())));
        report.write(json, &outcome.consumed);
    });
    Answer::of_table(json.into_bytes(), outcome.consumed)
}
