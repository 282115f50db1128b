//! Which items a query gives: matched parts, ranges, beginnings, several entities.

use singlet_run::explain::Recording;
use singlet_run::{Paging, Runner, Wait};

use crate::fixture::{Data, given};

fn network() -> Data {
    let data = Data::new(include_str!("network.toml"));
    data.put("Post", &[("post_id", "p1"), ("user_id", "u1"), ("created_at", "t0"), ("title", "Hi")]);
    for (id, at) in [("a", "t1"), ("b", "t1"), ("c", "t2"), ("d", "t3")] {
        data.put("Comment", &[("post_id", "p1"), ("comment_id", id), ("created_at", at)]);
    }
    data.put("Note", &[("post_id", "p1"), ("note_id", "n"), ("created_at", "t2")]);
    data
}

fn kitchen() -> Data {
    let data = Data::new(include_str!("kitchen.toml"));
    for (id, name) in [("1", "bun"), ("2", "bun cha"), ("3", "bun cha ca"), ("4", "bunx"), ("5", "canh")] {
        data.put("Dish", &[("kitchen", "k"), ("dish_id", id), ("name", name)]);
    }
    for (id, city, rank) in [("1", "hue", "9"), ("2", "hue", "10"), ("3", "hue", "-3"), ("4", "oslo", "1")] {
        data.put("Place", &[("place_id", id), ("tenant", "t"), ("city", city), ("rank", rank)]);
    }
    data
}

#[test]
fn entities_that_share_a_key_are_told_apart() {
    let data = network();
    for limit in [1, 2, 100] {
        assert_eq!(data.pages("comments", &[("post_id", "p1")], limit, "comment_id"), ["a", "b", "c", "d"]);
        assert_eq!(data.pages("notes", &[("post_id", "p1")], limit, "note_id"), ["n"]);
    }
}

#[test]
fn lists_of_several_entities_say_what_each_item_is() {
    let data = network();
    let types = data.pages("whole_post", &[("post_id", "p1")], 2, "type");
    assert_eq!(types, ["COMMENT", "COMMENT", "COMMENT", "COMMENT", "POST"]);
}

#[test]
fn both_ends_of_a_range_are_included_with_all_that_continues_them() {
    let data = network();
    let ids = |from: Option<&str>, to: Option<&str>| {
        let mut arguments = vec![("post_id", "p1")];
        arguments.extend(from.map(|from| ("from", from)));
        arguments.extend(to.map(|to| ("to", to)));
        data.pages("comments_between", &arguments, 2, "comment_id").join("")
    };
    assert_eq!(ids(None, None), "abcd");
    assert_eq!(ids(Some("t1"), Some("t1")), "ab");
    assert_eq!(ids(Some("t2"), None), "cd");
    assert_eq!(ids(None, Some("t2")), "abc");
    assert_eq!(ids(Some("t3"), Some("t1")), "", "ends the wrong way round hold nothing");
}

#[test]
fn a_range_of_texts_goes_by_the_text_not_by_the_key() {
    let data = kitchen();
    let names = |from: &str, to: &str| {
        data.pages("dishes_between", &[("kitchen", "k"), ("from", from), ("to", to)], 2, "name")
    };
    // In the key, "bun cha ca#3" stands before "bun cha#2", which stands before "bun#1".
    assert_eq!(names("bun", "bun cha ca"), ["bun cha ca", "bun cha", "bun"]);
    assert_eq!(names("bun", "bun"), ["bun"]);
    assert_eq!(names("bun cha", "bunx"), ["bun cha ca", "bun cha", "bunx"]);
}

#[test]
fn a_beginning_finds_every_text_that_begins_so() {
    let data = kitchen();
    let begun =
        |name: &str| data.pages("dishes_begin", &[("kitchen", "k"), ("name", name)], 2, "dish_id").join("");
    assert_eq!(begun("bun"), "3214");
    assert_eq!(begun("bun "), "32");
    assert_eq!(begun("x"), "");
    assert!(data.run("dishes_begin", &[("kitchen", "k"), ("name", "a#")]).is_err());
}

#[test]
fn keys_of_several_attributes_are_matched_and_bounded_with_their_own_types() {
    let data = kitchen();
    let ids = |arguments: &[(&str, &str)]| {
        let given: Vec<(&str, &str)> =
            [("tenant", "t"), ("city", "hue")].into_iter().chain(arguments.iter().copied()).collect();
        data.pages("ranks", &given, 1, "place_id").join("")
    };
    assert_eq!(ids(&[]), "213");
    assert_eq!(ids(&[("from", "0"), ("to", "9")]), "1");
    assert_eq!(ids(&[("from", "-3")]), "213");
    assert_eq!(data.pages("cities", &[("tenant", "t"), ("from", "oslo")], 1, "place_id"), ["4"]);
    assert_eq!(data.pages("places", &[("tenant", "t")], 3, "place_id").join(""), "3124");
}

/// Ratings stand between nothing and the recipe's own items: they are not even read.
#[test]
fn a_list_of_several_entities_reads_from_the_lowest_beginning_to_the_highest() {
    let data = Data::new(
        r##"
design = "recipes"
[table]
key = ["PK", "SK"]
[entity.Recipe]
key    = ["RECIPE#{recipe_id}", "METADATA"]
fields = { recipe_id = "id" }
[entity.Ingredient]
key    = ["RECIPE#{recipe_id}", "INGREDIENT#{number:03}"]
fields = { recipe_id = "key", number = "int" }
[entity.Rating]
key    = ["RECIPE#{recipe_id}", "RATING#{user_id}"]
fields = { recipe_id = "key", user_id = "key" }
[pattern.whole_recipe]
query = ["Recipe", "Ingredient"]
limit = 50
"##,
    );
    data.put("Recipe", &[("recipe_id", "r1")]);
    data.put("Ingredient", &[("recipe_id", "r1"), ("number", "2")]);
    data.put("Rating", &[("recipe_id", "r1"), ("user_id", "u1")]);
    let recording = Recording::new(data.runner.store().clone());
    let runner = Runner::new(data.runner.design().clone(), recording, "dev");
    let answer =
        runner.run("whole_recipe", &given(&[("recipe_id", "r1")]), &Paging::default()).wait().unwrap();
    assert_eq!(
        answer.to_json().to_string(),
        r#"{"items":[{"type":"Ingredient","recipe_id":"r1","number":2},{"type":"Recipe","recipe_id":"r1"}]}"#
    );
    let requests = format!("{:?}", runner.store().recorded());
    assert!(requests.contains("BETWEEN") && requests.contains("METADATA"), "{requests}");
}
