//! The social network: designs/social.toml.

use singlet_design::Json;
use singlet_run::{Paging, RunError};

use crate::arguments::{Look, args, column};
use crate::stage::Stage;

#[track_caller]
fn user(stage: &Stage, name: &str) -> String {
    let arguments = args!(username = name, email = format!("{name}@example.com"), displayName = name);
    stage.run("create_user", arguments).text("userId")
}

#[track_caller]
fn post(stage: &Stage, user: &str, caption: &str) -> String {
    let arguments = args!(userId = user, caption = caption, imageUrl = "https://pictures.example/1.jpg");
    stage.run("create_post", arguments).text("postId")
}

#[track_caller]
fn comment(stage: &Stage, post: &str, user: &str, content: &str) -> Json {
    stage.run("comment", args!(postId = post, userId = user, content = content))
}

pub(crate) fn sm_01_a_user_is_found_by_id_name_and_address(stage: &Stage) {
    let anna = user(stage, "anna");
    user(stage, "binh");
    let by_id = stage.run("get_user", args!(userId = &anna));
    assert_eq!(by_id.text("email"), "anna@example.com");
    assert_eq!(*by_id.at("followerCount"), Json::from(0));
    assert_eq!(stage.run("user_by_name", args!(username = "anna")), by_id);
    assert_eq!(stage.run("user_by_email", args!(email = "anna@example.com")), by_id);
    assert_eq!(stage.run("user_by_name", args!(username = "nobody")), Json::Null);
}

pub(crate) fn sm_01_names_and_addresses_are_unique_through_changes_and_deletion(stage: &Stage) {
    let anna = user(stage, "anna");
    for (name, email, field) in
        [("anna", "new@example.com", "username"), ("new", "anna@example.com", "email")]
    {
        let taken = stage.refused("create_user", args!(username = name, email = email, displayName = "x"));
        assert!(matches!(&taken, RunError::NotUnique { field: found, .. } if found == field), "{taken:?}");
    }
    stage.run("change_user", args!(userId = &anna, username = "anna2"));
    assert_eq!(stage.run("user_by_name", args!(username = "anna")), Json::Null);
    assert_eq!(stage.run("user_by_name", args!(username = "anna2")).text("userId"), anna);
    let second = args!(username = "anna", email = "second@example.com", displayName = "x");
    stage.run("create_user", second);
    let taken = stage.refused("change_user", args!(userId = &anna, username = "anna"));
    assert!(matches!(taken, RunError::NotUnique { .. }), "{taken:?}");
    stage.run("delete_user", args!(userId = &anna));
    let third = args!(username = "anna2", email = "anna@example.com", displayName = "x");
    stage.run("create_user", third);
}

pub(crate) fn sm_02_a_users_posts_come_newest_first(stage: &Stage) {
    let ids: Vec<_> = ["a", "b", "c"].iter().map(|caption| post(stage, "anna", caption)).collect();
    post(stage, "binh", "another's");
    stage.run("change_caption", args!(postId = &ids[0], userId = "anna", caption = "A"));
    let posts = stage.list("user_posts", args!(userId = "anna"));
    assert_eq!(column(&posts, "caption"), ["c", "b", "A"]);
    assert_eq!(stage.run("get_post", args!(postId = &ids[2])), posts[0]);
    let other = stage.refused("change_caption", args!(postId = &ids[1], userId = "binh", caption = "mine"));
    assert!(matches!(other, RunError::Condition { .. }), "{other:?}");
}

pub(crate) fn sm_02_an_author_deletes_a_post_and_it_leaves_the_feeds(stage: &Stage) {
    let ids: Vec<_> = ["a", "b"].iter().map(|caption| post(stage, "anna", caption)).collect();
    let other = stage.refused("delete_post", args!(postId = &ids[0], userId = "binh"));
    assert!(matches!(other, RunError::Condition { .. }), "{other:?}");
    stage.run("delete_post", args!(postId = &ids[0], userId = "anna"));
    assert_eq!(stage.run("get_post", args!(postId = &ids[0])), Json::Null);
    assert_eq!(column(&stage.list("user_posts", args!(userId = "anna")), "caption"), ["b"]);
    assert_eq!(column(&stage.list("global_feed", args!()), "caption"), ["b"]);
    let gone = args!(postId = &ids[0], userId = "chi", content = "late");
    let refused = stage.refused("comment", gone);
    assert_eq!(refused.to_string(), format!("`postId`: there is no Post `{}`", ids[0]));
}

