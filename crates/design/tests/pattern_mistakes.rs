//! Mistakes in patterns and their messages.
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
GSI1 = { key = ["FEED#{shard:post_id/4}", "{post_id}"], optional = true }

[entity.Post.fields]
user_id = "key"
post_id = "id"
year    = "int"

[pattern.create]
create = "Post"

[pattern.read]
"##;

/// Returns the first mistake of the pattern `read`, or of what follows it.
fn mistake(pattern: &str) -> String {
    let source = format!("{DESIGN}{pattern}");
    load("posts.toml", &source).unwrap_err().mistakes.remove(0).message
}

#[test]
fn a_wrong_word_is_said_with_the_names_of_the_design() {
    let cases = [
        ("get = \"Post\"\nby = [\"email\"]", "`Post` has no field `email`"),
        ("get = \"Post\"\nby = [\"user_id\", \"user_id\"]", "`user_id` appears twice in `knows`"),
        ("query = \"Post\"\nkey = [\"USER#{name}\"]", "`Post` has no field `name`"),
        ("query = \"Post\"\nkey = [\"A\", \"B\", \"C\"]", "a key has at most two parts"),
        (
            "query = \"Post\"\non = \"Since\"\nkey = [\"{user_id}\", \"Y\"]",
            "`Y` and the key attribute `year` have different types",
        ),
        ("query = \"Post\"\nkey = [[\"A\", \"B\"]]", "the partition key must have one template here, not 2"),
        ("get = \"Post\"\nkey = [\"USER#{user_id}\", \"POST#\"]", "the key of an item must be complete"),
        ("query = \"Post\"\nbusiest = \"150%\"", "`150%` isn't a percentage of at most 100%"),
        ("query = \"Post\"\nbusiest = \"some\"", "`some` isn't a percentage of at most 100%"),
        ("scan = \"Post\"\norder = \"newest\"", "`order` can't be used with `scan`"),
        ("scan = \"Pots\"", "there is no entity `Pots`"),
        ("transaction = { post = { run = \"create\", max = 3 } }", "`max` can't be used without `each`"),
        (
            "parts = { all = \"scan\" }\n[pattern.scan]\nscan = \"Post\"",
            "`scan` is a `scan`, which can't be used here",
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
