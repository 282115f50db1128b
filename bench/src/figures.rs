//! The README's figures: tables and charts from the JSON files of runs, and nothing else.
//!
//! `bench/figures.json` is the one result that the repository keeps, the medians of the last whole run, beside the
//! counts of instructions in `bench/instructions.json`. The marked parts of the README, of docs/performance.md,
//! docs/reliability.md and bench/README.md and the charts in docs/figures follow from them; a test holds them against
//! each other.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::bars::{judge, judge_scaling, promises};
use crate::cell::Cell;
use crate::chart::{self, Bar, Paint, Panel, Plot};
use crate::clock::long_date;
use crate::instructions::Counts;
use crate::limits::Limits;
use crate::report::{About, Table, count, say};
use crate::scaling::Scaling;
use crate::summary::Summary;
use crate::target::{Kind, Share};
use crate::workload::Workload;

const BEGIN: &str = "<!-- figures: written by `bench/run figures` from what it keeps -->";
const END: &str = "<!-- end of figures -->";
const KEPT: &str = "bench/figures.json";
const README: &str = "README.md";
const PERFORMANCE: &str = "docs/performance.md";
const RELIABILITY: &str = "docs/reliability.md";
const BENCH: &str = "bench/README.md";
const INSTRUCTIONS: &str = "bench/instructions.json";
const CHARTS: &str = "docs/figures";

/// The rows of the README in their order, with their names there.
const SHOWN: [(Workload, u8, &str); 8] = [
    (Workload::Get, 0, "get"),
    (Workload::Query, 0, "query of 25 items"),
    (Workload::Put, 0, "put"),
    (Workload::Put, 3, "put, 3 indexes"),
    (Workload::Update, 0, "update"),
    (Workload::Transact, 0, "transaction of 2 puts"),
    (Workload::Batch, 0, "batch of 25 puts"),
    (Workload::Mixed, 0, "mixed, half of it gets"),
];

/// Where figures come from and go to.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
A comparison replaces the kept comparison, a scaling by items or by indexes the kept one of its kind, limits the table of
docs/reliability.md; what isn't given stays. Run it at the root of the repository.

  bench/run figures --from bench/results/compare-….json --from bench/results/scaling-….json
  bench/run figures               writes tables and charts again from what is kept")]
pub(crate) struct FiguresOptions {
    /// JSON files of `compare`, `scaling` and `limits`
    #[arg(long, value_name = "FILE")]
    from: Vec<PathBuf>,
    /// Take results of a commit with changes that nobody else has, too
    #[arg(long)]
    allow_dirty: bool,
    /// The repository
    #[arg(long, default_value = ".", value_name = "DIR")]
    root: PathBuf,
}

/// The figures that the repository keeps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Kept {
    comparison: Option<Summary>,
    by_items: Option<Scaling>,
    by_indexes: Option<Scaling>,
    limits: Option<Limits>,
}

/// Takes in new results and writes everything that follows from them.
pub(crate) fn figures(options: &FiguresOptions) -> Result<()> {
    let mut kept = Kept::read(&options.root)?;
    for path in &options.from {
        kept.take(path, options.allow_dirty)?;
    }
    let text = serde_json::to_string_pretty(&kept)? + "\n";
    fs::write(options.root.join(KEPT), text)?;
    fs::create_dir_all(options.root.join(CHARTS))?;
    for (path, text) in kept.files(&options.root)? {
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        say!("{}", path.display());
    }
    Ok(())
}

impl Kept {
    fn read(root: &Path) -> Result<Self> {
        let path = root.join(KEPT);
        if !path.exists() {
            return Ok(Self::default());
        }
        serde_json::from_str(&fs::read_to_string(path)?).context("bench/figures.json is not what is kept")
    }

