//! Pages as of a moment, restores, changes and backups.

use axum::http::StatusCode;
use singlet_design::{Json, time_of_ms};

use crate::site::{NOW_MS, Site, form, links, words};

const ITEM: &str = "data/item/?table=forum&key=S%3ATHREAD%23t1&key=S%3APOST%23000001";
const PARTITION: &str = "data/collection/?table=forum&key=S%3ATHREAD%23t1";

fn write_post(site: &Site, number: i64, text: &str) {
    site.clock.advance_ms(1_000);
    let number = Json::Number(number.into());
    let values =
        [("thread_id", "t1".into()), ("number", number), ("author", "mai".into()), ("text", text.into())];
    site.run("write", values);
}

/// A forum whose first post was changed, and whose second one was written later, with the time between.
fn changed() -> (Site, String) {
    let site = Site::forum_with_past();
    write_post(&site, 1, "first text");
    site.clock.advance_ms(1_000);
    let then = format!("/console/forum%40{}/", time_of_ms(NOW_MS + 1_500).replace(':', "%3A"));
    write_post(&site, 1, "second text");
    write_post(&site, 2, "another post");
    (site, then)
}

#[test]
fn every_page_of_items_shows_them_as_they_were() {
    let (site, then) = changed();
    for page in [ITEM, PARTITION, "data/entity/Post/", "data/table/forum/"] {
        let past = words(&site.page(&format!("{then}{page}")));
        assert!(past.contains("first text") && past.contains("As of"), "{page}: {past}");
        assert!(!past.contains("another post"), "{page}: {past}");
        let now = words(&site.page(&format!("/console/forum/{page}")));
        assert!(now.contains("second text") && !now.contains("first text"), "{page}: {now}");
    }
    let page = site.page(&format!("{then}{PARTITION}"));
    let item = links(&page).into_iter().find(|link| link.contains("/data/item/")).expect("a link");
    assert!(item.starts_with(&then), "links stay at the moment: {item}");
    assert!(!page.contains("/change/"), "the past can't be changed");
}

#[test]
fn a_moment_is_chosen_by_a_form_and_leads_to_the_same_page() {
    let (site, then) = changed();
    let to = &time_of_ms(NOW_MS + 1_500)[..23];
    let address = format!("/console/forum/data/at/?to={to}&page=data%2Fentity%2FPost%2F");
    let answer = site.get(&address);
    assert_eq!(answer.headers["location"], format!("{then}data/entity/Post/").as_str());
    for (query, part) in [("to=yesterday&page=data%2F", "A moment is"), ("page=x", "A moment is")] {
        let refused = site.get(&format!("/console/forum/data/at/?{query}"));
        assert!(words(&refused.text).contains(part), "{}", refused.text);
    }
    let elsewhere = site.get(&format!("/console/forum/data/at/?to={to}&page=%2F%2Fexample.com"));
    assert_eq!(elsewhere.headers["location"], format!("{then}data/").as_str());
    let early = site.get("/console/forum%402020-01-01T00%3A00%3A00Z/data/table/forum/");
    assert!(words(&early.text).contains("outside of the recovery window"), "{}", early.text);
}

#[test]
fn one_item_is_restored_and_an_item_that_changed_again_is_not() {
    let (site, then) = changed();
    let restore = format!("{then}{}", ITEM.replace("item/", "item/restore/"));
    assert!(links(&site.page(&format!("{then}{ITEM}"))).contains(&restore));
    let page = site.get(&restore);
    let text = words(&page.text);
    assert!(text.contains("What would be written") && text.contains("first"), "{text}");
    let cookie = page.cookie();
    write_post(&site, 1, "third text");
    let refused = site.post(&restore, &cookie, &form(&page.text, &[]));
    assert!(words(&refused.text).contains("somebody else has changed"), "{}", refused.text);
    let done = site.post(&restore, &cookie, &form(&refused.text, &[]));
    assert_eq!(done.status, StatusCode::SEE_OTHER, "{}", done.text);
    assert!(words(&site.page(&format!("/console/forum/{ITEM}"))).contains("first text"));
}

