//! `Query`.

use serde::Deserialize;
use singlet_engine::{Database, Query};
use singlet_expr::{ExpressionKind, KeyCondition};

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

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct QueryBody<'a> {
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
    #[serde(borrow)]
    index_name: Option<Text<'a>>,
    #[serde(borrow)]
    select: Option<Text<'a>>,
    #[serde(borrow)]
    attributes_to_get: Option<List<Text<'a>>>,
    limit: Option<Whole<false>>,
    consistent_read: Option<Flag>,
    #[serde(borrow)]
    key_conditions: Option<ConditionMap<'a>>,
    #[serde(borrow)]
    query_filter: Option<ConditionMap<'a>>,
    #[serde(borrow)]
    conditional_operator: Option<Text<'a>>,
    scan_index_forward: Option<Flag>,
    exclusive_start_key: Option<AttributeMap>,
    #[serde(borrow)]
    return_consumed_capacity: Option<Text<'a>>,
    #[serde(borrow)]
    projection_expression: Option<Text<'a>>,
    #[serde(borrow)]
    filter_expression: Option<Text<'a>>,
    #[serde(borrow)]
    key_condition_expression: Option<Text<'a>>,
    #[serde(borrow)]
    expression_attribute_names: Option<Map<Text<'a>>>,
    expression_attribute_values: Option<AttributeMap>,
}

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8], room: &dyn AnswerRoom) -> Result<Answer, Failure> {
    let (request, report) = read(body, Home::of(database))?;
    room::for_page(room).await?;
    Ok(answer_page(database.query_in_parts(&request).await?, &report))
}

/// Reads the request.
fn read(bytes: &[u8], home: Home<'_>) -> Result<(Query, TableReport), Failure> {
    let mut body: QueryBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let select = constraints.choice("select", body.select.as_ref());
    constraints.name("indexName", body.index_name.as_ref());
    let capacity = constraints.choice("returnConsumedCapacity", body.return_consumed_capacity.as_ref());
    let filter = Conditions::read(
        &mut constraints,
        "queryFilter",
        body.query_filter.take(),
        body.conditional_operator.as_ref(),
    );
    let table = constraints.table_name("tableName", body.table_name.as_ref());
    check_attributes_to_get(&mut constraints, "attributesToGet", body.attributes_to_get.as_ref());
    if body.limit.is_some_and(|limit| limit.0 < 1) {
        constraints.silent_violation("Limit", "Member must have value greater than or equal to 1");
    }
    let key_conditions =
        Conditions::read(&mut constraints, "keyConditions", body.key_conditions.take(), None);
    let table = constraints.take(table)?;
    let table = table_name::parse(table, "tableName", home)?;

    check_parameters(&body, &filter, &key_conditions)?;
    let legacy_filter = filter.condition()?;
    let projected =
        projection_parameter(body.projection_expression.is_some(), body.attributes_to_get.is_some());
    let legacy_projection = projection_of(body.attributes_to_get)?;
    let start_key = start_key(body.exclusive_start_key)?;
    check_select(select, projected)?;
    if body.key_condition_expression.is_none() && !key_conditions.is_given() {
        return Err(RequestError::NoKeyCondition.into());
    }
    let mut placeholders = placeholders(body.expression_attribute_names, body.expression_attribute_values)?;
    let key_condition = match &body.key_condition_expression {
        Some(text) => KeyCondition::parse(text.as_str(), &mut placeholders)?,
        None => key_conditions.key_condition()?,
    };
    let filter = parse_condition(ExpressionKind::Filter, body.filter_expression.as_ref(), &mut placeholders)?
        .or(legacy_filter);
    let projection =
        parse_projection(body.projection_expression.as_ref(), &mut placeholders)?.or(legacy_projection);
    placeholders.finish()?;
    let report = TableReport { capacity: capacity.unwrap_or_default(), label: table.label };
    let request = Query {
        table: table.name,
        index: body.index_name.map(Text::into_string),
        key_condition,
        filter,
        filters_keys: false,
        projection,
        select,
        limit: body.limit.and_then(|limit| usize::try_from(limit.0).ok()),
        forward: body.scan_index_forward.is_none_or(|flag| flag.0),
        consistent: body.consistent_read.is_some_and(|flag| flag.0),
        start_key,
    };
    Ok((request, report))
}

/// Key conditions of the older generation may be combined with other expressions, but not with a
/// `KeyConditionExpression`.
fn check_parameters(
    body: &QueryBody<'_>,
    filter: &Conditions<'_>,
    keys: &Conditions<'_>,
) -> Result<(), RequestError> {
    let replaced = keys.is_given() && body.key_condition_expression.is_some();
    check_generations(
        &[
            ("ProjectionExpression", body.projection_expression.is_some()),
            ("FilterExpression", body.filter_expression.is_some()),
            ("KeyConditionExpression", body.key_condition_expression.is_some()),
        ],
        &[
            ("AttributesToGet", body.attributes_to_get.is_some()),
            ("QueryFilter", filter.is_given()),
            ("ConditionalOperator", body.conditional_operator.is_some()),
            ("KeyConditions", replaced),
        ],
        body.expression_attribute_names.as_ref(),
        body.expression_attribute_values.as_ref(),
    )
}
