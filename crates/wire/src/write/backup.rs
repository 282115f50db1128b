//! Descriptions of backups.

use singlet_engine::{BackupDescription, BackupStatus, BillingMode, IndexDescription, TableDescription};

use super::JsonWriter;
use super::table::{write_definition, write_encryption, write_key_schema, write_on_demand};

/// Writes DynamoDB's `BackupDetails`.
pub(crate) fn write_backup_details(json: &mut JsonWriter, backup: &BackupDescription) {
    json.object(|json| write_backup(json, backup));
}

/// Writes a backup as `ListBackups` shows it.
pub(crate) fn write_backup_summary(json: &mut JsonWriter, backup: &BackupDescription) {
    json.object(|json| {
        json.key("TableName").text(&backup.source.name);
        json.key("TableId").text(&backup.source.id);
        json.key("TableArn").text(&backup.source.arn);
        write_backup(json, backup);
    });
}

/// Writes a backup with its table.
pub(crate) fn write_backup_description(json: &mut JsonWriter, backup: &BackupDescription) {
    json.object(|json| {
        write_backup_details(json.key("BackupDetails"), backup);
        json.key("SourceTableDetails").object(|json| write_source(json, &backup.source));
        json.key("SourceTableFeatureDetails").object(|json| write_features(json, &backup.source));
    });
}

fn write_backup(json: &mut JsonWriter, backup: &BackupDescription) {
    json.key("BackupArn").text(&backup.arn);
    json.key("BackupName").text(&backup.name);
    json.key("BackupSizeBytes").integer(backup.source.size_bytes);
    json.key("BackupStatus").text(match backup.status {
        BackupStatus::Creating => "CREATING",
        BackupStatus::Available => "AVAILABLE",
        BackupStatus::Deleted => "DELETED",
    });
    // Scheduled backups are user backups, because users set the schedule. Only their expiry date distinguishes them.
    json.key("BackupType").text("USER");
    json.key("BackupCreationDateTime").time(backup.created_ms);
    if let Some(expires_ms) = backup.expires_ms {
        json.key("BackupExpiryDateTime").time(expires_ms);
    }
}

fn write_source(json: &mut JsonWriter, table: &TableDescription) {
    json.key("TableName").text(&table.name);
    json.key("TableId").text(&table.id);
    json.key("TableArn").text(&table.arn);
    json.key("TableSizeBytes").integer(table.size_bytes);
    write_key_schema(json, &table.key);
    json.key("TableCreationDateTime").time(table.created_ms);
    json.key("ProvisionedThroughput").object(|json| {
        json.key("ReadCapacityUnits").integer(table.provisioned.read_units);
        json.key("WriteCapacityUnits").integer(table.provisioned.write_units);
    });
    write_on_demand(json, table.on_demand);
    json.key("ItemCount").integer(table.item_count);
    json.key("BillingMode").text(match table.billing {
        BillingMode::Provisioned => "PROVISIONED",
        BillingMode::PayPerRequest => "PAY_PER_REQUEST",
    });
}

fn write_features(json: &mut JsonWriter, table: &TableDescription) {
    if !table.local_indexes.is_empty() {
        json.key("LocalSecondaryIndexes").array(|json| {
            for index in &table.local_indexes {
                json.object(|json| write_definition(json, &index.definition));
            }
        });
    }
    if !table.global_indexes.is_empty() {
        json.key("GlobalSecondaryIndexes").array(|json| {
            table.global_indexes.iter().for_each(|index| write_global_index(json, index));
        });
    }
    write_settings(json, table);
}

/// The table's stream, expiry and encryption. A restored table doesn't have the first two.
fn write_settings(json: &mut JsonWriter, table: &TableDescription) {
    if let Some(view) = table.stream {
        json.key("StreamDescription").object(|json| {
            json.key("StreamEnabled").boolean(true);
            json.key("StreamViewType").text(view.code());
        });
    }
    if let Some(attribute) = &table.time_to_live.attribute {
        json.key("TimeToLiveDescription").object(|json| {
            json.key("TimeToLiveStatus").text(table.time_to_live.status.code());
            json.key("AttributeName").text(attribute);
        });
    }
    write_encryption(json, table);
}

fn write_global_index(json: &mut JsonWriter, index: &IndexDescription) {
    json.object(|json| {
        write_definition(json, &index.definition);
        let provisioned = index.definition.provisioned.unwrap_or_default();
        json.key("ProvisionedThroughput").object(|json| {
            json.key("ReadCapacityUnits").integer(provisioned.read_units);
            json.key("WriteCapacityUnits").integer(provisioned.write_units);
        });
        write_on_demand(json, index.definition.on_demand);
    });
}
