//! The jobs of the single writer.

use super::maintenance::step;
use super::schema::{alter_table, create_table, delete_table, tag_table, untag_table};
use super::single::{write_batch, write_one};
use super::streams::tend_streams;
use super::transact::write_transaction;
use super::{Action, Batch, Claim, Progress, Reply, Transaction};
use crate::catalogue::Catalogue;
use crate::error::Result;
use crate::options::StreamOptions;
use crate::pending::{Answer, answer};
use crate::request::{
    BatchWriteOutcome, CreateTable, TableDescription, Tag, TransactWriteOutcome, UpdateTable, WriteOutcome,
};
use crate::store::{Completion, Handler};
use crate::stream::{Load, Trim};

/// One unit of work for the writer. Each is atomic, and its answer is sent when it is durable.
pub(crate) enum Job {
    Write { action: Box<Action>, reply: Reply, answer: Answer<WriteOutcome> },
    WriteBatch { actions: Vec<Action>, collection_metrics: bool, answer: Answer<BatchWriteOutcome> },
    Transact { transaction: Box<Transaction>, claim: Claim, answer: Answer<TransactWriteOutcome> },
    CreateTable { request: Box<CreateTable>, answer: Answer<TableDescription> },
    AlterTable { request: Box<UpdateTable>, answer: Answer<TableDescription> },
    DeleteTable { name: String, answer: Answer<TableDescription> },
    Tag { name: String, tags: Vec<Tag>, answer: Answer<()> },
    Untag { name: String, keys: Vec<String>, answer: Answer<()> },
    Maintain { answer: Answer<Progress> },
    TendStreams { trims: Vec<Trim>, answer: Answer<Progress> },
}

/// Applies jobs on the writer's thread.
#[derive(Debug)]
pub(crate) struct Writer {
    /// The part of a table's ARN in front of its name.
    pub(crate) arn_prefix: String,
    /// How streams are cut into shards.
    pub(crate) streams: StreamOptions,
    /// How busy the shards are.
    pub(crate) load: Load,
}

impl Handler<Catalogue> for Writer {
    type Job = Job;

    fn apply(&mut self, job: Job, batch: &mut Batch<'_>) -> Completion {
        let completion = match job {
            Job::Write { action, reply, answer } => {
                run(batch, answer, |batch| write_one(batch, *action, reply))
            }
            Job::WriteBatch { actions, collection_metrics, answer } => {
                run(batch, answer, |batch| write_batch(batch, actions, collection_metrics))
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
            Job::Maintain { answer } => run(batch, answer, step),
            Job::TendStreams { trims, answer } => {
                run(batch, answer, |batch| tend_streams(batch, &trims, &mut self.load, &self.streams))
            }
        };
        self.load.count(batch);
        completion
    }
}

/// Does the work, forgets it if it failed half-way, and answers when the commit is durable. A refusal waits as
/// well: it may rest on a write that is not durable yet.
fn run<'a, T: Send + 'static>(
    batch: &mut Batch<'a>,
    sender: Answer<T>,
    work: impl FnOnce(&mut Batch<'a>) -> Result<T>,
) -> Completion {
    let outcome = work(batch);
    if outcome.is_err() {
        batch.rollback();
    }
    Box::new(move |durable| answer(sender, durable.map_err(Into::into).and(outcome)))
}
