//! Recipes and the lists that they are in.

use singlet_design::Json;
use singlet_run::RunError;

use super::recipe;
use crate::arguments::{Look, args, column, object};
use crate::stage::Stage;

/// The lists that a public Vietnamese stir-fry for the main course is in.
const LISTS: [(&str, &str, &str); 4] = [
    ("recipes_by_method", "cooking_method", "stir-fry"),
    ("recipes_by_cuisine", "cuisine_type", "Vietnamese"),
    ("recipes_by_meal", "meal_type", "main"),
    ("approved_recipes", "", ""),
];

/// The titles of one of the lists.
#[track_caller]
fn titles(stage: &Stage, list: usize) -> Vec<String> {
    let (pattern, parameter, value) = LISTS[list];
    let mut arguments = args!();
    if !parameter.is_empty() {
        arguments.insert(parameter.to_owned(), value.into());
    }
    column(&stage.list(pattern, arguments), "title")
}

/// A recipe with a rating.
#[track_caller]
fn rated(stage: &Stage, title: &str, rating: f64) -> String {
    let id = recipe(stage, "anna", title);
    rate(stage, "rate_recipe", &id, rating);
    id
}

/// Ten ratings whose average is this one.
#[track_caller]
fn rate(stage: &Stage, pattern: &str, recipe: &str, average: f64) {
    let (sum, count) = ((average * 10.0).round() as i64, 10);
    for user in 0..count {
        let rating = sum / count + i64::from(user < sum % count);
        stage.run(pattern, args!(recipe_id = recipe, user_id = format!("user {user}"), rating = rating));
    }
}

#[track_caller]
fn needs(stage: &Stage, recipe: &str, position: i64, name: &str) {
    let what = args!(recipe_id = recipe, position = position, ingredient_name = name, quantity = "300g");
    stage.run("add_recipe_ingredient", what);
}

pub(crate) fn sc_10_a_recipe_is_read_alone_and_with_its_ingredients_in_one_query(stage: &Stage) {
    let steps = vec![object!(step_number = 1, description = "Ướp gà với sả ớt", duration = "10 phút")];
    let written = stage.run(
        "create_recipe",
        args!(
            user_id = "anna",
            title = "Gà xào sả ớt",
            cuisine_type = "Vietnamese",
            cooking_method = "stir-fry",
            meal_type = "main",
            instructions = steps.clone()
        ),
    );
    let id = written.text("recipe_id");
    assert_eq!(stage.run("get_recipe", args!(recipe_id = &id)), written);
    assert_eq!(*written.at("instructions"), Json::List(steps));
    assert_eq!(stage.run("get_recipe", args!(recipe_id = "none")), Json::Null);

    needs(stage, &id, 2, "Sả");
    needs(stage, &id, 1, "Thịt gà");
    for user in ["binh", "chi", "dung"] {
        stage.run("rate_recipe", args!(recipe_id = &id, user_id = user, rating = 5));
    }
    let all = stage.list("recipe_with_ingredients", args!(recipe_id = &id));
    assert_eq!(column(&all, "type"), ["RECIPE_INGREDIENT", "RECIPE_INGREDIENT", "RECIPE"]);
    assert_eq!(column(&all[..2], "ingredient_name"), ["Thịt gà", "Sả"]);
    assert_eq!(all[2].text("title"), "Gà xào sả ớt");
}

pub(crate) fn sc_11_a_recipes_ingredients_come_in_its_order(stage: &Stage) {
    let id = recipe(stage, "anna", "Phở");
    for (position, name) in [(10, "Hành"), (2, "Bánh phở"), (100, "Chanh"), (1, "Thịt bò")] {
        needs(stage, &id, position, name);
    }
    let names = column(&stage.list("recipe_ingredients", args!(recipe_id = &id)), "ingredient_name");
    assert_eq!(names, ["Thịt bò", "Bánh phở", "Hành", "Chanh"]);
}

pub(crate) fn sc_12_a_users_recipes_come_newest_first(stage: &Stage) {
    for title in ["first", "second", "third"] {
        recipe(stage, "anna", title);
    }
    recipe(stage, "binh", "another's");
    let same = |title: &str| {
        let kind = args!(
            user_id = "anna",
            title = title,
            cuisine_type = "Thai",
            cooking_method = "soup",
            meal_type = "main"
        );
        stage.at_once("create_recipe", kind);
    };
    stage.tick();
    same("one of two");
    same("one of two");
    let titles = column(&stage.list("user_recipes", args!(user_id = "anna")), "title");
    assert_eq!(titles, ["one of two", "one of two", "third", "second", "first"]);
}

