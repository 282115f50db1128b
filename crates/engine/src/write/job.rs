//! The jobs of the single writer.

use std::sync::Arc;

use bytes::Bytes;

use super::backup::{BackupStart, BegunBackup, begin_backup, end_backup, remove_backup, set_schedule};
use super::load::{Loading, PreparedRow, abandon_load, begin_load, end_load, load_rows};
use super::maintenance::{expire, step};
use super::recovery::{forget_deleted, redate_deleted, set_recovery};
use super::schema::{alter_table, create_table, delete_table, set_time_to_live, tag_table, untag_table};
use super::single::{write_batch, write_one};
use super::streams::maintain_streams;
use super::transact::write_transaction;
use super::transfer::{BegunExport, BegunImport, begin_export, begin_import, put_transfer};
use super::{
    Action, BatchAnswer, Claim, EngineStore, Growth, JobBatch, Progress, RecordCounts, ReturnOptions,
    Transaction,
};
use crate::bookkeeping::Backup;
use crate::catalogue::Catalogue;
use crate::error::Result;
use crate::keyspace::turns_key;
use crate::options::StreamOptions;
use crate::pending::{Answer, answer};
use crate::request::{
    CreateTable, ExportTable, ImportTable, TableDescription, Tag, TimeToLive, TransactWriteOutcome,
    UpdateRecovery, UpdateTable, UpdateTimeToLive, WriteOutcome,
};
use crate::store::{Completion, Handler};
use crate::stream::Trim;
use crate::table::{LoadSource, ScheduleSetting};
use crate::turns::NewCommit;

/// Defines [`Job`] from one table. Each row has a variant with its fields, the disk space that the job takes, and the
/// work that the writer does for it.
macro_rules! jobs {
    (|$handler:ident, $batch:ident| $(
        $name:ident { $($field:ident: $type:ty),* $(,)? } takes $growth:expr => $work:expr;
    )*) => {
        /// One unit of work for the writer. Each job is atomic, and its answer is sent when it is durable.
        pub(crate) enum Job {
            $($name { $($field: $type),* },)*
        }

        impl Job {
            /// The disk space that the job takes permanently. A job that ends, undoes or removes something must run on
            /// a full disk too.
            #[allow(unused_variables, reason = "few jobs look at their fields")]
            fn growth(&self) -> Growth {
                match self {
                    $(Job::$name { $($field),* } => $growth,)*
                }
            }

            /// Does the work on the writer's thread.
            fn run($handler: &mut JobHandler, job: Job, $batch: &mut JobBatch<'_>) -> Completion {
                match job {
                    $(Job::$name { $($field),* } => $work,)*
                }
            }
        }
    };
}

