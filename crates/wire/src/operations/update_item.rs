//! `UpdateItem`.

use serde::Deserialize;
use singlet_engine::{Database, ReturnValues, UpdateItem};
use singlet_expr::ExpressionKind;

use super::legacy::{AttributeUpdateMap, AttributeUpdates, Expectations, ExpectedMap};
use super::single_write::answer_write;
use super::{Answer, TableReport};
use crate::choice::{ReturnItemCollectionMetrics, ReturnValuesOnConditionCheckFailure};
use crate::constraint::Constraints;
use crate::error::Failure;
use crate::expressions::{check_generations, parse_condition, parse_update, placeholders};
use crate::read::{self, AttributeMap, Map, Text};
use crate::room::{self, AnswerRoom};
use crate::table_name::{self, Home};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UpdateItemBody<'a> {
    #[serde(borrow)]
    table_name: Option<Text<'a>>,
    key: Option<AttributeMap>,
    #[serde(borrow)]
    attribute_updates: Option<AttributeUpdateMap<'a>>,
    #[serde(borrow)]
    expected: Option<ExpectedMap<'a>>,
    #[serde(borrow)]
    conditional_operator: Option<Text<'a>>,
    #[serde(borrow)]
    return_values: Option<Text<'a>>,
    #[serde(borrow)]
    return_consumed_capacity: Option<Text<'a>>,
    #[serde(borrow)]
    return_item_collection_metrics: Option<Text<'a>>,
    #[serde(borrow)]
    return_values_on_condition_check_failure: Option<Text<'a>>,
    #[serde(borrow)]
    update_expression: Option<Text<'a>>,
    #[serde(borrow)]
    condition_expression: Option<Text<'a>>,
    #[serde(borrow)]
    expression_attribute_names: Option<Map<Text<'a>>>,
    expression_attribute_values: Option<AttributeMap>,
}

/// Serves the operation.
pub(crate) async fn call(database: &Database, body: &[u8], room: &dyn AnswerRoom) -> Result<Answer, Failure> {
    let (request, report) = read(body, Home::of(database))?;
    let returns_item = request.return_values != ReturnValues::None || request.return_old_on_failure;
    room::for_written_item(room, returns_item).await?;
    let outcome = database.submit_update_item(request).await?;
    Ok(answer_write(outcome, &report))
}

/// Reads the request.
fn read(bytes: &[u8], home: Home<'_>) -> Result<(UpdateItem, TableReport), Failure> {
    let body: UpdateItemBody<'_> = read::body(bytes)?;
    let mut constraints = Constraints::default();
    let capacity = constraints.choice("returnConsumedCapacity", body.return_consumed_capacity.as_ref());
    let table = constraints.table_name("tableName", body.table_name.as_ref());
    let metrics =
        constraints.choice("returnItemCollectionMetrics", body.return_item_collection_metrics.as_ref());
    let return_values = constraints.choice("returnValues", body.return_values.as_ref());
    let on_failure = constraints.choice(
        "returnValuesOnConditionCheckFailure",
        body.return_values_on_condition_check_failure.as_ref(),
    );
    let expected = Expectations::read(&mut constraints, body.expected, body.conditional_operator.as_ref());
    let key = constraints.required("key", body.key);
    let updates = AttributeUpdates::read(&mut constraints, body.attribute_updates);
    let (table, key) = constraints.take(table.zip(key))?;
    let table = table_name::parse(table, "tableName", home)?;

    let [expected_given, operator_given] = expected.given();
    check_generations(
        &[
            ("UpdateExpression", body.update_expression.is_some()),
            ("ConditionExpression", body.condition_expression.is_some()),
        ],
        &[("AttributeUpdates", updates.is_given()), expected_given, operator_given],
        body.expression_attribute_names.as_ref(),
        body.expression_attribute_values.as_ref(),
    )?;
    let key = key.checked()?;
    let legacy_update = updates.update()?;
    let legacy_condition = expected.condition()?;
    let mut placeholders = placeholders(body.expression_attribute_names, body.expression_attribute_values)?;
    let update = parse_update(body.update_expression.as_ref(), &mut placeholders)?.or(legacy_update);
    let condition =
        parse_condition(ExpressionKind::Condition, body.condition_expression.as_ref(), &mut placeholders)?
            .or(legacy_condition);
    placeholders.finish()?;
    let report = TableReport { capacity: capacity.unwrap_or_default(), label: table.label };
    let request = UpdateItem {
        table: table.name,
        key,
        update,
        condition,
        return_values: return_values.unwrap_or_default(),
        return_old_on_failure: on_failure == Some(ReturnValuesOnConditionCheckFailure::AllOld),
        collection_metrics: metrics == Some(ReturnItemCollectionMetrics::Size),
    };
    Ok((request, report))
}
