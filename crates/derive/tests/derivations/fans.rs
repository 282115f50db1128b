//! Entries of feeds: one for each post and each follower of its author.

use std::time::Duration;

use singlet_derive::{Audit, status};
use singlet_design::Json;
use singlet_engine::Database;
use singlet_run::Wait;
use singlet_values::{AttributeValue, Item};

use crate::fixture::{Blog, text};

pub(crate) const DESIGN: &str = r##"
design = "blog"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.User]
key    = ["USER#{user}", "PROFILE"]
fields = { user = "key", followers = { type = "int", count = "Follow", via = "followed" } }

[entity.Post]
key  = ["POST#{post}", "POST"]
GSI1 = ["USER#{author}", "POST#{at:05}"]
[entity.Post.fields]
post   = "key"
author = { ref = "User" }
at     = { type = "int", min = 0, max = 99999 }
title  = { type = "string", default = "" }
hidden = { type = "bool", default = false }

[entity.Follow]
key  = ["USER#{follower}", "FOLLOWING#{followed}"]
GSI1 = ["USER#{followed}", "FOLLOWER#{follower}"]
[entity.Follow.fields]
follower = { ref = "User" }
followed = { ref = "User" }
muted    = { type = "bool", default = false }
note     = { type = "string", default = "" }

[entity.FeedEntry]
key = ["FEED#{follower}", "POST#{at:05}#{post}"]
[entity.FeedEntry.fields]
follower = { ref = "User" }
author   = { ref = "User" }
post     = { ref = "Post" }
at       = "int"
title    = "string"
note     = "string"
is_read  = { type = "bool", default = false }

[derive.home_feed]
each     = "Post"
when     = "hidden = false"
for      = { run = "followers", with = { followed = "{author}" } }
make     = "FeedEntry"
with     = { note = "{Follow.note}" }
max      = 3
backfill = 4

[pattern.save_post]
put = "Post"
[pattern.unpost]
delete = "Post"
[pattern.hide]
update = "Post"
set    = ["hidden", "title"]
[pattern.follow]
put = "Follow"
[pattern.unfollow]
delete = "Follow"
[pattern.followers]
query  = "Follow"
on     = "GSI1"
filter = "muted = false"
[pattern.feed]
query = "FeedEntry"
order = "newest"
[pattern.read_entry]
update = "FeedEntry"
set    = { is_read = true }
"##;

pub(crate) fn blog() -> Blog {
    Blog::of(DESIGN, Database::in_memory().unwrap())
}

fn post(blog: &Blog, post: &str, author: &str, at: u32) {
    let values = [("post", post.into()), ("author", author.into()), ("at", i64::from(at).into())];
    blog.run("save_post", &values);
}

fn follow(blog: &Blog, follower: &str, followed: &str) {
    blog.run("follow", &[("follower", follower.into()), ("followed", followed.into())]);
}

fn unfollow(blog: &Blog, follower: &str, followed: &str) {
    blog.run("unfollow", &[("follower", follower.into()), ("followed", followed.into())]);
}

fn change(blog: &Blog, post: &str, hidden: bool, title: &str) {
    blog.run("hide", &[("post", post.into()), ("hidden", Json::Bool(hidden)), ("title", title.into())]);
}

/// The entries of a feed, read page by page.
pub(crate) fn feed_pages(blog: &Blog, user: &str, limit: u32) -> Vec<Json> {
    let mut entries = Vec::new();
    let mut cursor = None;
    loop {
        let (items, next, _) = blog.page("feed", &[("follower", user.into())], (limit, cursor));
        entries.extend(items);
        cursor = next;
        if cursor.is_none() {
            return entries;
        }
    }
}

fn posts(entries: &[Json]) -> Vec<String> {
    entries.iter().map(|entry| entry.get("post").unwrap().as_text().unwrap().to_owned()).collect()
}

/// The entries that are stored.
fn entries(blog: &Blog) -> usize {
    let items = blog.all_of("blog");
    items.iter().filter(|item| text(item, "type").as_deref() == Some("FeedEntry")).count()
}

