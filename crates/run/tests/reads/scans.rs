//! Scans: everything of an entity, once, page by page.

use crate::fixture::Data;

const SHOP: &str = r##"
design = "shop"

[table]
key = ["PK", "SK"]

[index]
GSI1 = { key = ["GSI1PK", "GSI1SK"], project = "keys" }

[entity.Order]
key  = ["CUSTOMER#{customer_id}", "ORDER#{order_id}"]
GSI1 = ["STATUS#{status}", "{order_id}"]
[entity.Order.fields]
customer_id = "key"
order_id    = "id"
status      = "string"

[entity.Customer]
key  = ["CUSTOMER#{customer_id}", "PROFILE"]
GSI1 = ["CITY#{city}", "{customer_id}"]
[entity.Customer.fields]
customer_id = "key"
city        = "string"

[pattern.all_orders]
scan  = "Order"
admin = true

[pattern.open_orders]
scan   = "Order"
filter = "status = {status}"
show   = ["order_id"]

[pattern.orders_in_the_index]
scan = "Order"
on   = "GSI1"
"##;

fn shop() -> (Data, Vec<String>) {
    let data = Data::new(SHOP);
    let mut orders = Vec::new();
    for number in 0..40 {
        let (customer, order) = (format!("c{}", number % 7), format!("o{number:02}"));
        let status = if number % 4 == 0 { "open" } else { "paid" };
        data.put("Order", &[("customer_id", &customer), ("order_id", &order), ("status", status)]);
        data.put("Customer", &[("customer_id", &customer), ("city", "Oslo")]);
        orders.push(order);
    }
    (data, orders)
}

#[test]
fn a_scan_gives_each_item_of_its_entity_once_on_full_pages() {
    let (data, orders) = shop();
    for limit in [1, 3, 7, 100] {
        for pattern in ["all_orders", "orders_in_the_index"] {
            let field = if pattern == "all_orders" { "order_id" } else { "GSI1SK" };
            let mut seen = data.pages(pattern, &[], limit, field);
            seen.sort();
            assert_eq!(seen, orders, "{pattern} {limit}");
        }
    }
}

#[test]
fn a_filter_of_a_scan_leaves_out_and_shows_only_what_is_shown() {
    let (data, _) = shop();
    assert_eq!(data.pages("open_orders", &[("status", "open")], 3, "order_id").len(), 10);
    assert!(!data.json("open_orders", &[("status", "open")]).contains("status"));
}
