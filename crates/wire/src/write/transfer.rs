//! Descriptions of exports and imports.

use singlet_engine::{
    BillingMode, BucketPlace, ExportDescription, ExportKind, ExportView, ImportCompression,
    ImportDescription, ImportFormat, TableDescription, TransferFailure, TransferStatus,
};

use super::JsonWriter;
use super::table::{write_definition, write_definitions, write_key_schema, write_on_demand};
use crate::choice::{Choice, ExportType};

/// Writes an export.
pub(crate) fn write_export(json: &mut JsonWriter, export: &ExportDescription) {
    json.object(|json| {
        json.key("ExportArn").text(&export.arn);
        json.key("ExportStatus").text(status(export.status));
        json.key("StartTime").time(export.started_ms);
        if let Some(ended_ms) = export.ended_ms {
            json.key("EndTime").time(ended_ms);
        }
        if let Some(written) = &export.written {
            json.key("ExportManifest").text(&written.manifest);
        }
        json.key("TableArn").text(&export.table_arn);
        json.key("TableId").text(&export.table_id);
        if let ExportKind::Full { time_ms: Some(time_ms) } = export.kind {
            json.key("ExportTime").time(time_ms);
        }
        option(json, "ClientToken", export.token.as_deref());
        let BucketPlace { bucket, owner, prefix } = &export.destination;
        json.key("S3Bucket").text(bucket);
        option(json, "S3BucketOwner", owner.as_deref());
        option(json, "S3Prefix", prefix.as_deref());
        option(json, "S3SseAlgorithm", export.encryption.as_deref());
        write_failure(json, export.failure.as_ref());
        json.key("ExportFormat").text("DYNAMODB_JSON");
        if let Some(written) = &export.written {
            json.key("BilledSizeBytes").integer(written.size_bytes);
            json.key("ItemCount").integer(written.items);
        }
        json.key("ExportType").text(export_type(export.kind));
        if let ExportKind::Incremental { from_ms, to_ms, view } = export.kind {
            json.key("IncrementalExportSpecification").object(|json| {
                json.key("ExportFromTime").time(from_ms);
                if let Some(to_ms) = to_ms {
                    json.key("ExportToTime").time(to_ms);
                }
                json.key("ExportViewType").text(word::<ExportView>(view));
            });
        }
    });
}

/// Writes an export as `ListExports` shows it.
pub(crate) fn write_export_summary(json: &mut JsonWriter, export: &ExportDescription) {
    json.object(|json| {
        json.key("ExportArn").text(&export.arn);
        json.key("ExportStatus").text(status(export.status));
        json.key("ExportType").text(export_type(export.kind));
    });
}

fn export_type(kind: ExportKind) -> &'static str {
    word(match kind {
        ExportKind::Full { .. } => ExportType::Full,
        ExportKind::Incremental { .. } => ExportType::Incremental,
    })
}

/// Writes an import.
pub(crate) fn write_import(json: &mut JsonWriter, import: &ImportDescription) {
    json.object(|json| {
        json.key("ImportArn").text(&import.arn);
        json.key("ImportStatus").text(status(import.status));
        json.key("TableArn").text(&import.table.arn);
        json.key("TableId").text(&import.table.id);
        option(json, "ClientToken", import.token.as_deref());
        write_source(json, &import.source);
        json.key("ErrorCount").integer(import.counts.errors);
        json.key("InputFormat").text(format_word(&import.format));
        if let ImportFormat::Csv { delimiter, header } = &import.format {
            write_csv(json, *delimiter, header.as_deref());
        }
        json.key("InputCompressionType").text(word::<ImportCompression>(import.compression));
        json.key("TableCreationParameters").object(|json| write_parameters(json, &import.table));
        json.key("StartTime").time(import.started_ms);
        if let Some(ended_ms) = import.ended_ms {
            json.key("EndTime").time(ended_ms);
        }
        json.key("ProcessedSizeBytes").integer(import.counts.processed_bytes);
        json.key("ProcessedItemCount").integer(import.counts.processed_items);
        json.key("ImportedItemCount").integer(import.counts.imported_items);
        write_failure(json, import.failure.as_ref());
    });
}

