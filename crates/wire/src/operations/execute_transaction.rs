//! `ExecuteTransaction`.

use serde::Deserialize;
use singlet_engine::{
    CancellationReason, Database, Error, TransactAction, TransactGet, TransactGetItem, TransactWrite,
};
use singlet_partiql::{Select, Statement};

use super::transact_get_items::write_responses;
use super::{Answer, TablesReport};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, ContentHash, Element, List, Text};
use crate::room::{self, AnswerRoom};
use crate::statements::{Prepared, StatementMember, StatementWrite, check_member, parameters};
use crate::text::RequestError;
use crate::write::{CapacityReport, JsonWriter, write_capacities};

const STATEMENTS: (usize, usize) = (1, singlet_values::limits::TRANSACTION_ACTIONS_MAX);
const TOKEN_BYTES: (usize, usize) = (1, 36);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ExecuteTransactionBody<'a> {
    #[serde(borrow)]
    transact_statements: Option<List<Element<StatementMember<'a>>>>,
    #[serde(borrow)]
    client_request_token: Option<Text<'a>>,
    #[serde(borrow)]
    return_consumed_capacity: Option<Text<'a>>,
}

/// One statement of the transaction.
enum Part {
    Get(TransactGetItem),
    Action(TransactAction),
}

/// All statements of a transaction, which either read or write.
enum Transaction {
    Reads(TransactGet),
    Writes(TransactWrite),
}

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8], room: &dyn AnswerRoom) -> Result<Answer, Failure> {
    let (transaction, report) = read(database, body)?;
    match transaction {
        Transaction::Reads(request) => {
            room::for_items(room, request.items.len()).await?;
            let outcome = database.transact_get(&request)?;
            Ok(Answer::of_tables(write_responses(&outcome, &report), outcome.consumed))
        }
        Transaction::Writes(request) => {
            let returning = request.actions.iter().filter(|action| action.returns_old_on_failure()).count();
            room::for_reasons(room, returning).await?;
            let inserts: Vec<bool> =
                request.actions.iter().map(|action| matches!(action, TransactAction::Put(_))).collect();
            let outcome = database.submit_transact_write(request).await;
            let outcome = outcome.map_err(|error| with_duplicates(error, &inserts))?;
            let mut json = JsonWriter::with_capacity(256);
            json.object(|json| {
                json.key("Responses").array(|_| ());
                let accounts =
                    outcome.consumed.iter().map(|consumed| (consumed, report.label(&consumed.table)));
                write_capacities(
                    json,
                    CapacityReport { detail: report.capacity, transaction: true },
                    accounts,
                );
            });
            Ok(Answer::of_tables(json.into_bytes(), outcome.consumed))
        }
    }
}

/// The only condition of an `INSERT` is that there is no item yet.
fn with_duplicates(error: Error, inserts: &[bool]) -> Error {
    let Error::TransactionCanceled { mut reasons } = error else { return error };
    for (reason, inserts) in reasons.iter_mut().zip(inserts) {
        if *inserts && matches!(reason, CancellationReason::ConditionFailed { .. }) {
            *reason = CancellationReason::DuplicateItem;
        }
    }
    Error::TransactionCanceled { reasons }
}

