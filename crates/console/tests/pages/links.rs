//! Every link of every page of the shipped designs leads somewhere.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use singlet_console::Permission;

use crate::site::{Site, links};

/// Pages of one design that are followed.
const PAGES_MAX: usize = 500;

fn follow(source: &str) {
    let site = Site::of(source, Permission::Write).seeded(60);
    let mut open = vec!["/console/".to_owned()];
    let mut known: BTreeSet<String> = open.iter().cloned().collect();
    let mut pages = 0;
    while let Some(address) = open.pop().filter(|_| pages < PAGES_MAX) {
        let answer = site.get(address.split('#').next().unwrap_or_default());
        assert_eq!(answer.status, StatusCode::OK, "{address}: {}", answer.text);
        pages += 1;
        if !answer.text.starts_with("<!DOCTYPE html>") {
            continue;
        }
        assert_eq!(answer.text.matches("<h1").count(), 1, "{address}");
        // A write may be refused: its example needn't fit what is there.
        let is_refused = answer.text.contains("class=\"problem\"") && answer.text.contains(">Answer<");
        assert!(!is_refused, "{address}: {}", answer.text);
        open.extend(links(&answer.text).into_iter().filter(|link| known.insert(link.clone())));
    }
    assert!(pages > 50, "{pages} pages");
}

#[test]
fn every_link_of_the_social_network_leads_to_a_page() {
    follow(include_str!("../../../../designs/social.toml"));
}

#[test]
fn every_link_of_the_shop_leads_to_a_page() {
    follow(include_str!("../../../../designs/shop.toml"));
}

#[test]
fn every_link_of_the_recipe_application_leads_to_a_page() {
    follow(include_str!("../../../../designs/smart-cooking.toml"));
}

#[test]
fn every_link_of_the_household_leads_to_a_page() {
    follow(include_str!("../../../../designs/nishiki.toml"));
}

#[test]
fn every_link_of_the_sensors_leads_to_a_page() {
    follow(include_str!("../../../../designs/sensors.toml"));
}

#[test]
fn an_unknown_address_says_so_and_a_missing_slash_is_added() {
    let site = Site::forum();
    for address in [
        "/console/none/",
        "/console/forum/patterns/none/",
        "/console/forum/data/entity/None/",
        "/console/x/y/",
    ] {
        let answer = site.get(address);
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{address}");
        assert!(answer.text.contains("Not found") && answer.text.contains("href=\"/console/\""), "{address}");
    }
    let answer = site.get("/console/forum/patterns/posts?thread_id=a%26b");
    assert_eq!(answer.status, StatusCode::PERMANENT_REDIRECT);
    assert_eq!(answer.headers["location"], "/console/forum/patterns/posts/?thread_id=a%26b");
}
