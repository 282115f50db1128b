//! Patterns of a small design beside the engine calls that they make.
//!
//! `bench/instructions` counts the instructions of both, and `bench/run pattern` takes their times. Each pair begins with
//! the same identifiers, makes the same request of the engine, and ends with the same encoded items.

use std::hint::black_box;
use std::sync::Arc;

use anyhow::{Result, bail, ensure};
use singlet_design::load;
use singlet_engine::expr::{self, Condition, KeyCondition, KeyTerm, KeyTest, Path};
use singlet_engine::values::{AttributeValue, Item};
use singlet_engine::{Database, GetItem, PutItem, Query, ReturnValues, UpdateItem};
use singlet_run::{ArgumentList, Outcome, Paging, Runner, Wait, apply};
use singlet_store::Embedded;

/// Posts of users: the post itself by its id, a user's posts newest first.
const DESIGN: &str = r##"
design = "posts"

[table]
key = ["PK", "SK"]
[index]
GSI1 = ["GSI1PK", "GSI1SK"]

[entity.Post]
key  = ["POST#{post_id}", "METADATA"]
GSI1 = ["USER#{user_id}", "POST#{created_at}#{post_id}"]
[entity.Post.fields]
post_id    = "key"
user_id    = "key"
created_at = "time"
title      = "string"
content    = "string"
likes      = "int"

[pattern.put_post]
put = "Post"
[pattern.get_post]
get = "Post"
[pattern.user_posts]
query = "Post"
on    = "GSI1"
order = "newest"
limit = 20
[pattern.rename_post]
update = "Post"
set    = { title = "{title}" }
"##;

const TABLE: &str = "posts";
/// Posts of each user: more than a page.
const POSTS_PER_USER: usize = 25;
/// Posts on a page.
const PAGE_POSTS: usize = 20;
const MISSING: &str = "a post is missing";

/// A table of posts, open both as a database and as the store of a runner.
pub(crate) struct Posts {
    database: Database,
    runner: Runner<Embedded>,
    /// The identifiers of all posts, as a program has them before it calls.
    post_ids: Vec<String>,
    /// The identifiers of all users.
    user_ids: Vec<String>,
    title: String,
    content: String,
}

impl Posts {
    /// Creates the table in the database and writes about so many posts.
    pub(crate) fn fill(database: Database, posts: usize) -> Result<Self> {
        let design = Arc::new(load("posts.toml", DESIGN)?);
        let store = Embedded::new(database.clone(), "memory");
        let environment = apply::choose_environment(&design, None)?;
        apply::plan(&design, &environment, &store).wait()?.run(&store, &mut |_| {}).wait()?;
        let users = (posts / POSTS_PER_USER).max(1);
        let posts = Posts {
            database,
            runner: Runner::new(design, store, environment.name),
            post_ids: (0..users * POSTS_PER_USER).map(|post| format!("0194a2b6-{post:08}")).collect(),
            user_ids: (0..users).map(|user| format!("5f3c9d1e-{user:08}")).collect(),
            title: "A title of a usual length".to_owned(),
            content: "Twelve words and some more. ".repeat(10),
        };
        for post in 0..posts.len() {
            posts.pattern_put(post).wait()?;
        }
        Ok(posts)
    }

    /// The number of posts.
    pub(crate) fn len(&self) -> usize {
        self.post_ids.len()
    }

    fn post_id(&self, post: usize) -> &str {
        self.post_ids.get(post).map(String::as_str).unwrap_or_default()
    }

    fn user_id(&self, post: usize) -> &str {
        self.user_ids.get(post / POSTS_PER_USER).map(String::as_str).unwrap_or_default()
    }

    fn key(&self, post: usize) -> Item {
        Item::from([
            ("PK", AttributeValue::from(format!("POST#{}", self.post_id(post)))),
            ("SK", AttributeValue::from("METADATA")),
        ])
    }

    /// `GetItem` by the engine.
    pub(crate) fn engine_get(&self, post: usize) -> Result<()> {
        let found = self.database.get_item(&GetItem::new(TABLE, self.key(post)))?;
        ensure!(black_box(found).item.is_some(), MISSING);
        Ok(())
    }