/// The posts in a feed, the newest first.
fn feed(blog: &Blog, user: &str) -> Vec<String> {
    let found = blog.run("feed", &[("follower", user.into())]);
    posts(found.get("items").unwrap().as_list().unwrap())
}

fn stored(blog: &Blog, user: &str, at: u32, post: &str) -> Option<Item> {
    blog.item(&format!("FEED#{user}"), &format!("POST#{at:05}#{post}"))
}

#[test]
fn a_post_reaches_the_feed_of_each_follower_and_leaves_it_again() {
    let blog = blog();
    follow(&blog, "ann", "bea");
    follow(&blog, "cat", "bea");
    follow(&blog, "cat", "dan");
    post(&blog, "p1", "bea", 1);
    post(&blog, "p2", "dan", 2);
    blog.settle();
    assert_eq!(feed(&blog, "ann"), ["p1"]);
    assert_eq!(feed(&blog, "cat"), ["p2", "p1"]);
    blog.run("unpost", &[("post", "p1".into())]);
    blog.settle();
    assert_eq!((feed(&blog, "ann").len(), feed(&blog, "cat")), (0, vec!["p2".to_owned()]));
}

#[test]
fn entries_follow_their_post_and_keep_what_others_wrote_into_them() {
    let blog = blog();
    follow(&blog, "ann", "bea");
    post(&blog, "p1", "bea", 1);
    blog.settle();
    blog.run("read_entry", &[("follower", "ann".into()), ("at", 1.into()), ("post", "p1".into())]);
    change(&blog, "p1", false, "new title");
    blog.settle();
    let entry = stored(&blog, "ann", 1, "p1").unwrap();
    assert_eq!(text(&entry, "title").as_deref(), Some("new title"));
    assert_eq!(entry.get("is_read"), Some(&AttributeValue::Bool(true)));
    // The condition no longer holds, and holds again.
    change(&blog, "p1", true, "new title");
    blog.settle();
    assert_eq!(feed(&blog, "ann").len(), 0);
    change(&blog, "p1", false, "new title");
    blog.settle();
    assert_eq!(feed(&blog, "ann"), ["p1"]);
    // Another place in the feed.
    post(&blog, "p1", "bea", 7);
    blog.settle();
    assert_eq!((stored(&blog, "ann", 1, "p1"), stored(&blog, "ann", 7, "p1").is_some()), (None, true));
}

#[test]
fn a_new_follower_gets_the_newest_posts_and_loses_them_with_the_follow() {
    let blog = blog();
    for at in 0..9 {
        post(&blog, &format!("p{at}"), "bea", at);
    }
    post(&blog, "d1", "dan", 100);
    follow(&blog, "ann", "dan");
    blog.settle();
    follow(&blog, "ann", "bea");
    blog.settle();
    assert_eq!(feed(&blog, "ann"), ["d1", "p8", "p7", "p6", "p5"]);
    unfollow(&blog, "ann", "bea");
    blog.settle();
    assert_eq!(feed(&blog, "ann"), ["d1"]);
}

#[test]
fn a_match_is_what_the_query_finds() {
    let blog = blog();
    post(&blog, "p1", "bea", 1);
    let follow = |muted: bool, note: &str| {
        let values = [
            ("follower", "ann".into()),
            ("followed", "bea".into()),
            ("muted", Json::Bool(muted)),
            ("note", note.into()),
        ];
        blog.run("follow", &values);
        blog.settle();
    };
    follow(true, "");
    assert_eq!(feed(&blog, "ann").len(), 0);
    follow(false, "a friend");
    assert_eq!(text(&stored(&blog, "ann", 1, "p1").unwrap(), "note").as_deref(), Some("a friend"));
    follow(false, "my sister");
    assert_eq!(text(&stored(&blog, "ann", 1, "p1").unwrap(), "note").as_deref(), Some("my sister"));
    follow(true, "");
    assert_eq!(feed(&blog, "ann").len(), 0);
}

