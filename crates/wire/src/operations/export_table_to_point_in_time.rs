//! `ExportTableToPointInTime`.

use serde::Deserialize;
use singlet_engine::{Database, ExportKind, ExportTable, ExportView};

use super::Answer;
use super::create_table::refuse_unsupported;
use super::exports::answer;
use super::transfer_members::{BucketPaths, read_place, read_token};
use crate::choice::{ExportFormat, ExportType, SseType};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Field, Structure, Text, Timestamp};
use crate::table_name::{self, Home};
use crate::text::RequestError;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ExportTableToPointInTimeBody<'a> {
    #[serde(borrow)]
    table_arn: Option<Text<'a>>,
    export_time: Option<Timestamp>,
    #[serde(borrow)]
    client_token: Option<Text<'a>>,
    #[serde(borrow)]
    s3_bucket: Option<Text<'a>>,
    #[serde(borrow)]
    s3_bucket_owner: Option<Text<'a>>,
    #[serde(borrow)]
    s3_prefix: Option<Text<'a>>,
    #[serde(borrow)]
    s3_sse_algorithm: Option<Text<'a>>,
    #[serde(borrow)]
    s3_sse_kms_key_id: Option<Text<'a>>,
    #[serde(borrow)]
    export_format: Option<Text<'a>>,
    #[serde(borrow)]
    export_type: Option<Text<'a>>,
    #[serde(borrow)]
    incremental_export_specification: Option<Field<Incremental<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Incremental<'a> {
    export_from_time: Option<Timestamp>,
    export_to_time: Option<Timestamp>,
    #[serde(borrow)]
    export_view_type: Option<Text<'a>>,
}

impl Structure for Incremental<'_> {
    const NAME: &'static str = "IncrementalExportSpecification";
}

const PATHS: BucketPaths = BucketPaths { bucket: "s3Bucket", owner: "s3BucketOwner", prefix: "s3Prefix" };

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let request = read(body, Home::of(database))?;
    Ok(answer(&database.submit_export_table(request).await?))
}

/// Reads the request.
fn read(bytes: &[u8], home: Home<'_>) -> Result<ExportTable, Failure> {
    let body: ExportTableToPointInTimeBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let table = constraints.table_name("tableArn", body.table_arn.as_ref());
    let place = read_place(&mut constraints, &PATHS, (body.s3_bucket, body.s3_bucket_owner, body.s3_prefix));
    let token = read_token(&mut constraints, body.client_token, bytes);
    let encryption: Option<SseType> = constraints.choice("s3SseAlgorithm", body.s3_sse_algorithm.as_ref());
    let format: Option<ExportFormat> = constraints.choice("exportFormat", body.export_format.as_ref());
    let kind: Option<ExportType> = constraints.choice("exportType", body.export_type.as_ref());
    let incremental = body.incremental_export_specification.map(|Field(members)| {
        let view: Option<ExportView> = constraints
            .choice("incrementalExportSpecification.exportViewType", members.export_view_type.as_ref());
        (members.export_from_time, members.export_to_time, view)
    });
    let (table, destination) = constraints.take(table.zip(place))?;
    refuse_unsupported(&[
        ("ExportFormat ION", format == Some(ExportFormat::Ion)),
        ("S3SseAlgorithm KMS", encryption == Some(SseType::Kms)),
        ("S3SseKmsKeyId", body.s3_sse_kms_key_id.is_some()),
    ])?;
    let table = table_name::parse(table, "tableArn", home)?.name;
    let kind = match (kind.unwrap_or(ExportType::Full), incremental) {
        (ExportType::Full, None) => ExportKind::Full { time_ms: body.export_time.map(|time| time.0) },
        (ExportType::Incremental, Some((Some(from), to, view))) if body.export_time.is_none() => {
            ExportKind::Incremental {
                from_ms: from.0,
                to_ms: to.map(|time| time.0),
                view: view.unwrap_or(ExportView::NewAndOldImages),
            }
        }
        (ExportType::Full, Some(_)) => return Err(RequestError::IncrementalForFull.into()),
        (ExportType::Incremental, _) => return Err(RequestError::IncrementalNeedsTimes.into()),
    };
    Ok(ExportTable {
        table,
        kind,
        destination,
        encryption: encryption.map(|_| "AES256".to_owned()),
        token,
        recovery_required: true,
    })
}
