//! Requests as the JSON that goes over the wire.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use singlet_design::Json;
use singlet_expr::{Condition, Printer, Projection};
use singlet_store::{
    BatchGet, DeleteItem, GetItem, PutItem, Query, ReturnItem, Scan, TransactAction, TransactGet,
    TransactWrite, UpdateItem,
};
use singlet_values::{AttributeValue, Item};

/// The members of a JSON object, in the order they are added.
#[derive(Default)]
struct Body {
    members: Vec<(String, Json)>,
    printer: Printer,
}

impl Body {
    fn of(table: &str) -> Body {
        Body::default().with("TableName", table)
    }

    fn with(mut self, name: &str, value: impl Into<Json>) -> Body {
        self.members.push((name.to_owned(), value.into()));
        self
    }

    fn with_some(self, name: &str, value: Option<impl Into<Json>>) -> Body {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    fn projection(mut self, projection: Option<&Projection>) -> Body {
        let text = projection.map(|projection| self.printer.projection(projection));
        self.with_some("ProjectionExpression", text)
    }

    fn filter(mut self, filter: Option<&Condition>) -> Body {
        let text = filter.map(|filter| self.printer.filter(filter));
        self.with_some("FilterExpression", text)
    }

    fn condition(mut self, condition: Option<&Condition>) -> Body {
        let text = condition.map(|condition| self.printer.condition(condition));
        self.with_some("ConditionExpression", text)
    }

    /// Adds the placeholders of all expressions so far.
    fn placeholders(self) -> Body {
        let names = self.printer.names().iter().map(|(key, name)| (key.clone(), Json::from(name.as_str())));
        let values = self.printer.values().iter().map(|(key, value)| (key.clone(), attribute(value)));
        let object = |members: Vec<(String, Json)>| (!members.is_empty()).then_some(Json::Object(members));
        let (names, values) = (object(names.collect()), object(values.collect()));
        self.with_some("ExpressionAttributeNames", names).with_some("ExpressionAttributeValues", values)
    }

    /// Asks for the capacity used.
    fn counted(self) -> Json {
        self.with("ReturnConsumedCapacity", "INDEXES").finish()
    }

    fn finish(self) -> Json {
        Json::Object(self.members)
    }
}

pub(super) fn get(request: &GetItem) -> Json {
    Body::of(&request.table)
        .with("Key", item(&request.key))
        .with("ConsistentRead", request.consistent)
        .projection(request.projection.as_ref())
        .placeholders()
        .counted()
}

pub(super) fn query(request: &Query) -> Json {
    let mut body = Body::of(&request.table).with_some("IndexName", request.index.as_deref());
    let key = body.printer.key_condition(&request.key).ok();
    body.with_some("KeyConditionExpression", key)
        .filter(request.filter.as_ref())
        .projection(request.projection.as_ref())
        .placeholders()
        .with("ScanIndexForward", request.forward)
        .with("ConsistentRead", request.consistent)
        .with_some("Limit", request.limit.map(i64::from))
        .with_some("ExclusiveStartKey", request.start_key.as_ref().map(item))
        .counted()
}

pub(super) fn scan(request: &Scan) -> Json {
    Body::of(&request.table)
        .with_some("IndexName", request.index.as_deref())
        .filter(request.filter.as_ref())
        .projection(request.projection.as_ref())
        .placeholders()
        .with_some("Limit", request.limit.map(i64::from))
        .with_some("ExclusiveStartKey", request.start_key.as_ref().map(item))
        .counted()
}

pub(super) fn batch_get(request: &BatchGet) -> Json {
    let table = Body::default()
        .with("Keys", request.keys.iter().map(item).collect::<Vec<_>>())
        .with("ConsistentRead", request.consistent)
        .projection(request.projection.as_ref())
        .placeholders()
        .finish();
    Body::default().with("RequestItems", Json::Object(vec![(request.table.clone(), table)])).counted()
}

pub(super) fn transact_get(request: &TransactGet) -> Json {
    let one = |get: &GetItem| {
        let get = Body::of(&get.table)
            .with("Key", item(&get.key))
            .projection(get.projection.as_ref())
            .placeholders()
            .finish();
        Json::Object(vec![("Get".to_owned(), get)])
    };
    Body::default().with("TransactItems", request.gets.iter().map(one).collect::<Vec<_>>()).counted()
}

pub(super) fn put(request: &PutItem) -> Json {
    single(put_body(request), request.returned, request.condition.is_some()).counted()
}

pub(super) fn update(request: &UpdateItem) -> Json {
    single(update_body(request), request.returned, request.condition.is_some()).counted()
}

pub(super) fn delete(request: &DeleteItem) -> Json {
    single(delete_body(request), request.returned, request.condition.is_some()).counted()
}

pub(super) fn transact_write(request: &TransactWrite) -> Json {
    let one = |action: &TransactAction| {
        let (name, body) = match action {
            TransactAction::Put(put) => ("Put", brings_item(put_body(put), put.condition.is_some())),
            TransactAction::Update(update) => {
                ("Update", brings_item(update_body(update), update.condition.is_some()))
            }
            TransactAction::Delete(delete) => {
                ("Delete", brings_item(delete_body(delete), delete.condition.is_some()))
            }
            TransactAction::Check { table, key, condition } => {
                let check = Body::of(table).with("Key", item(key));
                let check = check.condition(Some(condition)).placeholders();
                ("ConditionCheck", brings_item(check, true))
            }
        };
        Json::Object(vec![(name.to_owned(), body.finish())])
    };
    Body::default()
        .with("TransactItems", request.actions.iter().map(one).collect::<Vec<_>>())
        .with_some("ClientRequestToken", request.token.as_deref())
        .counted()
}

fn put_body(request: &PutItem) -> Body {
    Body::of(&request.table)
        .with("Item", item(&request.item))
        .condition(request.condition.as_ref())
        .placeholders()
}

fn update_body(request: &UpdateItem) -> Body {
    let mut body = Body::of(&request.table).with("Key", item(&request.key));
    let update = body.printer.update(&request.update);
    body.with("UpdateExpression", update).condition(request.condition.as_ref()).placeholders()
}

fn delete_body(request: &DeleteItem) -> Body {
    Body::of(&request.table)
        .with("Key", item(&request.key))
        .condition(request.condition.as_ref())
        .placeholders()
}

/// Members that only writes of one item have.
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
