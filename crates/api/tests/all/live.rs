//! Live updates: the answer first, then its changes.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use singlet_design::Json;

use crate::client::{BOOKS, Client, LOOPBACK};

/// Longer than any step takes, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

/// The design of books, with a stream and a list through an index.
fn source() -> String {
    let indexed = r#"
[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Author]"#;
    let books =
        BOOKS.replacen("[table]\n", "[table]\nstream = true\n", 1).replacen("[entity.Author]", indexed, 1);
    let entry = "unique = [\"isbn\"]\nGSI1 = [\"TITLE#{title}\", \"{book_id}\"]\n";
    books.replacen("unique = [\"isbn\"]\n", entry, 1)
        + "\n[pattern.titled]\nquery = \"Book\"\non = \"GSI1\"\n\n[pattern.count_books]\ncount = \"Book\"\n"
}

async fn library() -> Client {
    let client = Client::of(&source()).await;
    for author in ["a1", "a2"] {
        let body = format!(r#"{{"author_id": "{author}", "name": "Mai"}}"#);
        assert_eq!(client.send("POST", "/books/authors", &body).await.status, 201);
    }
    client
}

async fn add(client: &Client, author: &str, book: &str, isbn: &str, more: &str) {
    let body = format!(r#"{{"book_id": "{book}", "title": "Tea", "isbn": "{isbn}"{more}}}"#);
    let added = client.send("POST", &format!("/books/authors/{author}/books"), &body).await;
    assert_eq!(added.status, 201, "{}", added.text());
}

/// An event as a client receives it.
#[derive(Debug, Clone, PartialEq)]
struct Event {
    id: String,
    kind: String,
    data: Json,
}

/// A live answer.
struct Events {
    body: Body,
    text: String,
    last_id: String,
}

impl Events {
    async fn of(client: &Client, path: &str, last_id: &str) -> Self {
        let mut request = Request::get(path).header("accept", "text/event-stream");
        if !last_id.is_empty() {
            request = request.header("last-event-id", last_id);
        }
        let mut request = request.body(Body::empty()).unwrap();
        request.extensions_mut().insert(LOOPBACK);
        let response = client.open(request).await;
        assert_eq!(
            (response.status().as_u16(), &response.headers()["content-type"]),
            (200, &"text/event-stream".parse().unwrap())
        );
        Self { body: response.into_body(), text: String::new(), last_id: last_id.to_owned() }
    }

    /// The next event. `None` at the end of the stream.
    async fn next(&mut self) -> Option<Event> {
        tokio::time::timeout(PATIENCE, self.wait()).await.expect("an event in time")
    }

    async fn wait(&mut self) -> Option<Event> {
        loop {
            while let Some(end) = self.text.find("\n\n") {
                let block: String = self.text.drain(..end + 2).collect();
                let line =
                    |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
                if let Some(id) = line("id: ") {
                    self.last_id = id;
                }
                if let (Some(kind), Some(data)) = (line("event: "), line("data: ")) {
                    return Some(Event { id: self.last_id.clone(), kind, data: data.parse().unwrap() });
                }
            }
            let frame = self.body.frame().await?;
            self.text.push_str(std::str::from_utf8(frame.unwrap().data_ref().unwrap()).unwrap());
        }
    }

    async fn expect(&mut self, kind: &str) -> Json {
        let event = self.next().await.unwrap();
        assert_eq!(event.kind, kind, "{event:?}");
        event.data
    }
}

fn text(json: &Json, path: &[&str]) -> String {
    let found = path.iter().try_fold(json, |json, name| json.get(name));
    found.map(|found| found.as_text().map_or_else(|| found.to_string(), str::to_owned)).unwrap_or_default()
}

#[tokio::test]
async fn a_list_is_followed_item_by_item() {
    let client = library().await;
    add(&client, "a1", "b1", "1", "").await;
    let mut events = Events::of(&client, "/books/authors/a1/books", "").await;
    assert_eq!(events.expect("answer").await.get("items").unwrap().as_list().unwrap().len(), 1);

    add(&client, "a2", "b9", "9", "").await;
    add(&client, "a1", "b2", "2", "").await;
    let put = events.expect("put").await;
    assert_eq!(
        (text(&put, &["key", "book_id"]), text(&put, &["item", "isbn"])),
        ("b2".to_owned(), "2".to_owned())
    );
    client.send("PATCH", "/books/authors/a1/books/b2", r#"{"price": 5}"#).await;
    assert_eq!(text(&events.expect("put").await, &["item", "price"]), "5");
    client.send("DELETE", "/books/authors/a1/books/b1", "").await;
    let removed = events.expect("remove").await;
    assert_eq!((text(&removed, &["key", "book_id"]), removed.get("item")), ("b1".to_owned(), None));
}

#[tokio::test]
async fn an_item_is_followed_from_before_it_exists() {
    let client = library().await;
    let mut events = Events::of(&client, "/books/authors/a1/books/b1", "").await;
    assert_eq!(events.expect("answer").await, Json::Null);
    add(&client, "a1", "b1", "1", "").await;
    assert_eq!(text(&events.expect("put").await, &["item", "title"]), "Tea");
    client.send("DELETE", "/books/authors/a1/books/b1", "").await;
    events.expect("remove").await;
}

#[tokio::test]
async fn filters_and_index_keys_decide_what_is_part_of_a_list() {
    let client = library().await;
    let mut tagged = Events::of(&client, "/books/authors/a1/tagged-books?tag=x&pages=10", "").await;
    let mut titled = Events::of(&client, "/books/titles/Tea/books", "").await;
    tagged.expect("answer").await;
    titled.expect("answer").await;
    add(&client, "a1", "b1", "1", r#", "tags": ["y"], "pages": 20"#).await;
    add(&client, "a1", "b2", "2", r#", "tags": ["x"], "pages": 20"#).await;
    assert_eq!(text(&tagged.expect("put").await, &["key", "book_id"]), "b2");
    assert_eq!(text(&titled.expect("put").await, &["key", "book_id"]), "b1");
    assert_eq!(text(&titled.expect("put").await, &["key", "book_id"]), "b2");
    client.send("PATCH", "/books/authors/a1/books/b1", r#"{"title": "Rice"}"#).await;
    assert_eq!(text(&titled.expect("remove").await, &["key", "book_id"]), "b1");
}

#[tokio::test]
async fn composed_answers_are_sent_again_when_they_differ() {
    let client = library().await;
    let mut page = Events::of(&client, "/books/authors/a1/page", "").await;
    let mut count = Events::of(&client, "/books/authors/a1/count-books", "").await;
    page.expect("answer").await;
    assert_eq!(text(&count.expect("answer").await, &["count"]), "0");
    add(&client, "a1", "b1", "1", "").await;
    assert_eq!(text(&count.expect("answer").await, &["count"]), "1");
    assert_eq!(
        page.expect("answer").await.get("books").unwrap().get("items").unwrap().as_list().unwrap().len(),
        1
    );
    // A change of the price doesn't change the number.
    client.send("PATCH", "/books/authors/a1/books/b1", r#"{"price": 5}"#).await;
    page.expect("answer").await;
    add(&client, "a1", "b2", "2", "").await;
    assert_eq!(text(&count.expect("answer").await, &["count"]), "2");

    let id = count.last_id.clone();
    drop(count);
    let mut again = Events::of(&client, "/books/authors/a1/count-books", &id).await;
    add(&client, "a1", "b3", "3", "").await;
    assert_eq!(text(&again.expect("answer").await, &["count"]), "3");
}

#[tokio::test]
async fn a_subscriber_that_comes_back_gets_every_event_once() {
    let client = library().await;
    let path = "/books/authors/a1/books?limit=100";
    let mut steady = Events::of(&client, path, "").await;
    let mut restless = Events::of(&client, path, "").await;
    let (mut all, mut parts) = (Vec::new(), Vec::new());
    all.push(steady.next().await.unwrap());
    parts.push(restless.next().await.unwrap());
    for number in 0..60 {
        let last = restless.last_id.clone();
        if number % 3 == 0 {
            drop(restless);
            add(&client, "a1", &format!("b{number}"), &number.to_string(), "").await;
            restless = Events::of(&client, path, &last).await;
        } else {
            client
                .send(
                    "PATCH",
                    &format!("/books/authors/a1/books/b{}", number / 3 * 3),
                    &format!(r#"{{"price": {number}}}"#),
                )
                .await;
        }
        all.push(steady.next().await.unwrap());
        parts.push(restless.next().await.unwrap());
    }
    assert_eq!(all, parts);
}

#[tokio::test]
async fn a_place_that_is_not_known_is_said_and_the_answer_begins_anew() {
    let (client, other) = (library().await, library().await);
    let path = "/books/authors/a1/books";
    let mut events = Events::of(&other, path, "").await;
    events.next().await;
    let later = events.last_id.replacen("/1", "/9", 1);
    for unknown in [events.last_id.as_str(), "x", "x~y", later.as_str()] {
        let mut events = Events::of(&client, path, unknown).await;
        assert!(text(&events.expect("reset").await, &["reason"]).contains("anew"));
        events.expect("answer").await;
        add(&client, "a1", &format!("b{}", unknown.len()), unknown.get(..1).unwrap(), "").await;
        events.expect("put").await;
        client.send("DELETE", &format!("/books/authors/a1/books/b{}", unknown.len()), "").await;
    }
}

#[tokio::test]
async fn a_slow_subscriber_is_cut_off_and_goes_on_where_it_was() {
    let client = library().await;
    let path = "/books/authors/a1";
    let mut slow = Events::of(&client, path, "").await;
    let mut steady = Events::of(&client, path, "").await;
    for number in 0..400 {
        client.send("PUT", path, &format!(r#"{{"name": "n{number}"}}"#)).await;
        if number % 100 == 99 {
            while text(&steady.next().await.unwrap().data, &["item", "name"]) != format!("n{number}") {}
        }
    }
    let mut names = Vec::new();
    while let Some(event) = slow.next().await {
        names.push(text(&event.data, &["item", "name"]));
    }
    assert!(names.len() < 400, "{}", names.len());
    let mut again = Events::of(&client, path, &slow.last_id).await;
    while names.last().unwrap() != "n399" {
        names.push(text(&again.expect("put").await, &["item", "name"]));
    }
    let expected: Vec<String> =
        std::iter::once(String::new()).chain((0..400).map(|n| format!("n{n}"))).collect();
    assert_eq!(names, expected);
}

#[tokio::test]
async fn wrong_calls_are_refused_before_a_stream_begins() {
    let client = library().await;
    let live = [("accept", "text/event-stream")];
    let wrong = client.send_with("GET", "/books/authors/a1/books?limit=0", "", &live).await;
    wrong.assert_problem(400, "invalid-request");
    let write =
        client.send_with("POST", "/books/authors", r#"{"author_id": "a9", "name": "M"}"#, &live).await;
    write.assert_problem(406, "not-acceptable");
    let without = Client::with_books().await;
    without.send_with("GET", "/books/authors/a1", "", &live).await.assert_problem(501, "unsupported");
}

/// Numbers without a pattern, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }
}

/// The items of a list, by key.
type Items = BTreeMap<String, Json>;

fn items(page: &Json) -> Items {
    let list = page.get("items").unwrap().as_list().unwrap();
    list.iter()
        .map(|item| (format!("{}/{}", text(item, &["author_id"]), text(item, &["book_id"])), item.clone()))
        .collect()
}

/// Applies an event to a list, as its client does.
fn apply(held: &mut Items, event: &Event) {
    match event.kind.as_str() {
        "answer" => *held = items(&event.data),
        "reset" => {}
        kind => {
            let key = event.data.get("key").unwrap();
            let key = format!("{}/{}", text(key, &["author_id"]), text(key, &["book_id"]));
            match kind {
                "put" => _ = held.insert(key, event.data.get("item").unwrap().clone()),
                _ => assert!(held.remove(&key).is_some(), "{event:?} removes what isn't there"),
            }
        }
    }
}

/// The part of a list that the first page had: all of it, or up to the last item of the page.
async fn later(client: &Client, path: &str, end: Option<&String>) -> Items {
    let separator = if path.contains('?') { '&' } else { '?' };
    let all = items(&client.get(&format!("{path}{separator}limit=1000")).await.json());
    all.into_iter().filter(|(key, _)| end.is_none_or(|end| key <= end)).collect()
}

#[tokio::test]
async fn applying_the_events_to_the_first_answer_gives_the_later_answer() {
    let lists = [
        "/books/authors/a1/books",
        "/books/authors/a1/books?limit=4",
        "/books/authors/a1/books?limit=500",
        "/books/authors/a1/tagged-books?tag=x&pages=1",
        "/books/titles/Tea/books",
    ];
    for seed in 0..6 {
        let client = library().await;
        let mut dice = Dice(seed);
        for step in 0..40 {
            write(&client, &mut dice, step).await;
        }
        let mut followers = Vec::new();
        for path in lists {
            let mut events = Events::of(&client, path, "").await;
            let first = events.next().await.unwrap();
            let held = items(&first.data);
            let end = first.data.get("cursor").and_then(|_| held.keys().next_back().cloned());
            followers.push((path, events, held, end));
        }
        for step in 40..120 {
            write(&client, &mut dice, step).await;
        }
        for (path, events, held, end) in &mut followers {
            let expected =
                later(&client, &path.replace("?limit=4", "").replace("?limit=500", ""), end.as_ref()).await;
            while *held != expected {
                let event = events.next().await.unwrap();
                apply(held, &event);
            }
        }
    }
}

/// A random write. Some are refused, because the item is there already or isn't.
async fn write(client: &Client, dice: &mut Dice, step: u64) {
    let (author, book) = (dice.below(2) + 1, dice.below(12) + 10);
    let place = format!("/books/authors/a{author}/books/b{book}");
    let title = ["Tea", "Rice"][dice.below(2) as usize];
    match dice.below(5) {
        0 | 1 => {
            let tag = ["x", "y"][dice.below(2) as usize];
            let body = format!(
                r#"{{"book_id": "b{book}", "title": "{title}", "isbn": "{step}", "tags": ["{tag}"], "pages": {}}}"#,
                dice.below(3)
            );
            client.send("POST", &format!("/books/authors/a{author}/books"), &body).await;
        }
        2 => _ = client.send("DELETE", &place, "").await,
        _ => {
            let body = format!(r#"{{"title": "{title}", "price": {}}}"#, dice.below(3));
            client.send("PATCH", &place, &body).await;
        }
    }
}
