//! An order with its lines, their prices and the reduced stock in one transaction.

use std::sync::Mutex;
use std::thread;

use singlet_design::Json;
use singlet_engine::values::{AttributeValue, Item};
use singlet_run::explain::Recording;
use singlet_run::{RunError, Wait};

use crate::fixture::{Fixture, try_run};
use crate::meddler::Meddler;

/// Steps that are written in the transaction, lists of objects, and values that a step reads.
const ORDERS: &str = r#"
design = "orders"

[table]
key = ["PK", "SK"]

[entity.Product]
key = ["PRODUCT#{sku}", "PRODUCT"]
[entity.Product.fields]
sku      = "key"
price    = { type = "number", min = 0 }
stock    = "int"
note     = { type = "string", optional = true }

[entity.Order]
key = ["ORDER#{order_id}", "ORDER"]
[entity.Order.fields]
order_id = "id"
customer = "string"
state    = { type = "string", enum = ["open", "paid"] }
skus     = { type = "set", of = "key", max = 20, optional = true }

[entity.Line]
key = ["ORDER#{order_id}", "LINE#{sku}"]
[entity.Line.fields]
order_id = { type = "key", ref = "Order" }
sku      = { type = "key", ref = "Product" }
quantity = { type = "int", min = 1, max = 99 }
price    = "number"
total    = "number"
gift     = { type = "bool", default = false }

[pattern.add_product]
create = "Product"
[pattern.change_price]
update = "Product"
set    = ["price", "note"]
[pattern.get_product]
get = "Product"
[pattern.create_line]
create = "Line"

[pattern.place_order.transaction]
order   = { create = "Order", set = { state = "open" } }
product = { run = { get = "Product", show = ["sku", "price"] }, each = "line in lines", max = 40, with = { sku = "{line.sku}" } }
lines   = { run = { create = "Line", set = { order_id = "{order.order_id}", sku = "{line.sku}", quantity = "{line.quantity}", gift = "{line.gift}", price = "{product.price}", total = "{line.quantity * product.price}" } }, each = "line in lines", max = 40 }
stock   = { run = { update = "Product", add = { stock = "{-line.quantity}" }, if = "stock >= {line.quantity}" }, each = "line in lines", max = 40, with = { sku = "{line.sku}" } }

[pattern.copy_price.transaction]
from = { run = "get_product", with = { sku = "{from_sku}" } }
to   = { update = "Product", set = { price = "{from.price}", note = "{from.note}" } }

[pattern.order_of_skus.transaction]
order = "create_order"
lines = { run = "create_line", each = "sku in order.skus", max = 20, with = { order_id = "{order.order_id}", total = "{price * quantity}" } }

[pattern.create_order]
create   = "Order"
internal = true

[pattern.add_lines.transaction]
open  = { check = "Order", if = "state = 'open'" }
lines = { run = "create_line", each = "line in lines", max = 9, with = { order_id = "{open.order_id}", sku = "{line.sku}", quantity = "{line.quantity}", price = "{line.price}", total = "{line.price * line.quantity}" } }

[pattern.order_page.parts]
order = { get = "Order" }
lines = { query = "Line", key = ["ORDER#{order_id}", "LINE#"] }
"#;

fn shop() -> Fixture {
    let fixture = Fixture::new(ORDERS);
    fixture.run("add_product", r#"{"sku": "pen", "price": 1.5, "stock": 10}"#);
    fixture.run("add_product", r#"{"sku": "ink", "price": 4, "stock": 3}"#);
    fixture
}

const TWO_LINES: &str = r#"{"order_id": "o", "customer": "an", "lines": [{"sku": "pen", "quantity": 5}, {"sku": "ink", "quantity": 3, "gift": true}]}"#;

fn members<'a>(answer: &'a Json, step: &str, member: &str) -> Vec<&'a Json> {
    let items = answer.get(step).and_then(Json::as_list).unwrap();
    items.iter().map(|item| item.get(member).unwrap_or(&Json::Null)).collect()
}