/// Reads the request.
fn read(database: &Database, bytes: &[u8]) -> Result<(Transaction, TablesReport), Failure> {
    let body: ExecuteTransactionBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    if let Some(token) = body.client_request_token.as_ref().map(Text::as_str) {
        constraints.length("clientRequestToken", token, token.len(), TOKEN_BYTES);
    }
    let capacity = constraints.choice("returnConsumedCapacity", body.return_consumed_capacity.as_ref());
    let members = constraints.required("transactStatements", body.transact_statements);
    if let Some(List(members)) = &members {
        let shown =
            if members.is_empty() { "[]".to_owned() } else { format!("[{} statements]", members.len()) };
        constraints.length("transactStatements", shown.as_str(), members.len(), STATEMENTS);
        for (at, Element(member)) in members.iter().enumerate() {
            check_member(&mut constraints, format_args!("transactStatements.{}.member.", at + 1), member);
        }
    }
    let List(members) = constraints.take(members)?;

    let (mut items, mut actions) = (Vec::new(), Vec::new());
    let mut tables = Vec::with_capacity(members.len());
    for (at, Element(member)) in members.into_iter().enumerate() {
        let prepared = prepare(database, &member).map_err(|failure| failure.in_statement(at))?;
        match read_part(&prepared, &member).map_err(|failure| failure.in_statement(at))? {
            Part::Get(get) => items.push(get),
            Part::Action(action) => actions.push(action),
        }
        tables.push(prepared.table);
    }
    let transaction = match (items.is_empty(), actions.is_empty()) {
        (false, false) => return Err(RequestError::MixedTransaction.into()),
        (false, true) => Transaction::Reads(TransactGet { items }),
        (true, _) => Transaction::Writes(TransactWrite {
            actions,
            fingerprint: if body.client_request_token.is_some() { fingerprint(bytes) } else { 0 },
            token: body.client_request_token.map(Text::into_string),
            collection_metrics: false,
            yields: false,
        }),
    };
    Ok((transaction, TablesReport { capacity: capacity.unwrap_or_default(), tables }))
}

fn prepare(database: &Database, member: &StatementMember<'_>) -> Result<Prepared, Failure> {
    let text = member.statement.as_ref().map_or("", Text::as_str);
    Prepared::new(database, text, parameters(member.parameters.clone())?)
}

fn read_part(prepared: &Prepared, member: &StatementMember<'_>) -> Result<Part, Failure> {
    let return_old_on_failure = member.returns_old_on_failure();
    if let Some(request) = StatementWrite::of(prepared, return_old_on_failure)? {
        return match request.has_returning() {
            true => Err(RequestError::ReturningInTransaction.into()),
            false => Ok(Part::Action(request.into_action())),
        };
    }
    match &prepared.statement {
        Statement::Exists(select) => read_check(prepared, select, return_old_on_failure),
        Statement::Select(select) => read_get(prepared, select),
        Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) => {
            Err(RequestError::MixedTransaction.into())
        }
    }
}

fn read_get(prepared: &Prepared, select: &Select) -> Result<Part, Failure> {
    if select.source.index.is_some() {
        return Err(RequestError::IndexInTransaction.into());
    }
    let keyed = prepared.single_key(select).filter(|keyed| keyed.rest.is_none());
    let keyed = keyed.ok_or(RequestError::SelectWithoutKey("ExecuteTransaction"))?;
    let table = prepared.table.name.clone();
    Ok(Part::Get(TransactGetItem { table, key: keyed.key, projection: select.projection() }))
}

/// `EXISTS` is false if there is no item, whatever the condition says about missing attributes.
fn read_check(prepared: &Prepared, select: &Select, return_old_on_failure: bool) -> Result<Part, Failure> {
    let keyed = prepared.single_key(select).ok_or(RequestError::ExistsWithoutCondition)?;
    let rest = keyed.rest.ok_or(RequestError::ExistsWithoutCondition)?;
    let condition = prepared.item_exists().and(rest);
    let table = prepared.table.name.clone();
    Ok(Part::Action(TransactAction::Check { table, key: keyed.key, condition, return_old_on_failure }))
}

/// The content that a token identifies: the statements, regardless of white space and the order of members.
fn fingerprint(bytes: &[u8]) -> u128 {
    #[derive(Deserialize)]
    struct Statements {
        #[serde(rename = "TransactStatements")]
        statements: ContentHash,
    }
    let content = read::body::<Statements>(bytes).map(|content| content.statements);
    content.unwrap_or_else(|_| ContentHash::of_bytes(bytes)).0
}
