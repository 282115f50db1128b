//! The definition for a table that is restored from another.

use std::collections::BTreeSet;

use super::{Index, IndexState, Table};
use crate::error::{Invalid, Result};
use crate::request::{
    BillingMode, CreateTable, EncryptionRequest, IndexDefinition, ProjectedAttributes, RestoreOverrides,
    TableClass,
};

impl Table {
    /// Returns the definition of a new table for the content of this one. As in DynamoDB, it has the keys, indexes,
    /// capacity, class and encryption of its source. Tags, streams, time to live, recovery, scheduled backups and
    /// deletion protection aren't copied.
    pub(crate) fn definition(&self, name: String, overrides: RestoreOverrides) -> Result<CreateTable> {
        let billing = overrides.billing.unwrap_or(self.settings.billing);
        let provisioned = billing == BillingMode::Provisioned;
        let unchanged = billing == self.settings.billing;
        let global = self.chosen_indexes(false, overrides.global_indexes, "GlobalSecondaryIndexOverride")?;
        let local = self.chosen_indexes(true, overrides.local_indexes, "LocalSecondaryIndexOverride")?;
        let keys = std::iter::once(self.key.schema())
            .chain(global.iter().chain(&local).map(|index| index.key.clone()));
        let used: BTreeSet<String> = keys.flat_map(|key| key.partition.into_iter().chain(key.sort)).collect();
        let attributes = self.attributes.iter().filter(|attribute| used.contains(&attribute.name));
        let settings = &self.settings;
        Ok(CreateTable {
            name,
            attributes: attributes.cloned().collect(),
            key: self.key.schema(),
            local_indexes: local,
            global_indexes: global
                .into_iter()
                .map(|index| IndexDefinition {
                    provisioned: index.provisioned.filter(|_| provisioned),
                    on_demand: index.on_demand.filter(|_| !provisioned),
                    ..index
                })
                .collect(),
            billing,
            provisioned: overrides.provisioned.or((provisioned && unchanged).then_some(settings.provisioned)),
            on_demand: overrides.on_demand.or(settings.on_demand.filter(|_| !provisioned)),
            warm: None,
            class: settings.class.unwrap_or(TableClass::Standard),
            deletion_protection: false,
            encryption: overrides
                .encryption
                .or(settings.encrypted.then_some(EncryptionRequest::On { key: None })),
            stream: None,
            tags: Vec::new(),
            time_to_live: None,
        })
    }

    /// Returns the indexes of one kind that a restored table gets: all that the source has, or the requested ones.
    fn chosen_indexes(
        &self,
        local: bool,
        asked: Option<Vec<IndexDefinition>>,
        parameter: &str,
    ) -> Result<Vec<IndexDefinition>> {
        let there = self
            .indexes
            .iter()
            .filter(|index| index.local == local && index.state != IndexState::Deleting)
            .map(Index::definition);
        let Some(asked) = asked else { return Ok(there.collect()) };
        let there: Vec<_> = there.collect();
        asked
            .into_iter()
            .map(|asked| match there.iter().find(|index| index.name == asked.name) {
                Some(index) if index.key == asked.key && is_same(&index.projection, &asked.projection) => {
                    Ok(IndexDefinition {
                        provisioned: asked.provisioned.or(index.provisioned),
                        on_demand: asked.on_demand.or(index.on_demand),
                        warm: None,
                        ..asked
                    })
                }
                Some(_) => Err(Invalid::Parameter(format!(
                    "{parameter}: index {} has another key or projection in the source",
                    asked.name
                ))
                .into()),
                None => {
                    Err(Invalid::Parameter(format!("{parameter}: the source has no index {}", asked.name))
                        .into())
                }
            })
            .collect()
    }
}

/// Whether two projections have the same attributes, in any order.
fn is_same(left: &ProjectedAttributes, right: &ProjectedAttributes) -> bool {
    match (left, right) {
        (ProjectedAttributes::Include(left), ProjectedAttributes::Include(right)) => {
            left.iter().collect::<BTreeSet<_>>() == right.iter().collect::<BTreeSet<_>>()
        }
        _ => left == right,
    }
}

impl Index {
    /// Returns the definition of the index.
    fn definition(&self) -> IndexDefinition {
        IndexDefinition {
            name: self.name.clone(),
            key: self.key.schema(),
            projection: self.projection.clone(),
            provisioned: self.provisioned,
            on_demand: self.on_demand,
            warm: None,
        }
    }
}