#[test]
fn a_partition_is_compared_and_restored() {
    let (site, then) = changed();
    let compare = format!("{then}{}", PARTITION.replace("collection/", "collection/compare/"));
    let page = site.get(&compare);
    let text = words(&page.text);
    assert!(text.contains("changed since") && text.contains("created since"), "{text}");
    let restored = site.post(&compare, &page.cookie(), &form(&page.text, &[("delete_new", "1")]));
    let text = words(&restored.text);
    assert!(text.contains("2 items restored") && text.contains("Nothing differs"), "{text}");
    let now = words(&site.page(&format!("/console/forum/{PARTITION}")));
    assert!(now.contains("first text") && !now.contains("another post"), "{now}");
}

#[test]
fn changes_are_listed_the_latest_first_and_filtered() {
    let (site, _) = changed();
    let page = site.page("/console/forum/changes/");
    let text = words(&page);
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} in {text}"));
    assert!(at("POST#000002") < at("POST#000001"), "{text}");
    assert!(text.contains("first") && text.contains("second"), "before and after: {text}");
    let filtered = words(&site.page("/console/forum/changes/?entity=Post&key=000002"));
    assert!(filtered.contains("POST#000002") && !filtered.contains("POST#000001"), "{filtered}");
    let none = words(&site.page("/console/forum/changes/?entity=Thread"));
    assert!(none.contains("No change fits"), "{none}");

    let newer = links(&page).into_iter().find(|link| link.contains("after=") && !link.contains("tail"));
    let newer = newer.expect("a link");
    assert!(words(&site.page(&newer)).contains("Nothing newer"));
    write_post(&site, 3, "the newest");
    let text = words(&site.page(&newer));
    assert!(text.contains("POST#000003") && !text.contains("POST#000002"), "{text}");
}

#[test]
fn tables_without_records_say_how_to_get_them() {
    let site = Site::forum();
    assert!(words(&site.page("/console/forum/changes/")).contains("No changes are recorded"));
    assert!(words(&site.page("/console/forum/recovery/")).contains("Recovery is off"));
}

#[test]
fn backups_are_taken_verified_restored_and_deleted() {
    let (site, _) = changed();
    let address = "/console/forum/recovery/";
    let page = site.get(address);
    let cookie = page.cookie();
    let token = form(&page.text, &[]).split('&').next().unwrap_or_default().to_owned();
    let act = |values: &str| site.post(address, &cookie, &format!("{token}&table=forum&{values}"));
    assert_eq!(act("action=take&name=by-hand").status, StatusCode::SEE_OTHER);
    let mut text = site.page(address);
    for _ in 0..200_000 {
        if text.contains("available") {
            break;
        }
        std::thread::yield_now();
        text = site.page(address);
    }
    let (_, backup) = text.split_once("name=\"backup\" value=\"").expect("a backup");
    let backup = backup.split('"').next().unwrap_or_default().to_owned();
    let verified = act(&format!("action=verify&backup={backup}"));
    assert_eq!(verified.headers["location"], format!("{address}?.done=verified").as_str());
    assert_eq!(act(&format!("action=restore&backup={backup}&target=copy")).status, StatusCode::SEE_OTHER);
    let time = time_of_ms(NOW_MS + 1_500);
    assert_eq!(act(&format!("action=rewind&to={time}&target=rewound")).status, StatusCode::SEE_OTHER);
    // A backup can't be deleted while a table is filled from it.
    let delete = || act(&format!("action=delete&backup={backup}")).status;
    let mut deleted = delete();
    for _ in 0..200_000 {
        if deleted != StatusCode::SERVICE_UNAVAILABLE {
            break;
        }
        std::thread::yield_now();
        deleted = delete();
    }
    assert_eq!(deleted, StatusCode::SEE_OTHER);
    assert_eq!(act("action=delete&backup=other").status, StatusCode::NOT_FOUND);
    assert_eq!(act("action=else").status, StatusCode::BAD_REQUEST);
    let stranger = site.post(address, "", "table=forum&action=take&name=x-y-z");
    assert_eq!(stranger.status, StatusCode::FORBIDDEN);
}
