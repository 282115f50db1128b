//! Paging in both directions: the page before a page ends exactly where that page begins.

use proptest::prelude::*;
use singlet_engine::values::AttributeValue;
use singlet_run::{Outcome, Paging, Record, Wait};

use crate::backend::cases;
use crate::fixture::{Data, beside, delete, given};

const SOURCE: &str = r#"
design = "pages"
[table]
key = ["PK", "SK"]
[index]
Feed = { key = ["FeedPK", "FeedSK"], project = "keys" }
Flat = ["FlatPK", "FlatSK"]
Mine = ["MinePK", "MineSK"]
[entity.Post]
key  = ["USER#{user_id}#{created_at:day}", "{created_at}#{post_id}"]
Feed = ["FEED#{shard:post_id/4}", "{created_at}"]
Flat = ["FLAT", "{created_at}"]
Mine = ["{author}#{shard:post_id/2}", "{created_at}"]
[entity.Post.fields]
user_id    = "key"
post_id    = "key"
author     = "key"
created_at = "time"
likes      = "int"
[entity.Followed]
key    = ["FOLLOWER#{user_id}", "{author}"]
fields = { user_id = "key", author = "key" }
[pattern.followed]
query = "Followed"
[pattern.of_followed]
query = "Post"
on    = "Mine"
order = "newest"
[pattern.home]
merge = { each = "followed", run = "of_followed", with = { author = "{author}" }, by = "created_at" }
[pattern.liked_of_followed]
query  = "Post"
on     = "Mine"
order  = "newest"
filter = "likes > 0"
[pattern.liked_home]
merge = { each = "followed", run = "liked_of_followed", with = { author = "{author}" }, by = "created_at" }
[pattern.feed]
query = "Post"
on    = "Feed"
order = ["newest", "oldest"]
[pattern.flat]
query = "Post"
on    = "Flat"
order = ["oldest", "newest"]
[pattern.liked]
query  = "Post"
on     = "Flat"
filter = "likes > 0"
order  = ["oldest", "newest"]
[pattern.days]
query = "Post"
range = "created_at"
order = ["newest", "oldest"]
empty = 40
"#;
const PATTERNS: [(&str, &[(&str, &str)]); 6] = [
    ("home", &[("user_id", "me")]),
    ("liked_home", &[("user_id", "me")]),
    ("feed", &[]),
    ("flat", &[]),
    ("liked", &[]),
    ("days", &[("user_id", "u"), ("from", "2025-05-20T00:00:00Z"), ("to", "2025-06-20T00:00:00Z")]),
];

/// A post: its day after 2025-05-20, its hour (few, so that there are ties), its likes.
type Post = (u8, u8, u8);

fn network(posts: &[Post]) -> Data {
    let data = Data::new(SOURCE);
    for (number, post) in posts.iter().enumerate() {
        write(&data, "p", number, post);
    }
    for author in ["a0", "a1", "a2"] {
        data.put("Followed", &[("user_id", "me"), ("author", author)]);
    }
    data
}

/// Writes a post. Its id is a letter and its number.
fn write(data: &Data, letter: &str, number: usize, post: &Post) {
    let (id, author, likes) =
        (format!("{letter}{number:03}"), format!("a{}", number % 3), post.2.to_string());
    let ids = [("user_id", "u"), ("post_id", id.as_str()), ("author", &author)];
    let at = at(post);
    data.put("Post", &[ids.as_slice(), &[("created_at", &at), ("likes", &likes)]].concat());
}

fn at((day, hour, _): &Post) -> String {
    let (month, day) = if *day < 12 { (5, 20 + day) } else { (6, day - 11) };
    format!("2025-{month:02}-{day:02}T0{hour}:00:00.000Z")
}

/// The items of a page by their keys, and the cursors to the next page and the one before.
#[derive(Debug, Clone, PartialEq)]
struct ListPage {
    items: Vec<(String, String)>,
    next: Option<String>,
    previous: Option<String>,
}

