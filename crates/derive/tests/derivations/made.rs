//! Items that are made from new items of another entity.

use std::time::Duration;

use singlet_derive::{Phase, status};
use singlet_design::Json;
use singlet_engine::Database;
use singlet_run::Wait;
use singlet_values::Item;

use crate::fixture::{Blog, number, text};

const DESIGN: &str = r#"
design = "blog"

[table]
key = ["PK", "SK"]

[entity.User]
key = ["USER#{user}", "PROFILE"]
[entity.User.fields]
user   = "key"
name   = "string"
unread = { type = "int", count = "Note", via = "to", filter = "is_read = false" }

[entity.Post]
key = ["POST#{post}", "POST"]
[entity.Post.fields]
post     = "key"
author   = { ref = "User" }
title    = { type = "string", default = "untitled" }
comments = { type = "int", count = "Comment" }

[entity.Comment]
key = ["POST#{post}", "COMMENT#{comment}"]
[entity.Comment.fields]
post    = { ref = "Post" }
comment = "key"
user    = { ref = "User" }
words   = { type = "string", default = "" }

[entity.Note]
key = ["USER#{to}", "NOTE#{note}"]
[entity.Note.fields]
to         = { ref = "User" }
note       = "id"
text       = "string"
post       = { ref = "Post" }
is_read    = { type = "bool", default = false }
created_at = "created"

# One for each post, however many comments it has.
[entity.Busy]
key = ["BUSY#{post}", "TAG#{tag}"]
[entity.Busy.fields]
post  = { ref = "Post" }
tag   = "string"
first = { ref = "User" }
since = "time"

[derive.notify]
each = "Comment"
make = "Note"
when = "user <> post.author"
with = { to = "{post.author}", text = "{user.name} commented on {post.title}" }

[derive.busy]
each = "Comment"
make = "Busy"
when = "words <> 'quiet'"
with = { tag = "x{words}", first = "{user}", since = "{now}" }

[pattern.save_user]
create = "User"
[pattern.get_user]
get = "User"
[pattern.post]
create = "Post"
[pattern.get_post]
get = "Post"
[pattern.comment]
put = "Comment"
[pattern.uncomment]
delete = "Comment"
[pattern.notes]
query = "Note"
[pattern.read]
update = "Note"
set    = { is_read = true }
"#;

fn blog() -> Blog {
    let blog = Blog::of(DESIGN, Database::in_memory().unwrap());
    for user in ["ann", "bea"] {
        blog.run("save_user", &[("user", user.into()), ("name", user.to_uppercase().as_str().into())]);
    }
    blog.run("post", &[("post", "p1".into()), ("author", "ann".into())]);
    blog.settle();
    blog
}

fn comment(blog: &Blog, comment: &str, user: &str, words: &str) {
    let values =
        [("post", "p1".into()), ("comment", comment.into()), ("user", user.into()), ("words", words.into())];
    blog.run("comment", &values);
}

fn notes(blog: &Blog, user: &str) -> Vec<Json> {
    let found = blog.run("notes", &[("to", user.into())]);
    found.get("items").unwrap().as_list().unwrap().to_vec()
}

fn unread(blog: &Blog, user: &str) -> i64 {
    number(blog.run("get_user", &[("user", user.into())]).get("unread").unwrap())
}

#[test]
fn a_comment_makes_a_note_for_the_author_of_the_post() {
    let blog = blog();
    comment(&blog, "c1", "bea", "quiet");
    blog.settle();
    let notes = notes(&blog, "ann");
    assert_eq!(notes.len(), 1);
    let field = |name: &str| notes[0].get(name).cloned().unwrap();
    assert_eq!(field("text"), "BEA commented on untitled".into());
    assert_eq!((field("post"), field("is_read")), ("p1".into(), Json::Bool(false)));
    assert_eq!(unread(&blog, "ann"), 1);
}

#[test]
fn the_condition_can_compare_with_the_item_that_is_referred_to() {
    let blog = blog();
    comment(&blog, "c1", "ann", "quiet");
    blog.settle();
    assert_eq!(notes(&blog, "ann").len(), 0, "nobody is told about her own comment");
}

