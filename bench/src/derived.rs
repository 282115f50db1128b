//! Derived data: how long an effect takes, what it costs writers, and how long a new rule takes to fill.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use singlet_derive::{Audit, Background, Worker};
use singlet_design::{Design, load};
use singlet_engine::values::{AttributeValue, EncodedItem, Item};
use singlet_engine::{Database, GetItem, PutItem, StreamView, Subscribe};
use singlet_run::{Wait, apply};
use singlet_store::Embedded;

use crate::report::say;

const PLAIN: &str = r##"
design = "likes"

[table]
key = ["PK", "SK"]

[entity.Post]
key = ["POST#{post}", "POST"]
[entity.Post.fields]
post  = "key"
likes = { type = "int", default = 0 }

[entity.Like]
key = ["POST#{post}", "LIKE#{user}"]
[entity.Like.fields]
post = "key"
user = "key"

[pattern.like]
create = "Like"
"##;

/// Threads that write, as many as a server would have connections.
const WRITERS: u64 = 64;
/// Posts that share the likes.
const POSTS: u64 = 1_000;
/// The longest wait for effects that are still to come.
const EFFECTS_WAIT: Duration = Duration::from_secs(60);

/// How much is measured.
#[derive(Debug, clap::Args)]
pub(crate) struct DerivedOptions {
    /// Likes a second while the lag is measured
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 10_000, 20_000])]
    rates: Vec<u64>,
    /// Seconds of each measurement
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Rounds of the comparison with plain writes
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Items that a new rule is filled from while 5,000 writes a second go on; 0 leaves it out
    #[arg(long, default_value_t = 1_000_000)]
    fill: u64,
    /// Where databases are created and deleted again
    #[arg(long, default_value = "bench/results")]
    scratch: PathBuf,
}

/// Prints the lag at each rate, the throughput beside plain writes, a hot post, and the time of a fill.
pub(crate) fn derived(options: &DerivedOptions) -> Result<()> {
    for rate in &options.rates {
        lag(options, *rate)?;
    }
    throughput(options)?;
    hot_post(options)?;
    if options.fill > 0 {
        fill(options)?;
    }
    Ok(())
}

/// A database in a folder of its own, deleted at the end.
struct Place {
    database: Database,
    design: Arc<Design>,
    folder: PathBuf,
}

impl Place {
    fn new(options: &DerivedOptions, name: &str, source: &str) -> Result<Place> {
        let folder = options.scratch.join(format!("derived-{name}-{}", std::process::id()));
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        std::fs::create_dir_all(&folder)?;
        let place = Place {
            database: Database::open(&folder)?,
            design: Arc::new(load("likes.toml", source)?),
            folder,
        };
        place.apply()?;
        for post in 0..POSTS {
            let name = post_name(post);
            let item = [
                ("PK", format!("POST#{name}")),
                ("SK", "POST".to_owned()),
                ("type", "Post".to_owned()),
                ("post", name),
            ];
            place.database.put_item(PutItem::new("likes", item.into_iter().collect::<Item>()))?;
        }
        Ok(place)
    }

    fn apply(&self) -> Result<()> {
        let environment = apply::choose_environment(&self.design, None)?;
        let plan = apply::plan(&self.design, &environment, &self.store()).wait()?;
        Ok(plan.run(&self.store(), &mut |_| {}).wait()?)
    }

    fn store(&self) -> Embedded {
        Embedded::new(self.database.clone(), "bench")
    }

    fn worker(&self) -> Result<Background> {
        let started = Background::start(self.store(), Arc::clone(&self.design), "dev").wait()?;
        started.context("the design derives data")
    }

    fn catch_up(&self) -> Result<()> {
        let worker = Worker::open(self.store(), Arc::clone(&self.design), "dev").wait()?;
        Ok(worker.context("the design derives data")?.catch_up().wait()?)
    }

    /// Fails if a recount finds a difference.
    fn audit(&self) -> Result<()> {
        let audit =
            Audit::new(self.store(), Arc::clone(&self.design), "dev").context("the design derives data")?;
        let report = audit.run(&mut |_| ()).wait()?;
        ensure!(report.differing == 0, "{} derived fields are wrong", report.differing);
        Ok(())
    }

    fn close(self) -> Result<()> {
        self.database.close()?;
        Ok(std::fs::remove_dir_all(&self.folder)?)
    }
}