fn key(record: &Record) -> (String, String) {
    let attribute = |name: &str| match record.item.view().get(name).unwrap().to_value().unwrap() {
        AttributeValue::S(text) => text,
        other => panic!("{other:?}"),
    };
    (attribute("PK"), attribute("SK"))
}

fn page(data: &Data, list: &List, limit: u32, cursor: Option<String>) -> ListPage {
    let paging = Paging { limit: Some(limit), cursor };
    let mut arguments = given(list.arguments);
    if !list.pattern.ends_with("home") {
        arguments.insert("order".to_owned(), list.order.into());
    }
    match data.runner.run(list.pattern, &arguments, &paging).wait().unwrap() {
        Outcome::Items { records, cursor, previous } => ListPage {
            items: records.iter().map(key).collect(),
            next: cursor.map(|cursor| cursor.to_string()),
            previous: previous.map(|previous| previous.to_string()),
        },
        other => panic!("no list: {other:?}"),
    }
}

#[derive(Debug)]
struct List {
    pattern: &'static str,
    arguments: &'static [(&'static str, &'static str)],
    order: &'static str,
}

fn lists() -> impl Strategy<Value = List> {
    (prop::sample::select(&PATTERNS), prop::sample::select(&["newest", "oldest"]))
        .prop_map(|((pattern, arguments), order)| List { pattern, arguments, order })
}

