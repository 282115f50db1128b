//! The shop as documents: designs/shop-documents.toml.

use singlet_design::Json;
use singlet_run::RunError;

use crate::arguments::{Look, args, column, object};
use crate::stage::Stage;

#[track_caller]
fn customer(stage: &Stage) -> String {
    let alice = args!(email = "alice@example.com", first_name = "Alice", last_name = "Smith");
    stage.run("create_customer", alice).text("customer_id")
}

#[track_caller]
fn read(stage: &Stage, customer: &str) -> Json {
    stage.run("get_customer", args!(customer_id = customer))
}

fn lines() -> Json {
    let line = |product: &str, quantity: i64, price: f64| {
        object!(
            product_id = product,
            product_name = product.to_uppercase(),
            quantity = quantity,
            price = price
        )
    };
    Json::List(vec![line("iphone", 1, 999.5), line("case", 2, 10.0)])
}

#[track_caller]
fn order(stage: &Stage, customer: &str, total: f64) -> String {
    let address = object!(street = "123 Main", city = "NYC");
    let order = args!(customer_id = customer, total = total, items = lines(), shipping_address = address);
    stage.run("place_order", order).text("order.order_id")
}

pub(crate) fn nm_08_a_customer_embeds_the_addresses_and_the_summary_of_the_orders(stage: &Stage) {
    let id = customer(stage);
    for (kind, street, city) in [("shipping", "123 Main", "NYC"), ("billing", "456 Oak", "LA")] {
        let address = args!(customer_id = &id, address_id = kind, type = kind, street = street, city = city);
        stage.run("add_address", address);
    }
    stage.run("change_address", args!(customer_id = &id, address_id = "billing", street = "457 Oak"));
    let addresses = read(stage, &id).at("addresses").as_list().unwrap().to_vec();
    assert_eq!(column(&addresses, "street"), ["123 Main", "457 Oak"]);
    stage.run("remove_address", args!(customer_id = &id, address_id = "shipping"));
    assert_eq!(read(stage, &id).at("addresses").as_list().unwrap().len(), 1);

    assert_eq!(read(stage, &id).at("order_summary"), &object!(total_orders = 0, total_spent = 0));
    order(stage, &id, 1019.5);
    order(stage, &id, 0.5);
    let summary = read(stage, &id).at("order_summary").clone();
    assert_eq!(summary.at("total_orders"), &Json::from(2));
    assert_eq!(summary.at("total_spent"), &Json::from(1020));
    assert!(summary.text("last_order_date").starts_with("2035-01-22T10:"), "{summary}");
}

pub(crate) fn nm_08_documents_of_both_versions_are_served_and_one_becomes_the_other_once(stage: &Stage) {
    let new = customer(stage);
    let old = stage.run("import_customer", args!(email = "bob@example.com", name = "Bob Stone"));
    let old = old.text("customer_id");
    let names = |id: &str| {
        let read = read(stage, id);
        let of = |name: &str| read.get(name).and_then(Json::as_text).unwrap_or_default().to_owned();
        (read.at("schema_version").to_string(), of("name"), of("first_name"))
    };
    assert_eq!(names(&new), ("2".to_owned(), String::new(), "Alice".to_owned()));
    assert_eq!(names(&old), ("1".to_owned(), "Bob Stone".to_owned(), String::new()));
    let of_version_1 = stage.run("customers_of_version", args!(schema_version = 1));
    assert_eq!(column(of_version_1.items(), "customer_id"), [old.as_str()]);

    let split = || args!(customer_id = &old, first_name = "Bob", last_name = "Stone");
    stage.run("to_version_2", split());
    assert_eq!(names(&old), ("2".to_owned(), String::new(), "Bob".to_owned()));
    let twice = stage.refused("to_version_2", split());
    assert!(matches!(twice, RunError::Condition { .. }), "{twice:?}");
    let taken = stage.refused("create_customer", args!(email = "BOB@example.com"));
    assert!(matches!(taken, RunError::NotUnique { .. }), "{taken:?}");
}

pub(crate) fn nm_08_an_order_embeds_its_lines_and_keeps_its_address(stage: &Stage) {
    let id = customer(stage);
    let first = order(stage, &id, 1019.5);
    let second = order(stage, &id, 1.0);
    stage.run("add_address", args!(customer_id = &id, type = "shipping", street = "9 New", city = "LA"));
    stage.run("set_status", args!(order_id = &first, status = "shipped"));
    let read = stage.run("get_order", args!(order_id = &first));
    assert_eq!(column(read.at("items").as_list().unwrap(), "product_name"), ["IPHONE", "CASE"]);
    assert_eq!(
        (read.text("shipping_address.street"), read.text("status")),
        ("123 Main".into(), "shipped".into())
    );
    let orders = stage.list("customer_orders", args!(customer_id = &id));
    assert_eq!(column(&orders, "order_id"), [second, first]);

    let nobody = args!(
        customer_id = "nobody",
        total = 1,
        items = lines(),
        shipping_address = object!(street = "1 Main", city = "NYC")
    );
    let refused = stage.refused("place_order", nobody);
    assert!(matches!(refused, RunError::Missing { .. }), "{refused:?}");
    assert_eq!(stage.list("customer_orders", args!(customer_id = "nobody")), [], "all or nothing");
}

pub(crate) fn nm_08_a_product_embeds_its_specifications(stage: &Stage) {
    let specifications = object!(storage = "256GB", color = "Blue");
    let product =
        args!(name = "iPhone 15", price = 999.5, category = "Electronics", specifications = specifications);
    let id = stage.run("create_product", product).text("product_id");
    stage.run("set_specification", args!(product_id = &id, specification = "color", value = "Black"));
    stage.run("set_specification", args!(product_id = &id, specification = "weight", value = "171 g"));
    let read = stage.run("get_product", args!(product_id = &id));
    let expected = object!(storage = "256GB", color = "Black", weight = "171 g");
    assert_eq!(read.at("specifications"), &expected);
    stage.run("change_product", args!(product_id = &id, category = "Phones"));
    assert_eq!(stage.list("category_products", args!(category = "Electronics")), []);
    assert_eq!(stage.list("category_products", args!(category = "Phones")).len(), 1);
}
