use std::collections::{BTreeMap, BTreeSet};

use singlet_design::{Cardinality, FieldType, to_attribute, to_json};
use singlet_engine::Database;
use singlet_store::{Embedded, GetItem, Store};
use singlet_values::{AttributeValue, EncodedValue, Item};

use super::*;
use crate::blocking::Wait;

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
addresses = { many = "Address", via = "customer_id", max = 2 }
privacy   = { one = "Privacy", via = "customer_id" }
orders    = { many = "Order", via = "customer_id", usual = 4 }

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
lines = { many = "Line", via = "order_id", max = 6 }

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
    singlet_design::load("shop.toml", SHOP).unwrap_or_else(|report| panic!("{report}"))
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
                Cardinality::Many { max: Some(max), .. } => max as usize,
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
    for customer in of(&samples, "Customer") {
        let orders = of(&samples, "Order");
        let own = orders.iter().filter(|order| order.get("customer_id") == customer.get("customer_id"));
        assert_eq!(customer.get("order_count"), Some(&AttributeValue::from(own.count() as u64)));
    }
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
    let design = singlet_design::load("flags.toml", source).unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(samples(&design, 10).len(), 2);
}

#[test]
fn samples_are_planted_with_progress() {
    let design = shop();
    // By the clock of the samples: by today's they have expired, and the database would delete them.
    let clock = std::sync::Arc::new(singlet_engine::ManualClock::new(NOW_MS));
    let options_of_database = singlet_engine::Options { clock, ..singlet_engine::Options::default() };
    let store = Embedded::new(Database::in_memory_with(options_of_database).unwrap(), "memory");
    let environment = crate::apply::choose_environment(&design, None).unwrap();
    crate::apply::plan(&design, &environment, &store)
        .wait()
        .unwrap()
        .run(&store, &mut |_| {})
        .wait()
        .unwrap();
    let mut seen = Vec::new();
    let planted =
        plant(Seeder::new(&design, options(250)), &store, "dev", &mut |done| seen.push(done)).wait().unwrap();
    assert_eq!(planted, 250);
    assert!(seen.len() > 1 && seen.is_sorted() && seen.last() == Some(&250));
    let table = design.tables.first().unwrap().name_in("dev");
    for sample in samples(&design, 250) {
        let key = ["PK", "SK"].iter().map(|name| (*name, sample.item.get(name).unwrap().clone())).collect();
        let get = GetItem { table: table.clone(), key, consistent: true, projection: None };
        let found = store.get(get).wait().unwrap().item.unwrap();
        assert_eq!(found.decode().unwrap(), sample.item);
    }
    // The same samples again replace themselves.
    assert_eq!(plant(Seeder::new(&design, options(250)), &store, "dev", &mut |_| {}).wait().unwrap(), 250);
}

#[test]
fn every_design_of_the_seeds_has_samples() {
    for name in [
        "smart-cooking",
        "nishiki",
        "shop",
        "shop-documents",
        "social",
        "sensors",
        "jobs",
        "metering",
        "chat",
    ] {
        let path = format!("{}/../../designs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let source = std::fs::read_to_string(&path).unwrap();
        let design = singlet_design::load(&path, &source).unwrap_or_else(|report| panic!("{report}"));
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

/// The designs of the repository and those of the tests, each loaded.
fn all_designs() -> Vec<(String, Design)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [root.join("../../designs"), root.join("../design/tests/good")];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|kind| kind == "toml"));
    files.sort();
    let load = |path: std::path::PathBuf| {
        let name = path.display().to_string();
        let source = std::fs::read_to_string(&path).unwrap();
        let design = singlet_design::load(&name, &source).unwrap_or_else(|report| panic!("{report}"));
        (name, design)
    };
    files.into_iter().map(load).collect()
}

fn elements(value: &AttributeValue) -> Vec<AttributeValue> {
    match value {
        AttributeValue::L(elements) => elements.clone(),
        AttributeValue::Ss(texts) => texts.iter().map(|text| AttributeValue::from(text.as_str())).collect(),
        other => vec![other.clone()],
    }
}

