//! `ImportTable`.

use serde::Deserialize;
use singlet_engine::{BillingMode, CreateTable, Database, ImportCompression, ImportFormat, ImportTable};

use super::Answer;
use super::create_table::{definitions, refuse_unsupported};
use super::imports::answer;
use super::table_members::{
    AskedIndex, AskedUnits, AttributeDefinitionMember, IndexMember, KEY_ELEMENTS, KeyElements,
    KeySchemaElement, OnDemandMember, ProvisionedMember, SseSpecification, read_definitions, read_encryption,
    read_indexes, read_key_elements, read_on_demand, read_provisioned,
};
use super::transfer_members::{BucketPaths, read_place, read_token};
use crate::choice::InputFormat;
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Element, Field, List, Structure, Text};
use crate::text::RequestError;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ImportTableBody<'a> {
    #[serde(borrow)]
    client_token: Option<Text<'a>>,
    #[serde(borrow)]
    s3_bucket_source: Option<Field<Source<'a>>>,
    #[serde(borrow)]
    input_format: Option<Text<'a>>,
    #[serde(borrow)]
    input_format_options: Option<Field<FormatOptions<'a>>>,
    #[serde(borrow)]
    input_compression_type: Option<Text<'a>>,
    #[serde(borrow)]
    table_creation_parameters: Option<Field<Parameters<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Source<'a> {
    #[serde(borrow)]
    s3_bucket_owner: Option<Text<'a>>,
    #[serde(borrow)]
    s3_bucket: Option<Text<'a>>,
    #[serde(borrow)]
    s3_key_prefix: Option<Text<'a>>,
}

impl Structure for Source<'_> {
    const NAME: &'static str = "S3BucketSource";
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct FormatOptions<'a> {
    #[serde(borrow)]
    csv: Option<Field<CsvOptions<'a>>>,
}

impl Structure for FormatOptions<'_> {
    const NAME: &'static str = "InputFormatOptions";
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct CsvOptions<'a> {
    #[serde(borrow)]
    delimiter: Option<Text<'a>>,
    #[serde(borrow)]
    header_list: Option<List<Text<'a>>>,
}

impl Structure for CsvOptions<'_> {
    const NAME: &'static str = "CsvOptions";
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Parameters<'a> {
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
    #[serde(borrow)]
    attribute_definitions: Option<List<Element<AttributeDefinitionMember<'a>>>>,
    #[serde(borrow)]
    key_schema: Option<List<Element<KeySchemaElement<'a>>>>,
    #[serde(borrow)]
    billing_mode: Option<Text<'a>>,
    provisioned_throughput: Option<Field<ProvisionedMember>>,
    on_demand_throughput: Option<Field<OnDemandMember>>,
    #[serde(borrow, rename = "SSESpecification")]
    sse_specification: Option<Field<SseSpecification<'a>>>,
    #[serde(borrow)]
    global_secondary_indexes: Option<List<Element<IndexMember<'a, false>>>>,
}

impl Structure for Parameters<'_> {
    const NAME: &'static str = "TableCreationParameters";
}

const PATHS: BucketPaths = BucketPaths {
    bucket: "s3BucketSource.s3Bucket",
    owner: "s3BucketSource.s3BucketOwner",
    prefix: "s3BucketSource.s3KeyPrefix",
};
const DELIMITERS: &str = ",;:|\t ";
const HEADERS: (usize, usize) = (1, 255);
const HEADER_BYTES: (usize, usize) = (1, 65_536);

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    Ok(answer(&database.submit_import_table(read(body)?).await?))
}

/// Reads the request.
fn read(bytes: &[u8]) -> Result<ImportTable, Failure> {
    let body: ImportTableBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let token = read_token(&mut constraints, body.client_token, bytes);
    let source = constraints.required("s3BucketSource", body.s3_bucket_source);
    let source = source.and_then(|Field(source)| {
        let members = (source.s3_bucket, source.s3_bucket_owner, source.s3_key_prefix);
        read_place(&mut constraints, &PATHS, members)
    });
    let format = constraints.required("inputFormat", body.input_format);
    let format: Option<InputFormat> = constraints.choice("inputFormat", format.as_ref());
    let options = body.input_format_options.and_then(|Field(options)| options.csv);
    let has_options = options.is_some();
    let csv = read_csv(&mut constraints, options);
    let compression: Option<ImportCompression> =
        constraints.choice("inputCompressionType", body.input_compression_type.as_ref());
    let parameters = constraints.required("tableCreationParameters", body.table_creation_parameters);
    let parameters = parameters.and_then(|Field(parameters)| AskedTable::read(&mut constraints, parameters));
    let ((source, format), parameters) = constraints.take(source.zip(format).zip(parameters))?;
    refuse_unsupported(&[("InputFormat ION", format == InputFormat::Ion)])?;
    let format = match format {
        InputFormat::Csv => csv,
        _ if has_options => return Err(RequestError::CsvOptionsForOther.into()),
        InputFormat::DynamoDbJson | InputFormat::Ion => ImportFormat::DynamoDbJson,
    };
    Ok(ImportTable {
        definition: parameters.into_definition()?,
        source,
        format,
        compression: compression.unwrap_or_default(),
        token,
    })
}

