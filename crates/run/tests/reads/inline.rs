//! Patterns that are written where they are used answer as those with a name.

use crate::fixture::Data;

const FEED: &str = r##"
design = "feed"

[table]
key = ["PK", "SK"]

[entity.User]
key    = ["USER#{user_id}", "USER"]
fields = { user_id = "key", name = "string" }

[entity.Post]
key    = ["USER#{user_id}", "POST#{at}#{post_id}"]
fields = { user_id = "key", post_id = "key", at = "int", title = "string" }

[entity.Follow]
key    = ["USER#{user_id}", "FOLLOW#{other_id}"]
fields = { user_id = "key", other_id = "key" }

[pattern.get_user]
get = "User"
[pattern.posts]
query = "Post"
order = "newest"
limit = 5
[pattern.follows]
query = "Follow"

[pattern.named]
parts = { user = "get_user", posts = "posts", first = { run = "get_user", with = { user_id = "{other_id}" } } }
[pattern.inline.parts]
user  = { get = "User" }
posts = { query = "Post", order = "newest", limit = 5 }
first = { run = { get = "User" }, with = { user_id = "{other_id}" } }

[pattern.named_feed]
merge = { each = "follows", run = "posts", with = { user_id = "{other_id}" }, by = "at" }
[pattern.inline_feed.merge]
each = "follows"
run  = { query = "Post", order = "newest", limit = 5 }
with = { user_id = "{other_id}" }
by   = "at"
"##;

fn feed() -> Data {
    let data = Data::new(
        &FEED
            .replace("{at}", "{at:05}")
            .replace("at = \"int\"", "at = { type = \"int\", min = 0, max = 99999 }"),
    );
    for user in ["an", "bo"] {
        data.put("User", &[("user_id", user), ("name", user)]);
        for at in 1..8 {
            let id = format!("{user}{at}");
            data.put("Post", &[("user_id", user), ("post_id", &id), ("at", &at.to_string()), ("title", &id)]);
        }
    }
    data.put("Follow", &[("user_id", "an"), ("other_id", "bo")]);
    data.put("Follow", &[("user_id", "an"), ("other_id", "an")]);
    data
}

#[test]
fn parts_answer_as_with_names() {
    let data = feed();
    let arguments = [("user_id", "an"), ("other_id", "bo")];
    let answer = data.json("inline", &arguments);
    // The cursor of a list belongs to its pattern, so it differs.
    let without_cursor = |text: &str| text.split("\"cursor\"").next().unwrap().to_owned();
    assert_eq!(without_cursor(&answer), without_cursor(&data.json("named", &arguments)));
    assert!(answer.contains("an7") && answer.contains("bo"), "{answer}");
}

#[test]
fn merges_answer_as_with_names() {
    let data = feed();
    for limit in [1, 3, 20] {
        let ids = |pattern| data.pages(pattern, &[("user_id", "an")], limit, "post_id");
        assert_eq!(ids("inline_feed"), ids("named_feed"));
        assert_eq!(ids("inline_feed").len(), 14);
    }
}
