//! Pages together give every item exactly once and in order, however they are cut.

use std::collections::BTreeSet;

use proptest::prelude::*;
use singlet_run::{Paging, RunError, Wait};

use crate::backend::cases;
use crate::fixture::{Data, NOW_MS, given, items, member};

/// A post: author, time (few, so that there are ties), whether it has expired. Its number is how often it was liked.
type Sample = (u8, u8, bool);

/// Texts of different lengths: with the separator behind them they sort otherwise than alone.
const TIMES: [&str; 6] = ["t", "t!", "t!a", "ta", "ta b", "u"];

fn time_of(sample: &Sample) -> &'static str {
    TIMES[usize::from(sample.1) % TIMES.len()]
}

/// The part after the time in the sort key.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Continued,
    Alone,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    Ascending,
    Descending,
}

fn network(order: Order) -> Data {
    let source = include_str!("network.toml");
    match order {
        Order::Ascending => Data::new(source),
        Order::Descending => Data::new(&source.replace("oldest", "newest")),
    }
}

fn fill(data: &Data, samples: &[Sample]) {
    let past = (NOW_MS / 1000 - 1).to_string();
    for (number, sample) in samples.iter().enumerate() {
        let (post, author, expired) = (format!("p{number:03}"), format!("u{}", sample.0), sample.2);
        let mut fields =
            vec![("post_id", post.as_str()), ("user_id", &author), ("created_at", time_of(sample))];
        let likes = number.to_string();
        fields.push(("likes", &likes));
        if expired {
            fields.push(("expires_at", &past));
        }
        data.put("Post", &fields);
    }
    for author in 0..4 {
        data.put("Follow", &[("user_id", "me"), ("following_id", &format!("u{author}"))]);
    }
}

/// The posts that should come, as (time, id), in the order of the key: `{time}#{id}` on the table's and GSI1's way, the
/// time alone in the other indexes. Expired ones are left out on every way.
fn expected(
    samples: &[Sample],
    author: impl Fn(u8) -> bool,
    order: Order,
    way: Way,
) -> Vec<(String, String)> {
    let shown = |sample: &Sample| author(sample.0) && !sample.2;
    let posts = samples.iter().enumerate().filter(|(_, sample)| shown(sample));
    let mut posts: Vec<_> =
        posts.map(|(number, sample)| (time_of(sample).to_owned(), format!("p{number:03}"))).collect();
    posts.sort_by_key(|(time, id)| match way {
        Way::Continued => format!("{time}#{id}"),
        Way::Alone => time.clone(),
    });
    if order == Order::Descending {
        posts.reverse();
    }
    posts
}

/// Each item once, ordered by time; ties in any order.
fn check(pages: Vec<(String, String)>, expected: &[(String, String)]) {
    let times = |posts: &[(String, String)]| posts.iter().map(|(time, _)| time.clone()).collect::<Vec<_>>();
    assert_eq!(times(&pages), times(expected));
    let distinct: BTreeSet<_> = pages.iter().collect();
    assert_eq!(distinct, expected.iter().collect());
}

fn post(data: &Data, pattern: &str, arguments: &[(&str, &str)], limit: u32) -> Vec<(String, String)> {
    // The feed's index has the keys only.
    let keys = |field: &str| data.pages(pattern, arguments, limit, field);
    let (times, ids) = match pattern {
        "feed" => (keys("FeedSK"), keys("PK")),
        _ => (keys("created_at"), keys("post_id")),
    };
    times.into_iter().zip(ids.into_iter().map(|id| id.trim_start_matches("POST#").to_owned())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(24), ..ProptestConfig::default() })]

    #[test]
    fn pages_give_each_item_once_and_in_order_over_shards_merges_and_expired_items(
        samples in prop::collection::vec((0_u8..5, 0_u8..6, prop::bool::weighted(0.2)), 0..60),
        limit in 1_u32..12,
        ascending in any::<bool>(),
    ) {
        let order = if ascending { Order::Ascending } else { Order::Descending };
        let data = network(order);
        fill(&data, &samples);
        let of_one = post(&data, "user_posts", &[("user_id", "u1")], limit);
        prop_assert_eq!(of_one, expected(&samples, |author| author == 1, order, Way::Continued));
        // The feed's index doesn't carry the time to live, so nothing can be left out there.
        check(post(&data, "feed", &[], limit), &expected(&samples, |_| true, order, Way::Alone));
        check(post(&data, "home", &[("user_id", "me")], limit), &expected(&samples, |author| author < 4, order, Way::Continued));
        // Nor does the index that spreads each user's posts; here the merge goes over lists and shards.
        check(
            post(&data, "spread_home", &[("user_id", "me")], limit),
            &expected(&samples, |author| author < 4, order, Way::Alone),
        );
        let least = (samples.len() / 2).to_string();
        let popular = |posts: Vec<(String, String)>| {
            posts.into_iter().filter(|(_, id)| *id >= format!("p{:03}", samples.len() / 2)).collect::<Vec<_>>()
        };
        let found = post(&data, "popular", &[("user_id", "u1"), ("least", &least)], limit);
        prop_assert_eq!(found, popular(expected(&samples, |author| author == 1, order, Way::Continued)));
        let found = post(&data, "popular_home", &[("user_id", "me"), ("least", &least)], limit);
        check(found, &popular(expected(&samples, |author| author < 4, order, Way::Continued)));
    }

    #[test]
    fn a_changed_cursor_is_refused(change in any::<(u8, u16)>(), noise in ".{0,80}") {
        let data = network(Order::Ascending);
        fill(&data, &[(1, 1, false), (1, 2, false), (1, 3, false)]);
        for (pattern, arguments) in [("user_posts", vec![("user_id", "u1")]), ("feed", vec![]), ("home", vec![("user_id", "me")])] {
            let page = |cursor: Option<String>| {
                data.runner.run(pattern, &given(&arguments), &Paging { limit: Some(1), cursor }).wait()
            };
            let cursor = items(page(None).unwrap()).1.unwrap();
            let mut bytes = cursor.clone().into_bytes();
            let at = usize::from(change.1) % bytes.len();
            bytes[at] = bytes[at].wrapping_add(change.0.max(1));
            let changed = String::from_utf8_lossy(&bytes).into_owned();
            for wrong in [changed, noise.clone(), String::new(), cursor[..at].to_owned(), format!("{cursor}AAAA")] {
                prop_assert!(matches!(page(Some(wrong)), Err(RunError::Cursor(_))));
            }
        }
    }
}

