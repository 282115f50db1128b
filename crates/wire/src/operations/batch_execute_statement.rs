//! `BatchExecuteStatement`.

use serde::Deserialize;
use singlet_engine::{Consumed, Database, GetItem};
use singlet_partiql::Statement;
use singlet_values::{EncodedItem, Item};

use super::Answer;
use crate::choice::ReturnConsumedCapacity;
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Element, List, Text};
use crate::room::{self, AnswerRoom};
use crate::statements::{Prepared, StatementMember, StatementWrite, Submitted, check_member, parameters};
use crate::text::RequestError;
use crate::write::{CapacityReport, JsonWriter, write_capacities, write_item};

const STATEMENTS: (usize, usize) = (1, 25);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct BatchExecuteStatementBody<'a> {
    #[serde(borrow)]
    statements: Option<List<Element<StatementMember<'a>>>>,
    #[serde(borrow)]
    return_consumed_capacity: Option<Text<'a>>,
}

/// One statement of the batch: a read or a write of one item.
struct Task {
    prepared: Prepared,
    work: Work,
}

enum Work {
    Get(GetItem),
    Write(StatementWrite),
}

/// The outcome of one statement.
struct Response {
    /// The table as the statement wrote it, unless the statement was refused before it ran.
    table: Option<String>,
    outcome: Result<(Option<EncodedItem>, Consumed), Failure>,
}

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8], room: &dyn AnswerRoom) -> Result<Answer, Failure> {
    let (tasks, capacity) = read(database, body)?;
    let returning = tasks.iter().flatten().filter(|task| task.work.returns_item()).count();
    room::for_items(room, returning).await?;
    let mut running = Vec::with_capacity(tasks.len());
    for task in tasks {
        running.push(task.map(|task| task.start(database)));
    }
    let mut responses = Vec::with_capacity(running.len());
    for task in running {
        responses.push(match task {
            Ok((table, started)) => Response { table: Some(table), outcome: started.outcome().await },
            Err(failure) => Response { table: None, outcome: Err(failure) },
        });
    }
    Ok(answer(responses, capacity))
}

/// Reads the request. A statement that is wrong doesn't keep the others from running.
fn read(
    database: &Database,
    bytes: &[u8],
) -> Result<(Vec<Result<Task, Failure>>, ReturnConsumedCapacity), Failure> {
    let body: BatchExecuteStatementBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let capacity = constraints.choice("returnConsumedCapacity", body.return_consumed_capacity.as_ref());
    let members = constraints.required("statements", body.statements);
    if let Some(List(members)) = &members {
        let shown =
            if members.is_empty() { "[]".to_owned() } else { format!("[{} statements]", members.len()) };
        constraints.length("statements", shown.as_str(), members.len(), STATEMENTS);
        for (at, Element(member)) in members.iter().enumerate() {
            check_member(&mut constraints, format_args!("statements.{}.member.", at + 1), member);
        }
    }
    let List(members) = constraints.take(members)?;
    let tasks: Vec<_> = members.into_iter().map(|Element(member)| read_task(database, member)).collect();
    check_together(&tasks)?;
    Ok((tasks, capacity.unwrap_or_default()))
}

fn read_task(database: &Database, member: StatementMember<'_>) -> Result<Task, Failure> {
    let return_old_on_failure = member.returns_old_on_failure();
    let consistent = member.consistent_read.is_some_and(|flag| flag.0);
    let text = member.statement.as_ref().map_or("", Text::as_str);
    let prepared = Prepared::new(database, text, parameters(member.parameters)?)?;
    if let Some(request) = StatementWrite::of(&prepared, return_old_on_failure)? {
        return Ok(Task { prepared, work: Work::Write(request) });
    }
    let Statement::Select(select) = &prepared.statement else {
        return Err(RequestError::ExistsOutsideTransaction.into());
    };
    let keyed = prepared.single_key(select).filter(|keyed| keyed.rest.is_none());
    let keyed = keyed.ok_or(RequestError::SelectWithoutKey("BatchExecuteStatement"))?;
    let table = prepared.table.name.clone();
    let get = GetItem { table, key: keyed.key, consistent, projection: select.projection() };
    Ok(Task { prepared, work: Work::Get(get) })
}

/// A batch has either reads or writes, each of another item.
fn check_together(tasks: &[Result<Task, Failure>]) -> Result<(), RequestError> {
    let reads = |task: &Task| matches!(task.work, Work::Get(_));
    let tasks: Vec<&Task> = tasks.iter().flatten().collect();
    if tasks.iter().any(|task| reads(task)) && !tasks.iter().all(|task| reads(task)) {
        return Err(RequestError::MixedBatch);
    }
    let subjects: Vec<(&str, Item)> = tasks.iter().map(|task| task.subject()).collect();
    let is_repeated = |(at, subject)| subjects.iter().take(at).any(|earlier| earlier == subject);
    if subjects.iter().enumerate().any(is_repeated) { Err(RequestError::DuplicateKeys) } else { Ok(()) }
}

impl Task {
    /// The table and the key of the statement's item.
    fn subject(&self) -> (&str, Item) {
        let item = match &self.work {
            Work::Get(get) => &get.key,
            Work::Write(request) => request.subject(),
        };
        (&self.prepared.table.name, self.prepared.key_of(item))
    }

    /// Hands the statement to the engine.
    fn start(self, database: &Database) -> (String, Started) {
        let table = self.prepared.table.as_written().to_owned();
        match self.work {
            Work::Get(get) => {
                let outcome = database.get_item(&get).map(|outcome| (outcome.item, outcome.consumed));
                (table, Started::Read(outcome.map_err(Failure::from)))
            }
            Work::Write(request) => (table, Started::Write(request.submit(database))),
        }
    }
}

impl Work {
    fn returns_item(&self) -> bool {
        match self {
            Work::Get(_) => true,
            Work::Write(request) => request.returns_item(),
        }
    }
}

/// A statement that the engine has received.
enum Started {
    Read(Result<(Option<EncodedItem>, Consumed), Failure>),
    Write(Submitted),
}

impl Started {
    async fn outcome(self) -> Result<(Option<EncodedItem>, Consumed), Failure> {
        match self {
            Started::Read(outcome) => outcome,
            Started::Write(submitted) => {
                let outcome = submitted.outcome().await?;
                let item = outcome.attributes.filter(|item| !item.view().is_empty());
                Ok((item, outcome.consumed))
            }
        }
    }
}

fn answer(responses: Vec<Response>, capacity: ReturnConsumedCapacity) -> Answer {
    let mut json = JsonWriter::with_capacity(1024);
    json.object(|json| {
        json.key("Responses").array(|json| responses.iter().for_each(|response| response.write(json)));
        let ran = responses.iter().filter_map(|response| {
            let (_, consumed) = response.outcome.as_ref().ok()?;
            Some((consumed, response.table.as_deref()))
        });
        write_capacities(json, CapacityReport { detail: capacity, transaction: false }, ran);
    });
    let consumed = responses.into_iter().filter_map(|response| response.outcome.ok());
    Answer::of_tables(json.into_bytes(), consumed.map(|(_, consumed)| consumed).collect())
}

impl Response {
    fn write(&self, json: &mut JsonWriter) {
        json.object(|json| {
            match &self.outcome {
                Ok((Some(item), _)) => write_item(json.key("Item"), item.view()),
                Ok((None, _)) => {}
                Err(failure) => json.key("Error").object(|json| failure.write_batch_error(json)),
            }
            if let Some(table) = &self.table {
                json.key("TableName").text(table);
            }
        });
    }
}