jobs! {
    |handler, batch|

    Write { action: Box<Action>, options: ReturnOptions, answer: Answer<WriteOutcome> }
        takes action.growth()
        => run(batch, answer, |batch| write_one(batch, *action, options));
    WriteBatch { actions: Vec<Action>, collection_metrics: bool, answer: BatchAnswer }
        takes largest(actions)
        => write_part(batch, actions, collection_metrics, answer);
    Transact { transaction: Box<Transaction>, claim: Claim, answer: Answer<TransactWriteOutcome> }
        takes largest(&transaction.actions)
        => {
            let completion = run(batch, answer, |batch| write_transaction(batch, *transaction));
            // The items stay claimed until the transaction is durable.
            Box::new(move |durable| {
                drop(claim);
                completion(durable);
            })
        };

    CreateTable { request: Box<CreateTable>, answer: Answer<TableDescription> }
        takes Growth::Data
        => run(batch, answer, |batch| {
            create_table(batch, *request, &handler.arn_prefix, &handler.streams)
        });
    AlterTable { request: Box<UpdateTable>, answer: Answer<TableDescription> }
        takes Growth::Data
        => run(batch, answer, |batch| alter_table(batch, *request, &handler.streams));
    DeleteTable { name: String, answer: Answer<TableDescription> }
        takes Growth::Nothing
        => run(batch, answer, |batch| delete_table(batch, &name));
    Tag { name: String, tags: Vec<Tag>, answer: Answer<()> }
        takes Growth::Data
        => run(batch, answer, |batch| tag_table(batch, &name, &tags));
    Untag { name: String, keys: Vec<String>, answer: Answer<()> }
        takes Growth::Nothing
        => run(batch, answer, |batch| untag_table(batch, &name, &keys));
    TimeToLive { request: Box<UpdateTimeToLive>, answer: Answer<TimeToLive> }
        takes Growth::Data
        => run(batch, answer, |batch| set_time_to_live(batch, *request));
    SetRecovery { request: UpdateRecovery, answer: Answer<()> }
        takes Growth::Nothing
        => run(batch, answer, |batch| set_recovery(batch, request));
    SetSchedule { name: String, schedule: Option<ScheduleSetting>, answer: Answer<()> }
        takes Growth::Nothing
        => run(batch, answer, |batch| set_schedule(batch, &name, schedule));

    // The expiry thread itself checks for the tables that need space.
    Expire { table: u32, expiry_rows: Vec<Bytes>, answer: Answer<u64> }
        takes Growth::Nothing
        => run(batch, answer, |batch| expire(batch, table, expiry_rows));
    // `may_grow` says whether there is space.
    Maintain { may_grow: bool, answer: Answer<Progress> }
        takes Growth::Nothing
        => run(batch, answer, |batch| step(batch, may_grow));
    MaintainStreams { trims: Vec<Trim>, may_delete: bool, answer: Answer<Progress> }
        takes Growth::Nothing
        => run(batch, answer, |batch| {
            maintain_streams(batch, &trims, may_delete, &mut handler.counts, &handler.streams)
        });
    ForgetDeleted { table: u32, answer: Answer<()> }
        takes Growth::Nothing
        => run(batch, answer, |batch| forget_deleted(batch, table));
    RedateDeleted { table: u32, answer: Answer<()> }
        takes Growth::Nothing
        => run(batch, answer, |batch| redate_deleted(batch, table));
    NoteTime { answer: Answer<()> }
        takes Growth::Nothing
        => run(batch, answer, note_time);

    BeginLoad { definition: Box<CreateTable>, source: LoadSource, answer: Answer<Loading> }
        takes Growth::Data
        => run(batch, answer, |batch| begin_load(batch, *definition, source, &handler.arn_prefix));
    Load { table_number: u32, rows: Vec<PreparedRow>, answer: Answer<()> }
        takes Growth::Data
        => run(batch, answer, |batch| load_rows(batch, table_number, rows));
    EndLoad { table_number: u32, note: Option<(Bytes, Bytes)>, answer: Answer<TableDescription> }
        takes Growth::Nothing
        => run(batch, answer, |batch| end_load(batch, table_number, note));
    AbandonLoad { table_number: u32, answer: Answer<()> }
        takes Growth::Nothing
        => run(batch, answer, |batch| abandon_load(batch, table_number));

    BeginBackup { start: BackupStart, answer: Answer<BegunBackup> }
        takes Growth::Data
        => run(batch, answer, |batch| begin_backup(batch, start));
    EndBackup { id: String, answer: Answer<Backup> }
        takes Growth::Nothing
        => run(batch, answer, |batch| end_backup(batch, &id));
    RemoveBackup { id: String, answer: Answer<Backup> }
        takes Growth::Nothing
        => run(batch, answer, |batch| remove_backup(batch, &id));

    BeginExport { request: Box<ExportTable>, answer: Answer<BegunExport> }
        takes Growth::Data
        => run(batch, answer, |batch| begin_export(batch, *request));
    BeginImport { request: Box<ImportTable>, answer: Answer<BegunImport> }
        takes Growth::Data
        => run(batch, answer, |batch| begin_import(batch, *request, &handler.arn_prefix));
    PutTransfer { row: Bytes, value: Bytes, answer: Answer<()> }
        takes Growth::Nothing
        => run(batch, answer, |batch| put_transfer(batch, row, value));
}