fn counted() -> String {
    PLAIN.replace("default = 0", "count = \"Like\"")
}

fn post_name(post: u64) -> String {
    format!("{post:06}")
}

fn like(post: u64, user: u64) -> PutItem {
    let name = post_name(post);
    let fields = [
        ("PK", format!("POST#{name}")),
        ("SK", format!("LIKE#{user:012}")),
        ("type", "Like".to_owned()),
        ("post", name),
        ("user", format!("{user:012}")),
    ];
    PutItem::new("likes", fields.into_iter().collect::<Item>())
}

/// Writes likes on all threads until the time is over, at a rate or as fast as it goes. Returns how many.
fn write(database: &Database, first: u64, posts: u64, rate: Option<u64>, time: Duration) -> Result<u64> {
    let written = AtomicU64::new(0);
    let begin = Instant::now();
    std::thread::scope(|scope| -> Result<()> {
        let threads: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let written = &written;
                scope.spawn(move || -> Result<()> {
                    for number in 0.. {
                        if let Some(rate) = rate {
                            let due =
                                Duration::from_secs_f64((number * WRITERS + writer) as f64 / rate as f64);
                            std::thread::park_timeout(due.saturating_sub(begin.elapsed()));
                        }
                        if begin.elapsed() >= time {
                            break;
                        }
                        let user = first + number * WRITERS + writer;
                        database.put_item(like(user % posts, user))?;
                        written.fetch_add(1, Ordering::Relaxed);
                    }
                    Ok(())
                })
            })
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| anyhow::anyhow!("a writer panicked"))?)
    })?;
    Ok(written.load(Ordering::Relaxed))
}

/// Measures how long after a like its post shows it, as a reader of the stream sees both.
fn lag(options: &DerivedOptions, rate: u64) -> Result<()> {
    let place = Place::new(options, "lag", &counted())?;
    place.catch_up()?;
    let worker = place.worker()?;
    let mut feed = place.database.subscribe(Subscribe::new("likes").view(StreamView::NewImage))?;
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&is_over);
    let watcher = std::thread::spawn(move || -> Result<Vec<Duration>> {
        let mut seen: HashMap<String, Vec<Instant>> = HashMap::new();
        let mut shown: HashMap<String, usize> = HashMap::new();
        let (mut lags, mut likes) = (Vec::new(), 0);
        let mut ended: Option<Instant> = None;
        while lags.len() < likes || !over.load(Ordering::Acquire) {
            if over.load(Ordering::Acquire) {
                let since = ended.get_or_insert_with(Instant::now);
                ensure!(since.elapsed() < EFFECTS_WAIT, "{} effects never came", likes - lags.len());
            }
            let records = feed.next(Duration::from_millis(20))?;
            let now = Instant::now();
            for image in records.iter().filter_map(|record| record.new_image.as_ref()) {
                let Some(post) = text(image, "post") else { continue };
                if text(image, "type").as_deref() == Some("Like") {
                    likes += 1;
                    seen.entry(post).or_default().push(now);
                    continue;
                }
                let count = number(image, "likes").unwrap_or(0);
                let from = shown.insert(post.clone(), count).unwrap_or(0);
                let times = seen.get(&post).and_then(|times| times.get(from..count)).unwrap_or_default();
                lags.extend(times.iter().map(|time| now.duration_since(*time)));
            }
        }
        Ok(lags)
    });
    let written = write(&place.database, 0, POSTS, Some(rate), Duration::from_secs(options.seconds))?;
    is_over.store(true, Ordering::Release);
    let mut lags = watcher.join().map_err(|_| anyhow::anyhow!("the watcher panicked"))??;
    worker.stop();
    lags.sort_unstable();
    let at = |share: f64| {
        let place = (lags.len() as f64 * share) as usize;
        lags.get(place.min(lags.len().saturating_sub(1))).copied().unwrap_or_default().as_secs_f64() * 1e3
    };
    say!(
        "{rate} likes a second on {POSTS} posts: {:.0} written a second, lag p50 {:.1} ms, p99 {:.1} ms, max {:.1} ms",
        written as f64 / options.seconds as f64,
        at(0.5),
        at(0.99),
        at(1.0)
    );
    place.audit()?;
    place.close()
}

