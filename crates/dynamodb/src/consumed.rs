//! Capacity as the service reports it.

use aws_sdk_dynamodb::types::ConsumedCapacity;
use singlet_store::Consumed;

/// Whether a call read or wrote: services report the sum without saying which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// The accounts of several tables as one. A service that reports nothing has used nothing, as far as it says.
pub(crate) fn consumed<'a>(
    access: Access,
    accounts: impl IntoIterator<Item = &'a ConsumedCapacity>,
) -> Consumed {
    let mut sum = Consumed::default();
    for account in accounts {
        let units = account.capacity_units().unwrap_or_default();
        match access {
            Access::Read => sum.read += units,
            Access::Write => sum.write += units,
        }
        let indexes = [account.local_secondary_indexes(), account.global_secondary_indexes()];
        let mut indexes: Vec<_> = indexes.into_iter().flatten().flatten().collect();
        indexes.sort_by_key(|(name, _)| name.as_str());
        for (name, capacity) in indexes {
            sum.add_index(name, capacity.capacity_units().unwrap_or_default());
        }
    }
    sum
}
