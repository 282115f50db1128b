//! Counts, sums, averages and existence, by patterns and by other writers.

use singlet_design::Json;
use singlet_values::{AttributeValue, Item};

use crate::fixture::{Blog, number, text};

#[test]
fn likes_are_counted_up_and_down() {
    let blog = Blog::new();
    blog.post("p1");
    blog.like("p1", "a");
    blog.like("p1", "b");
    blog.settle();
    assert_eq!(blog.likes("p1"), 2);
    blog.run("unlike", &[("post", "p1".into()), ("user", "a".into())]);
    blog.settle();
    assert_eq!(blog.likes("p1"), 1);
}

#[test]
fn an_average_follows_each_review() {
    let blog = Blog::new();
    blog.post("p1");
    blog.settle();
    assert_eq!(blog.field("p1", "rating"), Json::Null);
    assert_eq!(blog.field("p1", "reviewed"), Json::Bool(false));
    blog.review("p1", "a", 5);
    blog.review("p1", "b", 4);
    blog.review("p1", "c", 4);
    blog.settle();
    assert_eq!(blog.field("p1", "rating").to_string(), "4.3");
    assert_eq!(number(&blog.field("p1", "good")), 3);
    // A changed review counts once, by its new stars.
    blog.review("p1", "a", 1);
    blog.settle();
    assert_eq!(blog.field("p1", "rating").to_string(), "3");
    assert_eq!(number(&blog.field("p1", "good")), 2);
    for user in ["a", "b", "c"] {
        blog.run("unreview", &[("post", "p1".into()), ("user", user.into())]);
    }
    blog.settle();
    assert_eq!(blog.field("p1", "rating"), Json::Null);
    assert_eq!(blog.field("p1", "reviewed"), Json::Bool(false));
}

#[test]
fn a_derivation_follows_from_another_one() {
    let blog = Blog::new();
    blog.run("save_user", &[("user", "u1".into())]);
    blog.post("p1");
    blog.post("p2");
    blog.like("p1", "a");
    blog.like("p1", "b");
    blog.like("p2", "a");
    blog.settle();
    let user = blog.run("get_user", &[("user", "u1".into())]);
    assert_eq!(number(user.get("posts").unwrap()), 2);
    assert_eq!(number(user.get("likes").unwrap()), 3);
}

#[test]
fn keys_of_indexes_follow_derived_fields() {
    let blog = Blog::new();
    for post in ["p1", "p2", "p3"] {
        blog.post(post);
    }
    blog.like("p2", "a");
    blog.like("p2", "b");
    blog.like("p3", "a");
    blog.settle();
    let item = blog.item("POST#p2", "POST").unwrap();
    assert_eq!(text(&item, "GSI1SK").as_deref(), Some("000002#p2"));
    let popular = blog.run("popular", &[]);
    let posts: Vec<String> = popular
        .get("items")
        .unwrap()
        .as_list()
        .unwrap()
        .iter()
        .map(|post| post.get("post").unwrap().to_string())
        .collect();
    assert_eq!(posts, ["\"p2\"", "\"p3\"", "\"p1\""]);
}

#[test]
fn comments_before_their_post_count_when_it_comes() {
    let blog = Blog::new();
    blog.like("p1", "a");
    blog.like("p1", "b");
    blog.settle();
    assert_eq!(blog.item("POST#p1", "POST"), None, "an effect creates no item");
    blog.post("p1");
    blog.settle();
    assert_eq!(blog.likes("p1"), 2);
}

#[test]
fn a_post_that_is_deleted_and_created_again_has_its_likes() {
    let blog = Blog::new();
    blog.post("p1");
    blog.like("p1", "a");
    blog.settle();
    blog.run("unpost", &[("post", "p1".into())]);
    blog.like("p1", "b");
    blog.settle();
    blog.post("p1");
    blog.settle();
    assert_eq!(blog.likes("p1"), 2);
    // The same without a pause in which the worker could see the steps one by one.
    blog.run("unpost", &[("post", "p1".into())]);
    blog.run("unlike", &[("post", "p1".into()), ("user", "a".into())]);
    blog.post("p1");
    blog.like("p1", "c");
    blog.settle();
    assert_eq!(blog.likes("p1"), 2);
}

