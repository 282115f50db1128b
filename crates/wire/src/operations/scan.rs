//! `Scan`.

use serde::Deserialize;
use singlet_engine::{Database, Scan, ScanSegment};
use singlet_expr::ExpressionKind;

use super::legacy::{ConditionMap, Conditions, check_attributes_to_get, projection_of};
use super::page::{answer_page, check_select, projection_parameter, start_key};
use super::{Answer, TableReport};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::expressions::{check_generations, parse_condition, parse_projection, placeholders};
use crate::read::{self, AttributeMap, Flag, List, Map, Text, Whole};
use crate::room::{self, AnswerRoom};
use crate::table_name::{self, Home};
use crate::text::RequestError;

const SEGMENTS_MAX: i64 = 1_000_000;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ScanBody<'a> {
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
    #[serde(borrow)]
    index_name: Option<Text<'a>>,
    #[serde(borrow)]
    select: Option<Text<'a>>,
    #[serde(borrow)]
    attributes_to_get: Option<List<Text<'a>>>,
    limit: Option<Whole<false>>,
    segment: Option<Whole<false>>,
    total_segments: Option<Whole<false>>,
    consistent_read: Option<Flag>,
    #[serde(borrow)]
    scan_filter: Option<ConditionMap<'a>>,
    #[serde(borrow)]
    conditional_operator: Option<Text<'a>>,
    exclusive_start_key: Option<AttributeMap>,
    #[serde(borrow)]
    return_consumed_capacity: Option<Text<'a>>,
    #[serde(borrow)]
    projection_expression: Option<Text<'a>>,
    #[serde(borrow)]
    filter_expression: Option<Text<'a>>,
    #[serde(borrow)]
    expression_attribute_names: Option<Map<Text<'a>>>,
    expression_attribute_values: Option<AttributeMap>,
}

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8], room: &dyn AnswerRoom) -> Result<Answer, Failure> {
    let (request, report) = read(body, Home::of(database))?;
    room::for_page(room).await?;
    Ok(answer_page(database.scan_in_parts(&request).await?, &report))
}

/// Reads the request.
fn read(bytes: &[u8], home: Home<'_>) -> Result<(Scan, TableReport), Failure> {
    let mut body: ScanBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let select = constraints.choice("select", body.select.as_ref());
    constraints.name("indexName", body.index_name.as_ref());
    constraints.range("totalSegments", body.total_segments.map(|total| total.0), (1, SEGMENTS_MAX));
    let capacity = constraints.choice("returnConsumedCapacity", body.return_consumed_capacity.as_ref());
    let table = constraints.table_name("tableName", body.table_name.as_ref());
    let filter = Conditions::read(
        &mut constraints,
        "scanFilter",
        body.scan_filter.take(),
        body.conditional_operator.as_ref(),
    );
    constraints.range("segment", body.segment.map(|segment| segment.0), (0, SEGMENTS_MAX - 1));
    constraints.range("limit", body.limit.map(|limit| limit.0), (1, i64::MAX));
    check_attributes_to_get(&mut constraints, "attributesToGet", body.attributes_to_get.as_ref());
    let table = constraints.take(table)?;
    let table = table_name::parse(table, "tableName", home)?;

    check_parameters(&body, &filter)?;
    let projected =
        projection_parameter(body.projection_expression.is_some(), body.attributes_to_get.is_some());
    let legacy_projection = projection_of(body.attributes_to_get)?;
    let legacy_filter = filter.condition()?;
    let start_key = start_key(body.exclusive_start_key)?;
    let segment = segment(body.segment, body.total_segments)?;
    check_select(select, projected)?;
    let mut placeholders = placeholders(body.expression_attribute_names, body.expression_attribute_values)?;
    let filter = parse_condition(ExpressionKind::Filter, body.filter_expression.as_ref(), &mut placeholders)?
        .or(legacy_filter);
    let projection =
        parse_projection(body.projection_expression.as_ref(), &mut placeholders)?.or(legacy_projection);
    placeholders.finish()?;
    let report = TableReport { capacity: capacity.unwrap_or_default(), label: table.label };
    let request = Scan {
        table: table.name,
        index: body.index_name.map(Text::into_string),
        filter,
        projection,
        select,
        limit: body.limit.and_then(|limit| usize::try_from(limit.0).ok()),
        segment,
        consistent: body.consistent_read.is_some_and(|flag| flag.0),
        start_key,
    };
    Ok((request, report))
}

fn check_parameters(body: &ScanBody<'_>, filter: &Conditions<'_>) -> Result<(), RequestError> {
    check_generations(
        &[
            ("ProjectionExpression", body.projection_expression.is_some()),
            ("FilterExpression", body.filter_expression.is_some()),
        ],
        &[
            ("AttributesToGet", body.attributes_to_get.is_some()),
            ("ScanFilter", filter.is_given()),
            ("ConditionalOperator", body.conditional_operator.is_some()),
        ],
        body.expression_attribute_names.as_ref(),
        body.expression_attribute_values.as_ref(),
    )
}

fn segment(
    segment: Option<Whole<false>>,
    total: Option<Whole<false>>,
) -> Result<Option<ScanSegment>, RequestError> {
    match (segment, total) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(RequestError::MissingTotalSegments),
        (None, Some(_)) => Err(RequestError::MissingSegment),
        (Some(Whole(segment)), Some(Whole(total))) => match (u32::try_from(segment), u32::try_from(total)) {
            (Ok(segment), Ok(total)) if segment < total => Ok(Some(ScanSegment { segment, total })),
            _ => Err(RequestError::SegmentOutOfRange { segment, total }),
        },
    }
}
