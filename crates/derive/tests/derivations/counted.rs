//! Items that exist exactly as long as others count for them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use singlet_derive::{Audit, Worker, status};
use singlet_design::Json;
use singlet_engine::{Database, ManualClock};
use singlet_run::Wait;
use singlet_store::Embedded;
use singlet_values::{AttributeValue, Item};

use crate::fixture::{Blog, text};

const DESIGN: &str = r#"
design = "blog"

[table]
key = ["PK", "SK"]
ttl = "expires_at"

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Recipe]
key    = ["RECIPE#{recipe}", "RECIPE"]
GSI1   = ["COOK#{recipe}", "RECIPE"]
fields = { recipe = "key", title = "string" }

[entity.Meal]
key    = ["USER#{user}", "MEAL#{meal}"]
fields = { user = "key", meal = "key", recipe = "key", at = { type = "time", optional = true } }

[entity.Trend]
key     = ["RECIPE#{recipe}", "WEEK#{at:week}"]
GSI1    = ["WEEK#{at:week}", "{meals:04}#{recipe}"]
ttl     = "5 weeks after at"
counted = true
allow   = { time-partition = "a test" }

[entity.Trend.fields]
recipe  = { ref = "Recipe" }
at      = "time"
meals   = { type = "int", count = "Meal", max = 9999 }
title   = { type = "string", copy = "Recipe.title", via = "recipe", optional = true }
is_hot  = { type = "bool", default = false, internal = true }
made_at = "created"

[derive.heat]
of    = "Trend"
when  = "meals >= 2"
set   = { is_hot = true }
unset = true

[pattern.recipe]
create = "Recipe"
[pattern.cook]
put = "Meal"
[pattern.forget]
delete = "Meal"
[pattern.trending]
query = "Trend"
on    = "GSI1"
order = "highest"
limit = 3
[pattern.trend]
get = "Trend"
"#;

/// 2035-01-22T10:00:00Z, a Monday.
const START_MS: u64 = 2_053_072_800_000;

struct Kitchen {
    blog: Blog,
    clock: Arc<ManualClock>,
}

impl Kitchen {
    fn new() -> Self {
        let blog = Blog::of(DESIGN, Database::in_memory().unwrap());
        Kitchen { blog, clock: Arc::new(ManualClock::new(START_MS)) }
    }

    fn worker(&self) -> Worker<Embedded> {
        self.blog.worker().with_clock(self.clock.clone())
    }

    fn cook(&self, meal: &str, recipe: &str, day: &str) {
        let at = format!("{day}T18:30:00Z");
        let own = [("user", "u".into()), ("meal", meal.into())];
        self.blog.run("cook", &[own.as_slice(), &[("recipe", recipe.into()), ("at", at.into())]].concat());
    }

    fn forget(&self, meal: &str) {
        self.blog.run("forget", &[("user", "u".into()), ("meal", meal.into())]);
    }

    /// The recipes of a week, most cooked first.
    fn trending(&self, day: &str) -> Vec<String> {
        let found = self.blog.run("trending", &[("at", format!("{day}T00:00:00Z").into())]);
        let items = found.get("items").and_then(Json::as_list).unwrap();
        items
            .iter()
            .map(|item| format!("{} {}", item.get("recipe").unwrap(), item.get("meals").unwrap()))
            .collect()
    }

    /// Works until nothing is left to do, and audits.
    fn settle(&self) {
        self.worker().catch_up().wait().unwrap();
        self.audits();
    }

    fn audits(&self) {
        let audit = Audit::new(self.blog.store(), self.blog.design.clone(), "dev").unwrap();
        let audit = audit.with_clock(&*self.clock);
        assert_eq!(audit.run(&mut |_| {}).wait().unwrap().differences, []);
    }

    fn trends(&self) -> Vec<Item> {
        let all = self.blog.all_of("blog");
        all.into_iter().filter(|item| item.get("type") == Some(&AttributeValue::from("Trend"))).collect()
    }
}

