//! The shop: designs/shop.toml.

use std::time::Duration;

use singlet_design::Json;
use singlet_run::{Arguments, RunError};

use crate::arguments::{Look, args, column, object};
use crate::stage::Stage;

#[track_caller]
fn order(stage: &Stage, customer: &str) -> String {
    stage.run("create_order", args!(customer_id = customer)).text("order_id")
}

/// One more line of an order.
fn line(customer: &str, order: &str, line: i64, product: &str, quantity: i64, price: i64) -> Arguments {
    args!(
        customer_id = customer,
        order_id = order,
        line = line,
        product_id = product,
        product_name = product.to_uppercase(),
        quantity = quantity,
        price = price,
        amount = quantity * price
    )
}

/// A product in some categories.
#[track_caller]
fn product(stage: &Stage, name: &str, categories: &[&str]) -> String {
    let arguments = args!(name = name, price = 999.99, categories = categories.to_vec());
    stage.run("create_product", arguments).text("product.product_id")
}

pub(crate) fn nm_01_the_worksheet_is_in_the_design(stage: &Stage) {
    let worksheet = [
        ("get_customer", 500.0, 10),
        ("customer_orders", 100.0, 50),
        ("order_details", 100.0, 20),
        ("category_products", 100.0, 100),
        ("search_products", 20.0, 200),
        ("customer_addresses", 20.0, 20),
        ("order_history", 1.0, 500),
    ];
    for (number, (name, per_second, within_ms)) in worksheet.into_iter().enumerate() {
        let pattern = stage.design().pattern(name).unwrap();
        assert!(pattern.about.as_deref().unwrap().starts_with(&format!("AP{}:", number + 1)), "{name}");
        assert_eq!(pattern.rate.unwrap().per_second, per_second, "{name}");
        assert_eq!(pattern.within, Some(Duration::from_millis(within_ms)), "{name}");
    }
}

pub(crate) fn nm_02_customers_and_their_addresses(stage: &Stage) {
    let customer =
        args!(customer_id = "123", email = "alice@example.com", first_name = "Alice", last_name = "Smith");
    stage.run("create_customer", customer);
    for (id, street) in [("1", "123 Main"), ("2", "456 Oak")] {
        stage.run("save_address", args!(customer_id = "123", address_id = id, street = street, city = "NYC"));
    }
    stage.run(
        "save_address",
        args!(customer_id = "1234", address_id = "1", street = "elsewhere", city = "LA"),
    );
    stage.run("save_address", args!(customer_id = "123", address_id = "2", street = "457 Oak", city = "LA"));
    order(stage, "123");
    assert_eq!(stage.run("get_customer", args!(customer_id = "123")).text("first_name"), "Alice");
    let addresses = stage.list("customer_addresses", args!(customer_id = "123"));
    assert_eq!(column(&addresses, "street"), ["123 Main", "457 Oak"]);
}

pub(crate) fn nm_02_a_customers_orders_come_newest_first_and_by_date(stage: &Stage) {
    let first = order(stage, "123");
    stage.days_pass(20);
    let second = order(stage, "123");
    order(stage, "456");
    stage.days_pass(20);
    let third = order(stage, "123");
    let orders = stage.list("customer_orders", args!(customer_id = "123"));
    assert_eq!(column(&orders, "order_id"), [third.clone(), second.clone(), first.clone()]);

    let history = |arguments: Arguments| column(&stage.list("order_history", arguments), "order_id");
    let thirty_days = args!(customer_id = "123", from = "2035-02-01T00:00:00Z");
    assert_eq!(history(thirty_days), [third.clone(), second.clone()]);
    let between = args!(customer_id = "123", from = "2035-01-22T00:00:00Z", to = "2035-02-20T00:00:00Z");
    assert_eq!(history(between), [second.clone(), first.clone()]);
    assert_eq!(history(args!(customer_id = "123", to = "2035-02-01T00:00:00Z")), [first.as_str()]);
    assert_eq!(history(args!(customer_id = "123")), [third, second, first]);
}

pub(crate) fn nm_02_an_order_comes_with_its_lines(stage: &Stage) {
    let id = order(stage, "123");
    for (number, name, quantity, price) in [(1, "tea", 2, 5), (10, "cups", 4, 3), (2, "pot", 1, 20)] {
        stage.run("add_order_item", line("123", &id, number, name, quantity, price));
    }
    let details = stage.run("order_details", args!(order_id = &id));
    assert_eq!(*details.at("order.total"), Json::from(42));
    assert_eq!(column(details.at("items").items(), "product_name"), ["TEA", "POT", "CUPS"]);

    let twice = stage.refused("add_order_item", line("123", &id, 2, "pot", 1, 20));
    assert!(matches!(twice, RunError::Exists { .. }), "{twice:?}");
    stage.run("set_status", args!(customer_id = "123", order_id = &id, status = "paid"));
    let paid = stage.refused("add_order_item", line("123", &id, 3, "late", 1, 1));
    assert!(matches!(paid, RunError::Condition { .. }), "{paid:?}");
    let details = stage.run("order_details", args!(order_id = &id));
    assert_eq!(*details.at("order.total"), Json::from(42), "all or nothing");
    assert_eq!(stage.list("order_items", args!(order_id = &id)).len(), 3);
}