#[test]
fn a_new_rule_fills_the_feeds_of_those_who_follow_already() {
    let database = Database::in_memory().unwrap();
    let start = DESIGN.find("[derive.home_feed]").unwrap();
    let end = DESIGN.find("[pattern.save_post]").unwrap();
    let before = Blog::of(&format!("{}{}", &DESIGN[..start], &DESIGN[end..]), database.clone());
    for at in 0..6 {
        post(&before, &format!("p{at}"), "bea", at);
    }
    follow(&before, "ann", "bea");
    before.settle();
    let blog = Blog::of(DESIGN, database);
    blog.settle();
    assert_eq!(feed(&blog, "ann"), ["p5", "p4", "p3", "p2"]);
    let status = status(&blog.store(), &blog.design, "dev").wait().unwrap();
    assert_eq!((status.tasks, status.stuck), (0, 0));
    let rule = status.rules.into_iter().find(|rule| rule.name == "derive.home_feed").unwrap();
    assert_eq!(
        rule.meaning,
        "FeedEntry made for each Post and each of at most 3 followers when hidden = false"
    );
}

#[test]
fn writes_of_programs_and_workers_that_stop_anywhere_lose_and_double_nothing() {
    let source = DESIGN.replace("max      = 3", "max      = 200");
    let blog = Blog::of(&source, Database::in_memory().unwrap());
    for at in 0..130 {
        let follow = [
            ("PK", format!("USER#u{at}")),
            ("SK", "FOLLOWING#bea".to_owned()),
            ("GSI1PK", "USER#bea".to_owned()),
            ("GSI1SK", format!("FOLLOWER#u{at}")),
            ("type", "Follow".to_owned()),
            ("follower", format!("u{at}")),
            ("followed", "bea".to_owned()),
        ];
        blog.put_raw(follow.into_iter().collect::<Item>());
    }
    blog.settle();
    post(&blog, "p1", "bea", 1);
    // Each worker takes one step, and is gone.
    let mut seen = std::collections::BTreeSet::new();
    for turn in 0..12 {
        blog.worker().step(Duration::ZERO).wait().unwrap();
        seen.insert(entries(&blog));
        if turn == 2 {
            unfollow(&blog, "u7", "bea");
        }
    }
    blog.settle();
    assert_eq!((entries(&blog), feed(&blog, "u7").len()), (129, 0));
    assert!(seen.len() >= 3, "one transaction didn't hold all entries: {seen:?}");
}

#[test]
fn posts_of_an_author_with_too_many_followers_are_merged_when_they_are_read() {
    let blog = blog();
    for follower in ["f1", "f2", "f3"] {
        follow(&blog, follower, "bea");
    }
    follow(&blog, "f1", "dan");
    post(&blog, "p1", "bea", 1);
    post(&blog, "d2", "dan", 2);
    blog.settle();
    assert_eq!(entries(&blog), 4);
    follow(&blog, "f4", "bea");
    blog.settle();
    post(&blog, "p3", "bea", 3);
    post(&blog, "d4", "dan", 4);
    blog.settle();
    assert_eq!(entries(&blog), 5, "only the post of dan has a new entry");
    for follower in ["f2", "f3", "f4"] {
        assert_eq!(feed(&blog, follower), ["p3", "p1"]);
    }
    assert_eq!(feed(&blog, "f1"), ["d4", "p3", "d2", "p1"]);
    // An entry that isn't stored has the same fields.
    let entry = &feed_pages(&blog, "f1", 10)[1];
    assert_eq!(entry.get("author"), Some(&"bea".into()));
    assert_eq!((entry.get("is_read"), entry.get("note")), (Some(&Json::Bool(false)), Some(&"".into())));
    // A deleted post is gone at once.
    blog.run("unpost", &[("post", "p1".into())]);
    assert_eq!(feed(&blog, "f2"), ["p3"]);
    // The author has fewer followers again: what was merged is written.
    unfollow(&blog, "f4", "bea");
    blog.settle();
    assert_eq!(entries(&blog), 5, "d2 and d4 for f1, and p3 for f1, f2 and f3");
    assert_eq!(feed(&blog, "f1"), ["d4", "p3", "d2"]);
    assert_eq!(feed(&blog, "f4").len(), 0);
    post(&blog, "p5", "bea", 5);
    blog.settle();
    assert_eq!(feed(&blog, "f2"), ["p5", "p3"]);
    assert_eq!(entries(&blog), 8);
}

