//! Gets, batches, parts and references.

use std::sync::Arc;

use singlet_design::Operation;
use singlet_run::{Outcome, Paging, RunError, Runner, Wait};

use crate::fixture::{Data, NOW_MS, given};

fn network() -> Data {
    let data = Data::new(include_str!("network.toml"));
    data.put("User", &[("user_id", "u1"), ("name", "ann"), ("city", "Huế"), ("friends", r#"["u2", "u3"]"#)]);
    data.put("User", &[("user_id", "u2"), ("name", "bob"), ("city", "Oslo")]);
    let past = (NOW_MS / 1000 - 10).to_string();
    data.put("User", &[("user_id", "u3"), ("name", "cid"), ("city", "Rome"), ("expires_at", &past)]);
    data.put(
        "Post",
        &[
            ("post_id", "p1"),
            ("user_id", "u1"),
            ("created_at", "1"),
            ("title", "Hi"),
            ("readers", r#"["u2", "u9", "u1"]"#),
        ],
    );
    data
}

#[test]
fn an_item_is_clean_json_in_the_order_of_its_fields() {
    let data = network();
    let ann = r#"{"user_id":"u1","name":"ann","city":"Huế","friends":["u2","u3"]}"#;
    assert_eq!(data.json("get_user", &[("user_id", "u1")]), ann);
    assert_eq!(data.json("user_by_name", &[("name", "ann")]), ann);
    assert_eq!(data.json("get_user", &[("user_id", "u9")]), "null");
    assert_eq!(data.json("user_by_name", &[("name", "nobody")]), "null");
}

#[test]
fn only_what_is_shown_comes_back() {
    assert_eq!(network().json("city_of", &[("user_id", "u2")]), r#"{"city":"Oslo"}"#);
}

#[test]
fn an_expired_item_is_not_there() {
    let data = network();
    assert_eq!(data.json("get_user", &[("user_id", "u3")]), "null");
    assert_eq!(data.json("user_by_name", &[("name", "cid")]), "null");
    assert_eq!(data.json("is_user", &[("user_id", "u3")]), "false");
    assert_eq!(data.json("is_user", &[("user_id", "u2")]), "true");
}

#[test]
fn a_batch_keeps_the_order_of_the_keys_and_leaves_out_what_is_missing() {
    let data = network();
    let (records, cursor) =
        crate::fixture::items(data.run("get_users", &[("keys", r#"["u2","u9","u1","u2","u3"]"#)]).unwrap());
    let ids: Vec<String> = records.iter().map(|record| crate::fixture::member(record, "user_id")).collect();
    assert_eq!(ids, ["u2", "u1", "u2"]);
    assert_eq!(cursor, None);
}

#[test]
fn references_are_followed_once_each_and_lists_of_them_too() {
    let post = network().json("get_post", &[("post_id", "p1")]);
    assert!(post.contains(r#""author":{"user_id":"u1""#), "{post}");
    assert!(
        post.contains(r#""read_by":[{"user_id":"u2","name":"bob","city":"Oslo"},{"user_id":"u1""#),
        "{post}"
    );
}

#[test]
fn parts_answer_together_under_their_names() {
    let data = network();
    let page = data.json("page", &[("user_id", "u1"), ("post_id", "p1")]);
    for expected in [
        r#""user":{"user_id":"u1""#,
        r#""there":true"#,
        r#""posts":{"items":[{"post_id":"p1""#,
        r#""post":{"post_id":"p1""#,
    ] {
        assert!(page.contains(expected), "{expected} in {page}");
    }
    let at_once = data.json("page_at_once", &[("user_id", "u1"), ("post_id", "p2")]);
    assert!(at_once.contains(r#""there":true,"post":null"#), "{at_once}");
}

#[test]
fn what_the_caller_gets_wrong_is_said_with_the_nearest_name() {
    let data = network();
    let said =
        |pattern: &str, arguments: &[(&str, &str)]| data.run(pattern, arguments).unwrap_err().to_string();
    assert_eq!(said("get_usr", &[]), "there is no pattern `get_usr`; did you mean `get_user`?");
    assert_eq!(said("get_user", &[]), "`user_id` is missing: an id");
    assert_eq!(
        said("get_user", &[("user_id", "u1"), ("user_idd", "2")]),
        "`user_idd` isn't a parameter of get_user; did you mean `user_id`?"
    );
    assert_eq!(
        said("get_user", &[("user_id", "u1"), ("x", "2")]),
        "`x` isn't a parameter of get_user, which has `user_id`"
    );
    assert!(said("get_user", &[("user_id", "a#b")]).starts_with("`user_id` can't stand in a key"));
}

#[test]
fn everything_that_is_wrong_with_a_call_is_said_at_once() {
    let data = network();
    let error = data.run("comments_between", &[("post_idd", "p1"), ("from", "[]"), ("x", "1")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "3 parameters of comments_between are wrong:\n  `from` must be a string, not a list\n  `post_idd` isn't a \
         parameter of comments_between; did you mean `post_id`?\n  `x` isn't a parameter of comments_between, \
         which has `post_id`, `from`, `to`"
    );
}

#[test]
fn only_lists_take_a_page() {
    let data = network();
    let cursor = Paging { limit: None, cursor: Some("x".to_owned()) };
    let refused = data.runner.run("get_user", &given(&[("user_id", "u1")]), &cursor).wait();
    assert!(matches!(refused, Err(RunError::Cursor(_))));
    for limit in [0, 1001] {
        let paging = Paging { limit: Some(limit), cursor: None };
        let refused = data.runner.run("user_posts", &given(&[("user_id", "u1")]), &paging).wait();
        assert!(matches!(refused, Err(RunError::Parameter { .. })));
    }
}

#[test]
fn a_merge_of_what_is_no_list_is_a_fault_and_not_an_empty_answer() {
    let data = Data::new(include_str!("network.toml"));
    let mut design = (**data.runner.design()).clone();
    let get = design.pattern("get_user").unwrap().clone();
    for pattern in design.patterns.iter_mut().filter(|pattern| pattern.name == "home") {
        let mut broken = (**pattern).clone();
        let Operation::Merge(merge) = &mut broken.operation else { panic!() };
        merge.walk.run = get.clone();
        *pattern = Arc::new(broken);
    }
    let runner = Runner::new(Arc::new(design), data.runner.store(), "dev");
    let refused = runner.run("home", &given(&[("user_id", "me")]), &Paging::default()).wait();
    assert!(matches!(refused, Err(RunError::Fault(_))), "{refused:?}");
}

#[test]
fn the_future_of_a_run_can_be_sent_to_another_thread() {
    fn sendable<F: Future + Send>(future: F) -> F {
        future
    }
    let data = network();
    let arguments = given(&[("user_id", "u9")]);
    let paging = Paging::default();
    let run = sendable(data.runner.run("get_user", &arguments, &paging));
    let answer = std::thread::scope(|scope| scope.spawn(|| run.wait()).join().unwrap());
    assert!(matches!(answer, Ok(Outcome::Item(None))));
}
