//! Table descriptions.

use singlet_engine::{
    AttributeDefinition, BillingMode, IndexDefinition, IndexDescription, IndexStatus, KeySchema,
    OnDemandThroughput, ProjectedAttributes, RestoreSummary, ScalarType, TableClass, TableDescription,
    TableStatus, WarmThroughput,
};

use super::JsonWriter;

/// The default warm throughput of an on-demand table or index, as DynamoDB documents it.
const ON_DEMAND_WARM_READ_UNITS: u64 = 12_000;
/// See [`ON_DEMAND_WARM_READ_UNITS`].
const ON_DEMAND_WARM_WRITE_UNITS: u64 = 4_000;

/// Writes a table description.
pub(crate) fn write_table(json: &mut JsonWriter, table: &TableDescription) {
    json.object(|json| {
        // A table that is being deleted is described without its schema.
        let leaving = table.status == TableStatus::Deleting;
        if !leaving {
            write_definitions(json, &table.attributes);
        }
        json.key("TableName").text(&table.name);
        if !leaving {
            write_key_schema(json, &table.key);
        }
        json.key("TableStatus").text(table_status(table.status));
        if !leaving {
            json.key("CreationDateTime").time(table.created_ms);
        }
        write_provisioned(json, table);
        json.key("TableSizeBytes").integer(table.size_bytes);
        json.key("ItemCount").integer(table.item_count);
        json.key("TableArn").text(&table.arn);
        json.key("TableId").text(&table.id);
        write_billing(json, table);
        if !leaving {
            write_local_indexes(json, &table.local_indexes);
            write_global_indexes(json, table);
        }
        write_restore(json, table.restore.as_ref());
        write_settings(json, table);
    });
}

pub(super) fn write_definitions(json: &mut JsonWriter, definitions: &[AttributeDefinition]) {
    json.key("AttributeDefinitions").array(|json| {
        for definition in definitions {
            json.object(|json| {
                json.key("AttributeName").text(&definition.name);
                json.key("AttributeType").text(match definition.scalar {
                    ScalarType::S => "S",
                    ScalarType::N => "N",
                    ScalarType::B => "B",
                });
            });
        }
    });
}

/// Writes the key of a table or index.
pub(crate) fn write_key_schema(json: &mut JsonWriter, key: &KeySchema) {
    let partition = key.partition.iter().map(|name| (name, "HASH"));
    let sort = key.sort.iter().map(|name| (name, "RANGE"));
    json.key("KeySchema").array(|json| {
        for (name, role) in partition.chain(sort) {
            json.object(|json| {
                json.key("AttributeName").text(name);
                json.key("KeyType").text(role);
            });
        }
    });
}

fn write_provisioned(json: &mut JsonWriter, table: &TableDescription) {
    json.key("ProvisionedThroughput").object(|json| {
        if let Some(time) = table.last_increase_ms {
            json.key("LastIncreaseDateTime").time(time);
        }
        if let Some(time) = table.last_decrease_ms {
            json.key("LastDecreaseDateTime").time(time);
        }
        json.key("NumberOfDecreasesToday").integer(table.decreases_today);
        json.key("ReadCapacityUnits").integer(table.provisioned.read_units);
        json.key("WriteCapacityUnits").integer(table.provisioned.write_units);
    });
}

fn write_billing(json: &mut JsonWriter, table: &TableDescription) {
    // A table that has always been provisioned has no summary.
    if table.billing == BillingMode::Provisioned && table.on_demand_since_ms.is_none() {
        return;
    }
    json.key("BillingModeSummary").object(|json| {
        json.key("BillingMode").text(match table.billing {
            BillingMode::Provisioned => "PROVISIONED",
            BillingMode::PayPerRequest => "PAY_PER_REQUEST",
        });
        if let Some(time) = table.on_demand_since_ms {
            json.key("LastUpdateToPayPerRequestDateTime").time(time);
        }
    });
}

fn write_local_indexes(json: &mut JsonWriter, indexes: &[IndexDescription]) {
    if indexes.is_empty() {
        return;
    }
    json.key("LocalSecondaryIndexes").array(|json| {
        for index in indexes {
            json.object(|json| write_index(json, index));
        }
    });
}

fn write_global_indexes(json: &mut JsonWriter, table: &TableDescription) {
    if table.global_indexes.is_empty() {
        return;
    }
    json.key("GlobalSecondaryIndexes").array(|json| {
        for index in &table.global_indexes {
            json.object(|json| {
                write_index(json, index);
                json.key("IndexStatus").text(index_status(index.status));
                if let Some(backfilling) = index.backfilling {
                    json.key("Backfilling").boolean(backfilling);
                }
                let provisioned = index.definition.provisioned.unwrap_or_default();
                json.key("ProvisionedThroughput").object(|json| {
                    json.key("NumberOfDecreasesToday").integer(0);
                    json.key("ReadCapacityUnits").integer(provisioned.read_units);
                    json.key("WriteCapacityUnits").integer(provisioned.write_units);
                });
                write_on_demand(json, index.definition.on_demand);
                let floor = warm_floor(table.billing, provisioned.read_units, provisioned.write_units);
                write_warm(json, index.definition.warm, floor, index_status(index.status));
            });
        }
    });
}

