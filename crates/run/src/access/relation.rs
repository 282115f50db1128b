//! Whether a relation holds: the pattern that decides it finds something.

use singlet_design::{Callers, Json, Who};
use singlet_store::Store;

use super::caller::Caller;
use crate::arguments::{ArgumentList, Arguments};
use crate::call::Paging;
use crate::error::RunError;
use crate::outcome::Outcome;
use crate::runner::Runner;

impl<S: Store> Runner<S> {
    /// Whether a rule about a relation holds for a call.
    pub(super) async fn holds(
        &self,
        (callers, caller): (&Callers, &Caller),
        who: &Who,
        arguments: &dyn ArgumentList,
    ) -> Result<bool, RunError> {
        let Who::Related { relation, with } = who else { return Ok(false) };
        let others = with.iter().filter_map(|(name, source)| {
            arguments.argument(source).map(|value| (name.clone(), value.clone()))
        });
        self.is_related(callers, caller, relation, others.collect()).await
    }

    /// Whether a relation of the caller holds, with these values for the other parameters of its pattern.
    pub(super) async fn is_related(
        &self,
        callers: &Callers,
        caller: &Caller,
        relation: &str,
        mut arguments: Arguments,
    ) -> Result<bool, RunError> {
        let (Some(relation), Some(id)) = (callers.relation(relation), caller.value(callers)) else {
            return Ok(false);
        };
        arguments.insert(relation.caller.clone(), id);
        let paging = Paging { limit: self.is_list(&relation.pattern).then_some(1), cursor: None };
        Ok(match Box::pin(self.run_any(&relation.pattern.name, &arguments, &paging)).await? {
            Outcome::Item(record) => record.is_some(),
            Outcome::Exists(there) => there,
            Outcome::Items { records, .. } => !records.is_empty(),
            _ => false,
        })
    }
}

/// Arguments with some more.
pub(super) fn joined(arguments: &dyn ArgumentList, more: Option<(&str, Json)>) -> Arguments {
    let given = arguments.names().into_iter();
    let mut joined: Arguments = given
        .filter_map(|name| arguments.argument(name).map(|value| (name.to_owned(), value.clone())))
        .collect();
    if let Some((name, value)) = more {
        joined.entry(name.to_owned()).or_insert(value);
    }
    joined
}
