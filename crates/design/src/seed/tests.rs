use std::collections::{BTreeMap, BTreeSet};

use singlet_engine::Database;
use singlet_engine::values::{AttributeValue, EncodedValue, Item};

use super::*;
use crate::model::{Cardinality, FieldType};
use crate::store::{Embedded, Get, Store};
use crate::value::{to_attribute, to_json};

const NOW_MS: u64 = 1_737_387_000_000;

const SHOP: &str = r##"
design = "shop"

[table]
key = ["PK", "SK"]
ttl = "expires"

[index]
GSI1 = ["GSI1PK", "GSI1SK"]
GSI2 = ["GSI2PK", "GSI2SK"]

[entity.Customer]
key    = ["CUSTOMER#{customer_id}", "PROFILE"]
unique = ["email"]
[entity.Customer.fields]
customer_id = "id"
email       = { type = "string", min = 3, max = 40 }
name        = { type = "string", max = 12 }
order_count = { type = "int", default = 0 }
created_at  = "created"
[entity.Customer.relations]
addresses = { few = "Address", by = "customer_id", max = 2 }
privacy   = { one = "Privacy", by = "customer_id" }
orders    = { many = "Order", by = "customer_id", usual = 4 }

[entity.Privacy]
key = ["CUSTOMER#{customer_id}", "PRIVACY"]
[entity.Privacy.fields]
customer_id = { type = "key", ref = "Customer" }
hidden      = "bool"

[entity.Line]
key  = ["ORDER#{order_id}", "LINE#{line:03}"]
GSI2 = ["CUSTOMER#{customer_id}", "PRICE#{price:07.2}#{order_id}#{line:03}"]
[entity.Line.fields]
customer_id  = { type = "key", ref = "Customer" }
order_id     = { type = "key", ref = "Order" }
product_id   = { type = "key", ref = "Product" }
product_name = "string"
line         = { type = "int", min = 1, max = 20 }
price        = { type = "number", min = 0 }

[entity.Order]
key  = ["CUSTOMER#{customer_id}", "ORDER#{order_id}"]
GSI1 = ["STATUS#{status}", "{placed_at}#{order_id}"]
GSI2 = { key = ["FLAGGED#{shard:order_id/4}", "{placed_at}#{order_id}"], when = "flagged" }
ttl  = "20 days after placed_at"
[entity.Order.fields]
order_id    = { type = "id", made = "ulid" }
customer_id = { type = "key", ref = "Customer" }
placed_at   = "created"
updated_at  = "updated"
status      = { type = "string", enum = ["new", "paid", "sent"], default = "new" }
flagged     = { type = "bool", optional = true }
address     = { type = "object", optional = true, fields = { street = "string", city = { type = "string", max = 5 } } }
products    = { type = "set", of = "key", ref = "Product", optional = true }
due         = { type = "date", optional = true }
[entity.Order.relations]
lines = { few = "Line", by = "order_id", max = 6 }

[entity.Address]
key = ["CUSTOMER#{customer_id}", "ADDRESS#{address_id}"]
[entity.Address.fields]
customer_id = { type = "key", ref = "Customer" }
address_id  = "id"
city        = "string"

[entity.Product]
key = ["PRODUCT#{product_id}", "PRODUCT"]
[entity.Product.fields]
product_id = "id"
name       = { type = "string", max = 60 }
"##;

fn shop() -> Design {
    crate::load("shop.toml", SHOP).unwrap_or_else(|report| panic!("{report}"))
}

fn options(items: u64) -> SeedOptions {
    SeedOptions { items, seed: 42, now_ms: NOW_MS }
}

fn samples(design: &Design, items: u64) -> Vec<Sample> {
    Seeder::new(design, options(items)).map(|sample| sample.unwrap()).collect()
}

fn of<'s>(samples: &'s [Sample], entity: &str) -> Vec<&'s Item> {
    samples.iter().filter(|sample| sample.entity.name == entity).map(|sample| &sample.item).collect()
}

fn values<'s>(samples: &'s [Sample], entity: &str, field: &str) -> Vec<&'s AttributeValue> {
    of(samples, entity).into_iter().filter_map(|item| item.get(field)).collect()
}