#[test]
fn a_child_that_moves_counts_for_its_new_parent() {
    let blog = Blog::new();
    blog.run("save_user", &[("user", "u1".into())]);
    blog.run("save_user", &[("user", "u2".into())]);
    blog.post("p1");
    blog.settle();
    let mut item = blog.item("POST#p1", "POST").unwrap();
    item.insert("user", "u2");
    blog.put_raw(item);
    blog.settle();
    let posts = |user: &str| number(blog.run("get_user", &[("user", user.into())]).get("posts").unwrap());
    assert_eq!((posts("u1"), posts("u2")), (0, 1));
}

#[test]
fn programs_with_an_sdk_count_like_patterns() {
    let blog = Blog::new();
    blog.post("p1");
    blog.put_raw_like("p1", "a");
    blog.put_raw_like("p1", "b");
    // The same item again isn't a second like.
    blog.put_raw_like("p1", "b");
    blog.delete_raw("POST#p1", "LIKE#a");
    blog.settle();
    assert_eq!(blog.likes("p1"), 1);
}

#[test]
fn an_overwritten_item_gets_its_derived_fields_back() {
    let blog = Blog::new();
    blog.post("p1");
    blog.like("p1", "a");
    blog.like("p1", "b");
    blog.settle();
    // Without its tallies, as a program writes it that doesn't know them.
    let plain = [("PK", "POST#p1"), ("SK", "POST"), ("type", "Post"), ("post", "p1"), ("user", "u1")];
    blog.put_raw(Item::from(plain));
    blog.settle();
    assert_eq!(blog.likes("p1"), 2);
    // With an old copy of its tallies.
    let old = blog.item("POST#p1", "POST").unwrap();
    blog.like("p1", "c");
    blog.settle();
    blog.put_raw(old);
    blog.settle();
    assert_eq!(blog.likes("p1"), 3);
    // With a value of its own.
    let mut vain = blog.item("POST#p1", "POST").unwrap();
    vain.insert("likes", 1_000);
    blog.put_raw(vain);
    blog.settle();
    assert_eq!(blog.likes("p1"), 3);
    assert_eq!(text(&blog.item("POST#p1", "POST").unwrap(), "GSI1SK").as_deref(), Some("000003#p1"));
}

#[test]
fn a_copied_item_does_not_copy_the_tallies() {
    let blog = Blog::new();
    blog.post("p1");
    blog.like("p1", "a");
    blog.settle();
    let mut copy = blog.item("POST#p1", "POST").unwrap();
    copy.insert("PK", "POST#p2");
    copy.insert("post", "p2");
    blog.put_raw(copy);
    blog.like("p2", "b");
    blog.like("p2", "c");
    blog.settle();
    assert_eq!((blog.likes("p1"), blog.likes("p2")), (1, 2));
}

#[test]
fn an_item_that_cannot_take_its_count_blocks_nothing_else() {
    let blog = Blog::new();
    blog.post("p1");
    blog.post("p2");
    // 2 bytes less than an item may have: there is no room for tallies.
    let mut large = blog.item("POST#p1", "POST").unwrap();
    let room = 400 * 1024 - large.size_bytes() - "filler".len() - 2;
    large.insert("filler", AttributeValue::S("x".repeat(room)));
    blog.put_raw(large.clone());
    blog.like("p1", "a");
    blog.like("p2", "a");
    blog.settle();
    assert_eq!((blog.likes("p1"), blog.likes("p2")), (0, 1));
    // Once there is room, the next effect brings everything that waited.
    large.remove("filler");
    blog.put_raw(large);
    blog.settle();
    assert_eq!(blog.likes("p1"), 1);
}

#[test]
fn more_targets_than_a_transaction_has_are_split() {
    let blog = Blog::new();
    for post in 0..250 {
        blog.post(&format!("p{post}"));
        blog.like(&format!("p{post}"), "a");
    }
    blog.settle();
    assert!((0..250).all(|post| blog.likes(&format!("p{post}")) == 1));
}

#[test]
fn two_workers_double_nothing() {
    let blog = Blog::new();
    blog.post("p1");
    let (mut one, mut two) = (blog.worker(), blog.worker());
    use singlet_run::Wait;
    for user in 0..20 {
        blog.like("p1", &format!("u{user}"));
        one.catch_up().wait().unwrap();
        blog.like("p1", &format!("v{user}"));
        two.catch_up().wait().unwrap();
    }
    blog.settle();
    assert_eq!(blog.likes("p1"), 40);
}
