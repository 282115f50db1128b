//! A small design with derived fields on a database in memory, a worker, and short ways to write and read.

use std::sync::Arc;

use singlet_derive::Worker;
use singlet_design::{Design, Json};
use singlet_engine::{Database, DeleteItem, GetItem, PutItem, Scan};
use singlet_run::{Arguments, Paging, RunError, Runner, Wait, apply};
use singlet_store::{ChangeFeed, ChangeReader, Embedded, FeedStart};
use singlet_values::{AttributeValue, Item};

pub(crate) const DESIGN: &str = r#"
design = "blog"

[table]
key = ["PK", "SK"]

[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.User]
key = ["USER#{user}", "PROFILE"]
[entity.User.fields]
user  = "key"
posts = { type = "int", count = "Post" }
likes = { type = "int", sum = "Post.likes" }

[entity.Post]
key  = ["POST#{post}", "POST"]
GSI1 = ["POPULAR", "{likes:06}#{post}"]
allow = { constant-partition = "a test" }
[entity.Post.fields]
post     = "key"
user     = { ref = "User" }
title    = { type = "string", max = 100, default = "" }
likes    = { type = "int", count = "Like", max = 999999 }
rating   = { type = "number", average = "Review.stars", decimals = 1, optional = true }
good     = { type = "int", count = "Review", filter = "stars >= 4" }
reviewed = { type = "bool", exists = "Review" }

[entity.Like]
key = ["POST#{post}", "LIKE#{user}"]
[entity.Like.fields]
post = "key"
user = "key"

[entity.Review]
key = ["POST#{post}", "REVIEW#{user}"]
[entity.Review.fields]
post  = { ref = "Post" }
user  = "key"
stars = { type = "int", min = 1, max = 5 }

[pattern.save_user]
create = "User"
[pattern.post]
create = "Post"
[pattern.get_post]
get = "Post"
[pattern.get_user]
get = "User"
[pattern.popular]
query = "Post"
on    = "GSI1"
order = "newest"
[pattern.retitle]
update = "Post"
set    = ["title"]
[pattern.unpost]
delete = "Post"
[pattern.like]
create = "Like"
[pattern.unlike]
delete = "Like"
[pattern.review]
put = "Review"
[pattern.unreview]
delete = "Review"
"#;

/// A database with the tables of a design.
pub(crate) struct Blog {
    pub(crate) database: Database,
    pub(crate) design: Arc<Design>,
    runner: Runner<Embedded>,
}

impl Blog {
    pub(crate) fn new() -> Self {
        Blog::of(DESIGN, Database::in_memory().expect("a database in memory"))
    }

    pub(crate) fn of(source: &str, database: Database) -> Self {
        let design = singlet_design::load("blog.toml", source);
        let design = Arc::new(design.unwrap_or_else(|report| panic!("{report}")));
        let store = Embedded::new(database.clone(), "memory");
        let environment = apply::choose_environment(&design, None).expect("an environment");
        let mut plan = apply::plan(&design, &environment, &store).wait().expect("a plan");
        plan.accept_outdated();
        plan.run(&store, &mut |_| {}).wait().expect("tables");
        let runner = Runner::new(design.clone(), store, environment.name);
        Blog { database, design, runner }
    }

    pub(crate) fn store(&self) -> Embedded {
        Embedded::new(self.database.clone(), "memory")
    }

    pub(crate) fn worker(&self) -> Worker<Embedded> {
        let worker = Worker::open(self.store(), self.design.clone(), "dev").wait();
        worker.expect("a worker").expect("a design that derives")
    }

    /// Opens a worker and lets it do everything.
    pub(crate) fn settle(&self) {
        self.worker().catch_up().wait().expect("derived data");
    }

    pub(crate) fn run(&self, pattern: &str, values: &[(&str, Json)]) -> Json {
        self.try_run(pattern, values).expect(pattern)
    }

    /// The same for a pattern that may be refused.
    pub(crate) fn try_run(&self, pattern: &str, values: &[(&str, Json)]) -> Result<Json, RunError> {
        let values: Arguments =
            values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Ok(self.runner.run(pattern, &values, &Paging::default()).wait()?.to_json())
    }

