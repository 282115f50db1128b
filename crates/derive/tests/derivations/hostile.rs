//! Programs that copy items with their tallies, put old ones back, or write what nobody expects.

use singlet_derive::Audit;
use singlet_engine::Database;
use singlet_run::Wait;
use singlet_values::{AttributeValue, Item};

use crate::fixture::{Blog, DESIGN, number};

fn has_no_difference(blog: &Blog) {
    let audit = Audit::new(blog.store(), blog.design.clone(), "dev").unwrap();
    assert_eq!(audit.run(&mut |_| {}).wait().unwrap().differences, []);
}

/// A post with two likes, and another with one.
fn blog() -> Blog {
    let blog = Blog::new();
    blog.post("p1");
    blog.post("p2");
    blog.like("p1", "a");
    blog.like("p1", "b");
    blog.like("p2", "a");
    blog.settle();
    blog
}

fn without_tallies(mut item: Item) -> Item {
    item.remove("_derived");
    item.remove("likes");
    item
}

#[test]
fn lost_progress_doubles_nothing() {
    let database = Database::in_memory().unwrap();
    let before = Blog::of(DESIGN, database.clone());
    for user in 0..40 {
        before.post(&format!("p{user}"));
        before.like(&format!("p{user}"), "a");
        before.settle();
    }
    // The record of the progress is lost, and everything is filled again under a new one.
    for item in before.all_of("singlet-derived") {
        let key = ["owner", "kind"].map(|name| (name, item.get(name).unwrap().clone())).into_iter().collect();
        database.delete_item(singlet_engine::DeleteItem::new("singlet-derived", key)).unwrap();
    }
    before.settle();
    assert!((0..40).all(|post| before.likes(&format!("p{post}")) == 1));
    has_no_difference(&before);
}

#[test]
fn a_copy_of_an_item_under_another_key_takes_nothing_from_it() {
    let blog = blog();
    let mut copy = blog.item("POST#p1", "POST").unwrap();
    copy.insert("SK", "BACKUP");
    blog.put_raw(copy);
    blog.settle();
    assert_eq!(blog.likes("p1"), 2);
    has_no_difference(&blog);
    blog.delete_raw("POST#p1", "BACKUP");
    blog.settle();
    assert_eq!(blog.likes("p1"), 2);
    has_no_difference(&blog);
}

#[test]
fn an_item_that_is_copied_over_another_one_keeps_the_counts_of_its_place() {
    let blog = blog();
    blog.like("p1", "c");
    blog.settle();
    let mut copy = blog.item("POST#p1", "POST").unwrap();
    copy.insert("PK", "POST#p2");
    copy.insert("post", "p2");
    blog.put_raw(copy);
    blog.settle();
    assert_eq!((blog.likes("p1"), blog.likes("p2")), (3, 1));
    has_no_difference(&blog);
}

#[test]
fn an_item_that_loses_its_tallies_and_gets_old_ones_back_before_the_worker_looks_is_right() {
    let blog = blog();
    let old = blog.item("POST#p1", "POST").unwrap();
    let mut worker = blog.worker();
    worker.catch_up().wait().unwrap();
    blog.put_raw(without_tallies(old.clone()));
    blog.put_raw(old.clone());
    worker.catch_up().wait().unwrap();
    assert_eq!(blog.likes("p1"), 2);
    // With a newer state between.
    blog.like("p1", "c");
    worker.catch_up().wait().unwrap();
    let newer = blog.item("POST#p1", "POST").unwrap();
    blog.put_raw(old);
    blog.put_raw(newer);
    worker.catch_up().wait().unwrap();
    assert_eq!(blog.likes("p1"), 3);
    has_no_difference(&blog);
}

#[test]
fn tallies_of_another_database_are_void() {
    let other = blog();
    for user in 0..20 {
        other.like("p1", &format!("u{user}"));
        other.settle();
    }
    let imported = other.item("POST#p1", "POST").unwrap();
    let blog = Blog::new();
    blog.post("p1");
    blog.like("p1", "a");
    blog.settle();
    blog.put_raw(imported);
    blog.settle();
    assert_eq!(blog.likes("p1"), 1);
    has_no_difference(&blog);
}

#[test]
fn a_like_that_can_name_no_post_stops_nothing() {
    let blog = blog();
    let long = "x".repeat(3_000);
    let like =
        [("PK", "POST#p1"), ("SK", "LIKE#long"), ("type", "Like"), ("post", long.as_str()), ("user", "u")];
    blog.put_raw(Item::from(like));
    blog.like("p2", "b");
    blog.settle();
    assert_eq!(blog.likes("p2"), 2);
    has_no_difference(&blog);
}

#[test]
fn numbers_whose_sum_is_not_exact_do_not_count_and_stop_nothing() {
    let blog = blog();
    for (user, stars) in [("a", "1E+60"), ("b", "1E-60"), ("c", "5")] {
        let mut review = Item::from([("PK", "POST#p1"), ("type", "Review"), ("post", "p1"), ("user", user)]);
        review.insert("SK", format!("REVIEW#{user}"));
        review.insert("stars", AttributeValue::N(stars.parse().unwrap()));
        blog.put_raw(review);
    }
    blog.like("p1", "c");
    blog.settle();
    assert_eq!(blog.likes("p1"), 3);
    assert_eq!(number(&blog.field("p1", "rating")), 5);
    has_no_difference(&blog);
}

#[test]
fn a_changed_default_counts_anew() {
    let design = DESIGN
        .replace("stars = { type = \"int\", min = 1, max = 5 }", "stars = { type = \"int\", default = 3 }");
    let database = Database::in_memory().unwrap();
    let blog = Blog::of(&design, database.clone());
    blog.post("p1");
    let review = [("PK", "POST#p1"), ("SK", "REVIEW#a"), ("type", "Review"), ("post", "p1"), ("user", "a")];
    blog.put_raw(Item::from(review));
    blog.settle();
    assert_eq!(number(&blog.field("p1", "good")), 0);
    let blog = Blog::of(&design.replace("default = 3", "default = 5"), database);
    blog.settle();
    assert_eq!(number(&blog.field("p1", "good")), 1);
    blog.delete_raw("POST#p1", "REVIEW#a");
    blog.settle();
    assert_eq!(number(&blog.field("p1", "good")), 0);
    has_no_difference(&blog);
}

#[test]
fn a_repair_after_the_worker_has_gone_on_is_refused() {
    let blog = blog();
    let mut item = blog.item("POST#p1", "POST").unwrap();
    item.insert("likes", 9);
    blog.put_raw(item);
    blog.lose_changes();
    let audit = Audit::new(blog.store(), blog.design.clone(), "dev").unwrap();
    let report = audit.run(&mut |_| {}).wait().unwrap();
    assert!(report.differing > 0);
    blog.like("p2", "b");
    blog.settle();
    assert!(audit.repair(&report).wait().is_err());
}
