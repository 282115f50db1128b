//! A console over a database in memory.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::{CONTENT_TYPE, COOKIE, HOST, SET_COOKIE};
use axum::http::{HeaderMap, Request, StatusCode};
use singlet_console::{Permission, Served, router};
use singlet_design::{Design, Json};
use singlet_engine::{Database, ManualClock, Options};
use singlet_run::seed::{SeedOptions, Seeder, plant};
use singlet_run::{Arguments, Paging, Runner, Wait, apply};
use singlet_store::{Embedded, PutItem, ReturnItem, Store};
use singlet_values::{AttributeValue, Item};
use tower::ServiceExt;

/// The time at which tests begin: 2027-01-15T08:00:00Z.
pub(crate) const NOW_MS: u64 = 1_800_000_000_000;

/// A forum: boards have threads, and threads have posts by users.
pub(crate) const FORUM: &str = r##"
design = "forum"
about = "Threads and their posts"
[table]
key = ["PK", "SK"]
type = "type"
[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Thread]
key = ["THREAD#{thread_id}", "THREAD"]
fields = { thread_id = "key", title = { type = "string", max = 80 }, posts = { type = "int", default = 0, internal = true } }
[entity.Thread.relations]
posts = { many = "Post", via = "thread_id", usual = 20 }

[entity.Post]
key = ["THREAD#{thread_id}", "POST#{number:06}"]
GSI1 = ["AUTHOR#{author}", "{number:06}"]
[entity.Post.fields]
thread_id = { ref = "Thread", type = "key" }
number = { type = "int", min = 0, max = 999999 }
author = { type = "key" }
text = { type = "string", max = 400000 }
mood = { type = "string", enum = ["calm", "cross"], default = "calm" }

[pattern.open]
create = "Thread"
rate = "1/s"
[pattern.write]
put = "Post"
rate = "5/s"
[pattern.thread]
get = "Thread"
[pattern.posts]
about = "The posts of a thread, oldest first"
query = "Post"
limit = 3
rate = "20/s"
[pattern.by_author]
query = "Post"
on = "GSI1"
"##;