pub(crate) fn sm_02_a_deleted_posts_likes_and_comments_are_deleted(stage: &Stage) {
    let ids: Vec<_> = ["a", "b"].iter().map(|caption| post(stage, "anna", caption)).collect();
    for id in &ids {
        for user in ["binh", "chi"] {
            stage.run("like", args!(postId = id, userId = user));
            comment(stage, id, user, "nice");
        }
    }
    stage.run("delete_post", args!(postId = &ids[0], userId = "anna"));
    if !stage.settles() {
        return;
    }
    for list in ["post_likes", "post_comments"] {
        assert_eq!(stage.list(list, args!(postId = &ids[0])).len(), 0, "{list}");
        assert_eq!(stage.list(list, args!(postId = &ids[1])).len(), 2, "{list}");
    }
}

pub(crate) fn sm_03_the_global_feed_has_all_posts_newest_first(stage: &Stage) {
    let mut captions: Vec<_> = (0..20).map(|n| n.to_string()).collect();
    for caption in &captions {
        post(stage, "anna", caption);
    }
    captions.reverse();
    let feed = stage.list("global_feed", args!());
    assert_eq!(column(&feed, "caption"), captions);
    assert_eq!(*feed[0].at("likeCount"), Json::from(0));
}

pub(crate) fn sm_04_a_user_likes_a_post_once(stage: &Stage) {
    let ids: Vec<_> = ["a", "b"].iter().map(|caption| post(stage, "anna", caption)).collect();
    let like = |post: &str, user: &str| args!(postId = post, userId = user);
    for (post, user) in [(&ids[1], "chi"), (&ids[0], "binh"), (&ids[1], "binh")] {
        stage.run("like", like(post, user));
    }
    let again = stage.refused("like", like(&ids[1], "binh"));
    assert!(matches!(again, RunError::Exists { .. }), "{again:?}");
    let likes = || column(&stage.list("post_likes", args!(postId = &ids[1])), "userId");
    assert_eq!(likes(), ["binh", "chi"]);
    let liked = stage.list("liked_posts", args!(userId = "binh"));
    assert_eq!(column(&liked, "post.caption"), ["b", "a"]);

    stage.run("unlike", like(&ids[1], "chi"));
    stage.run("unlike", like(&ids[1], "chi"));
    assert_eq!(likes(), ["binh"]);
    for (user, liked) in [("binh", true), ("chi", false)] {
        assert_eq!(stage.run("has_liked", like(&ids[1], user)), Json::Bool(liked), "{user}");
    }
}

pub(crate) fn sm_05_comments_come_in_order_and_their_author_changes_them(stage: &Stage) {
    let (p1, p2) = (post(stage, "dung", "1"), post(stage, "dung", "2"));
    let written: Vec<_> =
        ["first", "second", "third"].iter().map(|text| comment(stage, &p1, "anna", text)).collect();
    comment(stage, &p2, "anna", "elsewhere");
    comment(stage, &p1, "binh", "fourth");
    let key = |n: usize, user: Option<&str>| {
        let mut key = args!(
            postId = &p1,
            createdAt = written[n].at("createdAt"),
            commentId = written[n].at("commentId")
        );
        key.extend(user.map(|user| ("userId".to_owned(), user.into())));
        key
    };
    let mut change = key(1, Some("anna"));
    change.insert("content".to_owned(), "SECOND".into());
    stage.run("change_comment", change);
    let mut change = key(1, Some("binh"));
    change.insert("content".to_owned(), "mine".into());
    let other = stage.refused("change_comment", change);
    assert!(matches!(other, RunError::Condition { .. }), "{other:?}");
    let other = stage.refused("delete_comment", key(0, Some("binh")));
    assert!(matches!(other, RunError::Condition { .. }), "{other:?}");
    stage.run("delete_comment", key(0, Some("anna")));

    let comments = stage.list("post_comments", args!(postId = &p1));
    assert_eq!(column(&comments, "content"), ["SECOND", "third", "fourth"]);
    let of_user = stage.list("user_comments", args!(userId = "anna"));
    assert_eq!(column(&of_user, "content"), ["elsewhere", "third", "SECOND"]);
    assert_eq!(stage.run("get_comment", key(1, None)), comments[0]);
    assert_eq!(stage.run("get_comment", key(0, None)), Json::Null);
}

