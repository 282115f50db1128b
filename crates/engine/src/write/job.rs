//! The jobs of the single writer.

use std::sync::Arc;

use bytes::Bytes;

use super::backup::{BackupStart, BegunBackup, begin_backup, end_backup, remove_backup, set_schedule};
use super::expire::expire;
use super::load::{Loading, PreparedRow, abandon_load, begin_load, end_load, load_rows};
use super::maintenance::step;
use super::recovery::{forget_deleted, redate_deleted, set_recovery};
use super::schema::{alter_table, create_table, delete_table, set_time_to_live, tag_table, untag_table};
use super::single::{write_batch, write_one};
use super::streams::maintain_streams;
use super::transact::write_transaction;
use super::transfer::{BegunExport, BegunImport, begin_export, begin_import, put_transfer};
use super::{Action, Batch, BatchAnswer, Claim, Growth, Progress, RecordCounts, Reply, Transaction};
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
use crate::store::{Completion, Handler, Store};
use crate::stream::Trim;
use crate::table::{LoadSource, ScheduleSetting};
use crate::turns::NewCommit;

/// One unit of work for the writer. Each is atomic, and its answer is sent when it is durable.
pub(crate) enum Job {
    Write { action: Box<Action>, reply: Reply, answer: Answer<WriteOutcome> },
    WriteBatch { actions: Vec<Action>, collection_metrics: bool, answer: BatchAnswer },
    Transact { transaction: Box<Transaction>, claim: Claim, answer: Answer<TransactWriteOutcome> },
    CreateTable { request: Box<CreateTable>, answer: Answer<TableDescription> },
    AlterTable { request: Box<UpdateTable>, answer: Answer<TableDescription> },
    DeleteTable { name: String, answer: Answer<TableDescription> },
    Tag { name: String, tags: Vec<Tag>, answer: Answer<()> },
    Untag { name: String, keys: Vec<String>, answer: Answer<()> },
    TimeToLive { request: Box<UpdateTimeToLive>, answer: Answer<TimeToLive> },
    Expire { table: u32, expiry_rows: Vec<Bytes>, answer: Answer<u64> },
    Maintain { may_grow: bool, answer: Answer<Progress> },
    BeginLoad { definition: Box<CreateTable>, source: LoadSource, answer: Answer<Loading> },
    Load { table_number: u32, rows: Vec<PreparedRow>, answer: Answer<()> },
    EndLoad { table_number: u32, note: Option<(Bytes, Bytes)>, answer: Answer<TableDescription> },
    AbandonLoad { table_number: u32, answer: Answer<()> },
    BeginBackup { start: BackupStart, answer: Answer<BegunBackup> },
    EndBackup { id: String, answer: Answer<Backup> },
    RemoveBackup { id: String, answer: Answer<Backup> },
    SetRecovery { request: UpdateRecovery, answer: Answer<()> },
    ForgetDeleted { table: u32, answer: Answer<()> },
    RedateDeleted { table: u32, answer: Answer<()> },
    SetSchedule { name: String, schedule: Option<ScheduleSetting>, answer: Answer<()> },
    MaintainStreams { trims: Vec<Trim>, may_delete: bool, answer: Answer<Progress> },
    BeginExport { request: Box<ExportTable>, answer: Answer<BegunExport> },
    BeginImport { request: Box<ImportTable>, answer: Answer<BegunImport> },
    PutTransfer { row: Bytes, value: Bytes, answer: Answer<()> },
    NoteTime { answer: Answer<()> },
}

impl Job {
    /// Hands the job to the writer, unless the disk is too full for what it takes.
    pub(crate) fn submit(self, store: &Store<Catalogue, Job>) -> Result<()> {
        match self.growth() {
            Growth::Nothing => {}
            Growth::Past => store.check_room_for_past()?,
            Growth::Data => store.check_room()?,
        }
        Ok(store.submit(self)?)
    }

