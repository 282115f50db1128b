//! Fields that are set while a condition on the same item holds.

use std::sync::Arc;

use singlet_derive::{Audit, status};
use singlet_design::Json;
use singlet_engine::{Database, ManualClock};
use singlet_run::Wait;

use crate::fixture::{Blog, text};

const DESIGN: &str = r#"
design = "blog"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Recipe]
key  = ["RECIPE#{recipe}", "RECIPE"]
GSI1 = { key = ["APPROVED", "{average:04.1}#{recipe}"], when = "is_approved" }
allow = { constant-partition = "a test" }
[entity.Recipe.fields]
recipe      = "key"
title       = { type = "string", default = "" }
ratings     = { type = "int", count = "Rating" }
average     = { type = "number", average = "Rating.stars", decimals = 1, default = 0, min = 0, max = 99 }
is_approved = { type = "bool", default = false, internal = true }
approval    = { type = "string", optional = true, internal = true }
approved_at = { type = "time", optional = true, internal = true }
level       = { type = "string", enum = ["plain", "good"], default = "plain", internal = true }
label       = { type = "string", optional = true, internal = true }

[entity.Rating]
key = ["RECIPE#{recipe}", "RATING#{user}"]
[entity.Rating.fields]
recipe = { ref = "Recipe" }
user   = "key"
stars  = { type = "int", min = 1, max = 5 }

# An approval by a person stays as it is.
[derive.approve]
of   = "Recipe"
when = "ratings >= 3 and average >= 4 and is_approved = false"
set  = { is_approved = true, approval = "auto", approved_at = "{now}" }

[derive.grade]
of    = "Recipe"
when  = "is_approved = true and average >= 4.5"
set   = { level = "good", label = "{title} ({average:04.1})" }
unset = true

[pattern.save]
create = "Recipe"
[pattern.get]
get = "Recipe"
[pattern.approve]
update = "Recipe"
set    = { is_approved = true, approval = "admin" }
[pattern.reject]
update = "Recipe"
set    = { is_approved = false, approval = "rejected" }
[pattern.retitle]
update = "Recipe"
set    = ["title"]
[pattern.best]
query = "Recipe"
on    = "GSI1"
[pattern.rate]
put = "Rating"
[pattern.unrate]
delete = "Rating"
"#;

struct Kitchen {
    blog: Blog,
    clock: Arc<ManualClock>,
}

impl Kitchen {
    fn new() -> Self {
        Kitchen::on(DESIGN, Database::in_memory().unwrap())
    }

    fn on(design: &str, database: Database) -> Self {
        let blog = Blog::of(design, database);
        Kitchen { blog, clock: Arc::new(ManualClock::new(1_000)) }
    }

    fn save(&self, recipe: &str) {
        self.blog.run("save", &[("recipe", recipe.into()), ("title", "Pho".into())]);
    }

    fn rate(&self, recipe: &str, stars: &[i64]) {
        for (at, stars) in stars.iter().enumerate() {
            let user = format!("u{at}").into();
            let stars = Json::Number((*stars).into());
            self.blog.run("rate", &[("recipe", recipe.into()), ("user", user), ("stars", stars)]);
        }
    }

    fn settle_at(&self, now_ms: u64) {
        self.clock.set_ms(now_ms);
        let mut worker = self.blog.worker().with_clock(self.clock.clone());
        worker.catch_up().wait().unwrap();
    }

    fn field(&self, field: &str) -> Json {
        let recipe = self.blog.run("get", &[("recipe", "r1".into())]);
        recipe.get(field).cloned().unwrap_or(Json::Null)
    }

    fn has_no_difference(&self) {
        let audit = Audit::new(self.blog.store(), self.blog.design.clone(), "dev").unwrap();
        assert_eq!(audit.run(&mut |_| {}).wait().unwrap().differences, []);
    }
}