fn posts() -> impl Strategy<Value = Vec<Post>> {
    prop::collection::vec((0_u8..30, 0_u8..3, 0_u8..3), 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(48), ..ProptestConfig::default() })]

    #[test]
    fn forwards_and_backwards_a_list_has_the_same_pages(posts in posts(), list in lists(), limit in 1_u32..8) {
        let data = network(&posts);
        let mut pages = vec![page(&data, &list, limit, None)];
        prop_assert_eq!(&pages[0].previous, &None);
        while let Some(next) = pages[pages.len() - 1].next.clone() {
            pages.push(page(&data, &list, limit, Some(next)));
        }
        let mut known = pages.clone();
        let mut last = known.pop().unwrap();
        while let Some(before) = known.pop() {
            let found = page(&data, &list, limit, last.previous.clone());
            prop_assert_eq!(&found.items, &before.items);
            // And forwards again, from the page that was read backwards.
            let again = page(&data, &list, limit, found.next.clone());
            prop_assert_eq!(&again.items, &last.items);
            last = found;
        }
        // In a walk over buckets, those before the first items may be empty.
        while let Some(previous) = last.previous {
            prop_assert_eq!(list.pattern, "days");
            last = page(&data, &list, limit, Some(previous));
            prop_assert_eq!(&last.items, &[]);
        }
    }

    /// Posts that nobody else touches come once in each direction, whatever comes and goes around them.
    #[test]
    fn beside_other_writers_a_walk_to_the_end_and_back_has_each_item_once_in_each_direction(
        posts in posts(),
        others in prop::collection::vec((0_u8..30, 0_u8..3, 0_u8..3), 1..20),
        list in lists(),
        limits in prop::collection::vec(1_u32..8, 1..4),
    ) {
        let data = network(&posts);
        let expected = page(&data, &list, 1000, None).items;
        let (forwards, backwards) = beside(
            &others,
            |turn, post| match turn % 2 {
                0 => write(&data, "q", turn, post),
                _ => {
                    let at = at(&others[turn - 1]);
                    delete(&data, "pages", (&format!("USER#u#{}", &at[..10]), &format!("{at}#q{:03}", turn - 1)));
                }
            },
            || {
                let mut sizes = limits.iter().copied().cycle();
                let mut last = page(&data, &list, sizes.next().unwrap(), None);
                let mut forwards = last.items.clone();
                while let Some(next) = last.next.clone() {
                    last = page(&data, &list, sizes.next().unwrap(), Some(next));
                    forwards.extend(last.items.clone());
                }
                let mut backwards: Vec<_> = last.items.iter().rev().cloned().collect();
                while let Some(previous) = last.previous.clone() {
                    last = page(&data, &list, sizes.next().unwrap(), Some(previous));
                    backwards.extend(last.items.iter().rev().cloned());
                }
                backwards.reverse();
                (forwards, backwards)
            },
        );
        let kept = |items: Vec<(String, String)>| -> Vec<_> {
            items.into_iter().filter(|(_, sort)| sort.contains("#p")).collect()
        };
        prop_assert_eq!(kept(forwards), expected.clone());
        prop_assert_eq!(kept(backwards), expected);
    }

    /// Whatever is deleted on the way, each page has the nearest items that are left beyond the page it came from.
    #[test]
    fn a_walk_to_and_fro_with_deletions_neither_repeats_nor_loses_an_item(
        posts in posts(),
        list in lists(),
        steps in prop::collection::vec((any::<bool>(), 1_u32..6, any::<prop::sample::Index>()), 0..25),
    ) {
        let data = network(&posts);
        let order = page(&data, &list, 1000, None).items;
        let mut left = vec![true; order.len()];
        let mut current = page(&data, &list, 2, None);
        // The items from `begin` up to `end` are those of the page.
        let (mut begin, mut end) = (0, current.items.len());
        for (forwards, limit, victim) in steps {
            if !order.is_empty() {
                let victim = victim.index(order.len());
                left[victim] = false;
                delete(&data, "pages", (&order[victim].0, &order[victim].1));
            }
            let cursor = if forwards { current.next.clone() } else { current.previous.clone() };
            let Some(cursor) = cursor else { continue };
            let limit_items = limit as usize;
            let expected: Vec<usize> = if forwards {
                (end..order.len()).filter(|at| left[*at]).take(limit_items).collect()
            } else {
                let mut found: Vec<usize> = (0..begin).rev().filter(|at| left[*at]).take(limit_items).collect();
                found.reverse();
                found
            };
            current = page(&data, &list, limit, Some(cursor));
            let wanted: Vec<_> = expected.iter().map(|at| order[*at].clone()).collect();
            prop_assert_eq!(&current.items, &wanted);
            (begin, end) = match (expected.first(), expected.last()) {
                (Some(first), Some(last)) => (*first, last + 1),
                // A page without items is where the list ends in its direction.
                _ if forwards => (order.len(), order.len()),
                _ => (0, 0),
            };
        }
    }
}

#[test]
fn the_caller_chooses_the_order_and_the_first_is_the_default() {
    let data = network(&[(0, 0, 0), (1, 0, 0), (2, 0, 0)]);
    let ids = |arguments: &[(&str, &str)]| {
        let Outcome::Items { records, .. } = data.run("flat", arguments).unwrap() else { panic!() };
        records.iter().map(|record| key(record).1[25..].to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(ids(&[]), "p000 p001 p002");
    assert_eq!(ids(&[("order", "oldest")]), "p000 p001 p002");
    assert_eq!(ids(&[("order", "newest")]), "p002 p001 p000");
    let refused = data.run("flat", &[("order", "highest")]).unwrap_err().to_string();
    assert_eq!(refused, "`order` must be one of `oldest`, `newest`, not `highest`");
}

/// A cursor belongs to the order that it was given in.
#[test]
fn a_cursor_of_the_opposite_order_is_refused() {
    let data = network(&[(0, 0, 0), (1, 0, 0), (2, 0, 0)]);
    let list = |order| List { pattern: "feed", arguments: &[], order };
    let first = page(&data, &list("newest"), 1, None);
    let paging = Paging { limit: Some(1), cursor: first.next };
    let refused = data.runner.run("feed", &given(&[("order", "oldest")]), &paging).wait();
    assert!(matches!(refused, Err(singlet_run::RunError::Cursor(_))));
}
