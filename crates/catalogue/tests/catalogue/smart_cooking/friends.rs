//! Friendships.

use singlet_design::Json;
use singlet_run::{Arguments, RunError};

use crate::arguments::{Look, args, column};
use crate::stage::Stage;

/// Users of these names, and no others, can be asked.
#[track_caller]
pub(super) fn users(stage: &Stage) {
    for name in ["anna", "binh", "chi", "dung"] {
        let arguments = args!(user_id = name, username = name, email = format!("{name}@example.com"));
        stage.run("create_user", arguments);
    }
}

fn between(asking: &str, asked: &str) -> Arguments {
    args!(user_id = asking, friend_id = asked)
}

#[track_caller]
fn friends(stage: &Stage, user: &str) -> Vec<String> {
    column(&stage.list("friends", args!(user_id = user)), "friend_id")
}

#[track_caller]
fn askers(stage: &Stage, user: &str) -> Vec<String> {
    column(&stage.list("friend_requests", args!(friend_id = user)), "user_id")
}

/// Makes two users who exist friends.
#[track_caller]
pub(super) fn befriend(stage: &Stage, one: &str, other: &str) {
    stage.run("ask_friend", between(one, other));
    stage.run("accept_friend", between(one, other));
}

pub(crate) fn sc_25_who_accepts_is_a_friend_of_who_asked_and_the_other_way(stage: &Stage) {
    users(stage);
    stage.run("ask_friend", between("binh", "anna"));
    stage.run("ask_friend", between("chi", "anna"));
    stage.run("ask_friend", between("anna", "dung"));
    assert_eq!(askers(stage, "anna"), ["chi", "binh"]);
    assert_eq!(askers(stage, "dung"), ["anna"]);
    assert_eq!(friends(stage, "anna"), Vec::<String>::new());
    let again = stage.refused("ask_friend", between("binh", "anna"));
    assert!(matches!(again, RunError::Exists { .. }), "{again:?}");

    stage.run("accept_friend", between("binh", "anna"));
    stage.run("accept_friend", between("anna", "dung"));
    assert_eq!(friends(stage, "anna"), ["binh", "dung"]);
    assert_eq!(friends(stage, "binh"), ["anna"]);
    assert_eq!(askers(stage, "anna"), ["chi"]);
    let twice = stage.refused("accept_friend", between("binh", "anna"));
    assert!(matches!(twice, RunError::Condition { .. }), "{twice:?}");
}

pub(crate) fn sc_25_status_with_one_user_is_known_until_it_ends_for_both(stage: &Stage) {
    users(stage);
    stage.run("ask_friend", between("binh", "anna"));
    stage.run("ask_friend", between("chi", "anna"));
    assert_eq!(stage.run("friendship", between("binh", "anna")).text("status"), "pending");
    assert_eq!(stage.run("friendship", between("anna", "dung")), Json::Null);
    stage.run("decline_friend", between("chi", "anna"));
    assert_eq!(stage.run("friendship", between("chi", "anna")), Json::Null);
    assert_eq!(askers(stage, "anna"), ["binh"]);

    stage.run("accept_friend", between("binh", "anna"));
    for (one, other) in [("anna", "binh"), ("binh", "anna")] {
        let friendship = stage.run("friendship", between(one, other));
        assert_eq!(friendship.text("status"), "accepted");
        assert!(friendship.has("responded_at"));
    }
    stage.run("end_friendship", between("anna", "binh"));
    assert_eq!(friends(stage, "anna"), Vec::<String>::new());
    assert_eq!(friends(stage, "binh"), Vec::<String>::new());
    assert_eq!(stage.run("friendship", between("binh", "anna")), Json::Null);
}

pub(crate) fn sc_25_who_was_declined_may_ask_again_and_nobody_befriends_oneself(stage: &Stage) {
    users(stage);
    stage.run("ask_friend", between("binh", "anna"));
    stage.run("decline_friend", between("binh", "anna"));
    stage.run("ask_friend", between("binh", "anna"));
    assert_eq!(askers(stage, "anna"), ["binh"]);
    let oneself = stage.refused("ask_friend", between("anna", "anna"));
    assert!(matches!(oneself, RunError::Limit(_) | RunError::Parameter { .. }), "{oneself:?}");
    let nobody = stage.refused("ask_friend", between("anna", "nobody"));
    assert_eq!(nobody.to_string(), "`friend_id`: there is no User `nobody`");

    // A request in the other direction replaces the first: one of the two is open.
    stage.run("ask_friend", between("anna", "binh"));
    assert_eq!(askers(stage, "anna"), Vec::<String>::new());
    assert_eq!(askers(stage, "binh"), ["anna"]);
    stage.run("accept_friend", between("anna", "binh"));
    let again = stage.refused("ask_friend", between("binh", "anna"));
    assert!(matches!(again, RunError::Exists { .. } | RunError::Condition { .. }), "{again:?}");
    let friended = stage.list("friended_by", args!(friend_id = "anna"));
    assert_eq!(column(&friended, "user_id"), ["binh"]);
}
