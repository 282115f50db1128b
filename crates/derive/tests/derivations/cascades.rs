//! Items that are deleted with the item that they refer to.

use std::time::Duration;

use singlet_derive::{Audit, status};
use singlet_engine::Database;
use singlet_run::Wait;
use singlet_values::Item;

use crate::fixture::{Blog, number};

const DESIGN: &str = r#"
design = "blog"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.User]
key = ["USER#{user}", "PROFILE"]
[entity.User.fields]
user  = "key"
likes = { type = "int", count = "Like" }

[entity.Post]
key = ["POST#{post}", "POST"]
[entity.Post.fields]
post = "key"

[entity.Like]
key = ["POST#{post}", "LIKE#{user}"]
[entity.Like.fields]
post = { ref = "Post" }
user = { ref = "User" }

[entity.Comment]
key = ["POST#{post}", "COMMENT#{comment}"]
[entity.Comment.fields]
post       = { ref = "Post" }
comment    = "key"
created_at = "created"

[entity.Bookmark]
key  = ["USER#{user}", "BOOKMARK#{mark}"]
GSI1 = ["POST#{about}", "BOOKMARK#{mark}"]
[entity.Bookmark.fields]
user  = { ref = "User" }
mark  = "key"
about = { ref = "Post" }

[entity.Reply]
key = ["COMMENT#{post}#{comment}", "REPLY#{reply}"]
[entity.Reply.fields]
post    = "key"
comment = "key"
reply   = "key"

[derive.clean_posts]
of     = "Post"
delete = ["Like", "Comment"]

[derive.clean_bookmarks]
of     = "Post"
delete = "Bookmark"
via    = "about"

[derive.clean_comments]
of     = "Comment"
delete = "Reply"

[pattern.save_user]
create = "User"
[pattern.get_user]
get = "User"
[pattern.post]
create = "Post"
[pattern.unpost]
delete = "Post"
[pattern.like]
create = "Like"
[pattern.unlike]
delete = "Like"
[pattern.comment]
create = "Comment"
[pattern.uncomment]
delete = "Comment"
[pattern.bookmark]
create = "Bookmark"
[pattern.reply]
create = "Reply"
"#;

fn blog() -> Blog {
    let blog = Blog::of(DESIGN, Database::in_memory().unwrap());
    blog.run("save_user", &[("user", "u1".into())]);
    for post in ["p1", "p2"] {
        blog.run("post", &[("post", post.into())]);
    }
    // A worker sees what happens after it was opened first.
    blog.settle();
    blog
}

fn unpost(blog: &Blog, post: &str) {
    blog.run("unpost", &[("post", post.into())]);
}

/// A comment that was written at another time.
fn comment_of(blog: &Blog, comment: &str, year: u32) {
    let (sk, created_at) = (format!("COMMENT#{comment}"), format!("{year}-01-01T00:00:00.000Z"));
    let item = [("PK", "POST#p1"), ("SK", &sk), ("type", "Comment"), ("post", "p1"), ("comment", comment)];
    let mut item = Item::from(item);
    item.insert("created_at", created_at);
    blog.put_raw(item);
}

fn is_there(blog: &Blog, pk: &str, sk: &str) -> bool {
    blog.item(pk, sk).is_some()
}

#[test]
fn children_and_their_children_go_with_a_parent() {
    let blog = blog();
    for post in ["p1", "p2"] {
        blog.run("like", &[("post", post.into()), ("user", "u1".into())]);
        blog.run("comment", &[("post", post.into()), ("comment", "c1".into())]);
        let reply = [("post", post.into()), ("comment", "c1".into()), ("reply", "r1".into())];
        blog.run("reply", &reply);
        let mark = format!("m-{post}");
        let values = [("user", "u1".into()), ("mark", mark.as_str().into()), ("about", post.into())];
        blog.run("bookmark", &values);
    }
    comment_of(&blog, "old", 2001);
    blog.settle();
    unpost(&blog, "p1");
    blog.settle();
    let left = [
        ("POST#p1", "LIKE#u1"),
        ("POST#p1", "COMMENT#c1"),
        ("POST#p1", "COMMENT#old"),
        ("COMMENT#p1#c1", "REPLY#r1"),
        ("USER#u1", "BOOKMARK#m-p1"),
    ];
    for (pk, sk) in left {
        assert!(!is_there(&blog, pk, sk), "{pk} {sk}");
    }
    let others = [
        ("POST#p2", "LIKE#u1"),
        ("POST#p2", "COMMENT#c1"),
        ("COMMENT#p2#c1", "REPLY#r1"),
        ("USER#u1", "BOOKMARK#m-p2"),
        ("USER#u1", "PROFILE"),
    ];
    for (pk, sk) in others {
        assert!(is_there(&blog, pk, sk), "{pk} {sk}");
    }
    // A deleted like counts no more.
    let user = blog.run("get_user", &[("user", "u1".into())]);
    assert_eq!(number(user.get("likes").unwrap()), 1);
}

