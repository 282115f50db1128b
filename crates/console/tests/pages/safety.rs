//! Pages and writes are safe from other sites.

use axum::http::StatusCode;
use singlet_console::Permission;
use singlet_design::Json;

use crate::site::{FORUM, Site, input, links};

const PREVIEW: &str = "/console/forum/patterns/open/?thread_id=t1&title=Hello";

fn threads(site: &Site) -> usize {
    site.page("/console/forum/data/entity/Thread/").matches(">open<").count()
}

#[test]
fn pages_allow_nothing_but_the_files_of_the_console() {
    let site = Site::forum().seeded(30);
    for address in ["/console/", "/console/forum/", "/console/forum/file/", PREVIEW, "/console/nothing/"] {
        let answer = site.get(address);
        let policy = answer.headers["content-security-policy"].to_str().expect("text");
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
        assert_eq!(answer.headers["cache-control"], "no-store");
        for inline in ["<style", " style=\"", " onclick=", "javascript:"] {
            assert!(!answer.text.contains(inline), "{inline} in {address}");
        }
        assert_eq!(
            answer.text.matches("<script").count(),
            answer.text.matches("<script type=\"module\" src=").count()
        );
    }
}

#[test]
fn assets_are_kept_by_browsers_under_the_name_of_their_content() {
    let site = Site::forum();
    let page = site.page("/console/");
    let assets: Vec<String> = links(&page).into_iter().filter(|link| link.contains("/assets/")).collect();
    assert_eq!(assets.len(), 3, "{assets:?}");
    for asset in assets {
        let answer = site.get(&asset);
        assert_eq!(answer.status, StatusCode::OK, "{asset}");
        assert_eq!(answer.headers["cache-control"], "public, max-age=31536000, immutable");
        assert!(!answer.text.contains("http://") || asset.ends_with("icon.svg"), "{asset} needs the network");
    }
    assert_eq!(site.get("/console/-/assets/other/console.css").status, StatusCode::NOT_FOUND);
}

#[test]
fn a_write_is_shown_first_and_done_by_its_own_form() {
    let site = Site::forum();
    let preview = site.get(PREVIEW);
    assert!(
        preview.text.contains("What it would write") && preview.text.contains("Write it"),
        "{}",
        preview.text
    );
    assert_eq!(threads(&site), 0, "a GET writes nothing");

    let form = format!(".token={}", input(&preview.text, ".token"));
    let cookie = preview.headers["set-cookie"].to_str().expect("text");
    assert!(cookie.contains("SameSite=Strict") && cookie.contains("HttpOnly"), "{cookie}");
    let written = site.post(PREVIEW, &preview.cookie(), &form);
    assert_eq!(written.status, StatusCode::OK, "{}", written.text);
    assert!(written.text.contains(">Written<"), "{}", written.text);
    assert_eq!(threads(&site), 1);

    let again = site.post(PREVIEW, &preview.cookie(), &form);
    assert!(again.text.contains("Thread is there already"), "{}", again.text);
}

#[test]
fn a_write_writes_exactly_the_shown_values() {
    let site = Site::forum();
    let address = "/console/forum/patterns/open/?thread_id=t1&title=a%00b%0D%0Ac%22%3C%C2%AD";
    let preview = site.get(address);
    let (_, action) =
        preview.text.split_once("<form class=\"confirm\" method=\"post\" action=\"").expect("a form");
    let action = action.split('"').next().unwrap_or_default().replace("&amp;", "&");
    let form = format!(".token={}", input(&preview.text, ".token"));
    assert_eq!(site.post(&action, &preview.cookie(), &form).status, StatusCode::OK);
    let thread = site.run("thread", [("thread_id", Json::from("t1"))]);
    assert_eq!(thread.get("title").and_then(Json::as_text), Some("a\0b\nc\"<\u{ad}"));
}

#[test]
fn a_write_without_the_token_of_its_session_is_refused() {
    let site = Site::forum();
    let preview = site.get(PREVIEW);
    let token = input(&preview.text, ".token");
    let stranger = site.get(PREVIEW).cookie();
    for (cookie, token) in
        [(preview.cookie(), ""), (stranger, token.as_str()), (String::new(), token.as_str())]
    {
        let form = format!(".token={token}");
        let answer = site.post(PREVIEW, &cookie, &form);
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{}", answer.text);
    }
    assert_eq!(threads(&site), 0);
}

#[test]
fn a_console_that_only_reads_writes_nothing() {
    let site = Site::of(FORUM, Permission::ReadOnly);
    let preview = site.get(PREVIEW);
    assert!(preview.text.contains("only reads") && !preview.text.contains("Write it"), "{}", preview.text);
    let cookie = preview.cookie();
    let answer = site.post(PREVIEW, &cookie, ".token=x");
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    assert_eq!(threads(&site), 0);
}