#[test]
fn as_many_items_are_made_as_are_wanted_with_every_entity() {
    let design = shop();
    for items in [0, 1, 3, 6, 20, 500] {
        let samples = samples(&design, items);
        assert_eq!(samples.len() as u64, items);
        let kinds: BTreeSet<&str> = samples.iter().map(|sample| sample.entity.name.as_str()).collect();
        assert_eq!(kinds.len(), design.entities.len().min(items as usize));
    }
}

#[test]
fn one_seed_makes_the_same_items_again_and_another_makes_others() {
    let design = shop();
    let items = |seed| -> Vec<Item> {
        let options = SeedOptions { seed, ..options(200) };
        Seeder::new(&design, options).map(|sample| sample.unwrap().item).collect()
    };
    assert_eq!(items(1), items(1));
    assert_ne!(items(1), items(2));
}

#[test]
fn every_reference_leads_to_an_item_made_before() {
    let design = shop();
    let samples = samples(&design, 600);
    let ids = |entity: &str, field: &str| -> Vec<AttributeValue> {
        values(&samples, entity, field).into_iter().cloned().collect()
    };
    let customers = ids("Customer", "customer_id");
    let orders = ids("Order", "order_id");
    for entity in ["Privacy", "Order", "Address", "Line"] {
        assert!(values(&samples, entity, "customer_id").iter().all(|id| customers.contains(id)), "{entity}");
    }
    assert!(values(&samples, "Line", "order_id").iter().all(|id| orders.contains(id)));
    let products = ids("Product", "product_id");
    for set in values(&samples, "Order", "products") {
        let AttributeValue::Ss(set) = set else { panic!("{set:?}") };
        assert!(set.iter().all(|id| products.contains(&AttributeValue::from(id.as_str()))));
    }
}

#[test]
fn what_a_child_repeats_agrees_with_its_parents() {
    let design = shop();
    let samples = samples(&design, 600);
    let find = |entity: &str, field: &str, id: &AttributeValue| {
        of(&samples, entity).into_iter().find(|item| item.get(field) == Some(id)).unwrap()
    };
    for line in of(&samples, "Line") {
        let order = find("Order", "order_id", line.get("order_id").unwrap());
        assert_eq!(line.get("customer_id"), order.get("customer_id"));
        let product = find("Product", "product_id", line.get("product_id").unwrap());
        assert_eq!(line.get("product_name"), product.get("name"));
        let customer = find("Customer", "customer_id", line.get("customer_id").unwrap());
        assert!(customer.get("created_at").and_then(text) <= order.get("placed_at").and_then(text));
    }
}

fn text(value: &AttributeValue) -> Option<&str> {
    match value {
        AttributeValue::S(text) => Some(text),
        _ => None,
    }
}

#[test]
fn no_parent_has_more_children_than_its_relation_allows() {
    let design = shop();
    let samples = samples(&design, 1000);
    for parent in &design.entities {
        for relation in &parent.relations {
            let max = match relation.cardinality {
                Cardinality::One => 1,
                Cardinality::Few { max } => max as usize,
                Cardinality::Many { .. } => continue,
            };
            let by = relation.by.as_deref().unwrap();
            let mut children: BTreeMap<String, usize> = BTreeMap::new();
            for id in values(&samples, &relation.entity, by) {
                *children.entry(format!("{id:?}")).or_default() += 1;
            }
            assert!(children.values().all(|count| *count <= max), "{} {children:?}", relation.name);
        }
    }
}

#[test]
fn keys_and_unique_values_are_there_once() {
    let design = shop();
    let samples = samples(&design, 3000);
    let key = |item: &Item| (item.get("PK").cloned(), item.get("SK").cloned());
    let all = || samples.iter().flat_map(|sample| std::iter::once(&sample.item).chain(&sample.reservations));
    let keys: Vec<_> = all().map(|item| format!("{:?}", key(item))).collect();
    assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len());
    let emails: Vec<_> = values(&samples, "Customer", "email").into_iter().filter_map(text).collect();
    assert_eq!(emails.iter().collect::<BTreeSet<_>>().len(), emails.len());
    assert!(samples.iter().all(|sample| sample.reservations.len() == sample.entity.unique.len()));
}