#[test]
fn an_item_is_made_once_and_never_touched_again() {
    let blog = blog();
    comment(&blog, "c1", "bea", "quiet");
    blog.settle();
    let note = notes(&blog, "ann")[0].get("note").unwrap().clone();
    blog.run("read", &[("to", "ann".into()), ("note", note)]);
    // A changed comment isn't a new one.
    comment(&blog, "c1", "bea", "other words");
    blog.settle();
    assert_eq!(notes(&blog, "ann").len(), 1);
    assert_eq!(unread(&blog, "ann"), 0);
    // One that was deleted and written again is.
    blog.run("uncomment", &[("post", "p1".into()), ("comment", "c1".into())]);
    comment(&blog, "c1", "bea", "quiet");
    blog.settle();
    assert_eq!(notes(&blog, "ann").len(), 2);
}

#[test]
fn existing_items_make_nothing() {
    let database = Database::in_memory().unwrap();
    let start = DESIGN.find("[derive.notify]").unwrap();
    let end = DESIGN.find("[pattern.save_user]").unwrap();
    let before = Blog::of(&format!("{}{}", &DESIGN[..start], &DESIGN[end..]), database.clone());
    before.run("save_user", &[("user", "bea".into()), ("name", "Bea".into())]);
    before.run("post", &[("post", "p1".into()), ("author", "ann".into())]);
    comment(&before, "c1", "bea", "quiet");
    before.settle();
    let blog = Blog::of(DESIGN, database);
    let rules = || status(&blog.store(), &blog.design, "dev").wait().unwrap().rules;
    assert!(!blog.worker().is_filling());
    comment(&blog, "c2", "bea", "quiet");
    blog.settle();
    assert_eq!(notes(&blog, "ann").len(), 1);
    let rule = rules().into_iter().find(|rule| rule.name == "derive.notify").unwrap();
    assert_eq!(
        (rule.phase, rule.meaning.as_str()),
        (Phase::Ready, "Note made from each new Comment when user <> post.author")
    );
}

#[test]
fn nothing_is_made_while_an_item_that_is_needed_is_missing() {
    let blog = blog();
    comment(&blog, "c1", "nobody", "quiet");
    blog.settle();
    assert_eq!(notes(&blog, "ann").len(), 0);
}

#[test]
fn an_item_that_is_there_already_stays() {
    let blog = blog();
    for at in 0..5 {
        comment(&blog, &format!("c{at}"), if at == 0 { "bea" } else { "ann" }, "");
    }
    blog.settle();
    comment(&blog, "c9", "ann", "");
    blog.settle();
    let busy = blog.item("BUSY#p1", "TAG#x").unwrap();
    assert_eq!(text(&busy, "first").as_deref(), Some("bea"));
}

#[test]
fn workers_that_stop_and_overtake_each_other_make_nothing_twice() {
    let blog = blog();
    let (mut one, mut two) = (blog.worker(), blog.worker());
    for at in 0..150 {
        let comment = [
            ("PK", "POST#p1".to_owned()),
            ("SK", format!("COMMENT#c{at}")),
            ("type", "Comment".to_owned()),
            ("post", "p1".to_owned()),
            ("comment", format!("c{at}")),
            ("user", "bea".to_owned()),
            ("words", "quiet".to_owned()),
        ];
        blog.put_raw(comment.into_iter().collect::<Item>());
        match at % 10 {
            3 => _ = one.step(Duration::ZERO).wait().unwrap(),
            6 => _ = two.step(Duration::ZERO).wait().unwrap(),
            9 => _ = blog.worker().step(Duration::ZERO).wait().unwrap(),
            _ => {}
        }
    }
    one.catch_up().wait().unwrap();
    two.catch_up().wait().unwrap();
    blog.settle();
    assert_eq!(unread(&blog, "ann"), 150);
    let report = singlet_derive::Audit::new(blog.store(), blog.design.clone(), "dev").unwrap();
    assert_eq!(report.run(&mut |_| {}).wait().unwrap().differences, []);
}

#[test]
fn an_item_that_cannot_be_made_is_recorded_and_blocks_nothing() {
    let blog = blog();
    // The separator can't stand in the key of a tag.
    comment(&blog, "c1", "bea", "a#b");
    comment(&blog, "c2", "bea", "");
    blog.settle();
    let status = status(&blog.store(), &blog.design, "dev").wait().unwrap();
    assert_eq!(status.stuck, 1);
    assert_eq!(status.stuck_items[0].entity, "Comment");
    assert!(status.stuck_items[0].reason.starts_with("derive.busy: "), "{}", status.stuck_items[0].reason);
    assert_eq!(notes(&blog, "ann").len(), 2);
    let post = blog.run("get_post", &[("post", "p1".into())]);
    assert_eq!(number(post.get("comments").unwrap()), 2);
    assert!(blog.item("BUSY#p1", "TAG#x").is_some());
}
