//! Calls that every design must refuse: give internal fields a value, and run the steps of other patterns.

use singlet_design::{Json, Pattern};
use singlet_run::{Arguments, RunError};

use crate::arguments::{Look, args};
use crate::backend;
use crate::designs::{self, NAMES};
use crate::stage::Stage;

/// Tries a value that isn't the caller's to give.
#[track_caller]
fn cannot_set(stage: &Stage, pattern: &str, field: &str, value: impl Into<Json>, mut others: Arguments) {
    others.insert(field.to_owned(), value.into());
    let refused = stage.refused(pattern, others);
    let expected = format!("`{field}` can't be set by `{pattern}`: the field is internal");
    assert_eq!(refused.to_string(), expected);
}

/// Tries a step of another pattern by itself.
#[track_caller]
fn cannot_run(stage: &Stage, pattern: &str, arguments: Arguments) {
    let refused = stage.refused(pattern, arguments);
    assert!(matches!(refused, RunError::Internal { .. }), "{refused:?}");
}

#[test]
fn a_cook_has_no_role_approval_rating_or_count_but_what_is_given() {
    backend::embedded("smart-cooking", |stage| {
        let user = || args!(username = "mallory", email = "mallory@example.com");
        cannot_set(stage, "create_user", "role", "admin", user());
        cannot_set(stage, "create_user", "is_active", true, user());
        cannot_set(stage, "change_user", "role", "admin", args!(user_id = "mallory"));
        let recipe = || {
            args!(
                user_id = "mallory",
                title = "Bún",
                cuisine_type = "Vietnamese",
                cooking_method = "boil",
                meal_type = "main"
            )
        };
        cannot_set(stage, "create_recipe", "is_approved", true, recipe());
        cannot_set(stage, "create_recipe", "average_rating", 10, recipe());
        cannot_set(stage, "create_recipe", "rating_count", 1000, recipe());
        cannot_set(stage, "create_recipe", "ai_cache_hit_count", 1000, recipe());
        cannot_set(
            stage,
            "change_recipe",
            "is_approved",
            true,
            args!(recipe_id = "bun", user_id = "mallory"),
        );
        cannot_set(stage, "create_post", "likes_count", 1000, args!(user_id = "mallory", content = "x"));
        let rating = || args!(recipe_id = "bun", user_id = "mallory", rating = 5);
        cannot_set(stage, "rate_recipe", "is_verified_cook", true, rating());
        cannot_set(stage, "start_cooking", "status", "completed", args!(user_id = "m", recipe_id = "bun"));
        cannot_set(stage, "ask_friend", "status", "accepted", args!(user_id = "m", friend_id = "anna"));
        cannot_set(
            stage,
            "report_ingredient",
            "total_reports",
            1000,
            args!(ingredient_name = "salt", user_id = "mallory"),
        );
        cannot_run(stage, "accept_request", args!(user_id = "mallory", friend_id = "anna"));
    });
}

#[test]
fn nobody_joins_a_nishiki_group_without_an_invitation() {
    backend::embedded("nishiki", |stage| {
        cannot_run(stage, "add_member", args!(UserId = "mallory", GroupId = "home"));
        cannot_run(stage, "unlink_container", args!(group_id = "home", ContainerId = "fridge"));
    });
}

#[test]
fn nobody_joins_a_nishiki_group_by_an_invitation_that_expired_years_ago() {
    backend::embedded("nishiki", |stage| {
        let group = args!(UserId = "anna", GroupName = "Home", ContainerName = "Fridge");
        let group = stage.run("create_group", group).text("group.group_id");
        let until = "2021-11-01T00:00:00Z";
        let invitation = stage.run("invite", args!(group_id = &group, LinkExpiryDatetime = until));
        let link = invitation.text("InvitationLinkHash");
        assert_eq!(stage.run("invitation_by_hash", args!(InvitationLinkHash = &link)), Json::Null);
        let join = args!(group_id = &group, UserId = "mallory", InvitationLinkHash = &link);
        let refused = stage.refused("join_group", join);
        assert!(matches!(refused, RunError::Missing { .. } | RunError::Condition { .. }), "{refused:?}");
    });
}

#[test]
fn a_customer_sets_neither_the_total_nor_the_status_of_an_order() {
    backend::embedded("shop", |stage| {
        let order = || args!(customer_id = "mallory");
        cannot_set(stage, "create_order", "total", 0, order());
        cannot_set(stage, "create_order", "status", "paid", order());
        cannot_set(stage, "create_order", "flagged", false, order());
        cannot_set(stage, "create_customer", "schema_version", 1, args!(email = "mallory@example.com"));
        cannot_run(stage, "raise_total", args!(customer_id = "mallory", order_id = "1", amount = -100));
        cannot_run(stage, "write_order_item", args!(order_id = "1"));
    });
}

#[test]
fn a_user_of_the_social_network_has_the_followers_and_likes_that_others_gave() {
    backend::embedded("social", |stage| {
        let user = || args!(username = "mallory", email = "mallory@example.com", displayName = "M");
        for counter in ["followerCount", "followingCount", "postCount"] {
            cannot_set(stage, "create_user", counter, 1000, user());
        }
        let post = || args!(userId = "mallory", imageUrl = "https://pictures.example/1.jpg");
        for counter in ["likeCount", "commentCount"] {
            cannot_set(stage, "create_post", counter, 1000, post());
        }
    });
}

#[test]
fn a_post_is_not_written_to_one_of_its_tables_alone() {
    backend::embedded("sensors", |stage| {
        for pattern in ["write_post", "write_post_by_user", "write_post_by_hashtag"] {
            cannot_run(stage, pattern, args!(user_id = "mallory", content = "x"));
        }
    });
}

#[test]
fn no_pattern_of_any_design_takes_an_internal_field_that_it_does_not_name() {
    for name in NAMES {
        let design = designs::design(name, "");
        for pattern in &design.patterns {
            let internal = pattern.written().into_iter().flat_map(|entity| &entity.fields);
            for field in internal.filter(|field| field.internal && !field.name.is_empty()) {
                let named = names(pattern, &field.name);
                assert_eq!(pattern.parameter(&field.name).is_some(), named, "{name}: {}", pattern.name);
            }
        }
    }
}

/// Whether a pattern, or one of its steps, takes a field from a parameter of that name because its text says so, or
/// asks for it as part of a key.
fn names(pattern: &Pattern, field: &str) -> bool {
    use singlet_design::{Argument, Binding, Change, Operation, ValueSource};
    let is_parameter = |value: &ValueSource| *value == ValueSource::Parameter(field.to_owned());
    match &pattern.operation {
        Operation::Create(insert) | Operation::Put(insert) => {
            insert.set.iter().any(|(name, value)| name == field && is_parameter(value))
        }
        Operation::Update(update) => {
            // A condition compares the field with the parameter, but doesn't write it.
            let compared =
                update.condition.as_ref().is_some_and(|it| it.source.contains(&format!("{{{field}}}")));
            let set = |change: &Change| matches!(change, Change::Set { path, value } if path == field && is_parameter(value));
            compared || update.changes.iter().any(set)
        }
        Operation::Transaction(transaction) => transaction.steps.iter().any(|step| {
            // A constant or a field of another step isn't the caller's.
            let given = |binding: &Binding| {
                binding.parameter == field && !matches!(binding.argument, Argument::Parameter(_))
            };
            step.pattern.parameter(field).is_some() && !step.bindings.iter().any(given)
        }),
        _ => pattern.runs().into_iter().any(|step| step.parameter(field).is_some()),
    }
}
