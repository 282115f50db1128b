//! Counts: exact up to the pattern's bound, over shards, buckets, filters and pages of the store.

use crate::fixture::Data;

const SOURCE: &str = r#"
design = "counts"
[table]
key = ["PK", "SK"]
ttl = "expires_at"
[index]
Recent = { key = ["RecentPK", "RecentSK"], project = "keys" }
[entity.Like]
key    = ["POST#{post_id}#{shard:user_id/4}", "LIKE#{user_id}"]
Recent = ["{post_id}#{created_at:day}", "{created_at}"]
[entity.Like.fields]
post_id    = "key"
user_id    = "key"
created_at = "time"
color      = { type = "string", default = "red" }
expires_at = { type = "epoch", optional = true }
[entity.Pin]
key    = ["POST#{post_id}#{shard:user_id/4}", "LIKE#{user_id}#PIN"]
fields = { post_id = "key", user_id = "key" }
[pattern.likes]
count = "Like"
[pattern.few_likes]
count = "Like"
max   = 10
[pattern.likes_of_color]
count  = "Like"
filter = "color = {color?}"
[pattern.recent_likes]
count = "Like"
on    = "Recent"
range = "created_at"
[pattern.post]
parts = { likes = "few_likes", recent = "recent_likes" }
"#;

/// A post with this many likes, one in each hour from 2025-05-01 on. Every third is blue.
fn liked(likes: u32) -> Data {
    let data = Data::new(SOURCE);
    for number in 0..likes {
        let user = format!("u{number:05}");
        let at = format!("2025-05-{:02}T{:02}:00:00.000Z", 1 + number / 24 % 28, number % 24);
        let color = if number % 3 == 0 { "blue" } else { "red" };
        data.put("Like", &[("post_id", "p"), ("user_id", &user), ("created_at", &at), ("color", color)]);
        data.put("Pin", &[("post_id", "p"), ("user_id", &user)]);
    }
    data
}

#[test]
fn a_count_is_exact_over_shards_and_more_than_a_page() {
    let data = liked(2500);
    assert_eq!(data.json("likes", &[("post_id", "p")]), r#"{"count":2500}"#);
    assert_eq!(data.json("likes", &[("post_id", "q")]), r#"{"count":0}"#);
}

#[test]
fn a_count_ends_at_its_bound_and_says_that_there_are_more() {
    assert_eq!(liked(10).json("few_likes", &[("post_id", "p")]), r#"{"count":10}"#);
    assert_eq!(liked(11).json("few_likes", &[("post_id", "p")]), r#"{"count":10,"more":true}"#);
}

#[test]
fn an_optional_filter_is_left_out_with_its_parameter() {
    let data = liked(30);
    assert_eq!(data.json("likes_of_color", &[("post_id", "p"), ("color", "blue")]), r#"{"count":10}"#);
    assert_eq!(data.json("likes_of_color", &[("post_id", "p")]), r#"{"count":30}"#);
}

#[test]
fn a_count_walks_buckets_between_its_bounds_and_leaves_out_what_has_expired() {
    let data = liked(100);
    let between = [("post_id", "p"), ("from", "2025-05-01T12:00:00Z"), ("to", "2025-05-03T00:00:00Z")];
    assert_eq!(data.json("recent_likes", &between), r#"{"count":37}"#);
    // Without bounds it goes back from the fixture's present, 2025-06-15, and ends after 31 empty days.
    assert_eq!(data.json("recent_likes", &[("post_id", "p")]), r#"{"count":0}"#);
    let expired = [
        ("expires_at", "1700000000"),
        ("post_id", "p"),
        ("user_id", "late"),
        ("created_at", "2025-05-01T13:30:00Z"),
    ];
    data.put("Like", &expired);
    assert_eq!(data.json("likes", &[("post_id", "p")]), r#"{"count":100}"#);
    let parts = data.json("post", &between);
    assert!(parts.starts_with(r#"{"likes":{"count":10,"more":true},"recent":{"count":3"#), "{parts}");
}
