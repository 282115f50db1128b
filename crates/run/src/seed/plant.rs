//! Sample data into a store.

use singlet_design::Entity;
use singlet_expr::{Condition, Path};
use singlet_store::{Feature, PutItem, ReturnItem, Store, StoreError, TransactAction, TransactWrite};
use singlet_values::Item;

use super::Sample;
use crate::error::RunError;

/// Writes of one transaction; DynamoDB takes 100.
const ACTIONS_MAX: usize = singlet_values::limits::TRANSACTION_ACTIONS_MAX;
/// Bytes of one transaction; DynamoDB takes 4 MB.
const BYTES_MAX: usize = 3_000_000;

/// Writes the samples, in transactions where the store has them, and returns how many there are. `progress` is told how many are
/// written so far. Items that are there already under the same key are replaced; a unique value that
/// another item holds is an error.
pub async fn plant<S: Store>(
    samples: impl Iterator<Item = Result<Sample, RunError>>,
    store: &S,
    environment: &str,
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<u64, RunError> {
    let mut batch = Batch { actions: Vec::new(), bytes: 0, samples: 0 };
    let mut written = 0;
    for sample in samples {
        let sample = sample?;
        let table = sample.entity.table.name_in(environment);
        let actions = actions(&sample, &table);
        let bytes = sample.item.size_bytes();
        if batch.actions.len() + actions.len() > ACTIONS_MAX || batch.bytes + bytes > BYTES_MAX {
            written += batch.write(store).await?;
            progress(written);
        }
        batch.samples += 1;
        batch.bytes += bytes;
        batch.actions.extend(actions);
    }
    written += batch.write(store).await?;
    progress(written);
    Ok(written)
}

struct Batch {
    actions: Vec<TransactAction>,
    bytes: usize,
    samples: u64,
}

impl Batch {
    /// Writes what was gathered and begins again.
    async fn write<S: Store>(&mut self, store: &S) -> Result<u64, RunError> {
        let actions = std::mem::take(&mut self.actions);
        self.bytes = 0;
        if actions.is_empty() {
            return Ok(0);
        }
        if store.supports(Feature::Transactions).await {
            store
                .transact_write(TransactWrite { actions, token: None, yields: false })
                .await
                .map_err(taken)?;
        } else {
            for action in actions {
                if let TransactAction::Put(put) = action {
                    store.put(put).await.map_err(taken)?;
                }
            }
        }
        Ok(std::mem::take(&mut self.samples))
    }
}

fn actions(sample: &Sample, table: &str) -> Vec<TransactAction> {
    let put = |item: &Item, condition: Option<Condition>| {
        TransactAction::Put(PutItem {
            table: table.to_owned(),
            item: item.clone(),
            condition,
            returned: ReturnItem::None,
        })
    };
    let reservations = sample.reservations.iter().map(|item| put(item, Some(free(&sample.entity, item))));
    std::iter::once(put(&sample.item, None)).chain(reservations).collect()
}

/// Nobody holds the value, or this item does already.
fn free(entity: &Entity, reservation: &Item) -> Condition {
    let same = ["holder", "holder_sort"]
        .into_iter()
        .filter_map(|name| Some(Condition::equal(Path::attribute(name), reservation.get(name)?.clone())));
    let free = Condition::missing(Path::attribute(&entity.table.partition.name));
    match Condition::all(same) {
        Some(same) => free.or(same),
        None => free,
    }
}

/// The only conditions are those of reservations.
fn taken(error: StoreError) -> RunError {
    match error {
        StoreError::ConditionFailed { .. } | StoreError::Cancelled { .. } => RunError::Limit(
            "another item holds a unique value of the samples: data that was made with another `--seed` or another \
             `--items` is there. Repeat both options as they were then, or delete the tables with `singlet apply FILE \
             --remove` and apply the design again"
                .to_owned(),
        ),
        other => other.into(),
    }
}
