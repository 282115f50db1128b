//! Items are written by strangers: whatever they contain is shown as text.

use singlet_values::AttributeValue;

use crate::site::{Site, links, words};

const SCRIPT: &str = "</code></pre></textarea><script>alert(1)</script><img src=x onerror=alert(1)>\"'&{{";

fn hostile() -> Site {
    let site = Site::forum();
    for (number, text) in
        [(1, SCRIPT.to_owned()), (2, "a\u{202e}b\0c\u{200b}".to_owned()), (3, "é".repeat(190_000))]
    {
        site.put([
            ("PK", format!("THREAD#{SCRIPT}").into()),
            ("SK", format!("POST#{number:06}").into()),
            ("GSI1PK", format!("AUTHOR#{SCRIPT}").into()),
            ("GSI1SK", format!("{number:06}").into()),
            ("type", AttributeValue::from("Post")),
            ("thread_id", SCRIPT.into()),
            ("number", number.into()),
            ("author", SCRIPT.into()),
            ("text", text.into()),
            (SCRIPT, AttributeValue::from(SCRIPT)),
        ]);
    }
    // An item of no entity, with a type that is markup.
    site.put([("PK", SCRIPT.into()), ("SK", "\0\u{202e}".into()), ("type", AttributeValue::from(SCRIPT))]);
    site
}

/// Asserts that a page has no markup and no direction of the items' making.
fn check(address: &str, page: &str) {
    for markup in ["<script>", "<img", "onerror=alert(1)>", "\u{202e}", "\u{200b}", "\0"] {
        assert!(!page.contains(markup), "{markup:?} in {address}");
    }
}

#[test]
fn hostile_items_are_text_on_every_page() {
    let site = hostile();
    let mut seen = 0;
    for first in ["/console/forum/data/entity/Post/", "/console/forum/data/table/forum/"] {
        let list = site.page(first);
        check(first, &list);
        assert!(words(&list).contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{list}");
        for link in links(&list).into_iter().filter(|link| link.contains("/data/item/")) {
            let item = site.page(&link);
            check(&link, &item);
            for link in links(&item).into_iter().filter(|link| link.contains("/data/collection/")) {
                check(&link, &site.page(&link));
                seen += 1;
            }
        }
    }
    assert!(seen >= 8, "{seen} partitions");
}

#[test]
fn hostile_items_and_arguments_are_text_in_every_view_of_a_pattern() {
    let site = hostile();
    // Only encoded, so that the value arrives as it is.
    let value: String = SCRIPT.bytes().map(|byte| format!("%{byte:02X}")).collect();
    for view in ["table", "cards", "json"] {
        for (pattern, parameter) in [("posts", "thread_id"), ("by_author", "author"), ("thread", "thread_id")]
        {
            let address = format!("/console/forum/patterns/{pattern}/?{parameter}={value}&.view={view}");
            check(&address, &site.page(&address));
        }
    }
    let address = format!("/console/forum/patterns/open/?thread_id={value}&title={value}&nothing={value}");
    check(&address, &site.page(&address));
    let address = format!("/console/-/search/?q={value}");
    check(&address, &site.page(&address));
}

#[test]
fn a_long_text_makes_no_long_page() {
    let list = hostile().page("/console/forum/data/entity/Post/");
    assert!(list.len() < 40_000, "{} bytes", list.len());
    assert!(list.contains("190,000 characters"), "{list}");
}