/// The common part of local and global indexes.
fn write_index(json: &mut JsonWriter, index: &IndexDescription) {
    write_definition(json, &index.definition);
    json.key("IndexSizeBytes").integer(index.size_bytes);
    json.key("ItemCount").integer(index.item_count);
    json.key("IndexArn").text(&index.arn);
}

/// Name, key and projection of an index.
pub(super) fn write_definition(json: &mut JsonWriter, index: &IndexDefinition) {
    json.key("IndexName").text(&index.name);
    write_key_schema(json, &index.key);
    json.key("Projection").object(|json| match &index.projection {
        ProjectedAttributes::All => json.key("ProjectionType").text("ALL"),
        ProjectedAttributes::KeysOnly => json.key("ProjectionType").text("KEYS_ONLY"),
        ProjectedAttributes::Include(names) => {
            json.key("ProjectionType").text("INCLUDE");
            json.key("NonKeyAttributes").array(|json| names.iter().for_each(|name| json.text(name)));
        }
    });
}

fn write_restore(json: &mut JsonWriter, restore: Option<&RestoreSummary>) {
    let Some(restore) = restore else {
        return;
    };
    json.key("RestoreSummary").object(|json| {
        if let Some(arn) = &restore.source_backup_arn {
            json.key("SourceBackupArn").text(arn);
        }
        json.key("SourceTableArn").text(&restore.source_table_arn);
        json.key("RestoreDateTime").time(restore.time_ms);
        json.key("RestoreInProgress").boolean(restore.in_progress);
    });
}

fn write_settings(json: &mut JsonWriter, table: &TableDescription) {
    if let Some(class) = table.class {
        json.key("TableClassSummary").object(|json| {
            json.key("TableClass").text(match class {
                TableClass::Standard => "STANDARD",
                TableClass::InfrequentAccess => "STANDARD_INFREQUENT_ACCESS",
            });
        });
    }
    write_encryption(json, table);
    json.key("DeletionProtectionEnabled").boolean(table.deletion_protection);
    if let Some(view) = table.stream {
        json.key("StreamSpecification").object(|json| {
            json.key("StreamEnabled").boolean(true);
            json.key("StreamViewType").text(view.code());
        });
    }
    if let (Some(label), Some(arn)) = (&table.latest_stream_label, table.latest_stream_arn()) {
        json.key("LatestStreamLabel").text(label);
        json.key("LatestStreamArn").text(&arn);
    }
    write_on_demand(json, table.on_demand);
    let floor = warm_floor(table.billing, table.provisioned.read_units, table.provisioned.write_units);
    write_warm(json, table.warm, floor, table_status(table.status));
}

pub(super) fn write_encryption(json: &mut JsonWriter, table: &TableDescription) {
    let Some(key_arn) = &table.key_arn else {
        return;
    };
    json.key("SSEDescription").object(|json| {
        json.key("Status").text("ENABLED");
        json.key("SSEType").text("KMS");
        json.key("KMSMasterKeyArn").text(key_arn);
    });
}

pub(super) fn write_on_demand(json: &mut JsonWriter, ceilings: Option<OnDemandThroughput>) {
    let Some(ceilings) = ceilings else {
        return;
    };
    json.key("OnDemandThroughput").object(|json| {
        json.key("MaxReadRequestUnits").integer(ceilings.read_units_max.unwrap_or(-1));
        json.key("MaxWriteRequestUnits").integer(ceilings.write_units_max.unwrap_or(-1));
    });
}

/// The warm throughput of a table or index that didn't ask for any.
fn warm_floor(billing: BillingMode, read_units: u64, write_units: u64) -> (u64, u64) {
    match billing {
        BillingMode::Provisioned => (read_units, write_units),
        BillingMode::PayPerRequest => (ON_DEMAND_WARM_READ_UNITS, ON_DEMAND_WARM_WRITE_UNITS),
    }
}

fn write_warm(json: &mut JsonWriter, asked: Option<WarmThroughput>, floor: (u64, u64), status: &str) {
    let asked = asked.unwrap_or_default();
    json.key("WarmThroughput").object(|json| {
        json.key("ReadUnitsPerSecond").integer(asked.read_units.unwrap_or(floor.0));
        json.key("WriteUnitsPerSecond").integer(asked.write_units.unwrap_or(floor.1));
        json.key("Status").text(status);
    });
}

fn table_status(status: TableStatus) -> &'static str {
    match status {
        TableStatus::Creating => "CREATING",
        TableStatus::Updating => "UPDATING",
        TableStatus::Deleting => "DELETING",
        TableStatus::Active => "ACTIVE",
    }
}

fn index_status(status: IndexStatus) -> &'static str {
    match status {
        IndexStatus::Creating => "CREATING",
        IndexStatus::Updating => "UPDATING",
        IndexStatus::Deleting => "DELETING",
        IndexStatus::Active => "ACTIVE",
    }
}