pub(crate) fn nm_02_products_are_found_by_category_and_by_the_beginning_of_their_name(stage: &Stage) {
    let phone = product(stage, "iPhone 15", &["Electronics", "Gifts"]);
    product(stage, "Câble USB", &["Electronics"]);
    product(stage, "Tea", &[]);
    let category = |name: &str| {
        let products = stage.list("category_products", args!(category_name = name));
        let mut names = column(&products, "product.name");
        names.sort();
        names
    };
    assert_eq!(category("Electronics"), ["Câble USB", "iPhone 15"]);
    assert_eq!(category("Gifts"), ["iPhone 15"]);
    assert_eq!(category("Electronic"), Vec::<String>::new());
    stage.run("put_into_category", args!(product_id = &phone, category_name = "New"));
    assert_eq!(category("New"), ["iPhone 15"]);
    let nothing = stage.refused("put_into_category", args!(product_id = "none", category_name = "New"));
    assert_eq!(nothing.to_string(), "`product_id`: there is no Product `none`");

    let search = |name: &str| column(&stage.list("search_products", args!(name = name)), "name");
    assert_eq!(search("IPH"), ["iPhone 15"]);
    assert_eq!(search("cable"), ["Câble USB"]);
    stage.run("change_product", args!(product_id = &phone, name = "Phone 15"));
    assert_eq!(search("iph"), Vec::<String>::new());
    assert_eq!(search("phone"), ["Phone 15"]);
    assert_eq!(stage.run("get_product", args!(product_id = &phone)).text("name"), "Phone 15");
}

pub(crate) fn nm_02_an_order_is_cancelled_until_it_is_shipped_and_then_deleted_with_its_lines(stage: &Stage) {
    let (id, shipped) = (order(stage, "123"), order(stage, "123"));
    for (number, name) in [(1, "tea"), (2, "pot")] {
        stage.run("add_order_item", line("123", &id, number, name, 1, 5));
    }
    let of = |id: &str| args!(customer_id = "123", order_id = id);
    let mut ship = of(&shipped);
    ship.insert("status".to_owned(), "shipped".into());
    stage.run("set_status", ship);
    let late = stage.refused("cancel_order", of(&shipped));
    assert!(matches!(late, RunError::Condition { .. }), "{late:?}");
    stage.run("cancel_order", of(&id));
    assert_eq!(stage.run("get_order", of(&id)).text("status"), "cancelled");

    let delete = |id: &str| args!(customer_id = "123", order_id = id, lines = vec![1, 2]);
    let kept = stage.refused("delete_order", delete(&shipped));
    assert!(matches!(kept, RunError::Condition { .. }), "{kept:?}");
    stage.run("delete_order", delete(&id));
    assert_eq!(stage.run("order_by_id", args!(order_id = &id)), Json::Null);
    assert_eq!(stage.list("order_items", args!(order_id = &id)).len(), 0);
    assert_eq!(column(&stage.list("customer_orders", args!(customer_id = "123")), "order_id"), [shipped]);
}

pub(crate) fn nm_15_an_order_is_found_by_its_own_id(stage: &Stage) {
    let ids: Vec<_> = ["123", "456"].iter().map(|customer| order(stage, customer)).collect();
    for (id, customer) in ids.iter().zip(["123", "456"]) {
        assert_eq!(stage.run("order_by_id", args!(order_id = id)).text("customer_id"), customer);
    }
    assert_eq!(stage.run("order_by_id", args!(order_id = "none")), Json::Null);
}

pub(crate) fn nm_15_a_shorter_name_comes_before_a_longer_one_that_begins_with_it(stage: &Stage) {
    for name in ["iPhone 15 Pro", "iPhone 16", "iPhone 15", "iPhone 15 Pro Max", "iPhone"] {
        product(stage, name, &[]);
    }
    let names = column(&stage.list("search_products", args!(name = "iphone")), "name");
    assert_eq!(names, ["iPhone", "iPhone 15", "iPhone 15 Pro", "iPhone 15 Pro Max", "iPhone 16"]);
}