#[test]
fn a_cursor_belongs_to_its_pattern_arguments_environment_and_key() {
    let data = network(Order::Ascending);
    fill(&data, &[(1, 1, false), (1, 2, false), (2, 3, false), (2, 4, false)]);
    let page = |pattern: &str, user: &str, cursor: Option<String>| {
        data.runner.run(pattern, &given(&[("user_id", user)]), &Paging { limit: Some(1), cursor }).wait()
    };
    let cursor = items(page("user_posts", "u1", None).unwrap()).1;
    assert!(matches!(page("user_posts", "u2", cursor.clone()), Err(RunError::Cursor(_))));
    assert!(matches!(page("home", "u1", cursor.clone()), Err(RunError::Cursor(_))));
    let (records, end) = items(page("user_posts", "u1", cursor.clone()).unwrap());
    assert_eq!((member(&records[0], "created_at").as_str(), end), ("t!a", None));
    let other = data.runner.with_cursor_key([8; 32]);
    let refused =
        other.run("user_posts", &given(&[("user_id", "u1")]), &Paging { limit: Some(1), cursor }).wait();
    assert!(matches!(refused, Err(RunError::Cursor(_))));
}

#[test]
fn a_cursor_from_before_the_keys_were_changed_is_told_to_begin_again() {
    let data = network(Order::Ascending);
    fill(&data, &[(1, 1, false), (1, 2, false), (1, 3, false)]);
    let source = include_str!("network.toml").replace("\"POST#{created_at}", "\"P#{created_at}");
    let changed = Data::new(&source);
    for (pattern, user) in [("user_posts", "u1"), ("home", "me")] {
        let arguments = given(&[("user_id", user)]);
        let first = Paging { limit: Some(1), cursor: None };
        let (_, cursor) = items(data.runner.run(pattern, &arguments, &first).wait().unwrap());
        assert!(cursor.is_some(), "{pattern}");
        changed.put("Follow", &[("user_id", "me"), ("following_id", "u1")]);
        let refused = changed.runner.run(pattern, &arguments, &Paging { limit: Some(1), cursor }).wait();
        assert!(matches!(refused, Err(RunError::Cursor(_))), "{pattern}: {refused:?}");
    }
}

#[test]
fn a_list_that_changes_between_pages_only_brings_or_takes_its_own_items() {
    let data = network(Order::Ascending);
    let samples: Vec<Sample> = (0..40).map(|number| (number % 4, number / 8, false)).collect();
    fill(&data, &samples);
    let page = |cursor: Option<String>| {
        items(
            data.runner
                .run("home", &given(&[("user_id", "me")]), &Paging { limit: Some(7), cursor })
                .wait()
                .unwrap(),
        )
    };
    let (mut seen, mut cursor) = page(None);
    data.put("Follow", &[("user_id", "me"), ("following_id", "u7")]);
    data.put("Post", &[("post_id", "late"), ("user_id", "u7"), ("created_at", "u")]);
    data.put("Post", &[("post_id", "early"), ("user_id", "u7"), ("created_at", "a")]);
    while cursor.is_some() {
        let (records, next) = page(cursor);
        seen.extend(records);
        cursor = next;
    }
    let ids: Vec<String> = seen.iter().map(|record| member(record, "post_id")).collect();
    let distinct: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(ids.len(), 41);
    assert_eq!(distinct.len(), 41);
    assert!(distinct.contains(&"late".to_owned()));
}

#[test]
fn a_filter_that_lets_little_through_ends_calls_but_not_the_list() {
    let data = network(Order::Ascending);
    // Far more than one call evaluates, in two of four streams; only the last ones are liked.
    const POSTS: u32 = 12_000;
    for number in 0..POSTS {
        let (post, time) = (format!("p{number:05}"), format!("t{number:05}"));
        let author = if number % 2 == 0 { "u0" } else { "u2" };
        let likes = if number >= POSTS - 3 { "1" } else { "0" };
        data.put("Post", &[("post_id", &post), ("user_id", author), ("created_at", &time), ("likes", likes)]);
    }
    data.put("Post", &[("post_id", "first"), ("user_id", "u0"), ("created_at", "t"), ("likes", "1")]);
    fill(&data, &[]);
    for (pattern, user, expected) in
        [("popular", "u0", "first p11998"), ("popular_home", "me", "first p11997 p11998 p11999")]
    {
        let arguments = given(&[("user_id", user), ("least", "1")]);
        let (mut cursor, mut seen, mut calls) = (None, Vec::new(), 0);
        loop {
            calls += 1;
            assert!(calls < 20, "every call gets further");
            let paging = Paging { limit: Some(2), cursor };
            let (records, next) = items(data.runner.run(pattern, &arguments, &paging).wait().unwrap());
            seen.extend(records.iter().map(|record| member(record, "post_id")));
            assert!(next.as_ref().is_none_or(|cursor| cursor.len() < 600), "cursors stay short");
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        assert!(calls > 2, "one call doesn't read everything");
        assert_eq!(seen.join(" "), expected);
    }
}
