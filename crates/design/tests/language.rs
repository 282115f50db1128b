//! The examples of the reference load, and no text makes the loader panic.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

use proptest::prelude::*;
use singlet_design::{Argument, Design, KeyKind, Operation, Order, ParameterType, Projection, load};

const REFERENCE: &str = include_str!("../../../docs/design-language.md");
const DERIVED: &str = include_str!("../../../docs/derived.md");
const CALLERS: &str = include_str!("../../../docs/callers.md");
const SOCIAL: &str = include_str!("../../../designs/social.toml");

/// Whether a block of a page begins a design. A comment above may name its file.
fn begins_a_design(block: &str) -> bool {
    block.lines().find(|line| !line.starts_with('#')).is_some_and(|line| line.starts_with("design ="))
}

/// Returns the designs of the reference. A block that begins with `design =` begins a design, which the next blocks
/// continue.
fn designs_of_the_reference() -> Vec<String> {
    let mut designs: Vec<String> = Vec::new();
    let blocks = |page: &'static str| page.split("```toml\n").skip(1);
    for block in blocks(REFERENCE).chain(blocks(DERIVED)).chain(blocks(CALLERS)) {
        let block = block.split("```").next().unwrap();
        match designs.last_mut() {
            Some(design) if !begins_a_design(block) => design.push_str(block),
            _ => designs.push(block.to_owned()),
        }
    }
    designs
}

fn loaded(source: &str) -> Design {
    load("design.toml", source).unwrap_or_else(|report| panic!("{report}"))
}

#[test]
fn every_example_of_the_reference_loads() {
    let designs = designs_of_the_reference();
    assert!(designs.len() > 1, "{}", designs.len());
    for design in designs {
        loaded(&design);
    }
}

#[test]
fn every_word_of_the_language_is_shown_by_an_example() {
    let designs = designs_of_the_reference().join("\n");
    let schema = singlet_design::schema();
    for (construct, description) in schema.get("$defs").unwrap().as_object().unwrap() {
        for (key, _) in description.get("properties").unwrap().as_object().unwrap() {
            let shown = designs
                .lines()
                .any(|line| line.split(['{', ',', ' ', '=', '.', '[', ']']).any(|word| word == key.as_str()));
            assert!(shown, "`{key}` of `{construct}` has no example");
        }
    }
}

/// A new reader may take `ref` for a foreign key.
#[test]
fn the_reference_and_the_schema_say_that_a_reference_is_not_checked() {
    assert!(
        REFERENCE.contains("`ref` names the entity that a field refers to.")
            && REFERENCE.contains("nothing checks that the referenced item exists")
    );
    let schema = singlet_design::schema().to_string();
    assert!(schema.contains("the entity that the field refers to, or several of which another field names one; not enforced without `must_exist`"));
}

#[test]
fn parameters_come_from_the_templates() {
    let design = loaded(SMALL);
    let names = |pattern: &str| -> Vec<String> {
        let parameters = design.pattern(pattern).unwrap().parameters.iter();
        parameters.map(|one| format!("{}{}", one.name, if one.required { "" } else { "?" })).collect()
    };
    assert_eq!(names("get_user"), ["user_id"]);
    assert_eq!(names("user_by_name"), ["name"]);
    assert_eq!(names("create_post"), ["post_id?", "user_id", "title", "rating", "tags?"]);
    assert_eq!(names("posts_of"), ["user_id", "from?", "to?", "least"]);
    assert_eq!(names("feed"), Vec::<String>::new());
    assert_eq!(names("rename"), ["post_id", "title?", "me"]);
    assert_eq!(names("posts"), ["keys"]);
    assert_eq!(names("home"), ["follower_id", "from?", "to?", "least"]);
    assert_eq!(names("sign_up"), ["user_id?", "name", "post_id?", "title", "tags?"]);
}

#[test]
fn a_query_knows_its_shards_its_order_and_its_range() {
    let design = loaded(SMALL);
    let Operation::Query(feed) = &design.pattern("feed").unwrap().operation else { panic!() };
    assert_eq!(feed.shards.map(|shards| shards.count), Some(8));
    assert_eq!(feed.order, Order::Descending);
    let Operation::Query(posts) = &design.pattern("posts_of").unwrap().operation else { panic!() };
    assert!(posts.range.is_some() && posts.filter.is_some() && posts.shards.is_none());
}

#[test]
fn only_a_query_among_items_of_others_is_mixed() {
    let design = loaded(SMALL);
    let mixed = |pattern: &str| match &design.pattern(pattern).unwrap().operation {
        Operation::Query(query) => query.mixed,
        Operation::Get(get) => get.mixed,
        _ => panic!(),
    };
    assert!(!mixed("posts_of"), "POST# begins no other key under USER#");
    assert!(!mixed("following"));
    assert!(!mixed("user_by_name"));
    assert!(mixed("ranks"), "ranks and scores have one shape");
}