#[test]
fn fields_are_set_once_the_condition_holds() {
    let kitchen = Kitchen::new();
    kitchen.save("r1");
    kitchen.rate("r1", &[5, 4]);
    kitchen.settle_at(1_000);
    assert_eq!(kitchen.field("is_approved"), Json::Bool(false));
    kitchen.rate("r1", &[5, 4, 5]);
    kitchen.settle_at(2_000);
    assert_eq!(kitchen.field("is_approved"), Json::Bool(true));
    assert_eq!(kitchen.field("approval"), "auto".into());
    assert_eq!(kitchen.field("approved_at"), "1970-01-01T00:00:02.000Z".into());
    // In the same write, the recipe went into the index.
    let item = kitchen.blog.item("RECIPE#r1", "RECIPE").unwrap();
    assert_eq!(text(&item, "GSI1SK").as_deref(), Some("04.7#r1"));
    kitchen.has_no_difference();
}

#[test]
fn the_time_is_that_of_the_transition() {
    let kitchen = Kitchen::new();
    kitchen.save("r1");
    kitchen.rate("r1", &[5, 5, 5]);
    kitchen.settle_at(2_000);
    // The item changes again, and is looked at again.
    kitchen.rate("r1", &[5, 5, 4]);
    kitchen.blog.run("retitle", &[("recipe", "r1".into()), ("title", "Bun".into())]);
    kitchen.settle_at(9_000);
    assert_eq!(kitchen.field("approved_at"), "1970-01-01T00:00:02.000Z".into());
}

#[test]
fn what_is_not_taken_back_stays_when_the_condition_ends() {
    let kitchen = Kitchen::new();
    kitchen.save("r1");
    kitchen.rate("r1", &[5, 5, 5]);
    kitchen.settle_at(2_000);
    kitchen.rate("r1", &[1, 1, 1]);
    kitchen.settle_at(3_000);
    assert_eq!(kitchen.field("is_approved"), Json::Bool(true));
    kitchen.has_no_difference();
}

#[test]
fn one_rule_follows_from_another_and_goes_back() {
    let kitchen = Kitchen::new();
    kitchen.save("r1");
    kitchen.rate("r1", &[5, 5, 4]);
    kitchen.settle_at(2_000);
    assert_eq!(kitchen.field("level"), "good".into());
    assert_eq!(kitchen.field("label"), "Pho (04.7)".into());
    // A value that is made from other fields follows them.
    kitchen.blog.run("retitle", &[("recipe", "r1".into()), ("title", "Bun".into())]);
    kitchen.settle_at(3_000);
    assert_eq!(kitchen.field("label"), "Bun (04.7)".into());
    kitchen.rate("r1", &[4, 4, 4]);
    kitchen.settle_at(4_000);
    assert_eq!((kitchen.field("level"), kitchen.field("label")), ("plain".into(), Json::Null));
    kitchen.has_no_difference();
}

#[test]
fn a_rule_that_asks_whether_its_value_is_set_leaves_others_alone() {
    let kitchen = Kitchen::new();
    kitchen.save("r1");
    kitchen.blog.run("approve", &[("recipe", "r1".into())]);
    kitchen.rate("r1", &[5, 5, 5]);
    kitchen.settle_at(2_000);
    assert_eq!(kitchen.field("approval"), "admin".into());
    assert_eq!(kitchen.field("approved_at"), Json::Null);
}

#[test]
fn values_that_a_program_overwrites_come_back() {
    let kitchen = Kitchen::new();
    kitchen.save("r1");
    kitchen.rate("r1", &[5, 5, 5]);
    kitchen.settle_at(2_000);
    // A program with an SDK changes a field that follows from others, and takes the index key away.
    let mut item = kitchen.blog.item("RECIPE#r1", "RECIPE").unwrap();
    item.insert("level", "plain");
    item.remove("label");
    kitchen.blog.put_raw(item);
    kitchen.settle_at(3_000);
    assert_eq!((kitchen.field("level"), kitchen.field("label")), ("good".into(), "Pho (05.0)".into()));
}