#[test]
fn an_item_appears_with_the_first_that_counts_and_goes_with_the_last() {
    let kitchen = Kitchen::new();
    kitchen.settle();
    kitchen.blog.run("recipe", &[("recipe", "pho".into()), ("title", "Phở".into())]);
    kitchen.cook("m1", "pho", "2035-01-24");
    kitchen.settle();
    let trend = kitchen.blog.item("RECIPE#pho", "WEEK#2035-W04").unwrap();
    assert_eq!(text(&trend, "at").as_deref(), Some("2035-01-22T00:00:00.000Z"), "the Monday");
    assert_eq!(text(&trend, "title").as_deref(), Some("Phở"), "copied along its reference");
    assert_eq!(text(&trend, "GSI1SK").as_deref(), Some("0001#pho"));
    kitchen.cook("m2", "pho", "2035-01-28");
    kitchen.settle();
    assert_eq!(kitchen.trending("2035-01-22"), [r#""pho" 2"#]);
    let trend = kitchen.blog.item("RECIPE#pho", "WEEK#2035-W04").unwrap();
    assert_eq!(trend.get("is_hot"), Some(&AttributeValue::Bool(true)));
    kitchen.forget("m1");
    kitchen.forget("m2");
    kitchen.settle();
    assert_eq!(kitchen.trends(), []);
    let status = status(&kitchen.blog.store(), &kitchen.blog.design, "dev").wait().unwrap();
    assert_eq!((status.waiting, status.stuck), (0, 0));
    // It can appear again.
    kitchen.cook("m3", "pho", "2035-01-23");
    kitchen.settle();
    assert_eq!(kitchen.trending("2035-01-22"), [r#""pho" 1"#]);
}

#[test]
fn a_meal_that_is_moved_counts_in_the_other_week() {
    let kitchen = Kitchen::new();
    kitchen.cook("m1", "pho", "2035-01-28");
    kitchen.settle();
    kitchen.cook("m1", "pho", "2035-01-29");
    kitchen.settle();
    assert_eq!(kitchen.trending("2035-01-28"), Vec::<String>::new());
    assert_eq!(kitchen.trending("2035-01-29"), [r#""pho" 1"#]);
}

#[test]
fn an_item_that_has_expired_is_not_made_again() {
    let kitchen = Kitchen::new();
    kitchen.cook("m1", "pho", "2035-01-24");
    kitchen.settle();
    kitchen.clock.advance_ms(36 * 24 * 3600 * 1000);
    kitchen.blog.delete_raw("RECIPE#pho", "WEEK#2035-W04");
    kitchen.cook("m2", "pho", "2035-01-25");
    kitchen.settle();
    assert_eq!(kitchen.trends(), []);
    let status = status(&kitchen.blog.store(), &kitchen.blog.design, "dev").wait().unwrap();
    assert_eq!((status.waiting, status.stuck), (0, 0));
}

#[test]
fn items_that_programs_write_or_delete_are_put_right() {
    let kitchen = Kitchen::new();
    kitchen.cook("m1", "pho", "2035-01-24");
    kitchen.settle();
    kitchen.blog.delete_raw("RECIPE#pho", "WEEK#2035-W04");
    let mut forged =
        Item::from([("PK", "RECIPE#bun"), ("SK", "WEEK#2035-W04"), ("type", "Trend"), ("recipe", "bun")]);
    forged.insert("at", "2035-01-22T00:00:00.000Z");
    forged.insert("meals", 7u64);
    kitchen.blog.put_raw(forged);
    kitchen.settle();
    assert_eq!(kitchen.trends().len(), 1);
    assert_eq!(kitchen.trending("2035-01-22"), [r#""pho" 1"#]);
}

#[test]
fn an_audit_makes_a_missing_item() {
    let kitchen = Kitchen::new();
    kitchen.settle();
    kitchen.cook("m1", "pho", "2035-01-24");
    kitchen.blog.lose_changes();
    let audit = Audit::new(kitchen.blog.store(), kitchen.blog.design.clone(), "dev").unwrap();
    let audit = audit.with_clock(&*kitchen.clock);
    let report = audit.run(&mut |_| {}).wait().unwrap();
    assert_eq!(report.differences.len(), 1);
    audit.repair(&report).wait().unwrap();
    assert_eq!(kitchen.trending("2035-01-22"), [r#""pho" 1"#]);
    kitchen.settle();
}

#[test]
fn another_item_under_the_key_stops_nothing_else() {
    let kitchen = Kitchen::new();
    let other = Item::from([("PK", "RECIPE#pho"), ("SK", "WEEK#2035-W04"), ("type", "Note")]);
    kitchen.blog.put_raw(other);
    kitchen.cook("m1", "pho", "2035-01-24");
    kitchen.cook("m2", "bun", "2035-01-24");
    kitchen.worker().catch_up().wait().unwrap();
    assert_eq!(kitchen.trending("2035-01-22"), [r#""bun" 1"#]);
    let status = status(&kitchen.blog.store(), &kitchen.blog.design, "dev").wait().unwrap();
    assert_eq!(status.stuck, 1);
}

#[derive(Debug, Clone)]
enum Act {
    Cook(u8, u8, u8),
    Forget(u8),
    /// A program deletes an item that is counted.
    Drop(u8, u8),
    Work(bool, u8),
    Restart(bool),
    Rebuild,
}

fn act() -> impl Strategy<Value = Act> {
    let (meal, recipe, week) = (0u8..12, 0u8..4, 0u8..2);
    prop_oneof![
        8 => (meal.clone(), recipe.clone(), week.clone()).prop_map(|(meal, recipe, week)| Act::Cook(meal, recipe, week)),
        4 => meal.prop_map(Act::Forget),
        1 => (recipe, week).prop_map(|(recipe, week)| Act::Drop(recipe, week)),
        6 => (any::<bool>(), 1u8..4).prop_map(|(which, steps)| Act::Work(which, steps)),
        2 => any::<bool>().prop_map(Act::Restart),
        1 => Just(Act::Rebuild),
    ]
}

/// Plays with two workers that overtake and replace each other at any point.
fn play(acts: &[Act]) -> Result<(), TestCaseError> {
    let kitchen = Kitchen::new();
    let mut workers = [kitchen.worker(), kitchen.worker()];
    let mut meals: BTreeMap<u8, (u8, u8)> = BTreeMap::new();
    for act in acts {
        match act {
            Act::Cook(meal, recipe, week) => {
                meals.insert(*meal, (*recipe, *week));
                kitchen.cook(
                    &format!("m{meal}"),
                    &format!("r{recipe}"),
                    ["2035-01-24", "2035-02-01"][usize::from(*week)],
                );
            }
            Act::Forget(meal) => {
                meals.remove(meal);
                _ = kitchen
                    .blog
                    .try_run("forget", &[("user", "u".into()), ("meal", format!("m{meal}").into())]);
            }
            Act::Drop(recipe, week) => {
                kitchen.blog.delete_raw(
                    &format!("RECIPE#r{recipe}"),
                    ["WEEK#2035-W04", "WEEK#2035-W05"][usize::from(*week)],
                );
            }
            Act::Work(which, steps) => {
                for _ in 0..*steps {
                    workers[usize::from(*which)].step(Duration::ZERO).wait().unwrap();
                }
            }
            Act::Restart(which) => workers[usize::from(*which)] = kitchen.worker(),
            Act::Rebuild => workers[0].rebuild(&[]).wait().unwrap(),
        }
    }
    workers[0].catch_up().wait().unwrap();
    kitchen.audits();
    let mut numbers: BTreeMap<(u8, u8), u32> = BTreeMap::new();
    meals.values().for_each(|(recipe, week)| *numbers.entry((*week, *recipe)).or_default() += 1);
    prop_assert_eq!(kitchen.trends().len(), numbers.len(), "no item without a meal");
    for (week, day) in [(0, "2035-01-22"), (1, "2035-01-29")] {
        let mut expected: Vec<(u32, u8)> = numbers
            .iter()
            .filter(|((own, _), _)| *own == week)
            .map(|((_, recipe), count)| (*count, *recipe))
            .collect();
        // Ties are in the order of the recipes.
        expected.sort_by(|one, other| other.cmp(one));
        let expected: Vec<String> =
            expected.iter().take(3).map(|(count, recipe)| format!(r#""r{recipe}" {count}"#)).collect();
        prop_assert_eq!(kitchen.trending(day), expected);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_first_of_a_week_are_those_with_most_meals_after_any_writes(acts in prop::collection::vec(act(), 1..60)) {
        play(&acts)?;
    }
}

#[test]
fn the_recipes_of_smart_cooking_are_counted_by_week() {
    let source = include_str!("../../../../designs/smart-cooking.toml");
    let blog = Blog::of(source, Database::in_memory().unwrap());
    let start = |recipe: &str| {
        let values = [("user_id", "anna".into()), ("recipe_id", recipe.into())];
        let started = blog.run("start_cooking", &values);
        let part = |name: &str| started.get(name).unwrap().clone();
        [("user_id", "anna".into()), ("created_at", part("created_at")), ("history_id", part("history_id"))]
    };
    let mut date = Json::Null;
    for (recipe, times) in [("a", 1), ("b", 3), ("c", 2)] {
        for _ in 0..times {
            let done = blog.run("complete_cooking", &start(recipe));
            date = done.get("cook_date").cloned().unwrap_or(date);
        }
    }
    start("d");
    blog.settle();
    let found = blog.run("trending_recipes", &[("cook_date", date)]);
    let recipes: Vec<String> = found
        .get("items")
        .and_then(Json::as_list)
        .unwrap()
        .iter()
        .map(|item| item.get("recipe_id").unwrap().to_string())
        .collect();
    assert_eq!(recipes, [r#""b""#, r#""c""#, r#""a""#], "what isn't finished doesn't count");
}