    /// The same get by the pattern.
    pub(crate) async fn pattern_get(&self, post: usize) -> Result<()> {
        let arguments = [("post_id", self.post_id(post).into())];
        let found = self.runner.run("get_post", &arguments, &Paging::default()).await?;
        ensure!(matches!(black_box(found), Outcome::Item(Some(_))), MISSING);
        Ok(())
    }

    /// `Query` by the engine. The pattern reads one item more than its page has, to tell whether another page follows.
    pub(crate) fn engine_query(&self, post: usize) -> Result<()> {
        let term = |attribute: &str, test| KeyTerm { attribute: attribute.to_owned(), test };
        let condition = KeyCondition::from_terms(vec![
            term("GSI1PK", KeyTest::Equal(format!("USER#{}", self.user_id(post)).into())),
            term("GSI1SK", KeyTest::BeginsWith("POST#".into())),
        ]);
        let query = Query::new(TABLE, condition).index("GSI1").backward().limit(PAGE_POSTS + 1);
        let page = self.database.query(&query)?;
        ensure!(black_box(page).count == PAGE_POSTS + 1, MISSING);
        Ok(())
    }

    /// The same query by the pattern.
    pub(crate) async fn pattern_query(&self, post: usize) -> Result<()> {
        let arguments = [("user_id", self.user_id(post).into())];
        let page = self.runner.run("user_posts", &arguments, &Paging::default()).await?;
        let Outcome::Items { records, cursor: Some(_), .. } = black_box(page) else { bail!(MISSING) };
        ensure!(records.len() == PAGE_POSTS, MISSING);
        Ok(())
    }

    /// `PutItem` by the engine, over an item that is there.
    pub(crate) async fn engine_put(&self, post: usize) -> Result<()> {
        let (post_id, user_id, created_at) = (self.post_id(post), self.user_id(post), created_at(post));
        let item = Item::from([
            ("post_id", AttributeValue::from(post_id)),
            ("user_id", user_id.into()),
            ("title", self.title.as_str().into()),
            ("content", self.content.as_str().into()),
            ("likes", 12.into()),
            ("PK", format!("POST#{post_id}").into()),
            ("SK", "METADATA".into()),
            ("GSI1PK", format!("USER#{user_id}").into()),
            ("GSI1SK", format!("POST#{created_at}#{post_id}").into()),
            ("created_at", created_at.into()),
            ("type", "Post".into()),
        ]);
        let put = PutItem { return_old_on_failure: true, ..PutItem::new(TABLE, item) };
        self.database.submit_put_item(put).await?;
        Ok(())
    }

    /// The same put by the pattern.
    pub(crate) async fn pattern_put(&self, post: usize) -> Result<()> {
        let arguments = [
            ("post_id", self.post_id(post).into()),
            ("user_id", self.user_id(post).into()),
            ("created_at", created_at(post).into()),
            ("title", self.title.as_str().into()),
            ("content", self.content.as_str().into()),
            ("likes", 12_i64.into()),
        ];
        self.written("put_post", &arguments).await
    }

    /// `UpdateItem` by the engine, of an item that must be there.
    pub(crate) async fn engine_update(&self, post: usize) -> Result<()> {
        let set = expr::Action {
            path: Path::attribute("title"),
            change: expr::Change::set(self.title.as_str().into()),
        };
        let update = UpdateItem {
            condition: Some(Condition::exists(Path::attribute("PK"))),
            return_values: ReturnValues::AllNew,
            return_old_on_failure: true,
            ..UpdateItem::new(TABLE, self.key(post), expr::Update::new(vec![set]))
        };
        let written = self.database.submit_update_item(update).await?;
        ensure!(black_box(written).attributes.is_some(), MISSING);
        Ok(())
    }

    /// The same update by the pattern.
    pub(crate) async fn pattern_update(&self, post: usize) -> Result<()> {
        let arguments = [("post_id", self.post_id(post).into()), ("title", self.title.as_str().into())];
        self.written("rename_post", &arguments).await
    }

    async fn written(&self, pattern: &str, arguments: &dyn ArgumentList) -> Result<()> {
        let written = self.runner.run(pattern, arguments, &Paging::default()).await?;
        ensure!(matches!(black_box(written), Outcome::Written(_)), MISSING);
        Ok(())
    }
}

/// A time as it is stored; the posts of a user have different ones.
fn created_at(post: usize) -> String {
    format!("2025-01-{:02}T12:00:00.000Z", post % POSTS_PER_USER + 1)
}
