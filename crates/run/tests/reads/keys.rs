//! Patterns that ask for a key in their own words.

use singlet_design::{Operation, load};

use crate::fixture::Data;

const SHOP: &str = r##"
design = "shop"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Order]
key  = ["CUSTOMER#{customer_id}", "ORDER#{order_id}"]
GSI1 = ["STATUS#{status}", "{order_id}"]
[entity.Order.fields]
customer_id = "key"
order_id    = "id"
status      = "string"
city        = "string"

[entity.OrdersPage]
key = ["CUSTOMER#{customer_id}", "ORDERSPAGE"]
[entity.OrdersPage.fields]
customer_id = "key"

[pattern.all_orders]
query = "Order"
key   = ["CUSTOMER#{customer_id}", "ORDER#"]

[pattern.begins_with_order]
query = "Order"
key   = ["CUSTOMER#{customer_id}", "ORDER"]

[pattern.orders_like]
query = "Order"
key   = ["CUSTOMER#{customer_id}", "ORDER#{order_id}"]

[pattern.in_city]
query = "Order"
on    = "GSI1"
key   = ["CITY#{city}"]

[pattern.one]
get = "Order"
key = ["CUSTOMER#{customer_id}", "ORDER#{order_id}"]

[pattern.by_city]
get = "Order"
key = ["CITY#{city}", "ORDER#{order_id}"]
"##;

fn shop() -> Data {
    let data = Data::new(SHOP);
    for (order, city) in [("o1", "Oslo"), ("o12", "Rome")] {
        let fields = [("customer_id", "c1"), ("order_id", order), ("status", "new"), ("city", city)];
        data.put("Order", &fields);
    }
    data.put("OrdersPage", &[("customer_id", "c1")]);
    data
}

#[test]
fn a_key_that_is_the_entitys_own_changes_nothing() {
    let design = load("shop.toml", SHOP).unwrap();
    for name in ["all_orders", "orders_like", "one"] {
        let key = match &design.pattern(name).unwrap().operation {
            Operation::Query(query) => &query.key,
            Operation::Get(get) => &get.key,
            other => panic!("{other:?}"),
        };
        assert_eq!(*key, None, "{name}");
    }
    let data = shop();
    assert_eq!(data.pages("all_orders", &[("customer_id", "c1")], 1, "order_id"), ["o1", "o12"]);
    let one = [("customer_id", "c1"), ("order_id", "o1")];
    assert_eq!(data.pages("orders_like", &one, 1, "order_id"), ["o1"]);
    assert!(data.json("one", &one).contains("Oslo"));
}

#[test]
fn a_beginning_without_its_separator_reads_more_and_shows_only_what_was_asked_for() {
    let data = shop();
    assert_eq!(data.pages("begins_with_order", &[("customer_id", "c1")], 1, "order_id"), ["o1", "o12"]);
}

#[test]
fn a_key_that_the_entity_never_has_finds_nothing() {
    let data = shop();
    assert_eq!(data.json("in_city", &[("city", "Oslo")]), r#"{"items":[]}"#);
    assert_eq!(data.json("by_city", &[("city", "Oslo"), ("order_id", "o1")]), "null");
}

#[test]
fn an_item_of_the_table_is_asked_for_by_its_whole_key() {
    let early = SHOP.replace(r#"key = ["CITY#{city}", "ORDER#{order_id}"]"#, r#"key = ["CITY#{city}"]"#);
    let report = load("shop.toml", &early).unwrap_err().to_string();
    assert!(report.contains("the key of an item must be complete"), "{report}");
}

#[test]
fn a_key_in_other_words_and_a_condition_on_the_own_one_exclude_each_other() {
    let both = SHOP.replace(r#"key   = ["CITY#{city}"]"#, "key = [\"CITY#{city}\"]\nrange = \"order_id\"");
    let report = load("shop.toml", &both).unwrap_err().to_string();
    assert!(report.contains("`key` and `range` can't be used together"), "{report}");
}