#[test]
fn references_resolve_in_every_design() {
    for (name, design) in all_designs() {
        for seed in 1..4 {
            let options = SeedOptions { seed, ..options(300) };
            let samples: Vec<Sample> = Seeder::new(&design, options).map(Result::unwrap).collect();
            for sample in &samples {
                for field in &sample.entity.fields {
                    let (Some(target), Some(value)) = (&field.refers_to, sample.item.get(&field.name)) else {
                        continue;
                    };
                    for held in elements(value) {
                        let resolves = of(&samples, target)
                            .iter()
                            .any(|item| item.iter().any(|(_, known)| *known == held));
                        assert!(resolves, "{name}, seed {seed}: {}.{}", sample.entity.name, field.name);
                    }
                }
            }
        }
    }
}

#[test]
fn times_are_in_order_and_nothing_has_expired_in_every_design() {
    let now = AttributeValue::from(NOW_MS / 1000);
    for (name, design) in all_designs() {
        for sample in samples(&design, 300) {
            let place = format!("{name}: {}", sample.entity.name);
            let ttl = sample.entity.table.ttl.as_deref().and_then(|ttl| sample.item.get(ttl));
            if let Some(ttl @ AttributeValue::N(_)) = ttl {
                let order = ttl.as_scalar().unwrap().partial_cmp(&now.as_scalar().unwrap());
                assert!(order.unwrap().is_gt(), "{place} has expired: {ttl:?}");
            }
            let time = |field: &singlet_design::Field| match &field.kind {
                FieldType::Time => sample.item.get(&field.name).and_then(text).map(str::to_owned),
                _ => None,
            };
            for first in &sample.entity.fields {
                for last in &sample.entity.fields {
                    let ordered = names::order(&first.name) == names::TimeOrder::First
                        && names::order(&last.name) == names::TimeOrder::Last;
                    if let (true, Some(first), Some(last)) = (ordered, time(first), time(last)) {
                        assert!(first <= last, "{place}: {first} {last}");
                    }
                }
            }
        }
    }
}

const TICKETS: &str = r##"
design = "tickets"

[table]
key = ["PK", "SK"]
ttl = "expires"

[entity.Organisation]
key = ["ORG#{org_id}", "ORG"]
[entity.Organisation.fields]
org_id = "id"
name   = "string"

[entity.User]
key = ["USER#{user_id}", "USER"]
[entity.User.fields]
user_id      = "id"
organisation = { type = "key", ref = "Organisation" }
email        = "string"

[entity.Project]
key = ["ORG#{org_id}", "PROJECT#{project_id}"]
[entity.Project.fields]
org_id     = { type = "key", ref = "Organisation" }
project_id = "id"
lead       = { type = "key", ref = "User" }

[entity.Ticket]
key = ["PROJECT#{project_id}", "TICKET#{ticket_id}"]
[entity.Ticket.fields]
project_id = { type = "key", ref = "Project" }
ticket_id  = "id"
assignee   = { type = "key", ref = "User" }
reporter   = { type = "key", ref = "User" }
watchers   = { type = "set", of = "key", ref = "User", optional = true }

[entity.Worklog]
key = ["TICKET#{ticket_id}#{day}", "{logged_at}#{worklog_id}"]
[entity.Worklog.fields]
project_id = { type = "key", ref = "Project" }
ticket_id  = { type = "key", ref = "Ticket" }
worklog_id = "id"
user_id    = { type = "key", ref = "User" }
day        = "date"
logged_at  = "time"

[entity.Lock]
key = ["LOCK#{ticket_id}", "LOCK"]
ttl = "5 minutes after taken_at"
[entity.Lock.fields]
ticket_id = { type = "key", ref = "Ticket" }
taken_at  = "created"
"##;

#[test]
fn references_that_lead_to_one_organisation_agree() {
    let design = singlet_design::load("tickets.toml", TICKETS).unwrap_or_else(|report| panic!("{report}"));
    let samples = samples(&design, 600);
    let found = |entity: &str, field: &str, id: &AttributeValue| {
        of(&samples, entity).into_iter().find(|item| item.get(field) == Some(id)).unwrap()
    };
    let organisation = |user: &AttributeValue| found("User", "user_id", user).get("organisation").cloned();
    let tickets = of(&samples, "Ticket");
    let mut organisations = BTreeSet::new();
    for ticket in &tickets {
        let project = found("Project", "project_id", ticket.get("project_id").unwrap());
        let org = project.get("org_id").cloned();
        organisations.insert(format!("{org:?}"));
        assert_eq!(organisation(project.get("lead").unwrap()), org);
        for person in ["assignee", "reporter"] {
            assert_eq!(organisation(ticket.get(person).unwrap()), org, "{person}");
        }
        for watcher in ticket.get("watchers").map(elements).unwrap_or_default() {
            assert_eq!(organisation(&watcher), org, "watcher");
        }
    }
    assert!(tickets.len() > 100 && organisations.len() > 3, "{} {}", tickets.len(), organisations.len());
    for worklog in of(&samples, "Worklog") {
        let ticket = found("Ticket", "ticket_id", worklog.get("ticket_id").unwrap());
        assert_eq!(ticket.get("project_id"), worklog.get("project_id"));
        let logged_at = worklog.get("logged_at").and_then(text).unwrap();
        assert_eq!(worklog.get("day").and_then(text), logged_at.get(..10));
    }
}

