//! Forms of items show what they would write, write it once, and overwrite nothing that wasn't seen.

use axum::http::StatusCode;
use singlet_console::Permission;
use singlet_design::Json;

use crate::site::{FORUM, Site, form, input, links, words};

const POST: &str = "/console/forum/data/item/?table=forum&key=S%3ATHREAD%23t1&key=S%3APOST%23000001";
const CHANGE: &str = "/console/forum/data/item/change/?table=forum&key=S%3ATHREAD%23t1&key=S%3APOST%23000001";
const DELETE: &str = "/console/forum/data/item/delete/?table=forum&key=S%3ATHREAD%23t1&key=S%3APOST%23000001";

fn with_post() -> Site {
    let site = Site::forum();
    write_post(&site, "hello");
    site
}

fn write_post(site: &Site, text: &str) {
    let number = Json::Number(1.into());
    let values =
        [("thread_id", "t1".into()), ("number", number), ("author", "mai".into()), ("text", text.into())];
    site.run("write", values);
}

#[test]
fn a_change_is_shown_with_the_keys_that_follow_and_then_saved() {
    let site = with_post();
    assert!(links(&site.page(POST)).contains(&CHANGE.to_owned()), "{}", site.page(POST));
    let editor = site.get(CHANGE);
    assert!(!editor.text.contains("id=\"field-number\""), "the key can't be set: {}", editor.text);
    let values = [("author", "ada"), ("text", "hello"), ("mood", "calm")];
    let preview = site.post(CHANGE, &editor.cookie(), &form(&editor.text, &values));
    let text = words(&preview.text);
    assert!(text.contains("What would be written") && text.contains("AUTHOR#ada"), "{text}");
    assert!(words(&site.page(POST)).contains("AUTHOR#mai"), "nothing is written yet");

    let cookie = editor.cookie();
    let saved = site.post(CHANGE, &cookie, &form(&preview.text, &[(".step", "save")]));
    assert_eq!(saved.status, StatusCode::SEE_OTHER, "{}", saved.text);
    let page = site.page(saved.headers["location"].to_str().expect("text"));
    assert!(words(&page).contains("The item was changed.") && words(&page).contains("AUTHOR#ada"), "{page}");
}

#[test]
fn an_item_that_somebody_else_has_changed_is_shown_beside_the_form() {
    let site = with_post();
    let editor = site.get(CHANGE);
    let values = [("author", "ada"), ("text", "hello"), ("mood", "calm")];
    let preview = site.post(CHANGE, &editor.cookie(), &form(&editor.text, &values));
    write_post(&site, "theirs");
    let cookie = editor.cookie();
    let refused = site.post(CHANGE, &cookie, &form(&preview.text, &[(".step", "save")]));
    let text = words(&refused.text);
    assert!(text.contains("Somebody else has changed the item") && text.contains("theirs"), "{text}");

    let again = site.post(CHANGE, &cookie, &form(&refused.text, &[(".step", "preview")]));
    let text = words(&again.text);
    assert!(text.contains("AUTHOR#ada") && !text.contains("hello"), "only the own change: {text}");
    let saved = site.post(CHANGE, &cookie, &form(&again.text, &[(".step", "save")]));
    assert_eq!(saved.status, StatusCode::SEE_OTHER, "{}", saved.text);
    let page = words(&site.page(POST));
    assert!(page.contains("theirs") && page.contains("AUTHOR#ada"), "{page}");
}

#[test]
fn wrong_values_are_named_beside_their_inputs() {
    let site = with_post();
    let editor = site.get(CHANGE);
    let values = [("author", ""), ("text", "x"), ("mood", "wild")];
    let refused = site.post(CHANGE, &editor.cookie(), &form(&editor.text, &values));
    assert!(refused.text.contains("id=\"field-author-problem\""), "{}", refused.text);
    assert!(refused.text.contains("id=\"field-mood-problem\""), "{}", refused.text);
}

#[test]
fn an_item_is_created_once_and_deleted() {
    let site = Site::forum();
    let address = "/console/forum/data/entity/Thread/new/";
    let editor = site.get(address);
    assert!(!editor.text.contains("name=\"posts\""), "an internal field: {}", editor.text);
    let preview =
        site.post(address, &editor.cookie(), &form(&editor.text, &[("thread_id", "t9"), ("title", "<b>")]));
    let save = form(&preview.text, &[(".step", "save"), ("title", "<b>")]);
    let saved = site.post(address, &editor.cookie(), &save);
    assert_eq!(saved.status, StatusCode::SEE_OTHER, "{}", saved.text);
    let item = saved.headers["location"].to_str().expect("text").to_owned();
    assert!(words(&site.page(&item)).contains("&lt;b&gt;"));
    let again = site.post(address, &editor.cookie(), &save);
    assert!(words(&again.text).contains("Thread is there already"), "{}", again.text);

    let delete = links(&site.page(&item)).into_iter().find(|link| link.contains("/delete/")).expect("a link");
    let page = site.get(&delete);
    let deleted = site.post(&delete, &page.cookie(), &form(&page.text, &[]));
    assert_eq!(deleted.status, StatusCode::SEE_OTHER, "{}", deleted.text);
    assert!(words(&site.page(&item)).contains("No such item"));
}

