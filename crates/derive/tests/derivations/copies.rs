//! Fields that repeat a field of the item that their item refers to.

use std::time::Duration;

use singlet_derive::{Audit, status};
use singlet_design::Json;
use singlet_engine::Database;
use singlet_run::Wait;
use singlet_values::Item;

use crate::fixture::{Blog, number, text};

pub(crate) const DESIGN: &str = r#"
design = "blog"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]
GSI2 = ["GSI2PK", "GSI2SK"]

[entity.User]
key = ["USER#{user}", "PROFILE"]
[entity.User.fields]
user  = "key"
name  = "string"
city  = { type = "string", default = "nowhere" }
posts = { type = "int", count = "Post" }

[entity.Post]
key   = ["POST#{post}", "POST"]
GSI1  = ["USER#{user}", "POST#{post}"]
GSI2  = ["AUTHORS", "{author}#{post}"]
allow = { constant-partition = "a test" }
[entity.Post.fields]
post      = "key"
user      = { ref = "User" }
author    = { type = "string", copy = "User.name", default = "unknown" }
city      = { type = "string", copy = "User.city", optional = true }
written   = { type = "int", copy = "User.posts", optional = true }
likes     = { type = "int", count = "Like" }
is_famous = { type = "bool", default = false, internal = true }

# Copies a copy, along the key of the table.
[entity.Comment]
key = ["POST#{post}", "COMMENT#{comment}"]
[entity.Comment.fields]
post    = { ref = "Post" }
comment = "key"
author  = { type = "string", copy = "Post.author", optional = true }

[entity.Like]
key = ["POST#{post}", "LIKE#{user}"]
[entity.Like.fields]
post = { ref = "Post" }
user = "key"

[derive.famous]
of    = "Post"
when  = "author = 'Ann' and written >= 2"
set   = { is_famous = true }
unset = true

[pattern.save_user]
create = "User"
[pattern.rename]
update = "User"
set    = ["name"]
[pattern.drop_user]
delete = "User"
[pattern.post]
create = "Post"
[pattern.unpost]
delete = "Post"
[pattern.get_post]
get = "Post"
[pattern.comment]
create = "Comment"
[pattern.like]
create = "Like"
"#;

fn blog() -> Blog {
    Blog::of(DESIGN, Database::in_memory().unwrap())
}

fn user(blog: &Blog, user: &str, name: &str) {
    blog.run("save_user", &[("user", user.into()), ("name", name.into())]);
}

fn rename(blog: &Blog, user: &str, name: &str) {
    blog.run("rename", &[("user", user.into()), ("name", name.into())]);
}

fn post(blog: &Blog, post: &str, user: &str) {
    blog.run("post", &[("post", post.into()), ("user", user.into())]);
}

/// The author that a post shows.
fn author(blog: &Blog, post: &str) -> String {
    text(&blog.item(&format!("POST#{post}"), "POST").unwrap(), "author").unwrap()
}

fn differences(blog: &Blog) -> u64 {
    let audit = Audit::new(blog.store(), blog.design.clone(), "dev").unwrap();
    audit.run(&mut |_| {}).wait().unwrap().differing
}

#[test]
fn a_copy_is_filled_and_follows_its_source() {
    let blog = blog();
    user(&blog, "u1", "Ann");
    post(&blog, "p1", "u1");
    blog.run("comment", &[("post", "p1".into()), ("comment", "c1".into())]);
    blog.settle();
    assert_eq!(blog.field("p1", "author"), "Ann".into());
    assert_eq!(blog.field("p1", "city"), "nowhere".into());
    assert_eq!(number(&blog.field("p1", "written")), 1);
    rename(&blog, "u1", "Anna");
    blog.settle();
    assert_eq!(author(&blog, "p1"), "Anna");
    let item = blog.item("POST#p1", "POST").unwrap();
    assert_eq!(text(&item, "GSI2SK").as_deref(), Some("Anna#p1"), "keys of indexes follow");
    let comment = blog.item("POST#p1", "COMMENT#c1").unwrap();
    assert_eq!(text(&comment, "author").as_deref(), Some("Anna"), "a copy of a copy follows");
    assert_eq!(differences(&blog), 0);
}

#[test]
fn copies_of_derived_fields_and_rules_on_copies_follow() {
    let blog = blog();
    user(&blog, "u1", "Ann");
    post(&blog, "p1", "u1");
    blog.settle();
    assert_eq!(blog.field("p1", "is_famous"), Json::Bool(false));
    post(&blog, "p2", "u1");
    blog.settle();
    assert_eq!(number(&blog.field("p1", "written")), 2);
    assert_eq!(blog.field("p1", "is_famous"), Json::Bool(true));
    rename(&blog, "u1", "Bea");
    blog.settle();
    assert_eq!(blog.field("p2", "is_famous"), Json::Bool(false));
    assert_eq!(differences(&blog), 0);
}