#[test]
fn children_of_a_parent_that_is_created_again_stay_if_they_are_new() {
    let blog = blog();
    blog.run("like", &[("post", "p1".into()), ("user", "u1".into())]);
    comment_of(&blog, "old", 2001);
    blog.settle();
    unpost(&blog, "p1");
    blog.run("post", &[("post", "p1".into())]);
    comment_of(&blog, "new", 2100);
    blog.settle();
    assert!(!is_there(&blog, "POST#p1", "COMMENT#old"));
    assert!(is_there(&blog, "POST#p1", "COMMENT#new"));
    // Nothing tells when the like was written, and the post exists.
    assert!(is_there(&blog, "POST#p1", "LIKE#u1"));
}

#[test]
fn children_that_are_written_after_the_deletion_stay_if_that_can_be_told() {
    let blog = blog();
    unpost(&blog, "p1");
    comment_of(&blog, "new", 2100);
    blog.run("like", &[("post", "p1".into()), ("user", "u1".into())]);
    blog.settle();
    assert!(is_there(&blog, "POST#p1", "COMMENT#new"));
    assert!(!is_there(&blog, "POST#p1", "LIKE#u1"));
    // Later ones wait for their post.
    blog.run("like", &[("post", "p1".into()), ("user", "u1".into())]);
    blog.settle();
    assert!(is_there(&blog, "POST#p1", "LIKE#u1"));
}

#[test]
fn a_child_that_moves_to_another_parent_stays() {
    let blog = blog();
    let values = [("user", "u1".into()), ("mark", "m".into()), ("about", "p1".into())];
    blog.run("bookmark", &values);
    blog.settle();
    unpost(&blog, "p1");
    let mut item = blog.item("USER#u1", "BOOKMARK#m").unwrap();
    // The index key is left as it was, as careless programs do.
    item.insert("about", "p2");
    blog.put_raw(item);
    blog.settle();
    assert!(is_there(&blog, "USER#u1", "BOOKMARK#m"));
}

#[test]
fn workers_that_stop_and_callers_that_delete_as_well_leave_nothing_over() {
    let blog = blog();
    for at in 0..150 {
        blog.put_raw_like("p1", &format!("u{at:03}"));
        comment_of(&blog, &format!("c{at:03}"), 2001);
    }
    blog.settle();
    blog.delete_raw("POST#p1", "POST");
    let mut steps = 0;
    while blog.worker().step(Duration::ZERO).wait().unwrap().is_busy {
        _ = blog.try_run("unlike", &[("post", "p1".into()), ("user", format!("u{:03}", 149 - steps).into())]);
        steps += 1;
        assert!(steps < 60, "a task that is begun anew by each worker never ends");
    }
    assert!(steps > 5, "300 items are several pages");
    for at in 0..150 {
        assert!(!is_there(&blog, "POST#p1", &format!("LIKE#u{at:03}")));
        assert!(!is_there(&blog, "POST#p1", &format!("COMMENT#c{at:03}")));
    }
    let status = status(&blog.store(), &blog.design, "dev").wait().unwrap();
    assert_eq!((status.tasks, status.stuck), (0, 0));
    let rule = status.rules.iter().find(|rule| rule.name == "derive.clean_posts").unwrap();
    assert_eq!(rule.meaning, "Like, Comment deleted with Post");
    let audit = Audit::new(blog.store(), blog.design.clone(), "dev").unwrap();
    assert_eq!(audit.run(&mut |_| {}).wait().unwrap().differences, []);
}