#[test]
fn a_delete_of_an_item_that_has_changed_shows_it_again() {
    let site = with_post();
    let page = site.get(DELETE);
    write_post(&site, "theirs");
    let refused = site.post(DELETE, &page.cookie(), &form(&page.text, &[]));
    let text = words(&refused.text);
    assert!(text.contains("somebody else has changed") && text.contains("theirs"), "{text}");
    assert!(words(&site.page(POST)).contains("theirs"));
}

#[test]
fn a_form_without_the_token_of_its_session_writes_nothing() {
    let site = with_post();
    let editor = site.get(CHANGE);
    let values = [("author", "ada"), ("text", "hello"), ("mood", "calm")];
    let preview = site.post(CHANGE, &editor.cookie(), &form(&editor.text, &values));
    let stranger = site.get(CHANGE).cookie();
    assert!(!input(&preview.text, ".token").is_empty());
    for (cookie, token) in [(stranger.as_str(), input(&preview.text, ".token")), ("", String::new())] {
        let save = form(&preview.text, &[(".step", "save"), (".token", &token)]);
        assert_eq!(site.post(CHANGE, cookie, &save).status, StatusCode::FORBIDDEN);
        assert_eq!(site.post(DELETE, cookie, &save).status, StatusCode::FORBIDDEN);
    }
    assert!(words(&site.page(POST)).contains("AUTHOR#mai"));
}

#[test]
fn a_console_that_only_reads_has_no_forms_of_items() {
    let site = Site::of(FORUM, Permission::ReadOnly);
    write_post(&site, "hello");
    assert!(
        links(&site.page(POST)).iter().all(|link| !link.contains("/change/") && !link.contains("/delete/"))
    );
    for address in [CHANGE, DELETE, "/console/forum/data/entity/Thread/new/"] {
        assert_eq!(site.get(address).status, StatusCode::FORBIDDEN, "{address}");
        assert_eq!(site.post(address, "", ".step=save").status, StatusCode::FORBIDDEN, "{address}");
    }
}

#[test]
fn lists_that_were_read_through_an_index_offer_no_form() {
    let site = with_post();
    let list = site.page("/console/forum/data/collection/?table=forum&index=GSI1&key=S%3AAUTHOR%23mai");
    assert!(!list.contains("method=\"post\"") && !list.contains("/change/"), "{list}");
    assert!(links(&list).contains(&POST.to_owned()), "the item's own page reads it whole");
}

const JSON: &str = "/console/forum/data/item/json/?table=forum&key=S%3ATHREAD%23t1&key=S%3APOST%23000001";

/// The text of the editor of an item.
fn json(page: &str) -> String {
    let (_, rest) = page.split_once("autocomplete=\"off\">\n").expect("the editor");
    rest.split("</textarea>").next().unwrap_or_default().replace("&quot;", "\"").replace("&lt;", "<")
}

#[test]
fn the_stored_item_is_edited_as_json_past_the_design() {
    let site = with_post();
    let editor = site.get(JSON);
    let text =
        json(&editor.text).replace("\"hello\"", "\"<raw>\"").replace("\"AUTHOR#mai\"", "\"AUTHOR#any\"");
    let preview = site.post(JSON, &editor.cookie(), &form(&editor.text, &[("json", &text)]));
    let shown = words(&preview.text);
    assert!(shown.contains("AUTHOR#any") && shown.contains("&lt;raw&gt;"), "{shown}");
    assert!(words(&site.page(POST)).contains("hello"), "nothing is written yet");
    let save = form(&preview.text, &[(".step", "save"), ("json", &text)]);
    assert_eq!(site.post(JSON, "", &save).status, StatusCode::FORBIDDEN);
    let saved = site.post(JSON, &editor.cookie(), &save);
    assert_eq!(saved.status, StatusCode::SEE_OTHER, "{}", saved.text);
    let page = words(&site.page(POST));
    assert!(page.contains("&lt;raw&gt;") && page.contains("AUTHOR#any"), "keys don't follow: {page}");

    let late = site.post(JSON, &editor.cookie(), &save);
    assert!(words(&late.text).contains("Somebody else has changed the item"), "{}", late.text);
}

#[test]
fn json_that_is_no_such_item_is_refused_with_the_reason() {
    let site = with_post();
    let editor = site.get(JSON);
    for (text, part) in [
        ("{", " at "),
        (r#"{"PK": {"S": "other"}, "SK": {"S": "POST#000001"}}"#, "is in the key"),
        (r#"{"PK": {"Q": "x"}}"#, "there is no type"),
    ] {
        let refused = site.post(JSON, &editor.cookie(), &form(&editor.text, &[("json", text)]));
        assert!(words(&refused.text).contains(part), "{text}: {}", words(&refused.text));
    }
    let delete = form(&editor.text, &[(".step", "delete"), ("json", "")]);
    assert_eq!(site.post(JSON, &editor.cookie(), &delete).status, StatusCode::SEE_OTHER);
    assert!(words(&site.page(POST)).contains("No such item"));
}