pub(crate) fn sm_06_a_user_follows_another_once(stage: &Stage) {
    let follow = |one: &str, other: &str| args!(followerId = one, followingId = other);
    for (one, other) in [("anna", "chi"), ("anna", "binh"), ("binh", "chi"), ("dung", "chi")] {
        stage.run("follow", follow(one, other));
    }
    let again = stage.refused("follow", follow("anna", "chi"));
    assert!(matches!(again, RunError::Exists { .. }), "{again:?}");
    stage.run("unfollow", follow("dung", "chi"));
    let following = stage.list("following", args!(followerId = "anna"));
    assert_eq!(column(&following, "followingId"), ["binh", "chi"]);
    let followers = stage.list("followers", args!(followingId = "chi"));
    assert_eq!(column(&followers, "followerId"), ["anna", "binh"]);
    for (one, other, follows) in [("anna", "chi", true), ("chi", "anna", false), ("dung", "chi", false)] {
        assert_eq!(stage.run("follows", follow(one, other)), Json::Bool(follows), "{one} {other}");
    }
}

pub(crate) fn sm_07_the_home_feed_merges_posts_of_those_followed_newest_first(stage: &Stage) {
    for other in ["binh", "chi", "dung"] {
        stage.run("follow", args!(followerId = "anna", followingId = other));
    }
    let authors = ["binh", "chi", "elsewhere", "dung", "binh", "binh", "anna", "chi", "dung", "binh"];
    for (n, author) in authors.iter().enumerate() {
        post(stage, author, &n.to_string());
    }
    let feed = || column(&stage.list("home_feed", args!(followerId = "anna")), "caption");
    assert_eq!(feed(), ["9", "8", "7", "5", "4", "3", "1", "0"]);
    stage.run("unfollow", args!(followerId = "anna", followingId = "binh"));
    assert_eq!(feed(), ["8", "7", "3", "1"]);
    assert_eq!(stage.list("home_feed", args!(followerId = "nobody")).len(), 0);
}