#[test]
fn an_order_takes_the_price_of_each_product_and_reduces_its_stock() {
    let shop = shop();
    let placed = shop.run("place_order", TWO_LINES);
    assert_eq!(placed.get("order").and_then(|order| order.get("state")), Some(&Json::from("open")));
    let prices = ["1.5", "4"].map(|price| price.parse::<Json>().unwrap());
    assert_eq!(members(&placed, "lines", "price"), [&prices[0], &prices[1]]);
    assert_eq!(members(&placed, "lines", "gift"), [&Json::Bool(false), &Json::Bool(true)]);
    let totals = ["7.5", "12"].map(|total| total.parse::<Json>().unwrap());
    assert_eq!(members(&placed, "lines", "total"), [&totals[0], &totals[1]]);
    assert_eq!(members(&placed, "stock", "stock"), [&Json::from(5), &Json::from(0)]);
    assert_eq!(members(&placed, "product", "stock"), [&Json::Null, &Json::Null], "only `show` is answered");
    let page = shop.run("order_page", r#"{"order_id": "o"}"#);
    assert_eq!(
        page.get("lines").and_then(|lines| lines.get("items")).and_then(Json::as_list).unwrap().len(),
        2
    );
}

#[test]
fn an_order_of_more_than_the_stock_leaves_nothing() {
    let shop = shop();
    let too_many = TWO_LINES.replace(r#""quantity": 3"#, r#""quantity": 4"#);
    let error = shop.try_run("place_order", &too_many).unwrap_err();
    assert!(matches!(&error, RunError::Condition { pattern, .. } if pattern == "stock"), "{error}");
    assert_eq!(shop.scan(None).len(), 2, "only the products");
    let unknown = TWO_LINES.replace("ink", "paper");
    let error = shop.try_run("place_order", &unknown).unwrap_err();
    assert!(matches!(&error, RunError::Missing { entity } if entity == "Product"), "{error}");
}

#[test]
fn wrong_elements_are_all_reported_with_their_places() {
    let shop = shop();
    let wrong = r#"{"customer": "an", "lines": [{"sku": "pen", "quantity": 1}, {"sku": "pen", "quantity": "two"}, {"quantity": 1}, 7, {"sku": "ink", "quantity": 1, "colour": "red"}]}"#;
    let error = shop.try_run("place_order", wrong).unwrap_err();
    let RunError::Parameters { wrong, .. } = &error else { panic!("{error}") };
    let places: Vec<&str> = wrong.iter().map(|wrong| wrong.parameter.as_str()).collect();
    assert_eq!(places, ["lines[1].quantity", "lines[2].sku", "lines[3]", "lines[4].colour"]);
    assert_eq!(shop.scan(None).len(), 2);
}

#[test]
fn a_price_that_changes_meanwhile_is_read_again() {
    let shop = shop();
    let meddling = [("change_price", r#"{"sku": "pen", "price": 9}"#.to_owned())];
    let store = Meddler { fixture: &shop, calls: Mutex::new(meddling.into()) };
    let placed = try_run(&shop.runner_on(store), "place_order", TWO_LINES).wait().unwrap().to_json();
    let prices = ["9", "4"].map(|price| price.parse::<Json>().unwrap());
    assert_eq!(members(&placed, "lines", "price"), [&prices[0], &prices[1]]);
}

#[test]
fn a_value_that_a_get_reads_is_written_by_a_later_step() {
    let shop = shop();
    shop.run("change_price", r#"{"sku": "pen", "note": "sale"}"#);
    let copied = shop.run("copy_price", r#"{"from_sku": "pen", "sku": "ink"}"#);
    let ink = copied.get("to").unwrap();
    assert_eq!(ink.get("note"), Some(&Json::from("sale")));
    assert_eq!(copied.get("from").and_then(|from| from.get("stock")), Some(&Json::from(10)));
    // A field that the item doesn't have leaves the other as it is.
    shop.run("add_product", r#"{"sku": "cap", "price": 2, "stock": 1}"#);
    let copied = shop.run("copy_price", r#"{"from_sku": "cap", "sku": "ink"}"#);
    assert_eq!(copied.get("to").and_then(|to| to.get("note")), Some(&Json::from("sale")));
}

#[test]
fn a_step_runs_for_the_list_that_an_earlier_step_writes() {
    let shop = shop();
    let order = r#"{"customer": "an", "state": "open", "skus": ["ink", "pen"], "quantity": 2, "price": 1}"#;
    let made = shop.run("order_of_skus", order);
    assert_eq!(members(&made, "lines", "sku"), [&Json::from("ink"), &Json::from("pen")]);
    let none = shop.run("order_of_skus", r#"{"customer": "an", "state": "open", "quantity": 2, "price": 1}"#);
    assert!(members(&none, "lines", "sku").is_empty());
}

#[test]
fn a_check_gives_its_item_to_later_steps() {
    let shop = shop();
    shop.run("place_order", TWO_LINES);
    let lines = r#"{"order_id": "o", "lines": [{"sku": "cap", "quantity": 1, "price": 2}]}"#;
    let made = shop.run("add_lines", lines);
    assert_eq!(members(&made, "lines", "order_id"), [&Json::from("o")]);
    let error = shop.try_run("add_lines", &lines.replace("\"o\"", "\"x\"")).unwrap_err();
    assert!(matches!(&error, RunError::Missing { entity } if entity == "Order"), "{error}");
}

#[test]
fn a_step_that_is_written_in_its_transaction_cannot_be_run_by_itself() {
    let error = shop().try_run("place_order.stock", r#"{"sku": "pen", "line.quantity": 1}"#).unwrap_err();
    assert!(matches!(&error, RunError::Internal { users, .. } if users == &["`place_order`"]), "{error}");
}

#[test]
fn the_products_of_all_lines_are_read_at_once() {
    let shop = shop();
    let runner = shop.runner_on(Recording::new(shop.runner.store()));
    try_run(&runner, "place_order", TWO_LINES).wait().unwrap();
    let asked: Vec<_> = runner.store().recorded().iter().map(|one| one.operation).collect();
    // The last one reads the answer.
    assert_eq!(asked, ["BatchGetItem", "TransactWriteItems", "BatchGetItem"]);
}

/// Callers who order and change prices at once: what is missing of the stock is the sum of the lines, no more is sold than
/// there is, and every line has a price that its product had.
#[test]
fn orders_at_once_take_what_their_lines_say() {
    let shop = Fixture::new(ORDERS);
    shop.run("add_product", r#"{"sku": "pen", "price": 1.5, "stock": 100}"#);
    shop.run("add_product", r#"{"sku": "ink", "price": 4, "stock": 100}"#);
    thread::scope(|scope| {
        for caller in 0..4 {
            let shop = &shop;
            scope.spawn(move || {
                for turn in 0..10 {
                    let order = TWO_LINES.replace("\"o\"", &format!("\"{caller}-{turn}\""));
                    match shop.try_run("place_order", &order) {
                        Ok(_) | Err(RunError::Contention { .. } | RunError::Condition { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                    let price = format!(r#"{{"sku": "pen", "price": {}}}"#, 100 + turn);
                    match shop.try_run("change_price", &price) {
                        Ok(_) | Err(RunError::Contention { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    let number = |item: &Item, field: &str| match item.get(field) {
        Some(AttributeValue::N(number)) => number.to_i64().unwrap_or(1),
        other => panic!("{field}: {other:?}"),
    };
    for sku in ["pen", "ink"] {
        let of_sku = |item: &&Item| item.get("sku") == Some(&sku.into()) && item.get("quantity").is_some();
        let items = shop.scan(None);
        let lines: Vec<&Item> = items.iter().filter(of_sku).collect();
        let sum: i64 = lines.iter().map(|line| number(line, "quantity")).sum();
        assert_eq!(100 - sum, number(&shop.stored("Product", "sku", sku).unwrap(), "stock"));
        assert!(!lines.is_empty());
        assert!(sku == "ink" || lines.iter().all(|line| matches!(number(line, "price"), 1 | 100..110)));
    }
}