pub(crate) fn nm_03_orders_of_a_status_come_by_date_and_follow_its_changes(stage: &Stage) {
    let ids: Vec<_> = (0..7).map(|n| order(stage, &format!("customer {n}"))).collect();
    let of = |status: &str| column(&stage.list("orders_by_status", args!(status = status)), "order_id");
    assert_eq!(of("pending"), ids);
    for n in [5, 2] {
        stage.run(
            "set_status",
            args!(customer_id = format!("customer {n}"), order_id = &ids[n], status = "shipped"),
        );
    }
    assert_eq!(of("shipped"), [ids[2].clone(), ids[5].clone()]);
    assert_eq!(of("pending"), [0, 1, 3, 4, 6].map(|n| ids[n].clone()));

    let from = stage.list("customer_orders", args!(customer_id = "customer 3"))[0].text("order_date");
    let to = stage.list("customer_orders", args!(customer_id = "customer 4"))[0].text("order_date");
    let some = stage.list("orders_by_status", args!(status = "pending", from = from, to = to));
    assert_eq!(column(&some, "order_id"), [ids[3].clone(), ids[4].clone()]);
}

pub(crate) fn nm_03_orders_with_a_product_are_found(stage: &Stage) {
    let ids: Vec<_> = (0..3).map(|_| order(stage, "123")).collect();
    for (id, name) in [(&ids[0], "tea"), (&ids[1], "pot"), (&ids[2], "tea")] {
        stage.run("add_order_item", line("123", id, 1, name, 1, 5));
    }
    let orders = stage.list("product_orders", args!(product_id = "tea"));
    assert_eq!(column(&orders, "order_id"), [ids[2].clone(), ids[0].clone()]);
}

pub(crate) fn nm_03_only_flagged_orders_are_in_the_flagged_index(stage: &Stage) {
    let ids: Vec<_> = (0..6).map(|_| order(stage, "123")).collect();
    let flagged = || stage.list("flagged_orders", args!());
    assert_eq!(flagged(), []);
    for n in [4, 1, 3] {
        stage.run("flag_order", args!(customer_id = "123", order_id = &ids[n]));
    }
    assert_eq!(column(&flagged(), "order_id"), [1, 3, 4].map(|n| ids[n].clone()));
    assert_eq!(column(&flagged(), "customer_id"), ["123", "123", "123"]);
    stage.run("unflag_order", args!(customer_id = "123", order_id = &ids[3]));
    stage.run("set_status", args!(customer_id = "123", order_id = &ids[4], status = "paid"));
    assert_eq!(column(&flagged(), "order_id"), [1, 4].map(|n| ids[n].clone()));
}

pub(crate) fn nm_04_orders_written_to_ten_shards_are_read_as_one_list(stage: &Stage) {
    let mut ids: Vec<_> = (0..25).map(|n| order(stage, &format!("customer {n}"))).collect();
    ids.reverse();
    assert_eq!(column(&stage.list("all_orders", args!()), "order_id"), ids);
}

pub(crate) fn nm_08_documents_embed_what_belongs_to_them(stage: &Stage) {
    stage.run(
        "create_customer",
        args!(customer_id = "123", email = "alice@example.com", first_name = "Alice"),
    );
    let summary =
        object!(total_orders = 15, total_spent = 2500.5, last_order_date = "2035-01-15T00:00:00.000Z");
    stage.run("set_order_summary", args!(customer_id = "123", order_summary = &summary));
    let customer = stage.run("get_customer", args!(customer_id = "123"));
    assert_eq!(*customer.at("order_summary"), summary);
    assert_eq!(customer.text("first_name"), "Alice");

    let address = object!(street = "123 Main", city = "NYC");
    let order = stage.run("create_order", args!(customer_id = "123", shipping_address = &address));
    assert_eq!(*order.at("shipping_address"), address);
    let wrong = object!(street = "123 Main");
    let refused = stage.refused("create_order", args!(customer_id = "123", shipping_address = wrong));
    assert!(matches!(refused, RunError::Parameter { .. }), "{refused:?}");

    let specifications = object!(storage = "256GB", color = "Blue");
    let phone = args!(
        name = "iPhone 15",
        price = 999,
        specifications = &specifications,
        categories = Vec::<&str>::new()
    );
    let phone = stage.run("create_product", phone).text("product.product_id");
    assert_eq!(*stage.run("get_product", args!(product_id = &phone)).at("specifications"), specifications);
}

pub(crate) fn nm_08_a_document_of_version_1_becomes_one_of_version_2_once(stage: &Stage) {
    let old = args!(customer_id = "7", email = "john@example.com", name = "John Doe");
    stage.run("import_customer", old);
    let new = || args!(customer_id = "7", first_name = "John", last_name = "Doe");
    stage.run("to_version_2", new());
    let customer = stage.run("get_customer", args!(customer_id = "7"));
    assert_eq!(*customer.at("schema_version"), Json::from(2));
    assert_eq!(customer.text("last_name"), "Doe");
    assert!(!customer.has("name"));
    let again = stage.refused("to_version_2", new());
    assert!(matches!(again, RunError::Condition { .. }), "{again:?}");
}