    /// What it takes of the disk for good. What ends or undoes something, and what removes, must go on on a full disk.
    fn growth(&self) -> Growth {
        let largest =
            |actions: &[Action]| actions.iter().map(Action::growth).max().unwrap_or(Growth::Nothing);
        match self {
            Job::Write { action, .. } => action.growth(),
            Job::WriteBatch { actions, .. } => largest(actions),
            Job::Transact { transaction, .. } => largest(&transaction.actions),
            Job::CreateTable { .. }
            | Job::AlterTable { .. }
            | Job::Tag { .. }
            | Job::TimeToLive { .. }
            | Job::BeginLoad { .. }
            | Job::Load { .. }
            | Job::BeginBackup { .. }
            | Job::BeginExport { .. }
            | Job::BeginImport { .. } => Growth::Data,
            Job::DeleteTable { .. }
            | Job::Untag { .. }
            // Who expires asks for the tables that need room.
            | Job::Expire { .. }
            // It is told whether it may grow.
            | Job::Maintain { .. }
            | Job::EndLoad { .. }
            | Job::AbandonLoad { .. }
            | Job::EndBackup { .. }
            | Job::RemoveBackup { .. }
            | Job::SetRecovery { .. }
            | Job::ForgetDeleted { .. }
            | Job::RedateDeleted { .. }
            | Job::SetSchedule { .. }
            | Job::MaintainStreams { .. }
            | Job::PutTransfer { .. }
            | Job::NoteTime { .. } => Growth::Nothing,
        }
    }
}

/// Applies jobs on the writer's thread.
#[derive(Debug)]
pub(crate) struct Writer {
    /// The part of a table's ARN in front of its name.
    pub(crate) arn_prefix: String,
    /// How streams are cut into shards.
    pub(crate) streams: StreamOptions,
    /// How many records each shard took.
    pub(crate) counts: RecordCounts,
}

impl Writer {
    /// A writer that has counted nothing yet.
    pub(crate) fn new(arn_prefix: String, streams: StreamOptions) -> Self {
        Writer { arn_prefix, streams, counts: RecordCounts::new(streams.shard_records_max) }
    }
}

impl Handler<Catalogue> for Writer {
    type Job = Job;

