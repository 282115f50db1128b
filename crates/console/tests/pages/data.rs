//! Items: by entity, by table, by partition, and alone.

use axum::http::StatusCode;
use singlet_values::AttributeValue;

use crate::site::{Site, links, words};

fn put_post(site: &Site, thread: &str, number: i64, author: &str) {
    site.put([
        ("PK", format!("THREAD#{thread}").into()),
        ("SK", format!("POST#{number:06}").into()),
        ("GSI1PK", format!("AUTHOR#{author}").into()),
        ("GSI1SK", format!("{number:06}").into()),
        ("type", AttributeValue::from("Post")),
        ("thread_id", thread.into()),
        ("number", number.into()),
        ("author", author.into()),
        ("text", format!("text {number}").into()),
    ]);
}

fn put_thread(site: &Site, thread: &str) {
    site.put([
        ("PK", format!("THREAD#{thread}").into()),
        ("SK", "THREAD".into()),
        ("type", AttributeValue::from("Thread")),
        ("thread_id", thread.into()),
        ("title", "Hello".into()),
    ]);
}

/// Follows the links to the next page, and returns all pages.
fn pages(site: &Site, first: &str) -> Vec<String> {
    let mut found = vec![site.page(first)];
    while let Some((_, rest)) = found.last().and_then(|page| page.split_once("rel=\"next\" href=\"")) {
        let address = rest.split('"').next().unwrap_or_default().replace("&amp;", "&");
        found.push(site.page(&address));
        assert!(found.len() < 100, "the pages have no end");
    }
    found
}

#[test]
fn the_pages_of_an_entity_read_a_bounded_number_of_items_and_find_all() {
    let site = Site::forum();
    for number in 0..1_300 {
        put_post(&site, &format!("t{}", number % 40), number, "mai");
    }
    put_thread(&site, "t1");
    put_thread(&site, "t39");
    let pages = pages(&site, "/console/forum/data/entity/Thread/");
    assert_eq!(pages.len(), 2, "1,000 items a page");
    assert!(words(&pages[0]).contains("1,000 read"), "{}", words(&pages[0]));
    assert_eq!(pages.iter().map(|page| page.matches(">open<").count()).sum::<usize>(), 2);
}

#[test]
fn the_pages_of_a_table_and_of_a_partition_have_every_item_once() {
    let site = Site::forum();
    put_thread(&site, "t1");
    (0..120).for_each(|number| put_post(&site, "t1", number, "mai"));
    for first in [
        "/console/forum/data/table/forum/",
        "/console/forum/data/collection/?table=forum&key=S%3ATHREAD%23t1",
        "/console/forum/data/collection/?table=forum&key=S%3ATHREAD%23t1&order=descending",
        "/console/forum/data/collection/?table=forum&index=GSI1&key=S%3AAUTHOR%23mai",
    ] {
        let pages = pages(&site, first);
        assert_eq!(pages.len(), 3, "{first}");
        let text: String = pages.iter().map(|page| words(page)).collect();
        for number in 0..120 {
            assert_eq!(text.matches(&format!("text {number} ")).count(), 1, "{number} in {first}: {text}");
        }
    }
}

#[test]
fn a_partition_is_a_tree_of_entities_in_the_order_of_its_sort_keys() {
    let site = Site::forum();
    put_thread(&site, "t1");
    put_post(&site, "t1", 2, "mai");
    put_post(&site, "t1", 1, "ada");
    let page = site.page("/console/forum/data/collection/?place=forum&text=THREAD%23t1");
    let text = words(&page);
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} in {text}"));
    assert!(at("2 items") < at("POST#000001") && at("POST#000001") < at("POST#000002"), "{text}");
    assert!(at("POST#000002") < at("THREAD "), "{text}");
    assert!(page.contains("<span class=\"field\" title=\"thread_id\"><bdi>t1</bdi></span>"), "{page}");
    let narrowed = site.page("/console/forum/data/collection/?table=forum&key=S%3ATHREAD%23t1&entity=Post");
    assert!(!words(&narrowed).contains("title:") && words(&narrowed).contains("POST#000001"), "{narrowed}");
}

#[test]
fn references_are_links_in_both_directions() {
    let site = Site::forum();
    put_thread(&site, "t1");
    put_post(&site, "t1", 1, "mai");
    let post = site.page("/console/forum/data/item/?table=forum&key=S%3ATHREAD%23t1&key=S%3APOST%23000001");
    let thread = "/console/forum/data/item/?table=forum&key=S%3ATHREAD%23t1&key=S%3ATHREAD";
    assert!(links(&post).contains(&thread.to_owned()), "{post}");
    let by_author = "/console/forum/data/collection/?table=forum&index=GSI1&key=S%3AAUTHOR%23mai";
    assert!(links(&post).contains(&by_author.to_owned()), "{post}");
    let thread = site.page(thread);
    let posts = "/console/forum/data/collection/?table=forum&key=S%3ATHREAD%23t1&entity=Post";
    assert!(links(&thread).contains(&posts.to_owned()), "{thread}");
    assert!(words(&thread).contains("about 20"), "{thread}");
}

#[test]
fn damaged_addresses_are_refused_in_words() {
    let site = Site::forum();
    for (query, part) in [
        ("item/?table=forum&key=S%3Aa", "has 2 parts"),
        ("item/?table=none&key=S%3Aa", "no table"),
        ("item/?table=forum&key=Q%3Aa&key=S%3Ab", "looks like"),
        ("collection/?table=forum&index=GSI9&key=S%3Aa", "no index"),
        ("table/forum/?after=%7B", "is damaged"),
        ("collection/?table=forum&key=N%3A1", "type"),
    ] {
        let answer = site.get(&format!("/console/forum/data/{query}"));
        assert!(
            matches!(answer.status, StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND),
            "{query}: {}",
            answer.status
        );
        assert!(words(&answer.text).contains(part), "{query}: {}", words(&answer.text));
    }
    let missing = site.page("/console/forum/data/item/?table=forum&key=S%3Aa&key=S%3Ab");
    assert!(words(&missing).contains("No such item"));
}