#[test]
fn a_cursor_stays_right_when_an_author_crosses_the_bound_between_two_pages() {
    let blog = blog();
    for follower in ["f1", "f2", "f3"] {
        follow(&blog, follower, "bea");
    }
    follow(&blog, "f1", "dan");
    // Several posts have one time.
    for at in 0..8 {
        post(&blog, &format!("b{at}"), "bea", at / 3);
        post(&blog, &format!("d{at}"), "dan", at / 3);
        blog.settle();
    }
    let whole = posts(&feed_pages(&blog, "f1", 100));
    assert_eq!(whole.len(), 16);
    let page = |cursor| blog.page("feed", &[("follower", "f1".into())], (3, cursor));
    let (mut seen, mut cursor) = (Vec::new(), None);
    for turn in 0.. {
        let (items, next, previous) = page(cursor);
        seen.extend(posts(&items));
        if turn > 0 {
            let (before, ..) = page(previous);
            let start = seen.len() - items.len();
            assert_eq!(posts(&before), seen[start - before.len()..start], "the page before");
        }
        if turn % 2 == 0 {
            follow(&blog, "f4", "bea");
        } else {
            unfollow(&blog, "f4", "bea");
        }
        blog.settle();
        cursor = next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, whole);
}

#[test]
fn a_post_reaches_five_thousand_followers_and_one_more_is_too_many() {
    let source = DESIGN.replace("max      = 3", "max      = 5000");
    let blog = Blog::of(&source, Database::in_memory().unwrap());
    let raw_follow = |at: u32| {
        let follow = [
            ("PK", format!("USER#u{at}")),
            ("SK", "FOLLOWING#bea".to_owned()),
            ("GSI1PK", "USER#bea".to_owned()),
            ("GSI1SK", format!("FOLLOWER#u{at}")),
            ("type", "Follow".to_owned()),
            ("follower", format!("u{at}")),
            ("followed", "bea".to_owned()),
        ];
        blog.put_raw(follow.into_iter().collect::<Item>());
    };
    // The follows make no work of their own: there is nothing yet that they could fill a feed with.
    blog.settle();
    (0..5_000).for_each(raw_follow);
    blog.lose_changes();
    post(&blog, "p1", "bea", 1);
    blog.settle();
    let reached = |post: &str| (0..5_000).step_by(499).all(|at| feed(&blog, &format!("u{at}")) == [post]);
    assert!(reached("p1"));
    blog.run("unpost", &[("post", "p1".into())]);
    blog.settle();
    assert_eq!(feed(&blog, "u4999").len(), 0);
    raw_follow(5_000);
    blog.settle();
    post(&blog, "p2", "bea", 2);
    blog.settle();
    assert!(reached("p2"));
    assert_eq!(stored(&blog, "u7", 2, "p2"), None);
}

#[test]
fn an_audit_finds_entries_that_are_missing_wrong_or_too_many() {
    let blog = blog();
    follow(&blog, "ann", "bea");
    for at in 0..6 {
        post(&blog, &format!("p{at}"), "bea", at);
        blog.settle();
    }
    let audit = || {
        let audit = Audit::new(blog.store(), blog.design.clone(), "dev").unwrap();
        let report = audit.run(&mut |_| {}).wait().unwrap();
        (audit, report)
    };
    assert_eq!(audit().1.differences, []);
    blog.delete_raw("FEED#ann", "POST#00003#p3");
    let mut wrong = stored(&blog, "ann", 4, "p4").unwrap();
    wrong.insert("title", "another title");
    blog.put_raw(wrong.clone());
    wrong.insert("PK", "FEED#eve");
    wrong.insert("follower", "eve");
    blog.put_raw(wrong);
    blog.settle();
    let (audit_of, report) = audit();
    let mut found: Vec<_> = report.differences.iter().map(|one| one.field.as_str()).collect();
    found.sort_unstable();
    assert_eq!(found, ["exists", "exists", "title"]);
    assert_eq!(audit_of.repair(&report).wait().unwrap(), 3);
    assert_eq!(audit().1.differences, []);
    assert_eq!((feed(&blog, "ann").len(), feed(&blog, "eve").len()), (6, 0));
}