#[test]
fn short_lives_begin_shortly_before_the_present() {
    let design = singlet_design::load("tickets.toml", TICKETS).unwrap_or_else(|report| panic!("{report}"));
    let samples = samples(&design, 300);
    let locks = values(&samples, "Lock", "expires");
    assert!(!locks.is_empty());
    for expires in locks {
        let AttributeValue::N(expires) = expires else { panic!("{expires:?}") };
        let left = expires.to_i64().unwrap() - NOW_MS as i64 / 1000;
        assert!((1..=300).contains(&left), "{left}");
    }
}

#[test]
fn references_in_a_circle_resolve() {
    let source = r##"
design = "circle"
[table]
key = ["PK", "SK"]
[entity.Team]
key = ["TEAM#{team_id}", "TEAM"]
[entity.Team.fields]
team_id = "id"
lead    = { type = "key", ref = "Player" }
[entity.Player]
key = ["PLAYER#{player_id}", "PLAYER"]
[entity.Player.fields]
player_id = "id"
team_id   = { type = "key", ref = "Team" }
mentor    = { type = "key", ref = "Player" }
"##;
    let design = singlet_design::load("circle.toml", source).unwrap_or_else(|report| panic!("{report}"));
    let samples = samples(&design, 40);
    let players = values(&samples, "Player", "player_id");
    let teams = values(&samples, "Team", "team_id");
    assert!(values(&samples, "Team", "lead").iter().all(|lead| players.contains(lead)));
    assert!(values(&samples, "Player", "mentor").iter().all(|mentor| players.contains(mentor)));
    assert!(values(&samples, "Player", "team_id").iter().all(|team| teams.contains(team)));
}

#[test]
fn totals_add_up_where_a_transaction_declares_them() {
    let source = r##"
design = "totals"
[table]
key = ["PK", "SK"]
[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Post]
key  = ["POST#{post_id}", "POST"]
GSI1 = ["POPULAR", "{likes:05}#{post_id}"]
[entity.Post.fields]
post_id = "id"
likes   = { type = "int", min = 0, max = 99999, default = 0 }
tipped  = { type = "number", min = 0, default = 0 }
view_count = { type = "int", default = 0 }

[entity.Like]
key = ["POST#{post}", "LIKE#{like_id}"]
[entity.Like.fields]
post    = { type = "key", ref = "Post" }
like_id = "id"
tip     = { type = "number", min = 0 }

[pattern.add_like]
create = "Like"
[pattern.raise]
update = "Post"
add    = { likes = 1, tipped = "{amount}" }
[pattern.like]
[pattern.like.transaction]
like = { run = "add_like" }
post = { run = "raise", with = { post_id = "{post}", amount = "{tip}" } }
"##;
    let design = singlet_design::load("totals.toml", source).unwrap_or_else(|report| panic!("{report}"));
    let samples = samples(&design, 200);
    let mut with_likes = 0;
    for post in of(&samples, "Post") {
        let likes: Vec<&Item> = of(&samples, "Like");
        let likes: Vec<_> = likes.iter().filter(|like| like.get("post") == post.get("post_id")).collect();
        let tipped = likes.iter().fold(singlet_values::Number::ZERO, |sum, like| match like.get("tip") {
            Some(AttributeValue::N(tip)) => sum.checked_add(tip).unwrap(),
            other => panic!("{other:?}"),
        });
        with_likes += usize::from(!likes.is_empty());
        assert_eq!(post.get("likes"), Some(&AttributeValue::from(likes.len() as u64)));
        assert_eq!(post.get("tipped"), Some(&AttributeValue::N(tipped)));
        assert_eq!(post.get("view_count"), Some(&AttributeValue::from(0_u64)));
        let popular = post.get("GSI1SK").and_then(text).unwrap();
        assert!(popular.starts_with(&format!("{:05}#", likes.len())), "{popular}");
    }
    assert!(with_likes > 10);
}

