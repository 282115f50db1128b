//! The search over designs, entities, patterns and keys: an index for the script, and a page for everybody else.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};
use maud::{Markup, html};
use singlet_design::{Json, access};
use singlet_store::Store;

use crate::console::{Console, Served};
use crate::layout::Section;
use crate::link::{Link, Pairs};
use crate::parts::{empty, heading};

/// Results that a page shows.
const RESULTS_MAX: usize = 100;

/// Something that can be found.
struct Entry {
    kind: &'static str,
    name: String,
    design: String,
    /// More words by which it is found, such as its key.
    about: String,
    link: Link,
}

/// Shows what is found.
pub(crate) async fn page<S: Store>(
    State(console): State<Arc<Console<S>>>,
    Query(pairs): Query<Pairs>,
) -> Html<String> {
    let wanted = pairs.iter().find(|(name, _)| name == "q").map_or("", |(_, text)| text.trim());
    let words: Vec<String> = wanted.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let found: Vec<Entry> = entries(&console).into_iter().filter(|entry| entry.has(&words)).collect();
    let frame = console.frame(None, Section::Elsewhere, "Search");
    frame.page(html! {
        (heading(&html! { "Search" }, None))
        form.inline method="get" action=(Link::search()) {
            div.field.grows {
                label for="query" { "Entities, patterns and keys" }
                input #query type="search" name="q" value=(wanted) autocomplete="off" spellcheck="false";
            }
            p.submit { button.primary type="submit" { "Search" } }
        }
        @if found.is_empty() {
            (empty("Nothing found", &html! { "Search for a part of a name or of a key, such as " code { "USER#" } "." }))
        } @else {
            ul.rows { @for entry in found.iter().take(RESULTS_MAX) { (row(entry)) } }
        }
    })
}

fn row(entry: &Entry) -> Markup {
    html! {
        li {
            a href=(entry.link) { (entry.name) }
            span.mark { (entry.kind) }
            span.about { (entry.design) @if !entry.about.is_empty() { " · " (entry.about) } }
        }
    }
}

/// Answers with everything that can be found, for the script.
pub(crate) async fn index<S: Store>(State(console): State<Arc<Console<S>>>) -> Response {
    let json = |entry: Entry| {
        Json::from([
            ("kind", Json::from(entry.kind)),
            ("name", Json::from(entry.name)),
            ("design", Json::from(entry.design)),
            ("about", Json::from(entry.about)),
            ("link", Json::from(entry.link.to_string())),
        ])
    };
    let all = Json::List(entries(&console).into_iter().map(json).collect());
    ([(CONTENT_TYPE, "application/json")], all.to_string()).into_response()
}

impl Entry {
    fn has(&self, words: &[String]) -> bool {
        let text = format!("{} {} {} {}", self.kind, self.name, self.design, self.about).to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    }
}

fn entries<S: Store>(console: &Console<S>) -> Vec<Entry> {
    console.designs.iter().flat_map(of_design).collect()
}

fn of_design<S: Store>(served: &Served<S>) -> Vec<Entry> {
    let design = served.design();
    let entry = |kind, name: &str, about: String, link| Entry {
        kind,
        name: name.to_owned(),
        design: design.name.clone(),
        about,
        link,
    };
    let about = design.about.clone().unwrap_or_default();
    let mut found = vec![entry("design", &design.name, about, Link::design(&design.name))];
    for entity in &design.entities {
        let mut templates = vec![entity.key.partition.source.as_str()];
        templates.extend(entity.key.sort.as_ref().map(|sort| sort.source.as_str()));
        templates.extend(
            entity
                .indexes
                .iter()
                .flat_map(|entry| entry.templates())
                .map(|(_, template)| template.source.as_str()),
        );
        found.push(entry(
            "entity",
            &entity.name,
            templates.join(" "),
            Link::entity(&design.name, &entity.name),
        ));
    }
    for pattern in design.callable() {
        let access = access(pattern);
        let about = format!("{} {}", pattern.about.as_deref().unwrap_or(&access.does), access.keys);
        found.push(entry(
            "pattern",
            &pattern.name,
            about.trim().to_owned(),
            Link::pattern(&design.name, &pattern.name),
        ));
    }
    found
}
