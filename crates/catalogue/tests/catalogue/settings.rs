//! Settings of tables, and the load that the documents estimate.

use std::collections::BTreeMap;

use singlet_design::{Design, Operation, Removal, Setting, TableSettings};

use crate::designs::design;

/// The lines of the estimate for 1,000 users in seed 0, with the patterns that carry them: reads and writes a day.
const READS: [(&str, &[&str], u32); 7] = [
    ("Login", &["get_user"], 500),
    ("List ingredients", &["user_ingredients"], 1000),
    (
        "Suggestions: queries",
        &[
            "ingredient_by_name",
            "recipes_by_method",
            "recipes_by_cuisine",
            "recipes_by_meal",
            "approved_recipes",
        ],
        4000,
    ),
    ("View details of recipes", &["get_recipe", "recipe_with_ingredients"], 3000),
    ("View the cooking history", &["cooking_history"], 500),
    ("Query ratings", &["recipe_ratings"], 300),
    ("Read feeds", &["public_feed", "personal_feed"], 2000),
];
const WRITES: [(&str, &[&str], u32); 9] = [
    ("Profile updates", &["change_user"], 100),
    ("Add and remove ingredients", &["add_user_ingredient", "remove_user_ingredient"], 200),
    ("Save suggestions", &["save_suggestion"], 1000),
    ("Create recipes (AI)", &["create_ai_recipe"], 200),
    ("Start and complete cooking", &["start_cooking", "complete_cooking"], 300),
    ("Submit ratings", &["rate_recipe"], 150),
    ("Posts", &["create_post"], 200),
    ("Comments", &["comment"], 500),
    ("Reactions", &["react"], 1000),
];
const SECONDS_OF_A_DAY: f64 = 86_400.0;

/// The rate of each pattern that declares one, in calls a day.
fn rates(design: &Design) -> BTreeMap<&str, u32> {
    let per_day = |per_second: f64| (per_second * SECONDS_OF_A_DAY).round() as u32;
    let patterns = design.patterns.iter();
    patterns.filter_map(|pattern| Some((pattern.name.as_str(), per_day(pattern.rate?.per_second)))).collect()
}

#[test]
fn sc_43_the_rates_are_the_lines_of_the_estimate_and_nothing_else() {
    let design = design("smart-cooking", "");
    let mut rates = rates(&design);
    for (line, patterns, per_day) in READS.iter().chain(&WRITES) {
        let sum: u32 = patterns.iter().map(|name| rates.remove(name).unwrap()).sum();
        assert_eq!(sum, *per_day, "{line}");
    }
    assert_eq!(rates, BTreeMap::new(), "these rates aren't in the estimate");
}

#[test]
fn sc_43_the_sums_are_those_of_the_lines() {
    let design = design("smart-cooking", "");
    let (mut reads, mut writes) = (0, 0);
    for (name, per_day) in rates(&design) {
        match &design.pattern(name).unwrap().operation {
            Operation::Create(_) | Operation::Put(_) | Operation::Update(_) | Operation::Delete(_) => {
                writes += per_day;
            }
            Operation::Transaction(_) => writes += per_day,
            _ => reads += per_day,
        }
    }
    assert_eq!((reads, writes), (11_300, 3_650));
}

/// The settings of a design's only table in an environment.
fn settings(design: &Design, environment: &str) -> TableSettings {
    let [table] = design.tables.as_slice() else { panic!("{:?}", design.tables) };
    let named = design.environments.iter().find(|known| known.name == environment).unwrap();
    named.settings_of(table)
}

#[test]
fn sc_42_in_production_recovery_reaches_35_days_back_and_weekly_backups_are_kept_three_months() {
    let design = design("smart-cooking", "");
    let production = settings(&design, "prod");
    assert_eq!(production.recovery_days, Some(Setting::On(35)));
    let backup = production.backup.and_then(Setting::on).map(|schedule| schedule.to_string());
    assert_eq!(backup.as_deref(), Some("weekly, keep 3 months"));
    let development = settings(&design, "dev");
    assert_eq!((development.recovery_days, development.backup), (None, None));
}

#[test]
fn sm_17_production_has_the_documented_capacity_as_its_lower_bound() {
    let design = design("social", "");
    let capacity = settings(&design, "prod").capacity.and_then(Setting::on).unwrap();
    assert_eq!((capacity.table.least.read, capacity.table.least.write), (100, 50));
    for (index, read) in [("GSI1", 100), ("GSI2", 10), ("GSI3", 50)] {
        assert_eq!(capacity.of_index(index).least.read, read, "{index}");
        assert!(capacity.of_index(index).most.is_some(), "{index} isn't scaled");
    }
    assert_eq!(settings(&design, "dev").capacity, None, "on demand");
}

#[test]
fn ni_15_the_table_is_kept_in_production_and_deleted_in_development() {
    let design = design("nishiki", "");
    assert_eq!(settings(&design, "prod").removal, Some(Removal::Keep));
    assert_eq!(settings(&design, "dev").removal, Some(Removal::Delete));
}