#[test]
fn values_keep_their_bounds_and_choices_are_spread() {
    let design = shop();
    let samples = samples(&design, 600);
    for sample in &samples {
        for field in &sample.entity.fields {
            let Some(value) = sample.item.get(&field.name) else {
                assert!(field.optional, "{}.{}", sample.entity.name, field.name);
                continue;
            };
            let json = to_json(EncodedValue::encode(value).view());
            assert_eq!(to_attribute(&field.kind, &json).as_ref(), Ok(value), "{}", field.name);
        }
    }
    let statuses: BTreeSet<_> = values(&samples, "Order", "status").into_iter().filter_map(text).collect();
    assert_eq!(statuses.into_iter().collect::<Vec<_>>(), ["new", "paid", "sent"]);
    assert!(values(&samples, "Customer", "order_count").iter().all(|count| **count == 0.into()));
}

#[test]
fn sparse_indexes_have_some_items_and_lack_some() {
    let design = shop();
    let samples = samples(&design, 600);
    let orders = of(&samples, "Order");
    let flagged = orders.iter().filter(|order| order.get("GSI2PK").is_some()).count();
    assert!(flagged > 0 && flagged < orders.len());
    for order in orders {
        let is_flagged = order.get("flagged") == Some(&AttributeValue::Bool(true));
        assert_eq!(order.get("GSI2PK").is_some(), is_flagged);
    }
}

#[test]
fn nothing_is_gone_already() {
    let design = shop();
    let samples = samples(&design, 300);
    let now = AttributeValue::from(NOW_MS / 1000);
    for expires in values(&samples, "Order", "expires") {
        assert!(expires.as_scalar().unwrap().partial_cmp(&now.as_scalar().unwrap()).unwrap().is_gt());
    }
}

#[test]
fn a_design_with_room_for_few_items_ends_early() {
    let source = r##"
design = "flags"
[table]
key = ["PK", "SK"]
[entity.Flag]
key = ["FLAG#{flag}", "FLAG"]
[entity.Flag.fields]
flag = { type = "string", enum = ["a", "b"] }
"##;
    let design = crate::load("flags.toml", source).unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(samples(&design, 10).len(), 2);
}

#[test]
fn samples_are_planted_with_progress() {
    let design = shop();
    let store = Embedded::new(Database::in_memory().unwrap(), "memory");
    let environment = crate::apply::choose_environment(&design, None).unwrap();
    crate::apply::plan(&design, &environment, &store).unwrap().run(&store, &mut |_| {}).unwrap();
    let mut seen = Vec::new();
    let planted =
        plant(Seeder::new(&design, options(250)), &store, "dev", &mut |done| seen.push(done)).unwrap();
    assert_eq!(planted, 250);
    assert!(seen.len() > 1 && seen.is_sorted() && seen.last() == Some(&250));
    let table = design.tables.first().unwrap().name_in("dev");
    for sample in samples(&design, 250) {
        let key = ["PK", "SK"].iter().map(|name| (*name, sample.item.get(name).unwrap().clone())).collect();
        let get = Get { table: table.clone(), key, consistent: true, projection: None };
        let found = store.get(&get).unwrap().items.into_iter().flatten().next().unwrap();
        assert_eq!(found.decode().unwrap(), sample.item);
    }
    // The same samples again replace themselves.
    assert_eq!(plant(Seeder::new(&design, options(250)), &store, "dev", &mut |_| {}).unwrap(), 250);
}

#[test]
fn every_design_of_the_seeds_has_samples() {
    for name in ["smart-cooking", "nishiki", "shop", "social", "sensors"] {
        let path = format!("{}/../../designs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let source = std::fs::read_to_string(&path).unwrap();
        let design = crate::load(&path, &source).unwrap_or_else(|report| panic!("{report}"));
        let samples = samples(&design, 400);
        assert_eq!(samples.len(), 400, "{name}");
        let texts =
            samples.iter().flat_map(|sample| sample.entity.fields.iter().map(move |field| (sample, field)));
        for (sample, field) in texts.filter(|(_, field)| matches!(field.kind, FieldType::Text { .. })) {
            let value = sample.item.get(&field.name).and_then(text);
            assert!(value.is_none_or(|value| !value.is_empty()), "{name} {}", field.name);
        }
    }
}
