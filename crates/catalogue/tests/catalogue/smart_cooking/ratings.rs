//! Ratings of recipes.

use singlet_design::Json;
use singlet_run::RunError;

use super::cooking::start;
use crate::arguments::{Look, args, column};
use crate::stage::Stage;

#[track_caller]
fn rate(stage: &Stage, recipe: &str, user: &str, rating: i64) {
    stage.run("rate_recipe", args!(recipe_id = recipe, user_id = user, rating = rating));
}

/// Recipes with their titles as ids.
#[track_caller]
fn recipes(stage: &Stage, titles: &[&str]) {
    for title in titles {
        let kind = args!(
            recipe_id = *title,
            user_id = "dung",
            title = *title,
            cuisine_type = "Vietnamese",
            cooking_method = "soup",
            meal_type = "main"
        );
        stage.run("create_recipe", kind);
    }
}

pub(crate) fn sc_20_a_user_rates_a_recipe_once(stage: &Stage) {
    recipes(stage, &["pho", "bun"]);
    let rating =
        stage.run("rate_recipe", args!(recipe_id = "pho", user_id = "anna", rating = 4, comment = "Ngon!"));
    assert_eq!(*rating.at("is_verified_cook"), Json::Bool(false));
    assert!(rating.has("rating_id"));
    let again = stage.refused("rate_recipe", args!(recipe_id = "pho", user_id = "anna", rating = 1));
    assert!(matches!(again, RunError::Exists { .. }), "{again:?}");
    stage.run("change_rating", args!(recipe_id = "pho", user_id = "anna", rating = 5));
    let ratings = stage.list("recipe_ratings", args!(recipe_id = "pho"));
    assert_eq!(ratings.len(), 1);
    assert_eq!(*ratings[0].at("rating"), Json::from(5));
    assert_eq!(ratings[0].text("comment"), "Ngon!");
    for rating in [0, 6] {
        let out = stage.refused("rate_recipe", args!(recipe_id = "bun", user_id = "anna", rating = rating));
        assert!(matches!(&out, RunError::Parameter { parameter, .. } if parameter == "rating"), "{out:?}");
    }
    let nothing = stage.refused("rate_recipe", args!(recipe_id = "none", user_id = "anna", rating = 5));
    assert_eq!(nothing.to_string(), "`recipe_id`: there is no Recipe `none`");
    stage.run("take_back_rating", args!(recipe_id = "pho", user_id = "anna"));
    assert_eq!(stage.list("recipe_ratings", args!(recipe_id = "pho")).len(), 0);
}

pub(crate) fn sc_20_only_who_cooked_it_is_a_verified_cook(stage: &Stage) {
    recipes(stage, &["pho", "bun"]);
    let cooking = start(stage, "anna", "pho");
    rate(stage, "pho", "anna", 4);
    rate(stage, "bun", "anna", 4);
    rate(stage, "pho", "binh", 2);
    if !stage.settles() {
        return;
    }
    let verified = || {
        [("pho", "anna"), ("bun", "anna"), ("pho", "binh")].map(|(recipe, user)| {
            let ratings = stage.list("recipe_ratings", args!(recipe_id = recipe));
            let own = ratings.iter().find(|rating| rating.text("user_id") == user).unwrap();
            *own.at("is_verified_cook") == Json::Bool(true)
        })
    };
    assert_eq!(verified(), [false, false, false], "cooking has begun, and isn't completed");
    stage.run("complete_cooking", cooking);
    assert!(stage.settles());
    assert_eq!(verified(), [true, false, false]);
    let again = stage.refused("rate_recipe", args!(recipe_id = "pho", user_id = "anna", rating = 1));
    assert!(matches!(again, RunError::Exists { .. }), "{again:?}");
}