    /// A page of a list: its items, and the cursors of the next one and the one before.
    pub(crate) fn page(
        &self,
        pattern: &str,
        values: &[(&str, Json)],
        (limit, cursor): (u32, Option<String>),
    ) -> (Vec<Json>, Option<String>, Option<String>) {
        let values: Arguments =
            values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let paging = Paging { limit: Some(limit), cursor };
        let page = self.runner.run(pattern, &values, &paging).wait().expect(pattern).to_json();
        let cursor = |name: &str| page.get(name).and_then(Json::as_text).map(str::to_owned);
        let items = page.get("items").and_then(Json::as_list).expect("a list").to_vec();
        (items, cursor("cursor"), cursor("previous"))
    }

    pub(crate) fn post(&self, post: &str) {
        self.run("post", &[("post", post.into()), ("user", "u1".into())]);
    }

    pub(crate) fn like(&self, post: &str, user: &str) {
        self.run("like", &[("post", post.into()), ("user", user.into())]);
    }

    pub(crate) fn review(&self, post: &str, user: &str, stars: i64) {
        let stars = Json::Number(stars.into());
        self.run("review", &[("post", post.into()), ("user", user.into()), ("stars", stars)]);
    }

    /// The value of a post's field, as JSON.
    pub(crate) fn field(&self, post: &str, field: &str) -> Json {
        self.run("get_post", &[("post", post.into())]).get(field).cloned().unwrap_or(Json::Null)
    }

    pub(crate) fn likes(&self, post: &str) -> i64 {
        number(&self.field(post, "likes"))
    }

    /// The stored item under a key.
    pub(crate) fn item(&self, pk: &str, sk: &str) -> Option<Item> {
        let key = Item::from([("PK", pk), ("SK", sk)]);
        let found = self.database.get_item(&GetItem::new("blog", key)).expect("an answer").item;
        found.map(|item| item.decode().expect("an item"))
    }

    /// Puts an item as a program with an SDK does, which knows nothing of derived data.
    pub(crate) fn put_raw(&self, item: Item) {
        self.database.put_item(PutItem::new("blog", item)).expect("written");
    }

    /// Moves the stored position behind all changes: no worker takes in the last ones, as if their effects were lost.
    pub(crate) fn lose_changes(&self) {
        let owner = format!("{} {}", self.design.name, self.table());
        let key = Item::from([("owner", owner.as_str()), ("kind", "progress")]);
        let found = self.database.get_item(&GetItem::new("singlet-derived", key)).expect("an answer").item;
        let mut progress = found.expect("progress").decode().expect("an item");
        let now = self.store();
        let now = now.changes(&self.table(), FeedStart::Now).wait().expect("an answer").expect("a feed");
        let positions: Item =
            [(self.design.tables[0].label.clone(), AttributeValue::from(now.position().as_str()))]
                .into_iter()
                .collect();
        progress.insert("positions", positions);
        self.database.put_item(PutItem::new("singlet-derived", progress)).expect("written");
    }

    fn table(&self) -> String {
        self.design.tables[0].name_in("dev")
    }

    /// All items of a table.
    pub(crate) fn all_of(&self, table: &str) -> Vec<Item> {
        let found = self.database.scan(&Scan::new(table)).expect("a page");
        found.items.iter().flatten().map(|item| item.decode().expect("an item")).collect()
    }

    pub(crate) fn delete_raw(&self, pk: &str, sk: &str) {
        let key = Item::from([("PK", pk), ("SK", sk)]);
        self.database.delete_item(DeleteItem::new("blog", key)).expect("deleted");
    }

    pub(crate) fn put_raw_like(&self, post: &str, user: &str) {
        let (pk, sk) = (format!("POST#{post}"), format!("LIKE#{user}"));
        let like = [("PK", pk.as_str()), ("SK", &sk), ("type", "Like"), ("post", post), ("user", user)];
        self.put_raw(Item::from(like));
    }
}

pub(crate) fn number(json: &Json) -> i64 {
    json.as_number().and_then(|number| number.to_i64()).unwrap_or_else(|| panic!("{json} isn't an integer"))
}

pub(crate) fn text(item: &Item, name: &str) -> Option<String> {
    match item.get(name)? {
        AttributeValue::S(text) => Some(text.clone()),
        _ => None,
    }
}
