//! `TagResource`, `UntagResource` and `ListTagsOfResource`.

use serde::Deserialize;
use singlet_engine::{Database, Error, Tag};

use super::Answer;
use super::table_members::{TagMember, check_tags, read_tags};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Element, List, Text};
use crate::table_name::{Home, table_in_arn};
use crate::text::RequestError;
use crate::write::JsonWriter;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TagsBody<'a> {
    #[serde(borrow)]
    resource_arn: Option<Text<'a>>,
    #[serde(borrow)]
    tags: Option<List<Element<TagMember<'a>>>>,
    #[serde(borrow)]
    tag_keys: Option<List<Text<'a>>>,
}

/// Serves `TagResource`. Like DynamoDB, it answers without a body.
pub(crate) async fn tag(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let (arn, tags) = read_tag(body, Home::of(database))?;
    let tagged = database.submit_tag_resource(&arn, tags).await;
    tagged.map(|()| Answer::free(Vec::new())).map_err(|error| unfound(&arn, error.into()))
}

/// Serves `UntagResource`. Like DynamoDB, it answers without a body.
pub(crate) async fn untag(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let (arn, keys) = read_untag(body, Home::of(database))?;
    let untagged = database.submit_untag_resource(&arn, keys).await;
    untagged.map(|()| Answer::free(Vec::new())).map_err(|error| unfound(&arn, error.into()))
}

/// Serves `ListTagsOfResource`.
pub(crate) fn list(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let arn = read_list(body, Home::of(database))?;
    let tags = database.list_tags(&arn).map_err(|error| forbidden(&arn, error.into()))?;
    Ok(Answer::free(write_list(&tags)))
}

/// Reads `TagResource`: the table's ARN and the tags to set.
fn read_tag(bytes: &[u8], home: Home<'_>) -> Result<(String, Vec<Tag>), Failure> {
    let body: TagsBody<'_> = read::body(bytes)?;
    let arn = body.resource_arn.ok_or(RequestError::MissingArn)?;
    let mut constraints = Constraints::default();
    let tags = constraints.required("tags", body.tags);
    let tags = tags.and_then(|members| read_tags(&mut constraints, members));
    let tags = constraints.take(tags)?;
    let arn = checked_arn(arn, home)?;
    check_tags(&tags)?;
    if tags.is_empty() { Err(RequestError::NoTags.into()) } else { Ok((arn, tags)) }
}

/// Reads `UntagResource`: the table's ARN and the keys of the tags to remove.
fn read_untag(bytes: &[u8], home: Home<'_>) -> Result<(String, Vec<String>), Failure> {
    let body: TagsBody<'_> = read::body(bytes)?;
    let arn = body.resource_arn.ok_or(RequestError::MissingArn)?;
    let mut constraints = Constraints::default();
    let keys = constraints.required("tagKeys", body.tag_keys);
    let List(keys) = constraints.take(keys)?;
    let arn = checked_arn(arn, home)?;
    let keys: Vec<String> = keys.into_iter().map(Text::into_string).collect();
    if keys.is_empty() { Err(RequestError::NoTagKeys.into()) } else { Ok((arn, keys)) }
}

/// Reads `ListTagsOfResource`: the table's ARN.
fn read_list(bytes: &[u8], home: Home<'_>) -> Result<String, Failure> {
    let body: TagsBody<'_> = read::body(bytes)?;
    let arn = body.resource_arn.ok_or(RequestError::MissingArn)?.into_string();
    match table_in_arn(&arn, home) {
        Ok(_) => Ok(arn),
        Err(failure) => Err(forbidden(&arn, failure)),
    }
}

fn checked_arn(arn: Text<'_>, home: Home<'_>) -> Result<String, Failure> {
    let arn = arn.into_string();
    match table_in_arn(&arn, home) {
        Ok(_) => Ok(arn),
        Err(failure) => Err(unfound(&arn, failure)),
    }
}

/// A table that doesn't exist is reported by its ARN.
fn unfound(arn: &str, failure: Failure) -> Failure {
    match failure {
        Failure::Engine(Error::TableNotFound | Error::ResourceNotFound(_)) => {
            Error::ResourceNotFound(format!("ResourcArn: {arn} not found")).into()
        }
        other => other,
    }
}

/// DynamoDB doesn't reveal whether a table exists that the caller may not see. Reading the tags of a missing table is
/// therefore forbidden, not "not found".
fn forbidden(arn: &str, failure: Failure) -> Failure {
    match failure {
        Failure::Engine(Error::TableNotFound | Error::ResourceNotFound(_)) => {
            Failure::AccessDenied { operation: "ListTagsOfResource", resource: arn.to_owned() }
        }
        other => other,
    }
}

/// Writes the answer of `ListTagsOfResource`.
fn write_list(tags: &[Tag]) -> Vec<u8> {
    let mut json = JsonWriter::with_capacity(256);
    json.object(|json| {
        json.key("Tags").array(|json| {
            for tag in tags {
                json.object(|json| {
                    json.key("Key").text(&tag.key);
                    json.key("Value").text(&tag.value);
                });
            }
        });
    });
    json.into_bytes()
}