    /// Takes in the JSON file of a run.
    fn take(&mut self, path: &Path, allow_dirty: bool) -> Result<()> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut file: Value = serde_json::from_str(&text)?;
        let commit = file.pointer("/about/commit").and_then(Value::as_str).unwrap_or("unknown");
        ensure!(
            allow_dirty || !(commit.ends_with("-dirty") || commit == "unknown"),
            "{} was measured on {commit}: with changes that are in no commit, so nobody could measure it again. Commit and \
             measure anew, or take it all the same with --allow-dirty",
            path.display()
        );
        let found = file.get_mut("found").map(Value::take).unwrap_or_default();
        if let Some(summary) = found.get("summary") {
            self.comparison = Some(serde_json::from_value(summary.clone())?);
        } else if let Some(scaling) = found.get("scaling") {
            let scaling: Scaling = serde_json::from_value(scaling.clone())?;
            let place = if scaling.is_by_indexes() { &mut self.by_indexes } else { &mut self.by_items };
            *place = Some(scaling);
        } else if let Some(limits) = found.get("limits") {
            let limits: Limits = serde_json::from_value(limits.clone())?;
            ensure!(limits.is_whole(), "{} holds only some of the attacks", path.display());
            self.limits = Some(limits);
        } else {
            bail!("{} holds no comparison, scaling or limits", path.display());
        }
        Ok(())
    }

    /// Everything that follows from what is kept: paths and contents.
    fn files(&self, root: &Path) -> Result<Vec<(PathBuf, String)>> {
        let mut files = Vec::new();
        let instructions = Counts::read(&root.join(INSTRUCTIONS))?;
        let instructions =
            instructions.map_or_else(|| "Not counted yet.".to_owned(), |kept| kept.kept_table());
        for (name, block) in [
            (README, self.readme()),
            (PERFORMANCE, self.performance()),
            (RELIABILITY, self.reliability()),
            (BENCH, instructions),
        ] {
            let path = root.join(name);
            let text =
                fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            files.push((path, replace(&text, &block).with_context(|| format!("in {name}"))?));
        }
        if let Some(comparison) = &self.comparison {
            files.push((root.join(CHARTS).join("throughput.svg"), throughput_chart(comparison)));
        }
        if let Some(chart) = self.scaling_chart() {
            files.push((root.join(CHARTS).join("scaling.svg"), chart));
        }
        Ok(files)
    }

    fn readme(&self) -> String {
        let Some(comparison) = &self.comparison else { return "Not measured yet.\n".to_owned() };
        format!(
            "{}\n\n![Requests a second for each workload and server](docs/figures/throughput.svg)\n\n{}\n{}{}\n",
            introduction(comparison),
            beside_peers(comparison),
            in_words(comparison),
            self.on_disk(),
        )
    }

    /// The space of data on disk, where there is so much data that the space of the log doesn't matter.
    fn on_disk(&self) -> String {
        let sizes = self.by_items.iter().flat_map(|scaling| &scaling.sizes);
        let largest = sizes.filter(|size| size.errors == 0).max_by_key(|size| size.items);
        largest.map_or_else(String::new, |size| {
            let (items, ratio) = (count(size.items as f64), size.disk_bytes_per_byte());
            format!(" {items} items take {ratio:.1} bytes on disk for each of theirs, after a clean stop.")
        })
    }

    fn performance(&self) -> String {
        let mut text = String::new();
        if let Some(found) = &self.comparison {
            text += &format!("{}\n\n![Requests a second](figures/throughput.svg)\n\n", introduction(found));
            text += &format!("{}\n{}\n", found.durability(), promises(&judge(found)));
            for table in [found.throughput(), found.latency(), found.cpu(), found.space(), found.disk()] {
                text += &format!("{table}\n");
            }
            text += &format!("{}\n", found.doubts());
        }
        for scaling in [&self.by_items, &self.by_indexes].into_iter().flatten() {
            let judged = promises(&judge_scaling(scaling));
            text += &format!("{}\n\n{}\n{}\n{judged}\n", scaled(scaling), scaling.rates(), scaling.space());
        }
        if self.by_items.is_some() || self.by_indexes.is_some() {
            text += "![Throughput with more items and more indexes](figures/scaling.svg)\n";
        }
        if text.is_empty() { "Not measured yet.\n".to_owned() } else { text }
    }

    fn reliability(&self) -> String {
        let Some(limits) = &self.limits else { return "Not measured yet.\n".to_owned() };
        let (about, table) = (limits.about(), limits.table());
        format!("`bench/run limits` on {}: {}.\n\n{table}", measured_on(about), about.machine)
    }

    fn scaling_chart(&self) -> Option<String> {
        let scalings: Vec<&Scaling> = [&self.by_items, &self.by_indexes].into_iter().flatten().collect();
        let first = scalings.first()?;
        let plots: Vec<Plot> = scalings.iter().map(|scaling| plot(scaling)).collect();
        let notes = [format!("{} connections, durable; {}", first.connections, measured_on(&first.about))];
        Some(chart::lines("Throughput, as a share of the smallest", &notes, &plots))
    }
}