#[test]
fn a_key_attribute_has_the_type_of_its_field() {
    let design = loaded(
        "design = 'natural'\n[table]\nkey = ['sensor', 'at']\n[index]\nTurn = { key = ['at', 'sensor'], project = 'keys' }\n\
         [entity.Reading.fields]\nsensor = 'key'\nat = 'epoch'\n",
    );
    let table = &design.tables[0];
    assert_eq!(table.partition.kind, KeyKind::Text);
    assert_eq!(table.sort.as_ref().unwrap().kind, KeyKind::Number);
    let turn = table.index("Turn").unwrap();
    assert_eq!((turn.partition[0].kind, turn.sort[0].kind), (KeyKind::Number, KeyKind::Text));
    assert_eq!(turn.projection, Projection::Keys);
    assert_eq!(design.entities[0].indexes.len(), 1, "it is in the index without saying so");
}

#[test]
fn a_step_takes_what_an_earlier_one_makes() {
    let design = loaded(SMALL);
    let Operation::Transaction(sign_up) = &design.pattern("sign_up").unwrap().operation else { panic!() };
    let binding = &sign_up.steps[1].bindings[0];
    assert_eq!(binding.argument, Argument::Result("user".to_owned(), "user_id".to_owned()));
    let keys = &design.pattern("posts").unwrap().parameter("keys").unwrap().kind;
    assert!(matches!(keys, ParameterType::ListOf(_)));
}

const SMALL: &str = r#"
design = "small"
[table]
key = ["PK", "SK"]
[index]
GSI1 = ["GSI1PK", "GSI1SK"]
GSI2 = ["GSI2PK", "GSI2SK"]

[entity.User]
key  = ["USER#{user_id}", "PROFILE"]
GSI1 = ["NAME#{name}", "USER"]
fields = { user_id = "id", name = "string" }

[entity.Post]
key  = ["POST#{post_id}", "POST"]
GSI1 = ["USER#{user_id}", "POST#{created_at}#{post_id}"]
GSI2 = ["FEED#{shard:post_id/8}", "{created_at}"]
[entity.Post.fields]
post_id    = "id"
user_id    = { type = "key", ref = "User" }
title      = "string"
rating     = "int"
tags       = { type = "set", of = "string", optional = true }
created_at = "created"

[entity.Follow]
key = ["USER#{follower_id}", "FOLLOW#{followed_id}"]
fields = { follower_id = "key", followed_id = "key" }

[entity.Rank]
key = ["GAME#{game}", "{place:04}"]
fields = { game = "key", place = "int" }
[entity.Score]
key = ["GAME#{match}", "{at}"]
fields = { match = "key", at = "time" }

[pattern.get_user]
get = "User"
[pattern.user_by_name]
get = "User"
on  = "GSI1"
[pattern.create_user]
create = "User"
[pattern.create_post]
create = "Post"
[pattern.first_post]
create = "Post"
set    = { rating = 5 }
[pattern.posts_of]
query  = "Post"
on     = "GSI1"
range  = "created_at"
filter = "rating >= {least}"
order  = "newest"
[pattern.feed]
query = "Post"
on    = "GSI2"
order = "newest"
[pattern.rename]
update = "Post"
set    = ["title"]
if     = "user_id = {me}"
[pattern.posts]
batch_get = "Post"
[pattern.following]
query = "Follow"
[pattern.ranks]
query = "Rank"
[pattern.home]
merge = { each = "following", run = "posts_of", with = { user_id = "{followed_id}" }, by = "created_at" }
[pattern.sign_up]
transaction = { user = "create_user", post = { run = "first_post", with = { user_id = "{user.user_id}" } } }
"#;