#[test]
fn counters_without_a_source_stay_at_zero() {
    let source = r##"
design = "library"
[table]
key = ["PK", "SK"]
[entity.Book]
key = ["BOOK#{book_id}", "BOOK"]
[entity.Book.fields]
book_id = "id"
loans   = { type = "int", default = 0 }
marks   = { type = "number", default = 0, internal = true }
pages   = { type = "int", min = 0, max = 900, default = 0 }
[pattern.add]
create = "Book"
[pattern.lend]
update = "Book"
add    = { loans = 1 }
"##;
    let design = singlet_design::load("library.toml", source).unwrap_or_else(|report| panic!("{report}"));
    let samples = samples(&design, 100);
    let zero = AttributeValue::from(0_u64);
    for field in ["loans", "marks"] {
        assert!(values(&samples, "Book", field).iter().all(|value| **value == zero), "{field}");
    }
    assert!(values(&samples, "Book", "pages").iter().any(|value| **value != zero));
}

#[test]
fn other_samples_over_those_that_are_there_are_refused_with_what_to_do() {
    let store = Embedded::new(Database::in_memory().unwrap(), "memory");
    let design = shop();
    let environment = crate::apply::choose_environment(&design, None).unwrap();
    let plan = crate::apply::plan(&design, &environment, &store).wait().unwrap();
    plan.run(&store, &mut |_| {}).wait().unwrap();
    let planted = |seed: u64, items: u64| {
        let options = SeedOptions { seed, ..options(items) };
        plant(Seeder::new(&design, options), &store, &environment.name, &mut |_| {}).wait()
    };
    planted(1, 300).unwrap();
    planted(1, 300).unwrap();
    let error = (2..20).find_map(|seed| planted(seed, 300).err()).unwrap().to_string();
    assert!(error.contains("`--items`") && error.contains("--remove"), "{error}");
}

/// The samples of a design that is shipped.
fn shipped(name: &str) -> Vec<Sample> {
    let design =
        all_designs().into_iter().find(|(known, _)| known.ends_with(&format!("{name}.toml"))).unwrap().1;
    samples(&design, 300)
}

#[test]
fn samples_of_the_shipped_designs_make_sense() {
    let kitchen = shipped("nishiki");
    for container in of(&kitchen, "Container") {
        for food in container.get("foods").map(elements).unwrap_or_default() {
            let AttributeValue::M(food) = food else { panic!("{food:?}") };
            assert!(
                food.get("name").is_none_or(|name| Some(name) != container.get("container_name")),
                "{food:?}"
            );
        }
    }
    assert!(values(&shipped("shop"), "Customer", "order_summary").is_empty(), "nothing adds it up");
    let cooking = shipped("smart-cooking");
    for calories in values(&cooking, "Recipe", "calories_per_serving") {
        assert!(matches!(calories, AttributeValue::N(number) if *number >= 220.into()), "{calories:?}");
    }
    let users = of(&cooking, "User");
    for post in of(&cooking, "Post") {
        let author = users.iter().find(|user| user.get("user_id") == post.get("user_id")).unwrap();
        assert!(post.get("user_name").is_none_or(|name| Some(name) == author.get("username")), "{post:?}");
        for image in post.get("images").map(elements).unwrap_or_default() {
            assert!(text(&image).is_some_and(|image| image.starts_with("https://")), "{image:?}");
        }
    }
}

/// A hotel: rooms are numbered in each of several, a night refers to its room directly and through the booking.
const HOTEL: &str = r##"
design = "hotel"

[table]
key = ["PK", "SK"]

[entity.Hotel]
key = ["HOTEL#{hotel_id}", "HOTEL"]
[entity.Hotel.fields]
hotel_id = "id"
name     = "string"

[entity.Guest]
key = ["GUEST#{guest_id}", "GUEST"]
[entity.Guest.fields]
guest_id = "id"
name     = "string"
email    = "string"

[entity.Room]
key = ["HOTEL#{hotel_id}", "ROOM#{room_number}"]
[entity.Room.fields]
hotel_id    = { type = "key", ref = "Hotel" }
room_number = "key"