/// The text with what is between the marks replaced by the block.
fn replace(text: &str, block: &str) -> Result<String> {
    let begin = text.find(BEGIN).context("the mark where figures begin is missing")? + BEGIN.len();
    let end = text.find(END).filter(|end| *end >= begin).context("the mark where figures end is missing")?;
    let (before, after) = (text.get(..begin).unwrap_or_default(), text.get(end..).unwrap_or_default());
    Ok(format!("{before}\n\n{}\n\n{after}", block.trim_end()))
}

fn measured_on(about: &About) -> String {
    format!("{}, commit {}", long_date(&about.date), about.commit)
}

fn introduction(found: &Summary) -> String {
    let items = found.servers.iter().map(|server| server.items).max().unwrap_or(0);
    let slow: Vec<&str> = slow_kinds(found).iter().map(|kind| kind.title()).collect();
    let slow = if slow.is_empty() {
        String::new()
    } else {
        let few = found.servers.iter().map(|server| server.items).min().unwrap_or(0);
        format!(" ({} for {})", count(few as f64), slow.join(", "))
    };
    format!(
        "`bench/run` on {}: {}, client and servers on the same machine, 64 keep-alive connections, \
         {} items of 400 B{slow}, signatures sent (a server without credentials doesn't verify them). Durable means fsync before the answer.",
        measured_on(&found.about),
        found.about.machine,
        count(items as f64),
    )
}

fn slow_kinds(found: &Summary) -> Vec<Kind> {
    found.kinds().into_iter().filter(|kind| kind.share() == Share::Slow).collect()
}

/// The peers that were measured, each in the way that keeps data if it has one: the table would be too wide with all.
fn peers(found: &Summary) -> Vec<Kind> {
    let shown = [Kind::DynoxideFile, Kind::DynaliteFile, Kind::LocalFile, Kind::Moto];
    found.kinds().into_iter().filter(|kind| shown.contains(kind)).collect()
}

/// The cell of one server in a row of the README.
enum Shown {
    Rate(f64),
    /// It was measured, and gave wrong answers.
    Errors,
    Nothing,
}

/// Puts for a minute if that was measured on Singlet, with every server that has it; see [`Summary::shows_sustained`].
fn shown(found: &Summary, workload: Workload, indexes: u8, kind: Kind) -> Shown {
    let short = Cell { workload, indexes, connections: 64, sustained: false };
    let sustained = Cell { sustained: true, ..short };
    let long = found.measured(kind, &sustained).filter(|_| found.shows_sustained(&short));
    match long.or_else(|| found.measured(kind, &short)) {
        Some(figures) if figures.errors.is_empty() => Shown::Rate(figures.requests_per_second),
        Some(_) => Shown::Errors,
        None => Shown::Nothing,
    }
}

impl Shown {
    fn rate(&self) -> Option<f64> {
        if let Self::Rate(rate) = self { Some(*rate) } else { None }
    }

