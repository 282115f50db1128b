//! Feeds by a model: a feed has exactly the posts of those whom its user follows, whatever was written by whom and in which
//! order, and whichever authors have too many followers.

use std::collections::BTreeSet;
use std::time::Duration;

use singlet_derive::Audit;
use singlet_design::Json;
use singlet_engine::Database;
use singlet_run::Wait;
use singlet_values::{AttributeValue, Item};

use crate::fans::{DESIGN, feed_pages};
use crate::fixture::{Blog, text};

const USERS: u64 = 7;
const AUTHORS: u64 = 3;
const WRITERS: u64 = 3;
const ROUNDS: u64 = 6;
const WRITES: u64 = 40;

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// A design in which all posts of an author fit into a feed, and four followers are too many.
fn blog() -> Blog {
    let source = DESIGN.replace("backfill = 4", "backfill = 1000");
    Blog::of(&source, Database::in_memory().unwrap())
}

fn write(blog: &Blog, dice: &mut Dice) {
    let (user, author) = (format!("u{}", dice.roll(USERS)), format!("a{}", dice.roll(AUTHORS)));
    let post = format!("p{}", dice.roll(30));
    let follow = [("follower", user.as_str().into()), ("followed", author.as_str().into())];
    let run = |pattern: &str, values: &[(&str, Json)]| _ = blog.try_run(pattern, values);
    match dice.roll(10) {
        0..3 => run("follow", &follow),
        3..5 => run("unfollow", &follow),
        5 => run("follow", &[follow.to_vec(), vec![("muted", Json::Bool(true))]].concat()),
        6 => run("unpost", &[("post", post.as_str().into())]),
        7 => {
            let hidden = Json::Bool(dice.roll(2) == 0);
            run("hide", &[("post", post.as_str().into()), ("hidden", hidden), ("title", "changed".into())]);
        }
        // Several posts have one time, and a post may change its author.
        _ => {
            let at = i64::try_from(dice.roll(12)).unwrap();
            let values =
                [("post", post.as_str().into()), ("author", author.as_str().into()), ("at", at.into())];
            run("save_post", &values);
        }
    }
}

/// The entries that each feed must have, from the posts and the follows alone.
fn right(blog: &Blog, user: &str) -> Vec<(i64, String, String)> {
    let items = blog.all_of("blog");
    let of =
        |kind: &'static str| items.iter().filter(move |item| text(item, "type").as_deref() == Some(kind));
    let is = |item: &Item, name: &str| item.get(name) == Some(&AttributeValue::Bool(true));
    let followed: BTreeSet<String> = of("Follow")
        .filter(|item| text(item, "follower").as_deref() == Some(user) && !is(item, "muted"))
        .filter_map(|item| text(item, "followed"))
        .collect();
    let posts = of("Post").filter(|item| !is(item, "hidden"));
    let mut entries: Vec<_> = posts
        .filter(|item| text(item, "author").is_some_and(|author| followed.contains(&author)))
        .map(|item| {
            let Some(AttributeValue::N(at)) = item.get("at") else { panic!("a post has a time") };
            (at.to_i64().unwrap(), text(item, "post").unwrap(), text(item, "title").unwrap())
        })
        .collect();
    entries.sort();
    entries
}

fn assert_feeds(blog: &Blog, round: u64) {
    for user in 0..USERS {
        let user = format!("u{user}");
        let mut shown: Vec<_> = feed_pages(blog, &user, 3)
            .iter()
            .map(|entry| {
                let word = |name: &str| entry.get(name).unwrap().as_text().unwrap().to_owned();
                let at = entry.get("at").unwrap().as_number().unwrap().to_i64().unwrap();
                (at, word("post"), word("title"))
            })
            .collect();
        assert!(shown.is_sorted_by(|one, other| one.0 >= other.0), "the newest are first: {shown:?}");
        shown.sort();
        assert_eq!(shown, right(blog, &user), "{user} in round {round}");
    }
}

#[test]
fn a_feed_has_the_posts_of_those_who_are_followed_whatever_happens() {
    let blog = blog();
    for round in 0..ROUNDS {
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let blog = &blog;
                let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ (round * WRITERS + writer + 1));
                scope.spawn(move || (0..WRITES).for_each(|_| write(blog, &mut dice)));
            }
            // Workers that live for a few steps each, two at a time.
            let mut dice = Dice(round + 17);
            for _ in 0..6 {
                let (mut one, mut two) = (blog.worker(), blog.worker());
                for _ in 0..dice.roll(12) {
                    let worker = if dice.roll(2) == 0 { &mut one } else { &mut two };
                    _ = worker.step(Duration::ZERO).wait();
                }
            }
        });
        blog.settle();
        assert_feeds(&blog, round);
        let audit = Audit::new(blog.store(), blog.design.clone(), "dev").unwrap();
        assert_eq!(audit.run(&mut |_| {}).wait().unwrap().differences, [], "round {round}");
    }
    let derived = blog.all_of("singlet-derived");
    let is_mark = |item: &&Item| text(item, "kind").is_some_and(|kind| kind.starts_with("merged#"));
    assert!(derived.iter().any(|item| item.get("merged").is_some()), "an author has crossed the bound");
    println!("{} marks", derived.iter().filter(is_mark).count());
}