/// Returns designs with some lines removed, duplicated, moved or damaged.
fn damaged() -> impl Strategy<Value = String> {
    let lines: Vec<&'static str> = SOCIAL.lines().collect();
    let count = lines.len();
    let damage =
        (0..count, 0..5_u8, 0..count, any::<prop::sample::Index>(), "[\\[\\]{}\"'=,.#a-z0-9 é名]{0,3}");
    prop::collection::vec(damage, 1..6).prop_map(move |damages| {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        for (at, kind, other, place, text) in damages {
            let at = at % lines.len();
            let line = lines[at].clone();
            match kind {
                0 => lines[at].clear(),
                1 => lines.insert(at, line),
                2 => lines.swap(at, other % count),
                _ => {
                    let places: Vec<usize> = line.char_indices().map(|(at, _)| at).collect();
                    if !places.is_empty() {
                        lines[at].insert_str(places[place.index(places.len())], &text);
                    }
                }
            }
        }
        lines.join("\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_text_makes_the_loader_panic(text in "\\PC{0,200}|([a-z.\\[\\]={}\"#\n ]{0,200})") {
        if let Err(report) = load("any.toml", &text) {
            prop_assert!(!report.mistakes.is_empty());
            prop_assert!(!report.to_string().is_empty());
        }
    }

    #[test]
    fn no_damaged_design_makes_the_loader_panic(text in damaged()) {
        if let Err(report) = load("damaged.toml", &text) {
            prop_assert!(!report.mistakes.is_empty());
            prop_assert!(!report.to_string().is_empty());
        }
    }
}

#[test]
fn deep_nesting_and_long_chains_are_refused_not_followed() {
    let chain: String =
        (0..5_000).map(|at| format!("[pattern.p{at}]\nparts = {{ a = 'p{}' }}\n", at + 1)).collect();
    let source = format!(
        "design = 'deep'\n[table]\nkey = 'PK'\n[entity.A]\nkey = 'A'\nfields = {{ a = 'string' }}\n{chain}[pattern.p5000]\nget = 'A'\n"
    );
    let report = load("deep.toml", &source).unwrap_err();
    assert!(
        report.mistakes.iter().any(|mistake| mistake.message.contains("nested")),
        "{}",
        report.mistakes.len()
    );
    let nested = format!("design = {}", "[".repeat(100_000));
    assert!(load("nested.toml", &nested).is_err());
}

/// A design with one more of something than is allowed, and the message for it.
fn beyond_a_limit() -> Vec<(String, &'static str)> {
    let head = "design = \"large\"\n[table]\nkey = [\"PK\", \"SK\"]\n";
    let entity = "[entity.A]\nkey = [\"A#{id}\", \"A\"]\n";
    let many = |count: usize, each: &dyn Fn(usize) -> String| (0..count).map(each).collect::<String>();
    let entities = many(2_001, &|number| format!("[entity.E{number}]\nkey = [\"E\", \"E\"]\n"));
    let patterns = many(10_001, &|number| format!("[pattern.p{number}]\nget = \"A\"\n"));
    let fields = many(1_001, &|number| format!("f{number} = \"string\"\n"));
    let choices = many(1_001, &|number| format!("\"{number}\", "));
    let nested = format!("{}\"int\"{}", "{ type = \"list\", of = ".repeat(32), " }".repeat(32));
    let creates = many(101, &|number| format!("[pattern.p{number}]\ncreate = \"A\"\n"));
    let thousand = many(999, &|number| format!("f{number} = \"string\"\n"));
    vec![
        ("#".repeat(2 * 1024 * 1024 + 1), "the file has 2,097,153 bytes, but at most 2,097,152 are allowed"),
        ("\n".repeat(100_001), "the file has 100,001 lines, but at most 100,000 are allowed"),
        (format!("{head}{entities}"), "the design has 2,001 entities, but at most 2,000 are allowed"),
        (format!("{head}{patterns}"), "the design has 10,001 patterns, but at most 10,000 are allowed"),
        (
            format!("{head}{entity}[entity.A.fields]\n{fields}"),
            "`A` has 1,001 fields, but at most 1,000 are allowed",
        ),
        (
            format!("{head}{entity}fields.kind = {{ type = \"string\", enum = [{choices}] }}"),
            "`enum` has 1,001 enum values, but at most 1,000 are allowed",
        ),
        (
            format!("{head}[entity.A]\nkey = [\"{}\", \"A\"]\nfields = {{}}", "A".repeat(2_049)),
            "this template has 2,049 bytes, but at most 2,048 are allowed",
        ),
        (format!("{head}{entity}fields.deep = {nested}"), "fields can be nested at most 32 levels deep"),
        (
            format!("{head}{entity}[entity.A.fields]\nid = \"id\"\n{thousand}{creates}"),
            "with `p100`, the patterns have more than 100,000 parameters",
        ),
    ]
}

#[test]
fn a_design_beyond_a_limit_is_refused_with_the_limit_and_the_place() {
    for (source, message) in beyond_a_limit() {
        let report = load("large.toml", &source).unwrap_err();
        let messages: Vec<&str> = report.mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
        assert_eq!(messages, [message]);
        let mistake = &report.mistakes[0];
        assert!(mistake.span.start > 0 && mistake.help.is_some(), "{message}");
    }
}

#[test]
fn a_report_has_at_most_100_mistakes_and_says_that_there_are_more() {
    let head = "design = \"many\"\n[table]\nkey = [\"PK\", \"SK\"]\n[entity.A]\nkey = [\"A#{id}\", \"A\"]\nfields = { id = \"id\" }\n";
    let wrong = |count: usize| -> Vec<String> {
        let patterns = (0..count).map(|number| format!("[pattern.p{number}]\nget = \"B\"\n"));
        let source = format!("{head}{}", patterns.collect::<String>());
        load("many.toml", &source).unwrap_err().mistakes.into_iter().map(|mistake| mistake.message).collect()
    };
    assert!(wrong(100).iter().all(|message| message == "there is no entity `B`"));
    let messages = wrong(5_000);
    assert_eq!(messages.len(), 101);
    assert_eq!(messages[100], "there are more than 100 errors, and the others aren't listed");
}