pub(crate) fn sc_13_recipes_of_a_method_come_best_rated_first(stage: &Stage) {
    rated(stage, "good", 4.6);
    rated(stage, "best", 5.0);
    let plain = rated(stage, "plain", 4.5);
    recipe(stage, "anna", "unrated");
    if !stage.settles() {
        return;
    }
    assert_eq!(titles(stage, 0), ["best", "good", "plain", "unrated"]);
    rate(stage, "change_rating", &plain, 4.9);
    assert!(stage.settles());
    assert_eq!(titles(stage, 0), ["best", "plain", "good", "unrated"]);

    let change = args!(recipe_id = &plain, user_id = "anna", cooking_method = "steam");
    stage.run("change_recipe", change);
    assert_eq!(titles(stage, 0), ["best", "good", "unrated"]);
    let steamed = stage.list("recipes_by_method", args!(cooking_method = "steam"));
    assert_eq!(column(&steamed, "title"), ["plain"]);
    assert_eq!(*steamed[0].at("rating_count"), Json::from(10));
    assert_eq!(steamed[0].text("user_id"), "anna");
    let refused =
        stage.refused("change_recipe", args!(recipe_id = &plain, user_id = "binh", cooking_method = "soup"));
    assert!(matches!(refused, RunError::Condition { .. }), "{refused:?}");
}

pub(crate) fn sc_13_to_16_one_recipe_is_in_all_four_lists_at_once(stage: &Stage) {
    let id = rated(stage, "Gà xào sả ớt", 4.5);
    stage.run("approve_recipe", args!(recipe_id = &id));
    for (list, (pattern, _, _)) in LISTS.iter().enumerate() {
        assert_eq!(titles(stage, list), ["Gà xào sả ớt"], "{pattern}");
    }
}

pub(crate) fn sc_14_recipes_of_a_cuisine_come_best_rated_first(stage: &Stage) {
    rated(stage, "good", 4.6);
    let best = rated(stage, "best", 5.0);
    rated(stage, "plain", 4.5);
    if !stage.settles() {
        return;
    }
    assert_eq!(titles(stage, 1), ["best", "good", "plain"]);
    stage.run("change_recipe", args!(recipe_id = &best, user_id = "anna", cuisine_type = "Thai"));
    assert_eq!(titles(stage, 1), ["good", "plain"]);
    let thai = stage.list("recipes_by_cuisine", args!(cuisine_type = "Thai"));
    assert_eq!(column(&thai, "title"), ["best"]);
}

pub(crate) fn sc_15_recipes_of_a_meal_type_come_best_rated_first_and_private_ones_leave(stage: &Stage) {
    rated(stage, "good", 4.6);
    let best = rated(stage, "best", 5.0);
    rated(stage, "plain", 4.4);
    if !stage.settles() {
        return;
    }
    assert_eq!(titles(stage, 2), ["best", "good", "plain"]);
    stage.run("change_recipe", args!(recipe_id = &best, user_id = "anna", is_public = false));
    assert_eq!(titles(stage, 2), ["good", "plain"]);
    rate(stage, "change_rating", &best, 4.5);
    assert!(stage.settles());
    assert_eq!(titles(stage, 2), ["good", "plain"]);
    stage.run("change_recipe", args!(recipe_id = &best, user_id = "anna", is_public = true));
    assert_eq!(titles(stage, 2), ["good", "best", "plain"]);
}

pub(crate) fn sc_16_only_approved_recipes_are_browsed_best_rated_first(stage: &Stage) {
    let ratings = [("f", 1.0), ("c", 4.0), ("a", 5.0), ("d", 3.9), ("b", 4.9), ("e", 1.1)];
    let ids: Vec<_> = ratings.iter().map(|(title, rating)| rated(stage, title, *rating)).collect();
    assert_eq!(titles(stage, 3), Vec::<String>::new());
    for id in &ids {
        stage.run("approve_recipe", args!(recipe_id = id));
    }
    if !stage.settles() {
        return;
    }
    assert_eq!(titles(stage, 3), ["a", "b", "c", "d", "e", "f"]);
    stage.run("change_recipe", args!(recipe_id = &ids[1], user_id = "anna", is_public = false));
    assert_eq!(titles(stage, 3), ["a", "b", "d", "e", "f"]);
}

pub(crate) fn sc_17_several_recipes_are_read_at_once(stage: &Stage) {
    let ids: Vec<_> = ["a", "b", "c"].iter().map(|title| recipe(stage, "anna", title)).collect();
    let keys = vec![ids[2].as_str(), "nothing", ids[0].as_str()];
    let found = stage.run("get_recipes", args!(keys = keys));
    let mut titles = column(found.items(), "title");
    titles.sort();
    assert_eq!(titles, ["a", "c"]);
}

pub(crate) fn sc_10_an_author_deletes_a_recipe_with_its_ingredients(stage: &Stage) {
    let id = rated(stage, "Phở", 4.5);
    for (position, name) in [(1, "Thịt bò"), (2, "Bánh phở"), (10, "Hành")] {
        needs(stage, &id, position, name);
    }
    let delete = |user: &str| args!(recipe_id = &id, user_id = user, positions = vec![1, 2, 10]);
    let other = stage.refused("delete_recipe", delete("binh"));
    assert!(matches!(other, RunError::Condition { .. }), "{other:?}");
    assert_eq!(stage.list("recipe_with_ingredients", args!(recipe_id = &id)).len(), 4, "all or nothing");
    stage.run("delete_recipe", delete("anna"));
    assert_eq!(stage.list("recipe_with_ingredients", args!(recipe_id = &id)).len(), 0);
    assert_eq!(titles(stage, 0), Vec::<String>::new());
    let late = stage.refused("rate_recipe", args!(recipe_id = &id, user_id = "binh", rating = 5));
    assert_eq!(late.to_string(), format!("`recipe_id`: there is no Recipe `{id}`"));
}
