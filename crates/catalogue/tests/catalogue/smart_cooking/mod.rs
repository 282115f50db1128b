//! Smart Cooking: designs/smart-cooking.toml.

pub(crate) mod cooking;
pub(crate) mod friends;
pub(crate) mod ingredients;
pub(crate) mod notices;
pub(crate) mod posts;
pub(crate) mod ratings;
pub(crate) mod recipes;
pub(crate) mod suggestions;
pub(crate) mod users;

use crate::arguments::{Look, args};
use crate::stage::Stage;

/// A new user of this name.
#[track_caller]
fn user(stage: &Stage, name: &str) -> String {
    stage
        .run("create_user", args!(username = name, email = format!("{name}@example.com")))
        .text("user.user_id")
}

/// A new Vietnamese stir-fry as a main dish.
#[track_caller]
fn recipe(stage: &Stage, user: &str, title: &str) -> String {
    let kind = args!(
        user_id = user,
        title = title,
        cuisine_type = "Vietnamese",
        cooking_method = "stir-fry",
        meal_type = "main"
    );
    stage.run("create_recipe", kind).text("recipe_id")
}
