//! Profiles, preferences, privacy and sessions.

use singlet_design::Json;
use singlet_run::RunError;

use super::user;
use crate::arguments::{Look, args, column};
use crate::stage::Stage;

pub(crate) fn sc_01_a_profile_is_found_by_id(stage: &Stage) {
    let made = stage.run(
        "create_user",
        args!(
            username = "anna",
            email = "anna@example.com",
            date_of_birth = "1990-01-15",
            country = "Vietnam"
        ),
    );
    let anna = made.at("user");
    assert_eq!(anna.text("created_at"), "2035-01-22T10:00:01.000Z");
    assert_eq!(anna.text("role"), "user");
    let id = anna.text("user_id");
    assert_eq!(stage.run("get_user", args!(user_id = &id)), *anna);
    assert_eq!(stage.run("get_user", args!(user_id = "nobody")), Json::Null);

    stage.run("note_login", args!(user_id = &id));
    let changed = stage.run("get_user", args!(user_id = &id));
    assert_eq!(changed.text("last_login"), "2035-01-22T10:00:04.000Z");
    assert_eq!(changed.at("created_at"), anna.at("created_at"));
    assert!(changed.text("updated_at") > anna.text("updated_at"));
}

pub(crate) fn sc_01_user_names_and_addresses_belong_to_one_user(stage: &Stage) {
    let anna = user(stage, "anna");
    let taken = stage.refused("create_user", args!(username = "other", email = "anna@example.com"));
    assert!(matches!(taken, RunError::NotUnique { .. }), "{taken:?}");
    let binh = user(stage, "binh");
    let taken = stage.refused("change_user", args!(user_id = &binh, username = "anna"));
    assert!(matches!(taken, RunError::NotUnique { .. }), "{taken:?}");

    stage.run("change_user", args!(user_id = &anna, username = "anna2"));
    stage.run("change_user", args!(user_id = &binh, username = "anna"));
    assert_eq!(stage.run("get_user", args!(user_id = &binh)).text("username"), "anna");
}

pub(crate) fn sc_02_users_of_a_role_come_in_order_and_follow_its_changes(stage: &Stage) {
    for name in ["a", "b", "c", "d", "e", "f"] {
        user(stage, name);
    }
    let admins = |names: &[&str]| {
        let users = stage.list("users_of_role", args!(role = "admin"));
        assert_eq!(column(&users, "username"), names);
    };
    admins(&[]);
    let users = stage.list("users_of_role", args!(role = "user"));
    assert_eq!(column(&users, "username"), ["a", "b", "c", "d", "e", "f"]);

    for name in [4, 1, 3] {
        stage.run("set_role", args!(user_id = users[name].at("user_id"), role = "admin"));
    }
    admins(&["b", "d", "e"]);
    stage.run("set_role", args!(user_id = users[3].at("user_id"), role = "user"));
    admins(&["b", "e"]);
    assert_eq!(stage.list("users_of_role", args!(role = "user")).len(), 4);
}

pub(crate) fn sc_03_a_user_has_preferences_from_the_beginning_and_changes_them(stage: &Stage) {
    let anna = user(stage, "anna");
    let before = stage.run("get_preferences", args!(user_id = &anna));
    assert_eq!(*before.at("allergies"), Json::List(Vec::new()));
    assert_eq!(*before.at("preferred_recipe_count"), Json::from(3));
    stage.run(
        "change_preferences",
        args!(user_id = &anna, allergies = vec!["shrimp", "crab"], spice_level = "hot"),
    );
    stage.run("change_preferences", args!(user_id = &anna, preferred_recipe_count = 5));
    let after = stage.run("get_preferences", args!(user_id = &anna));
    assert_eq!(*after.at("allergies"), Json::from(vec!["shrimp", "crab"]));
    assert_eq!(after.text("spice_level"), "hot");
    assert_eq!(*after.at("preferred_recipe_count"), Json::from(5));
    assert_eq!(after.at("created_at"), before.at("created_at"));
    assert!(after.text("updated_at") > before.text("updated_at"));
}

pub(crate) fn sc_04_each_privacy_setting_is_public_friends_or_private(stage: &Stage) {
    let anna = user(stage, "anna");
    let privacy = stage.run("get_privacy", args!(user_id = &anna));
    assert_eq!(privacy.text("email_visibility"), "private");
    assert_eq!(privacy.text("profile_visibility"), "public");
    assert_eq!(privacy.text("ingredients_visibility"), "friends");

    stage.run("change_privacy", args!(user_id = &anna, profile_visibility = "private"));
    let changed = stage.run("get_privacy", args!(user_id = &anna));
    assert_eq!(changed.text("profile_visibility"), "private");
    assert_eq!(changed.text("ingredients_visibility"), "friends");
    assert_eq!(changed.at("created_at"), privacy.at("created_at"));

    let wrong = stage.refused("change_privacy", args!(user_id = &anna, email_visibility = "everybody"));
    assert!(
        matches!(&wrong, RunError::Parameter { parameter, .. } if parameter == "email_visibility"),
        "{wrong:?}"
    );
}

pub(crate) fn sc_34_a_session_lives_24_hours_and_its_id_cannot_be_guessed(stage: &Stage) {
    let session = stage.run("open_session", args!(user_id = "anna"));
    let other = stage.run("open_session", args!(user_id = "anna"));
    let (id, other) = (session.text("session_id"), other.text("session_id"));
    assert!(id != other && id.len() >= 43, "{id}");
    assert_eq!(stage.run("get_session", args!(session_id = &id)).text("user_id"), "anna");
    stage.run("close_session", args!(session_id = &other));
    assert_eq!(stage.run("get_session", args!(session_id = &other)), Json::Null);
    stage.days_pass(1);
    assert_eq!(stage.run("get_session", args!(session_id = &id)), Json::Null);
}