/// Measures likes as fast as they go, with the count derived and without, in turn.
fn throughput(options: &DerivedOptions) -> Result<()> {
    let (plain, derived) =
        (Place::new(options, "plain", PLAIN)?, Place::new(options, "counted", &counted())?);
    derived.catch_up()?;
    let time = Duration::from_secs(options.seconds);
    let (mut users, mut ratios) = (0, Vec::new());
    for round in 1..=options.rounds {
        let without = write(&plain.database, users, POSTS, None, time)?;
        let worker = derived.worker()?;
        let with = write(&derived.database, users, POSTS, None, time)?;
        let behind = Instant::now();
        worker.stop();
        derived.catch_up()?;
        users += 2 * without.max(with) + WRITERS;
        let ratio = with as f64 / without as f64;
        ratios.push(ratio);
        let each = |count: u64| count as f64 / time.as_secs_f64();
        say!(
            "round {round}: {:.0} likes a second with the count derived, {:.0} plain puts: {ratio:.2}; caught up {:.2} s later",
            each(with),
            each(without),
            behind.elapsed().as_secs_f64()
        );
    }
    ratios.sort_by(f64::total_cmp);
    say!("ratio to plain puts: {:.2} (median)", ratios.get(ratios.len() / 2).copied().unwrap_or_default());
    derived.audit()?;
    plain.close()?;
    derived.close()
}

/// Likes one post on all threads, and compares the count.
fn hot_post(options: &DerivedOptions) -> Result<()> {
    let place = Place::new(options, "hot", &counted())?;
    place.catch_up()?;
    let worker = place.worker()?;
    let begin = Instant::now();
    let written = write(&place.database, 0, 1, None, Duration::from_secs(options.seconds))?;
    let writing = begin.elapsed();
    let effects = worker.counters().effects_total();
    worker.stop();
    place.catch_up()?;
    let key: Item =
        [("PK", format!("POST#{}", post_name(0))), ("SK", "POST".to_owned())].into_iter().collect();
    let found = place.database.get_item(&GetItem::new("likes", key))?.item.context("the post is there")?;
    let count = number(&found, "likes").unwrap_or(0);
    ensure!(count as u64 == written, "{written} likes, but the post shows {count}");
    say!(
        "one post, {WRITERS} threads: {:.0} likes a second, counted exactly ({count}) in {effects} writes of the post",
        written as f64 / writing.as_secs_f64()
    );
    place.close()
}

/// Fills a new rule from many items while writes go on.
fn fill(options: &DerivedOptions) -> Result<()> {
    let mut place = Place::new(options, "fill", PLAIN)?;
    let begin = Instant::now();
    let mut filled = 0;
    while filled < options.fill {
        filled += write(&place.database, filled, POSTS, None, Duration::from_secs(1))? + WRITERS;
    }
    say!("{filled} likes written in {:.0} s", begin.elapsed().as_secs_f64());
    place.design = Arc::new(load("likes.toml", &counted())?);
    place.apply()?;
    let is_over = AtomicBool::new(false);
    let (took, written) = std::thread::scope(|scope| -> Result<(Duration, u64)> {
        let (database, is_over) = (&place.database, &is_over);
        let writer = scope.spawn(move || -> Result<u64> {
            let mut written = 0;
            while !is_over.load(Ordering::Acquire) {
                let first = 2 * filled + written;
                written += write(database, first, POSTS, Some(5_000), Duration::from_secs(1))?;
            }
            Ok(written)
        });
        let begin = Instant::now();
        let mut worker = Worker::open(place.store(), Arc::clone(&place.design), "dev")
            .wait()?
            .context("the design derives data")?;
        while worker.is_filling() {
            worker.step(Duration::ZERO).wait()?;
        }
        let took = begin.elapsed();
        is_over.store(true, Ordering::Release);
        let written = writer.join().map_err(|_| anyhow::anyhow!("a writer panicked"))??;
        Ok((took, written))
    })?;
    let seconds = took.as_secs_f64();
    say!("filled in {seconds:.1} s while {:.0} likes a second were written", written as f64 / seconds);
    place.catch_up()?;
    place.audit()?;
    place.close()
}

fn text(item: &EncodedItem, name: &str) -> Option<String> {
    match item.view().get(name)?.to_value().ok()? {
        AttributeValue::S(text) => Some(text),
        _ => None,
    }
}

fn number(item: &EncodedItem, name: &str) -> Option<usize> {
    match item.view().get(name)?.to_value().ok()? {
        AttributeValue::N(number) => number.to_i64().and_then(|number| usize::try_from(number).ok()),
        _ => None,
    }
}