#[test]
fn a_source_can_come_later_and_go() {
    let blog = blog();
    post(&blog, "p1", "u1");
    blog.settle();
    assert_eq!((author(&blog, "p1"), blog.field("p1", "city")), ("unknown".to_owned(), Json::Null));
    user(&blog, "u1", "Ann");
    blog.settle();
    assert_eq!(author(&blog, "p1"), "Ann");
    blog.run("drop_user", &[("user", "u1".into())]);
    blog.settle();
    assert_eq!((author(&blog, "p1"), blog.field("p1", "city")), ("unknown".to_owned(), Json::Null));
    // Deleted and created again between two looks of the worker.
    user(&blog, "u1", "Ann");
    blog.run("drop_user", &[("user", "u1".into())]);
    user(&blog, "u1", "Bea");
    blog.settle();
    assert_eq!(author(&blog, "p1"), "Bea");
}

#[test]
fn a_changed_reference_and_an_overwritten_copy_are_looked_at() {
    let blog = blog();
    user(&blog, "u1", "Ann");
    user(&blog, "u2", "Bea");
    post(&blog, "p1", "u1");
    blog.settle();
    let mut item = blog.item("POST#p1", "POST").unwrap();
    item.insert("user", "u2");
    item.insert("GSI1PK", "USER#u2");
    blog.put_raw(item.clone());
    blog.settle();
    assert_eq!(author(&blog, "p1"), "Bea");
    item.insert("author", "Mallory");
    blog.put_raw(item);
    blog.settle();
    assert_eq!(author(&blog, "p1"), "Bea");
}

#[test]
fn programs_with_an_sdk_are_seen() {
    let blog = blog();
    let profile = |name: &str| {
        Item::from([("PK", "USER#u1"), ("SK", "PROFILE"), ("type", "User"), ("user", "u1"), ("name", name)])
    };
    let mine = [("PK", "POST#p1"), ("SK", "POST"), ("type", "Post"), ("post", "p1"), ("user", "u1")];
    let keys = [("GSI1PK", "USER#u1"), ("GSI1SK", "POST#p1")];
    blog.put_raw(mine.into_iter().chain(keys).collect());
    blog.put_raw(profile("Ann"));
    blog.settle();
    assert_eq!(author(&blog, "p1"), "Ann");
    blog.put_raw(profile("Anna"));
    blog.settle();
    assert_eq!(author(&blog, "p1"), "Anna");
    // Another kind of item under the key of the user isn't a user.
    let mut other = profile("Zoe");
    other.insert("type", "Machine");
    blog.put_raw(other);
    blog.settle();
    assert_eq!(author(&blog, "p1"), "unknown");
}

#[test]
fn a_task_goes_on_where_a_worker_stopped() {
    let blog = blog();
    user(&blog, "u1", "Ann");
    for at in 0..130 {
        post(&blog, &format!("p{at:03}"), "u1");
    }
    blog.settle();
    rename(&blog, "u1", "Bea");
    let mut steps = 0;
    // Each worker makes one step and is gone.
    while blog.worker().step(Duration::ZERO).wait().unwrap().is_busy {
        steps += 1;
        assert!(steps < 50, "a task that is begun anew by each worker never ends");
    }
    assert!(steps >= 4, "130 posts are several pages");
    assert!((0..130).all(|at| author(&blog, &format!("p{at:03}")) == "Bea"));
    assert_eq!(status(&blog.store(), &blog.design, "dev").wait().unwrap().tasks, 0);
}

#[test]
fn counts_and_small_tasks_do_not_wait_for_a_large_one() {
    let blog = blog();
    user(&blog, "star", "Ann");
    user(&blog, "u2", "Bob");
    for at in 0..400 {
        post(&blog, &format!("s{at:03}"), "star");
    }
    post(&blog, "p1", "u2");
    blog.settle();
    rename(&blog, "star", "Anna");
    rename(&blog, "u2", "Bobby");
    let mut worker = blog.worker();
    for _ in 0..3 {
        worker.step(Duration::ZERO).wait().unwrap();
    }
    assert_eq!(author(&blog, "p1"), "Bobby");
    blog.like("p1", "a");
    worker.step(Duration::ZERO).wait().unwrap();
    assert_eq!(blog.likes("p1"), 1);
    assert!(status(&blog.store(), &blog.design, "dev").wait().unwrap().tasks > 0);
    assert_eq!(author(&blog, "s399"), "Ann", "the large task is still under way");
    // The source changes again before the first task has ended.
    rename(&blog, "star", "Annabel");
    worker.catch_up().wait().unwrap();
    assert!((0..400).all(|at| author(&blog, &format!("s{at:03}")) == "Annabel"));
}

