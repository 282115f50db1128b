//! Suggestions of the assistant.

use singlet_design::Json;
use singlet_run::Arguments;

use super::recipe;
use crate::arguments::{Look, args, column, object};
use crate::stage::Stage;

fn asking(text: &str) -> Arguments {
    args!(user_id = "anna", prompt_text = text, ingredients_used = vec!["thịt gà", "cà chua"])
}

pub(crate) fn sc_24_two_suggestions_in_one_instant_both_live(stage: &Stage) {
    stage.at_once("save_suggestion", asking("one"));
    stage.at_once("save_suggestion", asking("two"));
    let suggestions = stage.list("suggestions", args!(user_id = "anna"));
    assert_eq!(suggestions[0].at("created_at"), suggestions[1].at("created_at"));
    let mut texts = column(&suggestions, "prompt_text");
    texts.sort();
    assert_eq!(texts, ["one", "two"]);
}

pub(crate) fn sc_24_suggestions_come_newest_first_take_feedback_and_go_after_90_days(stage: &Stage) {
    let pho = recipe(stage, "anna", "Phở");
    stage.run("save_suggestion", asking("first"));
    let mut second = asking("second");
    second.insert("recipe_ids".to_owned(), Json::List(vec![pho.as_str().into()]));
    second.insert("ai_response".to_owned(), object!(model = "x", tokens = 12.5, notes = Json::Null));
    let second = stage.run("save_suggestion", second);
    let listed = stage.list("suggestions", args!(user_id = "anna"));
    assert_eq!(column(&listed, "prompt_text"), ["second", "first"]);

    let key = args!(
        user_id = "anna",
        created_at = second.at("created_at"),
        suggestion_id = second.at("suggestion_id")
    );
    let mut feedback = key.clone();
    feedback.insert("was_accepted".to_owned(), true.into());
    feedback.insert("feedback_rating".to_owned(), 5.into());
    stage.run("give_feedback", feedback);
    let found = stage.run("get_suggestion", key.clone());
    assert_eq!(*found.at("was_accepted"), Json::Bool(true));
    assert_eq!(found.at("ai_response"), second.at("ai_response"));
    let recipes = found.at("recipes").as_list().map(|recipes| column(recipes, "title"));
    assert_eq!(recipes, Some(vec!["Phở".to_owned()]));

    stage.days_pass(89);
    assert_eq!(stage.list("suggestions", args!(user_id = "anna")).len(), 2);
    stage.days_pass(1);
    assert_eq!(stage.list("suggestions", args!(user_id = "anna")).len(), 0);
    assert_eq!(stage.run("get_suggestion", key), Json::Null);
}

pub(crate) fn sc_40_recipes_that_use_most_of_what_a_user_has_come_first(stage: &Stage) {
    let mut ids = Vec::new();
    for (title, ingredients) in [
        ("Phở", &["Bánh phở", "Thịt bò"][..]),
        ("Gỏi gà", &["thịt gà"]),
        ("Cơm gà", &["Thit ga", "Gạo", "Muối"]),
    ] {
        let recipe = recipe(stage, "anna", title);
        for (position, name) in (1..).zip(ingredients) {
            let what =
                args!(recipe_id = &recipe, position = position, ingredient_name = *name, quantity = "1");
            stage.run("add_recipe_ingredient", what);
        }
        ids.push(recipe);
    }
    for name in ["Gạo", "Thịt gà", "muối"] {
        stage.run("add_user_ingredient", args!(user_id = "binh", ingredient_name = name));
    }
    let of = |user: &str| {
        let found = stage.run("recipes_from_pantry", args!(user_id = user));
        found.at("items").as_list().map(<[Json]>::to_vec).unwrap_or_default()
    };
    let found = of("binh");
    assert_eq!(column(&found, "recipe_id"), [ids[2].as_str(), &ids[1]]);
    let hits: Vec<&Json> = found.iter().map(|recipe| recipe.at("hits")).collect();
    assert_eq!(hits, [&Json::from(3), &Json::from(1)]);
    assert!(of("chi").is_empty());
}
