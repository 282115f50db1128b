//! Posts, feeds, comments and reactions.

use singlet_design::Json;
use singlet_run::RunError;

use super::friends::{befriend, users};
use crate::arguments::{Look, args, column};
use crate::stage::Stage;

#[track_caller]
fn post(stage: &Stage, user: &str, content: &str) -> String {
    stage.run("create_post", args!(user_id = user, content = content)).text("post_id")
}

pub(crate) fn sc_26_a_users_posts_come_newest_first(stage: &Stage) {
    let pictures = vec!["https://pictures.example/1.jpg"];
    let first = stage.run(
        "create_post",
        args!(user_id = "anna", content = "Rất ngon!", images = pictures, recipe_id = "pho"),
    );
    post(stage, "binh", "another's");
    post(stage, "anna", "second");
    assert_eq!(stage.run("get_post", args!(post_id = first.at("post_id"))), first);
    assert_eq!(*first.at("likes_count"), Json::from(0));
    let posts = stage.list("user_posts", args!(user_id = "anna"));
    assert_eq!(column(&posts, "content"), ["second", "Rất ngon!"]);
    assert_eq!(posts[1], first);
}

pub(crate) fn sc_36_posts_show_the_present_name_and_picture_of_their_author(stage: &Stage) {
    let author = |name: &str, picture: &str| args!(user_id = "anna", full_name = name, avatar_url = picture);
    stage.run("create_user", args!(user_id = "anna", username = "anna", email = "anna@example.com"));
    for content in ["first", "second", "third"] {
        post(stage, "anna", content);
    }
    stage.run("change_user", author("Anna Nguyễn", "https://pictures.example/1.jpg"));
    if !stage.settles() {
        return;
    }
    let shown = || {
        let posts = stage.list("user_posts", args!(user_id = "anna"));
        (column(&posts, "user_name"), column(&posts, "user_avatar"))
    };
    let all = |text: &str| vec![text.to_owned(); 3];
    assert_eq!(shown(), (all("Anna Nguyễn"), all("https://pictures.example/1.jpg")));
    stage.run("change_user", author("Anna Trần", "https://pictures.example/2.jpg"));
    assert!(stage.settles());
    assert_eq!(shown(), (all("Anna Trần"), all("https://pictures.example/2.jpg")));
}

pub(crate) fn sc_27_the_public_feed_has_everybodys_public_posts_newest_first(stage: &Stage) {
    let mut ids = Vec::new();
    for n in 0..12 {
        ids.push(post(stage, if n % 2 == 0 { "anna" } else { "binh" }, &n.to_string()));
    }
    stage.run("create_post", args!(user_id = "anna", content = "for friends", is_public = false));
    let feed = || column(&stage.list("public_feed", args!()), "content");
    assert_eq!(feed(), ["11", "10", "9", "8", "7", "6", "5", "4", "3", "2", "1", "0"]);
    stage.run("change_post", args!(post_id = &ids[10], user_id = "anna", is_public = false));
    assert_eq!(feed(), ["11", "9", "8", "7", "6", "5", "4", "3", "2", "1", "0"]);
    let other = stage.refused("change_post", args!(post_id = &ids[9], user_id = "anna", content = "mine"));
    assert!(matches!(other, RunError::Condition { .. }), "{other:?}");
}

pub(crate) fn sc_28_the_personal_feed_has_friends_posts_newest_first(stage: &Stage) {
    users(stage);
    befriend(stage, "anna", "binh");
    befriend(stage, "chi", "anna");
    stage.run("ask_friend", args!(user_id = "anna", friend_id = "dung"));
    for (user, content) in [
        ("binh", "1"),
        ("chi", "2"),
        ("anna", "own"),
        ("dung", "no friend"),
        ("binh", "3"),
        ("binh", "4"),
        ("chi", "5"),
    ] {
        post(stage, user, content);
    }
    let feed = |user: &str| column(&stage.list("personal_feed", args!(user_id = user)), "content");
    assert_eq!(feed("anna"), ["5", "4", "3", "2", "1"]);
    assert_eq!(feed("binh"), ["own"]);
    assert_eq!(feed("dung"), Vec::<String>::new());
    stage.run("end_friendship", args!(user_id = "anna", friend_id = "binh"));
    assert_eq!(feed("anna"), ["5", "2"]);
}

