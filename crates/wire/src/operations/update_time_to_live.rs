//! `UpdateTimeToLive`.

use serde::Deserialize;
use singlet_engine::{Database, UpdateTimeToLive};

use super::Answer;
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::read::{self, Field, Flag, Structure, Text};
use crate::table_name::{self, Home};
use crate::write::JsonWriter;

const ATTRIBUTE_CHARACTERS: (usize, usize) = (1, 255);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UpdateTimeToLiveBody<'a> {
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
    #[serde(borrow)]
    time_to_live_specification: Option<Field<TimeToLiveMember<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TimeToLiveMember<'a> {
    enabled: Option<Flag>,
    #[serde(borrow)]
    attribute_name: Option<Text<'a>>,
}

impl Structure for TimeToLiveMember<'_> {
    const NAME: &'static str = "TimeToLiveSpecification";
}

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8]) -> Result<Answer, Failure> {
    let request = read(body, Home::of(database))?;
    let answer = write(&request);
    database.submit_update_time_to_live(request).await?;
    Ok(Answer::free(answer))
}

/// Reads the request.
fn read(bytes: &[u8], home: Home<'_>) -> Result<UpdateTimeToLive, Failure> {
    let body: UpdateTimeToLiveBody<'_> = read::body(bytes)?;
    let table = table_name::require(body.table_name.as_ref(), home)?.name;
    let mut constraints = Constraints::default();
    let setting = constraints
        .required("timeToLiveSpecification", body.time_to_live_specification)
        .and_then(|Field(specification)| read_specification(&mut constraints, specification));
    let (enabled, attribute) = constraints.take(setting)?;
    Ok(UpdateTimeToLive { table, attribute, enabled, at_any_time: false })
}

fn read_specification(
    constraints: &mut Constraints,
    specification: TimeToLiveMember<'_>,
) -> Option<(bool, String)> {
    let enabled = constraints.required("timeToLiveSpecification.enabled", specification.enabled);
    let path = "timeToLiveSpecification.attributeName";
    let attribute = constraints.required(path, specification.attribute_name).map(Text::into_string);
    if let Some(name) = &attribute {
        constraints.length(path, name.as_str(), name.chars().count(), ATTRIBUTE_CHARACTERS);
    }
    Some((enabled?.0, attribute?))
}

/// Writes the answer, which repeats the request.
fn write(request: &UpdateTimeToLive) -> Vec<u8> {
    let mut json = JsonWriter::with_capacity(128);
    json.object(|json| {
        json.key("TimeToLiveSpecification").object(|json| {
            json.key("Enabled").boolean(request.enabled);
            json.key("AttributeName").text(&request.attribute);
        });
    });
    json.into_bytes()
}