pub(crate) fn sc_37_a_recipe_has_the_average_and_the_number_of_its_ratings(stage: &Stage) {
    recipes(stage, &["pho", "bun"]);
    for (user, rating) in [("anna", 5), ("binh", 4), ("chi", 4)] {
        rate(stage, "pho", user, rating);
    }
    if !stage.settles() {
        return;
    }
    let recipe = |id: &str| {
        let recipe = stage.run("get_recipe", args!(recipe_id = id));
        (recipe.at("average_rating").to_string(), recipe.at("rating_count").to_string())
    };
    let is = |average: &str, count: &str| (average.to_owned(), count.to_owned());
    assert_eq!(recipe("pho"), is("4.3", "3"));
    assert_eq!(recipe("bun"), is("0", "0"));
    stage.run("change_rating", args!(recipe_id = "pho", user_id = "anna", rating = 1));
    stage.run("take_back_rating", args!(recipe_id = "pho", user_id = "chi"));
    assert!(stage.settles());
    assert_eq!(recipe("pho"), is("2.5", "2"));
    for user in ["anna", "binh"] {
        stage.run("take_back_rating", args!(recipe_id = "pho", user_id = user));
    }
    assert!(stage.settles());
    assert_eq!(recipe("pho"), is("0", "0"));
}

pub(crate) fn sc_37_five_good_ratings_approve_a_recipe(stage: &Stage) {
    recipes(stage, &["pho", "bun"]);
    for (number, user) in ["anna", "binh", "chi", "dung"].into_iter().enumerate() {
        rate(stage, "pho", user, 4 + i64::from(number == 0));
        rate(stage, "bun", user, 3);
    }
    if !stage.settles() {
        return;
    }
    let approved = || column(&stage.list("approved_recipes", args!()), "title");
    assert_eq!(approved(), Vec::<String>::new(), "four ratings aren't enough");
    rate(stage, "pho", "emil", 3);
    rate(stage, "bun", "emil", 3);
    assert!(stage.settles());
    assert_eq!(approved(), ["pho"], "an average of 4");
    let recipe = || stage.run("get_recipe", args!(recipe_id = "pho"));
    assert_eq!(recipe().text("approval_type"), "auto_rating");
    let approved_at = recipe().text("approved_at");
    stage.run("take_back_rating", args!(recipe_id = "pho", user_id = "anna"));
    assert!(stage.settles());
    assert_eq!(approved(), ["pho"], "it stays approved");
    assert_eq!(recipe().text("approved_at"), approved_at);
}

pub(crate) fn sc_21_all_ratings_of_a_recipe_are_listed(stage: &Stage) {
    recipes(stage, &["pho", "bun"]);
    for (recipe, user, rating) in
        [("pho", "chi", 3), ("pho", "anna", 4), ("bun", "anna", 1), ("pho", "binh", 5)]
    {
        rate(stage, recipe, user, rating);
    }
    let ratings = stage.list("recipe_ratings", args!(recipe_id = "pho"));
    assert_eq!(column(&ratings, "user_id"), ["anna", "binh", "chi"]);
    assert_eq!(*ratings[1].at("rating"), Json::from(5));
    stage.run("delete_recipe", args!(recipe_id = "pho", user_id = "dung", positions = Vec::<i64>::new()));
    if !stage.settles() {
        return;
    }
    assert_eq!(stage.list("recipe_ratings", args!(recipe_id = "pho")).len(), 0);
    assert_eq!(stage.list("recipe_ratings", args!(recipe_id = "bun")).len(), 1);
}

pub(crate) fn sc_22_a_users_ratings_come_newest_first(stage: &Stage) {
    recipes(stage, &["pho", "bun", "com"]);
    for (recipe, user) in [("pho", "anna"), ("bun", "anna"), ("pho", "binh"), ("com", "anna")] {
        rate(stage, recipe, user, 5);
    }
    let ratings = stage.list("user_ratings", args!(user_id = "anna"));
    assert_eq!(column(&ratings, "recipe_id"), ["com", "bun", "pho"]);
}

pub(crate) fn sc_23_whether_a_user_has_rated_is_known(stage: &Stage) {
    recipes(stage, &["pho", "bun"]);
    rate(stage, "pho", "anna", 5);
    for (recipe, user, rated) in [("pho", "anna", true), ("bun", "anna", false), ("pho", "binh", false)] {
        let answer = stage.run("has_rated", args!(recipe_id = recipe, user_id = user));
        assert_eq!(answer, Json::Bool(rated), "{user} {recipe}");
    }
}
