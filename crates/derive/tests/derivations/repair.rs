//! Audits: differences are found, and repaired.

use singlet_derive::{Audit, AuditReport};
use singlet_run::Wait;
use singlet_store::Embedded;
use singlet_values::{AttributeValue, Item};

use crate::fixture::Blog;

fn audit(blog: &Blog) -> Audit<Embedded> {
    Audit::new(blog.store(), blog.design.clone(), "dev").expect("a design that derives")
}

fn report(blog: &Blog) -> AuditReport {
    audit(blog).run(&mut |_| {}).wait().expect("a report")
}

/// Twenty posts with up to twenty likes and reviews each, and likes of a post that isn't there.
fn filled() -> Blog {
    let blog = Blog::new();
    blog.run("save_user", &[("user", "u1".into())]);
    for post in 0..20 {
        blog.post(&format!("p{post}"));
        for user in 0..post {
            blog.like(&format!("p{post}"), &format!("u{user}"));
            blog.review(&format!("p{post}"), &format!("u{user}"), user % 5 + 1);
        }
    }
    blog.settle();
    // One batch more, so that its number is later than those of all posts.
    blog.like("gone", "u1");
    blog.settle();
    blog
}

/// Changes an item. The caller keeps the change from the worker.
fn plant(blog: &Blog, post: &str, change: impl FnOnce(&mut Item, &mut Item)) {
    let mut item = blog.item(&format!("POST#{post}"), "POST").expect("a post");
    let Some(AttributeValue::M(mut tallies)) = item.get("_derived").cloned() else { panic!("no tallies") };
    change(&mut item, &mut tallies);
    item.insert("_derived", tallies);
    blog.put_raw(item);
}

/// Gives a tally in an item another number.
fn forge(tallies: &mut Item, number: i64) {
    let Some(AttributeValue::M(mut tally)) = tallies.get("likes").cloned() else { panic!("no tally") };
    tally.insert("n", number);
    tallies.insert("likes", tally);
}

#[test]
fn a_forged_tally_is_repaired_by_the_worker() {
    let blog = filled();
    let mut item = blog.item("POST#p3", "POST").expect("a post");
    let mut tally = Item::new();
    tally.insert("g", 1);
    tally.insert("n", 5_000);
    let mut tallies = Item::new();
    tallies.insert("#", i64::MAX);
    tallies.insert("likes", tally);
    item.insert("_derived", tallies);
    blog.put_raw(item);
    blog.like("p3", "another");
    blog.settle();
    assert_eq!(blog.likes("p3"), 4);
    assert_eq!(report(&blog).differences, []);
}

#[test]
fn nothing_differs_after_ordinary_writes() {
    let blog = filled();
    let report = report(&blog);
    assert_eq!(report.differences, []);
    assert_eq!(report.differing, 0);
    // Four fields of twenty posts, two of a user.
    assert_eq!(report.fields, 82);
}

#[test]
fn every_planted_difference_is_found_and_repaired() {
    let blog = filled();
    let mut planted = 0;
    for post in 1..20 {
        plant(&blog, &format!("p{post}"), |item, tallies| {
            if post % 2 == 0 {
                item.insert("likes", 777);
            } else {
                forge(tallies, 5_000);
            }
        });
        planted += 1;
    }
    blog.lose_changes();
    blog.settle();
    let found = report(&blog);
    let likes = found.differences.iter().filter(|difference| difference.field == "likes");
    assert_eq!(likes.filter(|difference| difference.entity == "Post").count(), planted);
    audit(&blog).repair(&found).wait().expect("repaired");
    blog.settle();
    assert_eq!(report(&blog).differences, []);
    assert_eq!(blog.likes("p7"), 7);
    assert_eq!(blog.likes("p8"), 8);
}

#[test]
fn an_audit_with_little_memory_finds_the_same() {
    let blog = filled();
    plant(&blog, "p3", |item, _| _ = item.insert("likes", 9));
    blog.lose_changes();
    blog.settle();
    let whole = report(&blog);
    let parts = audit(&blog).with_sums_max(5).run(&mut |_| {}).wait().expect("a report");
    assert_eq!((parts.fields, parts.differing), (whole.fields, whole.differing));
    assert!(whole.differing > 0);
}

#[test]
fn wrong_sums_of_missing_items_are_found() {
    let blog = filled();
    let store = blog.store();
    use singlet_store::{DeleteItem, ReturnItem, Scan, Store};
    let scan = Scan {
        table: "singlet-derived".to_owned(),
        index: None,
        filter: None,
        projection: None,
        limit: None,
        start_key: None,
    };
    for item in store.scan(scan).wait().unwrap().items {
        let item = item.decode().unwrap();
        if item.get("kind") == Some(&AttributeValue::from("waiting")) {
            let key =
                ["owner", "kind"].into_iter().map(|name| (name, item.get(name).unwrap().clone())).collect();
            let table = "singlet-derived".to_owned();
            let delete = DeleteItem { table, key, condition: None, returned: ReturnItem::None };
            store.delete(delete).wait().unwrap();
        }
    }
    let found = report(&blog);
    assert_eq!(found.differing, 1);
    assert!(!found.differences[0].has_item);
    audit(&blog).repair(&found).wait().expect("repaired");
    blog.post("gone");
    blog.settle();
    assert_eq!(blog.likes("gone"), 1);
}
