//! The manifests of an export: its data files, and a summary.

use serde::Serialize;
use singlet_engine::{ExportDescription, ExportKind, ExportView, ExportWritten, iso_time};

/// A data file, as a line of `manifest-files.json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataFile {
    pub(crate) item_count: u64,
    pub(crate) md5_checksum: String,
    pub(crate) etag: String,
    pub(crate) data_file_s3_key: String,
}

/// `manifest-summary.json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary<'a> {
    version: &'static str,
    export_arn: &'a str,
    start_time: String,
    end_time: String,
    table_arn: &'a str,
    table_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    export_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    export_from_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    export_to_time: Option<String>,
    s3_bucket: &'a str,
    s3_prefix: Option<&'a str>,
    s3_sse_algorithm: Option<&'a str>,
    s3_sse_kms_key_id: Option<&'a str>,
    manifest_files_s3_key: &'a str,
    billed_size_bytes: u64,
    item_count: u64,
    output_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_view: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    export_type: Option<&'static str>,
}

/// The text of `manifest-files.json`.
pub(crate) fn files(files: &[DataFile]) -> serde_json::Result<Vec<u8>> {
    let mut text = Vec::new();
    for file in files {
        serde_json::to_writer(&mut text, file)?;
        text.push(b'\n');
    }
    Ok(text)
}

/// The text of `manifest-summary.json`.
pub(crate) fn summary(
    export: &ExportDescription,
    written: &ExportWritten,
    files_key: &str,
    ended_ms: u64,
) -> serde_json::Result<Vec<u8>> {
    let mut summary = Summary {
        version: "2020-06-30",
        export_arn: &export.arn,
        start_time: iso_time(export.started_ms),
        end_time: iso_time(ended_ms),
        table_arn: &export.table_arn,
        table_id: &export.table_id,
        export_time: None,
        export_from_time: None,
        export_to_time: None,
        s3_bucket: &export.destination.bucket,
        s3_prefix: export.destination.prefix.as_deref(),
        s3_sse_algorithm: export.encryption.as_deref(),
        s3_sse_kms_key_id: None,
        manifest_files_s3_key: files_key,
        billed_size_bytes: written.size_bytes,
        item_count: written.items,
        output_format: "DYNAMODB_JSON",
        output_view: None,
        export_type: None,
    };
    match export.kind {
        ExportKind::Full { time_ms } => summary.export_time = time_ms.map(iso_time),
        ExportKind::Incremental { from_ms, to_ms, view } => {
            summary.version = "2023-08-01";
            summary.export_from_time = Some(iso_time(from_ms));
            summary.export_to_time = to_ms.map(iso_time);
            summary.output_view = Some(match view {
                ExportView::NewImage => "NEW_IMAGE",
                ExportView::NewAndOldImages => "NEW_AND_OLD_IMAGES",
            });
            summary.export_type = Some("INCREMENTAL_EXPORT");
        }
    }
    serde_json::to_vec(&summary)
}