pub(crate) fn sc_29_comments_come_oldest_first_and_answers_under_their_parent(stage: &Stage) {
    let comment = |post: &str, user: &str, content: &str| {
        stage.run("comment", args!(post_id = post, user_id = user, content = content))
    };
    let (p1, p2) = (post(stage, "dung", "1"), post(stage, "dung", "2"));
    let first = comment(&p1, "anna", "first");
    comment(&p1, "binh", "second");
    comment(&p2, "anna", "elsewhere");
    for content in ["an answer", "another answer"] {
        let parent = first.at("comment_id");
        stage.run(
            "comment",
            args!(post_id = &p1, user_id = "chi", content = content, parent_comment_id = parent),
        );
    }
    let of_post = stage.list("post_comments", args!(post_id = &p1));
    assert_eq!(column(&of_post, "content"), ["first", "second", "an answer", "another answer"]);
    assert!(!of_post[0].has("parent_comment_id"));
    let answers = stage.list("comment_answers", args!(parent_comment_id = first.at("comment_id")));
    assert_eq!(column(&answers, "content"), ["an answer", "another answer"]);
    let of_user = stage.list("user_comments", args!(user_id = "anna"));
    assert_eq!(column(&of_user, "content"), ["elsewhere", "first"]);
}

pub(crate) fn sc_29_an_author_changes_and_deletes_a_comment(stage: &Stage) {
    let id = post(stage, "anna", "a post");
    let written = stage.run("comment", args!(post_id = &id, user_id = "binh", content = "typo"));
    let of = |user: &str| {
        let (at, comment) = (written.at("created_at"), written.at("comment_id"));
        args!(post_id = &id, created_at = at, comment_id = comment, user_id = user)
    };
    let mut change = of("binh");
    change.insert("content".to_owned(), "no typo".into());
    stage.run("change_comment", change);
    let other = stage.refused("delete_comment", of("anna"));
    assert!(matches!(other, RunError::Condition { .. }), "{other:?}");
    let comments = || column(&stage.list("post_comments", args!(post_id = &id)), "content");
    assert_eq!(comments(), ["no typo"]);
    stage.run("delete_comment", of("binh"));
    assert_eq!(comments(), Vec::<String>::new());
}

pub(crate) fn sc_26_an_author_deletes_a_post_and_nobody_comments_or_reacts_any_more(stage: &Stage) {
    let id = post(stage, "anna", "a post");
    let other = stage.refused("delete_post", args!(post_id = &id, user_id = "binh"));
    assert!(matches!(other, RunError::Condition { .. }), "{other:?}");
    stage.run("delete_post", args!(post_id = &id, user_id = "anna"));
    assert_eq!(stage.list("public_feed", args!()).len(), 0);
    assert_eq!(stage.list("user_posts", args!(user_id = "anna")).len(), 0);
    let comment = stage.refused("comment", args!(post_id = &id, user_id = "binh", content = "late"));
    assert_eq!(comment.to_string(), format!("`post_id`: there is no Post `{id}`"));
    let reaction = stage.refused("react", args!(target_id = &id, user_id = "binh"));
    assert_eq!(reaction.to_string(), format!("`target_id`: there is no Post `{id}`"));
}

pub(crate) fn sc_26_a_deleted_posts_comments_and_reactions_are_deleted(stage: &Stage) {
    let id = post(stage, "anna", "a post");
    for user in ["binh", "chi"] {
        stage.run("comment", args!(post_id = &id, user_id = user, content = "nice"));
        stage.run("react", args!(target_id = &id, user_id = user));
    }
    stage.run("delete_post", args!(post_id = &id, user_id = "anna"));
    if !stage.settles() {
        return;
    }
    assert_eq!(stage.list("post_comments", args!(post_id = &id)).len(), 0);
    assert_eq!(stage.list("post_reactions", args!(target_id = &id)).len(), 0);
}

pub(crate) fn sc_30_a_user_reacts_to_a_post_once(stage: &Stage) {
    let (p1, p2) = (post(stage, "dung", "1"), post(stage, "dung", "2"));
    let react = |post: &str, user: &str, how: &str| {
        stage.run("react", args!(target_id = post, user_id = user, reaction_type = how))
    };
    react(&p1, "binh", "love");
    react(&p1, "anna", "like");
    react(&p2, "anna", "yummy");
    let again = stage.refused("react", args!(target_id = &p1, user_id = "anna", reaction_type = "wow"));
    assert!(matches!(again, RunError::Exists { .. }), "{again:?}");
    stage.run("change_reaction", args!(target_id = &p1, user_id = "anna", reaction_type = "wow"));

    let of_post = stage.list("post_reactions", args!(target_id = &p1));
    assert_eq!(column(&of_post, "reaction_type"), ["wow", "love"]);
    assert_eq!(column(&of_post, "target_type"), ["post", "post"]);
    let of_user = stage.list("user_reactions", args!(user_id = "anna"));
    assert_eq!(column(&of_user, "target_id"), [p2, p1.clone()]);
    let own = |user: &str| stage.run("own_reaction", args!(target_id = &p1, user_id = user));
    assert_eq!(own("binh").text("reaction_type"), "love");
    assert_eq!(own("chi"), Json::Null);
    stage.run("take_back_reaction", args!(target_id = &p1, user_id = "binh"));
    assert_eq!(own("binh"), Json::Null);
    react(&p1, "binh", "like");
}