    /// The rate as `text` shows it, or why there is none.
    fn or_why_not(&self, text: impl Fn(f64) -> String) -> String {
        match self {
            Self::Rate(rate) => text(*rate),
            Self::Errors => "errors".to_owned(),
            Self::Nothing => "–".to_owned(),
        }
    }
}

/// Singlet's figures, of bare, and how many times each peer.
fn beside_peers(found: &Summary) -> String {
    let peers = peers(found);
    let mut table = Table::new(["requests a second", "Singlet", "of bare HTTP"]);
    let headings: Vec<String> = peers.iter().map(|kind| kind.title().to_owned()).collect();
    table.columns(headings.iter().map(String::as_str));
    for (workload, indexes, title) in SHOWN {
        let ours = shown(found, workload, indexes, Kind::Singlet);
        if matches!(ours, Shown::Nothing) {
            continue;
        }
        let bare = shown(found, workload, indexes, Kind::Bare);
        let ratio = |rate: f64| ours.or_why_not(|ours| format!("{:.2}", ours / rate));
        let mut cells = vec![ours.or_why_not(count), bare.or_why_not(ratio)];
        for kind in &peers {
            let beside = |rate: f64| match ours.rate() {
                Some(ours) => format!("{} ({} ×)", count(rate), times(ours / rate)),
                None => count(rate),
            };
            cells.push(shown(found, workload, indexes, *kind).or_why_not(beside));
        }
        table.row(title, cells.into_iter());
    }
    table.text()
}

/// A ratio with two digits: `1.4`, `16`, `230`.
fn times(ratio: f64) -> String {
    if ratio < 9.95 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
}

fn in_words(found: &Summary) -> String {
    let mut text = String::from("In brackets: how many times as many Singlet does.");
    if let Some(server) = found.servers.iter().find(|server| server.kind == Kind::Singlet)
        && let Some(milliseconds) = server.start_milliseconds
    {
        let megabytes = count(server.start_resident_bytes as f64 / 1e6);
        text += &format!(" It starts in {} ms with {megabytes} MB.", count(milliseconds));
    }
    text += &verified(found);
    text += &format!(" {}", how_long(found));
    if !found.left_out.is_empty() {
        let names: Vec<&str> =
            found.left_out.iter().filter_map(|text| text.split([':', ' ']).next()).collect();
        text += &format!(" Left out: {}.", names.join(", "));
    }
    text
}

/// The cost of verifying signatures, in cells of equal length.
fn verified(found: &Summary) -> String {
    let beside = |workload| {
        let cell = Cell { workload, indexes: 0, connections: 64, sustained: false };
        let rate = found.rate(Kind::SingletVerified, &cell)?;
        Some((rate, rate / found.rate(Kind::Singlet, &cell)?))
    };
    let (Some(get), Some(put)) = (beside(Workload::Get), beside(Workload::Put)) else { return String::new() };
    format!(
        " With credentials, so that it verifies every signature, it does {} gets and {} puts a second: {:.2} and {:.2} of \
         what it does without in measurements of the same length.",
        count(get.0),
        count(put.0),
        get.1,
        put.1
    )
}

/// How long was measured, and how often.
fn how_long(found: &Summary) -> String {
    let of_singlet = found.rows.iter().filter_map(|row| row.figures.get(&Kind::Singlet));
    let rounds = of_singlet.map(|figures| figures.rounds).max().unwrap_or(0);
    let rounds = format!("{rounds} round{} of {} s", if rounds == 1 { "" } else { "s" }, found.seconds);
    let slow = if slow_kinds(found).is_empty() { "" } else { ", of slow servers one round" };
    if found.sustained_seconds > 0.0 {
        format!(
            "Puts of Singlet, bare HTTP and dynoxide on file ran for {:.0} s; the others are medians of {rounds}{slow}.",
            found.sustained_seconds
        )
    } else {
        format!("Medians of {rounds}{slow}.")
    }
}