pub(crate) fn sm_07_posts_of_one_instant_are_each_in_the_home_feed_once(stage: &Stage) {
    for author in ["binh", "chi", "dung"] {
        stage.run("follow", args!(followerId = "anna", followingId = author));
    }
    for n in 0..9 {
        let author = ["binh", "chi", "dung"][n % 3];
        let arguments =
            args!(userId = author, caption = n.to_string(), imageUrl = "https://pictures.example/1.jpg");
        stage.at_once("create_post", arguments);
    }
    let mut captions = column(&stage.list("home_feed", args!(followerId = "anna")), "caption");
    captions.sort();
    assert_eq!(captions, ["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
}

pub(crate) fn sm_08_the_post_page_is_read_at_once(stage: &Stage) {
    let id = post(stage, "anna", "picture");
    for n in 0..25 {
        comment(stage, &id, "binh", &n.to_string());
    }
    stage.run("like", args!(postId = &id, userId = "binh"));
    let page = stage.run("post_page", args!(postId = &id, userId = "binh"));
    assert_eq!(page.text("post.caption"), "picture");
    let first: Vec<_> = (0..20).map(|n| n.to_string()).collect();
    assert_eq!(column(page.at("comments").items(), "content"), first);
    assert_eq!(*page.at("liked"), Json::Bool(true));

    let cursor = Some(page.text("comments.cursor"));
    let (rest, end) = stage.page("post_comments", &args!(postId = &id), &Paging { limit: None, cursor });
    assert_eq!(column(&rest, "content"), ["20", "21", "22", "23", "24"]);
    assert_eq!(end, None);
    let page = stage.run("post_page", args!(postId = &id, userId = "chi"));
    assert_eq!(*page.at("liked"), Json::Bool(false));
}

pub(crate) fn sm_09_the_profile_page_is_read_at_once(stage: &Stage) {
    let anna = user(stage, "anna");
    for n in 0..22 {
        post(stage, &anna, &n.to_string());
    }
    let page = stage.run("profile_page", args!(userId = &anna));
    assert_eq!(page.text("user.username"), "anna");
    let newest: Vec<_> = (2..22).rev().map(|n| n.to_string()).collect();
    assert_eq!(column(page.at("posts").items(), "caption"), newest);
}

pub(crate) fn sm_11_a_cursor_goes_on_exactly_where_its_page_ended_whatever_is_written_meanwhile(
    stage: &Stage,
) {
    for n in 0..5 {
        post(stage, "anna", &n.to_string());
    }
    let arguments = args!(userId = "anna");
    let two = |cursor| Paging { limit: Some(2), cursor };
    let (first, cursor) = stage.page("user_posts", &arguments, &two(None));
    assert_eq!(column(&first, "caption"), ["4", "3"]);
    post(stage, "anna", "new");
    let (second, cursor) = stage.page("user_posts", &arguments, &two(cursor));
    assert_eq!(column(&second, "caption"), ["2", "1"]);
    let (third, _) = stage.page("user_posts", &arguments, &two(cursor));
    assert_eq!(column(&third, "caption"), ["0"]);
}

pub(crate) fn sm_11_a_cursor_is_good_for_its_own_list_only(stage: &Stage) {
    for user in ["anna", "binh"] {
        for n in 0..3 {
            post(stage, user, &n.to_string());
        }
    }
    let anna = args!(userId = "anna");
    let (_, cursor) = stage.page("user_posts", &anna, &Paging { limit: Some(1), cursor: None });
    let cursor = cursor.unwrap();
    let mut changed = cursor.clone();
    let last = if changed.pop() == Some('A') { 'B' } else { 'A' };
    changed.push(last);
    for (pattern, arguments, cursor) in [
        ("user_posts", args!(userId = "binh"), cursor.as_str()),
        ("user_comments", anna.clone(), cursor.as_str()),
        ("user_posts", anna.clone(), changed.as_str()),
        ("user_posts", anna, "made up"),
    ] {
        let refused = stage.refused_cursor(pattern, &arguments, cursor);
        assert!(matches!(refused, RunError::Cursor(_)), "{pattern}: {refused:?}");
    }
}

pub(crate) fn sm_12_a_viral_posts_likes_and_comments_are_spread_and_read_as_one(stage: &Stage) {
    let id = post(stage, "anna", "viral");
    stage.run("mark_viral", args!(postId = &id));
    assert_eq!(*stage.run("get_post", args!(postId = &id)).at("viral"), Json::Bool(true));
    let mut users: Vec<_> = (0..30).map(|n| format!("user{n:02}")).collect();
    for user in users.iter().rev() {
        stage.run("like_viral", args!(postId = &id, userId = user));
        stage.run("comment_viral", args!(postId = &id, userId = user, content = user));
    }
    assert_eq!(column(&stage.list("viral_likes", args!(postId = &id)), "userId"), users);
    users.reverse();
    let comments = stage.list("viral_comments", args!(postId = &id));
    assert_eq!(column(&comments, "content"), users);

    let key = |user: &str| {
        let written = ["createdAt", "commentId"].map(|name| (name.to_owned(), comments[0].at(name).clone()));
        let mut key = args!(postId = &id, userId = user);
        key.extend(written);
        key
    };
    let mut change = key("user29");
    change.insert("content".to_owned(), "changed".into());
    stage.run("change_viral_comment", change);
    assert_eq!(stage.list("viral_comments", args!(postId = &id))[0].text("content"), "changed");
    let other = stage.refused("delete_viral_comment", key("user28"));
    assert!(matches!(other, RunError::Condition { .. }), "{other:?}");
    stage.run("delete_viral_comment", key("user29"));
    assert_eq!(stage.list("viral_comments", args!(postId = &id)).len(), 29);
}

pub(crate) fn sm_12_a_user_likes_a_post_once_before_and_after_it_is_viral(stage: &Stage) {
    let id = post(stage, "anna", "viral");
    let of = |user: &str| args!(postId = &id, userId = user);
    stage.run("like", of("binh"));
    stage.run("mark_viral", args!(postId = &id));
    stage.run("like_viral", of("chi"));
    for (pattern, user) in [("like", "binh"), ("like", "chi"), ("like_viral", "binh"), ("like_viral", "chi")]
    {
        let again = stage.refused(pattern, of(user));
        let refused = matches!(again, RunError::Exists { .. } | RunError::Condition { .. });
        assert!(refused, "{pattern} {user}: {again:?}");
    }
    let liked = |user: &str| {
        let answer = stage.run("has_liked_viral", of(user));
        ["before", "since"].map(|name| *answer.at(name) == Json::Bool(true))
    };
    assert_eq!(liked("binh"), [true, false]);
    assert_eq!(liked("chi"), [false, true]);
    for user in ["binh", "chi"] {
        assert_eq!(column(&stage.list("liked_posts", args!(userId = user)), "post.caption"), ["viral"]);
        stage.run("unlike", of(user));
        assert_eq!(liked(user), [false, false], "{user}");
    }
}

pub(crate) fn sm_14_texts_are_bounded_and_pictures_are_addresses(stage: &Stage) {
    let long = |characters: usize| "ế".repeat(characters);
    let id = post(stage, "anna", "picture");
    comment(stage, &id, "anna", &long(2000));
    for content in [long(2001), String::new()] {
        let refused = stage.refused("comment", args!(postId = &id, userId = "anna", content = content));
        assert!(
            matches!(&refused, RunError::Parameter { parameter, .. } if parameter == "content"),
            "{refused:?}"
        );
    }
    let picture = args!(userId = "anna", imageUrl = long(2049));
    let refused = stage.refused("create_post", picture);
    assert!(
        matches!(&refused, RunError::Parameter { parameter, .. } if parameter == "imageUrl"),
        "{refused:?}"
    );
}

pub(crate) fn sm_15_notifications_go_after_30_days(stage: &Stage) {
    let texts = || column(&stage.list("notifications", args!(userId = "anna")), "text");
    stage.run("notify", args!(userId = "anna", text = "old"));
    stage.days_pass(20);
    stage.run("notify", args!(userId = "anna", text = "new"));
    assert_eq!(texts(), ["new", "old"]);
    stage.days_pass(10);
    assert_eq!(texts(), ["new"]);
    stage.days_pass(20);
    assert_eq!(texts(), Vec::<String>::new());
}

pub(crate) fn sm_15_likes_comments_and_follows_notify_once(stage: &Stage) {
    for user in ["anna", "binh"] {
        let name =
            args!(userId = user, username = user, email = format!("{user}@example.com"), displayName = user);
        stage.run("create_user", name);
    }
    let id = post(stage, "anna", "a picture");
    for user in ["anna", "binh"] {
        stage.run("like", args!(postId = &id, userId = user));
        comment(stage, &id, user, "Nice");
    }
    stage.run("follow", args!(followerId = "binh", followingId = "anna"));
    if !stage.settles() {
        return;
    }
    let texts = |user: &str| {
        let mut texts = column(&stage.list("notifications", args!(userId = user)), "text");
        texts.sort();
        texts
    };
    assert_eq!(texts("anna"), ["binh commented on your post", "binh follows you", "binh likes your post"]);
    assert_eq!(texts("binh"), Vec::<String>::new());
    stage.run("unlike", args!(postId = &id, userId = "binh"));
    assert!(stage.settles());
    assert_eq!(texts("anna").len(), 3, "a message stays");
}

pub(crate) fn sm_10_counts_of_likes_comments_posts_and_followers_are_kept_true(stage: &Stage) {
    for user in ["anna", "binh"] {
        let name =
            args!(userId = user, username = user, email = format!("{user}@example.com"), displayName = user);
        stage.run("create_user", name);
    }
    let id = post(stage, "anna", "a picture");
    let like = |user: &str| args!(postId = &id, userId = user);
    stage.run("like", like("binh"));
    stage.run("like", like("chi"));
    stage.run("comment", args!(postId = &id, userId = "binh", content = "Nice"));
    stage.run("follow", args!(followerId = "binh", followingId = "anna"));
    if !stage.settles() {
        return;
    }
    let count = |entity: &str, id: &str, field: &str| {
        let found = match entity {
            "Post" => stage.run("get_post", args!(postId = id)),
            _ => stage.run("get_user", args!(userId = id)),
        };
        found.at(field).to_string()
    };
    assert_eq!(count("Post", &id, "likeCount"), "2");
    assert_eq!(count("Post", &id, "commentCount"), "1");
    assert_eq!(count("User", "anna", "postCount"), "1");
    assert_eq!(count("User", "anna", "followerCount"), "1");
    assert_eq!(count("User", "anna", "followingCount"), "0");
    assert_eq!(count("User", "binh", "followingCount"), "1");

    // Likes in shards count as well.
    stage.run("mark_viral", args!(postId = &id));
    stage.run("like_viral", like("dung"));
    stage.run("comment_viral", args!(postId = &id, userId = "dung", content = "Wow"));
    stage.run("unlike", like("chi"));
    stage.run("unfollow", args!(followerId = "binh", followingId = "anna"));
    assert!(stage.settles());
    assert_eq!(count("Post", &id, "likeCount"), "2");
    assert_eq!(count("Post", &id, "commentCount"), "2");
    assert_eq!(count("User", "anna", "followerCount"), "0");
    let feed = stage.list("global_feed", args!());
    assert_eq!(*feed[0].at("likeCount"), Json::from(2), "the feed shows it too");
}
