//! Descriptions of tables for users.

use super::{Index, IndexState, LoadSource, Restored, Table};
use crate::request::{
    BillingMode, IndexDefinition, IndexDescription, IndexStatus, ProvisionedThroughput, RestoreSummary,
    TableDescription, TableStatus,
};
use crate::store::Tally;

impl Table {
    /// Describes the table; `tally` gives the size of each of its spaces.
    pub(crate) fn describe(&self, tally: impl Fn(crate::keyspace::RowSpace) -> Tally) -> TableDescription {
        let describe_indexes = |local: bool| {
            let indexes = self.indexes.iter().filter(|index| index.local == local);
            indexes.map(|index| self.describe_index(index, tally(self.entries(index)))).collect()
        };
        let own = tally(self.items());
        let settings = &self.settings;
        TableDescription {
            name: self.name.clone(),
            arn: self.arn.clone(),
            id: self.id.clone(),
            status: self.status(),
            created_ms: self.created_ms,
            attributes: self.attributes.clone(),
            key: self.key.schema(),
            local_indexes: describe_indexes(true),
            global_indexes: describe_indexes(false),
            billing: settings.billing,
            on_demand_since_ms: settings.on_demand_since_ms,
            provisioned: settings.provisioned,
            last_increase_ms: settings.last_increase_ms,
            last_decrease_ms: settings.last_decrease_ms,
            decreases_today: settings.decreases_today,
            on_demand: settings.on_demand,
            warm: settings.warm,
            class: settings.class,
            deletion_protection: settings.deletion_protection,
            key_arn: None,
            stream: settings.stream.as_ref().map(|stream| stream.view),
            latest_stream_label: settings.latest_stream_label.clone(),
            item_count: own.count,
            size_bytes: own.bytes,
            tags: self.tags.clone(),
            time_to_live: self.time_to_live(),
            restore: self.restored.as_ref().and_then(Restored::summary),
        }
    }

    fn status(&self) -> TableStatus {
        if self.is_loading() {
            TableStatus::Creating
        } else if self.indexes.iter().all(|index| index.state == IndexState::Active) {
            TableStatus::Active
        } else {
            TableStatus::Updating
        }
    }

    fn describe_index(&self, index: &Index, tally: Tally) -> IndexDescription {
        let (status, backfilling) = match index.state {
            IndexState::Active if self.is_loading() => (IndexStatus::Creating, None),
            IndexState::Active => (IndexStatus::Active, None),
            IndexState::Creating { .. } => (IndexStatus::Creating, Some(true)),
            IndexState::Deleting => (IndexStatus::Deleting, Some(false)),
        };
        let provisioned = match self.settings.billing {
            BillingMode::Provisioned => index.provisioned,
            BillingMode::PayPerRequest => Some(ProvisionedThroughput::default()),
        };
        IndexDescription {
            definition: IndexDefinition {
                name: index.name.clone(),
                key: index.key.schema(),
                projection: index.projection.clone(),
                provisioned,
                on_demand: index.on_demand,
                warm: index.warm,
            },
            arn: format!("{}/index/{}", self.arn, index.name),
            status,
            backfilling,
            item_count: tally.count,
            size_bytes: tally.bytes,
        }
    }
}

impl Restored {
    /// Describes the source. Imports have their own descriptions.
    fn summary(&self) -> Option<RestoreSummary> {
        let (table_arn, backup_arn, time_ms) = match &self.source {
            LoadSource::Backup { table_arn, backup_arn, time_ms } => (table_arn, Some(backup_arn), *time_ms),
            LoadSource::PointInTime { table_arn, time_ms } => (table_arn, None, *time_ms),
            LoadSource::Import => return None,
        };
        Some(RestoreSummary {
            source_table_arn: table_arn.clone(),
            source_backup_arn: backup_arn.cloned(),
            time_ms,
            in_progress: self.loading,
        })
    }
}
