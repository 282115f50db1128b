//! Cursors of patterns, sealed as `design::run::cursor` describes it.

use std::sync::{Arc, LazyLock};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use singlet_design::json::Json;
use singlet_design::run::{Arguments, Outcome, Paging, RunError, Runner};
use singlet_design::store::Embedded;
use singlet_design::{apply, load};
use singlet_engine::values::{EncodedItem, Item};
use singlet_engine::{Database, ManualClock};

use crate::fixture::{NOW_MS, options};

const DESIGN: &str = include_str!("lists.toml");
const KEY: [u8; 32] = [7; 32];
const MAC_BYTES: usize = 16;
const PAGE: u32 = 5;
const LISTS: [&str; 5] = ["users", "posts", "feed", "home", "everything"];

/// Three users with twelve posts each; the first follows all.
const USERS: [&str; 3] = ["u0", "u1", "u2"];
const POSTS: usize = 12;

static RUNNER: LazyLock<Runner<Embedded>> = LazyLock::new(|| {
    let design = Arc::new(load("lists.toml", DESIGN).unwrap_or_else(|report| panic!("{report}")));
    let store = Embedded::new(Database::in_memory_with(options(None)).unwrap(), "memory");
    let environment = apply::choose_environment(&design, None).unwrap();
    apply::plan(&design, &environment, &store).unwrap().run(&store, &mut |_| ()).unwrap();
    let runner = Runner::new(design, store, environment.name);
    let runner = runner.with_clock(Arc::new(ManualClock::new(NOW_MS))).with_cursor_key(KEY);
    let create = |pattern: &str, values: &[(&str, &str)]| {
        let arguments = values.iter().map(|(name, value)| ((*name).to_owned(), Json::from(*value))).collect();
        runner.run(pattern, &arguments, &Paging::default()).unwrap();
    };
    for (place, user) in USERS.into_iter().enumerate() {
        create("create_user", &[("user_id", user)]);
        create("follow", &[("user_id", USERS[0]), ("following_id", user)]);
        for post in 0..POSTS {
            // Some of the times tie.
            let time = format!("2023-11-{:02}T00:00:00Z", 1 + (post * 3 + place) / 2);
            let id = format!("{user}p{post:02}");
            create("create_post", &[("user_id", user), ("post_id", &id), ("created_at", &time)]);
        }
    }
    runner
});

/// `pattern <name> <owner's place>`, then the payload.
pub(super) fn run(words: &[&str], payload: &[u8]) {
    let (Some(pattern), Some(owner)) = (words.first(), words.get(1)) else { return };
    let Some(found) = RUNNER.design().pattern(pattern).filter(|_| LISTS.contains(pattern)) else { return };
    let owner = USERS[owner.parse::<usize>().unwrap_or(0) % USERS.len()];
    let mut arguments = Arguments::new();
    let mut canonical = Item::new();
    for parameter in found.parameters.iter().filter(|parameter| parameter.required) {
        arguments.insert(parameter.name.clone(), Json::from(owner));
        canonical.insert(parameter.name.clone(), owner);
    }
    let whole = list(pattern, &arguments);
    let cursor = seal(pattern, &canonical, payload);
    match RUNNER.run(pattern, &arguments, &Paging { limit: Some(PAGE), cursor: Some(cursor) }) {
        Ok(outcome) => {
            let (page, next) = items(outcome);
            assert!(page.len() <= PAGE as usize);
            let places: Vec<Option<usize>> =
                page.iter().map(|item| whole.iter().position(|known| known == item)).collect();
            assert!(places.iter().all(Option::is_some), "an item is not of this list");
            assert!(places.is_sorted_by(|one, other| one < other), "{places:?}");
            assert!(next.is_none_or(|next| next.len() < 10_000));
        }
        Err(RunError::Cursor(_)) => {}
        Err(error) => panic!("{error}"),
    }
}

/// All items of a list, page by page, with cursors of its own.
fn list(pattern: &str, arguments: &Arguments) -> Vec<EncodedItem> {
    let mut cursor = None;
    let mut all = Vec::new();
    for _ in 0..1_000 {
        let paging = Paging { limit: Some(PAGE), cursor };
        let (page, next) = items(RUNNER.run(pattern, arguments, &paging).unwrap());
        all.extend(page);
        cursor = next;
        if cursor.is_none() {
            return all;
        }
    }
    panic!("the list doesn't end");
}

fn items(outcome: Outcome) -> (Vec<EncodedItem>, Option<String>) {
    match outcome {
        Outcome::Items { records, cursor } => {
            (records.into_iter().map(|record| record.item).collect(), cursor)
        }
        _ => (Vec::new(), None),
    }
}

fn seal(pattern: &str, arguments: &Item, payload: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(&KEY).unwrap();
    let arguments = EncodedItem::encode(arguments);
    for part in [RUNNER.design().name.as_bytes(), b"dev", pattern.as_bytes(), arguments.as_bytes(), payload] {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part);
    }
    let mut bytes = payload.to_vec();
    bytes.extend(mac.finalize().into_bytes().iter().take(MAC_BYTES));
    URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without this the target would only ever see its own cursors refused.
    #[test]
    fn a_payload_of_a_real_cursor_is_taken_again() {
        for pattern in LISTS {
            let mut arguments = Arguments::new();
            let mut canonical = Item::new();
            if matches!(pattern, "posts" | "home") {
                arguments.insert("user_id".to_owned(), Json::from(USERS[0]));
                canonical.insert("user_id", USERS[0]);
            }
            let paging = Paging { limit: Some(1), cursor: None };
            let (_, cursor) = items(RUNNER.run(pattern, &arguments, &paging).unwrap());
            let cursor = cursor.unwrap_or_else(|| panic!("{pattern} has more than one item"));
            let bytes = URL_SAFE_NO_PAD.decode(&cursor).unwrap();
            let payload = &bytes[..bytes.len() - MAC_BYTES];
            assert_eq!(seal(pattern, &canonical, payload), cursor, "{pattern}");
            if let Ok(folder) = std::env::var("WRITE_PAYLOADS") {
                let input = [format!("pattern {pattern} 0\n").as_bytes(), payload].concat();
                std::fs::write(format!("{folder}/pattern_{pattern}"), input).unwrap();
            }
        }
    }
}
