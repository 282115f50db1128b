//! The page for Prometheus, in its text format.

use std::fmt::{Display, Write};

use singlet_wire::Operation;

use super::histogram::{BOUNDS_MICROSECONDS, Recorded};
use super::registry::{Metrics, Row};
use crate::api::{DerivedStatistics, OutletStatistics, PatternStatistics, Statistics, TableStatistics};

/// The resources that clients use now.
#[derive(Default)]
pub(crate) struct Usage {
    pub(crate) connections: usize,
    pub(crate) body_bytes: usize,
    pub(crate) answer_bytes: usize,
}

/// Writes the page.
pub(crate) fn page(metrics: &Metrics, statistics: &Statistics, held: &Usage) -> String {
    let mut page = Page { text: String::with_capacity(16 << 10) };
    requests(&mut page, metrics);
    mounted(&mut page, metrics);
    capacity(&mut page, metrics);
    connections(&mut page, metrics, held);
    tables(&mut page, &statistics.tables);
    indexes(&mut page, &statistics.tables);
    derived(&mut page, &statistics.derived);
    outlets(&mut page, &statistics.outlets);
    patterns(&mut page, &statistics.patterns);
    for figure in &statistics.storage {
        let name = format!("singlet_storage_{}", figure.name);
        let kind = if figure.name.ends_with("_total") { "counter" } else { "gauge" };
        page.family(&name, kind, figure.help);
        page.sample(&name, &[], figure.value);
    }
    page.text
}

fn requests(page: &mut Page, metrics: &Metrics) {
    let rows = || {
        let names = Operation::ALL.iter().map(|operation| operation.name()).chain(["none"]);
        names.zip(&metrics.operations).filter(|(_, row): &(_, &Row)| row.latency.recorded().count() > 0)
    };
    page.family("singlet_requests_total", "counter", "Requests answered, by operation.");
    for (name, row) in rows() {
        page.sample("singlet_requests_total", &[("operation", name)], row.latency.recorded().count());
    }
    page.family(
        "singlet_errors_total",
        "counter",
        "Requests answered with an error, by operation and error.",
    );
    for (name, row) in rows() {
        for (error, count) in row.errors.counted() {
            page.sample("singlet_errors_total", &[("operation", name), ("error", error)], count);
        }
    }
    let family = "singlet_request_seconds";
    page.family(family, "histogram", "Time from a request's head to its answer, by operation.");
    for (name, row) in rows() {
        page.histogram(family, &[("operation", name)], &row.latency.recorded());
    }
}

fn mounted(page: &mut Page, metrics: &Metrics) {
    let family = "singlet_mounted_requests_total";
    page.family(family, "counter", "Requests for the API and the pages, by the class of their status.");
    for (class, count) in ["1xx", "2xx", "3xx", "4xx", "5xx"].into_iter().zip(&metrics.mounted) {
        if count.get() > 0 {
            page.sample(family, &[("status", class)], count.get());
        }
    }
    let family = "singlet_mounted_request_seconds";
    page.family(family, "histogram", "Time from the head of such a request to the head of its answer.");
    let recorded = metrics.mounted_latency.recorded();
    if recorded.count() > 0 {
        page.histogram(family, &[], &recorded);
    }
}

fn capacity(page: &mut Page, metrics: &Metrics) {
    let counted = metrics.capacity.counted();
    page.family("singlet_consumed_read_units_total", "counter", "Read units consumed, by table.");
    for (table, read_units, _) in &counted {
        page.sample("singlet_consumed_read_units_total", &[("table", table)], read_units);
    }
    page.family("singlet_consumed_write_units_total", "counter", "Write units consumed, by table.");
    for (table, _, write_units) in &counted {
        page.sample("singlet_consumed_write_units_total", &[("table", table)], write_units);
    }
}