#[test]
fn two_workers_share_tasks() {
    let blog = blog();
    for at in 0..8 {
        user(&blog, &format!("u{at}"), "Ann");
        for post_at in 0..12 {
            post(&blog, &format!("p{at}-{post_at}"), &format!("u{at}"));
        }
    }
    blog.settle();
    let (mut one, mut two) = (blog.worker(), blog.worker());
    for at in 0..8 {
        rename(&blog, &format!("u{at}"), "Bea");
        one.step(Duration::ZERO).wait().unwrap();
        two.step(Duration::ZERO).wait().unwrap();
    }
    one.catch_up().wait().unwrap();
    two.catch_up().wait().unwrap();
    assert_eq!(differences(&blog), 0);
}

#[test]
fn existing_items_get_new_copies() {
    let database = Database::in_memory().unwrap();
    let plain = DESIGN.replace("copy = \"User.name\", ", "").replace(", copy = \"User.city\"", "");
    let before = Blog::of(&plain, database.clone());
    user(&before, "u1", "Ann");
    for at in 0..120 {
        post(&before, &format!("p{at}"), "u1");
    }
    before.settle();
    let blog = Blog::of(DESIGN, database);
    // The source changes while existing items are filled.
    let mut worker = blog.worker();
    assert!(worker.is_filling());
    worker.step(Duration::ZERO).wait().unwrap();
    rename(&blog, "u1", "Bea");
    drop(worker);
    blog.settle();
    assert!((0..120).all(|at| author(&blog, &format!("p{at}")) == "Bea"));
    assert_eq!(differences(&blog), 0);
    let meanings = status(&blog.store(), &blog.design, "dev").wait().unwrap().rules;
    let copy = meanings.iter().find(|rule| rule.name == "Post.author").unwrap();
    assert_eq!(copy.meaning, "copy of User.name");
}

#[test]
fn a_removed_field_does_not_take_the_tasks_of_another_one_with_it() {
    let database = Database::in_memory().unwrap();
    let blog = Blog::of(DESIGN, database.clone());
    user(&blog, "u1", "Ann");
    post(&blog, "p1", "u1");
    blog.settle();
    rename(&blog, "u1", "Bea");
    let mut profile = blog.item("USER#u1", "PROFILE").unwrap();
    profile.insert("city", "Hue");
    blog.put_raw(profile);
    // The task is there, and not worked on.
    blog.worker().step(Duration::ZERO).wait().unwrap();
    let blog = Blog::of(&DESIGN.replace(", copy = \"User.name\"", ""), database);
    blog.settle();
    assert_eq!(blog.field("p1", "city"), "Hue".into());
}

#[test]
fn an_item_that_cannot_take_its_copy_blocks_nothing_else() {
    let blog = blog();
    user(&blog, "u1", "Ann");
    for at in 0..60 {
        post(&blog, &format!("p{at:02}"), "u1");
    }
    blog.settle();
    // A name with the separator of keys can't stand in the index.
    rename(&blog, "u1", "A#B");
    blog.settle();
    assert_eq!(status(&blog.store(), &blog.design, "dev").wait().unwrap().stuck, 60);
    post(&blog, "x", "u2");
    user(&blog, "u2", "Cid");
    blog.settle();
    assert_eq!(author(&blog, "x"), "Cid");
    rename(&blog, "u1", "Bea");
    blog.settle();
    assert_eq!(status(&blog.store(), &blog.design, "dev").wait().unwrap().stuck, 0);
    assert!((0..60).all(|at| author(&blog, &format!("p{at:02}")) == "Bea"));
}

#[test]
fn planted_differences_are_found_and_repaired() {
    let blog = blog();
    user(&blog, "u1", "Ann");
    for at in 0..20 {
        post(&blog, &format!("p{at}"), "u1");
    }
    blog.settle();
    for at in 0..20 {
        let mut item = blog.item(&format!("POST#p{at}"), "POST").unwrap();
        item.insert("author", "Mallory");
        blog.put_raw(item);
    }
    blog.lose_changes();
    blog.settle();
    let audit = Audit::new(blog.store(), blog.design.clone(), "dev").unwrap();
    let report = audit.run(&mut |_| {}).wait().unwrap();
    let wrong = report.differences.iter().filter(|difference| difference.field == "author");
    assert_eq!(wrong.count(), 20);
    audit.repair(&report).wait().unwrap();
    blog.settle();
    assert_eq!(differences(&blog), 0);
    assert_eq!(author(&blog, "p7"), "Ann");
}
