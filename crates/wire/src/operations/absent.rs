//! Operations on features that this server doesn't have: global tables, resource policies, Kinesis destinations and
//! contributor insights. Tools call them to find out about a table. The answers say that there is nothing, and changes
//! are refused.

use serde::Deserialize;
use serde::de::IgnoredAny;
use singlet_engine::{Database, Error};

use super::Answer;
use super::delete_table::read as read_table;
use crate::choice::InsightsAction;
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Text, Whole};
use crate::table_name::{self, Home, resource_in_arn};
use crate::text::{AbsentError, RequestError};
use crate::write::JsonWriter;

const INSIGHTS_RESULTS: (i64, i64) = (1, 100);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GlobalTableBody<'a> {
    #[serde(borrow)]
    global_table_name: Option<Text<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct PolicyBody<'a> {
    #[serde(borrow)]
    resource_arn: Option<Text<'a>>,
    #[serde(borrow)]
    expected_revision_id: Option<Text<'a>>,
    policy: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DestinationBody<'a> {
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
    #[serde(borrow)]
    stream_arn: Option<Text<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct InsightsBody<'a> {
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
    #[serde(borrow)]
    index_name: Option<Text<'a>>,
    #[serde(borrow)]
    contributor_insights_action: Option<Text<'a>>,
    max_results: Option<Whole<false>>,
}

/// Serves `DescribeGlobalTable`.
pub(crate) fn describe_global_table(body: &[u8]) -> Result<Answer, Failure> {
    Err(AbsentError::GlobalTable(read_global_table(body)?).into())
}

/// Serves `DescribeGlobalTableSettings`.
pub(crate) fn global_table_settings(body: &[u8]) -> Result<Answer, Failure> {
    Err(AbsentError::GlobalTableSettings(read_global_table(body)?).into())
}

/// Serves `CreateGlobalTable` and `UpdateGlobalTable`, which DynamoDB itself no longer supports.
pub(crate) fn change_global_table(body: &[u8]) -> Result<Answer, Failure> {
    read_global_table(body)?;
    Err(RequestError::OldGlobalTables.into())
}