    fn apply(&mut self, job: Job, batch: &mut Batch<'_>) -> Completion {
        note_turn(batch);
        let completion = match job {
            Job::Write { action, reply, answer } => {
                run(batch, answer, |batch| write_one(batch, *action, reply))
            }
            Job::WriteBatch { actions, collection_metrics, answer } => {
                write_part(batch, actions, collection_metrics, answer)
            }
            Job::Transact { transaction, claim, answer } => {
                let completion = run(batch, answer, |batch| write_transaction(batch, *transaction));
                // The items stay claimed until the transaction is durable.
                Box::new(move |durable| {
                    drop(claim);
                    completion(durable);
                })
            }
            Job::CreateTable { request, answer } => {
                run(batch, answer, |batch| create_table(batch, *request, &self.arn_prefix, &self.streams))
            }
            Job::AlterTable { request, answer } => {
                run(batch, answer, |batch| alter_table(batch, *request, &self.streams))
            }
            Job::DeleteTable { name, answer } => run(batch, answer, |batch| delete_table(batch, &name)),
            Job::Tag { name, tags, answer } => run(batch, answer, |batch| tag_table(batch, &name, &tags)),
            Job::Untag { name, keys, answer } => run(batch, answer, |batch| untag_table(batch, &name, &keys)),
            Job::TimeToLive { request, answer } => {
                run(batch, answer, |batch| set_time_to_live(batch, *request))
            }
            Job::Expire { table, expiry_rows, answer } => {
                run(batch, answer, |batch| expire(batch, table, expiry_rows))
            }
            Job::Maintain { may_grow, answer } => run(batch, answer, |batch| step(batch, may_grow)),
            Job::BeginLoad { definition, source, answer } => {
                run(batch, answer, |batch| begin_load(batch, *definition, source, &self.arn_prefix))
            }
            Job::Load { table_number, rows, answer } => {
                run(batch, answer, |batch| load_rows(batch, table_number, rows))
            }
            Job::EndLoad { table_number, note, answer } => {
                run(batch, answer, |batch| end_load(batch, table_number, note))
            }
            Job::AbandonLoad { table_number, answer } => {
                run(batch, answer, |batch| abandon_load(batch, table_number))
            }
            Job::BeginBackup { start, answer } => run(batch, answer, |batch| begin_backup(batch, start)),
            Job::EndBackup { id, answer } => run(batch, answer, |batch| end_backup(batch, &id)),
            Job::RemoveBackup { id, answer } => run(batch, answer, |batch| remove_backup(batch, &id)),
            Job::SetRecovery { request, answer } => run(batch, answer, |batch| set_recovery(batch, request)),
            Job::ForgetDeleted { table, answer } => run(batch, answer, |batch| forget_deleted(batch, table)),
            Job::RedateDeleted { table, answer } => run(batch, answer, |batch| redate_deleted(batch, table)),
            Job::SetSchedule { name, schedule, answer } => {
                run(batch, answer, |batch| set_schedule(batch, &name, schedule))
            }
            Job::MaintainStreams { trims, may_delete, answer } => run(batch, answer, |batch| {
                maintain_streams(batch, &trims, may_delete, &mut self.counts, &self.streams)
            }),
            Job::BeginExport { request, answer } => run(batch, answer, |batch| begin_export(batch, *request)),
            Job::BeginImport { request, answer } => {
                run(batch, answer, |batch| begin_import(batch, *request, &self.arn_prefix))
            }
            Job::PutTransfer { row, value, answer } => {
                run(batch, answer, |batch| put_transfer(batch, row, value))
            }
            Job::NoteTime { answer } => run(batch, answer, note_time),
        };
        self.counts.count(batch);
        completion
    }
}

/// Notes where the clock has jumped, or was found earlier at an opening. It is done before the job, which may go by it; a job
/// that is refused takes it back, and the next one does it again.
fn note_turn(batch: &mut Batch<'_>) {
    let (time_ms, before_ms) = (batch.time_ms(), batch.last_time_ms());
    let (sequence, clock, opening) = (batch.sequence(), batch.clock(), batch.opening());
    let commit = NewCommit { sequence, time_ms, before_ms, clock, opening };
    let Some(turns) = batch.attachment().turns().after(commit) else { return };
    batch.put(turns_key(), turns.encode());
    let catalogue = batch.attachment().with_turns(turns);
    batch.set_attachment(Arc::new(catalogue));
}

/// Lets the order of commits know of a jump of the clock, though nothing else is to be written.
fn note_time(batch: &mut Batch<'_>) -> Result<()> {
    let turns = batch.attachment().turns().encode();
    batch.put(turns_key(), turns);
    Ok(())
}

/// Does the work, forgets it if it failed half-way, and answers when the commit is durable. A refusal waits as
/// well: it may rest on a write that is not durable yet.
fn run<'a, T: Send + 'static>(
    batch: &mut Batch<'a>,
    sender: Answer<T>,
    work: impl FnOnce(&mut Batch<'a>) -> Result<T>,
) -> Completion {
    run_and(batch, work, |outcome| answer(sender, outcome))
}

/// The same, with something else to do with the answer.
fn run_and<'a, T: Send + 'static>(
    batch: &mut Batch<'a>,
    work: impl FnOnce(&mut Batch<'a>) -> Result<T>,
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
    batch: &mut Batch<'_>,
    actions: Vec<Action>,
    collection_metrics: bool,
    answer: BatchAnswer,
) -> Completion {
    let work = |batch: &mut Batch<'_>| write_batch(batch, actions, collection_metrics);
    run_and(batch, work, move |outcome| answer.end(1, outcome))
}