/// A console with one design.
pub(crate) struct Site {
    pub(crate) router: Router,
    pub(crate) store: Embedded,
    pub(crate) design: Arc<Design>,
    /// The clock of the database.
    pub(crate) clock: Arc<ManualClock>,
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Site {
    /// A console with a design whose tables are empty.
    pub(crate) fn of(source: &str, permission: Permission) -> Site {
        let design = Arc::new(singlet_design::load("design.toml", source).expect("a design"));
        let clock = Arc::new(ManualClock::new(NOW_MS));
        let options = Options { clock: clock.clone(), ..Options::default() };
        let store = Embedded::new(Database::in_memory_with(options).expect("a database"), "memory");
        let environment = apply::choose_environment(&design, None).expect("an environment");
        let plan = apply::plan(&design, &environment, &store).wait().expect("a plan");
        plan.run(&store, &mut |_| {}).wait().expect("tables");
        let runner = Runner::new(Arc::clone(&design), store.clone(), environment.name);
        let router = router(vec![Served::new(runner, "design.toml")], permission);
        Site { router, store, design, clock }
    }

    /// A console of the forum.
    pub(crate) fn forum() -> Site {
        Site::of(FORUM, Permission::Write)
    }

    /// A console of the forum whose past is kept.
    pub(crate) fn forum_with_past() -> Site {
        let source = FORUM.replace("type = \"type\"\n", "type = \"type\"\nrecovery = \"7 days\"\n");
        Site::of(&source, Permission::Write)
    }

    fn environment(&self) -> String {
        apply::choose_environment(&self.design, None).expect("an environment").name
    }

    /// Fills the tables with sample data.
    pub(crate) fn seeded(self, items: u64) -> Site {
        let options = SeedOptions { items, seed: 7, now_ms: NOW_MS };
        let samples = Seeder::new(&self.design, options);
        plant(samples, &self.store, &self.environment(), &mut |_| {}).wait().expect("sample data");
        self
    }

    /// Runs a pattern.
    pub(crate) fn run<const COUNT: usize>(&self, pattern: &str, values: [(&str, Json); COUNT]) -> Json {
        let runner = Runner::new(Arc::clone(&self.design), self.store.clone(), self.environment());
        let values: Arguments = values.map(|(name, value)| (name.to_owned(), value)).into();
        runner.run(pattern, &values, &Paging::default()).wait().expect("it runs").to_json()
    }

    /// Writes an item past the design.
    pub(crate) fn put<const COUNT: usize>(&self, item: [(&str, AttributeValue); COUNT]) {
        let table = self.design.tables[0].name_in(&self.environment());
        let put = PutItem { table, item: Item::from(item), condition: None, returned: ReturnItem::None };
        self.store.put(put).wait().expect("it is written");
    }

    /// Requests a page.
    pub(crate) fn get(&self, address: &str) -> Answer {
        self.send(Request::get(address), Body::empty())
    }

    /// Requests a page that is there.
    pub(crate) fn page(&self, address: &str) -> String {
        let answer = self.get(address);
        assert_eq!(answer.status, StatusCode::OK, "{address}: {}", answer.text);
        answer.text
    }

    /// Sends a form with the cookie of a session.
    pub(crate) fn post(&self, address: &str, cookie: &str, form: &str) -> Answer {
        let request = Request::post(address)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(COOKIE, cookie);
        self.send(request, Body::from(form.to_owned()))
    }

    fn send(&self, request: axum::http::request::Builder, body: Body) -> Answer {
        let request = request.header(HOST, "127.0.0.1:8000").body(body).expect("a request");
        async {
            let answer = self.router.clone().oneshot(request).await.expect("an answer");
            let (parts, body) = answer.into_parts();
            let bytes = to_bytes(body, usize::MAX).await.expect("a body");
            let text = String::from_utf8(bytes.to_vec()).expect("text");
            Answer { status: parts.status, headers: parts.headers, text }
        }
        .wait()
    }
}

impl Answer {
    /// The pair of the session's cookie, as a browser sends it.
    pub(crate) fn cookie(&self) -> String {
        let cookie = self.headers.get(SET_COOKIE).expect("a cookie").to_str().expect("text");
        cookie.split(';').next().unwrap_or_default().to_owned()
    }
}

/// The addresses that a page links to, below the console.
pub(crate) fn links(page: &str) -> Vec<String> {
    let attribute = |name: &str| -> Vec<String> {
        let parts = page.split(name).skip(1);
        parts.filter_map(|part| part.split('"').next()).map(|link| link.replace("&amp;", "&")).collect()
    };
    let mut found = attribute(" href=\"");
    found.extend(attribute(" src=\""));
    found.retain(|link| link.starts_with("/console/"));
    found
}

/// The value of the input of a form with this name.
pub(crate) fn input(page: &str, name: &str) -> String {
    let (_, rest) = page.split_once(&format!("name=\"{name}\" value=\"")).expect("the input");
    rest.split('"').next().unwrap_or_default().to_owned()
}

/// The hidden inputs of the forms of a page, and these values.
pub(crate) fn form(page: &str, values: &[(&str, &str)]) -> String {
    let hidden = page.split("<input type=\"hidden\" name=\"").skip(1).filter_map(|rest| {
        let (name, rest) = rest.split_once("\" value=\"")?;
        Some((name.to_owned(), rest.split('"').next()?.to_owned()))
    });
    let given = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let all = given.clone().chain(hidden.filter(|(name, _)| values.iter().all(|(known, _)| known != name)));
    all.map(|(name, value)| format!("{}={}", encoded(&name), encoded(&value))).collect::<Vec<_>>().join("&")
}

/// A text for a form or an address.
pub(crate) fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// A page without its markup.
pub(crate) fn words(page: &str) -> String {
    let mut out = String::new();
    let mut is_markup = false;
    for character in page.chars() {
        match character {
            '<' => is_markup = true,
            '>' => is_markup = false,
            _ if !is_markup => out.push(character),
            _ => {}
        }
    }
    out
}
