//! Writes with the caller's conditions.

use singlet_design::{Entity, Operation};
use singlet_run::{Arguments, Outcome, Record, RunError};
use singlet_store::{Clock, Store, StoreError, SystemClock};
use singlet_values::EncodedItem;

use crate::conditional::{CallRecord, Conditional, Conditions, Guard, Known, Matching, Verdict};
use crate::endpoint::Endpoint;
use crate::input::Input;
use crate::live;
use crate::problem::{Problem, ProblemKind};
use crate::service::{Incoming, Service};

/// The outcome of a write, and whether it is that of an earlier call with the same key.
pub(crate) type Once = (Outcome, bool);

impl<S: Store + 'static> Service<S> {
    /// Runs a write under the caller's conditions.
    pub(crate) async fn run_once(
        &self,
        endpoint: &Endpoint,
        conditions: &Conditions,
        request: &Incoming,
        input: &Input,
    ) -> Result<Result<Once, RunError>, Problem> {
        let store = self.runner.store();
        let guard = match &conditions.matching {
            Some(matching) => Some(self.guard(endpoint, matching, &input.arguments).await?),
            None => None,
        };
        let record = conditions.key.as_ref().map(|key| self.record(endpoint, key, request));
        let record = record.as_ref().zip(made(endpoint));
        if let Some((record, entity)) = record {
            self.ledger.prepare(store).await.map_err(|error| unusable(&error))?;
            if let Some(known) = record.find(store).await.map_err(|error| unusable(&error))? {
                return Ok(Ok((repeated(known, entity)?, true)));
            }
        }
        let conditional = Conditional::new(store, guard, record);
        let run = self.runner.on(&conditional);
        let (pattern, caller) = (&endpoint.pattern.name, &request.caller);
        let outcome = run.run_as(caller, pattern, &input.arguments, &input.paging).await;
        match (outcome, conditional.verdict(), record) {
            (Err(_), Some(Verdict::Unmatched), _) => {
                let detail = "the item isn't the one that the header names: read it again";
                Err(Problem::new(ProblemKind::PreconditionFailed, detail))
            }
            (Err(_), Some(Verdict::Repeated), Some((record, entity))) => {
                match record.find(store).await.map_err(|error| unusable(&error))? {
                    Some(known) => Ok(Ok((repeated(known, entity)?, true))),
                    None => Err(Problem::new(ProblemKind::Busy, "the same call ended just then: try again")),
                }
            }
            (outcome, _, _) => Ok(outcome.map(|outcome| (outcome, false))),
        }
    }

    /// The item that a caller requires something of: the one that a get of the same entity reads with these arguments.
    async fn guard<'a>(
        &'a self,
        endpoint: &'a Endpoint,
        matching: &Matching,
        arguments: &Arguments,
    ) -> Result<Guard<'a>, Problem> {
        let unsupported = || {
            let detail = "no call reads the item as a whole, so there is no tag to compare with";
            Problem::new(ProblemKind::UnsupportedHeader, detail)
        };
        let entity = match &endpoint.pattern.operation {
            Operation::Put(insert) => &insert.entity,
            Operation::Update(update) => &update.entity,
            Operation::Delete(delete) => &delete.entity,
            _ => return Err(unsupported()),
        };
        let reads = |other: &&Endpoint| {
            other.tagged().is_some_and(|tagged| tagged.name == entity.name)
                && other.pattern.parameters.iter().all(|needed| arguments.contains_key(&needed.name))
        };
        let reader = self.endpoints.iter().find(reads).ok_or_else(unsupported)?;
        let needed = reader.pattern.parameters.iter();
        let known = needed.filter_map(|one| Some((one.name.clone(), arguments.get(&one.name)?.clone())));
        let known: Arguments = known.collect();
        let (table, key) =
            live::key_of(&self.runner, &reader.pattern.name, &known).await.ok_or_else(unsupported)?;
        Ok(Guard { table, key, entity, matching: matching.clone(), tagger: &self.tagger })
    }

    fn record(&self, endpoint: &Endpoint, key: &str, request: &Incoming) -> CallRecord {
        let design = self.runner.design();
        // A key belongs to its caller. Callers who say nothing about who they are share theirs.
        let caller = request.caller.id().map(|id| format!("={id}")).unwrap_or_default();
        let owner = [&design.name, self.runner.environment(), &caller, &endpoint.pattern.name, key];
        let place = request.uri.to_string();
        CallRecord::new(&owner, &[place.as_bytes(), &request.body], SystemClock.now_ms())
    }
}

/// The entity of the item that a pattern makes.
fn made(endpoint: &Endpoint) -> Option<&Entity> {
    match &endpoint.pattern.operation {
        Operation::Create(insert) => Some(&insert.entity),
        _ => None,
    }
}

/// The outcome of a call that has happened.
fn repeated(known: Known, entity: &Entity) -> Result<Outcome, Problem> {
    match known {
        Known::Same(item) => {
            let entity = std::sync::Arc::new(entity.clone());
            Ok(Outcome::Written(Record::of(entity, EncodedItem::encode(&item))))
        }
        Known::Other => {
            let detail = "this `Idempotency-Key` was used for another request: choose another key";
            Err(Problem::new(ProblemKind::KeyReused, detail))
        }
    }
}

fn unusable(error: &StoreError) -> Problem {
    tracing::warn!(%error, "the records of calls can't be used");
    Problem::new(ProblemKind::Busy, "the database can't be used at the moment")
}