fn read_csv(constraints: &mut Constraints, options: Option<Field<CsvOptions<'_>>>) -> ImportFormat {
    let Some(Field(options)) = options else { return ImportFormat::Csv { delimiter: None, header: None } };
    let path = "inputFormatOptions.csv.delimiter";
    let delimiter = options.delimiter.and_then(|text| {
        let text = text.into_string();
        constraints.length(path, text.as_str(), text.chars().count(), (1, 1));
        if text.is_empty() || !text.chars().all(|character| DELIMITERS.contains(character)) {
            constraints.violation(&text, path, "Member must satisfy regular expression pattern: [,;:|\\t ]");
        }
        text.bytes().next()
    });
    let path = "inputFormatOptions.csv.headerList";
    let header = options.header_list.map(|List(names)| {
        constraints.length(path, format_args!("[{} names]", names.len()), names.len(), HEADERS);
        let names = names.into_iter().enumerate().map(|(at, name)| {
            let (name, path) = (name.into_string(), format_args!("{path}.{}.member", at + 1));
            constraints.length(path, name.as_str(), name.len(), HEADER_BYTES);
            if !name.bytes().all(|byte| matches!(byte, 0x20..=0x21 | 0x23..=0x2B | 0x2D..=0x7E)) {
                let pattern = "[\\x20-\\x21\\x23-\\x2B\\x2D-\\x7E]*";
                constraints.violation(
                    &name,
                    path,
                    format_args!("Member must satisfy regular expression pattern: {pattern}"),
                );
            }
            name
        });
        names.collect()
    });
    ImportFormat::Csv { delimiter, header }
}

/// The new table. Its members meet their constraints; contradictions between them aren't checked yet.
struct AskedTable {
    name: String,
    attributes: Vec<singlet_engine::AttributeDefinition>,
    key: KeyElements,
    billing: Option<BillingMode>,
    provisioned: Option<AskedUnits>,
    on_demand: Option<singlet_engine::OnDemandThroughput>,
    encryption: Option<singlet_engine::EncryptionRequest>,
    asks_for_aes: bool,
    global_indexes: Option<Vec<AskedIndex>>,
}

impl AskedTable {
    fn read(constraints: &mut Constraints, members: Parameters<'_>) -> Option<AskedTable> {
        const PATH: &str = "tableCreationParameters";
        let name_path = format_args!("{PATH}.tableName");
        let name = constraints.required(name_path, members.table_name);
        constraints.name(name_path, name.as_ref());
        let attributes =
            constraints.required(format_args!("{PATH}.attributeDefinitions"), members.attribute_definitions);
        let attributes = attributes.and_then(|members| read_definitions(constraints, members));
        let key_path = format_args!("{PATH}.keySchema");
        let key = constraints.required(key_path, members.key_schema);
        let key = key.and_then(|key| read_key_elements(constraints, key_path, key, KEY_ELEMENTS));
        let billing = constraints.choice(format_args!("{PATH}.billingMode"), members.billing_mode.as_ref());
        let provisioned = read_provisioned(
            constraints,
            format_args!("{PATH}.provisionedThroughput"),
            members.provisioned_throughput,
        );
        let global = read_indexes(
            constraints,
            "tableCreationParameters.globalSecondaryIndexes",
            members.global_secondary_indexes,
        );
        let asks_for_aes = members.sse_specification.as_ref().is_some_and(|Field(sse)| sse.asks_for_aes());
        let encryption = read_encryption(constraints, members.sse_specification);
        Some(AskedTable {
            name: name?.into_string(),
            attributes: attributes?,
            key: key?,
            billing,
            provisioned,
            on_demand: read_on_demand(members.on_demand_throughput),
            encryption,
            asks_for_aes,
            global_indexes: global?,
        })
    }

    /// The definition, or the contradiction between its members.
    fn into_definition(self) -> Result<CreateTable, Failure> {
        refuse_unsupported(&[("SSEType AES256", self.asks_for_aes)])?;
        if self.key.len() > self.attributes.len() {
            return Err(RequestError::UndefinedKeys.into());
        }
        Ok(CreateTable {
            name: self.name,
            attributes: self.attributes,
            key: self.key.into_pair()?,
            local_indexes: Vec::new(),
            global_indexes: definitions("GlobalSecondaryIndexes", self.global_indexes)?,
            billing: self.billing.unwrap_or(BillingMode::Provisioned),
            provisioned: self.provisioned.map(AskedUnits::checked).transpose()?,
            on_demand: self.on_demand,
            warm: None,
            class: Default::default(),
            deletion_protection: false,
            encryption: self.encryption,
            stream: None,
            tags: Vec::new(),
            time_to_live: None,
        })
    }
}