[entity.Night]
key = ["HOTEL#{hotel_id}", "NIGHT#{room}#{night}"]
[entity.Night.fields]
hotel_id = { type = "key", ref = "Hotel" }
room     = { type = "key", ref = "Room" }
booking  = { type = "key", ref = "Booking" }
night    = "date"

[entity.Booking]
key = ["BOOKING#{booking_id}", "BOOKING"]
[entity.Booking.fields]
booking_id = "id"
guest_id   = { type = "key", ref = "Guest" }
room_number = { type = "key", ref = "Room" }
hotel_id    = { type = "key", ref = "Hotel" }
check_out  = "date"
check_in   = "date"
booked_at  = "created"

[entity.Payment]
key = ["GUEST#{paid_by}", "PAYMENT#{payment_id}"]
[entity.Payment.fields]
payment_id = "id"
paid_by    = { type = "key", ref = "Guest" }
booking    = { type = "key", ref = "Booking" }

[entity.Invoice]
key = ["INVOICE#{invoice_id}", "INVOICE"]
[entity.Invoice.fields]
invoice_id = "id"
guest_id   = { type = "key", ref = "Guest" }
booking_id = { type = "key", ref = "Booking" }

[entity.Offer]
key = ["HOTEL#{hotel_id}", "OFFER#{offer_id}"]
[entity.Offer.fields]
hotel_id    = { type = "key", ref = "Hotel" }
offer_id    = "id"
valid_from  = "date"
valid_until = "date"
starts_at   = "time"
ends_at     = "time"
from        = "epoch"
to          = "epoch"
arrival     = "time"
departure   = "time"
breakfasts  = { type = "list", max = 3, of = { type = "object", fields = { opens = "time", closes = "time" } } }
"##;

fn hotel() -> Design {
    singlet_design::load("hotel.toml", HOTEL).unwrap_or_else(|report| panic!("{report}"))
}

/// Whether one value of an item is less than another.
fn is_before(item: &Item, begin: &str, end: &str) -> bool {
    let value = |name: &str| item.get(name).and_then(AttributeValue::as_scalar);
    value(begin).unwrap().partial_cmp(&value(end).unwrap()).is_some_and(std::cmp::Ordering::is_lt)
}

#[test]
fn what_begins_and_ends_ends_after_its_beginning() {
    let design = hotel();
    let samples = samples(&design, 600);
    for booking in of(&samples, "Booking") {
        assert!(is_before(booking, "check_in", "check_out"), "{booking:?}");
    }
    let offers = of(&samples, "Offer");
    assert!(offers.len() > 20, "{}", offers.len());
    for offer in offers {
        for (begin, end) in [
            ("valid_from", "valid_until"),
            ("starts_at", "ends_at"),
            ("from", "to"),
            ("arrival", "departure"),
        ] {
            assert!(is_before(offer, begin, end), "{begin} {end}: {offer:?}");
        }
        for breakfast in offer.get("breakfasts").map(elements).unwrap_or_default() {
            let AttributeValue::M(breakfast) = breakfast else { panic!("{breakfast:?}") };
            assert!(is_before(&breakfast, "opens", "closes"), "{breakfast:?}");
        }
    }
}

#[test]
fn what_an_item_refers_to_directly_it_also_refers_to_through_others() {
    let design = hotel();
    let samples = samples(&design, 600);
    let bookings = of(&samples, "Booking");
    let booking = |id: &AttributeValue| {
        bookings.iter().find(|booking| booking.get("booking_id") == Some(id)).unwrap().to_owned()
    };
    for (entity, by, own, through) in [
        ("Night", "booking", "room", "room_number"),
        ("Night", "booking", "hotel_id", "hotel_id"),
        ("Payment", "booking", "paid_by", "guest_id"),
        ("Invoice", "booking_id", "guest_id", "guest_id"),
    ] {
        let children = of(&samples, entity);
        assert!(children.len() > 30, "{entity}: {}", children.len());
        for child in children {
            let parent = booking(child.get(by).unwrap());
            assert_eq!(child.get(own), parent.get(through), "{entity}: {child:?} {parent:?}");
        }
    }
    let rooms = of(&samples, "Room");
    for booking in bookings {
        let is_it = |room: &&&Item| {
            ["hotel_id", "room_number"].iter().all(|name| room.get(name) == booking.get(name))
        };
        assert!(rooms.iter().any(|room| is_it(&room)), "{booking:?}");
    }
}