/// The bars of all servers, one panel for each workload.
pub(crate) fn throughput_chart(found: &Summary) -> String {
    let panels: Vec<Panel> = SHOWN
        .iter()
        .filter_map(|(workload, indexes, title)| {
            let bars: Vec<Bar> = found
                .kinds()
                .into_iter()
                .filter(|kind| !matches!(kind, Kind::Engine | Kind::SingletBefore | Kind::SingletVerified))
                .filter_map(|kind| bar(found, *workload, *indexes, kind))
                .collect();
            (!bars.is_empty()).then(|| Panel { title: (*title).to_owned(), bars: ordered(bars) })
        })
        .collect();
    let notes = [
        "64 connections on one machine with the client. On file means fsync before the answer, except dynalite, which doesn't."
            .to_owned(),
        format!("Dashed: a server that stores nothing. {}", measured_on(&found.about)),
    ];
    chart::bars("Requests a second", &notes, &panels)
}

fn bar(found: &Summary, workload: Workload, indexes: u8, kind: Kind) -> Option<Bar> {
    let value = shown(found, workload, indexes, kind).rate()?;
    let paint = match kind {
        Kind::Bare => Paint::Limit,
        Kind::Singlet => Paint::Ours,
        Kind::SingletMemory => Paint::Near,
        _ => Paint::Peer,
    };
    Some(Bar { label: kind.title().to_owned(), value, text: count(value), paint })
}

/// Ours first, what it is compared with after it, the limit last.
fn ordered(mut bars: Vec<Bar>) -> Vec<Bar> {
    bars.sort_by_key(|bar| match bar.paint {
        Paint::Ours => 0,
        Paint::Near => 1,
        Paint::Peer => 2,
        Paint::Limit => 3,
    });
    bars
}

fn scaled(scaling: &Scaling) -> String {
    let by = if scaling.is_by_indexes() { "indexes" } else { "items" };
    format!(
        "By {by}: `bench/run scaling` on {}, {} connections, {} rounds of {} s.",
        measured_on(&scaling.about),
        scaling.connections,
        scaling.rounds,
        scaling.seconds
    )
}

