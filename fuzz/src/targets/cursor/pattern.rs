//! Cursors of patterns, sealed as `run::cursor` describes it.

use std::sync::{Arc, LazyLock};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use singlet_cipher::{Cipher, NONCE_BYTES, derive};
use singlet_design::{Json, load};
use singlet_engine::values::{EncodedItem, Item};
use singlet_engine::{Database, ManualClock};
use singlet_run::{Arguments, Outcome, Paging, RunError, Runner, Wait, apply};
use singlet_store::Embedded;

use crate::fixture::{NOW_MS, options};

const DESIGN: &str = include_str!("lists.toml");
const KEY: [u8; 32] = [7; 32];
const PAGE: u32 = 5;
const LISTS: [&str; 5] = ["users", "posts", "feed", "home", "everything"];

/// Three users with twelve posts each; the first follows all.
const USERS: [&str; 3] = ["u0", "u1", "u2"];
const POSTS: usize = 12;

static RUNNER: LazyLock<Runner<Embedded>> = LazyLock::new(|| {
    let design = Arc::new(load("lists.toml", DESIGN).unwrap_or_else(|report| panic!("{report}")));
    let store = Embedded::new(Database::in_memory_with(options(None)).unwrap(), "memory");
    let environment = apply::choose_environment(&design, None).unwrap();
    apply::plan(&design, &environment, &store).wait().unwrap().run(&store, &mut |_| ()).wait().unwrap();
    let runner = Runner::new(design, store, environment.name);
    let runner = runner.with_clock(Arc::new(ManualClock::new(NOW_MS))).with_cursor_key(KEY);
    let create = |pattern: &str, values: &[(&str, &str)]| {
        let arguments: Arguments =
            values.iter().map(|(name, value)| ((*name).to_owned(), Json::from(*value))).collect();
        runner.run(pattern, &arguments, &Paging::default()).wait().unwrap();
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
    match RUNNER.run(pattern, &arguments, &Paging { limit: Some(PAGE), cursor: Some(cursor) }).wait() {
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
        let (page, next) = items(RUNNER.run(pattern, arguments, &paging).wait().unwrap());
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
        Outcome::Items { records, cursor, .. } => {
            let cursor = cursor.map(|cursor| cursor.to_string());
            (records.into_iter().map(|record| record.item).collect(), cursor)
        }
        _ => (Vec::new(), None),
    }
}

/// The cursor with this payload, of which the first byte is the version.
fn seal(pattern: &str, arguments: &Item, payload: &[u8]) -> String {
    let context = context(pattern, arguments);
    let (version, payload) = payload.split_first().unwrap_or((&0, payload));
    let mut text = vec![*version];
    text.extend(nothing_held());
    text.extend(u32::try_from(payload.len()).unwrap().to_be_bytes());
    text.extend(payload);
    text.resize(padded(text.len()), 0);
    let mut mac = Hmac::<Sha256>::new_from_slice(derive(&KEY, "singlet cursor nonces").as_slice()).unwrap();
    for part in [&context, &text] {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part);
    }
    let mut nonce = [0; NONCE_BYTES];
    nonce.iter_mut().zip(mac.finalize().into_bytes()).for_each(|(to, from)| *to = from);
    let tag = cipher().seal(&nonce, &context, &mut text);
    URL_SAFE_NO_PAD.encode([nonce.as_slice(), &text, &tag].concat())
}

/// No parameters that the cursor holds, with their length.
fn nothing_held() -> Vec<u8> {
    let held = EncodedItem::encode(&Item::new());
    let held = held.as_bytes();
    [&u32::try_from(held.len()).unwrap().to_be_bytes(), held].concat()
}

fn cipher() -> Cipher {
    Cipher::new(&derive(&KEY, "singlet cursors"))
}

/// The context that a cursor is bound to; there is no caller.
fn context(pattern: &str, arguments: &Item) -> Vec<u8> {
    let arguments = EncodedItem::encode(arguments);
    let mut context = Vec::new();
    for part in [RUNNER.design().name.as_bytes(), b"dev", pattern.as_bytes(), arguments.as_bytes(), b""] {
        context.extend((part.len() as u64).to_be_bytes());
        context.extend(part);
    }
    context
}

fn padded(bytes: usize) -> usize {
    if bytes > 4096 { bytes.next_multiple_of(4096) } else { bytes.next_power_of_two().max(256) }
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
            let (_, cursor) = items(RUNNER.run(pattern, &arguments, &paging).wait().unwrap());
            let cursor = cursor.unwrap_or_else(|| panic!("{pattern} has more than one item"));
            let bytes = URL_SAFE_NO_PAD.decode(&cursor).unwrap();
            let (nonce, rest) = bytes.split_first_chunk().unwrap();
            let (text, tag) = rest.split_last_chunk().unwrap();
            let mut text = text.to_vec();
            assert!(cipher().open(nonce, &context(pattern, &canonical), &mut text, tag), "{pattern}");
            // The version, the parameters that the cursor holds, and the length of the payload.
            let head = 1 + nothing_held().len() + 4;
            let length: [u8; 4] = text[head - 4..head].try_into().unwrap();
            let end = head + u32::from_be_bytes(length) as usize;
            let payload = [&text[..1], &text[head..end]].concat();
            assert_eq!(seal(pattern, &canonical, &payload), cursor, "{pattern}");
            if let Ok(folder) = std::env::var("WRITE_PAYLOADS") {
                let input = [format!("pattern {pattern} 0\n").as_bytes(), &payload].concat();
                std::fs::write(format!("{folder}/pattern_{pattern}"), input).unwrap();
            }
        }
    }
}
