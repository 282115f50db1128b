//! New rules on existing items.

use std::time::Duration;

use singlet_engine::{Database, StreamChange, UpdateTable};
use singlet_run::Wait;

use crate::fixture::{Blog, DESIGN, number};

/// The design before it had derived fields.
fn plain() -> String {
    let lines =
        DESIGN.lines().map(|line| match line.split_once(", count = ").or(line.split_once(", sum = ")) {
            Some((start, _)) => format!("{start}, default = 0 }}"),
            None => line.to_owned(),
        });
    let lines = lines.filter(|line| !line.starts_with("rating") && !line.starts_with("reviewed"));
    lines.collect::<Vec<_>>().join("\n").replace(
        "likes    = { type = \"int\", default = 0 }",
        "likes = { type = \"int\", max = 999999, default = 0 }",
    )
}

#[test]
fn a_new_rule_counts_the_items_that_are_there() {
    let database = Database::in_memory().unwrap();
    let before = Blog::of(&plain(), database.clone());
    for post in 0..30 {
        before.post(&format!("p{post}"));
        for user in 0..post {
            before.like(&format!("p{post}"), &format!("u{user}"));
        }
    }
    let blog = Blog::of(DESIGN, database);
    blog.settle();
    for post in 0..30 {
        assert_eq!(blog.likes(&format!("p{post}")), post);
    }
}

#[test]
fn writes_during_a_fill_count_once() {
    let database = Database::in_memory().unwrap();
    let before = Blog::of(&plain(), database.clone());
    for user in 0..1_500 {
        before.put_raw_like("p1", &format!("u{user:04}"));
    }
    before.post("p1");
    let blog = Blog::of(DESIGN, database);
    let mut worker = blog.worker();
    let mut step = 0;
    while worker.is_filling() {
        // Before, in and after the part that has been counted.
        blog.put_raw_like("p1", &format!("a{step}"));
        blog.put_raw_like("p1", &format!("u0700x{step}"));
        blog.put_raw_like("p1", &format!("z{step}"));
        blog.delete_raw("POST#p1", &format!("LIKE#u{:04}", step * 100));
        worker.step(Duration::ZERO).wait().unwrap();
        step += 1;
    }
    assert!(step > 3, "the fill takes several pages");
    worker.catch_up().wait().unwrap();
    let deleted = step.min(15);
    assert_eq!(blog.likes("p1"), 1_500 + 3 * step - deleted);
}

#[test]
fn a_fill_goes_on_after_a_restart() {
    let database = Database::in_memory().unwrap();
    let before = Blog::of(&plain(), database.clone());
    for user in 0..1_200 {
        before.put_raw_like("p1", &format!("u{user:04}"));
    }
    before.post("p1");
    let blog = Blog::of(DESIGN, database);
    loop {
        let mut worker = blog.worker();
        if !worker.is_filling() {
            break;
        }
        worker.step(Duration::ZERO).wait().unwrap();
    }
    assert_eq!(blog.likes("p1"), 1_200);
}

#[test]
fn a_changed_filter_counts_anew() {
    let database = Database::in_memory().unwrap();
    let blog = Blog::of(DESIGN, database.clone());
    blog.post("p1");
    for (user, stars) in [("a", 5), ("b", 4), ("c", 3)] {
        blog.review("p1", user, stars);
    }
    blog.settle();
    assert_eq!(number(&blog.field("p1", "good")), 2);
    let blog = Blog::of(&DESIGN.replace("stars >= 4", "stars >= 3"), database);
    blog.settle();
    assert_eq!(number(&blog.field("p1", "good")), 3);
    assert_eq!(blog.field("p1", "rating").to_string(), "4");
}

#[test]
fn a_gap_in_the_feed_is_filled() {
    let blog = Blog::new();
    blog.post("p1");
    blog.like("p1", "a");
    blog.settle();
    let stream = |change| blog.database.update_table(UpdateTable::new("blog").stream(change)).unwrap();
    stream(StreamChange::Disable);
    blog.like("p1", "b");
    blog.run("unlike", &[("post", "p1".into()), ("user", "a".into())]);
    blog.like("p1", "c");
    stream(StreamChange::Enable(singlet_engine::StreamView::NewAndOldImages));
    blog.settle();
    assert_eq!(blog.likes("p1"), 2);
}

#[test]
fn a_rebuild_gives_the_same_values() {
    let blog = Blog::new();
    blog.post("p1");
    blog.like("p1", "a");
    blog.review("p1", "a", 4);
    blog.settle();
    let mut worker = blog.worker();
    worker.rebuild(&["Post.likes".to_owned()]).wait().unwrap();
    assert!(worker.is_filling());
    assert_eq!(blog.likes("p1"), 1, "the old value stays until the new one is known");
    worker.catch_up().wait().unwrap();
    assert_eq!(blog.likes("p1"), 1);
    assert!(worker.rebuild(&["Post.like".to_owned()]).wait().is_err());
}