#[test]
fn a_new_rule_is_applied_to_existing_items() {
    let database = Database::in_memory().unwrap();
    let start = DESIGN.find("# An approval").unwrap();
    let end = DESIGN.find("[pattern.save]").unwrap();
    let before = Kitchen::on(&format!("{}{}", &DESIGN[..start], &DESIGN[end..]), database.clone());
    before.save("r1");
    before.rate("r1", &[5, 5, 5]);
    before.settle_at(1_000);
    assert_eq!(before.field("is_approved"), Json::Bool(false));
    let kitchen = Kitchen::on(DESIGN, database.clone());
    // The worker is stopped after each step.
    for _ in 0..10 {
        let mut worker = kitchen.blog.worker();
        worker.step(std::time::Duration::ZERO).wait().unwrap();
    }
    kitchen.settle_at(5_000);
    assert_eq!(kitchen.field("is_approved"), Json::Bool(true));
    assert_eq!(kitchen.field("level"), "good".into());
    let status = status(&kitchen.blog.store(), &kitchen.blog.design, "dev").wait().unwrap();
    let names: Vec<&str> = status.rules.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, ["Recipe.ratings", "Recipe.average", "derive.approve", "derive.grade"]);
    let meaning = "Recipe.level, Recipe.label set when is_approved = true and average >= 4.5";
    assert_eq!(status.rules[3].meaning, meaning);
    kitchen.has_no_difference();
    // A changed condition is applied to existing items as well.
    let kitchen = Kitchen::on(&DESIGN.replace("average >= 4.5", "average >= 9"), database);
    kitchen.settle_at(6_000);
    assert_eq!(kitchen.field("level"), "plain".into());
}

#[test]
fn planted_differences_are_found_and_repaired() {
    let kitchen = Kitchen::new();
    for recipe in ["r1", "r2", "r3"] {
        kitchen.save(recipe);
        kitchen.rate(recipe, &[5, 5, 5]);
    }
    kitchen.settle_at(2_000);
    let mut item = kitchen.blog.item("RECIPE#r2", "RECIPE").unwrap();
    item.insert("level", "plain");
    kitchen.blog.put_raw(item);
    kitchen.blog.lose_changes();
    kitchen.settle_at(3_000);
    let audit = Audit::new(kitchen.blog.store(), kitchen.blog.design.clone(), "dev").unwrap();
    let report = audit.run(&mut |_| {}).wait().unwrap();
    assert_eq!(report.differing, 1);
    assert_eq!(report.differences[0].field, "level");
    assert_eq!(report.differences[0].correct, Some("good".into()));
    assert_eq!(audit.repair(&report).wait().unwrap(), 1);
    kitchen.has_no_difference();
}

#[test]
fn an_item_that_cannot_take_its_values_blocks_nothing_else() {
    let kitchen = Kitchen::new();
    for recipe in ["r1", "r2"] {
        kitchen.save(recipe);
        kitchen.rate(recipe, &[5, 5]);
    }
    kitchen.settle_at(1_000);
    let mut large = kitchen.blog.item("RECIPE#r2", "RECIPE").unwrap();
    let room = 400 * 1024 - large.size_bytes() - "filler".len() - 10;
    large.insert("filler", "x".repeat(room));
    kitchen.blog.put_raw(large.clone());
    kitchen.rate("r1", &[5, 5, 5]);
    kitchen.rate("r2", &[5, 5, 5]);
    kitchen.settle_at(2_000);
    assert_eq!(kitchen.field("is_approved"), Json::Bool(true));
    let status = status(&kitchen.blog.store(), &kitchen.blog.design, "dev").wait().unwrap();
    assert_eq!(status.stuck, 1);
    assert!(status.stuck_items[0].reason.contains("400 KB"), "{:?}", status.stuck_items);
    large.remove("filler");
    kitchen.blog.put_raw(large);
    kitchen.settle_at(3_000);
    kitchen.has_no_difference();
}
