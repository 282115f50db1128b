//! Patterns: forms, answers, pages and requests.

use singlet_console::Permission;
use singlet_design::Json;

use crate::site::{FORUM, Site, links, words};

/// A forum with seven posts in one thread.
fn thread() -> Site {
    let site = Site::of(FORUM, Permission::Write);
    site.run("open", [("thread_id", Json::from("t1")), ("title", Json::from("Hello"))]);
    for number in 0..7 {
        let text = format!("text {number}");
        let author = if number % 2 == 0 { "mai" } else { "ada" };
        site.run(
            "write",
            [
                ("thread_id", Json::from("t1")),
                ("number", Json::from(number)),
                ("author", Json::from(author)),
                ("text", Json::from(text)),
            ],
        );
    }
    site
}

#[test]
fn a_form_has_an_input_of_the_right_kind_for_each_parameter() {
    let page = Site::forum().page("/console/forum/patterns/write/");
    for part in [
        "<textarea id=\"parameter-text\" name=\"text\"",
        "<select id=\"parameter-mood\" name=\"mood\"",
        "<option value=\"cross\">cross</option>",
        "name=\"number\" type=\"text\" inputmode=\"numeric\"",
        "<label for=\"parameter-author\">author<span class=\"required\">required</span></label>",
        "an integer between 0 and 999999",
        "default calm",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
}

#[test]
fn an_empty_form_offers_an_example_that_has_an_answer() {
    let site = thread();
    let form = site.page("/console/forum/patterns/posts/");
    let example = links(&form).into_iter().find(|link| link.contains("thread_id=")).expect("an example");
    assert!(site.page(&example).contains("text 0"));
}

#[test]
fn wrong_values_are_reported_at_their_fields() {
    let page = Site::forum().page("/console/forum/patterns/write/?number=many&author=a&thread_id=t&.limit=");
    assert!(page.contains("aria-invalid=\"true\""), "{page}");
    assert_eq!(page.matches("aria-invalid").count(), 2, "number is wrong and text is missing: {page}");
    assert!(page.contains("id=\"parameter-number-problem\""), "{page}");
    assert!(words(&page).contains("number must be an integer between 0 and 999999, not"), "{}", words(&page));
    assert!(page.contains("value=\"many\""), "the wrong value stays in the form");
    let page = Site::forum().page("/console/forum/patterns/posts/?thread_id=t&threads=1");
    assert!(words(&page).contains("threads"), "a parameter that the pattern doesn't have: {page}");
}

#[test]
fn every_page_of_a_list_has_an_address_and_no_item_is_lost_or_repeated() {
    let site = thread();
    let mut address = "/console/forum/patterns/posts/?thread_id=t1".to_owned();
    let mut seen = String::new();
    for _ in 0..3 {
        let page = site.page(&address);
        seen += &words(&page);
        match links(&page).into_iter().find(|link| link.contains(".cursor=")) {
            Some(_) if !page.contains("rel=\"next\"") => break,
            None => break,
            Some(_) => {
                let (_, rest) = page.split_once("rel=\"next\" href=\"").expect("the next page");
                address = rest.split('"').next().unwrap_or_default().replace("&amp;", "&");
            }
        }
    }
    for number in 0..7 {
        assert_eq!(seen.matches(&format!("text {number}")).count(), 1, "post {number} in {seen}");
    }
}

#[test]
fn an_answer_comes_with_its_requests_and_their_units() {
    let page = thread().page("/console/forum/patterns/by_author/?author=mai");
    let text = words(&page);
    for part in ["Query", "on GSI1", "as predicted", "KeyConditionExpression", "AUTHOR#mai"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    for part in [
        "singlet run design.toml by_author author=mai --endpoint-url=http://127.0.0.1:8000",
        "x-amz-target: DynamoDB_20120810.Query",
        "client.query(",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn the_views_of_an_answer_are_addresses() {
    let site = thread();
    let address = "/console/forum/patterns/thread/?thread_id=t1";
    let links = links(&site.page(address));
    assert!(links.contains(&format!("{address}&.view=json")), "{links:?}");
    assert!(site.page(&format!("{address}&.view=json")).contains("&quot;title&quot;: &quot;Hello&quot;"));
    assert!(words(&site.page("/console/forum/patterns/thread/?thread_id=none")).contains("No such item"));
}

#[test]
fn a_pattern_that_fails_says_why() {
    let page = thread().page("/console/forum/patterns/posts/?thread_id=t1&.cursor=made-up");
    assert!(words(&page).contains("the cursor"), "{page}");
    assert!(page.contains("role=\"alert\""), "{page}");
}

#[test]
fn an_answer_is_a_file_as_csv_and_as_json() {
    let site = Site::forum();
    for number in 1..=4 {
        let text = if number == 1 { "one, \"quoted\"".to_owned() } else { format!("text {number}") };
        let number = Json::Number(number.into());
        site.run(
            "write",
            [("thread_id", "t1".into()), ("number", number), ("author", "mai".into()), ("text", text.into())],
        );
    }
    let page = site.page("/console/forum/patterns/posts/?thread_id=t1");
    let files: Vec<String> = links(&page).into_iter().filter(|link| link.contains("export")).collect();
    assert_eq!(files.len(), 2, "{files:?}");
    let csv = site.get(&files[0]);
    assert_eq!(csv.headers["content-disposition"], "attachment; filename=\"posts.csv\"");
    let lines: Vec<&str> = csv.text.split("\r\n").collect();
    assert_eq!(lines.len(), 5, "a page of three: {}", csv.text);
    assert!(lines[1].contains("\"one, \"\"quoted\"\"\""), "{}", csv.text);
    let json: Json = site.get(&files[1]).text.parse().expect("JSON");
    assert_eq!(json.get("items").and_then(Json::as_list).map(<[Json]>::len), Some(3));
    let count = site.get("/console/forum/patterns/posts/?thread_id=none&.export=csv");
    assert_eq!(count.text, "\r\n", "no items have no columns");
}
