//! The routes of designs: derived from entity and key, or given by `path`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use singlet_design::{Design, PathSegment, load};

const NOTES: &str = r##"
design = "notes"

[table]
key = ["PK", "SK"]

[entity.User]
key    = ["USER#{user_id}", "PROFILE"]
fields = { user_id = "id", name = "string" }

[entity.Note]
key    = ["USER#{user_id}", "NOTE#{note_id}"]
fields = { user_id = "key", note_id = "id", text = "string", tags = { type = "list", of = "string" } }

[pattern.get_note]
get = "Note"

[pattern.step]
delete   = "Note"
internal = true

[pattern.save_note]
put = "Note"
"##;

fn designs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../designs");
    let entries = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    files.sort();
    files
}

fn design(file: &Path) -> Design {
    load("design.toml", &std::fs::read_to_string(file).unwrap()).unwrap()
}

/// `VERB PATH` of a pattern.
fn route(design: &Design, pattern: &str) -> String {
    let route = design.route(pattern).unwrap();
    format!("{:?} {}", route.verb, route.path_text())
}

/// The messages about a design that is the notes with more text.
fn mistakes(more: &str) -> Vec<String> {
    let report = load("notes.toml", &format!("{NOTES}\n{more}")).unwrap_err();
    report.mistakes.into_iter().map(|mistake| mistake.message).collect()
}

#[test]
fn every_callable_pattern_of_every_design_has_a_place_of_its_own() {
    let files = designs();
    assert!(files.len() >= 5, "{files:?}");
    for file in files {
        let design = design(&file);
        let names: Vec<&str> = design.callable().map(|pattern| pattern.name.as_str()).collect();
        let routed: Vec<&str> = design.routes.iter().map(|route| route.pattern.as_str()).collect();
        assert_eq!(names, routed, "{}", file.display());
        let mut places = BTreeSet::new();
        for route in &design.routes {
            let erased = route.path.iter().map(|segment| match segment {
                PathSegment::Literal(text) => text.as_str(),
                PathSegment::Parameter(_) => "{}",
            });
            let place = (route.verb, erased.collect::<Vec<_>>().join("/"));
            assert!(places.insert(place), "{}: {}", file.display(), route.path_text());
            let pattern = design.pattern(&route.pattern).unwrap();
            for name in route.parameters() {
                assert!(pattern.parameter(name).is_some_and(|parameter| parameter.required), "{name}");
            }
        }
    }
}

#[test]
fn paths_follow_from_entities_and_keys() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../designs");
    let social = design(&root.join("social.toml"));
    for (pattern, expected) in [
        ("create_user", "Submit /users"),
        ("get_user", "Read /users/{userId}"),
        ("user_by_name", "Read /usernames/{username}/user"),
        ("change_user", "Change /users/me"),
        ("mark_viral", "Change /posts/{postId}/mark-viral"),
        ("comment", "Submit /posts/{postId}/comments"),
        ("post_comments", "Read /posts/{postId}/comments"),
        ("delete_comment", "Remove /posts/{postId}/comments/{createdAt}/{commentId}"),
        ("user_posts", "Read /users/{userId}/posts"),
        ("global_feed", "Read /global-feed"),
        ("home_feed", "Read /users/me/home-feed"),
        ("like", "Submit /posts/{postId}/likes"),
        ("unlike", "Remove /posts/{postId}/likes/me"),
        ("post_page", "Read /posts/{postId}/page"),
    ] {
        assert_eq!(route(&social, pattern), expected, "{pattern}");
    }
    let shop = design(&root.join("shop.toml"));
    for (pattern, expected) in [
        ("order_by_id", "Read /orders/{order_id}"),
        ("add_order_item", "Submit /orders/{order_id}/order-items"),
        ("cancel_order", "Change /customers/{customer_id}/orders/{order_id}/cancel"),
        ("put_into_category", "Replace /products/{product_id}/categories/{category_name}"),
        ("save_address", "Submit /customers/{customer_id}/addresses"),
        ("search_products", "Read /search-products"),
    ] {
        assert_eq!(route(&shop, pattern), expected, "{pattern}");
    }
}

#[test]
fn a_pattern_can_give_its_path_and_takes_it_from_a_derived_one() {
    let given = NOTES.replace("put = \"Note\"", "put = \"Note\"\npath = \"/notebook/{user_id}\"");
    let design = load("notes.toml", &given).unwrap();
    assert_eq!(route(&design, "save_note"), "Replace /notebook/{user_id}");
    assert_eq!(route(&design, "get_note"), "Read /users/{user_id}/notes/{note_id}");

    let more = "[pattern.look]\nget = \"Note\"\npath = \"/users/{user_id}/notes/{note_id}\"";
    let design = load("notes.toml", &format!("{NOTES}\n{more}")).unwrap();
    assert_eq!(route(&design, "look"), "Read /users/{user_id}/notes/{note_id}");
    assert_eq!(route(&design, "get_note"), "Read /users/{user_id}/notes/{note_id}/get");
}

#[test]
fn objects_and_lists_of_objects_are_given_in_a_body() {
    let more = "[pattern.some_notes]\nbatch_get = \"Note\"";
    let design = load("notes.toml", &format!("{NOTES}\n{more}")).unwrap();
    assert_eq!(route(&design, "some_notes"), "Submit /some-notes");
}

#[test]
fn conflicts_between_paths_and_paths_that_are_none_are_mistakes() {
    let path = |path: &str| format!("[pattern.look]\nget = \"Note\"\npath = \"{path}\"");
    for (given, message) in [
        ("users", "`users` isn't a path"),
        ("/", "`/` isn't a path"),
        ("/users//x", "`/users//x` isn't a path"),
        ("/../x", "`/../x` isn't a path"),
        ("/a b", "`/a b` isn't a path"),
        ("/{usr_id}", "`look` has no parameter `usr_id`"),
        ("/{user_id}/{user_id}", "`{user_id}` appears twice in the path"),
        ("/docs", "`/docs` can't be the path of a pattern: it describes the design"),
    ] {
        assert_eq!(mistakes(&path(given)), [message], "{given}");
    }
    let twice = format!("{}\n[pattern.see]\nget = \"Note\"\npath = \"/n/{{note_id}}\"", path("/n/{user_id}"));
    assert_eq!(mistakes(&twice), ["`see` and `look` have the same path"]);
    let optional = "[pattern.change]\nupdate = \"Note\"\nset = [\"text\"]\npath = \"/n/{text}\"";
    assert_eq!(mistakes(optional), ["`{text}` can't be in a path: it is optional, or not a single value"]);
    let internal = "[pattern.look]\nget = \"Note\"\ninternal = true\npath = \"/x\"";
    assert_eq!(mistakes(internal), ["`look` is internal and can't have a path"]);
}

#[test]
fn a_design_cant_have_the_name_of_a_page_of_the_server() {
    for name in ["console", "health", "metrics"] {
        let renamed = NOTES.replace("design = \"notes\"", &format!("design = \"{name}\""));
        let report = load("notes.toml", &renamed).unwrap_err();
        let expected =
            format!("`{name}` can't be the name of a design: a server has its own page at `/{name}`");
        assert_eq!(report.mistakes.first().unwrap().message, expected);
    }
}
