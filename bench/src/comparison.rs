//! A comparison as tables for people.

use crate::report::{Table, count};
use crate::summary::{Figures, Row, Summary};
use crate::target::{Kind, Share};

const WEIGHED: &str = "On disk: after all cells and a clean stop. Entries of indexes are cost, not data: where one of two tables has three \
    indexes with a copy of each item, as in a whole run, a server without any overhead would be at 2.5. Singlet's file of the \
    tree keeps the pages that rewriting the same items again and again freed: `bench/run scaling` shows it after one filling.";

impl Summary {
    /// Lists the promise of each server about an acknowledged write, and the missing servers.
    pub(crate) fn durability(&self) -> String {
        let mut text = String::new();
        for server in &self.servers {
            let few = if server.kind.share() == Share::Slow {
                format!("; slow, hence {} items and one round", count(server.items as f64))
            } else {
                String::new()
            };
            text += &format!("- {}: {}{few}\n", server.kind.name(), server.kind.durability());
        }
        for missing in &self.left_out {
            text += &format!("- left out: {}\n", missing.lines().next().unwrap_or_default());
        }
        text
    }

    /// Requests per second, in brackets the ratio to the bare server.
    pub(crate) fn throughput(&self) -> String {
        self.by_server("requests/s (of bare)", |row, figures, kind| {
            let rate = figures.requests_per_second;
            match self.rate(Kind::Bare, &row.cell) {
                Some(bare) if kind != Kind::Bare => format!("{} ({:.2})", count(rate), rate / bare),
                _ => count(rate),
            }
        })
    }

    /// Requests per second beside those of an earlier build; `None` if there is none.
    pub(crate) fn against_before(&self) -> Option<String> {
        self.servers.iter().find(|server| server.kind == Kind::SingletBefore)?;
        let mut table = Table::new(["requests/s", "earlier build", "this one", "ratio"]);
        for Row { cell, .. } in &self.rows {
            if let (Some(before), Some(now)) =
                (self.rate(Kind::SingletBefore, cell), self.rate(Kind::Singlet, cell))
            {
                let figures = [count(before), count(now), format!("{:.3}", now / before)];
                table.row(cell.name(), figures.into_iter());
            }
        }
        Some(table.text())
    }

    /// Latencies in microseconds: median, 99 %, 99.9 %.
    pub(crate) fn latency(&self) -> String {
        self.by_server("µs: p50 / p99 / p99.9", |_, figures, _| {
            let Figures { p50_microseconds, p99_microseconds, p999_microseconds, .. } = figures;
            format!(
                "{} / {} / {}",
                count(*p50_microseconds),
                count(*p99_microseconds),
                count(*p999_microseconds)
            )
        })
    }

    /// CPU time of the server per request: less noisy than throughput on a shared machine.
    pub(crate) fn cpu(&self) -> String {
        self.by_server("server CPU µs/request (of bare)", |row, figures, kind| {
            let cpu = figures.server_cpu_microseconds;
            match self.figures(Kind::Bare, &row.cell) {
                Some(bare) if kind != Kind::Bare => {
                    format!("{cpu:.1} ({:.1})", cpu / bare.server_cpu_microseconds.max(1e-9))
                }
                _ => format!("{cpu:.1}"),
            }
        })
    }

    /// Start, filling, disk and memory.
    pub(crate) fn space(&self) -> String {
        let mut table = Table::new([
            "server",
            "start, ms",
            "MB then",
            "filled, items/s",
            "MB on disk",
            "per byte of items",
            "MB at the end",
        ]);
        for server in self.servers.iter().filter(|server| server.kind != Kind::Bare) {
            let ratio = server.disk_bytes_per_byte();
            let megabytes = ratio.and(server.disk_bytes).map(|bytes| bytes as f64 / 1e6);
            let optional = |figure: Option<f64>| figure.map_or_else(|| "–".to_owned(), count);
            let figures = [
                optional(server.start_milliseconds),
                optional(server.start_milliseconds.map(|_| server.start_resident_bytes as f64 / 1e6)),
                optional(server.filled_items_per_second),
                optional(megabytes),
                ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}")),
                count(server.resident_bytes as f64 / 1e6),
            ];
            table.row(server.kind.name(), figures.into_iter());
        }
        table.text() + "\n" + WEIGHED + "\n"
    }

    /// The disk alone.
    pub(crate) fn disk(&self) -> String {
        let mut table = Table::new(["fsync alone: append + fdatasync", "per second", "p50 µs", "p99 µs"]);
        for row in &self.syncs {
            let figures = [count(row.per_second), count(row.p50_microseconds), count(row.p99_microseconds)];
            table.row(format!("{} bytes", count(row.write_bytes as f64)), figures.into_iter());
        }
        table.text()
    }

    /// How noisy the machine was, and every wrong answer.
    pub(crate) fn doubts(&self) -> String {
        let mut text = format!(
            "Others used {:.0} % of the machine (median; worst {:.0} %). Refused for a transaction on the same item, not counted as throughput: {}.\n",
            self.others_share_median * 100.0,
            self.others_share_worst * 100.0,
            self.conflicts
        );
        if self.unsent > 0 {
            text += &format!(
                "Arrivals that were never sent, in the latencies with their age: {}.\n",
                self.unsent
            );
        }
        for row in &self.rows {
            for (kind, figures) in &row.figures {
                for (error, times) in &figures.errors {
                    text += &format!("{times} × {}, {}: {error}\n", kind.name(), row.cell.name());
                }
            }
        }
        text
    }

    fn by_server(&self, heading: &str, show: impl Fn(&Row, &Figures, Kind) -> String) -> String {
        let kinds = self.kinds();
        let mut table = Table::new([heading]);
        table.columns(kinds.iter().map(|kind| kind.name()));
        for row in &self.rows {
            let cells = kinds.iter().map(|kind| match row.figures.get(kind) {
                Some(figures) if figures.errors.is_empty() => show(row, figures, *kind),
                Some(_) => "errors".to_owned(),
                None => "–".to_owned(),
            });
            table.row(row.cell.name(), cells);
        }
        table.text()
    }
}

#[cfg(test)]
mod tests {
    use crate::summary::tests::summary;
    use crate::target::Kind;
    use crate::workload::Workload;

    #[test]
    fn figures_come_with_their_ratio_to_the_bare_server() {
        let found =
            summary(&[(Workload::Get, Kind::Bare, 100_000.0), (Workload::Get, Kind::Singlet, 75_000.0)]);
        assert!(found.throughput().contains("75,000 (0.75)"), "{}", found.throughput());
        assert!(found.throughput().contains(" 100,000 |"));
    }

    #[test]
    fn a_server_with_wrong_answers_has_no_figure_but_its_errors() {
        let mut found = summary(&[(Workload::Get, Kind::Singlet, 75_000.0)]);
        let figures = found.rows[0].figures.get_mut(&Kind::Singlet).unwrap();
        figures.errors.insert("wrong answer".to_owned(), 3);
        assert!(found.throughput().contains("errors"));
        assert!(!found.throughput().contains("75,000"));
        assert!(found.doubts().contains("3 × singlet, get, 64 conn.: wrong answer"));
    }

    #[test]
    fn slow_peers_are_named_as_such_and_missing_ones_too() {
        let mut found = summary(&[(Workload::Get, Kind::Moto, 100.0)]);
        found.left_out.push("dynalite-file: it is not there\nmore".to_owned());
        let text = found.durability();
        assert!(text.contains("one round"), "{text}");
        assert!(text.contains("- left out: dynalite-file: it is not there\n"), "{text}");
    }
}