/// Writes an import as `ListImports` shows it.
pub(crate) fn write_import_summary(json: &mut JsonWriter, import: &ImportDescription) {
    json.object(|json| {
        json.key("ImportArn").text(&import.arn);
        json.key("ImportStatus").text(status(import.status));
        json.key("TableArn").text(&import.table.arn);
        write_source(json, &import.source);
        json.key("InputFormat").text(format_word(&import.format));
        json.key("StartTime").time(import.started_ms);
        if let Some(ended_ms) = import.ended_ms {
            json.key("EndTime").time(ended_ms);
        }
    });
}

fn write_source(json: &mut JsonWriter, source: &BucketPlace) {
    json.key("S3BucketSource").object(|json| {
        option(json, "S3BucketOwner", source.owner.as_deref());
        json.key("S3Bucket").text(&source.bucket);
        option(json, "S3KeyPrefix", source.prefix.as_deref());
    });
}

fn write_csv(json: &mut JsonWriter, delimiter: Option<u8>, header: Option<&[String]>) {
    if delimiter.is_none() && header.is_none() {
        return;
    }
    json.key("InputFormatOptions").object(|json| {
        json.key("Csv").object(|json| {
            if let Some(delimiter) = delimiter {
                json.key("Delimiter").text(&char::from(delimiter).to_string());
            }
            if let Some(header) = header {
                json.key("HeaderList").array(|json| header.iter().for_each(|name| json.text(name)));
            }
        });
    });
}

fn write_parameters(json: &mut JsonWriter, table: &TableDescription) {
    json.key("TableName").text(&table.name);
    write_definitions(json, &table.attributes);
    write_key_schema(json, &table.key);
    json.key("BillingMode").text(word::<BillingMode>(table.billing));
    let is_provisioned = table.billing == BillingMode::Provisioned;
    if is_provisioned {
        write_units(json, table.provisioned);
    }
    write_on_demand(json, table.on_demand);
    if table.key_arn.is_some() {
        json.key("SSESpecification").object(|json| {
            json.key("Enabled").boolean(true);
            json.key("SSEType").text("KMS");
        });
    }
    if table.global_indexes.is_empty() {
        return;
    }
    json.key("GlobalSecondaryIndexes").array(|json| {
        for index in &table.global_indexes {
            json.object(|json| {
                write_definition(json, &index.definition);
                if is_provisioned {
                    write_units(json, index.definition.provisioned.unwrap_or_default());
                }
                write_on_demand(json, index.definition.on_demand);
            });
        }
    });
}

fn write_units(json: &mut JsonWriter, units: singlet_engine::ProvisionedThroughput) {
    json.key("ProvisionedThroughput").object(|json| {
        json.key("ReadCapacityUnits").integer(units.read_units);
        json.key("WriteCapacityUnits").integer(units.write_units);
    });
}

fn write_failure(json: &mut JsonWriter, failure: Option<&TransferFailure>) {
    if let Some(failure) = failure {
        json.key("FailureCode").text(&failure.code);
        json.key("FailureMessage").text(&failure.message);
    }
}

fn option(json: &mut JsonWriter, name: &'static str, value: Option<&str>) {
    if let Some(value) = value {
        json.key(name).text(value);
    }
}

fn status(status: TransferStatus) -> &'static str {
    match status {
        TransferStatus::InProgress => "IN_PROGRESS",
        TransferStatus::Completed => "COMPLETED",
        TransferStatus::Failed => "FAILED",
    }
}

fn format_word(format: &ImportFormat) -> &'static str {
    match format {
        ImportFormat::DynamoDbJson => "DYNAMODB_JSON",
        ImportFormat::Csv { .. } => "CSV",
    }
}

/// The word of a choice.
fn word<C: Choice + PartialEq>(choice: C) -> &'static str {
    C::WORDS.iter().find(|(_, known)| *known == choice).map_or("", |(word, _)| word)
}
