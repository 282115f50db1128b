//! Cooking, favourites, what is cooked lately and what is in fashion.

use singlet_run::{Arguments, RunError};

use super::recipe;
use crate::arguments::{Look, args, column};
use crate::stage::Stage;

/// Starts cooking and gives what names it from then on.
#[track_caller]
pub(super) fn start(stage: &Stage, user: &str, recipe: &str) -> Arguments {
    let started = stage.run("start_cooking", args!(user_id = user, recipe_id = recipe));
    args!(user_id = user, created_at = started.at("created_at"), history_id = started.at("history_id"))
}

#[track_caller]
fn note(stage: &Stage, cooking: &Arguments, favorite: bool) {
    let mut arguments = cooking.clone();
    arguments.insert("is_favorite".to_owned(), favorite.into());
    stage.run("note_on_cooking", arguments);
}

pub(crate) fn sc_18_cooking_is_started_completed_and_listed_newest_first(stage: &Stage) {
    let pho = recipe(stage, "binh", "Phở");
    let first = start(stage, "anna", &pho);
    let second = start(stage, "anna", "deleted since");
    start(stage, "binh", &pho);
    let history = stage.list("cooking_history", args!(user_id = "anna"));
    assert_eq!(column(&history, "recipe_id"), ["deleted since", pho.as_str()]);
    assert_eq!(history[1].text("recipe.title"), "Phở");
    assert!(!history[1].has("cook_date"));

    stage.run("complete_cooking", first.clone());
    let again = stage.refused("complete_cooking", first);
    assert!(matches!(again, RunError::Condition { .. }), "{again:?}");
    let history = stage.list("cooking_history", args!(user_id = "anna"));
    assert_eq!(column(&history, "status"), ["cooking", "completed"]);
    assert!(history[1].text("cook_date") > history[1].text("created_at"));

    let mut never = second;
    never.insert("history_id".to_owned(), "never".into());
    let missing = stage.refused("complete_cooking", never);
    assert!(matches!(missing, RunError::Missing { .. }), "{missing:?}");
}

pub(crate) fn sc_19_favourites_come_by_cook_date_newest_first_and_others_are_not_among_them(stage: &Stage) {
    let started: Vec<_> = ["long", "short", "not so good", "unfinished"]
        .iter()
        .map(|name| start(stage, "anna", name))
        .collect();
    for cooking in [&started[1], &started[2], &started[0]] {
        stage.run("complete_cooking", cooking.clone());
    }
    let favorites = || column(&stage.list("favorites", args!(user_id = "anna")), "recipe_id");
    for cooking in [&started[0], &started[1], &started[3]] {
        note(stage, cooking, true);
    }
    assert_eq!(favorites(), ["long", "short"]);
    stage.run("complete_cooking", started[3].clone());
    assert_eq!(favorites(), ["unfinished", "long", "short"]);
    note(stage, &started[0], false);
    assert_eq!(favorites(), ["unfinished", "short"]);
}

pub(crate) fn sc_33_what_was_cooked_in_a_month_comes_newest_first(stage: &Stage) {
    for n in 0..9 {
        let cooking = start(stage, &format!("user {n}"), &format!("{n}"));
        if n != 4 {
            stage.run("complete_cooking", cooking);
        }
    }
    stage.days_pass(10);
    let february = start(stage, "anna", "in February");
    stage.run("complete_cooking", february);

    let january = stage.list("recent_cooking", args!(cook_date = "2035-01-01T00:00:00Z"));
    assert_eq!(column(&january, "recipe_id"), ["8", "7", "6", "5", "3", "2", "1", "0"]);
    assert!(!january[0].has("status"), "only what is public: {}", january[0]);
    let february = stage.list("recent_cooking", args!(cook_date = "2035-02-28T23:59:59Z"));
    assert_eq!(column(&february, "recipe_id"), ["in February"]);
}

pub(crate) fn sc_33_recipes_of_a_week_come_most_cooked_first(stage: &Stage) {
    let ids: Vec<_> = ["a", "b", "c", "d"].iter().map(|title| recipe(stage, "anna", title)).collect();
    let cook = |recipe: usize, times: usize| {
        for _ in 0..times {
            let started = start(stage, "anna", &ids[recipe]);
            stage.run("complete_cooking", started);
        }
    };
    for (recipe, times) in [(0, 1), (1, 4), (2, 3)] {
        cook(recipe, times);
    }
    start(stage, "anna", &ids[3]);
    if !stage.settles() {
        return;
    }
    let week = |day: &str| {
        column(&stage.list("trending_recipes", args!(cook_date = format!("{day}T12:00:00Z"))), "recipe.title")
    };
    assert_eq!(week("2035-01-24"), ["b", "c", "a"], "what isn't finished doesn't count");
    stage.days_pass(7);
    cook(3, 2);
    cook(0, 1);
    assert!(stage.settles());
    assert_eq!(week("2035-01-28"), ["b", "c", "a"]);
    assert_eq!(week("2035-01-29"), ["d", "a"]);
    // Each week is gone five weeks after its Monday.
    stage.days_pass(29);
    assert!(stage.settles());
    assert_eq!(week("2035-01-28"), Vec::<String>::new());
    assert_eq!(week("2035-01-29"), ["d", "a"]);
}
