//! Requests as the JSON that goes over the wire.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use singlet_design::Json;
use singlet_store::{
    Action, BatchGet, Delete, Expression, Get, Put, Query, ReturnItem, Scan, TransactGet, TransactWrite,
    Update,
};
use singlet_values::{AttributeValue, Item};

/// The members of a JSON object, in the order they are added.
struct Body(Vec<(String, Json)>);

impl Body {
    fn of(table: &str) -> Body {
        Body(vec![("TableName".to_owned(), table.into())])
    }

    fn with(mut self, name: &str, value: impl Into<Json>) -> Body {
        self.0.push((name.to_owned(), value.into()));
        self
    }

    fn with_some(self, name: &str, value: Option<impl Into<Json>>) -> Body {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds expressions under their names, and the placeholders of all of them.
    fn expressions(mut self, expressions: &[(&str, Option<&Expression>)]) -> Body {
        let (mut names, mut values) = (BTreeMap::new(), BTreeMap::new());
        for (name, expression) in expressions {
            let Some(expression) = expression else { continue };
            self = self.with(name, expression.text.as_str());
            names.extend(expression.names.iter().map(|(key, name)| (key.clone(), Json::from(name.as_str()))));
            values.extend(expression.values.iter().map(|(key, value)| (key.clone(), attribute(value))));
        }
        let object = |members: BTreeMap<String, Json>| Json::Object(members.into_iter().collect());
        let names = (!names.is_empty()).then(|| object(names));
        let values = (!values.is_empty()).then(|| object(values));
        self.with_some("ExpressionAttributeNames", names).with_some("ExpressionAttributeValues", values)
    }

    /// Asks for the capacity used.
    fn counted(self) -> Json {
        self.with("ReturnConsumedCapacity", "INDEXES").finish()
    }

    fn finish(self) -> Json {
        Json::Object(self.0)
    }
}

pub(super) fn get(request: &Get) -> Json {
    Body::of(&request.table)
        .with("Key", item(&request.key))
        .with("ConsistentRead", request.consistent)
        .expressions(&[("ProjectionExpression", request.projection.as_ref())])
        .counted()
}

pub(super) fn query(request: &Query) -> Json {
    let key = request.key_expression();
    Body::of(&request.table)
        .with_some("IndexName", request.index.as_deref())
        .expressions(&[
            ("KeyConditionExpression", Some(&key)),
            ("FilterExpression", request.filter.as_ref()),
            ("ProjectionExpression", request.projection.as_ref()),
        ])
        .with("ScanIndexForward", request.forward)
        .with("ConsistentRead", request.consistent)
        .with_some("Limit", request.limit.map(i64::from))
        .with_some("ExclusiveStartKey", request.start_key.as_ref().map(item))
        .counted()
}

pub(super) fn scan(request: &Scan) -> Json {
    Body::of(&request.table)
        .with_some("IndexName", request.index.as_deref())
        .expressions(&[
            ("FilterExpression", request.filter.as_ref()),
            ("ProjectionExpression", request.projection.as_ref()),
        ])
        .with_some("Limit", request.limit.map(i64::from))
        .with_some("ExclusiveStartKey", request.start_key.as_ref().map(item))
        .counted()
}

pub(super) fn batch_get(request: &BatchGet) -> Json {
    let table = Body(Vec::new())
        .with("Keys", request.keys.iter().map(item).collect::<Vec<_>>())
        .with("ConsistentRead", request.consistent)
        .expressions(&[("ProjectionExpression", request.projection.as_ref())])
        .finish();
    Body(Vec::new()).with("RequestItems", Json::Object(vec![(request.table.clone(), table)])).counted()
}

pub(super) fn transact_get(request: &TransactGet) -> Json {
    let one = |get: &Get| {
        let get = Body::of(&get.table)
            .with("Key", item(&get.key))
            .expressions(&[("ProjectionExpression", get.projection.as_ref())])
            .finish();
        Json::Object(vec![("Get".to_owned(), get)])
    };
    Body(Vec::new()).with("TransactItems", request.gets.iter().map(one).collect::<Vec<_>>()).counted()
}

pub(super) fn put(request: &Put) -> Json {
    single(put_body(request), request.returned, request.condition.is_some()).counted()
}

pub(super) fn update(request: &Update) -> Json {
    single(update_body(request), request.returned, request.condition.is_some()).counted()
}

pub(super) fn delete(request: &Delete) -> Json {
    single(delete_body(request), request.returned, request.condition.is_some()).counted()
}

pub(super) fn transact_write(request: &TransactWrite) -> Json {
    let one = |action: &Action| {
        let (name, body) = match action {
            Action::Put(put) => ("Put", brings_item(put_body(put), put.condition.is_some())),
            Action::Update(update) => {
                ("Update", brings_item(update_body(update), update.condition.is_some()))
            }
            Action::Delete(delete) => {
                ("Delete", brings_item(delete_body(delete), delete.condition.is_some()))
            }
            Action::Check { table, key, condition } => {
                let check = Body::of(table).with("Key", item(key));
                let check = check.expressions(&[("ConditionExpression", Some(condition))]);
                ("ConditionCheck", brings_item(check, true))
            }
        };
        Json::Object(vec![(name.to_owned(), body.finish())])
    };
    Body(Vec::new())
        .with("TransactItems", request.actions.iter().map(one).collect::<Vec<_>>())
        .with_some("ClientRequestToken", request.token.as_deref())
        .counted()
}

fn put_body(request: &Put) -> Body {
    Body::of(&request.table)
        .with("Item", item(&request.item))
        .expressions(&[("ConditionExpression", request.condition.as_ref())])
}

fn update_body(request: &Update) -> Body {
    Body::of(&request.table).with("Key", item(&request.key)).expressions(&[
        ("UpdateExpression", Some(&request.update)),
        ("ConditionExpression", request.condition.as_ref()),
    ])
}

fn delete_body(request: &Delete) -> Body {
    Body::of(&request.table)
        .with("Key", item(&request.key))
        .expressions(&[("ConditionExpression", request.condition.as_ref())])
}

/// What only writes of one item have.
fn single(body: Body, returned: ReturnItem, conditional: bool) -> Body {
    let returned = match returned {
        ReturnItem::None => None,
        ReturnItem::Old => Some("ALL_OLD"),
        ReturnItem::New => Some("ALL_NEW"),
    };
    brings_item(body.with_some("ReturnValues", returned), conditional)
}

/// A failed condition brings the item that is there.
fn brings_item(body: Body, conditional: bool) -> Body {
    body.with_some("ReturnValuesOnConditionCheckFailure", conditional.then_some("ALL_OLD"))
}

fn item(item: &Item) -> Json {
    Json::Object(item.iter().map(|(name, value)| (name.to_owned(), attribute(value))).collect())
}

/// A value as DynamoDB writes it: `{"S": "…"}`.
fn attribute(value: &AttributeValue) -> Json {
    let encoded = |bytes: &Vec<u8>| Json::from(STANDARD.encode(bytes));
    let content = match value {
        AttributeValue::S(text) => text.as_str().into(),
        AttributeValue::N(number) => number.to_string().into(),
        AttributeValue::B(bytes) => encoded(bytes),
        AttributeValue::Bool(value) => (*value).into(),
        AttributeValue::Null => true.into(),
        AttributeValue::M(map) => item(map),
        AttributeValue::L(list) => Json::List(list.iter().map(attribute).collect()),
        AttributeValue::Ss(texts) => Json::List(texts.iter().map(|text| text.as_str().into()).collect()),
        AttributeValue::Ns(numbers) => {
            Json::List(numbers.iter().map(|number| number.to_string().into()).collect())
        }
        AttributeValue::Bs(binaries) => Json::List(binaries.iter().map(encoded).collect()),
    };
    Json::Object(vec![(value.kind().code().to_owned(), content)])
}