fn connections(page: &mut Page, metrics: &Metrics, held: &Usage) {
    for (name, help, value) in [
        ("singlet_connections_open", "Connections that are open.", held.connections),
        (
            "singlet_body_bytes",
            "Bytes that requests' bodies hold, received and read, small ones left out.",
            held.body_bytes,
        ),
        (
            "singlet_answer_bytes",
            "Bytes of answers that are being made or not taken yet, small ones left out.",
            held.answer_bytes,
        ),
    ] {
        page.family(name, "gauge", help);
        page.sample(name, &[], value);
    }
    for (name, help, count) in [
        ("singlet_connections_accepted_total", "Connections accepted.", &metrics.connections_accepted),
        (
            "singlet_connections_refused_total",
            "Connections refused because too many were open.",
            &metrics.connections_refused,
        ),
        (
            "singlet_connections_displaced_total",
            "Connections closed for others because no request on them was allowed yet.",
            &metrics.connections_displaced,
        ),
        (
            "singlet_connections_timed_out_total",
            "Connections closed because their client waited too long.",
            &metrics.connections_timed_out,
        ),
        (
            "singlet_accepts_failed_total",
            "How often the system had no connection to give, for lack of file handles perhaps.",
            &metrics.accepts_failed,
        ),
        (
            "singlet_requests_refused_total",
            "Requests refused because bodies or answers held all the memory that they may.",
            &metrics.requests_refused,
        ),
        ("singlet_panics_total", "Requests that failed by a fault of the server.", &metrics.panics),
    ] {
        page.family(name, "counter", help);
        page.sample(name, &[], count.get());
    }
}

fn tables(page: &mut Page, tables: &[TableStatistics]) {
    page.family("singlet_table_items", "gauge", "Items, by table.");
    for table in tables {
        page.sample("singlet_table_items", &[("table", &table.name)], table.items);
    }
    page.family("singlet_table_bytes", "gauge", "Bytes of all items as DynamoDB counts them, by table.");
    for table in tables {
        page.sample("singlet_table_bytes", &[("table", &table.name)], table.bytes);
    }
    page.family(
        "singlet_expired_items_total",
        "counter",
        "Items deleted because their time was over, by table.",
    );
    for table in tables {
        page.sample("singlet_expired_items_total", &[("table", &table.name)], table.expired);
    }
}

fn indexes(page: &mut Page, tables: &[TableStatistics]) {
    let indexes =
        || tables.iter().flat_map(|table| table.indexes.iter().map(move |index| (&table.name, index)));
    page.family("singlet_index_items", "gauge", "Entries, by index.");
    for (table, index) in indexes() {
        page.sample("singlet_index_items", &[("table", table), ("index", &index.name)], index.items);
    }
    page.family("singlet_index_bytes", "gauge", "Bytes of all entries, by index.");
    for (table, index) in indexes() {
        page.sample("singlet_index_bytes", &[("table", table), ("index", &index.name)], index.bytes);
    }
}

fn outlets(page: &mut Page, outlets: &[OutletStatistics]) {
    page.family(
        "singlet_outlet_lag_seconds",
        "gauge",
        "Age of the last change that an archive or a receiver has taken in, while there are more.",
    );
    for one in outlets {
        let labels = [("design", one.design.as_str()), ("outlet", one.outlet.as_str())];
        page.sample("singlet_outlet_lag_seconds", &labels, one.lag_seconds);
    }
    type Count = fn(&OutletStatistics) -> u64;
    let counts: [(&str, &str, Count); 4] = [
        ("done", "Items that were archived, and changes that were delivered.", |one| one.done),
        ("dead", "Changes that couldn't be delivered.", |one| one.dead),
        ("failures", "Attempts to archive or to deliver that failed.", |one| one.failures),
        ("gaps", "How often changes were missed, because the change feed no longer had them.", |one| {
            one.gaps
        }),
    ];
    for (name, help, count) in counts {
        let name = format!("singlet_outlet_{name}_total");
        page.family(&name, "counter", help);
        for one in outlets {
            page.sample(&name, &[("design", &one.design), ("outlet", &one.outlet)], count(one));
        }
    }
}

