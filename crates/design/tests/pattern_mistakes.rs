//! What the language says about the words of patterns that it can't follow.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use singlet_design::load;

const DESIGN: &str = r##"
design = "posts"

[table]
key = ["PK", "SK"]

[index]
GSI1  = ["GSI1PK", "GSI1SK"]
Since = ["user_id", "year"]

[entity.Post]
key  = ["USER#{user_id}", "POST#{post_id}"]
GSI1 = { key = ["FEED#{shard:post_id/4}", "{post_id}"], sparse = true }

[entity.Post.fields]
user_id = "key"
post_id = "id"
year    = "int"

[pattern.create]
create = "Post"

[pattern.read]
"##;

/// The first mistake of a pattern `read`, or of what stands behind it.
fn mistake(pattern: &str) -> String {
    let source = format!("{DESIGN}{pattern}");
    load("posts.toml", &source).unwrap_err().mistakes.remove(0).message
}

#[test]
fn a_wrong_word_is_said_with_the_names_of_the_design() {
    let cases = [
        ("get = \"Post\"\nby = [\"email\"]", "`Post` has no field `email`"),
        ("get = \"Post\"\nby = [\"user_id\", \"user_id\"]", "`user_id` stands twice in `by`"),
        ("query = \"Post\"\nkey = [\"USER#{name}\"]", "`Post` has no field `name`"),
        ("query = \"Post\"\nkey = [\"A\", \"B\", \"C\"]", "a key is a partition key and a sort key, no more"),
        ("query = \"Post\"\non = \"Since\"\nkey = [\"{user_id}\", \"Y\"]", "`Y` never equals `year`"),
        ("query = \"Post\"\nkey = [[\"A\", \"B\"]]", "the partition key has 1 attributes here, not 2"),
        ("get = \"Post\"\nkey = [\"USER#{user_id}\", \"POST#\"]", "an item is found by its whole key"),
        ("query = \"Post\"\nbusiest = \"150%\"", "`150%` is no share"),
        ("query = \"Post\"\nbusiest = \"some\"", "`some` is no share"),
        ("scan = \"Post\"\norder = \"newest\"", "`order` doesn't go with `scan`"),
        ("scan = \"Pots\"", "there is no entity `Pots`"),
        (
            "transaction = { post = { run = \"create\", max = 3 } }",
            "`max` bounds the list of `each`, and there is none here",
        ),
        (
            "parts = { all = \"scan\" }\n[pattern.scan]\nscan = \"Post\"",
            "`scan` is a `scan`, which can't stand here",
        ),
    ];
    for (pattern, expected) in cases {
        assert_eq!(mistake(pattern), expected, "{pattern}");
    }
}

#[test]
fn a_good_word_is_taken() {
    for pattern in [
        "query = \"Post\"\non = \"GSI1\"\nkey = [\"FEED#{shard:post_id/4}\"]\norder = \"newest\"\nowner = \"user_id\"",
        "query = \"Post\"\non = \"Since\"\nkey = [\"{user_id}\", \"{year}\"]\nbusiest = \"0.5 %\"",
        "query = \"Post\"\nkey = \"USER#{user_id}\"\nrange = \"post_id\"",
        "scan = \"Post\"\non = \"GSI1\"\nadmin = true",
    ] {
        let source = format!("{DESIGN}{pattern}");
        assert!(load("posts.toml", &source).is_ok(), "{:?}", load("posts.toml", &source).err());
    }
}