impl Job {
    /// Submits the job to the writer, unless the disk is too full for it.
    pub(crate) fn submit(self, store: &EngineStore) -> Result<()> {
        match self.growth() {
            Growth::Nothing => {}
            Growth::Past => store.check_room_for_past()?,
            Growth::Data => store.check_room()?,
        }
        Ok(store.submit(self)?)
    }
}

/// The largest growth among the actions of a job.
fn largest(actions: &[Action]) -> Growth {
    actions.iter().map(Action::growth).max().unwrap_or(Growth::Nothing)
}

/// Applies jobs on the writer's thread.
#[derive(Debug)]
pub(crate) struct JobHandler {
    /// The part of a table's ARN before its name.
    pub(crate) arn_prefix: String,
    /// How streams are divided into shards.
    pub(crate) streams: StreamOptions,
    /// How many records each shard has received.
    pub(crate) counts: RecordCounts,
}

impl JobHandler {
    /// Creates a handler that has counted no records yet.
    pub(crate) fn new(arn_prefix: String, streams: StreamOptions) -> Self {
        JobHandler { arn_prefix, streams, counts: RecordCounts::new(streams.shard_records_max) }
    }
}

impl Handler<Catalogue> for JobHandler {
    type Job = Job;

    fn apply(&mut self, job: Job, batch: &mut JobBatch<'_>) -> Completion {
        note_turn(batch);
        let completion = Job::run(self, job, batch);
        self.counts.count(batch);
        completion
    }
}

/// Records that the clock has jumped, or was behind at an opening. It happens before the job, which may depend on it.
/// If the job is refused, this is rolled back too, and the next job repeats it.
fn note_turn(batch: &mut JobBatch<'_>) {
    let (time_ms, before_ms) = (batch.time_ms(), batch.last_time_ms());
    let (sequence, clock, opening) = (batch.sequence(), batch.clock(), batch.opening());
    let commit = NewCommit { sequence, time_ms, before_ms, clock, opening };
    let Some(turns) = batch.catalogue().turns().after(commit) else { return };
    batch.put(turns_key(), turns.encode());
    let catalogue = batch.catalogue().with_turns(turns);
    batch.set_catalogue(Arc::new(catalogue));
}

/// Records a jump of the clock in the commit order without any other change.
fn note_time(batch: &mut JobBatch<'_>) -> Result<()> {
    let turns = batch.catalogue().turns().encode();
    batch.put(turns_key(), turns);
    Ok(())
}

/// Does the work, rolls it back if it fails, and answers when the commit is durable. A refusal waits too, because it
/// may depend on a write that isn't durable yet.
fn run<'a, T: Send + 'static>(
    batch: &mut JobBatch<'a>,
    sender: Answer<T>,
    work: impl FnOnce(&mut JobBatch<'a>) -> Result<T>,
) -> Completion {
    run_and(batch, work, |outcome| answer(sender, outcome))
}

/// Does the same, with a function that receives the result.
fn run_and<'a, T: Send + 'static>(
    batch: &mut JobBatch<'a>,
    work: impl FnOnce(&mut JobBatch<'a>) -> Result<T>,
    then: impl FnOnce(Result<T>) + Send + 'static,
) -> Completion {
    let outcome = work(batch);
    if outcome.is_err() {
        batch.rollback();
    }
    Box::new(move |durable| then(durable.map_err(Into::into).and(outcome)))
}

/// Writes a batch, or a part of one.
fn write_part(
    batch: &mut JobBatch<'_>,
    actions: Vec<Action>,
    collection_metrics: bool,
    answer: BatchAnswer,
) -> Completion {
    let work = |batch: &mut JobBatch<'_>| write_batch(batch, actions, collection_metrics);
    run_and(batch, work, move |outcome| answer.end(1, outcome))
}