/// Serves `ListGlobalTables`.
pub(crate) fn list_global_tables(body: &[u8]) -> Result<Answer, Failure> {
    read::body::<GlobalTableBody<'_>>(body)?;
    Ok(Answer::free(br#"{"GlobalTables":[]}"#.to_vec()))
}

fn read_global_table(bytes: &[u8]) -> Result<String, Failure> {
    let body: GlobalTableBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let name = constraints.required("globalTableName", body.global_table_name);
    constraints.name("globalTableName", name.as_ref());
    Ok(constraints.take(name)?.into_string())
}

/// Serves `DescribeTableReplicaAutoScaling`. No table has replicas.
pub(crate) fn replica_auto_scaling(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    Err(AbsentError::Replicas(read_table(body, Home::of(database))?).into())
}

/// Serves `GetResourcePolicy`.
pub(crate) fn get_resource_policy(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let (arn, _) = read_policy(database, body)?;
    Err(AbsentError::Policy(arn).into())
}

/// Serves `DeleteResourcePolicy`. Without a policy it succeeds, unless the request expects one.
pub(crate) fn delete_resource_policy(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    match read_policy(database, body)? {
        (arn, true) => Err(AbsentError::Policy(arn).into()),
        (_, false) => Ok(Answer::empty()),
    }
}

/// Serves `PutResourcePolicy`. A policy that nothing enforces would be worse than none.
pub(crate) fn put_resource_policy(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let given = read::body::<PolicyBody<'_>>(body)?.policy;
    let mut constraints = Constraints::default();
    constraints.required("policy", given);
    constraints.check()?;
    read_policy(database, body)?;
    Err(RequestError::Unsupported("ResourcePolicy").into())
}

/// The ARN of a table or a stream that exists, and whether the request expects a revision of its policy.
fn read_policy(database: &Database, bytes: &[u8]) -> Result<(String, bool), Failure> {
    let body: PolicyBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let arn = constraints.required("resourceArn", body.resource_arn);
    let arn = constraints.take(arn)?.into_string();
    let table = resource_in_arn(&arn, Home::of(database))?;
    database.describe_table(&table)?;
    Ok((arn, body.expected_revision_id.is_some()))
}

/// Serves `DescribeKinesisStreamingDestination`.
pub(crate) fn describe_kinesis(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let table = database.describe_table(&read_table(body, Home::of(database))?)?.name;
    let mut json = JsonWriter::with_capacity(128);
    json.object(|json| {
        json.key("KinesisDataStreamDestinations").array(|_| ());
        json.key("TableName").text(&table);
    });
    Ok(Answer::free(json.into_bytes()))
}

/// Serves `EnableKinesisStreamingDestination`.
pub(crate) fn enable_kinesis(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    read_destination(database, body)?;
    Err(RequestError::Unsupported("KinesisStreamingDestination").into())
}

/// Serves `DisableKinesisStreamingDestination`. No destination is active.
pub(crate) fn disable_kinesis(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    read_destination(database, body)?;
    Err(RequestError::DestinationNotActive.into())
}

/// Serves `UpdateKinesisStreamingDestination`. No destination is active.
pub(crate) fn update_kinesis(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let (table, stream) = read_destination(database, body)?;
    Err(RequestError::DestinationNotUpdatable { table, stream }.into())
}

fn read_destination(database: &Database, bytes: &[u8]) -> Result<(String, String), Failure> {
    let body: DestinationBody<'_> = read::body(bytes)?;
    let table = table_name::require(body.table_name.as_ref(), Home::of(database))?.name;
    let mut constraints = Constraints::default();
    let stream = constraints.required("streamArn", body.stream_arn);
    let stream = constraints.take(stream)?.into_string();
    database.describe_table(&table)?;
    Ok((table, stream))
}

/// Serves `DescribeContributorInsights`.
pub(crate) fn describe_insights(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let (table, index, _) = read_insights(database, body)?;
    Ok(disabled(&table, index.as_deref()))
}

/// Serves `UpdateContributorInsights`. They are off already, and can't be turned on.
pub(crate) fn update_insights(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let (table, index, action) = read_insights(database, body)?;
    let mut constraints = Constraints::default();
    match constraints.required("contributorInsightsAction", action) {
        Some(InsightsAction::Enable) => Err(RequestError::Unsupported("ContributorInsights").into()),
        Some(InsightsAction::Disable) => Ok(disabled(&table, index.as_deref())),
        None => constraints.take(None),
    }
}

/// Serves `ListContributorInsights`, which only has tables with insights.
pub(crate) fn list_insights(database: &Database, bytes: &[u8]) -> Result<Answer, Failure> {
    let body: InsightsBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    constraints.range("maxResults", body.max_results.map(|most| most.0), INSIGHTS_RESULTS);
    constraints.check()?;
    if let Some(name) = &body.table_name {
        database.describe_table(&table_name::require(Some(name), Home::of(database))?.name)?;
    }
    Ok(Answer::free(br#"{"ContributorInsightsSummaries":[]}"#.to_vec()))
}

type Insights = (String, Option<String>, Option<InsightsAction>);

fn read_insights(database: &Database, bytes: &[u8]) -> Result<Insights, Failure> {
    let body: InsightsBody<'_> = read::body(bytes)?;
    let name = table_name::require(body.table_name.as_ref(), Home::of(database))?.name;
    let mut constraints = Constraints::default();
    constraints.name("indexName", body.index_name.as_ref());
    let action = constraints
        .choice::<InsightsAction>("contributorInsightsAction", body.contributor_insights_action.as_ref());
    constraints.check()?;
    let table = database.describe_table(&name)?;
    let index = body.index_name.map(Text::into_string);
    if let Some(index) = &index
        && !table.global_indexes.iter().any(|known| known.definition.name == *index)
    {
        return Err(Error::ResourceNotFound(format!("Index: {index} not found for table: {name}")).into());
    }
    Ok((table.name, index, action))
}

fn disabled(table: &str, index: Option<&str>) -> Answer {
    let mut json = JsonWriter::with_capacity(128);
    json.object(|json| {
        json.key("ContributorInsightsStatus").text("DISABLED");
        if let Some(index) = index {
            json.key("IndexName").text(index);
        }
        json.key("TableName").text(table);
    });
    Answer::free(json.into_bytes())
}