fn plot(scaling: &Scaling) -> Plot {
    let by_indexes = scaling.is_by_indexes();
    let places = scaling
        .sizes
        .iter()
        .map(|size| if by_indexes { format!("{}", size.indexes) } else { count(size.items as f64) });
    let workloads = scaling.sizes.first().into_iter().flat_map(|first| &first.rates);
    let lines = workloads.map(|(workload, of_first)| {
        let rates = scaling.sizes.iter().filter_map(|size| size.rates.get(workload));
        (workload.name().to_owned(), rates.map(|rate| rate / of_first).collect())
    });
    let title = match (by_indexes, scaling.sizes.first()) {
        (true, Some(first)) => format!("by global indexes, {} items", count(first.items as f64)),
        _ => "by items".to_owned(),
    };
    Plot { title, places: places.collect(), lines: lines.collect() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{BEGIN, END, Kept, Shown, beside_peers, replace, shown, times, verified};
    use crate::limits::tests::limits;
    use crate::summary::Summary;
    use crate::summary::tests::summary;
    use crate::target::Kind;
    use crate::workload::Workload;

    #[test]
    fn readme_performance_page_and_charts_are_what_the_kept_figures_give() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let kept = Kept::read(root).unwrap();
        for (path, wanted) in kept.files(root).unwrap() {
            let found = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(found == wanted, "{} is old: `bench/run figures` writes it", path.display());
        }
    }

    #[test]
    fn results_of_a_dirty_commit_are_refused_unless_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("compare.json");
        for (commit, clean) in [("0123456789", true), ("0123456789-dirty", false), ("unknown", false)] {
            let mut found = summary(&[(Workload::Get, Kind::Singlet, 75.0)]);
            found.about.commit = commit.to_owned();
            let file = serde_json::json!({"about": found.about, "found": {"summary": found}});
            std::fs::write(&path, file.to_string()).unwrap();
            assert_eq!(Kept::default().take(&path, false).is_ok(), clean, "{commit}");
            assert!(Kept::default().take(&path, true).is_ok());
        }
    }

    #[test]
    fn limits_go_into_the_page_on_reliability_if_all_attacks_were_tried() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("limits.json");
        for only in ["", "idle"] {
            let found = limits(summary(&[]).about, only);
            let file = serde_json::json!({"about": found.about(), "found": {"limits": found}});
            std::fs::write(&path, file.to_string()).unwrap();
            let mut kept = Kept::default();
            assert_eq!(kept.take(&path, false).is_ok(), only.is_empty());
            assert_eq!(kept.reliability().contains("with TLS"), only.is_empty());
        }
    }

    #[test]
    fn only_what_is_between_the_marks_is_replaced() {
        let text = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        let once = replace(&text, "new\n").unwrap();
        assert_eq!(once, format!("before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"));
        assert_eq!(replace(&once, "new").unwrap(), once, "writing twice changes nothing");
        assert!(replace("no marks", "new").is_err());
        assert!(replace(&format!("{END}{BEGIN}"), "new").is_err());
    }

    #[test]
    fn peers_stand_beside_singlet_with_how_many_times_it_does() {
        let table = beside_peers(&summary(&[
            (Workload::Get, Kind::Bare, 100_000.0),
            (Workload::Get, Kind::Singlet, 80_000.0),
            (Workload::Get, Kind::DynoxideFile, 10_000.0),
            (Workload::Get, Kind::Moto, 200.0),
        ]));
        assert!(table.contains("80,000"), "{table}");
        assert!(table.contains("0.80"), "{table}");
        assert!(table.contains("10,000 (8.0 ×)"), "{table}");
        assert!(table.contains("200 (400 ×)"), "{table}");
    }

    #[test]
    fn a_row_is_of_a_minute_or_of_seconds_and_errors_are_shown() {
        let kinds = [(Kind::Singlet, 50.0), (Kind::DynoxideFile, 10.0), (Kind::Moto, 5.0)];
        let mut found = summary(&kinds.map(|(kind, rate)| (Workload::Put, kind, rate)));
        let mut minute = found.rows[0].clone();
        minute.cell.sustained = true;
        minute.figures.remove(&Kind::Moto);
        minute.figures.get_mut(&Kind::DynoxideFile).unwrap().errors.insert("wrong".to_owned(), 1);
        found.rows.push(minute);
        let of = |found: &Summary, kind| shown(found, Workload::Put, 0, kind);
        assert!(matches!(of(&found, Kind::DynoxideFile), Shown::Errors));
        assert!(matches!(of(&found, Kind::Moto), Shown::Rate(_)), "it has only the short form");
        assert!(beside_peers(&found).contains("errors"));
        found.rows[1].figures.remove(&Kind::Singlet);
        assert!(matches!(of(&found, Kind::DynoxideFile), Shown::Rate(_)), "Singlet's is short, so is this");
    }

    #[test]
    fn what_verified_signatures_cost_is_told_beside_the_figures_without() {
        let mut rates =
            vec![(Workload::Get, Kind::Singlet, 50_000.0), (Workload::Put, Kind::Singlet, 40_000.0)];
        assert_eq!(verified(&summary(&rates)), "");
        rates.extend([(Workload::Get, Kind::SingletVerified, 45_000.0)]);
        rates.extend([(Workload::Put, Kind::SingletVerified, 30_000.0)]);
        let text = verified(&summary(&rates));
        assert!(text.contains("45,000 gets and 30,000 puts a second: 0.90 and 0.75 of"), "{text}");
    }

    #[test]
    fn ratios_have_two_digits() {
        assert_eq!([1.44, 9.94, 9.96, 234.4].map(times), ["1.4", "9.9", "10", "234"]);
    }
}