fn patterns(page: &mut Page, patterns: &[PatternStatistics]) {
    let family = "singlet_pattern_seconds";
    page.family(family, "histogram", "Time of calls of the API, by design and pattern.");
    for one in patterns {
        let labels = [("design", one.design.as_str()), ("pattern", one.pattern.as_str())];
        for (bound, calls) in &one.buckets {
            let bound = if bound.is_finite() { bound.to_string() } else { "+Inf".to_owned() };
            let labels: Vec<(&str, &str)> = labels.into_iter().chain([("le", bound.as_str())]).collect();
            page.sample(&format!("{family}_bucket"), &labels, calls);
        }
        page.sample(&format!("{family}_sum"), &labels, one.seconds);
        page.sample(&format!("{family}_count"), &labels, one.calls);
    }
    let family = "singlet_pattern_within_seconds";
    page.family(family, "gauge", "Time in which the design wants a pattern to be answered.");
    for one in patterns {
        if let Some(within_seconds) = one.within_seconds {
            page.sample(family, &[("design", &one.design), ("pattern", &one.pattern)], within_seconds);
        }
    }
    type Count = fn(&PatternStatistics) -> u64;
    let counts: [(&str, &str, Count); 3] = [
        ("late", "Calls that took longer than the design wants, by design and pattern.", |one| one.late),
        ("refused", "Calls that were refused with a status of 4xx, by design and pattern.", |one| {
            one.refused
        }),
        ("failed", "Calls that failed with a status of 5xx, by design and pattern.", |one| one.failed),
    ];
    for (name, help, count) in counts {
        let name = format!("singlet_pattern_{name}_total");
        page.family(&name, "counter", help);
        for one in patterns {
            page.sample(&name, &[("design", &one.design), ("pattern", &one.pattern)], count(one));
        }
    }
}

fn derived(page: &mut Page, designs: &[DerivedStatistics]) {
    page.family(
        "singlet_derived_lag_seconds",
        "gauge",
        "Age of the last change that derived data follows, while there are more, by design.",
    );
    for one in designs {
        page.sample("singlet_derived_lag_seconds", &[("design", &one.design)], one.lag_seconds);
    }
    type Count = fn(&DerivedStatistics) -> u64;
    let counts: [(&str, &str, Count); 5] = [
        ("changes", "Changes of items that derived data has taken in, by design.", |one| one.changes),
        ("batches", "Transactions that wrote derived data, by design.", |one| one.batches),
        ("effects", "Items that they wrote derived data to, by design.", |one| one.effects),
        ("refused", "Derived values that an item couldn't take, by design.", |one| one.refused),
        ("failures", "Attempts to keep derived data that failed, by design.", |one| one.failures),
    ];
    for (name, help, count) in counts {
        let name = format!("singlet_derived_{name}_total");
        page.family(&name, "counter", help);
        for one in designs {
            page.sample(&name, &[("design", &one.design)], count(one));
        }
    }
}

struct Page {
    text: String,
}

