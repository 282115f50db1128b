//! What a pattern costs in process beside the engine call that it becomes.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, ensure};
use singlet_design::load;
use singlet_engine::expr::{KeyCondition, KeyTerm, KeyTest};
use singlet_engine::values::{AttributeValue, Item};
use singlet_engine::{Database, GetItem, Query};
use singlet_run::apply;
use singlet_run::{Arguments, Outcome, Paging, Runner, Wait};
use singlet_store::Embedded;

use crate::report::say;

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

[pattern.create_post]
create = "Post"
[pattern.get_post]
get = "Post"
[pattern.user_posts]
query = "Post"
on    = "GSI1"
order = "newest"
limit = 20
"##;

const TABLE: &str = "posts";
/// Posts of each user: more than a page.
const POSTS_PER_USER: u64 = 25;
/// Calls between two looks at the clock: a call takes microseconds.
const BATCH_CALLS: u64 = 100;

/// How long to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct PatternOptions {
    /// Posts in the table
    #[arg(long, default_value_t = 20_000)]
    items: u64,
    /// Batches of 100 calls of each kind, taken in turn
    #[arg(long, default_value_t = 400)]
    batches: usize,
    /// Fail if a pattern costs more than this many times its engine call
    #[arg(long)]
    most: Option<f64>,
}

/// Measures gets and queries, engine call and pattern in turn, and prints the medians.
pub(crate) fn pattern(options: &PatternOptions) -> Result<()> {
    let database = Database::in_memory()?;
    let design = Arc::new(load("posts.toml", DESIGN)?);
    let store = Embedded::new(database.clone(), "memory");
    let environment = apply::choose_environment(&design, None)?;
    apply::plan(&design, &environment, &store).wait()?.run(&store, &mut |_| {}).wait()?;
    let runner = Runner::new(design, store, environment.name);
    let users = (options.items / POSTS_PER_USER).max(1);
    fill(&runner, users)?;
    let posts = users * POSTS_PER_USER;
    say!("{posts} posts; median of {} batches of {BATCH_CALLS} calls, in turn", options.batches);
    let get = compare(options.batches, |number| {
        let post = fastrand::u64(..posts);
        if number == 0 { engine_get(&database, post) } else { pattern_get(&runner, post) }
    })?;
    let query = compare(options.batches, |number| {
        let user = fastrand::u64(..users);
        if number == 0 { engine_query(&database, user) } else { pattern_query(&runner, user) }
    })?;
    for (name, figures) in [("get", get), ("query of 20", query)] {
        let [engine, pattern] = figures;
        let ratio = pattern / engine;
        say!("{name:>12}: engine {engine:6.2} µs, pattern {pattern:6.2} µs, {ratio:.2} times");
        ensure!(
            options.most.is_none_or(|most| ratio <= most),
            "{name} costs {ratio:.2} times its engine call"
        );
    }
    Ok(())
}

/// Microseconds of a call of each of two kinds.
fn compare(batches: usize, call: impl Fn(usize) -> Result<()>) -> Result<[f64; 2]> {
    let mut figures = [Vec::new(), Vec::new()];
    for _ in 0..batches {
        for (kind, figures) in figures.iter_mut().enumerate() {
            let begin = Instant::now();
            for _ in 0..BATCH_CALLS {
                call(kind)?;
            }
            figures.push(begin.elapsed().as_secs_f64() * 1e6 / BATCH_CALLS as f64);
        }
    }
    Ok(figures.map(|mut figures| {
        figures.sort_by(f64::total_cmp);
        figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
    }))
}

fn fill(runner: &Runner<Embedded>, users: u64) -> Result<()> {
    for post in 0..users * POSTS_PER_USER {
        let (day, minute) = (post % POSTS_PER_USER + 1, post % 60);
        let arguments: Arguments = BTreeMap::from([
            ("post_id".to_owned(), post_id(post).into()),
            ("user_id".to_owned(), user_id(post / POSTS_PER_USER).into()),
            ("created_at".to_owned(), format!("2025-01-{day:02}T12:{minute:02}:00Z").into()),
            ("title".to_owned(), "A title of a usual length".into()),
            ("content".to_owned(), "Twelve words and some more. ".repeat(10).into()),
            ("likes".to_owned(), 12_i64.into()),
        ]);
        runner.run("create_post", &arguments, &Paging::default()).wait()?;
    }
    Ok(())
}

fn post_id(number: u64) -> String {
    format!("0194a2b6-{number:08}")
}

fn user_id(number: u64) -> String {
    format!("5f3c9d1e-{number:08}")
}

fn engine_get(database: &Database, post: u64) -> Result<()> {
    let key = Item::from([
        ("PK", AttributeValue::from(format!("POST#{}", post_id(post)))),
        ("SK", AttributeValue::from("METADATA")),
    ]);
    let found =
        database.get_item(&GetItem { table: TABLE.to_owned(), key, consistent: false, projection: None })?;
    ensure!(black_box(found).item.is_some(), "a post is missing");
    Ok(())
}

fn pattern_get(runner: &Runner<Embedded>, post: u64) -> Result<()> {
    let arguments = BTreeMap::from([("post_id".to_owned(), post_id(post).into())]);
    let found = runner.run("get_post", &arguments, &Paging::default()).wait()?;
    ensure!(matches!(black_box(found), Outcome::Item(Some(_))), "a post is missing");
    Ok(())
}

fn engine_query(database: &Database, user: u64) -> Result<()> {
    let term = |attribute: &str, test| KeyTerm { attribute: attribute.to_owned(), test };
    let condition = KeyCondition::from_terms(vec![
        term("GSI1PK", KeyTest::Equal(format!("USER#{}", user_id(user)).into())),
        term("GSI1SK", KeyTest::BeginsWith("POST#".into())),
    ]);
    let query = Query::new(TABLE, condition).index("GSI1").backward().limit(20);
    let page = database.query(&query)?;
    ensure!(black_box(page).count == 20, "posts are missing");
    Ok(())
}

fn pattern_query(runner: &Runner<Embedded>, user: u64) -> Result<()> {
    let arguments = BTreeMap::from([("user_id".to_owned(), user_id(user).into())]);
    let page = runner.run("user_posts", &arguments, &Paging::default()).wait()?;
    let full = matches!(black_box(&page), Outcome::Items { records, cursor: Some(_) } if records.len() == 20);
    ensure!(full, "posts are missing");
    Ok(())
}
