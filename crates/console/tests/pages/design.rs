//! The pages of a design, and the search.

use singlet_console::Permission;

use crate::site::{FORUM, Site, links, words};

#[test]
fn the_overview_has_the_figures_of_each_design() {
    let page = Site::forum().seeded(30).page("/console/");
    let text = words(&page);
    for part in ["forum", "Threads and their posts", "RU/s", "Items in"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(page.contains("<dt>items</dt><dd>30</dd>"), "{page}");
}

#[test]
fn a_table_that_was_not_created_is_no_error() {
    let source = FORUM.replace("[table]", "[table]\nname = \"elsewhere\"");
    let design = std::sync::Arc::new(singlet_design::load("forum.toml", &source).expect("a design"));
    let site = Site::forum();
    let runner = singlet_run::Runner::new(design, site.store.clone(), "dev");
    let router = singlet_console::router(
        vec![singlet_console::Served::new(runner, "forum.toml")],
        Permission::ReadOnly,
    );
    let site = Site { router, ..site };
    assert!(words(&site.page("/console/")).contains("not created"));
    assert!(words(&site.page("/console/forum/data/")).contains("not created"));
    assert!(words(&site.page("/console/forum/patterns/posts/")).contains("Parameters"));
    let answer = site.get("/console/forum/data/entity/Post/");
    assert!(words(&answer.text).contains("The database refused"), "{}", answer.text);
}

#[test]
fn findings_stand_below_their_lines_with_the_change_that_mends_them() {
    let source =
        FORUM.replace("GSI1 = [\"AUTHOR#{author}\", ", "GSI1 = [\"POSTS\", ").replace("5/s", "2000/s");
    let source = source.replace("on = \"GSI1\"", "on = \"GSI1\"\nkey = [\"POSTS\"]");
    let page = Site::of(&source, Permission::Write).page("/console/forum/file/");
    let text = words(&page);
    let finding = text.rfind("hot-write").unwrap_or_else(|| panic!("{text}"));
    let line =
        text.find("GSI1 = [\"POSTS\"").or_else(|| text.find("GSI1 = [&quot;POSTS&quot;")).expect("the line");
    assert!(line < finding, "{text}");
    assert!(page.contains("class=\"finding error\""), "{page}");
    assert!(page.contains("<ins>+ "), "a change: {page}");
}

#[test]
fn the_pattern_table_has_rates_bounds_keys_and_costs() {
    let text = words(&Site::forum().page("/console/forum/patterns/"));
    for part in
        ["posts", "20/s", "PK = THREAD#{thread_id} and begins_with(SK, POST#)", "RU", "WU", "Query GSI1"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn the_diagram_is_a_picture_a_file_and_a_table() {
    let site = Site::forum();
    let page = site.page("/console/forum/diagram/");
    assert!(page.contains("<svg class=\"er\"") && words(&page).contains("posts ≈ 20"), "{page}");
    let file = site.get("/console/forum/diagram.svg");
    assert_eq!(file.headers["content-type"], "image/svg+xml; charset=utf-8");
    assert!(file.text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""), "{}", file.text);
    assert!(!file.text.contains("<a "), "a file has no links into the console");
}

#[test]
fn the_search_finds_entities_patterns_and_keys_with_and_without_a_script() {
    let site = Site::forum();
    for (query, link) in [
        ("post+entity", "/console/forum/data/entity/Post/"),
        ("BY_author", "/console/forum/patterns/by_author/"),
        ("AUTHOR%23", "/console/forum/data/entity/Post/"),
    ] {
        let page = site.page(&format!("/console/-/search/?q={query}"));
        assert!(links(&page).contains(&link.to_owned()), "{query}: {page}");
    }
    assert!(words(&site.page("/console/-/search/?q=nothing-like-it")).contains("Nothing found"));
    let index = site.get("/console/-/index.json");
    assert_eq!(index.headers["content-type"], "application/json");
    assert!(
        index
            .text
            .parse::<singlet_design::Json>()
            .expect("JSON")
            .as_list()
            .is_some_and(|list| list.len() == 8)
    );
}