impl Page {
    /// Writes the header of a metric.
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
    }

    /// Writes one sample. Labels don't need escaping: the names of operations, errors, tables and indexes contain no
    /// quotes, backslashes or line ends.
    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.text.push_str(name);
        for (position, (label, text)) in labels.iter().enumerate() {
            let before = if position == 0 { '{' } else { ',' };
            self.line(format_args!("{before}{label}=\"{text}\""));
        }
        self.line(format_args!("{} {value}\n", if labels.is_empty() { "" } else { "}" }));
    }

    /// Writes the samples of a histogram.
    fn histogram(&mut self, family: &str, labels: &[(&str, &str)], recorded: &Recorded) {
        let bounds = BOUNDS_MICROSECONDS.iter().map(|bound| (*bound as f64 / 1e6).to_string());
        for (bound, count) in bounds.chain(["+Inf".to_owned()]).zip(recorded.cumulative) {
            let labels: Vec<(&str, &str)> = labels.iter().copied().chain([("le", bound.as_str())]).collect();
            self.sample(&format!("{family}_bucket"), &labels, count);
        }
        self.sample(&format!("{family}_sum"), labels, recorded.sum_seconds);
        self.sample(&format!("{family}_count"), labels, recorded.count());
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        self.text.write_fmt(line).expect("a string takes all that is written to it");
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use singlet_engine::{Consumed, Units};
    use singlet_wire::{Consumption, Reply};

    use super::*;
    use crate::api::{IndexStatistics, StorageFigure};

    fn reply(error: Option<&'static str>, consumed: Consumption) -> Reply {
        Reply { status: 200, body: Vec::new(), operation: None, error, consumed }
    }

    #[test]
    fn the_page_shows_requests_errors_capacity_and_sizes() {
        let metrics = Metrics::new();
        let consumed = Consumed { table_units: Units::read(0.5), ..Consumed::of("Music") };
        let fine = reply(None, Consumption::One(consumed));
        metrics.count(Some(Operation::GetItem), &fine, Duration::from_micros(70));
        let failed = reply(Some("ValidationException"), Consumption::None);
        metrics.count(Some(Operation::GetItem), &failed, Duration::from_micros(20));
        metrics.count(None, &failed, Duration::from_micros(20));
        let index = IndexStatistics { name: "ByYear".to_owned(), items: 2, bytes: 20 };
        let name = "Music".to_owned();
        let table = TableStatistics { name, items: 3, bytes: 30, expired: 4, indexes: vec![index] };
        let figure = StorageFigure { name: "log_bytes", help: "Bytes in the log.", value: 12.0 };
        let one = DerivedStatistics { design: "shop".to_owned(), changes: 5, ..DerivedStatistics::default() };
        let called = PatternStatistics {
            design: "shop".to_owned(),
            pattern: "list".to_owned(),
            within_seconds: Some(0.02),
            buckets: vec![(0.001, 1), (f64::INFINITY, 2)],
            calls: 2,
            seconds: 0.5,
            late: 1,
            ..PatternStatistics::default()
        };
        let statistics = Statistics {
            tables: vec![table],
            storage: vec![figure],
            derived: vec![one],
            outlets: Vec::new(),
            patterns: vec![called],
        };

        let held = Usage { connections: 7, answer_bytes: 90, ..Usage::default() };
        let page = page(&metrics, &statistics, &held);
        for line in [
            "# TYPE singlet_request_seconds histogram",
            "singlet_requests_total{operation=\"GetItem\"} 2",
            "singlet_requests_total{operation=\"none\"} 1",
            "singlet_errors_total{operation=\"GetItem\",error=\"ValidationException\"} 1",
            "singlet_request_seconds_bucket{operation=\"GetItem\",le=\"0.00005\"} 1",
            "singlet_request_seconds_bucket{operation=\"GetItem\",le=\"+Inf\"} 2",
            "singlet_request_seconds_sum{operation=\"GetItem\"} 0.00009",
            "singlet_consumed_read_units_total{table=\"Music\"} 0.5",
            "singlet_connections_open 7",
            "singlet_answer_bytes 90",
            "singlet_table_items{table=\"Music\"} 3",
            "singlet_expired_items_total{table=\"Music\"} 4",
            "singlet_index_bytes{table=\"Music\",index=\"ByYear\"} 20",
            "singlet_derived_lag_seconds{design=\"shop\"} 0",
            "singlet_pattern_seconds_bucket{design=\"shop\",pattern=\"list\",le=\"0.001\"} 1",
            "singlet_pattern_seconds_bucket{design=\"shop\",pattern=\"list\",le=\"+Inf\"} 2",
            "singlet_pattern_seconds_count{design=\"shop\",pattern=\"list\"} 2",
            "singlet_pattern_within_seconds{design=\"shop\",pattern=\"list\"} 0.02",
            "singlet_pattern_late_total{design=\"shop\",pattern=\"list\"} 1",
            "singlet_derived_changes_total{design=\"shop\"} 5",
            "singlet_storage_log_bytes 12",
        ] {
            assert!(page.lines().any(|found| found == line), "{line} is not in\n{page}");
        }
    }

    #[test]
    fn every_figure_is_announced_once() {
        let page = page(&Metrics::new(), &Statistics::default(), &Usage::default());
        let mut announced: Vec<_> = page.lines().filter(|line| line.starts_with("# TYPE")).collect();
        let count = announced.len();
        announced.dedup();
        assert_eq!(announced.len(), count);
        for line in page.lines().filter(|line| !line.starts_with('#')) {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(value.parse::<f64>().is_ok(), "{line}");
            assert!(announced.iter().any(|family| family.contains(name)), "{line}");
        }
    }
}
